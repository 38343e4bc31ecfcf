"""The Monte Carlo agent of Daihinmin."""

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.core.duplicate import play_out


@pytest.mark.parametrize("argument", ["fast", "0", "5s", "100x4", "100:/nowhere/x.npz"])
def test_monte_carlo_refuses_other_arguments(argument: str) -> None:
    with pytest.raises(InputError):
        make_agent("daihinmin", f"monte-carlo:{argument}")


def test_the_name_says_what_departs_from_the_default() -> None:
    for name in ("monte-carlo", "monte-carlo:30", "monte-carlo[threads=2]:30"):
        assert make_agent("daihinmin", name).name == name


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"actions": "card_sets"}, {"rounds": 2, "class_period": 5}]
)
def test_monte_carlo_plays_whole_rounds(options: dict) -> None:
    game = make_game("daihinmin", illegal="error", classes="random", **options)
    agents = [make_agent(game, name, 1) for name in ("monte-carlo:30", "monte-carlo:20")]
    state = game.deal(np.random.default_rng(12))
    while not game.over(state):
        player = int(state.player)
        action = agents[player % 2].act(game.view(state, player))
        game.play(state, action)
    assert game.returns(state).sum() == 15 * game.options["rounds"]


@pytest.mark.slow
def test_it_beats_default() -> None:
    game = make_game("daihinmin", rounds=10)
    agents = [make_agent(game, "monte-carlo:100", 1), make_agent(game, "default")]
    rng = np.random.default_rng(13)
    states = np.array([game.deal(rng) for _ in range(6)], game.dtype)
    play_out(game, states, np.tile([0, 1, 1, 1, 1], (6, 1)), agents)
    assert states["points"][:, 0].mean() / 10 > 3.6
