"""The Leduc family as a `Game`: its options, and the functions of the contract in one place."""

from typing import Any

from closedhand.core.game import Game, InputError
from closedhand.core.options import Option, Options, takes
from closedhand.games.leduc.features import features, table
from closedhand.games.leduc.hidden import hide, redeal
from closedhand.games.leduc.notation import Notation
from closedhand.games.leduc.planes import observe, shapes
from closedhand.games.leduc.plays import ACTIONS, VARIANTS, build
from closedhand.games.leduc.rules import deal, deals, is_legal, legal, over, play, returns
from closedhand.games.leduc.state import SEATS, STATE, Rules
from closedhand.games.leduc.validity import valid
from closedhand.games.leduc.views import knowledge, view_from

__all__ = [
    "deal", "deals", "features", "hide", "is_legal", "knowledge", "legal", "make_game", "observe",
    "over", "play", "redeal", "returns", "valid", "view_from",
]  # fmt: skip

NAMES = {"uh": "uh_leduc", "standard": "leduc"}
OPTIONS = Options(
    "leduc",
    Option("rules", "uh", "the member of the family; the names `uh_leduc` and `leduc` stand for "
           "them", choices=tuple(VARIANTS)),
    Option("pair", "rank", "a pair is two cards of one rank, or of one rank and suit",
           choices=("rank", "card")),
    Option("double_pair", "suit", "if both players pair with different suits, the stronger suit "
           "wins or nobody", choices=("suit", "split")),
)  # fmt: skip


@takes(OPTIONS)
def make_game(**given: Any) -> Game:
    """Make a member of the Leduc family as a `Game` from options of `OPTIONS`.

    Raises:
        InputError: An unknown option, an invalid value, or suits that count in standard Leduc.
    """
    options = OPTIONS.complete(given)
    for key in ("pair", "double_pair"):
        if options["rules"] == "standard" and options[key] != OPTIONS[key].default:
            raise InputError(f"{key} is an option of uh_leduc: standard suits never count")
    rules = Rules(build(options["rules"], options["pair"], options["double_pair"]))
    most = float(rules.tables.nodes["bets"].max())
    return Game(
        name=NAMES[options["rules"]],
        options=options,
        rules=rules,
        dtype=STATE,
        num_players=SEATS,
        num_actions=len(ACTIONS),
        shapes=shapes(rules),
        roles=("S", "T"),
        sides=(0, 1),
        notation=Notation(rules),
        payoff_range=(-most, most),
        unit="chips",
        max_moves=2 * int(rules.tables.longest),
        feature_table=table(rules),
    )
