"""`check_game`: the whole contract of a `Game` as one call, for our games and for anybody's.

    from closedhand import make_game
    from closedhand.testing import check_game

    check_game(make_game("kuhn"))

It plays random games and checks every function of the game on the way, then what builds on them:
records, saved states, other processes, the plain Python behind the kernels, hostile input, and the
environments. It returns nothing; a `ContractError` says in one line what is broken.
"""

from closedhand.testing.check import check_game
from closedhand.testing.expectations import ContractError

__all__ = ["ContractError", "check_game"]
