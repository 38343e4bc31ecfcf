"""Checks of copies: games and states survive pickles, copies and bytes."""

import copy
import pickle
from itertools import pairwise

from closedhand.core.game import Game
from closedhand.core.registry import make_game
from closedhand.testing.expectations import expect, refuses, same
from closedhand.testing.walk import Walk


def check_pickle(game: Game) -> None:
    """Check that pickles and deep copies are the same game."""
    for name, make in (
        # Pickling refuses a game that its name and options do not make, without showing values: so
        # compare that game first.
        ("pickle", lambda: make_game(game.name, **game.options)),
        ("pickle", lambda: pickle.loads(pickle.dumps(game))),
        ("deepcopy", lambda: copy.deepcopy(game)),
    ):
        twin = make()
        for key in ("name", "options", "dtype", "num_players", "num_actions", "shapes", "roles",
                    "sides", "payoff_range", "max_moves", "payoff_sum", "simultaneous", "lenient",
                    "staged", "rounds", "layout"):  # fmt: skip
            ours, theirs = getattr(game, key), getattr(twin, key)
            expect(ours == theirs, "a {} has {} {}, not {}", name, key, theirs, ours)
        expect(type(game.rules).__name__ == type(twin.rules).__name__,
                "a {} has other rules, {}", name, type(twin.rules).__name__)  # fmt: skip


def check_save(walk: Walk) -> None:
    """Check that states survive bytes, pickles and copies, and can be played on."""
    game, state = walk.game, walk.state
    action = None if game.over(state) else int(game.legal(state)[-1])
    # NumPy makes the fields of an unpickled record read-only for plain Python.
    pickled = pickle.loads(pickle.dumps(state)).copy()
    twins = [game.load(game.save(state)), pickled, copy.deepcopy(state)]
    for twin in twins:
        same(game, state, twin, "a state is the same after it was saved and loaded")
        if action is not None:
            game.play(twin, action)
    for one, other in pairwise(twins):
        same(game, one, other, "states that were saved go on alike")
    refuses(lambda: game.load(b"123"), "load of other bytes")
