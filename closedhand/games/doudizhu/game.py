"""Dou Dizhu as a `Game`: its options, and the functions of the contract in one place."""

from dataclasses import replace
from typing import Any

import numpy as np

from closedhand.core.game import Game, InputError
from closedhand.core.options import Option, Options, takes
from closedhand.core.statistics import wins
from closedhand.games.doudizhu import substeps
from closedhand.games.doudizhu.auction import MOST_OF_THREE, MOST_OF_TWO
from closedhand.games.doudizhu.counts import pack
from closedhand.games.doudizhu.features import KICKERS, features, table
from closedhand.games.doudizhu.hidden import hide, redeal
from closedhand.games.doudizhu.notation import DOUBLE, SHOW, Notation, SubstepNotation, words_of
from closedhand.games.doudizhu.planes import observe, shapes
from closedhand.games.doudizhu.plays import PRESETS, build
from closedhand.games.doudizhu.rules import deal, deals, is_legal, legal, over, play, returns
from closedhand.games.doudizhu.state import LONGEST, MOST_BOMBS, OPTIONS_TYPE, SEATS, STATE, Rules
from closedhand.games.doudizhu.validity import valid
from closedhand.games.doudizhu.views import knowledge, view_from

__all__ = [
    "deal", "deals", "features", "hide", "is_legal", "knowledge", "legal", "make_game", "observe",
    "over", "play", "redeal", "returns", "valid", "view_from",
]  # fmt: skip

OPTIONS = Options(
    "doudizhu",
    Option("rules", "deeprocket", "the preset, which decides the kickers and the deal; bidding is "
           "on in `openspiel`, with spring in `botzone`, and with robbing in `two_players`",
           choices=tuple(PRESETS)),
    Option("substeps", False, "main group and kickers are separate actions"),
    Option("bidding", False, "an auction decides the landlord"),
    Option("robbing", False, "the auction is by calling and robbing (jiao dizhu, qiang dizhu), not "
           "by bids; it needs bidding"),
    Option("passed_deals", None, "number of deals after which the game ends with 0 for everybody "
           "if all pass in each, 3 if none; 0: as many as it takes, and `max_moves` counts from "
           "the last one; it needs bidding. With the bids of `botzone` no deal is passed: if all "
           "pass, the first seat is the landlord, for nothing", kind=int, least=0, most=1000),
    Option("doubling", False, "every player may double before the landlord leads (jiabei)"),
    Option("open_hand", False, "the landlord may show all cards before leading, which doubles the "
           "stake (mingpai)"),
    Option("spring", False, "a spring or an anti-spring doubles the score"),
    Option("objective", "score", "payoffs are points, doubled by bombs, or 1 for each "
           "winner and -1 for each loser",
           choices=("score", "win")),
    Option("base", None, "the stake without bids, 3 if none", kind=int, least=1, most=99),
    presets={
        name: {"bidding": preset.bidding, **{
            option: True for option in ("robbing", "spring") if getattr(preset, option)}}
        for name, preset in PRESETS.items()
    },
)  # fmt: skip

ROLES = {2: ("landlord", "peasant"), 3: ("landlord", "peasants", "peasants")}
AUCTION_ROLES = ("first", "second", "third")


@takes(OPTIONS)
def make_game(**given: Any) -> Game:
    """Make Dou Dizhu as a `Game` from options of `OPTIONS`.

    Raises:
        InputError: An unknown option, an invalid value, or options that exclude each other.
    """
    options = OPTIONS.complete(given)
    base, bidding, robbing = options["base"], options["bidding"], options["robbing"]
    passes = options["passed_deals"]
    preset = PRESETS[options["rules"]]
    forced = preset.forced and bidding and not robbing
    if passes is not None and not bidding:
        raise InputError("passed_deals counts auctions: it needs bidding")
    if passes is not None and forced:
        raise InputError("passed_deals: under rules=botzone the first seat plays if all pass")
    if options["substeps"] and preset.shuttles:
        raise InputError("substeps have no main groups for shuttles: not with rules=botzone")
    passes = (1 if forced else 3 if passes is None else passes) if bidding else 0
    if robbing and not bidding:
        raise InputError("robbing is a kind of auction: it needs bidding")
    if base is not None and bidding and not robbing:
        raise InputError("base is for games without bidding: there the winning bid is the stake")
    plays = build(options["rules"])
    words = words_of(options)
    deck = preset.deck
    numbers = np.zeros(1, OPTIONS_TYPE)[0]
    numbers.bidding, numbers.robbing, numbers.spring = bidding, robbing, options["spring"]
    numbers.passed_deals, numbers.forced = passes, forced
    numbers.double_word = 1 + words.index(DOUBLE) if DOUBLE in words else 0
    numbers.show_word = 1 + words.index(SHOW) if SHOW in words else 0
    numbers.win, numbers.stake = options["objective"] == "win", base or 3
    numbers.players, numbers.hand = deck.players, deck.hand
    numbers.aside, numbers.public = deck.aside, deck.public
    numbers.deck = pack(deck.cards)
    rules = Rules(plays, numbers)
    most = most_points(rules)
    number = deck.players
    # Each deal before the last takes a pass of every player.
    longest = LONGEST + max(0, passes - 1) * number
    flat = Game(
        name="doudizhu",
        options={**options, "substeps": False},
        rules=rules,
        dtype=STATE,
        num_players=number,
        num_actions=int(plays.number) + len(words),
        shapes=shapes(rules),
        # With an auction, the seats have no roles until it is over.
        roles=(AUCTION_ROLES if bidding else ROLES[number])[:number],
        sides=((0, 1, 2) if bidding else (0, 1, 1))[:number],
        notation=Notation(rules, options["rules"], words),
        payoff_range=(-most, most),
        max_moves=longest,
        feature_table=table(rules),
        payoff_sum=None if rules.options.win and number > 2 else 0.0,
        substep_options={} if preset.shuttles else {"substeps": True},
    )
    return in_substeps(flat) if options["substeps"] else flat


def in_substeps(flat: Game) -> Game:
    """Return a game in sub-steps from one without them; shuttles are left out."""
    rules = flat.rules
    words = words_of(flat.options)
    return replace(
        flat,
        options={**flat.options, "substeps": True},
        rules=substeps.Rules(rules),
        num_actions=substeps.ACTIONS + len(words),
        shapes=substeps.SHAPES | shapes(rules),
        feature_table=table(rules, KICKERS),
        notation=SubstepNotation(rules, flat.options["rules"], words),
        max_moves=flat.max_moves + substeps.MOST_KICKERS,
        flat_form=flat,
        substep_options={},
    )


def most_points(rules: Rules) -> float:
    """Bound the landlord's payoff: every rank a bomb, the rocket, and all doublings at once."""
    options = rules.options
    if options.win:
        return 1.0
    # `stake` is 3 unless `base` is given, and 3 is also the greatest bid.
    times = MOST_BOMBS + 2 * bool(options.double_word)
    times += bool(options.spring) + bool(options.show_word)
    if options.robbing:
        times += MOST_OF_THREE if options.players == SEATS else MOST_OF_TWO
    return (int(options.players) - 1) * int(options.stake) * 2.0**times


def winning_percentage(game: Game, points: np.ndarray) -> np.ndarray:
    """Rate results for WP, the winning percentage: 1 a win, 0 a loss, 1/2 a payoff of 0.

    `points`, also in `average_difference`: payoffs summed by side, float64 [deals, sides].
    """
    return wins(points)


def average_difference(game: Game, points: np.ndarray) -> np.ndarray | None:
    """Scale each result for ADP, the average difference in points, as DouZero's evaluation does.

    Payoffs are divided by the stake: before doublings the landlord wins or loses 1 a peasant, and
    the peasants the same together. None if payoffs are not points, or there is an auction.
    """
    rules = game.flat.rules
    return None if rules.options.win or rules.options.bidding else points / rules.options.stake
