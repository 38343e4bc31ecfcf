"""Dou Dizhu as a `Game`: its options, and the functions of the contract in one place."""

from dataclasses import replace
from typing import Any

from closedhand.core.game import Game, InputError
from closedhand.core.options import Option, Options, takes
from closedhand.games.doudizhu import substeps
from closedhand.games.doudizhu.notation import Notation, SubstepNotation
from closedhand.games.doudizhu.planes import SHAPES, observe
from closedhand.games.doudizhu.plays import PRESETS, build
from closedhand.games.doudizhu.rules import (
    LONGEST,
    MOST_BOMBS,
    SEATS,
    STATE,
    Rules,
    deal,
    hide,
    legal,
    over,
    play,
    redeal,
    returns,
)
from closedhand.games.doudizhu.validity import valid
from closedhand.games.doudizhu.views import knowledge, view_from

__all__ = [
    "deal",
    "hide",
    "knowledge",
    "legal",
    "make_game",
    "observe",
    "over",
    "play",
    "redeal",
    "returns",
    "valid",
    "view_from",
]

OPTIONS = Options(
    "doudizhu",
    Option(
        "rules",
        "deeprocket",
        "the preset, which decides the kickers and the deal; bidding is on in `openspiel`",
        choices=tuple(PRESETS),
    ),
    Option("substeps", False, "main group and kickers are separate actions"),
    Option("bidding", False, "an auction decides the landlord"),
    Option("spring", False, "a spring or an anti-spring doubles the score"),
    Option(
        "objective",
        "score",
        "payoffs are points, doubled by bombs, or 1 and -1",
        choices=("score", "win"),
    ),
    Option("base", None, "the stake without bidding, 3 if none", kind=int, least=1, most=99),
    presets={name: {"bidding": preset.bidding} for name, preset in PRESETS.items()},
)


@takes(OPTIONS)
def make_game(**given: Any) -> Game:
    """Dou Dizhu as a `Game`.

    Args:
        **given: Some of `OPTIONS`.

    Raises:
        InputError: An unknown option, or an invalid value of an option.
    """
    options = OPTIONS.complete(given)
    base, bidding = options["base"], options["bidding"]
    if base is not None and bidding:
        raise InputError("base is for games without bidding: there the winning bid is the stake")
    plays = build(options["rules"])
    rules = Rules(
        plays,
        bidding=bidding,
        spring=options["spring"],
        win=options["objective"] == "win",
        base=base or 3,
    )
    notation = Notation(rules, options["rules"])
    bids = 3 if bidding else 0
    most = most_points(rules)
    flat = Game(
        name="doudizhu",
        options={**options, "substeps": False},
        rules=rules,
        dtype=STATE,
        num_players=SEATS,
        num_actions=int(plays.number) + bids,
        shapes=SHAPES,
        # With an auction, the seats have no roles until it is over.
        roles=("first", "second", "third") if bidding else ("landlord", "peasants", "peasants"),
        sides=(0, 1, 2) if bidding else (0, 1, 1),
        notation=notation,
        payoff_range=(-most, most),
        max_moves=LONGEST,
        zero_sum=not rules.win,
        substep_options={"substeps": True},
    )
    if not options["substeps"]:
        return flat
    return replace(
        flat,
        options=options,
        rules=substeps.Rules(rules),
        num_actions=substeps.ACTIONS + bids,
        shapes=substeps.SHAPES,
        notation=SubstepNotation(notation),
        max_moves=LONGEST + substeps.MOST_KICKERS,
        flat_form=flat,
        substep_options={},
    )


def most_points(rules: Rules) -> float:
    """The most the landlord can win: with every rank a bomb, and the rocket."""
    if rules.win:
        return 1.0
    stake = 3 if rules.bidding else rules.base
    return 2.0 * stake * 2.0 ** (MOST_BOMBS + rules.spring)
