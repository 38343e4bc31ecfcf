"""The light policy: its features, and what it deems likely."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.agents.daihinmin.policy import light_policy
from closedhand.agents.daihinmin.policy.light_policy import log_likelihood
from closedhand.agents.daihinmin.policy.shared import seen_cards_of
from closedhand.games.daihinmin.plays import PASS


@pytest.mark.slow
def test_features_lie_in_their_sections() -> None:
    """Every action has one strength or pass, and nothing beyond the weights."""
    game = make_game("daihinmin", classes="random")
    rng = np.random.default_rng(10)
    features = np.empty(light_policy.MOST_FEATURES, np.int64)
    seen = set()
    for _ in range(60):
        state = game.deal(rng)
        while not game.over(state):
            legal = game.legal(state)
            if state.leader >= 0:
                cards = seen_cards_of(state)
                for action in legal[: len(legal) - (state.target < 0)].tolist():
                    n = light_policy.describe(game.rules, state, cards, action, features)
                    found = features[:n].tolist()
                    assert len(set(found)) == n <= light_policy.MOST_FEATURES
                    assert min(found) >= 0 and max(found) < light_policy.FEATURES
                    passing = [
                        light_policy.PASSING <= f < light_policy.PASSING_STAGE for f in found
                    ]
                    playing = [f < light_policy.RIVALS for f in found]
                    assert (sum(passing), sum(playing)) == ((1, 0) if action == PASS else (0, 1))
                    seen.update(found)
            game.play(state, int(rng.choice(legal)))
    assert len(seen) > 500


@pytest.mark.parametrize("eight_stop", [True, False])
def test_an_eight_is_sure_only_if_it_ends_the_trick(eight_stop: bool) -> None:
    game = make_game("daihinmin", eight_stop=eight_stop, classes="none")
    state = game.deal(np.random.default_rng(0))
    while game.over(state) or "8c" not in map(game.text, game.legal(state)):
        game.play(state, int(game.legal(state)[0]))
    features = np.empty(light_policy.MOST_FEATURES, np.int64)
    cards = seen_cards_of(state)
    n = light_policy.describe(game.rules, state, cards, game.parse("8c"), features)
    found = features[:n]
    first, last = light_policy.WITH_EIGHT, light_policy.LOCKING
    assert ((first <= found) & (found < last)).sum() == eight_stop
    form = (found[2] - light_policy.FORM) // light_policy.FORMS
    assert form == 2 * (state.target >= 0) + eight_stop


@pytest.mark.slow
def test_what_was_played_is_likely_in_the_true_state() -> None:
    """The true state makes what players of the policy did likelier than most redealt ones."""
    policy = light_policy.load()
    game = make_game("daihinmin", illegal="error")
    rng = np.random.default_rng(14)
    ids = np.empty(game.num_actions, np.int32)
    better = 0
    for _ in range(40):
        state = game.deal(rng)
        for _ in range(25):
            game.play(state, light_policy.choose(policy, game.rules, state, rng, ids))
        if game.over(state):
            continue
        player = int(state.player)
        view = game.view(state, player)
        true = log_likelihood(policy, game.rules, state.copy(), player, -np.inf, rng, ids)[0]
        others = [
            log_likelihood(
                policy, game.rules, game.redeal(view, player, rng), player, -np.inf, rng, ids
            )[0]
            for _ in range(20)
        ]
        better += true > np.median(others)
    assert better >= 26
