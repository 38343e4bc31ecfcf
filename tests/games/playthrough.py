"""Golden playthroughs, in the style of OpenSpiel's: whole games as text files.

A drift of rules, ids, planes, deals or payoffs shows as a diff of a file that people can read.
There is one for each game, for each value of each option that changes play, and for each situation
that is worth keeping. A situation is found by trying seeds, or begins with a given deal and given
actions; what makes it one is a function, which the test calls again.

`PYTHONPATH=tests python -m games.playthrough --write [NAME …]` in the folder `tests` writes the
files, for a change that is meant.
"""

import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from support import DATA

from closedhand import GAMES, Game, make_game
from closedhand.core.game import State

FOLDER = DATA / "playthroughs"
SEEDS = 4000
"""Seeds to try."""
LISTED = 8
"""Legal actions that are listed at a step; the digest is of all."""
AROUND = 3
"""Steps before and after the one of interest at which the table is drawn."""


class Step(NamedTuple):
    """A position and what was played in it."""

    state: State
    action: int


Occurs = Callable[[Game, list[Step], State], int]
"""`occurs(game, steps, end)`: the step at which the situation occurs; -1 if it does not."""


@dataclass(frozen=True)
class Playthrough:
    """What is played.

    Attributes:
        name: Name of the file.
        game: Name of the game.
        options: Its options.
        occurs: What has to occur.
        deal: Deal to begin with; by default that of the seed.
        moves: First actions; the others are random.
        games: Number of games.
    """

    name: str
    game: str
    options: dict[str, Any] = field(default_factory=dict)
    occurs: Occurs = lambda game, steps, end: 0
    deal: str | None = None
    moves: str = ""
    games: int = 1


def course(what: Playthrough, game: Game, rng: np.random.Generator) -> tuple[list[Step], State]:
    """The steps of a game, and the state that it ends in."""
    state = game.deal(rng) if what.deal is None else game.parse_deal(what.deal)
    moves = what.moves.split()
    steps: list[Step] = []
    while not game.over(state):
        if moves:
            action = game.parse(moves.pop(0), state)
        else:
            legal = game.legal(state)
            action = int(legal[int(rng.random() * len(legal))])
        steps.append(Step(state.copy(), action))
        game.play(state, action)
    return steps, state


def draw(game: Game, state: State) -> list[str]:
    """The table and what every player sees of it, as digests."""
    seen = [digest(game, state, player) for player in range(game.num_players)]
    return [*(f"  | {line}" for line in game.board(state).splitlines()), f"  = {' '.join(seen)}"]


def digest(game: Game, state: State, player: int) -> str:
    """A sum of the planes of a player."""
    parts = game.observe(state, player).values()
    return f"{zlib.crc32(b''.join(part.tobytes() for part in parts)):08x}"


def describe(game: Game, step: Step) -> str:
    """Who acts, how, out of which actions, and a sum of what the player sees."""
    state, action = step
    legal = game.legal(state)
    player = int(state.player)
    names = [game.text(int(each), state) for each in legal[:LISTED]]
    more = f" … {zlib.crc32(legal.astype('<i4').tobytes()):08x}" if len(legal) > LISTED else ""
    return (
        f"player_{player} {game.text(action, state)} ({action}) of {len(legal)}: "
        f"{' '.join(names)}{more}; sees {digest(game, state, player)}"
    )


def transcript(what: Playthrough, seed: int) -> str:
    """The text of a playthrough.

    Raises:
        AssertionError: The situation does not occur.
    """
    game = make_game(what.game, **what.options)
    rng = np.random.default_rng(seed)
    stated = {name: game.options[name] for name in what.options}
    lines = [f"{what.game} {stated}: {game.num_actions} actions", f"seed {seed}"]
    for _ in range(what.games):
        steps, end = course(what, game, rng)
        place = what.occurs(game, steps, end)
        assert place >= 0, f"{what.name} does not occur"
        start = steps[0].state
        lines += [f"deal {game.deal_text(start)}", *draw(game, start)]
        for i, step in enumerate(steps):
            if i and abs(i - place) <= AROUND and what.games == 1:
                lines += draw(game, step.state)
            lines.append(f"{i} {describe(game, step)}")
            if game.staged and i:
                grown = game.returns(step.state) - game.returns(steps[i - 1].state)
                lines += [f"  paid {grown.tolist()}"] * bool(grown.any())
        lines += [*draw(game, end), f"returns {game.returns(end).tolist()}"]
    return "\n".join(lines) + "\n"


def find(what: Playthrough) -> int:
    """The first seed with which the situation occurs in all its games.

    Raises:
        AssertionError: It occurs with none.
    """
    game = make_game(what.game, **what.options)
    for seed in range(31, 31 + SEEDS):
        rng = np.random.default_rng(seed)
        if all(what.occurs(game, *course(what, game, rng)) >= 0 for _ in range(what.games)):
            return seed
    raise AssertionError(f"{what.name} does not occur")


def seed_of(what: Playthrough) -> int:
    """The seed that the file of a playthrough states."""
    return int((FOLDER / f"{what.name}.txt").read_text().splitlines()[1].removeprefix("seed "))


# What occurs


def changes(name: str, usual: dict[str, Any]) -> Occurs:
    """The options change how a deal starts, what is legal, what an action does or what is paid."""

    def occurs(game: Game, steps: list[Step], end: State) -> int:
        other = make_game(name, **usual)
        if (game.num_actions, game.sides, game.rounds) != (
            other.num_actions, other.sides, other.rounds,
        ):  # fmt: skip
            return 0
        start = steps[0].state
        if other.parse_deal(game.deal_text(start)).tobytes() != start.tobytes():
            return 0
        for i, (state, action) in enumerate(steps):
            if game.legal(state).tolist() != other.legal(state).tolist():
                return i
            one, two = state.copy(), state.copy()
            game.play(one, action)
            other.play(two, action)
            paid = [each.returns(after).tolist() for each, after in ((game, one), (other, two))]
            if one.tobytes() != two.tobytes() or paid[0] != paid[1]:
                return i
        return -1

    return occurs


def plays(text: str, over: str = "") -> Occurs:
    """An action is played, over another one on the table if that is named."""

    def occurs(game: Game, steps: list[Step], end: State) -> int:
        for i, (state, action) in enumerate(steps):
            target = game.text(int(state.target)) if over and state.target >= 0 else ""
            if game.text(action, state) == text and target == over:
                return i
        return -1

    return occurs


def two_bombs(game: Game, steps: list[Step], end: State) -> int:
    """A second bomb, or the rocket after a bomb."""
    return next((i - 1 for i, step in enumerate(steps) if step.state.bombs == 2), -1)


def says(word: str, times: int) -> Occurs:
    """A word is said so often."""

    def occurs(game: Game, steps: list[Step], end: State) -> int:
        said = [i for i, step in enumerate(steps) if game.text(step.action) == word]
        return said[-1] if len(said) == times else -1

    return occurs


def all_words(game: Game, steps: list[Step], end: State) -> int:
    """All three rob, all three double, and the landlord shows all cards."""
    wanted = ((3, "ROB"), (3, "DOUBLE"), (1, "SHOW"))
    return min(says(word, times)(game, steps, end) for times, word in wanted)


def dealt_again(game: Game, steps: list[Step], end: State) -> int:
    """All players pass in the auction, and other cards are dealt."""
    deals = [game.deal_text(step.state) for step in steps[:4]]
    return 2 if len(set(deals[:3])) == 1 and deals[3] != deals[0] else -1


def revolution_in_a_lock(game: Game, steps: list[Step], end: State) -> int:
    """A play that turns the order of the ranks follows under a lock."""
    for i, (state, action) in enumerate(steps):
        if state.leader >= 0 and state.lock and game.rules.plays.revolts[action]:
            return i
    return -1


def joker_in_kaidan(game: Game, steps: list[Step], end: State) -> int:
    """A kaidan is played whose joker stands beyond the ranks."""
    return next((i for i, step in enumerate(steps) if "_" in game.text(step.action)), -1)


def jack_back_and_fall(game: Game, steps: list[Step], end: State) -> int:
    """A jack turns the order of the ranks, and the daifugo falls."""
    if end.places[end.classes == 0][0] != 4 or not (end.left > 0).sum() > 1:
        return -1
    boards = (game.board(step.state) for step in steps)
    return next((i for i, board in enumerate(boards) if "jack back" in board), -1)


def gives_and_discards(game: Game, steps: list[Step], end: State) -> int:
    """A card is given after a seven, and others are discarded after several tens."""
    given = [i for i, step in enumerate(steps) if step.state.due and step.state.shown.any()]
    return given[0] if given and max(step.state.due for step in steps) > 1 else -1


def joins_jokers(game: Game, steps: list[Step], end: State) -> int:
    """Both jokers are played together, standing for cards."""
    made = [(i, game.text(step.action)) for i, step in enumerate(steps)]
    return next((i for i, text in made if text.count("*") == 2 and text != "**"), -1)


def gives_a_joker(game: Game, steps: list[Step], end: State) -> int:
    """A joker is given after a seven, and its taker holds the other one."""
    for i, step in enumerate(steps):
        taken = [int(step.state.hands[p]) >> 52 == 3 and int(step.state.shown[p]) >> 52 == 1
                 for p in range(4)]  # fmt: skip
        if any(taken):
            return i
    return -1


def ends_by_passes(game: Game, steps: list[Step], end: State) -> int:
    """So many passes in a row that the rest is ranked by lot."""
    return len(steps) - 1 if end.passes >= game.options["pass_limit"] else -1


def two_exchanges(game: Game, steps: list[Step], end: State) -> int:
    """Cards are exchanged as the match begins, and again in a later round."""
    rounds = {int(step.state.round_number) for step in steps if step.state.leader < 0}
    later = (i for i, step in enumerate(steps) if step.state.leader < 0 < step.state.round_number)
    return next(later) if len(rounds) > 1 else -1


def overplays(game: Game, steps: list[Step], end: State) -> int:
    """The owner of a trick plays over its own cards."""
    for i, (state, action) in enumerate(steps):
        if state.target >= 0 and state.owner == state.player and game.text(action) != "PASS":
            return i
    return -1


def kickers(game: Game, steps: list[Step], end: State) -> int:
    """A play is put together from a main group and two kickers."""
    for i in range(2, len(steps)):
        if steps[i].state.moves == steps[i - 2].state.moves:
            return i
    return -1


def sets_a_foul(game: Game, steps: list[Step], end: State) -> int:
    """A board out of order is set."""
    ordered = make_game(game.name, **{**game.options, "fouls": False})
    for i, (state, action) in enumerate(steps):
        if action not in ordered.legal(state):
            return i
    return -1


# Situations

SPRING = "3333456789TJQKA22;44455566677788899;9TTTJJJQQQKKKAAA2;2SB"
ANTI_SPRING = "3456789TJQKA3456B;3456789TJQKA78922;3456789TJQKATJQKA;22S"
REVOLUTION = (
    "01234;-;3d5c5d5h5s7c8c9cTcJcQc;4c4d4h4s7d8d9dTdJdQdKd;6c6d6h6s7h8h9hThJhQhKh;"
    "3c3h3s7s8s9sTsJsQsKs;KcAcAdAhAs2c2d2h2s*"
)
TWO = {"rules": "two_players"}
EVERYTHING = {"players": 4, "rules": "1-6", "fouls": True, "royalties": True, "naturals": True}


def usual(name: str, options: dict[str, Any], *without: str) -> Occurs:
    """These options change play against those without some of them."""
    return changes(name, {key: options[key] for key in options if key not in without})


def situations() -> Iterator[Playthrough]:
    """Whole games of each kind, and situations that are worth keeping."""
    yield Playthrough("doudizhu", "doudizhu")
    yield Playthrough("doudizhu-substeps", "doudizhu", {"substeps": True}, kickers)
    yield Playthrough("doudizhu-rlcard", "doudizhu", {"rules": "rlcard", "spring": True})
    yield Playthrough("doudizhu-openspiel", "doudizhu", {"rules": "openspiel"})
    yield Playthrough("doudizhu-tiny-substeps", "doudizhu", {"rules": "tiny", "substeps": True})
    yield Playthrough("doudizhu-two-bombs", "doudizhu", {}, two_bombs)
    yield Playthrough(
        "doudizhu-dealt-again", "doudizhu", {"bidding": True}, dealt_again, moves="PASS " * 3
    )
    spring = {"spring": True}
    yield Playthrough(
        "doudizhu-spring", "doudizhu", spring, usual("doudizhu", spring, "spring"), SPRING,
        "3333 PASS PASS SB PASS PASS 456789TJQKA PASS PASS 222",
    )  # fmt: skip
    yield Playthrough(
        "doudizhu-anti-spring", "doudizhu", spring, usual("doudizhu", spring, "spring"),
        ANTI_SPRING,
        "3 4 PASS PASS 56789TJQKA PASS PASS 22 PASS PASS 3 PASS PASS 7 PASS PASS 8 PASS PASS 9",
    )  # fmt: skip
    words = {"bidding": True, "robbing": True, "doubling": True, "open_hand": True}
    yield Playthrough("doudizhu-words", "doudizhu", words, all_words)
    yield Playthrough("doudizhu-two-players", "doudizhu", {**TWO, "doubling": True}, says("ROB", 4))
    yield Playthrough("doudizhu-two-players-substeps", "doudizhu", {**TWO, "substeps": True})
    yield Playthrough("daihinmin", "daihinmin", {"classes": "random"})
    yield Playthrough(
        "daihinmin-card-sets", "daihinmin", {"classes": "random", "actions": "card_sets"}
    )
    yield Playthrough(
        "daihinmin-match", "daihinmin", {"rounds": 3, "classes": "random"}, two_exchanges
    )
    yield Playthrough(
        "daihinmin-revolution-in-a-lock", "daihinmin", {}, revolution_in_a_lock, REVOLUTION,
        "5c5d5h5s 4c4d4h4s 6c6d6h6s",
    )  # fmt: skip
    yield Playthrough("daihinmin-joker-and-3s", "daihinmin", {}, plays("3s", over="*"))
    yield Playthrough("daihinmin-joker-at-an-edge", "daihinmin", {}, joker_in_kaidan)
    yield Playthrough("daihinmin-overplay", "daihinmin", {}, overplays)
    yield Playthrough("daihinmin-passes", "daihinmin", {"pass_limit": 6}, ends_by_passes)
    yield Playthrough(
        "daihinmin-illegal-pass", "daihinmin", {"lead_pass": False}, plays("PASS"), moves="PASS"
    )
    house = {"jack_back": True, "five_skip": True, "six_reverse": True, "capital_fall": True}
    yield Playthrough(
        "daihinmin-house", "daihinmin", {"classes": "random", **house}, jack_back_and_fall
    )
    gifts = {"seven_give": True, "ten_discard": True}
    yield Playthrough("daihinmin-gifts", "daihinmin", gifts, gives_and_discards)
    for players in (3, 4, 6):
        options = {"players": players, "classes": "random"}
        yield Playthrough(f"daihinmin-{players}-players", "daihinmin", options)
    yield Playthrough("daihinmin-two-jokers", "daihinmin", {"jokers": 2}, joins_jokers)
    gives = {"jokers": 2, "players": 4, "classes": "random", "seven_give": True}
    yield Playthrough("daihinmin-two-jokers-given", "daihinmin", gives, gives_a_joker)
    for name in ("uh_leduc", "leduc"):
        yield Playthrough(name, name, games=12)
    yield Playthrough("uh_leduc-card", "uh_leduc", {"pair": "card"}, games=12)
    yield Playthrough("chinese_poker", "chinese_poker", games=4)
    yield Playthrough("chinese_poker-substeps", "chinese_poker", {"substeps": True}, games=3)
    yield Playthrough("chinese_poker-everything", "chinese_poker", EVERYTHING)
    yield Playthrough("chinese_poker-foul", "chinese_poker", {"fouls": True}, sets_a_foul)
    for option in ("royalties", "naturals"):
        options = {**EVERYTHING, "players": 3, "fouls": False}
        yield Playthrough(
            f"chinese_poker-{option}", "chinese_poker", options,
            usual("chinese_poker", options, option),
        )  # fmt: skip


VALUES: dict[tuple[str, str], tuple[Any, ...]] = {
    ("doudizhu", "base"): (1, 7),
    ("doudizhu", "passed_deals"): (1,),
    ("chinese_poker", "players"): (3, 4),
    ("daihinmin", "rounds"): (2,),
    ("daihinmin", "pass_limit"): (6,),
    ("daihinmin", "seat_period"): (1,),
    ("daihinmin", "class_period"): (1,),
}
"""Values of the options that are numbers."""

WITH: dict[str, dict[str, Any]] = {
    "seat_period": {"rounds": 2, "classes": "random"},
    "class_period": {"rounds": 2, "classes": "random"},
    "exchange": {"classes": "random"},
    "robbing": {"bidding": True},
    "passed_deals": {"bidding": True},
    "capital_fall": {"classes": "random"},
}
"""Options without which others change nothing."""

ELSEWHERE = {"spring": "doudizhu-anti-spring", "naturals": "chinese_poker-naturals"}
"""Options whose change of play is too rare to be found in play by chance, and where it is shown."""


OTHER_DECKS = ("mini", "tiny", "two_players")
"""Presets whose deals are none of the usual game, which they cannot be compared with."""


def of_options() -> Iterator[Playthrough]:
    """A playthrough for each value of each option, in which it changes play."""
    for name, spec in GAMES.items():
        if name == "leduc":
            continue  # the options of its family are those of uh_leduc
        for option in spec.option_table:
            values = option.choices or VALUES.get((name, option.name), ())
            if isinstance(option.default, bool):
                values = (not option.default,)
            for value in values:
                if value == option.default or option.name in {*ELSEWHERE, *spec.options}:
                    continue
                if value in OTHER_DECKS:
                    yield Playthrough(f"{name}-{option.name}={value}", name, {option.name: value})
                    continue
                options = {**WITH.get(option.name, {}), option.name: value}
                shown = str(value).lower()
                yield Playthrough(
                    f"{name}-{option.name}={shown}", name, options,
                    changes(name, WITH.get(option.name, {})),
                )  # fmt: skip


PLAYTHROUGHS = {what.name: what for what in (*situations(), *of_options())}


def main(arguments: list[str]) -> None:
    """Write the files of the named playthroughs, or of all."""
    if arguments[:1] != ["--write"]:
        raise SystemExit(__doc__)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in arguments[1:] or PLAYTHROUGHS:
        what = PLAYTHROUGHS[name]
        seed = find(what)
        (FOLDER / f"{name}.txt").write_text(transcript(what, seed))
        print(name, "seed", seed)
    if not arguments[1:]:
        for path in FOLDER.glob("*.txt"):
            if path.stem not in PLAYTHROUGHS:
                path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
