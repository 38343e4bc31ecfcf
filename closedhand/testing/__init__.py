"""`check_game`: one call that checks the whole contract of a `Game`.

    from closedhand import make_game
    from closedhand.testing import check_game

    check_game(make_game("kuhn"))

It plays random games and checks every function of the game. Then it checks records, saved and
damaged states, wrong seats, other processes, the plain Python behind the kernels, and the
environments. It returns nothing; a `ContractError` names the fault in one line.
"""

from closedhand.testing.check import check_game
from closedhand.testing.expectations import ContractError

__all__ = ["ContractError", "check_game"]
