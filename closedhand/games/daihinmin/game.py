"""Daihinmin as a `Game`: its options, and the functions of the contract in one place."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from closedhand.core.game import Game, InputError
from closedhand.core.layout import record_type
from closedhand.core.options import Option, Options, takes
from closedhand.games.daihinmin import card_sets
from closedhand.games.daihinmin.features import features, table
from closedhand.games.daihinmin.hidden import hide, redeal
from closedhand.games.daihinmin.legality import admit, is_legal, legal
from closedhand.games.daihinmin.notation import Notation
from closedhand.games.daihinmin.planes import observe, shapes
from closedhand.games.daihinmin.plays import build
from closedhand.games.daihinmin.rules import deal, over, payoff, play, returns
from closedhand.games.daihinmin.state import FEWEST, LONGEST, MOST, MOST_PASSES, PLAYERS, Rules
from closedhand.games.daihinmin.validity import valid
from closedhand.games.daihinmin.views import knowledge, view_from

__all__ = [
    "admit", "deal", "features", "hide", "is_legal", "knowledge", "legal", "make_game", "observe",
    "over", "payoff", "play", "redeal", "returns", "valid", "view_from",
]  # fmt: skip

PRESETS: dict[str, dict[str, Any]] = {"uecda": {}, "paper": {"seat_period": 100}}
MOST_ROUNDS = 10**6

OPTIONS = Options(
    "daihinmin",
    Option("rules", "uecda", "those of the competition, or of the paper, in which seats change "
           "every 100 rounds", choices=tuple(PRESETS)),
    Option("actions", "plays", "the actions are all plays, 2,422, or one for each set of cards, "
           "1,952. Where the cards leave a choice, the joker then stands for the first suit in the "
           "order c d h s that makes or keeps a lock, or else for the first that is legal, and in "
           "a kaidan at its stronger end", choices=("plays", "card_sets"), only_form=True),
    Option("players", None, f"number of players, {PLAYERS} if it is not given. With three or four "
           "there are 184 plays, or 160 sets of cards, more; with three only daifugo and daihinmin "
           "exchange cards", kind=int, least=FEWEST, most=MOST),
    Option("jokers", None, "number of jokers, 1 if it is not given. With two, which may stand in "
           "one play, there are 5,291 plays more, or 6,419 with three or four players, and actions "
           "are plays", kind=int, least=1, most=2),
    Option("rounds", 1, "number of rounds in an episode", least=1, most=MOST_ROUNDS),
    Option("seat_period", 3, "number of rounds between shuffles of the seats; a match of several "
           "rounds also begins with one", least=1, most=10**6),
    Option("class_period", 100, "number of rounds between resets of the classes; the round after a "
           "reset has no classes and no exchange", least=1, most=10**6),
    Option("pass_limit", MOST_PASSES, "number of consecutive passes that end the round; more than "
           "there are players", least=PLAYERS + 1, most=MOST_PASSES),
    Option("classes", "none", "the first round has no classes, or they are drawn by lot, so that "
           "cards are exchanged", choices=("none", "random")),
    Option("illegal", "pass", "an illegal action counts as a pass, even for a leader who may not "
           "pass, and in the exchange as the best card; or it is refused",
           choices=("pass", "error")),
    Option("exchange", True, "cards are exchanged in rounds with classes"),
    Option("kaidan", True, "runs of one suit may be played"),
    Option("joker_edges", True, "the joker may stand below the 3 and above the 2"),
    Option("revolution", True, "four of a kind, or a long kaidan, turns the order of the ranks"),
    Option("eight_stop", True, "a play with an 8 ends the trick"),
    Option("lock", True, "two plays of the same suits bind those that follow to them"),
    Option("joker_unlocks", True, "a lone joker lifts the lock"),
    Option("spade_three", True, "3s beats the lone joker"),
    Option("overplay", True, "the owner of a trick may play again when all others have passed"),
    Option("lead_pass", True, "a leader may pass"),
    Option("jack_back", False, "a play with a J turns the order of the ranks until the trick ends"),
    Option("five_skip", False, "every 5 that is played skips a player"),
    Option("six_reverse", False, "a play with a 6 reverses the order of play"),
    Option("capital_fall", False, "a daifugo who is not the first one out becomes the daihinmin at "
           "once (miyako-ochi)"),
    Option("forbidden_finish", False, "a player whose last play has a joker, an 8, or the highest "
           "rank in the order before it (a 2, in a revolution a 3) gets the last place that is "
           "left (kinshi-agari)"),
    Option("number_lock", False, "after two plays of adjacent ranks in a trick only the next rank "
           "may follow (su-shibari); not with seven_give or ten_discard"),
    Option("seven_give", False, "after a group of 7s as many cards may be given to the next "
           "player, face up"),
    Option("ten_discard", False, "after a group of 10s as many cards may be discarded, face up"),
    presets=PRESETS,
)  # fmt: skip

OPTIONS_TYPE = record_type(
    [
        *((option.name, "i4") for option in OPTIONS if not option.choices),
        ("ranked", "i4"),  # whether the first round has classes
        ("illegal_pass", "i4"),  # whether an illegal action counts as a pass
    ]
)


@takes(OPTIONS)
def make_game(**given: Any) -> Game:
    """Make Daihinmin as a `Game` from options of `OPTIONS`.

    Raises:
        InputError: An unknown option, an invalid value, or options that exclude each other.
    """
    options = OPTIONS.complete(given)
    players, limit = options["players"] or PLAYERS, options["pass_limit"]
    if limit <= players:
        raise InputError(f"pass_limit is {players + 1} to {MOST_PASSES} for {players} players")
    jokers = options["jokers"] or 1
    if jokers > 1 and options["actions"] != "plays":
        raise InputError("sets of cards do not say what two jokers stand for: leave out jokers=2")
    if options["number_lock"] and (options["seven_give"] or options["ten_discard"]):
        raise InputError("number_lock is not played with seven_give or ten_discard: leave one out")
    numbers = np.zeros(1, OPTIONS_TYPE)[0]
    numbers.ranked = options["classes"] == "random"
    numbers.illegal_pass = options["illegal"] == "pass"
    for name, value in {**options, "players": players, "jokers": jokers}.items():
        if not OPTIONS[name].choices:
            numbers[name] = value
    flat = Rules(build(players, jokers), numbers)
    rounds = options["rounds"]
    whole = Game(
        name="daihinmin",
        options={**options, "actions": "plays"},
        rules=flat,
        dtype=flat.state_type,
        num_players=players,
        num_actions=len(flat.plays.need),
        shapes=shapes(flat),
        roles=("player",) * players,
        sides=tuple(range(players)),
        lenient=options["illegal"] == "pass",
        staged=rounds > 1,
        rounds=rounds,
        notation=Notation(flat),
        payoff_range=(rounds, players * rounds),
        max_moves=LONGEST * rounds,
        payoff_sum=rounds * players * (players + 1) / 2,
        feature_table=table(flat),
    )
    if options["actions"] == "plays":
        return whole
    tables = card_sets.build(players)
    return replace(
        whole,
        options=options,
        rules=card_sets.Rules(flat, tables),
        num_actions=len(tables.readings),
        notation=Notation(flat, sets=True),
        flat_form=whole,
    )


def league_options(options: Mapping[str, Any], rounds: int, duplicate: bool) -> dict[str, Any]:
    """Return the options of a league of `rounds` rounds; those in `options` take precedence.

    A deal is a match of `class_period` rounds, at whose end classes are reset, or of all `rounds`
    if these are fewer. In a duplicate league a deal is one round with random classes: all agents
    then get the same cards and classes at a seat.
    """
    options = OPTIONS.read(options)
    usual: dict[str, Any] = {"rounds": min(rounds, make_game(**options).options["class_period"])}
    if duplicate:
        usual = {"rounds": 1}
        if options.get("rounds", 1) == 1:
            usual["classes"] = "random"
    return {**usual, **options}
