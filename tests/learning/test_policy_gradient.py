"""Training by the policy gradient."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from closedhand import Game, InputError, make_game
from closedhand.agents.daihinmin.policy import light_policy as light
from closedhand.agents.daihinmin.policy.light_training import TASK
from closedhand.core.duplicate import play_out
from closedhand.core.game import State
from closedhand.learning import policy_gradient as self_play


@pytest.mark.slow
def test_fitting_raises_what_the_policy_gets() -> None:
    """Some steps of training beat the policy that they began with, weights of 0."""
    run = self_play.Training(TASK, seed=1)
    for _ in range(12):
        run.step()
    game = make_game("daihinmin", illegal="error")
    untrained = np.zeros(light.FEATURES)
    agents = [make_policy(game, light.policy_of(each)) for each in (run.weights, untrained)]
    rng = np.random.default_rng(8)
    states = np.array([game.deal(rng) for _ in range(400)], game.dtype)
    seats = np.tile([0, 1, 1, 1, 1], (400, 1))
    play_out(game, states, seats, agents)
    assert states["points"][:, 0].mean() > 3.3


@pytest.mark.parametrize(("number", "k"), [(0.0, 1), (0.24, 1), (0.26, 3), (0.99, 3)])
def test_an_action_of_probability_0_is_never_drawn(number: float, k: int) -> None:
    draw = getattr(self_play.draw, "py_func", self_play.draw)
    fixed = SimpleNamespace(random=lambda: number)
    assert draw(np.array([0.0, 0.5, 0.0, 1.5]), 4, 2.0, fixed) == k


def make_policy(game: Game, policy: light.Policy):
    """The policy as an agent."""

    class Sampling:
        name = "policy"
        rng = np.random.default_rng(9)
        ids = np.empty(game.num_actions, np.int32)

        def act(self, view: State) -> int:
            return light.choose(policy, game.rules, view, self.rng, self.ids)

    return Sampling()


def test_training_goes_on_where_it_was(tmp_path) -> None:
    path = tmp_path / "playouts.npz"
    whole, half = self_play.Training(TASK, seed=2), self_play.begin(TASK, 2, path)
    for _ in range(2):
        whole.step()
    half.work(1e-9)
    again = self_play.begin(TASK, np.int64(2), path)
    again.resume()
    assert again.history == half.history != []
    again.learner.step()
    assert np.allclose(again.learner.weights, whole.weights, atol=1e-6)
    assert (light.load(path).table.weights == half.learner.weights.astype(np.float32)).all()
    with pytest.raises(InputError, match="was made with seed 2, not 3"):
        self_play.begin(TASK, 3, path).resume()
    again.learner.steps = -1
    again.save()
    for _ in range(2):
        with pytest.raises(InputError, match="nothing to resume"):
            self_play.begin(TASK, 2, path).resume()
        np.savez(path, weights=np.zeros(3))
    with pytest.raises(InputError, match="not hold weights of this policy"):
        light.load(path)


@pytest.mark.parametrize(
    ("name", "damaged"),
    [("weights", np.nan), ("squares", np.inf), ("steps", -1), ("steps", 1.5), ("steps", "7")],
)
def test_a_damaged_state_is_not_restored(name: str, damaged: Any) -> None:
    state = self_play.Training(TASK).state()
    state[name] = np.full(np.shape(state[name]), damaged)
    with pytest.raises(ValueError, match=name):
        self_play.Training(TASK).restore(state)
