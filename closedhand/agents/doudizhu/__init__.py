"""Agents for Dou Dizhu, and the training of the learned ones.

Sets of cards are counts by rank, packed (`games/doudizhu/counts.py`). Groups, families and flat ids
are those of `games/doudizhu/plays.py`. Words, such as bids, are said before the landlord leads
(`games/doudizhu/auction.py`). Roles are 0 landlord, 1 down peasant, 2 up peasant, in order of play.
Unless stated otherwise, kernels take flat rules, and `ids` is scratch, int32 [num_actions].
"""
