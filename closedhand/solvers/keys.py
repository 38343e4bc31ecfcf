"""Keys of information sets: 128-bit hashes of what the player to act knows."""

import numpy as np

from closedhand.core import batch_kernels
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel


@kernel
def mix(words, keys):
    """Hash each row of `words`, integers [n, k], into a row of `keys`, uint64 [n, 2]."""
    # Each half multiplies by odd constants of its own and shifts, as MurmurHash3 does.
    for i in range(len(words)):
        one, two = np.uint64(0), np.uint64(0)
        for word in words[i]:
            one = (one ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
            one ^= one >> np.uint64(29)
            two = (two + np.uint64(word)) * np.uint64(0xD6E8FEB86659FD93)
            two ^= two >> np.uint64(32)
        keys[i, 0] = one * np.uint64(0xBF58476D1CE4E5B9)
        keys[i, 1] = two * np.uint64(0x94D049BB133111EB)


def hash_views(views: np.ndarray) -> np.ndarray:
    """Hash views [n] into keys, uint64 [n, 2]."""
    word = next(size for size in (8, 4, 2, 1) if views.dtype.itemsize % size == 0)
    words = np.ascontiguousarray(views).view(np.uint8).reshape(len(views), views.dtype.itemsize)
    keys = np.empty((len(views), 2), np.uint64)
    with np.errstate(over="ignore"):  # without the compiler, hashes overflow with a warning
        mix(words.view(f"u{word}"), keys)
    return keys


def keys_of_seats(game: Game, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Hash the view that seat `seats[i]`, int64, has of `states[i]` into keys, uint64 [n, 2]."""
    views = states.copy()
    batch_kernels.hide_for(game.rules, views, seats)
    return hash_views(views)


def keys_of(game: Game, states: np.ndarray, together: bool = False) -> np.ndarray:
    """Hash the information sets of the players to act into keys, uint64 [n, 2].

    With `together` the seats of a side share knowledge; `states` [n] must then not be views.
    """
    seats = states["player"].astype(np.int64)
    if not together:  # a faster path: a `StrategyAgent` asks for a few keys at a time
        return keys_of_seats(game, states, seats)
    keys, sides = np.zeros((len(states), 2), np.uint64), np.array(game.sides)
    for k in range(game.num_players):
        # The seat k places after the one to act, if it is on the same side.
        seen = (seats + k) % game.num_players
        same = np.flatnonzero(sides[seen] == sides[seats])
        if len(same):
            # A sum is the same in any order, so the key does not depend on the seat to act.
            keys[same] += keys_of_seats(game, states[same], seen[same])
    return keys


def number_keys(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the m different keys among `keys`, uint64 [n, 2], in the order of their appearance.

    Return the number of each key, int32 [n], and the index of each number's first key, int32 [m].
    """
    table = np.full(1 << int(2 * len(keys) + 1).bit_length(), -1, np.int32)
    numbers, originals = np.empty((2, len(keys)), np.int32)
    return numbers, originals[: _number(keys, table, numbers, originals)]


@kernel
def _number(keys, table, numbers, originals):
    """Write the results of `number_keys` to `numbers` and `originals`, int32 [n]; return m.

    `table` is scratch space: -1 everywhere, int32 [a power of two, at least 2 n].
    """
    # Open addressing: an entry of `table` is the number of a key, -1 where free. The table is at
    # most half full, so that a search by steps of 1 is short and always ends.
    found = 0
    mask = np.uint64(len(table) - 1)
    for i in range(len(keys)):
        place = keys[i, 0] & mask
        while True:
            other = table[place]
            if other < 0:
                table[place] = found
                originals[found] = i
                numbers[i] = found
                found += 1
                break
            first = originals[other]
            if keys[first, 0] == keys[i, 0] and keys[first, 1] == keys[i, 1]:
                numbers[i] = other
                break
            place = (place + np.uint64(1)) & mask
    return found
