"""The AEC and solo envs: determinism, copies, options, bad input; the rest is `check_game`'s."""

import copy
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from pettingzoo.test import performance_benchmark, render_test
from support import VARIANTS, positions, variant_id

from closedhand import Game, InputError, agent_names, make_game
from closedhand.core.game import State
from closedhand.core.registry import GAMES as ENVIRONMENTS
from closedhand.envs.aec import GameAEC, raw_env
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)


class Fixed:
    """A deterministic agent that has no state: its choice depends on the view alone."""

    name = "fixed"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, view: State) -> int:
        legal = self.game.legal(view)
        # Not the bytes of the view: those of padding, and of what was blanked, may be anything.
        seen = self.game.observe(view, int(view.player))["observation"].astype(int).ravel()
        return int(legal[seen @ np.arange(len(seen)) % len(legal)])


def make_aec(variant: tuple[str, dict[str, Any]], **options: Any) -> Any:
    name, rules = variant
    return pettingzoo.make("aec", ENVIRONMENTS[name].aec_id, **rules, **options)


def make_solo(variant: tuple[str, dict[str, Any]], **options: Any) -> SoloEnv:
    name, rules = variant
    opponents = options.pop("opponents", Fixed(make_game(name, **rules)))
    env = gymnasium.make(ENVIRONMENTS[name].gymnasium_id, opponents=opponents, **rules, **options)
    return env.unwrapped  # type: ignore[return-value]


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play_aec(env: Any, rng: np.random.Generator, steps: int = 10**6) -> list[Any]:
    """What `last` tells at each step of random play."""
    log = []
    for _ in range(steps):
        if not env.agents:
            break
        observation, reward, terminated, truncated, info = env.last()
        log.append((env.agent_selection, observation, reward, terminated, info))
        env.step(None if terminated or truncated else choose(observation["action_mask"], rng))
    return log


def play_solo(env: Any, rng: np.random.Generator, steps: int = 10**6) -> list[Any]:
    """What `step` returns at each step of random play."""
    log = []
    for _ in range(steps):
        log.append(env.step(choose(env.action_masks(), rng)))
        if log[-1][2]:
            break
    return log


@every_variant
def test_aec_renders(
    variant: tuple[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    render_test(lambda render_mode: make_aec(variant, render_mode=render_mode))
    assert "player_0" in capsys.readouterr().out
    env = make_aec(variant, render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (540, 960, 3)


@pytest.mark.slow
def test_performance_benchmark_runs() -> None:
    performance_benchmark(make_aec(VARIANTS[0]))


@every_variant
def test_solo_complies(variant: tuple[str, dict[str, Any]]) -> None:
    for seat in (0, make_game(variant[0]).num_players - 1, "random"):
        check_env(make_solo(variant, seat=seat), skip_render_check=True)
    for mode in SoloEnv.metadata["render_modes"]:
        env = make_solo(variant, seat=1, render_mode=mode)
        env.reset(seed=1)
        frame = env.render()
        assert (frame is None) == (mode == "human")


def test_import_is_light() -> None:
    code = "import closedhand, sys; assert not {'torch', 'PIL', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@every_variant
def test_state_is_in_its_space(variant: tuple[str, dict[str, Any]]) -> None:
    env = raw_env(variant[0], **variant[1])
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while env.agents:
        assert env.state_space.contains(env.state())
        play_aec(env, rng, 5)


def test_masks_are_zero_for_who_waits() -> None:
    env = make_aec(VARIANTS[0])
    env.reset(seed=0)
    for agent in env.agents:
        acts = agent == env.agent_selection
        assert env.observe(agent)["action_mask"].any() == acts
        assert env.infos[agent]["action_mask"].any() == acts
        assert list(env.observe(agent)) == ["observation", "status", "action_mask"]


CLONES: list[Callable[[Any], Any]] = [
    copy.deepcopy,
    copy.copy,
    lambda env: pickle.loads(pickle.dumps(env)),
]


@pytest.mark.parametrize("clone", CLONES, ids=["deepcopy", "copy", "pickle"])
@pytest.mark.parametrize("variant", VARIANTS[:2], ids=variant_id)
def test_copies_go_on_with_the_game(variant: Any, clone: Callable[[Any], Any]) -> None:
    aec, solo = raw_env(variant[0], **variant[1]), make_solo(variant, seat=1)
    plays = [(aec, play_aec), (solo, play_solo)]
    if clone is not copy.copy:  # the copy of a wrapper shares what it wraps
        plays.append((make_aec(variant), play_aec))
    for env, play in plays:
        env.reset(seed=5)
        play(env, np.random.default_rng(0), 4)
        twin = clone(env)
        logs = []
        for one in (env, twin):
            log = play(one, np.random.default_rng(1))
            one.reset()
            logs.append(log + play(one, np.random.default_rng(2)))
        assert data_equivalence(*logs)


def test_a_state_can_be_returned_to() -> None:
    env = raw_env("doudizhu")
    env.reset(seed=0)
    play_aec(env, np.random.default_rng(0), 3)
    state = env.game_state
    logs = []
    for _ in range(2):
        env.reset(options={"state": state})
        logs.append(play_aec(env, np.random.default_rng(1)))
    assert data_equivalence(*logs)


def test_states_that_the_rules_do_not_allow_are_refused() -> None:
    """And so are views."""
    game = make_game("doudizhu")
    state = game.deal(np.random.default_rng(0))
    damaged = state.copy()
    damaged.hands[1] = 2**60
    for env in (raw_env("doudizhu"), make_solo(VARIANTS[0])):
        env.reset(seed=0, options={"state": state})
        with pytest.raises(InputError, match="no state of doudizhu: the cards do not make a deck"):
            env.reset(options={"state": damaged})
        with pytest.raises(InputError, match="is a view: some cards are not known"):
            env.reset(options={"state": game.view(state, 1)})
    envs = GameVectorEnv(game, 2)
    envs.reset(seed=0)
    before = envs.states
    with pytest.raises(InputError, match=r"states\[1\] is no state of doudizhu: the cards do not"):
        envs.states = np.array([state, damaged])
    assert (envs.states == before).all()


@every_variant
def test_rewards_add_up_to_returns(variant: tuple[str, dict[str, Any]]) -> None:
    """At every step of a game that pays in stages, otherwise at the end."""
    env, rng = raw_env(variant[0], **variant[1]), np.random.default_rng(4)
    for _ in range(3):
        env.reset(seed=int(rng.integers(99)))
        before = env.game.returns(env.game_state)
        paid, asked, stages = 0 * before, dict.fromkeys(env.agents, 0.0), 0
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            asked[agent] += reward
            env.step(None if over else choose(observation["action_mask"], rng))
            if not over:
                assert list(env.rewards) == env.possible_agents
                paid += list(env.rewards.values())
                stages += any(env.rewards.values())
                assert (paid == env.game.returns(env.game_state)).all()
        assert list(asked.values()) == paid.tolist()
        assert stages == variant[1].get("rounds", 1) or not paid.any()
    solo = make_solo(variant, seat=1)
    solo.reset(seed=6)
    log = play_solo(solo, rng)
    assert sum(step[1] for step in log) == log[-1][4]["returns"][1]
    assert sum(step[1] != 0 for step in log) <= variant[1].get("rounds", 1)


def test_rewards_begin_where_the_game_does() -> None:
    """A match that is gone on with pays no points a second time."""
    game = make_game("daihinmin", rounds=3)
    state, rng = game.deal(np.random.default_rng(0)), np.random.default_rng(1)
    while not state.round_number:
        game.play(state, int(rng.choice(game.legal(state))))
    points = game.returns(state)
    assert points.any()
    env, solo = raw_env(game), SoloEnv(game, opponents=Fixed(game), seat=2)
    for one in (env, solo):
        one.reset(seed=0, options={"state": state})
    log = play_aec(env, rng)
    assert sum(step[2] for step in log) == 30
    log = play_solo(solo, rng)
    assert sum(step[1] for step in log) == log[-1][4]["returns"][2] - points[2]
    envs = GameVectorEnv(game, 2, opponents=Fixed(game), seat=2)
    for start in (lambda: envs.reset(options={"state": state}),
                  lambda: setattr(envs, "states", np.array([state, state]))):  # fmt: skip
        start()
        rewards, over = np.zeros(2), np.zeros(2, bool)
        while not over.any():
            observation, _ = envs.observe()
            _, reward, over, _, info = envs.step(observation["action_mask"].argmax(axis=1))
            rewards += reward
        assert (rewards == info["returns"][:, 2] - points[2]).all()


@pytest.mark.parametrize("illegal", ["pass", "error"])
def test_lenient_envs_go_on_after_an_illegal_action(illegal: str) -> None:
    variant = ("daihinmin", {"illegal": illegal})
    aec, solo, envs = make_aec(variant), make_solo(variant), GameVectorEnv(variant[0], **variant[1])
    for env in (aec, solo, envs):
        env.reset(seed=0)
    masks = aec.last()[0]["action_mask"], solo.action_masks(), envs.observe()[0]["action_mask"][0]
    wrong = [np.argmin(mask) for mask in masks]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aec.step(wrong[0])
    ended = {solo.step(wrong[1])[2], bool(envs.step(np.array(wrong[2:]))[2])}
    assert ended == {all(aec.terminations.values())} == {illegal == "error"}
    if illegal == "pass":
        assert solo.step(np.int64(99_999))[1:3] == (solo.illegal_reward, True)


@pytest.mark.skipif("random" not in agent_names("doudizhu"), reason="closedhand is not installed")
def test_seed_reproduces_opponents_that_are_named() -> None:
    env = make_solo(VARIANTS[0], opponents="random", seat=2)
    check_env(env, skip_render_check=True)
    logs = []
    for _ in range(2):
        first = env.reset(seed=3)
        log = play_solo(env, np.random.default_rng(0))
        second = env.reset()
        logs.append([first, *log, second, *play_solo(env, np.random.default_rng(0))])
    assert data_equivalence(*logs)


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_seed_reproduces_a_solo_episode(seat: int | str) -> None:
    env = make_solo(VARIANTS[0], seat=seat)
    logs = []
    for _ in range(2):
        first = env.reset(seed=3)
        logs.append([first, *play_solo(env, np.random.default_rng(0))])
    assert data_equivalence(*logs)
    final = logs[0][-1]
    assert final[1] == final[4]["returns"][env.seat]
    assert not final[4]["action_mask"].any()


def test_opponents_sit_in_order_after_us() -> None:
    game = make_game("doudizhu")
    asked: list[tuple[str, int]] = []

    class Spy(Fixed):
        def __init__(self, name: str) -> None:
            super().__init__(game)
            self.name = name

        def act(self, view: State) -> int:
            asked.append((self.name, int(view.player)))
            assert not view.hands[(view.player + 1) % 3]
            return super().act(view)

    env = SoloEnv(game, opponents=[Spy("next"), Spy("last")], seat=1)
    env.reset(seed=0)
    play_solo(env, np.random.default_rng(0))
    assert set(asked) == {("next", 2), ("last", 0)}


def deal_of(variant: tuple[str, dict[str, Any]]) -> str:
    game = make_game(variant[0], **variant[1])
    return game.deal_text(game.deal(np.random.default_rng(99)))


@every_variant
def test_reset_starts_from_a_deal(variant: tuple[str, dict[str, Any]]) -> None:
    deal = deal_of(variant)
    for env in (make_aec(variant), make_solo(variant)):
        env.reset(seed=1, options={"deal": deal})
        unwrapped = env.unwrapped
        assert unwrapped.game.deal_text(unwrapped.game_state) == deal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": "345"}, "a deal is four fields"),
        ({"deal": 7}, "is the text of a deal, not 7"),
        ({"state": 7}, "is no state of doudizhu"),
        ({"deal": "345", "state": 7}, "not from both"),
    ],
)
def test_bad_reset_options(options: dict[str, Any], message: str) -> None:
    for env in (raw_env("doudizhu"), make_solo(VARIANTS[0])):
        with pytest.raises(InputError, match=message) as error:
            env.reset(options=options)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "whist"}, "no game 'whist'"),
        ({"rules": "house"}, "has no rules 'house'"),
        ({"speed": 3}, "has no option 'speed'"),
        ({"render_mode": "neon"}, "no render mode 'neon'"),
        ({"game": make_game("doudizhu"), "substeps": True}, "brings its own options"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    arguments = {"game": "doudizhu", **arguments}
    with pytest.raises(InputError, match=message):
        raw_env(**arguments)
    with pytest.raises(InputError, match=message):
        SoloEnv(opponents=Fixed(make_game("doudizhu")), **arguments)


@pytest.mark.parametrize("seat", [3, -1, "landlord"])
def test_wrong_seat(seat: Any) -> None:
    with pytest.raises(InputError, match="seat is 0 to 2"):
        make_solo(VARIANTS[0], seat=seat)


def test_wrong_opponents() -> None:
    with pytest.raises(InputError, match="has 2 other seats"):
        make_solo(VARIANTS[0], opponents=[Fixed(make_game("doudizhu"))])
    with pytest.raises(InputError, match="no agent 'nobody'"):
        make_solo(VARIANTS[0], opponents="nobody")


@pytest.mark.parametrize("action", [12654, 99999, -1, 2.5, None])
def test_raw_env_refuses_an_illegal_action_and_goes_on(action: Any) -> None:
    env = GameAEC("doudizhu")
    env.reset(seed=0)
    before = env.game_state
    with pytest.raises(InputError, match=r"not legal|none of the|whole number"):
        env.step(action)
    assert env.game_state == before
    assert len(play_aec(env, np.random.default_rng(0))) > 3


def test_wrapped_env_ends_with_a_penalty() -> None:
    env = make_aec(VARIANTS[0], illegal_reward=-3)
    env.reset(seed=0)
    agent = env.agent_selection
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(env.unwrapped.game.parse("PASS"))
    assert env.rewards == {a: -3 if a == agent else 0 for a in env.possible_agents}
    assert all(env.terminations.values())


def test_solo_env_ends_with_a_penalty() -> None:
    env = make_solo(VARIANTS[0])
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.game.parse("PASS"))
    assert (reward, terminated, truncated) == (env.illegal_reward, True, False)
    assert info["illegal_action"] and not observation["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_an_opponent_that_cheats_is_named() -> None:
    class Cheat(Fixed):
        def act(self, view: State) -> int:
            return -5

    env = make_solo(VARIANTS[0], opponents=Cheat(make_game("doudizhu")), seat=1)
    with pytest.raises(InputError, match="agent 'fixed' cannot play on: action -5"):
        env.reset(seed=0)


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=str)
def test_every_env_has_a_page(environment: Any) -> None:
    assert len(environment.doc) > 1000
    assert environment.doc.count("Args:") == 1


def test_a_given_state_that_ends_before_our_turn_is_refused() -> None:
    """It would end so for ever, while a shuffled game is dealt again."""
    state = next(
        state.copy()
        for state in positions(make_game("doudizhu"), seed=1, games=50)
        if state.player == 1 and state.left[1] == 1 and state.target < 0  # his last card: he leads
    )
    for env in (
        SoloEnv("doudizhu", seat=2, opponents="greedy"),
        GameVectorEnv("doudizhu", 2, seat=2, opponents="greedy"),
    ):
        with pytest.raises(InputError, match="before the seat's first turn"):
            env.reset(seed=1, options={"state": state})
