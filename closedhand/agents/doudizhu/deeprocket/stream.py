"""Endless batches of state-action pairs, encoded by a thread while the network learns."""

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from closedhand.agents.doudizhu.deeprocket import pairs
from closedhand.agents.doudizhu.deeprocket.recorded import Games

AHEAD = 4
"""Maximum number of encoded batches that wait."""


class Tensors(NamedTuple):
    """A `pairs.Batch` as tensors."""

    planes: torch.Tensor
    status: torch.Tensor
    mask: torch.Tensor
    label: torch.Tensor


def tensors(batch: pairs.Batch) -> Tensors:
    """Convert a batch to tensors that share its memory."""
    return Tensors(*(torch.from_numpy(each) for each in batch))


@dataclass(eq=False)
class Stream:
    """Iterable of shuffled batches, epoch after epoch, which can begin at any step.

    The pairs of a batch depend only on the seed, the step and the batch size. With several
    processes, each takes its own part of every step.
    """

    games: Games
    kind: str  # `policy` or `kicker`
    rows: np.ndarray  # of `pairs.index`
    batch: int  # number of pairs in a batch
    seed: int  # of the order
    first: Callable[[], int]  # returns the first step

    def __post_init__(self) -> None:
        self._closed = threading.Event()

    def close(self) -> None:
        """Stop the thread."""
        self._closed.set()

    def state_dict(self) -> dict[str, Any]:
        """Return an empty state; Lightning requires this and the next method of its iterables."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Do nothing."""

    def __iter__(self) -> Iterator[Tensors]:
        waiting: queue.Queue[pairs.Batch | BaseException] = queue.Queue(AHEAD)
        # Read here, as the step may have advanced when the thread starts.
        step = self.first()

        def put(item: pairs.Batch | BaseException) -> None:
            while not self._closed.is_set():
                try:
                    return waiting.put(item, timeout=0.1)
                except queue.Full:
                    pass

        def work() -> None:
            try:
                for rows in self.batches_of_rows(step):
                    if self._closed.is_set():
                        return
                    put(pairs.encode(self.games, self.kind, rows))
            except BaseException as error:
                put(error)

        threading.Thread(target=work, daemon=True, name="encode").start()
        while not self._closed.is_set():
            try:
                item = waiting.get(timeout=0.1)
            except queue.Empty:
                continue
            if isinstance(item, BaseException):
                raise item
            yield tensors(item)

    def batches_of_rows(self, step: int) -> Iterator[np.ndarray]:
        """Yield the rows of each batch, from a step on."""
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
