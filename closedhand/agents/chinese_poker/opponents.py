"""Pools of opponents for agents and advice: by default a million hands, set by tables.

Setting a million hands takes half a minute, so pools are kept in the user's cache folder.
"""

import hashlib
import sys
import threading
from collections.abc import Callable

import numpy as np

from closedhand.agents.chinese_poker import pool as pools
from closedhand.agents.chinese_poker.separable import Tables, arrange
from closedhand.core.files import cache_folder, write_atomically
from closedhand.core.game import InputError
from closedhand.games.chinese_poker.plays import PARTS
from closedhand.games.chinese_poker.state import Rules

POOL_SIZE = 1 << 20
"""Default number of hands in a pool; about 13,400 are opponents of a given hand."""
LEAST, MOST = 5_000, 50_000_000
"""Limits of the number of hands: in a smaller pool a hand may have no opponent."""
FORMAT = 1
"""Version of the files in the cache folder: strengths, then a checksum of `SUM` bytes."""
SUM = 32

_POOLS: dict[bytes, pools.Pool] = {}
_LOCK = threading.Lock()


def pool_of(
    rules: Rules,
    tables: Tables,
    size: int = POOL_SIZE,
    progress: Callable[[int], object] | None = None,
) -> pools.Pool:
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
            hands = pools.random_hands(pools.generator(pools.Deals.OPPONENTS), size)[:, 0]
            digest.update(hands.tobytes())  # another NumPy may draw others
            name = f"chinese-poker-pool-{digest.hexdigest()[:20]}"
            parts = _read(name, size)
            if parts is None:
                if progress is None:
                    print(f"closedhand: setting a pool of {size:,} hands, once", file=sys.stderr)
                parts = pools.set_hands(
                    rules, lambda some: arrange(rules, tables.win, some), hands,
                    progress or (lambda done: None),
                )  # fmt: skip
                _keep(name, parts)
            _POOLS[key] = pools.build(hands, parts)
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
