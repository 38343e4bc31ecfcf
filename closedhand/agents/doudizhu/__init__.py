"""Agents for Dou Dizhu, and the training of the learned ones.

Sets of cards are counts by rank, packed (`games/doudizhu/counts.py`); groups, families and flat ids
are those of `games/doudizhu/plays.py`. Roles count seats from the landlord: 0 landlord, 1 down
peasant, 2 up peasant.
"""
