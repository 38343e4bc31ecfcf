"""Perft tables: how many sequences of legal actions there are, from positions of every game.

A position is a deal and the actions that lead to it. The number of sequences of each length is a
sum over everything that legality depends on: hardly any fault of the rules leaves it unchanged.
`tests/reference`, which shares nothing with the package, counts the shorter ones again.

`PYTHONPATH=. python -m games.perft --write` in the folder `tests` counts anew, for a change that is
meant, and adds positions for games that have none.
"""

import json
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from reference import daihinmin, doudizhu, leduc
from support import DATA
from support_daihinmin import cards_of
from support_doudizhu import as_tuple

from closedhand import Game, make_game
from closedhand.core.game import State

PATH = DATA / "perft.json"
LEAVES = 2500
"""Most sequences that are counted of one length; the first length is always counted."""
POSITIONS = 30
LATEST = 40
"""Most actions that lead to a position."""
COUNTED_SLOWLY = 40
"""Most positions in which a reference lists the legal actions, for each perft."""

HOUSE = ("jack_back", "five_skip", "six_reverse", "capital_fall")
GIFTS = ("seven_give", "ten_discard")
COMPETITION = ("forbidden_finish", "number_lock")

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "doudizhu": ("doudizhu", {}),
    "doudizhu-rlcard": ("doudizhu", {"rules": "rlcard"}),
    "doudizhu-openspiel": ("doudizhu", {"rules": "openspiel", "bidding": False}),
    "doudizhu-douzero": ("doudizhu", {"rules": "douzero"}),
    "doudizhu-botzone": ("doudizhu", {"rules": "botzone"}),
    "doudizhu-mini": ("doudizhu", {"rules": "mini"}),
    "doudizhu-tiny": ("doudizhu", {"rules": "tiny"}),
    "doudizhu-words": (
        "doudizhu", {"bidding": True, "robbing": True, "doubling": True, "open_hand": True},
    ),
    "doudizhu-two-players": ("doudizhu", {"rules": "two_players", "doubling": True}),
    "doudizhu-substeps": ("doudizhu", {"substeps": True, "bidding": True}),
    "daihinmin": ("daihinmin", {"illegal": "error"}),
    "daihinmin-exchange": ("daihinmin", {"illegal": "error", "classes": "random"}),
    "daihinmin-card-sets": ("daihinmin", {"illegal": "error", "actions": "card_sets"}),
    "daihinmin-few-rules": (
        "daihinmin", {"illegal": "error", "kaidan": False, "lock": False, "overplay": False},
    ),
    "daihinmin-house": (
        "daihinmin", {"illegal": "error", "classes": "random", **dict.fromkeys(HOUSE, True)},
    ),
    "daihinmin-gifts": (
        "daihinmin", {"illegal": "error", "seven_give": True, "ten_discard": True},
    ),
    "daihinmin-competition-options": (
        "daihinmin", {"illegal": "error", **dict.fromkeys(COMPETITION, True)},
    ),
    "daihinmin-three-players": (
        "daihinmin", {"players": 3, "illegal": "error", "classes": "random"},
    ),
    "daihinmin-four-players": (
        "daihinmin", {"players": 4, "illegal": "error", "actions": "card_sets"},
    ),
    "daihinmin-six-players": (
        "daihinmin", {"players": 6, "illegal": "error", "classes": "random", "capital_fall": True},
    ),
    "daihinmin-two-jokers": (
        "daihinmin", {"jokers": 2, "illegal": "error", "classes": "random", "seven_give": True},
    ),
    "daihinmin-six-players-two-jokers": (
        "daihinmin", {"jokers": 2, "players": 6, "illegal": "error", "jack_back": True},
    ),
    "uh_leduc": ("uh_leduc", {}),
    "leduc": ("leduc", {}),
    "chinese_poker-substeps": ("chinese_poker", {"substeps": True}),
}  # fmt: skip


def perft(game: Game, state: State, depth: int) -> int:
    """Sequences of legal actions of a length, shorter where the game ends."""
    if depth == 0 or game.over(state):
        return 1
    if depth == 1:
        return len(game.legal(state))
    total = 0
    for action in game.legal(state):
        child = state.copy()
        game.play(child, int(action))
        total += perft(game, child, depth - 1)
    return total


def slow_perft(reference: Any, depth: int) -> int:
    """The same by a game of `tests/reference`."""
    if depth == 0 or reference.over():
        return 1
    total, copied = 0, pickle.dumps(reference)
    for action in reference.legal():
        child = pickle.loads(copied)  # quicker than copy.deepcopy
        child.play(action)
        total += slow_perft(child, depth - 1)
    return total


def position(game: Game, deal: str, moves: list[str]) -> State:
    """The position that the actions lead to."""
    state = game.parse_deal(deal)
    for move in moves:
        game.play(state, game.parse(move, state))
    return state


def start_doudizhu(game: Game, deal: str) -> Any:
    names = ("bidding", "robbing", "doubling", "open_hand")
    options = {name: game.options[name] for name in names}
    return doudizhu.Reference(deal, game.options["rules"], **options)


def start_daihinmin(game: Game, deal: str) -> Any:
    seats, classes, *hands = deal.split(";")
    names = ("kaidan", "lock", "overplay", *HOUSE, *GIFTS, *COMPETITION)
    known = {name: game.options[name] for name in names}
    known["jokers"] = game.options["jokers"] or 1
    given = None if classes == "-" else [int(each) for each in classes]
    return daihinmin.Reference([cards_of(hand) for hand in hands], [*map(int, seats)], given,
                               **known)  # fmt: skip


def start_leduc(game: Game, deal: str) -> Any:
    return leduc.Reference(deal, **game.options)


REFERENCES: dict[str, tuple[Callable[[Game, str], Any], Callable[[Game, str], Any]]] = {
    **dict.fromkeys(
        (
            "doudizhu",
            "doudizhu-rlcard",
            "doudizhu-openspiel",
            "doudizhu-douzero",
            "doudizhu-botzone",
            "doudizhu-mini",
            "doudizhu-tiny",
            "doudizhu-words",
            "doudizhu-two-players",
        ),
        (start_doudizhu, lambda game, move: as_tuple(game, game.parse(move))),
    ),
    **dict.fromkeys(
        (
            "daihinmin",
            "daihinmin-exchange",
            "daihinmin-few-rules",
            "daihinmin-house",
            "daihinmin-gifts",
            "daihinmin-competition-options",
            "daihinmin-three-players",
            "daihinmin-six-players",
            "daihinmin-two-jokers",
            "daihinmin-six-players-two-jokers",
        ),
        (start_daihinmin, lambda game, move: move),
    ),
    **dict.fromkeys(("uh_leduc", "leduc"), (start_leduc, lambda game, move: move)),
}
"""How the reference of a game starts from a deal, and how it writes an action."""


def reference_of(name: str, game: Game, deal: str, moves: list[str]) -> Any:
    """The position by the reference of the game."""
    start, write = REFERENCES[name]
    reference = start(game, deal)
    for move in moves:
        reference.play(write(game, move))
    return reference


def counts(game: Game, state: State, lengths: int) -> list[int]:
    """The numbers of sequences of 1, 2, … actions; of so many lengths, 0 for as is affordable."""
    if lengths:
        return [perft(game, state, 1 + i) for i in range(lengths)]
    found = [perft(game, state, 1)]
    # The next number is at least as large as the last, but where games end.
    while found[-1] * max(found[0], 2) <= 3 * LEAVES and len(found) < 8:
        number = perft(game, state, len(found) + 1)
        if number > LEAVES or number == found[-1]:
            break
        found.append(number)
    return found


def positions(game: Game) -> Iterator[tuple[str, str]]:
    """Deals, and the actions that lead from them to positions of random play."""
    rng = np.random.default_rng(17)
    number = 0
    while number < POSITIONS:
        state = game.deal(rng)
        deal, moves = game.deal_text(state), []
        for _ in range(int(rng.integers(LATEST)) if number % 3 else 0):
            action = int(rng.choice(game.legal(state)))
            moves.append(game.text(action, state))
            game.play(state, action)
            if game.over(state):
                break
        if not game.over(state) and game.deal_text(state) == deal:
            yield deal, " ".join(moves)
            number += 1


def tables(known: dict[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    """The perft tables: for each game positions, as deal, moves and numbers of sequences."""
    found: dict[str, list[list[Any]]] = {}
    for name, (game_name, options) in GAMES.items():
        game = make_game(game_name, **options)
        places = known.get(name, [[*place, []] for place in positions(game)])
        found[name] = [
            [deal, moves, counts(game, position(game, deal, moves.split()), len(numbers))]
            for deal, moves, numbers in places
        ]
    return found


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        raise SystemExit(__doc__)
    written = tables(json.loads(PATH.read_text()) if PATH.exists() else {})
    PATH.write_text(
        "{\n"
        + ",\n".join(
            f" {json.dumps(name)}: [\n"
            + ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
            + "\n ]"
            for name, rows in written.items()
        )
        + "\n}\n"
    )
    print({name: sum(sum(row[2]) for row in rows) for name, rows in written.items()})
