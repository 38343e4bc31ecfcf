"""Closed-hand Chinese Poker: thirteen cards, set in secret as three poker hands.

Each of 2 to 4 players arranges 13 cards into a **back** and a **middle** of five cards and a
**front** of three, so that back >= middle >= front. Then all boards are shown and every two players
compare them part by part: a part won is 1 point, a tie nothing, and who wins more parts gets 1 more
(the 4-2 scoring of P. Hankin's blog post "Near-optimal closed-hand Chinese Poker").

Hands rank as in poker, with A2345 the lowest straight and TJQKA the highest; in the front there are
high cards, pairs and trips only. A front that a middle begins with (A-K-Q before A-K-Q-J-9) is the
weaker hand.

Options, all off by default:

- `rules="1-6"`: no point for the majority, but 3 for winning all three parts.
- `fouls=True`: boards out of order may be set. Such a board loses all three parts to every board
  that is in order; against another foul nothing is won.
- `royalties=True`: from every opponent, whoever wins the part, for trips in the front 3; for a full
  house, quads or a straight flush in the middle 2, 8 or 10; for quads or a straight flush in the
  back 4 or 5. A foul earns none.
- `naturals=True`: some hands win all three parts, however they are set: three flushes, three
  straights (aces high or low), six pairs (quads are two) and the dragon (13 ranks), in this order.
  The higher natural wins, equal ones tie, and no royalties are paid between the two players.

The players act one after the other and nobody learns anything before the last hand is set, so the
game is also a parallel environment. Payoffs are points; together they are 0.

An arrangement is one of 72,072 actions, and so long is the mask. For learning take `substeps=True`:
back, then front, 1,343 actions.
"""

from typing import Any

from closedhand.core.game import Game, InputError, options_of
from closedhand.games.chinese_poker import substeps as factored
from closedhand.games.chinese_poker.notation import Notation, SubstepNotation
from closedhand.games.chinese_poker.planes import observe, shapes
from closedhand.games.chinese_poker.plays import ARRANGEMENTS, build
from closedhand.games.chinese_poker.rules import (
    SEATS,
    STATE,
    Rules,
    deal,
    hide,
    is_legal,
    legal,
    over,
    play,
    redeal,
    returns,
)
from closedhand.games.chinese_poker.validity import valid

__all__ = [
    "deal", "flat_rules", "hide", "is_legal", "legal", "make", "observe", "over", "play", "redeal",
    "returns", "valid",
]  # fmt: skip


def flat_rules(game: Game) -> Rules:
    """The rules of Chinese Poker with whole arrangements, also of the game in sub-steps."""
    return getattr(game.rules, "flat", game.rules)


DEFAULTS = {
    "rules": "4-2",
    "players": 2,
    "substeps": False,
    "fouls": False,
    "royalties": False,
    "naturals": False,
}
EXTRA_POINTS = {"4-2": (1, 1), "1-6": (0, 3)}
"""For winning more parts than losing, and in place of that for winning all three."""


def make(**given: Any) -> Game:
    """Chinese Poker as a `Game`.

    Args:
        **given: `rules` (`4-2` or `1-6`, the points for two and for three parts won), `players` (2
            to 4), `substeps` (back and front as separate actions), and `fouls`, `royalties` and
            `naturals`, True or False.

    Raises:
        InputError: An unknown option, or a value that it cannot take.
    """
    options = options_of("chinese_poker", {name: {} for name in EXTRA_POINTS}, DEFAULTS, given)
    players = options["players"]
    if type(players) is not int or not 2 <= players <= SEATS:
        raise InputError(f"players are 2 to {SEATS}, not {players!r}")
    flags = {}
    for name in ("substeps", "fouls", "royalties", "naturals"):
        if not isinstance(options[name], bool):
            raise InputError(f"{name} is True or False, not {options[name]!r}")
        flags[name] = options[name]
    substeps = flags.pop("substeps")
    rules = Rules(build(), players, *EXTRA_POINTS[options["rules"]], **flags)
    notation = SubstepNotation(rules) if substeps else Notation(rules)
    return Game(
        name="chinese_poker",
        options=options,
        rules=factored.Rules(rules) if substeps else rules,
        dtype=STATE,
        num_players=players,
        num_actions=factored.ACTIONS if substeps else ARRANGEMENTS,
        shapes=shapes(players),
        roles=("first", "second", "third", "fourth")[:players],
        sides=tuple(range(players)),
        simultaneous=True,
        text=notation.text,
        parse=notation.parse,
        say=notation.say,
        read=notation.read,
        deal_text=notation.deal_text,
        parse_deal=notation.parse_deal,
        scene=notation.scene,
    )
