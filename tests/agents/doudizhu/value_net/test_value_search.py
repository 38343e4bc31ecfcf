"""Search by simulations that a value network plays."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_agents import games_of
from support_doudizhu import position

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.search.styles import Styles, log_likelihood
from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import policy_of
from closedhand.agents.doudizhu.value_net.network import new_net
from closedhand.agents.doudizhu.value_net.value_search import TRACE, Playouts, evaluate
from closedhand.games.doudizhu.counts import DECK, pack
from closedhand.search import paired

GAME = make_game("doudizhu", objective="win")


def test_it_finds_what_only_looking_on_shows() -> None:
    """Nothing that is out beats an ace: it goes first, and the 4 ends the game."""
    game, view = position("4A;K;Q", player=0)
    view.played[1] = DECK - view.hands[0] - pack("KQ")
    view.left[:] = [2, 1, 1]
    assert game.text(make_agent(game, "value-search:100", 1).act(view)) == "A"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"substeps": True}, {"bidding": True}])
def test_games_end_and_repeat_by_their_seed(options: dict) -> None:
    game = make_game("doudizhu", **options)
    one, two = (games_of(game, ["value-search:40"], 2, seed=9) for _ in range(2))
    assert (one["history"] == two["history"]).all()
    assert all(game.over(state) for state in one)


def test_a_network_for_points_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "value-net.npz"
    about = {"objective": "score", "steps": 0, "games": 0, "samples": 0}
    files.save(path, new_net(0), about)
    with pytest.raises(InputError, match="objective=win"):
        make_agent(GAME, f"value-search:40:{path}")


def test_the_others_err_by_their_temperature() -> None:
    """Without it, a state has one value; with it some are now won and now lost, and others not."""
    values = policy_of(files.load(None, "win")[0], "win")
    cold = Playouts(Styles(values.prior, 0, knows_rule=False), values, 1e-9)
    ids, rng = np.empty(GAME.num_actions, np.int32), np.random.default_rng(5)
    states = [GAME.deal(rng) for _ in range(20)]

    def values_of(state: np.record, temperature: float) -> set[float]:
        policy = cold._replace(temperature=temperature)
        return {evaluate(policy, GAME.rules, state.copy(), 0, 0, rng, ids) for _ in range(8)}

    assert [len(values_of(each, 1e-9)) for each in states] == [1] * 20
    assert {len({value > 0 for value in values_of(each, 0.5)}) for each in states} == {1, 2}


def test_a_simulation_counts_for_its_result_and_the_values_on_the_way() -> None:
    """By hand: the values of the player's choices, each a tenth of what is left, and the result."""
    values = policy_of(files.load(None, "win")[0], "win")
    cold = Playouts(Styles(values.prior, 0, knows_rule=False), values, 1e-9)
    agent: Any = make_agent(GAME, "value-net")
    ids, rng = np.empty(GAME.num_actions, np.int32), np.random.default_rng(6)
    for player in (0, 1, 2):
        state = GAME.deal(rng)
        found = evaluate(cold, GAME.rules, state.copy(), player, 0, rng, ids)
        total, rest = 0.0, 1.0
        while not GAME.over(state):
            view = GAME.view(state, int(state.player))
            plays, worths = agent.rate_plays(view)
            if state.player == player and worths.max() != 0.0:
                total += rest * (1 - TRACE) * np.tanh(worths.max() / 2)
                rest *= TRACE
            GAME.play(state, int(plays[worths.argmax()]))
        result = 1.0 if GAME.returns(state)[player] > 0 else -1.0
        assert rest < 0.6
        assert found == pytest.approx(total + rest * result, abs=1e-9)


def test_only_who_knows_rule_guesses_at_it() -> None:
    """After games of `rule`, particles take it for one only where the style is known."""
    weights = decompose.policy_of(decompose.load(None), sampled=False)
    states = games_of(GAME, ["rule"], 4, seed=3)
    ids = np.empty(GAME.num_actions, np.int32)
    guesses = {}
    for knows in (True, False):
        policy = Styles(weights, 0, knows)
        rng = np.random.default_rng(7)
        found = [
            log_likelihood(policy, GAME.rules, state.copy(), 0, -np.inf, rng, ids)
            for state in states
        ]
        guesses[knows] = [guess for _, guess in found]
        assert np.isfinite([likelihood for likelihood, _ in found]).all()
    assert any(guesses[True])
    assert not any(guesses[False])


def test_expectations_count_by_their_error() -> None:
    """The posterior of two normal numbers: precise ones count for more."""
    rng = np.random.default_rng(1)
    sums = np.zeros((3, 3))
    for k, mean in enumerate((0.0, 0.1, -0.1)):
        gains = rng.normal(mean, 0.2, 400) if k else np.zeros(400)
        sums[k] = len(gains), gains.sum(), (gains**2).sum()
    expected = np.array([0.0, -0.5, 0.5])
    found = paired._posterior_bounds(sums, 0.5, expected, 1e9, 0.5)
    plain = np.empty(3)
    paired.bounds(sums, -0.5, 0.5, plain)
    assert np.allclose(found, plain)
    trusted = paired._posterior_bounds(sums, 0.5, expected, 1e-6, 0.5)
    assert np.allclose(trusted, expected, atol=1e-5)
    between = paired._posterior_bounds(sums, 0.5, expected, 0.02, 0.5)
    assert plain[2] < between[2] < expected[2]
    assert found[0] == trusted[0] == between[0] == 0.0  # the advantage over itself


def test_a_game_of_two_is_refused() -> None:
    with pytest.raises(InputError, match="value-search is for games of three"):
        make_agent(make_game("doudizhu", rules="two_players"), "value-search:40")
