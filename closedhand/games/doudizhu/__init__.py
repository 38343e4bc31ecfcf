"""Dou Dizhu, China Competitive Poker: one landlord against two peasants.

54 cards, suits never matter: `3 4 5 6 7 8 9 T J Q K A 2` four times each, the small joker `S` and
the big joker `B`. The landlord holds 20 cards (17 and the three public ones), each peasant 17; he
leads, and who plays out first wins for his side. A follower plays the same category and length
with a higher rank, or a bomb, or the rocket, or passes; after two passes the last player leads
again, and a leader may not pass. Rules, records and planes follow the DeepRocket paper ("A
Solution to China Competitive Poker Using Deep Learning").

The preset `rlcard` has exactly the plays of RLCard 1.2.0, `openspiel` those of OpenSpiel 2.0.2's
`dou_dizhu`. Not copied from the latter: its auction goes round until two passes follow a bid, three
opening passes end its game without a score, it always doubles for spring (here `spring=True`), lets
a bomb beat the rocket, and lists no bare chain that starts on a rank held four times.
"""

from typing import Any

from closedhand.core.game import Game, InputError, options_of
from closedhand.games.doudizhu import substeps
from closedhand.games.doudizhu.notation import Notation, SubstepNotation
from closedhand.games.doudizhu.planes import SHAPES, observe
from closedhand.games.doudizhu.plays import PRESETS, build
from closedhand.games.doudizhu.rules import (
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

__all__ = ["deal", "hide", "legal", "make", "observe", "over", "play", "redeal", "returns", "valid"]

DEFAULTS = {
    "rules": "deeprocket",
    "substeps": False,
    "bidding": False,
    "spring": False,
    "objective": "score",
    "base": None,
}
OBJECTIVES = ("score", "win")


def make(**given: Any) -> Game:
    """Dou Dizhu as a `Game`.

    Args:
        **given: `rules` (`deeprocket`, `rlcard` or `openspiel`), `substeps` (main group and kickers
            as separate actions), `bidding` (an auction decides the landlord), `spring` (a spring
            or anti-spring doubles), `objective` (`score` | `win`), `base` (the stake without
            bidding, 1 to 99, default 3).

    Raises:
        InputError: An unknown option, or a value that it cannot take.
    """
    presets = {name: {"bidding": preset.bidding} for name, preset in PRESETS.items()}
    options = options_of("doudizhu", presets, DEFAULTS, given)
    base, bidding = options["base"], options["bidding"]
    if options["objective"] not in OBJECTIVES:
        raise InputError(f"objective is score or win, not {options['objective']!r}")
    if base is not None and bidding:
        raise InputError("base is for games without bidding: there the winning bid is the stake")
    if base is not None and not (isinstance(base, int) and 1 <= base <= 99):
        raise InputError(f"base is a whole number from 1 to 99, not {base!r}")
    plays = build(options["rules"])
    rules = Rules(
        plays,
        bidding=bool(bidding),
        spring=bool(options["spring"]),
        win=options["objective"] == "win",
        base=base or 3,
    )
    flat = Notation(rules, options["rules"])
    bids = 3 if bidding else 0
    notation: Notation | SubstepNotation = flat
    if options["substeps"]:
        notation = SubstepNotation(flat)
    return Game(
        name="doudizhu",
        options=options,
        rules=substeps.Rules(rules) if options["substeps"] else rules,
        dtype=STATE,
        num_players=SEATS,
        num_actions=(substeps.ACTIONS if options["substeps"] else int(plays.number)) + bids,
        shapes=substeps.SHAPES if options["substeps"] else SHAPES,
        # An auction leaves the seats equal until it is over.
        roles=("first", "second", "third") if bidding else ("landlord", "peasants", "peasants"),
        sides=(0, 1, 2) if bidding else (0, 1, 1),
        text=notation.text,
        parse=notation.parse,
        deal_text=flat.deal_text,
        parse_deal=flat.parse_deal,
        scene=notation.scene,
    )
