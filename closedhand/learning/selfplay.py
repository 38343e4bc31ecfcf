"""Whole games in lockstep, with the decisions of a learner as rows to learn from.

1. Cut the games of an update into pieces. The seed of the training, the number of the update and
   that of the piece determine its random numbers: any process plays it with the same results.
2. A piece becomes a wave, games that are played together, which starts with new deals.
3. At each step play the actions of opponents and forced moves, which teach nothing, until in every
   unfinished game the learner has a choice.
4. Let the learner decide in all these games at once. Repeat from step 3 until all games are over.
5. If another process plays a piece, it returns a record: the actions, mostly one or two bytes each,
   and the notes of the learner's decisions, two bytes per number. The learner deals and replays the
   games again, which saves the transfer of observations.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from closedhand.core import batch, batch_kernels, contract, interrupt, lockstep
from closedhand.core.agents import Agent, act_batch
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.numba.jit import Ids, Masks, Planes, Rules, States, kernel
from closedhand.learning.features import Features

LEARNER = -1
"""Player of a seat: the learner; numbers from 0 are indices of opponents."""

Choose = Callable[[Planes, Masks, States], tuple[NDArray[np.int64], NDArray[np.floating[Any]]]]
"""Function of observations, masks and states to actions, int64 [n], and notes, [n, k]: k numbers
for each decision, which the learner's algorithm needs."""


class Piece(NamedTuple):
    """Some games of an update: the numbers of the update, of the piece and of its games."""

    update: int
    number: int
    games: range

    def rng(self, seed: int) -> np.random.Generator:
        """Make the generator of the piece for the seed of a training."""
        # The last number makes the first deals differ from those of a match with this seed.
        return np.random.default_rng((seed, self.update, self.number, 1))


def cut(games: int, pieces: int, update: int) -> list[Piece]:
    """Cut the games of an update into at most `pieces` pieces of nearly equal size, none empty."""
    ends = [games * i // pieces for i in range(pieces + 1)]
    ranges = [range(*each) for each in pairwise(ends) if each[0] < each[1]]
    return [Piece(update, i, each) for i, each in enumerate(ranges)]


class Wave(NamedTuple):
    """Games from deal to end, and the learner's decisions in them, in order of time.

    The rows are the decisions, by step, then by game. `played` has all actions where there was a
    choice, those of opponents too, in the order of play, in the smallest type that holds them.
    """

    observations: NDArray[np.int8]  # [rows, inputs]
    masks: NDArray[np.int8]  # [rows, actions]
    actions: NDArray[np.int64]  # [rows]
    notes: NDArray[np.float16]  # of `choose`, [rows, k]: other processes send two bytes a number
    actors: NDArray[np.int64]  # seat that decided at each step, -1: none, [steps, games]
    rewards: NDArray[np.float64]  # payments from one step to the next, [steps, games, seats]
    ends: NDArray[np.bool_]  # whether the game ended before the next step, [steps, games]
    returns: NDArray[np.float64]  # payoffs, [games, seats]
    seating: NDArray[np.int64]  # player of each seat, as for `play_wave`, [games, seats]
    played: NDArray[np.unsignedinteger]
    moves: int  # number of actions of all players, forced ones included

    @property
    def reward(self) -> float:
        """Mean payoff of the seats that the learner played."""
        return float(self.returns[self.seating == LEARNER].mean())


def join(waves: Sequence[Wave]) -> Wave:
    """Join waves side by side; shorter ones end with steps without an actor."""
    if len(waves) == 1:
        return waves[0]
    steps = max(len(wave.actors) for wave in waves)

    def longer(array: NDArray[Any], empty: int) -> NDArray[Any]:
        more = np.full((steps - len(array), *array.shape[1:]), empty, array.dtype)
        return np.concatenate([array, more])

    # Rows have to follow the order of `actors`: by step, then by wave.
    steps_of_rows = [np.nonzero(wave.actors >= 0)[0] for wave in waves]
    order = np.argsort(np.concatenate(steps_of_rows), kind="stable")
    # A wave without a decision has notes of 0 numbers, which would not fit those of others.
    filled = [wave for wave in waves if len(wave.actions)] or waves[:1]
    by_row = {
        name: np.concatenate([getattr(wave, name) for wave in filled])[order]
        for name in ("observations", "masks", "actions", "notes")
    }
    return Wave(
        **by_row,
        actors=np.hstack([longer(wave.actors, -1) for wave in waves]),
        rewards=np.hstack([longer(wave.rewards, 0) for wave in waves]),
        ends=np.hstack([longer(wave.ends, 0) for wave in waves]),
        returns=np.concatenate([wave.returns for wave in waves]),
        seating=np.concatenate([wave.seating for wave in waves]),
        played=np.concatenate([wave.played for wave in waves]),
        moves=sum(wave.moves for wave in waves),
    )


@kernel
def play_forced(rules: Rules, states: States, ids: Ids) -> int:
    """Play forced actions in every game; return their number. `ids`: scratch, int32 [actions]."""
    moves = 0
    for i in range(len(states)):
        while not contract.over(rules, states[i]) and contract.legal(rules, states[i], ids) == 1:
            contract.play(rules, states[i], ids[0])
            moves += 1
    return moves


def play_wave(
    features: Features,
    states: np.ndarray,
    choose: Choose,
    seating: np.ndarray,
    opponents: Mapping[int, Agent],
) -> Wave:
    """Play games to their end from deals, states [n], which change in place.

    `seating` has the player of each seat, integers [n, seats]: `LEARNER` or the index of one of the
    `opponents`. `choose` decides for the learner; its actions must be legal, except in a lenient
    game. If there is nothing to decide, the wave has no rows, and notes of 0 numbers.

    Raises:
        InputError: An opponent chose an illegal action, or float16 cannot hold a note.
    """
    game, number, forced = features.game, len(states), 0
    ids, status = np.empty(game.num_actions, np.int32), np.empty(number, np.int8)
    played = [np.empty(0, np.int64)]

    def let(agent: Agent, games: np.ndarray) -> None:
        def decide(views: np.ndarray, _: np.ndarray) -> np.ndarray:
            played.append(act_batch(agent, views, interrupt.check))
            return played[-1]

        lockstep.step(game, states, games, decide, lambda _: f"agent {agent.name!r}")

    paid = np.zeros((number, game.num_players))
    totals: list[np.ndarray] = []
    over: list[np.ndarray] = []
    steps: list[tuple[np.ndarray, ...]] = []
    actors: list[np.ndarray] = []
    active = np.arange(number)
    while True:
        interrupt.check()
        forced += play_forced(game.rules, states, ids)
        is_running = batch.running(game, states)
        running = np.flatnonzero(is_running)
        to_act = seating[running, states["player"][running]]
        others = np.flatnonzero(to_act != LEARNER)
        if len(others):
            for k in np.unique(to_act[others]).tolist():
                let(opponents[k], running[to_act == k])
            continue
        # Since the last step only the payoffs of these games can have changed.
        changed = active if game.staged else active[~is_running[active]]
        paid[changed] = batch.returns(game, states[changed])
        totals.append(paid.copy())
        over.append(~is_running)
        if not len(running):
            break
        active = running
        observations, masks = features.encode(states[active])
        actions, notes = choose(observations, masks, states[active])
        steps.append((observations, masks, actions, notes))
        played.append(actions)
        actors.append(np.full(number, -1))
        actors[-1][active] = states["player"][active]
        batch_kernels.play_all(game.rules, states, active, actions, game.num_actions, status)
    if not steps:
        none = np.empty(0, np.int64)
        steps.append((*features.encode(states[:0]), none, np.empty((0, 0))))
    seen, masks, actions, notes = map(np.concatenate, zip(*steps, strict=True))
    taken = np.concatenate(played).astype(np.min_scalar_type(game.num_actions - 1))
    return Wave(
        seen, masks, actions, halved(notes), np.array(actors, np.int64).reshape(-1, number),
        np.diff(totals, axis=0), np.diff(over, axis=0), paid, seating, taken, forced + len(taken),
    )  # fmt: skip


def halved(notes: np.ndarray) -> NDArray[np.float16]:
    """Round notes to float16; an `InputError` if one is NaN, or beyond the range of float16."""
    with np.errstate(over="ignore"):
        rounded = notes.astype(np.float16)
    if not np.isfinite(rounded).all():
        raise InputError("a network has weights so large that its values are beyond 65,504")
    return rounded


class Record(NamedTuple):
    """Transferred part of a piece: `played` and `notes` of its wave."""

    played: NDArray[np.unsignedinteger]
    notes: NDArray[np.float16]


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
