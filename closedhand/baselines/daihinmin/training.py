"""Fits the weights of the playout policy in self-play, by policy gradient (REINFORCE).

`closedhand train daihinmin` plays rounds with the policy on all seats, half of them with an
exchange, adds up for every player the gradient of the log-likelihood of his decisions times what he
got above the mean of 3 points, and takes steps by Adam.
"""

import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from closedhand.baselines.daihinmin.policy import (
    FEATURES,
    MOST_FEATURES,
    Policy,
    describe,
    draw,
    look,
    policy_of,
    score_all,
    settled,
    without_idle_pass,
)
from closedhand.games import make_game
from closedhand.games.daihinmin import rules as flat
from closedhand.games.daihinmin.plays import NUM_ACTIONS
from closedhand.games.daihinmin.rules import PLAYERS, STATE
from closedhand.games.game import InputError
from closedhand.games.kernel import kernel, seed_in_kernel
from closedhand.games.records import write_atomically
from closedhand.search.threads import in_threads

MEAN = 3.0
"""Points of a round, over all players."""
ROUNDS, PIECE = 4096, 512
"""Of a step, and of a thread at a time."""
RATE, DECAY, SQUARES, TINY = 0.02, 0.9, 0.99, 1e-8
"""Adam: step size, memory of the mean and of the squares, least root."""


@kernel
def play_rounds(rules, policy, states, rng, ids, gradient):
    """Play a round in each of the states and add to the gradient of the points."""
    traces = np.zeros((PLAYERS, FEATURES))
    scores = np.empty(NUM_ACTIONS)
    features = np.empty(MOST_FEATURES, np.int64)
    points = np.empty(PLAYERS)
    for i in range(len(states)):
        state = states[i]
        flat.deal(rules, state, seed_in_kernel(rng))
        traces[:] = 0.0
        while not flat.over(rules, state):
            action = decide(rules, policy, state, rng, ids, scores, features, traces)
            flat.play(rules, state, action)
        flat.returns(rules, state, points)
        for player in range(PLAYERS):
            for f in range(FEATURES):
                gradient[f] += (points[player] - MEAN) * traces[player, f]


@kernel
def decide(rules, policy, state, rng, ids, scores, features, traces):
    """Choose an action as `policy.choose` does, and add to its player's trace."""
    n = flat.legal(rules, state, ids)
    k = settled(rules, state, ids, n)
    if k >= 0:
        return np.int64(ids[k])
    n = without_idle_pass(state, ids, n)
    total = score_all(policy, rules, state, ids, n, scores)
    chosen = draw(scores, n, total, rng)
    seen = look(state)
    for k in range(n):
        share = (1.0 if k == chosen else 0.0) - scores[k] / total
        for f in range(describe(rules, state, seen, np.int64(ids[k]), features)):
            traces[state.player, features[f]] += share
    return np.int64(ids[chosen])


@dataclass
class Training:
    """A fit under way.

    Attributes:
        seed: Of all deals and decisions.
        steps: How many were taken.
        weights: Of the features, float64 [FEATURES].
        mean: Adam's mean of the gradients, float64 [FEATURES].
        squares: And of their squares.
    """

    seed: int = 0
    steps: int = 0
    weights: np.ndarray = field(default_factory=lambda: np.zeros(FEATURES))
    mean: np.ndarray = field(default_factory=lambda: np.zeros(FEATURES))
    squares: np.ndarray = field(default_factory=lambda: np.zeros(FEATURES))

    @property
    def policy(self) -> Policy:
        """The policy with the weights so far."""
        return policy_of(self.weights)

    def step(self) -> None:
        """Play `ROUNDS` rounds and change the weights."""
        games = [make_game("daihinmin", classes=classes) for classes in ("none", "random")]
        pieces = ROUNDS // PIECE
        rngs = np.random.default_rng((self.seed, 0xDA1, self.steps)).spawn(pieces)
        gradients = np.zeros((pieces, FEATURES))
        policy = self.policy

        def work(piece: slice) -> None:
            for i in range(piece.start, piece.stop):
                ids = np.empty(NUM_ACTIONS, np.int32)
                states = np.zeros(PIECE, STATE)
                play_rounds(games[i % 2].rules, policy, states, rngs[i], ids, gradients[i])

        in_threads(work, pieces, chunk=1)
        gradient = gradients.sum(axis=0) / ROUNDS
        self.steps += 1
        self.mean = DECAY * self.mean + (1 - DECAY) * gradient
        self.squares = SQUARES * self.squares + (1 - SQUARES) * gradient**2
        size = RATE * np.sqrt(1 - SQUARES**self.steps) / (1 - DECAY**self.steps)
        self.weights = self.weights + size * self.mean / (np.sqrt(self.squares) + TINY)


ARRAYS = ("weights", "mean", "squares")


def save(training: Training, path: Path) -> None:
    """Write what `load` needs to go on, and `policy.load` to play."""
    buffer = io.BytesIO()
    arrays = {name: getattr(training, name).astype(np.float32) for name in ARRAYS}
    np.savez_compressed(
        buffer,
        seed=training.seed,
        steps=training.steps,
        rounds=training.steps * ROUNDS,
        **arrays,
    )
    write_atomically(path, buffer.getvalue())


def load(path: Path, seed: int) -> Training:
    """The training that `save` wrote.

    Raises:
        InputError: It cannot be read, or is of another seed.
    """
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as data:
            arrays = {name: data[name].astype(np.float64) for name in ARRAYS}
            found, steps = int(data["seed"]), int(data["steps"])
        if any(array.shape != (FEATURES,) for array in arrays.values()):
            raise ValueError("weights")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except Exception:
        raise InputError(f"{path} is no training that can be continued") from None
    if found != seed:
        raise InputError(f"{path} was trained with seed {found}, not {seed}")
    return Training(seed, steps, **arrays)
