"""Opponents within kernels: the episodes are those of agents that are asked in Python."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from support_policies import Stray

from closedhand import Game, InputError, make_agent, make_game
from closedhand.agents.agent import KernelAgent
from closedhand.agents.random import RandomAgent
from closedhand.core import batch_kernels
from closedhand.core.agents import Agent, act_batch
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.game import State
from closedhand.core.policies import policy_of
from closedhand.envs import GameVectorEnv, SoloEnv, opponents

SUBSTEPS = ("doudizhu", {"substeps": True})
AUCTION = ("doudizhu", {"bidding": True, "objective": "win"})
ROUNDS = ("daihinmin", {"rounds": 2, "illegal": "pass"})
IN_SETS = ("daihinmin", {"actions": "card_sets", "illegal": "error"})

CASES = [
    (("uh_leduc", {}), "random"),
    (SUBSTEPS, "random"),
    (SUBSTEPS, "rule"),
    (SUBSTEPS, ["decompose", "random"]),
    (AUCTION, ["greedy", "rule"]),
    (("chinese_poker", {"players": 3, "substeps": True}), "random"),
    (ROUNDS, "default"),
    (ROUNDS, ["kou", "random", "min-sets", "trick-ender"]),
    (IN_SETS, ["random", "default", "min-sets", "random"]),
]
"""Kernels are compiled for each; most of all for `kou`, so that it plays once."""
QUICK = 1
"""Cases of a quick run."""


class Outside:
    """An agent as it was before: asked in Python, in batches."""

    def __init__(self, agent: Any) -> None:
        self.name, self._agent = agent.name, agent

    def act(self, view: Any) -> int:
        return self._agent.act(view)

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        return act_batch(self._agent, views)


class OldRandom:
    """The agent `random` as it was before, with a generator of NumPy's."""

    name = "random"

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self._rng = game, np.random.default_rng(seed)

    def act(self, view: Any) -> int:
        return int(self.act_batch(np.array([view], self.game.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        actions, ids = np.empty((2, max(len(views), self.game.num_actions)), np.int32)
        actions = actions[: len(views)]
        batch_kernels.sample_all(self.game.rules, views, self._rng, ids, actions)
        return actions


def outside(game: Game, spec: Any, seed: int) -> Any:
    return OldRandom(game, seed) if spec == "random" else Outside(make_agent(game, spec, seed))


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes and resets an env whose opponents are asked in Python."""

    def make(kind: Any, *args: Any, **options: Any) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr(opponents, "make_agent", outside)
            env = kind(*args, **options)
            look = env.reset(seed=5)  # which makes the agents anew
            assert env._opponents.policies is None
        return env, look

    return make


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def cases(test: Any) -> Any:
    marked = [
        pytest.param(*case, id=f"{case[0][0]}-{i}", marks=[] if i < QUICK else [pytest.mark.slow])
        for i, case in enumerate(CASES)
    ]
    return pytest.mark.parametrize(("variant", "names"), marked)(test)


@cases
def test_a_solo_env_plays_the_same_episodes(variant: Any, names: Any, slowly: Any) -> None:
    name, rules = variant
    options = {"opponents": names, "seat": "random", **rules}
    quick = SoloEnv(name, **options)
    slow, expected = slowly(SoloEnv, name, **options)
    assert quick._opponents.policies is not None
    looks = quick.reset(seed=5)
    rng, over, ends = np.random.default_rng(0), False, 0
    lenient = quick.game.lenient
    for step in range(120):
        assert data_equivalence(looks, expected)
        mask = looks[0]["action_mask"]
        wrong = step % 50 == 49 and not over and not lenient
        action = choose(mask == 0, rng) if wrong else None if over else choose(mask, rng)
        looks, expected = (
            (env.reset() if over else env.step(action)) for env in (quick, slow)
        )  # fmt: skip
        over = not over and looks[2]
        ends += over
    assert ends and quick.game_state == slow.game_state


SETTLED = {f"{case[0][0]}-{i}": case for i, case in enumerate(CASES) if "random" not in case[1]}
"""Those without draws: in a vector env policies draw from the streams of the games."""


@pytest.mark.slow
@pytest.mark.parametrize("case", SETTLED)
@pytest.mark.parametrize("seat", [1, "random"])
def test_a_vector_env_plays_the_same_episodes(case: str, seat: Any, slowly: Any) -> None:
    (name, rules), names = SETTLED[case]
    options = {"num_envs": 7, "opponents": names, "seat": seat, **rules}
    quick = GameVectorEnv(name, **options)
    slow, expected = slowly(GameVectorEnv, name, **options)
    assert quick._opponents.policies is not None
    looks = quick.reset(seed=5)
    assert data_equivalence(looks, expected)
    rng = np.random.default_rng(0)
    for _ in range(40):
        masks = looks[0]["action_mask"]
        actions = np.argmax(masks * rng.random(masks.shape), axis=1)
        looks, expected = quick.step(actions), slow.step(actions)
        assert data_equivalence(looks, expected)
    assert (quick.states == slow.states).all()


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_have_policies_of_their_own(clone: Any) -> None:
    env = SoloEnv("leduc", opponents="random")
    env.reset(seed=1)
    twin = clone(env)
    logs = []
    for one in (env, twin):
        rng, log = np.random.default_rng(0), []
        for _ in range(30):
            log.append(one.step(choose(one.action_masks(), rng)))
            if log[-1][2]:
                log.append(one.reset())
        logs.append(log)
    assert data_equivalence(*logs)


def test_an_agent_that_is_given_keeps_its_own_course() -> None:
    """Its random numbers go on, in kernels and out of them."""
    agent, twin = (RandomAgent(SoloEnv("leduc").game, 3) for _ in range(2))
    env = SoloEnv("leduc", opponents=agent)
    slow = SoloEnv("leduc", opponents=Outside(twin))
    state = env.game.deal(np.random.default_rng(0))
    for seed in range(5):
        assert data_equivalence(env.reset(seed=seed), slow.reset(seed=seed))
        action = choose(env.action_masks(), np.random.default_rng(seed))
        assert data_equivalence(env.step(action), slow.step(action))
        assert agent.act(state) == twin.act(state)


class Stubborn(RandomAgent):
    """An agent with a choice of its own."""

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        return np.array([self.game.legal(view)[0] for view in views])


class Renamed(RandomAgent):
    """An agent with nothing of its own but a name."""


class Minimal:
    """An agent whose policy is an attribute of the object."""

    def __init__(self, game: Game) -> None:
        self.name, self.kernel_policy = "minimal", RandomAgent(game).kernel_policy

    def act(self, view: State) -> int:
        return 0


class Typed(Minimal, Agent):
    """One that names the protocol, whose `act` is empty."""


class Careful(Minimal):
    """One with another choice."""

    def act(self, view: State) -> int:
        return 1


class Batched(BatchAgent):
    """One whose base class leaves the choice to it."""

    def __init__(self, game: Game) -> None:
        super().__init__(game, "batched")
        self.kernel_policy = RandomAgent(game).kernel_policy

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        return np.zeros(len(views), int)


def test_whoever_acts_in_python_is_asked_there() -> None:
    env = SoloEnv("leduc")
    own = RandomAgent(env.game)
    own.act = lambda view: 0  # type: ignore[method-assign]
    assert policy_of(Stubborn(env.game)) is None is policy_of(own)
    assert policy_of(Renamed(env.game)) is not None
    assert policy_of(Minimal(env.game)) is not None is not policy_of(Batched(env.game))
    assert policy_of(Typed(env.game)) is not None
    logged = Minimal(env.game)
    logged.act = lambda view: 1  # type: ignore[method-assign]
    assert policy_of(Careful(env.game)) is None is policy_of(logged)
    assert policy_of(object()) is None
    assert SoloEnv("leduc", opponents=Stubborn(env.game))._opponents.policies is None


@pytest.mark.slow
def test_an_illegal_action_in_a_kernel_is_refused() -> None:
    game = make_game("leduc")
    agent = KernelAgent(game, "stray", Stray())
    for env in (SoloEnv(game, opponents=agent), GameVectorEnv(game, 3, opponents=agent)):
        assert env._opponents.policies is not None
        with pytest.raises(InputError, match="agent 'stray' cannot continue: action -1 is not one"):
            for seed in range(50):
                env.step(env.reset(seed=seed)[0]["action_mask"].argmax(axis=-1))
