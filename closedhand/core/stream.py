"""NumPy's default generator as an array of numbers, for kernels that are called often.

Passing a `numpy.random.Generator` to a kernel takes longer than a step of most games. A stream
holds the state of its bit generator, PCG64 (O'Neill, 2014; XSL-RR output), and gives the same
numbers. State and increment have 128 bits, stored in digits of 32 bits, the lowest first: products
of two digits fit in 64 bits, in kernels as in plain Python.
"""

import numpy as np
from numpy.typing import NDArray

from closedhand.core.numba.jit import kernel

Stream = NDArray[np.uint64]
"""The state and the increment, uint64 [8]."""

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


@kernel
def draw(stream: Stream) -> float:
    """Draw the next number from 0 to 1, float64, and advance the stream."""
    # state = state * MULTIPLIER + increment, mod 2^128: a long multiplication on the increment.
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
    turn = high >> np.uint64(58)
    mixed = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
    # 53 bits, as many as a float64 holds.
    return (mixed >> np.uint64(11)) * (1.0 / 2.0**53)
