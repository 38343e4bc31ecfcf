"""The pattern policy as an agent and in playouts, and its training."""

import math
from functools import partial

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.daihinmin.policy import pattern_policy
from closedhand.agents.daihinmin.policy.pattern_training import TASK, gradient
from closedhand.agents.daihinmin.policy.patterns import FEATURES
from closedhand.core.duplicate import play_out
from closedhand.games.daihinmin.plays import PASS
from closedhand.learning.policy_gradient import ARRAYS, Training, begin

SMALL = TASK._replace(games=16, piece=8, gradient=partial(gradient, rounds=8))


@pytest.mark.slow
@pytest.mark.parametrize("actions", ["plays", "card_sets"])
def test_the_agent_plays_the_likeliest_action(actions: str) -> None:
    game = make_game("daihinmin", classes="random", actions=actions, illegal="error")
    agent = make_agent(game, "policy")
    rng = np.random.default_rng(5)
    state = game.deal(rng)
    certain = 0
    while not game.over(state):
        view = game.view(state, int(state.player))
        shares = agent.probabilities(np.array([view]))[0]
        legal = game.legal(state)
        assert math.isclose(shares.sum(), 1.0) and math.isclose(shares[legal].sum(), 1.0)
        action = agent.act(view)
        if actions == "card_sets":
            assert shares[action] > 0
        else:
            assert action == np.argmax(shares)
            assert state.leader < 0 or state.target >= 0 or shares[PASS] == 0
        certain += shares.max() == 1.0
        game.play(state, action)
    assert certain > 20


@pytest.mark.slow
def test_it_beats_kou_in_points_from_default() -> None:
    """More points a round among four `default` than `kou`'s 4.12; the bar is 4.45."""
    game = make_game("daihinmin", rounds=100)
    agents = [make_agent(game, "policy"), make_agent(game, "default")]
    rng = np.random.default_rng(6)
    states = np.array([game.deal(rng) for _ in range(30)], game.dtype)
    play_out(game, states, np.tile([0, 1, 1, 1, 1], (30, 1)), agents)
    assert states["points"][:, 0].mean() / 100 > 4.3


@pytest.mark.slow
def test_training_goes_on_bit_by_bit(tmp_path) -> None:
    path = tmp_path / "policy.npz"
    whole, half = Training(SMALL, seed=2), begin(SMALL, 2, path)
    for _ in range(4):
        whole.step()
    for _ in range(2):
        half.learner.step()
    half.save()
    again = begin(SMALL, 2, path)
    again.resume()
    for _ in range(2):
        again.learner.step()
    assert again.learner.steps == whole.steps == 4
    for name in ARRAYS:
        assert getattr(again.learner, name).tobytes() == getattr(whole, name).tobytes()
    weights = pattern_policy.load(str(path)).table.weights
    assert (weights == half.learner.average[:FEATURES]).all() and weights.any()
    assert make_agent("daihinmin", f"policy:{path}").name == f"policy:{path}"
    np.savez(path, average=np.zeros(3))
    with pytest.raises(InputError, match="not hold weights of this policy"):
        pattern_policy.load(str(path))


@pytest.mark.slow
def test_fitting_raises_what_the_policy_gets() -> None:
    training = Training(TASK, seed=1)
    for _ in range(12):
        training.step()
    game = make_game("daihinmin", classes="random")
    trained, untrained = (
        pattern_policy.policy_of(training.weights),
        pattern_policy.policy_of(np.zeros(FEATURES)),
    )
    rng, ids = np.random.default_rng(8), np.empty(game.num_actions, np.int32)
    points = []
    for _ in range(300):
        state = game.deal(rng)
        while not game.over(state):
            policy = trained if state.player == 0 else untrained
            game.play(state, int(pattern_policy.choose(policy, game.rules, state, rng, ids)))
        points.append(int(state.points[0]))
    assert np.mean(points) > 3.5
