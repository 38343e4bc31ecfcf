"""How fast the installed package plays: rates of kernels, envs and agents on this machine."""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.agents import act_batch, make_agent
from closedhand.core.game import Game
from closedhand.core.numba.fast_call import borrowed
from closedhand.core.numba.jit import inlined, kernel, seed_in_kernel

VIEWS = 2000
"""Minimum number of views that `decision_rate` passes to an agent at once."""
STEPS = 50
"""Steps on a device between two looks at the clock."""
MASK = "action_mask"
BLOCK = 32
"""Entries of a mask that `pick` counts at once: at most 127, as the count is int8."""


class Figure(NamedTuple):
    """A measured rate: what was done, how often a second, and what was counted."""

    what: str
    rate: float
    unit: str


def rate(
    work: Callable[[], int], seconds: float, clock: Callable[[], float] = time.process_time
) -> float:
    """Measure how many units of work are done a second; a first call of `work` is not measured.

    `work` returns the number of units that it did. The default clock is processor time.
    """
    work()
    done = 0
    start = clock()
    while (spent := clock() - start) < seconds or not done:
        done += work()
    return done / spent


def aec_steps(env: Any, seconds: float) -> float:
    """Measure steps of an AEC env a second, with observation and mask, by random legal play."""
    rng, seeds = np.random.default_rng(0), itertools.count()

    def work() -> int:
        env.reset(seed=next(seeds))
        steps = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            (legal,) = observation[MASK].view(bool).nonzero()
            env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return rate(work, seconds)


def solo_steps(env: Any, seconds: float) -> float:
    """Measure steps of a Gymnasium env a second, with observation and mask, as in `aec_steps`."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def work() -> int:
        observation, _ = env.reset()
        steps, over = 0, False
        while not over:
            (legal,) = observation[MASK].view(bool).nonzero()
            observation, _, over, _, _ = env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return rate(work, seconds)


@kernel
def pick(masks, random, out):
    """Draw a legal action from each row of masks into `out`, integers [n].

    `masks` are int8 [n, actions], 0 or 1, with a 1 in every row; `random` are n numbers in [0, 1).
    """
    (masks,) = borrowed((masks,))
    for i in range(len(masks)):
        mask = masks[i]
        number = np.int32(0)
        for action in range(len(mask)):
            number = np.int32(number + mask[action])
        left = np.int64(random[i] * number)
        start = 0
        while start + BLOCK <= len(mask):  # skips whole blocks
            here = marked(mask, start)
            if here > left:
                break
            left -= here
            start += BLOCK
        action = start - 1
        while left >= 0:
            action += 1
            left -= mask[action]
        out[i] = action


@inlined
def marked(mask, start):
    """Count the legal actions in the `BLOCK` entries of a mask from `start` on; all must exist."""
    number = np.int8(0)  # narrow, so that one instruction adds many
    for k in range(BLOCK):
        number = np.int8(number + mask[np.uint64(start + k)])
    return number


def vector_steps(env: Any, seconds: float) -> float:
    """Measure the steps of all games of a VectorEnv a second, by random legal play."""
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    masks = [observation[MASK]]
    actions = np.zeros(env.num_envs, np.int64)

    def work() -> int:
        pick(masks[0], rng.random(env.num_envs), actions)
        masks[0] = env.step(actions)[0][MASK]
        return env.num_envs

    return rate(work, seconds)


@kernel
def random_games(rules, states, rng, ids):
    """Deal and play one random game in each of `states`; return the number of all actions.

    `ids` is scratch memory, int32 [num_actions].
    """
    moves = 0
    for i in range(len(states)):
        contract.deal(rules, states[i], seed_in_kernel(rng))
        moves += contract.random_playout(rules, states[i], rng, ids)
    return moves


def decision_rate(game: Game, agent: str, seconds: float) -> float:
    """Measure the decisions of an agent a second, on many views at once.

    The views, each with several legal actions, are of games of the agent against itself.
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
    return rate(lambda: len(act_batch(player, together)), seconds)


def on_cpu(
    game: Game, games: int, agents: Sequence[str], opponent: str, seconds: float
) -> Iterator[Figure]:
    """Measure a game and the decisions of agents on one core, each for `seconds` of processor time.

    The vector envs have `games` games. In the Gymnasium env one seat plays against `opponent`.
    """
    from closedhand.envs.aec import GameAEC
    from closedhand.envs.solo import SoloEnv
    from closedhand.envs.vector import GameVectorEnv

    states, ids = game.empty(1000), np.empty(game.num_actions, np.int32)
    rng = np.random.default_rng(0)
    found = rate(lambda: int(random_games(game.rules, states, rng, ids)), seconds)
    yield Figure("random games in a kernel", found, "actions")
    for form in "planes", "compact":
        envs = GameVectorEnv(game, games, reward="seats", observation=form)
        yield Figure(f"VectorEnv, {games:,} games, {form}", vector_steps(envs, seconds), "steps")
    yield Figure("AEC env, planes", aec_steps(GameAEC(game), seconds), "steps")
    solo = SoloEnv(game, opponents=opponent)
    yield Figure(f"Env against {opponent}, planes", solo_steps(solo, seconds), "steps")
    for name in agents:
        yield Figure(f"agent {name}", decision_rate(game, name, seconds), "decisions")


def on_device(
    game: Game, games: int, agents: Sequence[str], device: str, seconds: float
) -> Iterator[Figure]:
    """Measure a game on a GPU, or by the same code on a CPU; each figure takes `seconds`.

    `games` are played side by side. Agents decide in kernels, and each plays all seats.

    Raises:
        InputError: No such device, no room for the games, or no such agent that decides in kernels.
    """
    from closedhand.envs.device import RandomGames
    from closedhand.envs.device_batch import DeviceBatch

    def measure(work: Callable[[], int]) -> float:
        return rate(work, seconds, time.perf_counter)

    def steps(batch: DeviceBatch, choose: Callable[[], Any]) -> int:
        for _ in range(STEPS):
            batch.step(choose())
        batch.status.cpu()  # waits for the device
        return STEPS * batch.number

    playing = RandomGames(game, games, device)
    keys = playing.keys(1)
    found = measure(lambda: int(playing.play(keys).sum()))
    yield Figure(f"{games:,} random games", found, "actions")
    for form in "planes", "compact":
        batch = DeviceBatch(game, games, device=device, observation=form)
        batch.reset(1)
        found = measure(lambda each=batch: steps(each, each.sample))
        yield Figure(f"DeviceBatch, {games:,} games, {form}", found, "steps")
    actions = batch.decide(agents[0]) if agents else None
    for name in agents:
        found = measure(lambda each=name: steps(batch, lambda: batch.decide(each, actions)))
        yield Figure(f"{name} in all seats, {games:,} games, compact", found, "steps")
