"""Shuffling and dealing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedhand.core.numba.jit import Ids, Integer, Rng, kernel


@kernel
def draw_place(room: Ids, left: Integer, rng: Rng) -> int:
    """Draw an index in proportion to `room`, and reduce `room` there by one.

    The index is the player who gets the next card if `room` counts the free places of each player,
    or the kind drawn if it counts the cards of each kind. `left` is the sum of `room`, at least 1.
    """
    place = np.int64(rng.random() * left)
    taker = 0
    while place >= room[taker]:
        place -= room[taker]
        taker += 1
    room[taker] -= 1
    return taker


@kernel
def total(numbers: Ids) -> int:
    """Return the sum of an array; `numbers.sum()` does not compile for a GPU."""
    found = 0
    for i in range(len(numbers)):
        found += numbers[i]
    return found


@kernel
def shuffle(deck: NDArray[Any], seed: np.uint64) -> np.uint64:
    """Shuffle `deck`, an array, in place; return the seed of the next shuffle, uint64.

    The seed must not be 0, which xorshift maps to itself.
    """
    return shuffle_first(deck, len(deck), seed)


@kernel
def shuffle_first(deck: NDArray[Any], number: Integer, seed: np.uint64) -> np.uint64:
    """Shuffle the first `number` entries of `deck`, as `shuffle` does an array of that length.

    A slice would take time on a CPU; on a GPU arrays have constant lengths.
    """
    for i in range(number - 1, 0, -1):
        seed, j = draw_of_seed(seed, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return seed


@kernel
def draw_of_seed(seed: np.uint64, number: Integer) -> tuple[np.uint64, Integer]:
    """Draw an integer from 0 to `number` - 1; return the seed of the next draw, and the integer."""
    # Xorshift64 (Marsaglia, 2003): one number is the whole generator, so that a state can hold
    # it for a new deal in the middle of a game. Its lowest bits, the weakest, are dropped.
    seed ^= seed << np.uint64(13)
    seed ^= seed >> np.uint64(7)
    seed ^= seed << np.uint64(17)
    drawn = np.int64(seed >> np.uint64(11))
    # The remainder by a float64 division, which takes a third of the time of an integer one. It
    # errs by less than 1 / number, as `drawn` has 53 bits: never enough to reach the next integer.
    return seed, drawn - np.int64(drawn / number) * number
