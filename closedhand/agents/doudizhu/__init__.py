"""Agents for Dou Dizhu, and the training of the learned ones.

Sets of cards are counts by rank, packed (`games/doudizhu/counts.py`). `plays.py` there explains
groups and families, `auction.py` the words, such as bids, before the landlord leads. Flat games,
rules and ids are of whole plays, not sub-steps. Roles, in order of play: 0 landlord, 1 down, 2 up
peasant. Unless stated otherwise, kernels take flat rules and scratch `ids`, int32 [num_actions].
"""
