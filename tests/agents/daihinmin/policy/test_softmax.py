"""The softmax policy: its features, and what it deems likely."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.agents.daihinmin.policy import softmax as light
from closedhand.games.daihinmin.plays import PASS


@pytest.mark.slow
def test_features_lie_in_their_sections() -> None:
    """Every action has one strength or pass, and nothing beyond the weights."""
    game = make_game("daihinmin", classes="random")
    rng = np.random.default_rng(10)
    features = np.empty(light.MOST_FEATURES, np.int64)
    seen = set()
    for _ in range(60):
        state = game.deal(rng)
        while not game.over(state):
            legal = game.legal(state)
            if state.leader >= 0:
                sight = light.observation_of(state)
                for action in legal[: len(legal) - (state.target < 0)].tolist():
                    n = light.describe(game.rules, state, sight, action, features)
                    found = features[:n].tolist()
                    assert len(set(found)) == n <= light.MOST_FEATURES
                    assert min(found) >= 0 and max(found) < light.FEATURES
                    passing = [light.PASSING <= f < light.PASSING_STAGE for f in found]
                    playing = [f < light.RIVALS for f in found]
                    assert (sum(passing), sum(playing)) == ((1, 0) if action == PASS else (0, 1))
                    seen.update(found)
            game.play(state, int(rng.choice(legal)))
    assert len(seen) > 500


@pytest.mark.slow
def test_what_was_played_is_likely_in_the_true_state() -> None:
    """The true state makes what players of the policy did likelier than most redealt ones."""
    policy = light.shipped()
    game = make_game("daihinmin", illegal="error")
    rng = np.random.default_rng(14)
    ids = np.empty(game.num_actions, np.int32)
    better = 0
    for _ in range(40):
        state = game.deal(rng)
        for _ in range(25):
            game.play(state, light.choose(policy, game.rules, state, rng, ids))
        if game.over(state):
            continue
        player = int(state.player)
        view = game.view(state, player)
        true = light.plausibility(policy, game.rules, state.copy(), player, ids)
        others = [
            light.plausibility(policy, game.rules, game.redeal(view, player, rng), player, ids)
            for _ in range(20)
        ]
        better += true > np.median(others)
    assert better >= 26
