"""Daihinmin as a `Game`: its options, and the functions of the contract in one place."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from closedhand.core.game import Game, InputError, options_of
from closedhand.games.daihinmin import compact as card_sets
from closedhand.games.daihinmin.hidden import hide, redeal
from closedhand.games.daihinmin.legality import admit, is_legal, legal
from closedhand.games.daihinmin.notation import CompactNotation, Notation
from closedhand.games.daihinmin.planes import SHAPES, observe
from closedhand.games.daihinmin.plays import NUM_ACTIONS, build
from closedhand.games.daihinmin.rules import deal, over, payoff, play, returns
from closedhand.games.daihinmin.state import (
    LONGEST,
    MOST_PASSES,
    OPTIONS,
    PLAYERS,
    STATE,
    Rules,
)
from closedhand.games.daihinmin.validity import valid
from closedhand.games.daihinmin.views import view_from

__all__ = [
    "admit", "deal", "hide", "is_legal", "legal", "make_game", "observe", "over", "payoff", "play",
    "redeal", "returns", "valid", "view_from",
]  # fmt: skip

SWITCHES = {
    "exchange": True,
    "kaidan": True,
    "joker_edges": True,
    "revolution": True,
    "eight_stop": True,
    "lock": True,
    "joker_unlocks": True,
    "spade_three": True,
    "overplay": True,
    "lead_pass": True,
}
NUMBERS = {
    "rounds": (1, 1, 10**6),
    "seat_period": (3, 1, 10**6),
    "class_period": (100, 1, 10**6),
    "pass_limit": (MOST_PASSES, PLAYERS + 1, MOST_PASSES),
}
"""Default, minimum and maximum of each option."""
CHOICES = {"classes": ("none", "random"), "illegal": ("pass", "error")}
"""All values of each option, the default first."""
DEFAULTS = {
    "rules": "uecda",
    "compact": False,
    **{name: default for name, (default, _, _) in NUMBERS.items()},
    **{name: values[0] for name, values in CHOICES.items()},
    **SWITCHES,
}
PRESETS: dict[str, dict[str, Any]] = {"uecda": {}, "paper": {"seat_period": 100}}


def make_game(**given: Any) -> Game:
    """Daihinmin as a `Game`.

    Args:
        **given: Options; their names and defaults are below. `rules="uecda"` is the competition;
            `"paper"` differs in that seats change every 100 rounds only.

    - `rounds=1`: number of rounds in an episode, up to a million.
    - `classes="none"`: the first round has no classes; with `"random"` they are drawn by lot, so
      that cards are exchanged.
    - `exchange=True`: cards are exchanged in rounds with classes.
    - `seat_period=3`: number of rounds between shuffles of the seats; a match of several rounds
      also begins with one.
    - `class_period=100`: number of rounds between resets of the classes; the round after a reset
      has no classes and no exchange.
    - `kaidan=True`, `revolution=True`, `eight_stop=True`, `lock=True`: the rule of that name; with
      False it does not exist.
    - `joker_edges=True`: the joker may stand below the 3 and above the 2.
    - `joker_unlocks=True`: a lone joker lifts the lock.
    - `spade_three=True`: 3s beats the lone joker.
    - `overplay=True`: the owner of a trick may play again when all others have passed.
    - `lead_pass=True`: a leader may pass.
    - `pass_limit=20`: number of consecutive passes that end the round, 6 to 20.
    - `illegal="pass"`: an illegal action counts as a pass, even for a leader who may not pass, and
      in the exchange as the best card; with `"error"` it is refused.
    - `compact=False`: with True there is one action for each set of cards, 1,952 in all. Where the
      cards leave a choice, the joker stands for the first suit in the order c d h s that makes or
      keeps a lock, or else for the first that is legal, and in a kaidan at its stronger end.

    Raises:
        InputError: An unknown option, or an invalid value of an option.
    """
    options = options_of("daihinmin", PRESETS, DEFAULTS, given)
    check(options)
    numbers = np.zeros(1, OPTIONS)[0]
    numbers.ranked = options["classes"] == "random"
    numbers.illegal_pass = options["illegal"] == "pass"
    for name in (*SWITCHES, *NUMBERS):
        numbers[name] = options[name]
    flat = Rules(build(), numbers)
    rounds = options["rounds"]
    whole = Game(
        name="daihinmin",
        options={**options, "compact": False},
        rules=flat,
        dtype=STATE,
        num_players=PLAYERS,
        num_actions=NUM_ACTIONS,
        shapes=SHAPES,
        roles=("player",) * PLAYERS,
        sides=tuple(range(PLAYERS)),
        lenient=options["illegal"] == "pass",
        staged=rounds > 1,
        rounds=rounds,
        notation=Notation(flat),
        payoff_range=(rounds, PLAYERS * rounds),
        max_moves=LONGEST * rounds,
        zero_sum=False,
    )
    if not options["compact"]:
        return whole
    return replace(
        whole,
        options=options,
        rules=card_sets.Rules(flat, card_sets.build()),
        num_actions=card_sets.ACTIONS,
        notation=CompactNotation(flat),
        flat_form=whole,
    )


def league_options(options: Mapping[str, Any], rounds: int, duplicate: bool) -> dict[str, Any]:
    """Options of a league of `rounds` rounds; those in `options` take precedence.

    A deal is a match from one reset of the classes to the next, or of all `rounds` if those are
    fewer. In a duplicate league a deal is one round with random classes, since only then do all
    agents find the same cards and classes at a seat.
    """
    usual: dict[str, Any] = {"rounds": min(rounds, make_game(**options).options["class_period"])}
    if duplicate:
        usual = {"rounds": 1}
        if options.get("rounds", 1) == 1:
            usual["classes"] = "random"
    return {**usual, **options}


def check(options: Mapping[str, Any]) -> None:
    """Check the values of all options.

    Raises:
        InputError: An option has an invalid value.
    """
    for name in (*SWITCHES, "compact"):
        if not isinstance(options[name], bool):
            raise InputError(f"{name} is True or False, not {options[name]!r}")
    for name, (_, least, most) in NUMBERS.items():
        if type(options[name]) is not int or not least <= options[name] <= most:
            raise InputError(f"{name} is {least} to {most}, not {options[name]!r}")
    for name, values in CHOICES.items():
        if options[name] not in values:
            raise InputError(f"{name} is {' or '.join(values)}, not {options[name]!r}")
