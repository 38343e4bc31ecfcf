"""Leduc poker: UH-Leduc of a course on reinforcement learning, and the standard game.

Two players, S and T, ante 1 chip each and hold one private card; S acts first in both phases of
betting, between which a public card, the flop, is revealed. Who folds loses his bet. At a showdown
a pair with the flop wins, then the stronger card; the winner wins the other's bet, and with equal
hands nobody wins anything.

**UH-Leduc** (`uh_leduc`; C. F. Eick, COSC 4368, Spring 2020, group project) has 18 cards, three
each of SQ and HQ and two each of SA HA SK HK SJ HJ, with the order SA > HA > SK > HK > SQ > HQ >
SJ > HJ. A raise tops the larger bet by 3. Who has not to answer a bet may raise; of those who have
to, only T may raise, once in a phase. In phase 2 a player who has bet nothing but his ante cannot
check: he raises or folds. The slides do not say whether a pair is of ranks or of equal cards, nor
what decides between two pairs of one rank: `pair` and `double_pair` choose.

**Standard Leduc** (`leduc`) has one card each of SK HK SQ HQ SJ HJ, suits do not count; raises are
2 in phase 1 and 4 in phase 2, at most two in a phase by either player. It is the `leduc_poker` of
OpenSpiel.

Payoffs are chips: from -13 to 13, both together 0.
"""

from typing import Any

from closedhand.core.game import Game, InputError, options_of
from closedhand.games.leduc.notation import Notation
from closedhand.games.leduc.planes import observe, shapes
from closedhand.games.leduc.plays import ACTIONS, VARIANTS, build
from closedhand.games.leduc.rules import (
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
from closedhand.games.leduc.validity import valid

__all__ = ["deal", "hide", "legal", "make", "observe", "over", "play", "redeal", "returns", "valid"]

DEFAULTS = {"rules": "uh", "pair": "rank", "double_pair": "suit"}
CHOICES = {"pair": ("rank", "card"), "double_pair": ("suit", "split")}
NAMES = {"uh": "uh_leduc", "standard": "leduc"}


def make(**given: Any) -> Game:
    """A member of the Leduc family as a `Game`.

    Args:
        **given: `rules` (`uh` or `standard`; the names `uh_leduc` and `leduc` stand for them), and
            for `uh` `pair` (`rank`: a pair is two cards of one rank; `card`: of one rank and suit)
            and `double_pair` (where both players pair with different suits, `suit`: the stronger
            suit wins; `split`: nobody does).

    Raises:
        InputError: An unknown option, or a value that it cannot take.
    """
    options = options_of("leduc", {name: {} for name in VARIANTS}, DEFAULTS, given)
    for key, values in CHOICES.items():
        if options[key] not in values:
            raise InputError(f"{key} is {' or '.join(values)}, not {options[key]!r}")
        if options["rules"] == "standard" and options[key] != DEFAULTS[key]:
            raise InputError(f"{key} is an option of uh_leduc: standard suits never count")
    rules = Rules(build(options["rules"], options["pair"], options["double_pair"]))
    notation = Notation(rules)
    return Game(
        name=NAMES[options["rules"]],
        options=options,
        rules=rules,
        dtype=STATE,
        num_players=SEATS,
        num_actions=len(ACTIONS),
        shapes=shapes(rules.tables),
        roles=("S", "T"),
        sides=(0, 1),
        text=notation.text,
        parse=notation.parse,
        deal_text=notation.deal_text,
        parse_deal=notation.parse_deal,
        scene=notation.scene,
    )
