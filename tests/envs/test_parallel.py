"""The parallel env: PettingZoo's compliance checks, the AEC env as an oracle, leaks, bad input."""

import copy
import dataclasses
import importlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import parallel_api_test, parallel_seed_test

from closedhand import GAMES, InputError, make_game
from closedhand.core.registry import GAMES as ENVIRONMENTS
from closedhand.envs.aec import GameAEC
from closedhand.envs.parallel import GameParallel, parallel_env
from closedhand.testing.envs import check_parallel

ID = "closedhand/chinese_poker-v0"
OPTIONS: list[dict[str, Any]] = [
    {"players": players, "substeps": substeps, **more}
    for players in (2, 3, 4)
    for substeps in (False, True)
    for more in ({}, {"fouls": True, "naturals": True, "royalties": True, "rules": "1-6"})
]


def options_id(options: dict[str, Any]) -> str:
    return "-".join(name if value is True else str(value) for name, value in options.items())


every_variant = pytest.mark.parametrize("options", OPTIONS, ids=options_id)
flat_and_substeps = pytest.mark.parametrize("substeps", [False, True], ids=["flat", "substeps"])


def start(seed: int | None = 0, **options: Any) -> tuple[GameParallel, dict[str, Any]]:
    """An env and its first observations."""
    env = GameParallel("chinese_poker", **options)
    return env, env.reset(seed=seed)[0]


def choose(observations: dict[str, Any], rng: np.random.Generator) -> dict[str, int]:
    """A random legal action for everybody."""
    masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
    return {agent: int(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items()}


def play(env: Any, observations: dict[str, Any], rng: np.random.Generator) -> list[Any]:
    """What `step` returns at each step of random play, and the actions."""
    log = []
    while env.agents:
        actions = choose(observations, rng)
        log.append((actions, *env.step(actions)))
        observations = log[-1][1]
    return log


def same_sight(one: dict[str, Any], two: dict[str, Any]) -> bool:
    return data_equivalence(dict(one), dict(two))


@pytest.mark.slow
@every_variant
def test_complies(options: dict[str, Any], recwarn: pytest.WarningsRecorder) -> None:
    parallel_api_test(pettingzoo.make("parallel", ID, **options), num_cycles=20)
    parallel_seed_test(lambda: pettingzoo.make("parallel", ID, **options))
    assert not recwarn.list


def test_every_simultaneous_game_is_registered() -> None:
    for name in GAMES:
        parallel_id = ENVIRONMENTS[name].parallel_id
        assert make_game(name).simultaneous == (parallel_id is not None)
        if parallel_id:
            assert pettingzoo.make("parallel", parallel_id).unwrapped.game.name == name
    env = pettingzoo.make("parallel", ID, players=3, illegal_reward=-3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert str(env) == "chinese_poker_v0" and env.illegal_reward == -3


@every_variant
def test_equals_the_aec_env(options: dict[str, Any]) -> None:
    """Same seeds and same actions: same masks on the way, same rewards and sights at the end."""
    rng = np.random.default_rng(3)
    env, aec = GameParallel("chinese_poker", **options), GameAEC("chinese_poker", **options)
    for seed in (7, None, None):
        first, infos = env.reset(seed=seed)
        aec.reset(seed=seed)
        assert env.game_state == aec.game_state
        log = play(env, first, rng)
        assert len(log) == 1 + options["substeps"]
        seen = [first, *(step[1] for step in log)]
        turn = dict.fromkeys(env.possible_agents, 0)
        while not any(aec.terminations.values()):
            agent = aec.agent_selection
            mask = seen[turn[agent]][agent]["action_mask"]
            assert np.array_equal(aec.observe(agent)["action_mask"], mask)
            aec.step(log[turn[agent]][0][agent])
            turn[agent] += 1
        assert turn == dict.fromkeys(env.possible_agents, len(log))
        _, last, rewards, terminations, truncations, infos = log[-1]
        assert rewards == aec.rewards
        assert terminations == aec.terminations and truncations == aec.truncations
        assert data_equivalence(infos, aec.infos)
        assert env.game_state == aec.game_state
        assert np.array_equal(env.state(), aec.state())
        for agent in env.possible_agents:
            assert same_sight(last[agent], aec.observe(agent))


def test_a_staged_game_pays_at_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also from a state in which a player has been paid already."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    game = dataclasses.replace(importlib.import_module("duel").make_game(), simultaneous=True)
    env, rng, state = GameParallel(game), np.random.default_rng(0), game.parse_deal("2103456789")
    for cards in ("", "21"):
        for card in cards:
            game.play(state, int(card))
        seen, _ = env.reset(options={"state": state})
        paid = game.returns(state)
        while env.agents:
            seen, rewards, *_ = env.step(choose(seen, rng))
            returns = game.returns(env.game_state)
            assert list(rewards.values()) == (returns - paid).tolist() != [0, 0]
            paid = returns
    check_parallel(game, seed=0, form="planes")


@flat_and_substeps
def test_all_agents_end_at_once(substeps: bool) -> None:
    env, first = start(1, players=3, substeps=substeps)
    for agent, seen in first.items():
        assert env.observation_space(agent).contains(seen)
        assert seen["status"].tolist() == [env.agents.index(agent), 3, 0, 0]
    assert env.state_space.contains(env.state())
    log = play(env, first, np.random.default_rng(0))
    for actions, seen, rewards, terminations, truncations, infos in log:
        ended = infos is log[-1][-1]
        assert list(terminations) == list(actions) == env.possible_agents
        assert all(value == ended for value in terminations.values())
        assert not any(truncations.values())
        assert ended or not any(rewards.values())
        assert sum(rewards.values()) == 0
        for agent in actions:
            assert env.observation_space(agent).contains(seen[agent])
            assert np.array_equal(seen[agent]["action_mask"], infos[agent]["action_mask"])
            assert seen[agent]["action_mask"].any() == (not ended)
            assert list(infos[agent]) == ["action_mask"]
    assert any(log[-1][2].values())
    with pytest.raises(ResetNeeded):
        env.step({})


@pytest.mark.slow
@flat_and_substeps
def test_nobody_sees_hidden_cards(substeps: bool) -> None:
    options = {"players": 4, "substeps": substeps}
    env, seen = start(**options)
    rng = np.random.default_rng(1)
    for seat, agent in enumerate(env.possible_agents):
        view = env.game.view(env.game_state, seat)
        for _ in range(5):
            other = GameParallel("chinese_poker", **options)
            state = env.game.redeal(view, seat, rng)
            sights, infos = other.reset(options={"state": state})
            assert same_sight(sights[agent], seen[agent])
            assert np.array_equal(infos[agent]["action_mask"], seen[agent]["action_mask"])
            if substeps:  # nor what they do
                actions = choose(sights, rng)
                actions[agent] = int(np.flatnonzero(seen[agent]["action_mask"])[0])
                sights = other.step(actions)[0]
                twin = copy.copy(env)
                expected = twin.step({**choose(seen, rng), agent: actions[agent]})[0]
                assert same_sight(sights[agent], expected[agent])
                assert sights[agent]["observation"][1].sum() == 5
                assert not sights[agent]["observation"][4:].any()
            else:
                assert not sights[agent]["observation"][1:].any()


@flat_and_substeps
def test_all_boards_are_shown_at_the_end(substeps: bool) -> None:
    env, seen = start(players=3, substeps=substeps)
    last = play(env, seen, np.random.default_rng(2))[-1][1]
    planes = [last[agent]["observation"] for agent in env.possible_agents]
    for seat in range(3):
        assert [int(plane.sum()) for plane in planes[seat]] == [13, 5, 5, 3, 5, 5, 3, 5, 5, 3]
        for i in range(1, 3):
            board = planes[(seat + i) % 3][1:4]
            assert np.array_equal(planes[seat][1 + 3 * i : 4 + 3 * i], board)


@flat_and_substeps
@pytest.mark.parametrize("offenders", [[0], [1], [0, 2], [0, 1, 2]], ids=str)
@pytest.mark.parametrize("illegal", [None, -1, 72072, 2**70, -(2**70)])
def test_an_illegal_action_ends_the_game(
    substeps: bool, offenders: list[int], illegal: int | None
) -> None:
    env, seen = start(players=3, substeps=substeps, illegal_reward=-4)
    rng = np.random.default_rng(0)
    if substeps:
        seen = env.step(choose(seen, rng))[0]
    before = env.game_state
    actions = choose(seen, rng)
    names = [env.agents[seat] for seat in offenders]
    for agent in names:
        masked = np.flatnonzero(seen[agent]["action_mask"] == 0)
        actions[agent] = int(masked[0]) if illegal is None else illegal
    last, rewards, terminations, truncations, infos = env.step(actions)
    assert rewards == {agent: -4 if agent in names else 0 for agent in env.possible_agents}
    assert all(terminations.values()) and not any(truncations.values())
    assert not env.agents and env.game_state == before
    for agent in env.possible_agents:
        assert infos[agent].get("illegal_action", False) == (agent in names)
        assert not infos[agent]["action_mask"].any()
        assert not last[agent].pop("action_mask").any()
        assert all(np.array_equal(last[agent][part], seen[agent][part]) for part in last[agent])
    with pytest.raises(ResetNeeded):
        env.step(actions)
    assert env.reset()[0] and len(env.agents) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda actions: {"player_0": actions["player_0"]}, "one for each of"),
        (lambda actions: {**actions, "player_9": 0}, "one for each of"),
        (lambda actions: {}, "one for each of"),
        (lambda actions: None, "one for each of"),
        (lambda actions: list(actions.values()), "one for each of"),
        (lambda actions: {**actions, "player_1": None}, "a whole number, not None"),
        (lambda actions: {**actions, "player_1": 2.0}, r"a whole number, not 2\.0"),
        (lambda actions: {**actions, "player_1": "5"}, "a whole number, not '5'"),
    ],
)
def test_bad_actions_change_nothing(change: Callable[[Any], Any], message: str) -> None:
    env, seen = start(substeps=True)
    rng = np.random.default_rng(0)
    for _ in range(2):
        before, actions = env.game_state, choose(seen, rng)
        with pytest.raises(InputError, match=message) as error:
            env.step(change(actions))
        assert "\n" not in str(error.value)
        assert env.game_state == before
        seen = env.step(actions)[0]
    assert not env.agents


def test_numpy_integers_are_actions() -> None:
    env, seen = start()
    env.step({agent: np.int32(action) for agent, action in choose(seen, env._rng).items()})
    assert not env.agents


@pytest.mark.parametrize("game", [name for name in GAMES if not make_game(name).simultaneous])
def test_a_game_of_turns_is_refused(game: str) -> None:
    for make in (GameParallel, parallel_env):
        with pytest.raises(InputError, match=f"{game} has no parallel env: its players act in"):
            make(game)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "whist"}, "no game 'whist'"),
        ({"speed": 3}, "has no option 'speed'"),
        ({"render_mode": "neon"}, "render_mode is human, ansi or rgb_array, not 'neon'"),
        ({"game": make_game("chinese_poker"), "players": 3}, "brings its own options"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parallel_env(**{"game": "chinese_poker", **arguments})


@flat_and_substeps
def test_step_before_reset(substeps: bool) -> None:
    with pytest.raises(ResetNeeded):
        GameParallel("chinese_poker", substeps=substeps).step({})


@flat_and_substeps
def test_seeds_deal_as_in_the_aec_env(substeps: bool) -> None:
    env, aec = (make("chinese_poker", substeps=substeps) for make in (GameParallel, GameAEC))
    deals = []
    for seed in (7, None, 7):
        env.reset(seed=seed)
        aec.reset(seed=seed)
        deals.append(env.game.deal_text(env.game_state))
        assert env.game_state == aec.game_state
    assert deals[0] == deals[2] != deals[1]


def test_reset_starts_from_a_deal() -> None:
    game = make_game("chinese_poker", players=3)
    deal = game.deal_text(game.deal(np.random.default_rng(99)))
    env = GameParallel(game)
    env.reset(options={"deal": deal})
    assert game.deal_text(env.game_state) == deal
    assert env.reset(options={"other": "keys are for others"})[0]


@flat_and_substeps
def test_a_state_can_be_returned_to(substeps: bool) -> None:
    env, seen = start(players=3, substeps=substeps)
    if substeps:
        env.step(choose(seen, np.random.default_rng(0)))
    state = env.game_state
    state.player = 2  # everybody is to act, whoever it says
    logs = []
    for _ in range(2):
        seen = env.reset(options={"state": state})[0]
        logs.append(play(env, seen, np.random.default_rng(1)))
    assert len(logs[0]) == 1
    assert data_equivalence(*logs)
    assert state.player == 2 and state.moves == 0


@flat_and_substeps
def test_a_state_amid_the_turns_is_refused(substeps: bool) -> None:
    """The game of one after the other passes through states that the parallel one never does."""
    game = make_game("chinese_poker", players=3, substeps=substeps)
    env = GameParallel(game)
    env.reset(seed=0)
    before = env.game_state
    state = game.deal(np.random.default_rng(0))
    with pytest.raises(InputError, match="is a view"):
        env.reset(options={"state": game.view(state, 0)})
    while True:
        game.play(state, int(game.legal(state)[0]))
        message = "is over" if game.over(state) else "some players acted and others have not"
        with pytest.raises(InputError, match=message) as error:
            env.reset(options={"state": state})
        assert "\n" not in str(error.value)
        assert env.game_state == before and len(env.agents) == 3
        if game.over(state):
            break


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": "345"}, "a deal must have 2 hands"),
        ({"deal": 7}, "must be the text of a deal, not 7"),
        ({"state": 7}, "is not a state of chinese_poker"),
        ({"deal": "345", "state": 7}, "not from both"),
    ],
)
def test_bad_reset_options(options: dict[str, Any], message: str) -> None:
    env, seen = start()
    before = env.game_state
    with pytest.raises(InputError, match=message):
        env.reset(options=options)
    assert env.game_state == before
    assert len(play(env, seen, np.random.default_rng(0))) == 1


CLONES: list[Callable[[Any], Any]] = [
    copy.deepcopy,
    copy.copy,
    lambda env: pickle.loads(pickle.dumps(env)),
]


@pytest.mark.parametrize("clone", CLONES, ids=["deepcopy", "copy", "pickle"])
@flat_and_substeps
def test_copies_go_on_with_the_game(substeps: bool, clone: Callable[[Any], Any]) -> None:
    env, seen = start(seed=5, players=3, substeps=substeps)
    if substeps:
        seen = env.step(choose(seen, np.random.default_rng(0)))[0]
    twin = clone(env)
    logs = []
    for one in (env, twin):
        log = play(one, seen, np.random.default_rng(1))
        again = one.reset()[0]
        logs.append([log, again, play(one, again, np.random.default_rng(2))])
    assert data_equivalence(*logs)


@flat_and_substeps
def test_renders(substeps: bool, capsys: pytest.CaptureFixture[str]) -> None:
    shown: dict[str, list[Any]] = {}
    for mode in start()[0].metadata["render_modes"]:
        env, seen = start(substeps=substeps, render_mode=mode)
        shown[mode] = [env.render()]
        play(env, seen, np.random.default_rng(0))
        shown[mode].append(env.render())
        env.close()
    assert shown["human"] == [None, None]
    printed = capsys.readouterr().out
    for text in shown["ansi"]:
        assert "player_1" in text
        assert printed.count(text) == 2  # by the env, and by `render`
    assert shown["ansi"][0] != shown["ansi"][1]
    for picture in shown["rgb_array"]:
        assert picture.shape == (540, 960, 3) and picture.dtype == np.uint8


def test_render_without_a_mode_warns() -> None:
    env, _ = start()
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


def test_what_is_returned_is_the_callers() -> None:
    """To write into observations does not touch the env."""
    env, seen = start()
    expected = play(copy.copy(env), copy.deepcopy(seen), np.random.default_rng(0))
    actions = choose(seen, np.random.default_rng(0))
    for sight in seen.values():
        for part in sight.values():
            part[...] = 9
    assert data_equivalence([(actions, *env.step(actions))], expected)


def test_masks_of_observations_and_infos_are_apart() -> None:
    observations, infos = GameParallel("chinese_poker").reset(seed=1)
    for agent, seen in observations.items():
        assert not np.shares_memory(seen["action_mask"], infos[agent]["action_mask"])


def test_after_ctrl_c_amid_a_step_only_a_reset_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    env, seen = start(substeps=True)
    actions = choose(seen, np.random.default_rng(0))
    with monkeypatch.context() as patch:
        # Between the play and its rewards.
        patch.setattr(env, "_growth", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.step(actions)
    with pytest.raises(ResetNeeded):
        env.step(actions)
    env.reset(seed=0)
    env.step(actions)
