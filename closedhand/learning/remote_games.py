"""The games of an update in pieces, played here or by other processes, with the same results.

1. Cut the games into pieces. The seed of the training, the number of the update and that of the
   piece determine its random numbers, so that any process can play it at any time.
2. Another process returns a record: the actions, mostly one or two bytes each, and the notes of
   the learner's decisions, two bytes per number.
3. The learner deals and replays the games again, which saves the transfer of observations.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from closedhand.core.batch_agent import BatchAgent
from closedhand.core.game import Game, InputError
from closedhand.learning.features import Features
from closedhand.learning.selfplay import Wave, play_wave


class Piece(NamedTuple):
    """Some games of an update: the numbers of the update, of the piece and of its games."""

    update: int
    number: int
    games: range

    def rng(self, seed: int) -> np.random.Generator:
        """Make the generator of the piece for the seed of a training."""
        # The last number makes the first deals differ from those of a match with this seed.
        return np.random.default_rng((seed, self.update, self.number, 1))


class Record(NamedTuple):
    """Transferred part of a piece: `played` and `notes` of its wave."""

    played: NDArray[np.unsignedinteger]
    notes: NDArray[np.float16]


def cut(games: int, pieces: int, update: int) -> list[Piece]:
    """Cut the games of an update into at most `pieces` pieces of nearly equal size, none empty."""
    ends = [games * i // pieces for i in range(pieces + 1)]
    ranges = [range(*each) for each in pairwise(ends) if each[0] < each[1]]
    return [Piece(update, i, each) for i, each in enumerate(ranges)]


class _Script(BatchAgent):
    """Agent that plays the actions of a record in their order, at all seats."""

    def __init__(self, game: Game, record: Record) -> None:
        super().__init__(game, "script")
        self._actions, self._notes = record.played.astype(np.int64), record.notes
        self._played = self._noted = 0

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        self._played += len(views)
        return self._actions[self._played - len(views) : self._played]

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, states: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        self._noted += len(states)
        return self.act_batch(states), self._notes[self._noted - len(states) : self._noted]

    def check_end(self) -> None:
        if (self._played, self._noted) != (len(self._actions), len(self._notes)):
            raise InputError("a record does not fit its games: does a node have another version?")


def replay(
    features: Features, states: np.ndarray, record: Record, seating: np.ndarray, number: int
) -> Wave:
    """Repeat `play_wave` by its record, with `number` opponents; the deals change in place.

    Raises:
        InputError: The record does not fit these games.
    """
    script = _Script(features.game, record)
    opponents = dict.fromkeys(range(number), script)
    wave = play_wave(features, states, script.choose, seating, opponents)
    script.check_end()
    return wave
