"""The Monte Carlo agent of Daihinmin."""

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.core.duplicate import play_out


@pytest.mark.parametrize("argument", ["fast", "0", "5s", "100x4", "100:/nowhere/x.npz"])
def test_monte_carlo_refuses_other_arguments(argument: str) -> None:
    with pytest.raises(InputError):
        make_agent("daihinmin", f"monte-carlo:{argument}")


def test_random_playouts_have_no_weights() -> None:
    with pytest.raises(InputError, match="random playouts have no weights"):
        make_agent("daihinmin", "monte-carlo[playouts=random]:30:x.npz")


def test_the_name_says_what_departs_from_the_default() -> None:
    options = ("", "[threads=2,playouts=policy]", "[playouts=random]")
    for name in (f"monte-carlo{text}:30" for text in options):
        assert make_agent("daihinmin", name).name == name
    assert make_agent("daihinmin", "monte-carlo[playouts=light]:30").name == "monte-carlo:30"


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"actions": "card_sets"}, {"rounds": 2, "class_period": 5}]
)
@pytest.mark.parametrize(
    "names",
    [
        ("monte-carlo:30", "monte-carlo:20"),
        ("monte-carlo[playouts=policy]:30", "monte-carlo[playouts=policy]:20"),
        ("monte-carlo[playouts=random]:30", "monte-carlo[playouts=random]:20"),
    ],
    ids=["light", "policy", "random"],
)
def test_monte_carlo_plays_whole_rounds(names: tuple[str, str], options: dict) -> None:
    game = make_game("daihinmin", illegal="error", classes="random", **options)
    agents = [make_agent(game, name, 1) for name in names]
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
