"""Chinese Poker as a `Game`: its options, and the functions of the contract in one place."""

from dataclasses import replace
from typing import Any

from closedhand.core.game import Game
from closedhand.core.options import Option, Options, takes
from closedhand.games.chinese_poker import substeps as factored
from closedhand.games.chinese_poker.features import FEATURES, features
from closedhand.games.chinese_poker.hidden import hide, redeal
from closedhand.games.chinese_poker.notation import Notation, SubstepNotation
from closedhand.games.chinese_poker.planes import observe, shapes
from closedhand.games.chinese_poker.plays import ARRANGEMENTS, PARTS, build
from closedhand.games.chinese_poker.rules import deal, is_legal, legal, over, play, returns
from closedhand.games.chinese_poker.state import SEATS, STATE, Rules
from closedhand.games.chinese_poker.validity import valid
from closedhand.games.chinese_poker.views import knowledge, view_from

__all__ = [
    "deal", "features", "hide", "is_legal", "knowledge", "legal", "make_game", "observe", "over",
    "play", "redeal", "returns", "valid", "view_from",
]  # fmt: skip

EXTRA_POINTS = {"4-2": (1, 1), "1-6": (0, 3)}
"""`majority` and `scoop` of `state.Rules`, by the option `rules`."""
OPTIONS = Options(
    "chinese_poker",
    Option("rules", "4-2", "the scoring", choices=tuple(EXTRA_POINTS)),
    Option("players", 2, "number of players", least=2, most=SEATS),
    Option("substeps", False, "back and front are separate actions"),
    Option("fouls", False, "arrangements that are out of order may be set, and lose everything"),
    Option("royalties", False, "strong parts earn extra points"),
    Option("naturals", False, "hands of certain patterns win at once"),
)


@takes(OPTIONS)
def make_game(**given: Any) -> Game:
    """Make Chinese Poker as a `Game` from options of `OPTIONS`.

    Raises:
        InputError: An unknown option, or an invalid value of an option.
    """
    options = OPTIONS.complete(given)
    players, substeps = options["players"], options["substeps"]
    flags = {name: options[name] for name in ("fouls", "royalties", "naturals")}
    rules = Rules(build(), players, *EXTRA_POINTS[options["rules"]], **flags)
    most = most_points(rules)
    flat = Game(
        name="chinese_poker",
        options={**options, "substeps": False},
        rules=rules,
        dtype=STATE,
        num_players=players,
        num_actions=ARRANGEMENTS,
        shapes=shapes(rules),
        roles=("first", "second", "third", "fourth")[:players],
        sides=tuple(range(players)),
        simultaneous=True,
        notation=Notation(rules),
        payoff_range=(-most, most),
        max_moves=players,
        feature_table=FEATURES,
        substep_options={"substeps": True},
    )
    if not substeps:
        return flat
    return replace(
        flat,
        options=options,
        rules=factored.Rules(rules),
        num_actions=factored.ACTIONS,
        notation=SubstepNotation(rules),
        max_moves=2 * players,
        flat_form=flat,
        substep_options={},
    )


def most_points(rules: Rules) -> float:
    """Return a player's greatest payoff: all parts against every opponent, with all royalties."""
    points = len(PARTS) + max(rules.majority, rules.scoop)
    if rules.royalties:
        points += int(rules.tables.royalties.max(axis=1).sum())
    return float((rules.players - 1) * points)
