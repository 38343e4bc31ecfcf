"""Weights of a linear softmax policy, fitted in self-play by policy gradient (REINFORCE).

Such a policy gives every action a sum of weights, one for each of its features, and draws by
softmax. A game says what features there are and how a piece of self-play changes them (`Task`);
steps are taken by Adam, and can be interrupted and resumed (`run`).
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.files import SHIPPED, read_arrays
from closedhand.core.game import InputError
from closedhand.core.kernel import kernel
from closedhand.core.run import Run
from closedhand.core.threads import in_threads

RATE, DECAY, SQUARES, TINY = 0.02, 0.9, 0.99, 1e-8
"""Adam: step size, memory of the mean and of the squares, least root."""


@kernel
def exponentials(sums, n):
    """Turn the first `n` sums of weights, in place, into scores; return what these add up to.

    An action is as likely as its share of all scores.
    """
    most = sums[:n].max()
    total = 0.0
    for k in range(n):
        sums[k] = np.exp(sums[k] - most)
        total += sums[k]
    return total


@kernel
def draw(scores, n, total, rng):
    """One of `n` numbers, by scores that add up to `total`."""
    drawn = rng.random() * total
    for k in range(n - 1):
        drawn -= scores[k]
        if drawn < 0.0:
            return k
    return n - 1


class Task(NamedTuple):
    """What is to be fitted.

    Attributes:
        features: How many weights there are.
        games: Of a step.
        piece: Games that a thread plays at a time.
        gradient: From the weights, the number of a piece and its generator to the gradient of what
            the policy wins, summed over the games of the piece, float64 [features].
    """

    features: int
    games: int
    piece: int
    gradient: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]


ARRAYS = ("weights", "mean", "squares")


class Training:
    """A fit under way; a `closedhand.core.run.Learner`.

    Attributes:
        seed: Of all deals and decisions.
        steps: How many were taken.
        weights: Of the features, float64 [features].
        mean: Adam's mean of the gradients, float64 [features].
        squares: And of their squares.
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
        """How many were played."""
        return self.steps * self.task.games

    def advance(self, seconds: float) -> bool:
        """Take a step."""
        self.step()
        return False

    def state(self) -> dict[str, Any]:
        """What `restore` needs, and `read_weights` to play; weights as float32."""
        arrays = {name: getattr(self, name).astype(np.float32) for name in ARRAYS}
        return {"steps": np.array(self.steps), **arrays}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned.

        Raises:
            ValueError: It is of another task.
        """
        for name in ARRAYS:
            setattr(self, name, state[name].astype(np.float64))
            if getattr(self, name).shape != (self.task.features,):
                raise ValueError(name)
        self.steps = int(state["steps"])

    def summary(self) -> dict[str, Any]:
        """How many steps were taken, and how many games played."""
        return {"steps": self.steps, "games": self.games}

    def step(self) -> None:
        """Play the games of a step and change the weights."""
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
        # All at once: an interruption finds a whole step.
        self.steps, self.mean, self.squares, self.weights = steps, mean, squares, weights


def begin(task: Task, seed: int, path: Path) -> Run[Training]:
    """A fit before its first step, to be worked at, or resumed from `path`."""
    return Run(Training(task, seed), {"seed": seed}, path, older=_older)


def _older(state: dict[str, Any]) -> dict[str, Any]:
    """The settings in a checkpoint of version 0.1.0."""
    return {"settings": {"seed": state.pop("seed").item()}}


def read_weights(path: Path, features: int) -> np.ndarray:
    """The weights of a checkpoint, float32 [features].

    Raises:
        InputError: It cannot be read, or holds other weights.
    """
    weights = read_arrays(path).get("weights", np.empty(0))
    if weights.shape != (features,) or not np.isfinite(weights).all():
        raise InputError(f"{path} holds no weights of this policy")
    return weights


@cache
def shipped_weights(name: str, features: int) -> np.ndarray:
    """The weights of a file of the package, float32 [features]."""
    return read_weights(SHIPPED / f"{name}.npz", features)
