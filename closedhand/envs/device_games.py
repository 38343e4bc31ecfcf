"""Whole random games on a device, without observations."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedhand.core import game_kernels
from closedhand.core.game import Game
from closedhand.core.game_kernels import ALL_SEATS, Terms
from closedhand.core.stream import WEYL
from closedhand.envs.device import THREADS, Device, examples

LANES = 2**17
"""Maximum number of games that are played at a time; each needs scratch space of its own."""


class RandomGames:
    """Games that are dealt and played out at random in one launch.

    Attributes:
        states: The ends of the games as bytes, uint8 [number, itemsize].
        streams: Their streams of random numbers, each a key and a count, int64 [number, 2].
        moves: Numbers of actions, int64 [number].
    """

    def __init__(self, game: Game, number: int, device: Any = "cuda") -> None:
        """Allocate memory for `number` games; errors are those of `Device` and `Device.launch`."""
        self._device = place = Device(device)
        self.states = place.zeros(number, game.dtype.itemsize, dtype="uint8")
        self.streams = place.zeros(number, 2, dtype="int64")
        self.moves = place.zeros(number, dtype="int64")
        lanes = 1 if place.on_cpu else min(number, LANES)
        self._ids = place.zeros(lanes, game.num_actions, dtype="int32")
        arguments = (
            place.array(self.states, game.dtype), place.streams(self.streams),
            place.array(self._ids), place.array(self.moves),
        )  # fmt: skip
        self._launch: Any = None
        if place.on_cpu:
            self._arguments = game.rules, *arguments
        else:
            self._arguments = place.tables(game.rules), *arguments
            terms = Terms(game.num_players, False, ALL_SEATS, 0.0)
            like = examples(game, (), terms, "random_games")
            blocks = -(-lanes // THREADS)
            self._launch = place.launch("random_games", like, self._arguments, blocks)

    def keys(self, first: int) -> NDArray[np.int64]:
        """Return the keys of the streams `first`, `first + 1`, …, int64 [number]."""
        keys = np.arange(first, first + len(self.moves), dtype=np.uint64) * WEYL
        return keys.view(np.int64)

    def play(self, keys: NDArray[np.int64]) -> Any:
        """Play a random game for each key, see `keys`; return `moves`, int64 [number].

        The next call overwrites the attributes.
        """
        self.streams[:, 0] = self._device.torch.from_numpy(keys).to(self._device.place)
        self.streams[:, 1] = 0
        if self._launch is None:
            game_kernels.random_games(*self._arguments)
        else:
            self._device.run(self._launch)
        return self.moves
