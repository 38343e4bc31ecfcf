"""State-action pairs of recorded games of Dou Dizhu, the training data of the DeepRocket networks.

The paper (section 5.1) splits its game records into pairs and stores the networks' inputs. Here
only the games are kept in memory, as action ids. A batch of pairs is encoded when it is needed, by
replaying its games from the deal, which takes microseconds per pair; `Stream` does this in a thread
while the network learns.

A pair of the policy network is a decision with a choice: at least two legal main groups, counting
the pass as one. A pair of the kicker network is a kicker that was picked from at least two legal
ones; the kickers of a play are picked in ascending order (`games/doudizhu/substeps.py`). Forced
moves are omitted: nothing is learned from them, and they would inflate the accuracy. In kernels
`rules` are those of the game in sub-steps.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from closedhand.agents.doudizhu.deeprocket.recorded import Games
from closedhand.core.game import InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.threads import in_threads
from closedhand.games.doudizhu import planes, rules as flat, substeps
from closedhand.games.doudizhu.counts import DECK, contains, size
from closedhand.games.doudizhu.plays import GROUPS
from closedhand.games.doudizhu.state import SEATS, STATE

KICKERS = substeps.FIRST_BID - GROUPS
"""Number of outputs of the kicker network: 15 solos, 13 pairs."""
KICKER_SIZE = planes.RANKS * substeps.ROWS * substeps.CHANNELS
MOST_KICKERS = 5
"""Maximum number of kickers of a play: five solos with a chain of five trios."""
AHEAD = 4
"""Number of batches that a `Stream` encodes ahead."""


class Batch(NamedTuple):
    """Encoded pairs of the policy or the kicker network."""

    planes: torch.Tensor  # int8 [n, 15 * 19 * 21] or [n, 15 * 9 * 3]
    status: torch.Tensor  # status vectors, int8 [n, 10]
    mask: torch.Tensor  # legal outputs, bool [n, 309] or [n, 28]
    label: torch.Tensor  # chosen outputs, int64 [n]


def is_held_out(deals: np.ndarray) -> np.ndarray:
    """Mark about one deal in ten, uint64 [n, 4], as held out of training, by a hash; bool [n]."""
    mixed = np.zeros(len(deals), np.uint64)
    for column in deals.T:
        # The finaliser of SplitMix64 spreads the few bits in which deals differ.
        mixed ^= column + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return mixed % np.uint64(10) == 0


@kernel
def start(rules, state, deal):
    """Start the game of a deal, uint64 [4] as in `Games.deals`, by the rules of the flat game."""
    for seat in range(SEATS):
        state.hands[seat] = deal[seat]
    state.public = deal[3]
    state.seed = np.uint64(0)
    flat.begin(rules, state)


@kernel
def is_deal(deal):
    """Return whether four packed hands of 17, 17, 17 and 3 cards form a deck."""
    total = np.uint64(0)
    for i in range(4):
        if size(deal[i]) != (3 if i == 3 else 17) or not contains(DECK, deal[i]):
            return False
        total += deal[i]
    return total == DECK


@kernel
def index_games(rules, deals, actions, offsets, seats, first, kickers, rows):
    """Write the pairs of some games; return their number, or -1 - i if game i is illegal.

    `deals` and `actions` are those of all games. For the k games from `first` on, `offsets`, int64
    [k + 1], are indices of `actions`, and `seats` has bits as in `Games.seats`. The pairs are for
    the kicker network if `kickers`. `rows`, int32 [m, 3] with space for all, gets them (`index`).
    """
    state = np.empty(1, STATE)[0]
    ids = np.empty(GROUPS, np.int32)
    n = 0
    for i in range(len(seats)):
        game = first + i
        if not is_deal(deals[game]):
            return -1 - game
        start(rules.flat, state, deals[game])
        for k in range(offsets[i], offsets[i + 1]):
            action = np.int64(actions[k])
            if not flat.is_legal(rules.flat, state, action, ids):
                return -1 - game
            move, counts = k - offsets[i], seats[i] >> state.player & 1
            step = 0  # sub-step of the action: its main group, then its kickers
            while state.moves == move:
                if counts and kickers == (step > 0) and substeps.legal(rules, state, ids) > 1:
                    rows[n, 0], rows[n, 1], rows[n, 2] = game, move, max(step - 1, 0)
                    n += 1
                substeps.play(rules, state, substeps.next_step(rules, state, action, ids))
                step += 1
    return n


def index(games: Games, kind: str) -> np.ndarray:
    """List all pairs of a network, `policy` or `kicker`, in the order of the games, int32 [m, 3].

    A row has the game, the move (from 0) and the kicker (from 0; always 0 for the policy network).

    Raises:
        InputError: A deal is invalid, or an action illegal.
    """
    found: dict[int, np.ndarray] = {}

    def work(piece: slice) -> None:
        offsets = games.offsets[piece.start : piece.stop + 1]
        room = int(offsets[-1] - offsets[0]) * (MOST_KICKERS if kind == "kicker" else 1)
        rows = np.empty((room, 3), np.int32)
        n = index_games(
            games.game.rules, games.deals, games.actions, offsets, games.seats[piece], piece.start,
            kind == "kicker", rows,
        )  # fmt: skip
        if n < 0:
            raise InputError(f"game {-1 - n} of the records is not legal")
        found[piece.start] = rows[:n].copy()

    in_threads(work, len(games.deals))
    return np.concatenate([found[start] for start in sorted(found)])


def empty_rows(n: int, kickers: bool) -> tuple[np.ndarray, np.ndarray]:
    """Allocate planes with status vectors, int8 [n, cells + 10], and masks, bool [n, outputs]."""
    width = KICKER_SIZE + planes.STATUS if kickers else planes.SIZE
    return np.empty((n, width), np.int8), np.empty((n, KICKERS if kickers else GROUPS), bool)


@kernel
def write_inputs(rules, state, kickers, out, mask, ids):
    """Write inputs to `out` and `mask`, rows of `empty_rows`; `kickers`: for the kicker network."""
    out[:] = 0
    mask[:] = False
    if kickers:
        substeps.draw_kickers(rules, state, out)
        planes.draw_status(rules.flat, state, state.player, out[KICKER_SIZE:])
    else:
        planes.draw(rules.flat, state, state.player, out)
    for k in range(substeps.legal(rules, state, ids)):
        mask[ids[k] - (GROUPS if kickers else 0)] = True


@kernel
def encode_all(rules, deals, actions, offsets, rows, kickers, out, masks, labels):
    """Encode `rows` of `index` in `out` and `masks`, from `empty_rows`, and `labels`, int64 [n]."""
    state = np.empty(1, STATE)[0]
    ids = np.empty(GROUPS, np.int32)
    for i in range(len(rows)):
        game, move = rows[i, 0], offsets[rows[i, 0]] + rows[i, 1]
        start(rules.flat, state, deals[game])
        for k in range(offsets[game], move):
            flat.play(rules.flat, state, np.int64(actions[k]))
        chosen = np.int64(actions[move])
        # Before a kicker come its main group and the lower kickers.
        for _ in range(1 + rows[i, 2] if kickers else 0):
            substeps.play(rules, state, substeps.next_step(rules, state, chosen, ids))
        write_inputs(rules, state, kickers, out[i], masks[i], ids)
        label = substeps.next_step(rules, state, chosen, ids)
        labels[i] = label - (GROUPS if kickers else 0)  # ids of kickers follow the groups


def encode(games: Games, kind: str, rows: np.ndarray) -> Batch:
    """Encode pairs for a kind of network: some rows of `index`, int32 [n, 3], of the games."""
    kickers = kind == "kicker"
    out, masks = empty_rows(len(rows), kickers)
    labels = np.empty(len(rows), np.int64)
    encode_all(
        games.game.rules, games.deals, games.actions, games.offsets, rows, kickers, out, masks,
        labels,
    )  # fmt: skip
    parts = out[:, : -planes.STATUS], out[:, -planes.STATUS :], masks, labels
    return Batch(*map(torch.from_numpy, parts))


@dataclass(eq=False)
class Stream:
    """Iterable of shuffled batches, epoch after epoch, which can begin at any step.

    The pairs of a step depend only on the seed, the step, the batch size and the number of
    processes, each of which takes its own batch of every step.
    """

    games: Games
    kind: str  # `policy` or `kicker`
    rows: np.ndarray  # of `index`
    batch: int  # number of pairs in a batch of one process
    seed: int  # of the order
    first: int  # first step

    def state_dict(self) -> dict[str, Any]:
        """Return an empty state; Lightning requires it and `load_state_dict`."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Do nothing."""

    def __iter__(self) -> Iterator[Batch]:
        batches = self.batches_of_rows(self.first)

        def encode_next() -> Batch:
            return encode(self.games, self.kind, next(batches))

        with ThreadPoolExecutor(1, "encode") as executor:
            waiting = deque(executor.submit(encode_next) for _ in range(AHEAD))
            while True:
                waiting.append(executor.submit(encode_next))
                yield waiting.popleft().result()

    def batches_of_rows(self, step: int) -> Iterator[np.ndarray]:
        """Yield the rows of each batch, from a step on; an epoch ends with its last whole batch."""
        ranks, rank = 1, 0
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            ranks, rank = torch.distributed.get_world_size(), torch.distributed.get_rank()
        together = min(self.batch * ranks, len(self.rows))
        in_epoch = len(self.rows) // together
        epoch, step = divmod(step, in_epoch)
        while True:
            order = np.random.default_rng((self.seed, epoch)).permutation(len(self.rows))
            for k in range(step, in_epoch):
                chosen = order[k * together : (k + 1) * together]
                yield self.rows[chosen[rank::ranks]]
            epoch, step = epoch + 1, 0
