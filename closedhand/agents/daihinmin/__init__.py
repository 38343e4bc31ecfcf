"""Agents for Daihinmin.

A card is 4 * rank + suit, the joker 52; a set of cards is the bits of a `uint64`. Encodings, plays
and their families are those of `games/daihinmin/plays.py`. A kaidan is a run of three or more cards
of one suit.
"""
