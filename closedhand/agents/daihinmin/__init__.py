"""Agents for Daihinmin.

A card is 4 * rank + suit, a set of cards the bits of a `uint64` (`games/daihinmin/cards.py`). Plays
and their families are those of `games/daihinmin/plays.py`. A kaidan is a run of three or more cards
of one suit.
"""
