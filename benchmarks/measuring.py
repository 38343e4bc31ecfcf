"""What the benchmarks of all games share: rates by CPU time, and one way to drive an AEC env."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.agents import act_batch, make_agent
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel, seed_in_kernel

VIEWS = 2000
"""Views of a call of `decision_time`, at least."""


def rate(work: Callable[[], int], seconds: float) -> float:
    """Repeat `work`, which returns how much it did, and divide by the time it took."""
    work()
    done = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += work()
    return done / spent


def aec_steps(env: Any, seconds: float) -> float:
    """Steps a second of an AEC env with observation and mask, random legal play."""
    rng = np.random.default_rng(0)
    seeds: Iterator[int] = iter(range(10**9))

    def work() -> int:
        env.reset(seed=next(seeds))
        steps = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            (legal,) = observation["action_mask"].view(bool).nonzero()
            env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return rate(work, seconds)


def solo_steps(env: Any, seconds: float) -> float:
    """Steps a second of a Gymnasium env with observation and mask, random legal play."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def work() -> int:
        observation, _ = env.reset()
        steps, over = 0, False
        while not over:
            (legal,) = observation["action_mask"].view(bool).nonzero()
            observation, _, over, _, _ = env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return rate(work, seconds)


def decision_time(game: Game, agent: str, seconds: float) -> float:
    """Microseconds of a decision between several actions, of many views in one call.

    The views are of games of the agent against itself.
    """
    player, rng = make_agent(game, agent, 0), np.random.default_rng(0)
    views = []
    while len(views) < VIEWS:
        state = game.deal(rng)
        while not game.over(state):
            view = game.view(state, int(state.player))
            if len(game.legal(state)) > 1:
                views.append(view)
            game.play(state, player.act(view))
    together = np.array(views, game.dtype)
    return 1e6 / rate(lambda: len(act_batch(player, together)), seconds)


@kernel
def random_games(rules, states, rng, ids):
    """Deal and play one random game in each of `states`; return the number of actions."""
    moves = 0
    for i in range(len(states)):
        contract.deal(rules, states[i], seed_in_kernel(rng))
        moves += contract.random_playout(rules, states[i], rng, ids)
    return moves


@kernel
def pick(masks, random, out):
    """A legal action of each row of masks: the one that `random`, 0 to 1, points to."""
    for i in range(len(masks)):
        left = np.int64(random[i] * masks[i].sum())
        action = -1
        while left >= 0:
            action += 1
            left -= masks[i, action]
        out[i] = action


def vector_steps(env: Any, seconds: float) -> float:
    """Agent steps a second of a VectorEnv, planes and masks, random legal play."""
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    masks = [observation["action_mask"]]
    actions = np.zeros(env.num_envs, np.int64)

    def work() -> int:
        pick(masks[0], rng.random(env.num_envs), actions)
        masks[0] = env.step(actions)[0]["action_mask"]
        return env.num_envs

    return rate(work, seconds)
