"""The games of an update in pieces, played here or by other processes, with the same results.

1. Cut the games into pieces. The seed of the training, the number of the update and that of the
   piece determine its random numbers, so that any process can play it at any time.
2. Another process returns a record: the actions, one or two bytes each, and the notes of the
   learner's decisions, two bytes per number.
3. The learner deals the same games again, replays the actions, and encodes the observations. This
   saves the transfer of observations.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from closedhand.core.agents import Agent, act_batch
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.game import Game, InputError
from closedhand.learning.features import Features
from closedhand.learning.selfplay import Choose, Wave, play_wave


class Piece(NamedTuple):
    """Some games of an update: its number, that of the piece, and those of the games."""

    update: int
    number: int
    games: range

    def rng(self, seed: int) -> np.random.Generator:
        """Make the generator of the piece for the seed of a training."""
        # The last number makes the first deals differ from those of a match with this seed.
        return np.random.default_rng((seed, self.update, self.number, 1))


class Record(NamedTuple):
    """Transferred part of a piece.

    Attributes:
        actions: All actions where there was a choice, of opponents too, as they were played; of the
            smallest type that holds every action.
        notes: Notes of the learner's decisions, float16 [rows, k].
    """

    actions: NDArray[np.unsignedinteger]
    notes: NDArray[np.float16]


def cut(games: int, pieces: int, update: int) -> list[Piece]:
    """Cut the games of an update into pieces of nearly the same size, with a game or more each."""
    ends = [games * i // pieces for i in range(pieces + 1)]
    ranges = [range(*each) for each in pairwise(ends) if each[0] < each[1]]
    return [Piece(update, i, each) for i, each in enumerate(ranges)]


class _Heard(BatchAgent):
    """Agent whose actions are logged."""

    def __init__(self, game: Game, agent: Agent, log: list[np.ndarray]) -> None:
        super().__init__(game, agent.name)
        self._agent, self._log = agent, log

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        self._log.append(act_batch(self._agent, views))
        return self._log[-1]


class _Script(BatchAgent):
    """Agent that plays a record; the rules determine the player of each action."""

    def __init__(self, game: Game, record: Record) -> None:
        super().__init__(game, "script")
        self._actions = record.actions.astype(np.int64)
        self._notes = record.notes.astype(np.float32)
        self._played = self._noted = 0

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        return self._take(len(views))

    def _take(self, number: int) -> np.ndarray:
        self._played += number
        return self._actions[self._played - number : self._played]

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray, games: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Take the next actions of the learner, and their notes."""
        self._noted += len(masks)
        return self._take(len(masks)), self._notes[self._noted - len(masks) : self._noted]

    def check_end(self) -> None:
        """Check that the record ends with the games."""
        if (self._played, self._noted) != (len(self._actions), len(self._notes)):
            raise InputError("a record does not fit its games: does a node have another version?")


def halved(notes: np.ndarray) -> NDArray[np.float16]:
    """Round notes for the transfer.

    Raises:
        InputError: A note is beyond the range of float16.
    """
    with np.errstate(over="ignore"):
        rounded = notes.astype(np.float16)
    if not np.isfinite(rounded).all():
        raise InputError("a network has weights so large that its values are beyond 65,504")
    return rounded


def record(
    features: Features,
    states: np.ndarray,
    choose: Choose,
    seating: np.ndarray,
    opponents: Mapping[int, Agent],
) -> Record:
    """Play games as `selfplay.play_wave` does, with its arguments, and return their record."""
    log = [np.empty(0, np.int64)]

    def chosen(*seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        actions, notes = choose(*seen)
        log.append(actions)
        return actions, notes

    heard = {i: _Heard(features.game, agent, log) for i, agent in opponents.items()}
    wave = play_wave(features, states, chosen, seating, heard)
    kind = np.min_scalar_type(features.game.num_actions - 1)
    return Record(np.concatenate(log).astype(kind), halved(wave.notes))


def replay(
    features: Features, states: np.ndarray, record: Record, seating: np.ndarray, opponents: int
) -> Wave:
    """Replay the games of a record; the states of the deals change in place.

    Raises:
        InputError: The record does not fit these games.
    """
    script = _Script(features.game, record)
    players = dict.fromkeys(range(opponents), script)
    wave = play_wave(features, states, script.choose, seating, players)
    script.check_end()
    return wave
