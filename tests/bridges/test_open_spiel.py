"""Our games in OpenSpiel: its algorithms find our values, and agents and bots play both ways."""

import copy
import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from support import VARIANTS, variant_id
from support_kuhn import KUHN_VALUE, kuhn as kuhn
from support_leduc import STANDARD, STANDARD_VALUE, UH

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import match
from closedhand.envs import SoloEnv
from closedhand.solvers.sequence_form import solve as solve_exactly
from closedhand.solvers.strategy import StrategyAgent, evaluate, strategy_of

pyspiel = pytest.importorskip("pyspiel")

from closedhand.bridges.open_spiel import (  # noqa: E402
    AgentBot,
    AgentPolicy,
    BotAgent,
    PolicyAgent,
    open_spiel_game,
)

pytestmark = pytest.mark.peers


def begun(game: Any, rng: np.random.Generator) -> Any:
    """A state after the chance nodes."""
    state = game.new_initial_state()
    while state.is_chance_node():
        outcomes, shares = zip(*state.chance_outcomes(), strict=True)
        assert sum(shares) == pytest.approx(1, abs=1e-12)
        assert len(outcomes) <= game.max_chance_outcomes()
        state.apply_action(int(rng.choice(outcomes, p=np.array(shares) / sum(shares))))
    return state


def check_game_of_chance(ours: Game, rng: np.random.Generator) -> None:
    """One random game: states, copies, resampled states, rewards."""
    game = open_spiel_game(ours)
    low, high = game.min_utility(), game.max_utility()
    assert game.num_players() == ours.num_players
    state = begun(game, rng)
    paid = np.zeros(ours.num_players)
    while not state.is_terminal():
        player = state.current_player()
        record = state.record
        assert player == record["player"]
        legal = state.legal_actions()
        assert legal == ours.legal(record).tolist()
        assert np.flatnonzero(state.legal_actions_mask()).tolist() == legal
        assert state.action_to_string(legal[0]) == ours.text(legal[0], record)
        tensor = np.array(state.observation_tensor(player))
        assert np.array_equal(tensor, ours.features(record, player))
        other = state.resample_from_infostate(player, pyspiel.UniformProbabilitySampler(0.0, 1.0))
        for same in (state, state.clone(), other):
            assert same.information_state_string() == state.information_state_string(player)
            assert same.observation_string(player) == state.observation_string(player)
            assert same.history() == state.history() or same is other
            assert same.legal_actions() == legal
        assert ours.valid(other.record) == ""
        for same in (state, other):  # the history of `other` may lead to the true hidden cards
            twin = pickle.loads(pickle.dumps(same))
            assert str(twin) == str(same) and twin.record.tobytes() == same.record.tobytes()
        kept = state.clone()
        state.apply_action(int(rng.choice(legal)))
        paid += state.rewards()
        assert kept.record.tobytes() == record.tobytes(), "a copy has changed"
    assert state.legal_actions() == []
    assert state.move_number() <= game.max_game_length() + len(state.history())
    returns = state.returns()
    assert returns == ours.returns(state.record).tolist()
    assert paid.tolist() == pytest.approx(returns)
    assert all(low <= value <= high for value in returns)
    assert ours.payoff_sum is None or sum(returns) == pytest.approx(ours.payoff_sum, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_every_game_is_one_of_open_spiel(variant: tuple[str, dict[str, Any]]) -> None:
    name, options = variant
    check_game_of_chance(make_game(name, **options), np.random.default_rng(3))


def test_a_policy_without_an_entry_says_so() -> None:
    class Empty:
        def action_probabilities(self, state: Any) -> dict[int, float]:
            return {}

    game = open_spiel_game("leduc")
    view = game.ours.view_from(0, "SJ", ["raise", "raise"])
    with pytest.raises(InputError, match="'open-spiel-policy' has no entry for 'player 0: SJ"):
        PolicyAgent(game, Empty()).act(view)


def test_copies_of_a_game_and_of_who_plays_it_go_on() -> None:
    for name in ("leduc", "doudizhu"):  # deals are listed, and drawn
        game = open_spiel_game(name)
        assert copy.deepcopy(game) is game
        twin = pickle.loads(pickle.dumps(game))
        assert twin.ours.options == game.ours.options
        state = begun(twin, np.random.default_rng(0))
        assert state.history() == begun(game, np.random.default_rng(0)).history()
        agent = PolicyAgent(game, AgentPolicy(game, "random"))
        solo = SoloEnv(game.ours, opponents=agent)
        solo.reset(seed=1)
        action = int(solo.action_masks().argmax())
        played = copy.deepcopy(solo).step(action)
        assert data_equivalence(played, solo.step(action))


def test_a_game_of_another_package_is_one_too(kuhn: Game) -> None:
    check_game_of_chance(kuhn, np.random.default_rng(1))
    solver = pyspiel.CFRPlusSolver(open_spiel_game(kuhn))
    for _ in range(300):
        solver.evaluate_and_update_policy()
    game, policy = open_spiel_game(kuhn), solver.average_policy()
    values = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
    assert values[0] == pytest.approx(KUHN_VALUE, abs=2e-3)


def test_open_spiel_loads_it_by_name() -> None:
    text = "closedhand(game=doudizhu,options=rules:tiny;objective:win)"
    game = pyspiel.load_game(text)
    assert game.ours is make_game("doudizhu", rules="tiny", objective="win")
    assert pyspiel.load_game(str(game)).ours.options == game.ours.options
    assert len(begun(game, np.random.default_rng(1)).history()) == 1
    drawn = open_spiel_game("doudizhu")
    state = begun(drawn, np.random.default_rng(1))
    assert len(state.history()) == 6
    _, copy = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(drawn, state))
    assert copy.record.tobytes() == state.record.tobytes()


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="no game"):
        open_spiel_game("no_game")
    with pytest.raises(InputError, match="set when it is made"):
        open_spiel_game(STANDARD, pair="card")
    game = open_spiel_game(STANDARD)
    with pytest.raises(InputError, match="has no probabilities"):
        AgentPolicy(open_spiel_game("doudizhu"), "rule")
    with pytest.raises(InputError, match="nothing is dealt"):
        _ = game.new_initial_state().record
    with pytest.raises(InputError, match="name:value"):
        type(game)({"game": "leduc", "options": "pair"})
    with pytest.raises(InputError, match="what one player knows"):
        game.make_py_observer(
            pyspiel.IIGObservationType(
                public_info=True, perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE
            )
        )


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["random", "equilibrium[iterations=300]"])
def test_open_spiel_judges_strategies_as_we_do(agent: str) -> None:
    """Value and NashConv, twice the exploitability, of a uniform and of a good strategy."""
    from open_spiel.python.algorithms import expected_game_score, exploitability

    game = open_spiel_game(STANDARD)
    policy = AgentPolicy(game, agent)
    found = evaluate(strategy_of(STANDARD, policy.agent))
    theirs = exploitability.nash_conv(game, policy, return_only_nash_conv=False, use_cpp_br=True)
    values = expected_game_score.policy_value(game.new_initial_state(), [policy, policy])
    assert values[0] == pytest.approx(found.value, abs=1e-9)
    assert theirs.nash_conv == pytest.approx(found.nash_conv, abs=1e-9)
    assert theirs.nash_conv / 2 == pytest.approx(found.exploitability, abs=1e-9)
    assert theirs.player_improvements.tolist() == pytest.approx(
        [found.best_responses[0] - found.value, found.best_responses[1] + found.value], abs=1e-9
    )


@pytest.mark.slow
def test_open_spiel_finds_nothing_to_gain_against_an_exact_equilibrium() -> None:
    from open_spiel.python.algorithms import exploitability

    pytest.importorskip("scipy")
    value, strategy = solve_exactly(STANDARD)
    game = open_spiel_game(STANDARD)
    policy = AgentPolicy(game, StrategyAgent(strategy, "exact"))
    best = exploitability.best_response(game, policy, 0)
    assert best["on_policy_value"] == pytest.approx(STANDARD_VALUE, abs=1e-9)
    assert best["best_response_value"] == pytest.approx(STANDARD_VALUE, abs=1e-9)
    assert value == pytest.approx(STANDARD_VALUE, abs=1e-9)


@pytest.mark.slow
def test_its_solver_finds_in_our_leduc_what_it_finds_in_its_own() -> None:
    """The solver does the same in both games, and its policy plays in our matches."""
    solvers = [
        pyspiel.CFRPlusSolver(game)
        for game in (open_spiel_game(STANDARD), pyspiel.load_game("leduc_poker"))
    ]
    for solver in solvers:
        for _ in range(8):
            solver.evaluate_and_update_policy()
    games = open_spiel_game(STANDARD), pyspiel.load_game("leduc_poker")
    policies = [solver.average_policy() for solver in solvers]
    ours, theirs = (
        pyspiel.nash_conv(game, policy) for game, policy in zip(games, policies, strict=True)
    )
    assert ours == pytest.approx(theirs, abs=1e-9)
    agent = PolicyAgent(games[0], policies[0], name="cfr+")
    assert evaluate(strategy_of(STANDARD, agent)).nash_conv == pytest.approx(ours, abs=1e-9)
    result = match.play(STANDARD, [agent, make_agent(STANDARD, "random")], deals=100, seed=1)
    assert result.deals == 100


def test_information_states_are_those_of_the_game() -> None:
    """There are as many texts and tensors as information sets, one tensor for each text."""
    from open_spiel.python.algorithms import get_all_states

    game = open_spiel_game(STANDARD)
    states = get_all_states.get_all_states(
        game, -1, include_terminals=False, include_chance_states=False,
        to_string=lambda state: state.history_str(),
    ).values()  # fmt: skip
    tensors: dict[str, bytes] = {}
    for state in states:
        tensor = np.array(state.information_state_tensor()).tobytes()
        assert tensors.setdefault(state.information_state_string(), tensor) == tensor
    assert len(tensors) == len(set(tensors.values())) == 936


@pytest.mark.slow
def test_bots_play_in_our_matches_and_agents_at_their_tables() -> None:
    from open_spiel.python.algorithms import ismcts, mcts

    game = open_spiel_game(UH)
    uniform = BotAgent(game, lambda seat: pyspiel.make_uniform_random_bot(seat, 7))
    rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    searches = BotAgent(
        game, lambda seat: ismcts.ISMCTSBot(game, rollouts, 2.0, 30), name="is-mcts"
    )
    result = match.play(UH, [searches, uniform], deals=40, seed=2)
    assert result.names == ("is-mcts", "open-spiel-bot")
    bots = [AgentBot(game, "equilibrium[iterations=100]", seed) for seed in (1, 2)]
    state = game.new_initial_state()
    rng = np.random.RandomState(5)
    from open_spiel.python.algorithms import evaluate_bots

    returns = evaluate_bots.evaluate_bots(state, bots, rng)
    assert sum(returns) == 0 and not math.isnan(returns[0])


def test_a_state_of_ours_is_resampled_where_it_stands() -> None:
    """Its history has no chance outcomes, which a new deal would replace."""
    ours = make_game("leduc")
    state = open_spiel_game(ours).state_of(ours.deal(np.random.default_rng(2)))
    state.apply_action(state.legal_actions()[0])
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    other = state.resample_from_infostate(state.current_player(), sampler)
    assert other.information_state_string() == state.information_state_string()
    assert other.legal_actions() == state.legal_actions() and other.history() == []


@pytest.mark.parametrize("given", ["merged", "simultaneous"])
def test_what_cannot_be_played_again_is_resampled_where_it_stands(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deal that is not listed; actions at the same time, which the player has not seen."""
    ours = dataclasses.replace(make_game("leduc"), simultaneous=given == "simultaneous")
    state = begun(open_spiel_game(ours), np.random.default_rng(1))
    state.apply_action(state.legal_actions()[0])
    if given == "merged":
        monkeypatch.setattr(state.get_game().shared, "of_deal", {})
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    other = state.resample_from_infostate(state.current_player(), sampler)
    assert other.information_state_string() == state.information_state_string()
    assert other.legal_actions() == state.legal_actions() and other.history() == state.history()


def test_a_bot_is_not_shown_what_its_player_cannot_know() -> None:
    """A redeal of hidden cards changes nothing that a bot sees."""
    game, asked = open_spiel_game("doudizhu"), []

    class Spy:
        def restart_at(self, state: Any) -> None:
            asked.append(state.record)

        def step(self, state: Any) -> int:
            return state.legal_actions()[0]

    rng = np.random.default_rng(2)
    state = game.ours.deal(rng)
    hidden = game.ours.redeal(game.ours.view(state, 0), 0, rng)
    for each in (state, hidden):
        BotAgent(game, lambda seat: Spy(), seed=4).act(game.ours.view(each, 0))
    assert asked[0].tobytes() == asked[1].tobytes() != state.tobytes()
    assert game.ours.valid(asked[0]) == ""
