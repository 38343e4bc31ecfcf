"""Checks of copies: games survive pickles, and states survive bytes."""

import pickle

from closedhand.core.game import Game
from closedhand.core.registry import make_game
from closedhand.testing.expectations import expect, same
from closedhand.testing.walk import Walk


def check_pickle(game: Game) -> None:
    """Check that a pickle is the same game."""
    for make in (
        # Pickling refuses a game that its name and options do not make, without showing values: so
        # compare that game first.
        lambda: make_game(game.name, **game.options),
        lambda: pickle.loads(pickle.dumps(game)),
    ):
        twin = make()
        for key in ("name", "options", "dtype", "num_players", "num_actions", "shapes", "roles",
                    "sides", "payoff_range", "max_moves", "payoff_sum", "simultaneous", "lenient",
                    "staged", "rounds", "layout"):  # fmt: skip
            ours, theirs = getattr(game, key), getattr(twin, key)
            expect(ours == theirs, "a pickle has {} {}, not {}", key, theirs, ours)
        expect(type(game.rules).__name__ == type(twin.rules).__name__,
                "a pickle has other rules, {}", type(twin.rules).__name__)  # fmt: skip


def check_save(walk: Walk) -> None:
    """Check that a state survives bytes."""
    twin = walk.game.load(walk.game.save(walk.state))
    same(walk.game, walk.state, twin, "a state is the same after it was saved and loaded")
