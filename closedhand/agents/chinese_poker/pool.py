"""Pools of arranged hands of opponents.

The hands of a pool that share no card with a given hand, about one in 78, are a uniform sample of
the hands that an opponent may hold. `Pool.holds`, with a bit for every card and hand, finds them.

Agents and advice use pools of hands set by tables, by default of a million (`pool_of`). Setting
these takes half a minute, so they are kept in the user's cache folder.
"""

import hashlib
import sys
import threading
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from closedhand.agents.chinese_poker import separable
from closedhand.core import bits
from closedhand.core.files import cache_folder, write_atomically
from closedhand.core.game import InputError
from closedhand.core.numba.jit import kernel
from closedhand.games.chinese_poker.plays import HAND, PARTS
from closedhand.games.chinese_poker.rules import FOUL, evaluate, take
from closedhand.games.chinese_poker.state import DECK, Rules


class Deals(IntEnum):
    """Purposes of dealt hands; with equal seeds each purpose has its own random numbers."""

    TRAINING = 1
    TRAINING_POOL = 2
    OPPONENTS = 3
    MATCH = 4
    JUDGING = 5


def generator(use: Deals, *seeds: int) -> np.random.Generator:
    """Make the generator for a purpose, by any number of seeds, each at least 0."""
    return np.random.default_rng((use, len(seeds), *seeds, 1))


WORD = 64
BLOCK = 512
"""Number of words processed together: they fit into the first-level cache."""
BATCH = 1 << 14
"""Number of hands arranged between two reports of progress."""


class Pool(NamedTuple):
    """Arranged hands; bit i of word w of a card is 1 if hand 64 w + i holds the card."""

    parts: np.ndarray  # strengths, int16 [3, n], by part (front, middle, back)
    holds: np.ndarray  # uint64 [52, n / 64 rounded up], by card


@kernel
def deal_hands(rng, hands):
    """Write random hands into `hands`, see `random_hands`."""
    deck = np.arange(DECK)
    cards = np.empty(HAND, np.int64)
    for i in range(len(hands)):
        for k in range(hands.shape[1] * HAND):
            j = k + np.int64(rng.random() * (DECK - k))
            deck[k], deck[j] = deck[j], deck[k]
        for player in range(hands.shape[1]):
            for k in range(HAND):
                cards[k] = deck[player * HAND + k]
            take(cards, hands[i, player])


def random_hands(rng: np.random.Generator, number: int, players: int = 1) -> np.ndarray:
    """Deal random hands, int8 [number, players, 13], each row from one deck; cards high to low."""
    hands = np.empty((number, players, HAND), np.int8)
    deal_hands(rng, hands)
    return hands


@kernel
def strengths_of(rules: Rules, hands: np.ndarray, arrangements: np.ndarray) -> np.ndarray:
    """Compute the strengths of the parts of arranged hands, int16 [n, 3]; of a foul all `FOUL`.

    `hands` are int8 [n, 13], cards high to low; `arrangements` are their action ids, integers [n].
    """
    parts = np.empty((len(hands), len(PARTS)), np.int16)
    for i in range(len(hands)):
        if not evaluate(rules, hands[i], arrangements[i], parts[i]):
            parts[i, :] = FOUL
    return parts


@kernel
def mark(hands, holds):
    """Set the bits of the hands' cards in `holds`, see `Pool`."""
    for i in range(len(hands)):
        for card in hands[i]:
            holds[card, i // WORD] |= np.uint64(1) << np.uint64(i % WORD)


def build(hands: np.ndarray, parts: np.ndarray) -> Pool:
    """Build the pool of hands, int8 [n, 13], with the strengths of their parts, int16 [n, 3]."""
    holds = np.zeros((DECK, -(-len(hands) // WORD)), np.uint64)
    if len(hands) % WORD:
        # `opponents` never finds the bits beyond the last hand, as they are set for all cards.
        holds[:, -1] = ~np.uint64(0) << np.uint64(len(hands) % WORD)
    mark(hands, holds)
    return Pool(np.ascontiguousarray(parts.T), holds)


def set_hands(
    rules: Rules,
    arrange: Callable[[np.ndarray], np.ndarray],
    hands: np.ndarray,
    progress: Callable[[int], object] = lambda done: None,
) -> np.ndarray:
    """Set hands, int8 [n, 13], by a strategy; return the strengths of their parts, int16 [n, 3].

    The strategy `arrange` maps hands to arrangements, integers [n]. `progress` is called with the
    number of hands set so far.
    """
    parts = np.empty((len(hands), len(PARTS)), np.int16)
    for start in range(0, len(hands), BATCH):
        some = slice(start, start + BATCH)
        parts[some] = strengths_of(rules, hands[some], arrange(hands[some]))
        progress(min(start + BATCH, len(hands)))
    return parts


def deal(
    rules: Rules,
    arrange: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
    size: int,
    progress: Callable[[int], object],
) -> Pool:
    """Deal a pool of `size` hands, and set them by `set_hands`."""
    hands = random_hands(rng, size)[:, 0]
    return build(hands, set_hands(rules, arrange, hands, progress))


@kernel
def opponents(pool, hand, found):
    """Write to `found`, integers, indices of hands without a card of `hand`; return how many."""
    # `taken` is the union of the words of all cards of the hand. Its zeros are the opponents.
    holds = pool.holds
    taken = np.empty(BLOCK, np.uint64)
    n = 0
    for start in range(0, holds.shape[1], BLOCK):
        size = min(BLOCK, holds.shape[1] - start)
        taken[:] = 0
        for card in hand:
            held = holds[card, start : start + size]
            for word in range(size):
                taken[word] |= held[word]
        for word in range(size):
            free = ~taken[word]
            while free:
                found[n] = WORD * (start + word) + bits.lowest(free)
                n += 1
                free &= free - np.uint64(1)
    return n


POOL_SIZE = 1 << 20
"""Default number of hands in a pool; about 13,400 are opponents of a given hand."""
LEAST, MOST = 5_000, 50_000_000
"""Limits of the number of hands: in a smaller pool a hand may have no opponent."""
FORMAT = 1
"""Version of the files in the cache folder: strengths, then a checksum of `SUM` bytes."""
SUM = 32

_POOLS: dict[bytes, Pool] = {}
_LOCK = threading.Lock()


def pool_of(
    rules: Rules,
    tables: separable.Tables,
    size: int = POOL_SIZE,
    progress: Callable[[int], object] | None = None,
) -> Pool:
    """Make the pool of hands set by tables; cache it in this process and in the cache folder.

    `progress` is called with the number of hands set; None: print one line on stderr. An
    `InputError` refuses a `size` below `LEAST` or above `MOST`.
    """
    if not LEAST <= size <= MOST:
        raise InputError(f"a pool has {LEAST:,} to {MOST:,} hands, not {size:,}")
    with _LOCK:
        about = repr((FORMAT, size, rules.majority, rules.scoop)).encode()
        digest = hashlib.sha256(tables.win.tobytes() + about)
        key = digest.digest()
        if key not in _POOLS:
            hands = random_hands(generator(Deals.OPPONENTS), size)[:, 0]
            digest.update(hands.tobytes())  # another version of NumPy may draw other hands
            name = f"chinese-poker-pool-{digest.hexdigest()[:20]}"
            parts = _read(name, size)
            if parts is None:
                if progress is None:
                    print(f"closedhand: setting a pool of {size:,} hands, once", file=sys.stderr)
                parts = set_hands(
                    rules, lambda some: separable.arrange(rules, tables.win, some), hands,
                    progress or (lambda done: None),
                )  # fmt: skip
                _keep(name, parts)
            _POOLS[key] = build(hands, parts)
        return _POOLS[key]


def _read(name: str, size: int) -> np.ndarray | None:
    """Read strengths, int16 [size, 3], from a file; return None if it is missing or damaged."""
    try:
        content = (cache_folder() / name).read_bytes()
    except (OSError, InputError):
        return None
    strengths, checksum = content[:-SUM], content[-SUM:]
    if len(strengths) != 2 * len(PARTS) * size or hashlib.sha256(strengths).digest() != checksum:
        return None
    return np.frombuffer(strengths, "<i2").reshape(size, len(PARTS)).astype(np.int16)


def _keep(name: str, parts: np.ndarray) -> None:
    """Write strengths to the cache folder; print a line on stderr if that fails."""
    content = parts.astype("<i2").tobytes()
    try:
        write_atomically(cache_folder() / name, content + hashlib.sha256(content).digest())
    except InputError as error:
        print(
            f"closedhand: cannot keep the pool, which will be set again next time: {error}",
            file=sys.stderr,
        )
