"""What the benchmarks of all games share: rates by CPU time, and one way to drive an AEC env."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


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
            legal = np.flatnonzero(observation["action_mask"].view(bool))
            env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return rate(work, seconds)
