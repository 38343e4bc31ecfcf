"""Playouts against games played by hand."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.core import contract
from closedhand.search import Uniform, playouts

# A small game and a large one: for each the kernels are compiled, which takes half a minute.
EACH = [("uh_leduc", -13, 13), ("daihinmin", 1, 5)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _, _ in EACH])
def test_playouts_bring_what_random_play_brings(name: str) -> None:
    """Means of random games, played by kernels and by hand."""
    game = make_game(name)
    rng = np.random.default_rng(1)
    states = np.array([game.deal(rng) for _ in range(2000)], game.dtype)
    own = np.empty(len(states))
    playouts(Uniform(), game.rules, states.copy(), 1, rng, game.num_actions, own)
    buffer = np.empty(game.num_actions, np.int32)
    others = []
    for state in states:
        contract.random_playout(game.rules, state, rng, buffer)
        others.append(game.returns(state)[1])
    error = np.sqrt((own.var() + np.var(others)) / len(states))
    assert abs(own.mean() - np.mean(others)) < 4 * error
