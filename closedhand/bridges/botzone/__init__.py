"""Botzone: our agents as bots of the platform, its bots as agents, and its match logs as records.

The platform has two games of Dou Dizhu: FightTheLandlord2, with an auction, and FightTheLandlord,
in which seat 0 is the landlord (`bidding=False`). Preset `rules="botzone"` has their plays.
"""

from closedhand.bridges.botzone.players import Bot, ForeignBot, make_botzone, serve

__all__ = ["Bot", "ForeignBot", "make_botzone", "serve"]
