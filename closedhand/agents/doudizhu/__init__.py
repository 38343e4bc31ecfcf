"""Agents for Dou Dizhu, and the training of the learned ones.

Sets of cards are counts by rank, packed (`games/doudizhu/counts.py`). Groups, families and flat ids
are those of `games/doudizhu/plays.py`; words, such as bids, come before the landlord leads
(`auction.py`). Roles count seats from the landlord: 0 landlord, 1 down peasant, 2 up peasant.
Unless stated otherwise, kernels take the rules of the flat game; `ids` is scratch space, int32.
"""
