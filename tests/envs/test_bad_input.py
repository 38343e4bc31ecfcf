"""Bad actions, seeds and options in every registered env: one clear line, and nothing changes.

The check is that an env that gets bad input before every reset and every step goes on exactly as
one that does not.
"""

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from support_envs import Fixed, choose

from closedhand import GAMES, InputError, make_game
from closedhand.envs.aec import GameAEC, raw_env
from closedhand.envs.observation_form import ACTION_MASK
from closedhand.envs.parallel import GameParallel
from closedhand.envs.seat_vector import SeatVectorEnv
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.wrappers import AutoPass, DuplicateDealing, KickerSubsteps

NO_WHOLE_NUMBERS: list[Any] = [
    1.5, 1.0, float("nan"), float("inf"), None, True, False, np.True_, np.float32(1), "1", "", b"1",
    [1], (1,), {}, {1}, object(), 1j, np.array([0]), np.array(1.0), np.zeros((2, 2), int), type,
]  # fmt: skip
OUT_OF_RANGE: list[Any] = [-1, -(2**70), 2**31, 2**63, 2**70, 10**5000, np.uint64(2**64 - 1)]

BAD_SEEDS: list[Any] = [
    -1, -(10**5000), 1.5, float("nan"), True, np.False_, "3", "", b"3", [], {}, (), object(), [-1],
    np.float64(3), np.int64(-3), np.array([1.5]), type,
]  # fmt: skip
BAD_OPTIONS: list[Any] = [
    0, 3, True, 1.5, "", "deal", [], ["deal"], {"deal"}, object(), type,
    {"deal": 3}, {"deal": ""}, {"deal": b""}, {"deal": "x" * 10**5}, {"deal": ["x"]},
    {"deal": "\ud800"}, {"deal": ";;;;"}, {"state": 3}, {"state": "x"}, {"state": []},
    {"state": np.zeros(3)}, {"deal": "x", "state": 3},
]  # fmt: skip

EPISODES = 2
STEPS = 4
"""Steps of an episode that are disturbed; the rest is played in peace."""


def refuses(call: Callable[[], object], what: Any) -> None:
    """The call raises an `InputError` of one line."""
    try:
        call()
    except InputError as error:
        line = str(error)
        assert line and "\n" not in line and len(line) < 700, what
    else:
        raise AssertionError(f"{type(what).__name__} is taken for something good")


class Form:
    """One way to play a game: how it is made, reset and stepped, and what is bad in it."""

    bad_actions = [*NO_WHOLE_NUMBERS, *OUT_OF_RANGE]
    bad_seeds = BAD_SEEDS

    def __init__(self, name: str) -> None:
        self.spec = GAMES[name]
        self.env: Any = self.make()

    def make(self, **kwargs: Any) -> Any:
        return pettingzoo.make("aec", self.spec.aec_id, **kwargs)

    def reset(self, **kwargs: Any) -> Any:
        self.env.reset(**kwargs)
        return self.env.last()

    def over(self) -> bool:
        return not self.env.agents or all(self.env.terminations.values())

    def step(self, rng: np.random.Generator) -> Any:
        self.env.step(choose(self.env.last()[0][ACTION_MASK], rng))
        return self.env.last(), dict(self.env.rewards)

    def play(self, disturbed: bool) -> list[Any]:
        """What the env tells in some episodes, the later ones from the stream of the first."""
        log: list[Any] = []
        for episode in range(EPISODES):
            if disturbed and episode:
                self.disturb_reset()
            log.append(self.reset(seed=5 if episode == 0 else None))
            rng = np.random.default_rng(episode)
            steps = 0
            while not self.over():
                if disturbed and steps < STEPS:
                    self.disturb_step()
                if disturbed and steps == STEPS:
                    self.disturb_reset()
                log.append(self.step(rng))
                steps += 1
        return log

    def disturb_step(self) -> None:
        for action in self.bad_actions:
            refuses(lambda action=action: self.env.step(action), action)

    def disturb_reset(self) -> None:
        for seed in self.bad_seeds:
            refuses(lambda seed=seed: self.env.reset(seed=seed), seed)
        for options in BAD_OPTIONS:
            refuses(lambda options=options: self.env.reset(options=options), options)
            refuses(lambda options=options: self.env.reset(seed=1, options=options), options)


class Lean(Form):
    """The AEC env in which illegal actions are errors."""

    def make(self, **kwargs: Any) -> Any:
        return raw_env(self.spec.name, **kwargs)


class Wrapped(Form):
    """All wrappers of an AEC env; a reset is of the whole schedule."""

    def make(self, **kwargs: Any) -> Any:
        env = AutoPass(pettingzoo.make("aec", self.spec.aec_id, **kwargs))
        if env.unwrapped.game.substep_options:
            env = KickerSubsteps(env)
        sides = len(set(env.unwrapped.game.sides))
        return DuplicateDealing(env, [f"team {i}" for i in range(sides)])


class Parallel(Form):
    """The parallel env; ids out of range are illegal actions, which end the game."""

    bad_actions = NO_WHOLE_NUMBERS

    def make(self, **kwargs: Any) -> Any:
        return pettingzoo.make("parallel", self.spec.parallel_id, **kwargs)

    def reset(self, **kwargs: Any) -> Any:
        self.seen = self.env.reset(**kwargs)
        return self.seen

    def over(self) -> bool:
        return not self.env.agents

    def step(self, rng: np.random.Generator) -> Any:
        self.seen = self.env.step(self.actions(rng))
        return self.seen

    def actions(self, rng: np.random.Generator) -> dict[str, int]:
        return {agent: choose(self.seen[0][agent][ACTION_MASK], rng) for agent in self.env.agents}

    def disturb_step(self) -> None:
        good = self.actions(np.random.default_rng(0))
        for bad in (None, 3, "x", [], {}, {"player_0": 0}, {**good, "player_9": 0}):
            refuses(lambda bad=bad: self.env.step(bad), bad)
        for action in self.bad_actions:
            bad = {**good, "player_1": action}
            refuses(lambda bad=bad: self.env.step(bad), action)


class Solo(Form):
    """One seat; ids out of range are illegal actions, which end the game."""

    bad_actions = NO_WHOLE_NUMBERS

    def make(self, **kwargs: Any) -> Any:
        opponents = kwargs.pop("opponents", Fixed(make_game(self.spec.name)))
        return gymnasium.make(self.spec.gymnasium_id, opponents=opponents, **kwargs)

    def reset(self, **kwargs: Any) -> Any:
        self.ended = False
        return self.env.reset(**kwargs)

    def over(self) -> bool:
        return self.ended

    def step(self, rng: np.random.Generator) -> Any:
        seen = self.env.step(choose(self.env.unwrapped.action_masks(), rng))
        self.ended = seen[2]
        return seen


class Vector(Solo):
    """Three games of one seat side by side, the other seats played inside."""

    bad_actions = [
        None, 1, 1.5, "111", [], [1], [1, 2], [[1, 2, 3]], [[1], [1, 2], []], [1.0, 1.0, 1.0],
        [True, False, True], [None, None, None], ["1", "1", "1"], [2**70, 1, 1], [10**5000, 1, 1],
        {0: 1, 1: 1, 2: 1}, np.zeros((3, 1), int), np.zeros(3), np.ones(3, bool), object(), type,
    ]  # fmt: skip
    bad_seeds = [
        *BAD_SEEDS, [1, 2], [1, 2, -3], [1, 2, 3.5], [1, 2, "3"], [True, 2, 3], "123",
        np.array([1.0, 2, 3]), np.zeros((3, 2), int), np.array(3.0), {1: 2, 2: 3, 3: 4},
        [[1], [2, 3], []],
    ]  # fmt: skip

    def make(self, **kwargs: Any) -> Any:
        opponents = kwargs.pop("opponents", Fixed(make_game(self.spec.name)))
        kwargs = {"num_envs": 3, "opponents": opponents, **kwargs}
        return gymnasium.make_vec(self.spec.gymnasium_id, **kwargs)

    def reset(self, **kwargs: Any) -> Any:
        self.ended = False
        self.seen = self.env.reset(**kwargs)
        return self.seen

    def step(self, rng: np.random.Generator) -> Any:
        masks = self.seen[0][ACTION_MASK]
        actions = [choose(mask, rng) if mask.any() else 0 for mask in masks]
        self.seen = self.env.step(np.array(actions))
        self.ended = bool(self.seen[2].any())
        return self.seen

    def disturb_reset(self) -> None:
        super().disturb_reset()
        for mask in (1, "yes", [], [True], [1, 0, 1], [[True], [], []], [False] * 3, np.ones(3)):
            options = {"reset_mask": mask}
            refuses(lambda options=options: self.env.reset(seed=1, options=options), mask)


def every_form() -> Iterator[Any]:
    for name, spec in GAMES.items():
        for form in (Form, Lean, Wrapped, Solo, Vector):
            yield pytest.param(form, name, id=f"{form.__name__}-{name}")
        if spec.parallel_id:
            yield pytest.param(Parallel, name, id=f"Parallel-{name}")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("form", "name"), list(every_form()))
def test_bad_input_is_refused_and_changes_nothing(form: type[Form], name: str) -> None:
    assert data_equivalence(form(name).play(disturbed=True), form(name).play(disturbed=False))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("form", "name"), list(every_form()))
def test_large_seeds_are_seeds(form: type[Form], name: str) -> None:
    one, two, other = form(name), form(name), form(name)
    one.reset(seed=99999999999999999999)
    two.reset(seed=99999999999999999999)
    other.reset(seed=99999999999999999998)
    states = [np.array(getattr(each.env.unwrapped, "states", None)
                       if form is Vector else each.env.unwrapped.game_state).tobytes()
              for each in (one, two, other)]  # fmt: skip
    assert states[0] == states[1] != states[2]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("action", OUT_OF_RANGE, ids=[f"bad{i}" for i in range(len(OUT_OF_RANGE))])
def test_ids_out_of_range_end_the_games_of_one_seat(name: str, action: Any) -> None:
    solo = Solo(name)
    solo.reset(seed=1)
    _, reward, terminated, _, info = solo.env.step(action)
    assert (reward, terminated, info["illegal_action"]) == (-10, True, True)
    if abs(int(action)) < 2**63:
        vector = Vector(name)
        vector.reset(seed=1)
        good = int(vector.seen[0][ACTION_MASK][1].argmax())
        _, rewards, over, _, infos = vector.env.step(np.array([action, good, action], np.int64))
        assert rewards[[0, 2]].tolist() == [-10, -10] and over[[0, 2]].all()
        assert infos["illegal_action"].tolist() == [True, False, True]


BAD_ARGUMENTS: dict[str, list[Any]] = {
    "game": [None, 3, "", "no such game", [], type],
    "render_mode": [3, "neon", [], {}, b"human"],
    "no_such_option": [1, "x", None],
    "illegal_reward": ["x", float("nan"), float("inf"), 10**400, True, [], 1j],
    "opponents": [3, 1.5, True, "no such agent", [], ["random"] * 9, [3], b"random", {}, "["],
    "seat": [-1, 99, True, 1.5, "x", "0", None, [], {}, np.zeros(2)],
    "num_envs": [0, -1, 1.5, True, "3", None, 10**30, [], float("nan")],
    "autoreset_mode": [3, "x", None, [], {}],
}
"""Bad values of the arguments of envs by name."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("form", "name"), list(every_form()))
def test_bad_arguments_are_refused(form: type[Form], name: str) -> None:
    known = {"no_such_option", "illegal_reward"}
    known |= {"render_mode"} if form is not Solo else set()  # Gymnasium itself looks at it first
    known |= {"opponents", "seat"} if form in (Solo, Vector) else set()
    plays = form(name)
    if form in (Parallel, Solo, Vector):
        refuses(lambda: plays.make(illegal_reward=None), None)
    for argument in known:
        for value in BAD_ARGUMENTS[argument]:
            refuses(lambda given={argument: value}: plays.make(**given), (argument, value))
    for option in GAMES[name].option_table:
        for value in (3.5, "no such value", float("nan"), [], type):
            refuses(lambda given={option.name: value}: plays.make(**given), (option, value))


@pytest.mark.parametrize("argument", ["game", "num_envs", "autoreset_mode", "render_mode"])
def test_bad_arguments_of_classes_are_refused(argument: str) -> None:
    for value in BAD_ARGUMENTS[argument]:
        given = {"game": "leduc", argument: value}
        refuses(lambda given=given: GameVectorEnv(**given), (argument, value))
        if argument in ("game", "render_mode"):
            refuses(lambda given=given: SoloEnv(**given), (argument, value))


@pytest.mark.parametrize("name", GAMES)
def test_rows_of_all_seats_refuse_bad_options(name: str) -> None:
    envs = SeatVectorEnv(name, 2)
    seen = envs.reset(seed=1)
    for options in BAD_OPTIONS:
        refuses(lambda options=options: envs.reset(options=options), options)
    again = SeatVectorEnv(name, 2)
    assert data_equivalence(seen, again.reset(seed=1))
    actions = [int(mask.argmax()) for mask in seen[0][ACTION_MASK]]
    assert data_equivalence(envs.step(np.array(actions)), again.step(np.array(actions)))


def test_nothing_is_shown_before_a_game() -> None:
    parallel = GameParallel("chinese_poker", render_mode="ansi")
    table, vector = (make("leduc", render_mode="ansi") for make in (GameAEC, GameVectorEnv))
    for look in (table.state, table.render, parallel.state, parallel.render, vector.render,
                 vector.observe):  # fmt: skip
        with pytest.raises(gymnasium.error.ResetNeeded):
            look()


@pytest.mark.parametrize("action", [0, None])
def test_no_action_is_taken_when_all_have_left(action: int | None) -> None:
    env = GameAEC("leduc")
    env.reset(seed=0)
    while env.agents:
        mask = env.infos[env.agent_selection][ACTION_MASK]
        env.step(int(mask.argmax()) if mask.any() else None)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(action)


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: gymnasium.make("closedhand/Leduc-v0", **more),
        lambda **more: gymnasium.make_vec("closedhand/Leduc-v0", **more),
        lambda **more: pettingzoo.make("aec", "closedhand/leduc-v0", **more),
        lambda **more: pettingzoo.make("parallel", "closedhand/chinese_poker-v0", **more),
        lambda **more: SeatVectorEnv("leduc", **more),
        lambda **more: SoloEnv(make_game("leduc"), **more),
    ],
)
def test_an_unknown_option_is_a_type_error_as_libraries_expect(make: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as caught:
        make(frameskip=4)
    assert isinstance(caught.value, InputError)
