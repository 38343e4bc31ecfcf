"""Weights of a linear softmax policy, fitted in self-play by policy gradient (REINFORCE).

Such a policy gives every action a sum of weights, one for each of its features, and draws an action
by softmax. A game defines the number of features and the gradient of a piece of self-play (`Task`).
Steps are taken by Adam; training can be interrupted and resumed (`begin`).
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.files import SHIPPED
from closedhand.core.game import InputError
from closedhand.core.kernel import kernel
from closedhand.core.reading import read_arrays
from closedhand.core.run import Run
from closedhand.core.threads import in_threads

RATE, DECAY, SQUARES, TINY = 0.02, 0.9, 0.99, 1e-8
"""Parameters of Adam: step size, decay rates of the mean and of the squares, epsilon."""


@kernel
def exponentials(sums, n):
    """Turn the first `n` sums of weights into scores, in place; return the total of the scores.

    The probability of an action is its share of the total.
    """
    most = sums[:n].max()
    total = 0.0
    for k in range(n):
        sums[k] = np.exp(sums[k] - most)
        total += sums[k]
    return total


@kernel
def draw(scores, n, total, rng):
    """Draw an index below `n` in proportion to its score; `total` is the sum of the scores."""
    drawn = rng.random() * total
    for k in range(n - 1):
        drawn -= scores[k]
        if drawn < 0.0:
            return k
    return n - 1


class Task(NamedTuple):
    """A policy to be fitted.

    Attributes:
        features: Number of weights.
        games: Number of games in a step.
        piece: Number of games that a thread plays at a time.
        gradient: Function of the weights, the number of a piece and its generator. It returns the
            gradient of the policy's payoff, summed over the games of the piece, float64 [features].
    """

    features: int
    games: int
    piece: int
    gradient: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]


ARRAYS = ("weights", "mean", "squares")


class Training:
    """A fit in progress; a `closedhand.core.run.Learner`.

    Attributes:
        seed: Seed of all deals and decisions.
        steps: Number of steps taken.
        weights: Weights of the features, float64 [features].
        mean: Adam's mean of the gradients, float64 [features].
        squares: Adam's mean of the squared gradients, float64 [features].
    """

    def __init__(self, task: Task, seed: int = 0) -> None:
        """Start with weights of 0."""
        self.task = task
        self.seed = seed
        self.steps = 0
        self.weights = np.zeros(task.features)
        self.mean = np.zeros(task.features)
        self.squares = np.zeros(task.features)

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.steps * self.task.games

    def advance(self, seconds: float) -> bool:
        """Take a step."""
        self.step()
        return False

    def state(self) -> dict[str, Any]:
        """State for `restore`, and weights for `read_weights`."""
        return {"steps": np.array(self.steps), **{name: getattr(self, name) for name in ARRAYS}}

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from a state that `state` returned.

        Raises:
            ValueError: The state belongs to another task.
        """
        for name in ARRAYS:
            setattr(self, name, state[name].astype(np.float64))
            if getattr(self, name).shape != (self.task.features,):
                raise ValueError(name)
        self.steps = int(state["steps"])

    def summary(self) -> dict[str, Any]:
        """Number of steps taken and of games played."""
        return {"steps": self.steps, "games": self.games}

    def step(self) -> None:
        """Play the games of a step and update the weights."""
        pieces = self.task.games // self.task.piece
        rngs = np.random.default_rng((self.seed, 0xDA1, self.steps)).spawn(pieces)
        gradients = np.empty((pieces, self.task.features))

        def work(piece: slice) -> None:
            for i in range(piece.start, piece.stop):
                gradients[i] = self.task.gradient(self.weights, i, rngs[i])

        in_threads(work, pieces, chunk=1)
        gradient = gradients.sum(axis=0) / self.task.games
        steps = self.steps + 1
        mean = DECAY * self.mean + (1 - DECAY) * gradient
        squares = SQUARES * self.squares + (1 - SQUARES) * gradient**2
        size = RATE * np.sqrt(1 - SQUARES**steps) / (1 - DECAY**steps)
        weights = self.weights + size * mean / (np.sqrt(squares) + TINY)
        # Assigned together, so that an interruption leaves a complete step.
        self.steps, self.mean, self.squares, self.weights = steps, mean, squares, weights


def begin(task: Task, seed: int, path: Path) -> Run[Training]:
    """Make a run of a fit before its first step; it can be resumed from `path`."""
    return Run(Training(task, seed), {"seed": seed}, path, older=_older)


def _older(state: dict[str, Any]) -> dict[str, Any]:
    """The settings in a checkpoint of version 0.1.0."""
    return {"settings": {"seed": state.pop("seed").item()}}


def read_weights(path: Path, features: int) -> np.ndarray:
    """Read the weights of a checkpoint, float32 [features].

    Raises:
        InputError: The file cannot be read, or holds other weights.
    """
    weights = read_arrays(path).get("weights", np.empty(0))
    if weights.shape != (features,) or not np.isfinite(weights).all():
        raise InputError(f"{path} does not hold weights of this policy")
    return weights.astype(np.float32)


@cache
def shipped_weights(name: str, features: int) -> np.ndarray:
    """Weights from a file of the package, float32 [features]."""
    return read_weights(SHIPPED / f"{name}.npz", features)
