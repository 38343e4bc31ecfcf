"""Daihinmin, the grand pauper: five players, who is rid of his cards first is the daifugo.

53 cards: `3 4 5 6 7 8 9 T J Q K A 2`, low to high, in the suits c d h s, and one joker `*`. Rules
are those of UECda, the computer Daihinmin competition; numbers in brackets are points:

- Three players get 11 cards, two get 10. The holder of 3d leads the first trick.
- A **play** is a single, a **group** of 2 to 5 cards of one rank, or a **kaidan**, 3 or more
  consecutive ranks of one suit. The joker stands for any missing card, in a kaidan also below the
  3 or above the 2. It is beaten by a play of the same kind and number whose lowest rank is above
  its highest.
- A lone joker beats every single and lifts the lock; only 3s beats it, and ends the trick.
- Who **passes** is out of the trick. It ends when everybody has passed, its owner too, who may
  first play over his own cards. He leads again; if he is out, the next player does.
- **Eight-stop**: a play that covers an 8 ends the trick at once.
- **Revolution**: a group of 4 or more, or a kaidan of 5 or more, turns the order of ranks round
  until the end of the round.
- **Lock** (shibari): when a play has the same suits as the one that it beats, only plays of just
  these suits may follow in this trick.
- Who is out first is the **daifugo** (5), then come fugo (4), heimin (3), hinmin (2) and daihinmin
  (1). In the next round the daihinmin gives the daifugo his best two cards, the hinmin the fugo his
  best one, and gets as many of the winner's choice. The winners do not see which cards were paid.
- 20 passes on end end a round: those who are left are ranked at random.

An episode is one round; with `rounds=n` it is a match of n rounds, in which classes carry over,
and points are paid at the end of each. Its players keep their numbers when seats are changed.

There are 2,421 plays, and the pass. In the exchange the ids of singles name the cards to give; two
are chosen in ascending order.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from closedhand.core.game import Game, InputError, options_of
from closedhand.games.daihinmin import compact as card_sets
from closedhand.games.daihinmin.hidden import hide, redeal
from closedhand.games.daihinmin.notation import CompactNotation, Notation
from closedhand.games.daihinmin.planes import SHAPES, observe
from closedhand.games.daihinmin.plays import NUM_ACTIONS, build
from closedhand.games.daihinmin.rules import (
    MOST_PASSES,
    OPTIONS,
    PLAYERS,
    STATE,
    Rules,
    admit,
    deal,
    is_legal,
    legal,
    over,
    payoff,
    play,
    returns,
)
from closedhand.games.daihinmin.validity import valid

__all__ = [
    "admit", "deal", "hide", "is_legal", "legal", "make", "observe", "over", "payoff", "play",
    "redeal", "returns", "valid",
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
"""Default, least and greatest value."""
CHOICES = {"classes": ("none", "random"), "illegal": ("pass", "error")}
"""All values, the default first."""
DEFAULTS = {
    "rules": "uecda",
    "compact": False,
    **{name: default for name, (default, _, _) in NUMBERS.items()},
    **{name: values[0] for name, values in CHOICES.items()},
    **SWITCHES,
}
PRESETS: dict[str, dict[str, Any]] = {"uecda": {}, "paper": {"seat_period": 100}}


def make(**given: Any) -> Game:
    """Daihinmin as a `Game`.

    Args:
        **given: Names and defaults below. `rules="uecda"` is the competition, `"paper"` changes
            seats every 100 rounds only.

    - `rounds=1`: of an episode, up to a million.
    - `classes="none"`: of the first round; `"random"` draws them, so that cards are exchanged.
    - `exchange=True`: cards are exchanged where there are classes.
    - `seat_period=3`: seats are shuffled every so many rounds, and before the first of several.
    - `class_period=100`: every so many rounds there are no classes, and no exchange.
    - `kaidan=True`, `revolution=True`, `eight_stop=True`, `lock=True`: as above, or not at all.
    - `joker_edges=True`: the joker may stand below the 3 and above the 2.
    - `joker_unlocks=True`: a lone joker lifts the lock.
    - `spade_three=True`: 3s beats the lone joker.
    - `overplay=True`: the owner of a trick is asked again when all others have passed.
    - `lead_pass=True`: a leader may pass.
    - `pass_limit=20`: so many passes on end end the round; 6 to 20.
    - `illegal="pass"`: what is illegal counts as a pass, also a leader's where he may not pass, and
      in the exchange as the best card; with `"error"` it is refused.
    - `compact=False`: with True one action for each set of cards, 1,952 in all. The joker then
      stands where it has to, or else for the first suit c d h s that makes or keeps a lock, then
      for the first that is legal, and in a kaidan at its stronger end.

    Raises:
        InputError: An unknown option, or a value that it cannot take.
    """
    options = options_of("daihinmin", PRESETS, DEFAULTS, given)
    check(options)
    numbers = np.zeros(1, OPTIONS)[0]
    numbers.ranked = options["classes"] == "random"
    numbers.illegal_pass = options["illegal"] == "pass"
    for name in (*SWITCHES, *NUMBERS):
        numbers[name] = options[name]
    flat = Rules(build(), numbers)
    notation = CompactNotation(flat) if options["compact"] else Notation(flat)
    return Game(
        name="daihinmin",
        options=options,
        rules=card_sets.Rules(flat, card_sets.build()) if options["compact"] else flat,
        dtype=STATE,
        num_players=PLAYERS,
        num_actions=card_sets.ACTIONS if options["compact"] else NUM_ACTIONS,
        shapes=SHAPES,
        roles=("player",) * PLAYERS,
        sides=tuple(range(PLAYERS)),
        lenient=options["illegal"] == "pass",
        staged=options["rounds"] > 1,
        text=notation.text,
        parse=notation.parse,
        deal_text=notation.deal_text,
        parse_deal=notation.parse_deal,
        scene=notation.scene,
    )


def check(options: Mapping[str, Any]) -> None:
    """Complain about a value that an option cannot take.

    Raises:
        InputError: There is one.
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
