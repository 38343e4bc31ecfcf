"""NumPy's default generator as an array of numbers, for kernels that are entered often.

Handing a `numpy.random.Generator` to a kernel takes longer than a step of most games. A stream has
the state of its bit generator, PCG64 (O'Neill, 2014; XSL-RR output), in digits of 32 bits, lowest
first, and gives the same numbers. Digits are that small so that no product overflows, in kernels as
in plain Python.
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


def make_stream(seed: int) -> Stream:
    """The stream of a seed, which draws what `np.random.default_rng(seed).random()` does."""
    state = np.random.PCG64(seed).state["state"]
    digits = [state[name] >> 32 * i & 2**32 - 1 for name in ("state", "inc") for i in range(DIGITS)]
    return np.array(digits, np.uint64)


@kernel
def draw(stream: Stream) -> float:
    """The next number from 0 to 1, float64; the stream goes on."""
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
    low = digits[0] | (digits[1] << BITS)
    high = digits[2] | (digits[3] << BITS)
    mixed = low ^ high
    turn = high >> np.uint64(58)
    mixed = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
    return (mixed >> np.uint64(11)) * (1.0 / 2.0**53)
