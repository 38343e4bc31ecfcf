"""Agents for Daihinmin.

A card is 4 * rank + suit; a joker is 52, a second one 53. A set of cards is the bits of a `uint64`.
Encodings, plays and their families are those of `games/daihinmin/plays.py`. A kaidan is a run of
three or more cards of one suit.
"""
