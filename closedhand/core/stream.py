"""Random numbers from arrays, for kernels: NumPy's default and a counter-based generator.

A **stream of a seed** is the state of NumPy's default generator, PCG64 (O'Neill, 2014; XSL-RR
output), as an array, since passing a `numpy.random.Generator` to a kernel takes longer than a step
of most games. State and increment have 128 bits, in digits of 32 bits, the lowest first, so that
products of two digits fit in 64 bits, in kernels as in plain Python.

A **stream of a game** is two numbers: a key, and the number of draws so far. They determine the
next number (splitmix64; Steele, Lea and Flood, 2014). So the draws of a game do not depend on the
order of the games or on the device. Vector envs have one for each game; its `random()` draws.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import extending, types
from numpy.typing import NDArray

from closedhand.core.numba.fast_call import PLAIN
from closedhand.core.numba.jit import draw_seed, kernel

Stream = NDArray[np.uint64]
"""A stream of a seed, state and increment, uint64 [8]; or of a game, key and count, uint64 [2]."""
Streams = NDArray[np.uint64]
"""A stream of a game for each game of a batch, uint64 [n, 2]."""

DIGITS = 4
BITS = np.uint64(32)
DIGIT = np.uint64(2**32 - 1)
MULTIPLIER = np.array([0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05], np.uint64)
"""PCG64's multiplier, 0x2360ED051FC65DA44385DF649FCCF645, in digits."""


def make_stream(seed: int) -> Stream:
    """Make the stream of a seed; it draws the numbers of `np.random.default_rng(seed).random()`."""
    state = np.random.PCG64(seed).state["state"]
    digits = [state[name] >> 32 * i & 2**32 - 1 for name in ("state", "inc") for i in range(DIGITS)]
    return np.array(digits, np.uint64)


WEYL = np.uint64(0x9E3779B97F4A7C15)
"""Increment of splitmix64: the odd number nearest to 2^64 divided by the golden ratio."""
MIX = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


# Plain Python would warn of overflow.
@(np.errstate(over="ignore") if PLAIN else kernel)
def next_of_game(stream: Stream) -> float:
    """Draw the next number of a game's stream, float64 in [0, 1): splitmix64 of key and count."""
    stream[1] += np.uint64(1)
    bits = stream[0] + stream[1] * WEYL
    bits = (bits ^ (bits >> np.uint64(30))) * MIX[0]
    bits = (bits ^ (bits >> np.uint64(27))) * MIX[1]
    bits = bits ^ (bits >> np.uint64(31))
    return (bits >> np.uint64(11)) * (1.0 / 2.0**53)


class _PlainStreams(np.ndarray[Any, np.dtype[np.uint64]]):
    """Streams in plain Python, whose rows have `random()` as in kernels."""

    def random(self) -> float:
        return float(next_of_game(self))


@extending.overload_method(types.Array, "random")
def random_of_stream(stream: Any) -> Any:  # pyright: ignore[reportUnusedFunction]
    """Implement `random()` of a game's stream, uint64 [2], in kernels."""
    if stream == types.Array(types.uint64, 1, "C"):

        def implementation(stream: Any) -> Any:
            return next_of_game(stream)

        return implementation
    return None


def make_streams(number: int) -> Streams:
    """Allocate streams, all zero, uint64 [number, 2]."""
    streams = np.zeros((number, 2), np.uint64)
    return streams.view(_PlainStreams) if PLAIN else streams


def begin_streams(seeds: Sequence[int | None]) -> tuple[NDArray[np.uint64], Streams]:
    """Make the seeds of the first deals, uint64 [n], and streams for all later random numbers.

    Game i gets both, in this order, from the generator of `seeds[i]`; None: a random seed.
    """
    deals, streams = np.zeros(len(seeds), np.uint64), make_streams(len(seeds))
    for i, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        deals[i] = draw_seed(rng)
        streams[i, 0] = rng.bit_generator.random_raw()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return deals, streams


@kernel
def draw(stream: Stream) -> float:
    """Draw the next number, float64 in [0, 1), and advance the stream, of a seed or of a game."""
    if len(stream) == 2:
        return next_of_game(stream)
    # state = state * MULTIPLIER + increment, mod 2^128: a long multiplication, which adds to the
    # digits of the increment. `total` is at most 2^64 - 1; digits from 2^128 on are left out.
    digits = np.empty(DIGITS, np.uint64)
    for i in range(DIGITS):
        digits[i] = stream[DIGITS + i]
    for i in range(DIGITS):
        carry = np.uint64(0)
        for j in range(DIGITS - i):
            total = digits[i + j] + stream[i] * MULTIPLIER[j] + carry
            digits[i + j] = total & DIGIT
            carry = total >> BITS
    for i in range(DIGITS):
        stream[i] = digits[i]
    # XSL-RR: xor the halves, then rotate right by the highest 6 bits of the state.
    low = digits[0] | (digits[1] << BITS)
    high = digits[2] | (digits[3] << BITS)
    mixed = low ^ high
    turn = high >> np.uint64(58)  # if it is 0, the shift to the left is by 64 & 63 = 0
    mixed = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
    # 53 bits, as many as a float64 holds.
    return (mixed >> np.uint64(11)) * (1.0 / 2.0**53)
