"""Endless batches of state-action pairs, encoded by a thread while the network learns."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from closedhand.agents.doudizhu.deeprocket import pairs
from closedhand.agents.doudizhu.deeprocket.pairs import Batch
from closedhand.agents.doudizhu.deeprocket.recorded import Games

AHEAD = 4
"""Number of batches that are encoded ahead."""


def tensors(batch: Batch[np.ndarray]) -> Batch[torch.Tensor]:
    """Convert a batch to tensors that share its memory."""
    return Batch(*map(torch.from_numpy, batch))


@dataclass(eq=False)
class Stream:
    """Iterable of shuffled batches, epoch after epoch, which can begin at any step.

    The pairs of a batch depend only on the seed, the step and the batch size. With several
    processes, each takes its own part of every step.
    """

    games: Games
    kind: str  # `policy` or `kicker`
    rows: np.ndarray  # of `pairs.index`
    batch: int  # number of pairs in a batch of one process
    seed: int  # of the order
    first: int  # first step

    def state_dict(self) -> dict[str, Any]:
        """Return an empty state; Lightning requires this and the next method of its iterables."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Do nothing."""

    def __iter__(self) -> Iterator[Batch[torch.Tensor]]:
        batches = self.batches_of_rows(self.first)

        def encode() -> Batch[np.ndarray]:
            return pairs.encode(self.games, self.kind, next(batches))

        with ThreadPoolExecutor(1, "encode") as executor:
            waiting = deque(executor.submit(encode) for _ in range(AHEAD))
            while True:
                waiting.append(executor.submit(encode))
                yield tensors(waiting.popleft().result())

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
