"""Agents for Dou Dizhu, and the training of the learned ones.

Sets of cards are counts by rank, packed (`games/doudizhu/counts.py`). `plays.py` there explains
groups and families. A word is a bid or another action before the landlord leads (`auction.py`).
Flat games, rules and ids are of whole plays. Roles, in order of play: 0 landlord, 1 down, 2 up
peasant. Unless stated otherwise, kernels take flat rules and scratch `ids`, int32 [num_actions].
"""
