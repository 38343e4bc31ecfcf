"""Fit of a linear softmax policy in self-play by policy gradient.

Such a policy gives every action the sum of the weights of its features, and draws an action by
softmax. A game defines the number of features and the gradient of a piece of self-play (`Task`).

1. Play the games of a step in pieces, in threads or processes. Each piece returns the sum of the
   gradient of log-likelihoods times advantages (REINFORCE; Williams, 1992).
2. Add up the gradients in the order of the pieces, so that the number of threads has no effect.
3. Take a step of Adam (Kingma and Ba, 2015). The step size falls with the number of steps.
4. Average the weights of all steps; later steps count more if the task says so.
"""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.checks import check_seed
from closedhand.core.files import SHIPPED
from closedhand.core.game import InputError
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel
from closedhand.core.reading import check_arrays, read_arrays
from closedhand.core.run import Run
from closedhand.core.threads import in_threads
from closedhand.core.workers import RemoteWorkers

RATE, DECAY, SQUARES, TINY = 0.02, 0.9, 0.99, 1e-8
"""Parameters of Adam: step size, decay rates of the mean and of the squares, epsilon."""
ARRAYS = ("weights", "mean", "squares", "average")
"""Arrays of a checkpoint."""


@kernel
def exponentials(sums, n):
    """Replace the first `n` sums by exp(sum - greatest sum), the scores; return their total."""
    most = sums[:n].max()
    total = 0.0
    for k in range(n):
        sums[k] = np.exp(sums[k] - most)
        total += sums[k]
    return total


@kernel
def draw(scores, n, total, rng):
    """Draw an index below `n` in proportion to its score; `total` is that of `exponentials`."""
    drawn = rng.random() * total
    for k in range(n - 1):
        drawn -= scores[k]
        if drawn < 0.0:
            return k
    return n - 1


Gradient = Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
"""`gradient(weights, number of the piece, generator) -> float64 [features]`: plays a piece, and
returns the gradient of the policy's payoff, summed over the games."""


class Task(NamedTuple):
    """A policy to fit.

    The average of the weights counts step t about `t^averaging` times. All arrays are float32 or,
    if `averaging` is 0, float64.
    """

    features: int  # number of weights
    games: int  # in a step, a multiple of `piece`
    piece: int  # number of games that a thread plays at a time
    gradient: Gradient
    rate: float = RATE  # size of the first steps
    slower: float = math.inf  # the size is divided by the root of 1 + (number of steps) / this
    averaging: int = 0


class Training:
    """A fit in progress; a `closedhand.core.run.Learner`.

    Attributes:
        weights: Weights of the features, float32 or float64 [features], like the next three.
        mean: Adam's mean of the gradients.
        squares: Adam's mean of the squared gradients.
        average: Average of the weights.
        remote: Workers that play the games; None: this process.
    """

    def __init__(self, task: Task, seed: int = 0) -> None:
        self.task = task
        self.seed = seed
        self.steps = 0
        self.dtype = np.float32 if task.averaging else np.float64
        empty = np.zeros((4, task.features), self.dtype)
        self.weights, self.mean, self.squares, self.average = empty
        self.remote: RemoteWorkers | None = None

    @property
    def games(self) -> int:
        """Number of games played."""
        return self.steps * self.task.games

    def advance(self, seconds: float) -> bool:
        """Take a step; return False: only checkpoints add summaries to the history."""
        self.step()
        return False

    def state(self) -> dict[str, Any]:
        """Return the state for `restore`, and weights for `read_weights`."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        return {"steps": np.array(self.steps), **arrays}

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from a state that `state` returned; after an error discard the fit."""
        check_arrays(state, {"steps": np.array(0)})
        self.steps = int(state["steps"])
        if self.steps < 0:
            raise ValueError("steps")
        for name in ARRAYS:
            array = state[name].astype(self.dtype)
            if array.shape != (self.task.features,) or not np.isfinite(array).all():
                raise ValueError(name)
            setattr(self, name, array)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of steps and games so far."""
        return {"steps": self.steps, "games": self.games}

    def step(self) -> None:
        """Play the games of a step, here or by `remote`, and update the weights."""
        pieces = self.task.games // self.task.piece
        rngs = np.random.default_rng((self.seed, 0xDA1, self.steps)).spawn(pieces)
        gradients = np.empty((pieces, self.task.features))

        def work(piece: slice) -> None:
            for i in range(piece.start, piece.stop):
                gradients[i] = self.task.gradient(self.weights, i, rngs[i])

        if self.remote is None:
            in_threads(work, pieces, chunk=1)
        else:
            shared = self.remote.share(self.weights)
            jobs = [(self.task.gradient, shared, i, rng) for i, rng in enumerate(rngs)]
            gradients[:] = list(self.remote.results_of(gradient_elsewhere, jobs))
        gradient = (gradients.sum(axis=0) / self.task.games).astype(self.dtype)
        steps = self.steps + 1
        mean = DECAY * self.mean + (1 - DECAY) * gradient
        squares = SQUARES * self.squares + (1 - SQUARES) * gradient**2
        size = self.task.rate * math.sqrt(1 - SQUARES**steps) / (1 - DECAY**steps)
        size /= math.sqrt(1 + self.steps / self.task.slower)
        weights = self.weights + size * mean / (np.sqrt(squares) + TINY)
        share = (self.task.averaging + 1) / (self.task.averaging + steps)
        average = self.average + share * (weights - self.average)
        # All is computed before it is stored: an error above leaves the state before this step.
        self.steps, self.mean, self.squares, self.weights = steps, mean, squares, weights
        self.average = average


def gradient_elsewhere(
    gradient: Gradient, weights: np.ndarray, number: int, rng: np.random.Generator
) -> np.ndarray:
    """Compute the gradient of a piece in another process, from shared, read-only weights."""
    return gradient(weights.copy(), number, rng)


def begin(task: Task, seed: int, path: Path) -> Run[Training]:
    """Make a run of a fit before its first step; it can be resumed from `path`."""
    seed = check_seed(seed)
    return Run(Training(task, seed), {"seed": seed}, path)


def read_weights(path: Path, features: int, name: str = "weights") -> np.ndarray:
    """Read the weights, float32 [features], that a checkpoint has as `name`, or refuse the file."""
    weights = read_arrays(path).get(name, np.empty(0))
    shape_and_kind = weights.shape, weights.dtype.kind
    if shape_and_kind != ((features,), "f") or not np.isfinite(weights).all():
        raise InputError(f"{path} does not hold weights of this policy")
    return weights.astype(np.float32)


def weights_record(weights: np.ndarray) -> np.record:
    """Return a record for kernels with one field, `weights`, float32 [features]."""
    table = np.zeros(1, record_type([("weights", "f4", len(weights))]))[0]
    table.weights[:] = weights
    return table


@cache
def shipped_weights(name: str, features: int, array: str = "weights") -> np.ndarray:
    """Read weights from a file of the package, float32 [features]; see `read_weights`."""
    return read_weights(SHIPPED / f"{name}.npz", features, array)
