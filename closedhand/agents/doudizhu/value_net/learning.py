"""Updates of the network of `value-net` from samples, in kernels.

For each sample of a role:

1. Add the rows of its inputs, compute the value (`network.head`), and the error.
2. If the error is below `small` (see `SMALL_CHANCE`), skip the sample with the probability
   1 - error / small, or else count its error as `small`. The mean step is the same, in less
   time. Many samples have small errors because their games are nearly decided.
3. Go back through the upper layers. Sum their gradients, and compute the first layer's gradient.
4. Move the rows of the inputs immediately, by the gradient over the root of the row's mean
   squared gradient. Rare inputs take longer steps, as in Adagrad (Duchi, Hazan and Singer, 2011).
5. After `BATCH` samples, skipped or not, let the upper layers take a step of Adam (Kingma and Ba,
   2015).
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.decompose.features import FEATURES
from closedhand.agents.doudizhu.value_net.features import ALWAYS, INPUTS
from closedhand.agents.doudizhu.value_net.network import (
    DENSE,
    ROLES,
    SECOND,
    SECOND_BIAS,
    THIRD,
    THIRD_BIAS,
    UNITS,
    ZERO,
    add_rows,
    head,
)
from closedhand.core.numba.jit import kernel

BATCH = 64
"""Samples of a role between two steps of its upper layers."""
DENSE_RATE = 10.0
"""Ratio of the step size of the upper layers to that of the rows of the first layer."""
SMALL_CHANCE, SMALL_POINTS = 0.1, 0.4
"""Limits of small errors: of a probability to win, and of points."""
MEAN, SQUARES, TINY = 0.9, 0.999, 1e-7
"""Parameters of Adam: decay rates of the mean and of the squares, epsilon."""
MEMORY = 1000
"""Approximate number of a row's latest gradients in its mean squared gradient."""
LEAST_SQUARE = np.float32(1e-9)
"""Addition to a mean squared gradient before the division by its root, as epsilon in Adagrad."""
LARGEST = 40.0
"""Largest ratio of a rare row's steps to those of a row that is in every sample."""


class Optimiser(NamedTuple):
    """Statistics of gradients; shapes in `new_optimiser`; upper layers as `transpose` has them."""

    inputs: np.ndarray  # mean squared gradient of each row of `Net.inputs`
    input_visits: np.ndarray  # number of gradients of each row
    plays: np.ndarray  # the same for `Net.plays`
    play_visits: np.ndarray
    pending: np.ndarray  # sums of the gradients of the upper layers since their last step
    pending_samples: np.ndarray  # number of samples in `pending`
    mean: np.ndarray  # Adam's mean of the gradients of the upper layers
    squares: np.ndarray  # Adam's mean of the squared gradients
    steps: np.ndarray  # number of Adam's steps


def new_optimiser() -> Optimiser:
    """Make an optimiser without gradients."""
    return Optimiser(
        np.zeros((ROLES, INPUTS), np.float32),
        np.zeros((ROLES, INPUTS), np.int64),
        np.zeros(FEATURES, np.float32),
        np.zeros(FEATURES, np.int64),
        np.zeros((ROLES, DENSE), np.float32),
        np.zeros(ROLES, np.int64),
        np.zeros((ROLES, DENSE), np.float32),
        np.zeros((ROLES, DENSE), np.float32),
        np.zeros(ROLES, np.int64),
    )


@kernel
def learn(net, optimiser, role, share, win, step_size, samples, order, draws):
    """Learn from the samples of a role, in place; return the sum of their losses, and their number.

    Only rows of this role change, in `net.plays` too. `share` is the factor of the sum of
    `decompose` in a value. With `win` the loss is the cross-entropy of winning, otherwise half the
    squared error of points. `step_size` is for rows that are in every sample. `samples`,
    `self_play.SAMPLE` [n], are of all roles. `order` has the indices of samples to learn, `draws` a
    number from 0 to 1 for each index.
    """
    rows, dense = net.inputs[role], net.dense[role]
    sums, hidden = np.empty(UNITS, np.float32), np.empty(SECOND, np.float32)
    slopes, active = np.empty(UNITS, np.float32), np.empty(UNITS, np.int64)
    back = np.empty(DENSE, np.float32)
    transpose(dense, UNITS, SECOND, back)
    small = SMALL_CHANCE if win else SMALL_POINTS
    total, learned = 0.0, 0
    for k in range(len(order)):
        sample = samples[order[k]]
        if sample.role != role:
            continue
        sums[:] = ZERO
        known, number = np.int64(sample.known), np.int64(sample.number)
        add_rows(rows, sample.inputs, 0, known, sums)
        add_rows(net.plays, sample.features, 0, number, sums)
        value = head(dense, sums, active, hidden) + share * sample.prior
        target = np.float64(sample.target)
        error = value - target
        if win:
            chance = 1.0 / (1.0 + np.exp(-value))
            error = chance - target
            total -= target * np.log(chance + 1e-9) + (1 - target) * np.log(1 - chance + 1e-9)
        else:
            total += error**2 / 2
        learned += 1
        if abs(error) >= draws[k] * small:
            if abs(error) < small:
                error = small if error > 0 else -small
            # The input `ALWAYS` is in every sample: its visits count the samples not skipped.
            seen = optimiser.input_visits[role, ALWAYS] + 1
            descend_head(back, sums, hidden, np.float32(error), optimiser.pending[role], slopes)
            descend_rows(
                rows, optimiser.inputs[role], optimiser.input_visits[role], seen,
                sample.inputs, known, slopes, step_size,
            )  # fmt: skip
            # This table has rows of all three roles, which learn about equally often.
            descend_rows(
                net.plays, optimiser.plays, optimiser.play_visits, ROLES * seen,
                sample.features, number, slopes, step_size,
            )  # fmt: skip
        optimiser.pending_samples[role] += 1
        if optimiser.pending_samples[role] == BATCH:
            step_dense(back, optimiser, role, DENSE_RATE * step_size)
            transpose(back, SECOND, UNITS, dense)
    return total, learned


@kernel
def transpose(dense, rows, columns, turned):
    """Copy a row of `Net.dense` to `turned`; transpose its second layer, [rows, columns]."""
    for i in range(rows):
        for j in range(columns):
            turned[j * rows + i] = dense[i * columns + j]
    turned[SECOND_BIAS:] = dense[SECOND_BIAS:]


@kernel
def descend_head(back, sums, hidden, error, gradient, slopes):
    """Propagate an error back through the upper layers.

    `back` is a row of `Net.dense` after `transpose`, `hidden` the sums of the second layer, and
    `error` the derivative of the loss by the value. `sums`, of the first layer, are replaced by its
    outputs. Gradients are added to `gradient`, in the order of `back`. Derivatives of the loss by
    `sums` are written to `slopes`, float32 [UNITS].
    """
    gradient[THIRD_BIAS] += error
    for i in range(UNITS):
        sums[i] = max(sums[i], ZERO)
        slopes[i] = ZERO
    for j in range(SECOND):
        if hidden[j] > ZERO:
            upper, row = error * back[THIRD + j], j * UNITS
            gradient[THIRD + j] += error * hidden[j]
            gradient[SECOND_BIAS + j] += upper
            for i in range(UNITS):
                slopes[i] += back[row + i] * upper
                gradient[row + i] += sums[i] * upper
    for i in range(UNITS):
        if sums[i] == ZERO:
            slopes[i] = ZERO


@kernel
def descend_rows(table, squares, visits, seen, rows, number, slopes, step_size):
    """Move the rows of a sample against their gradient, which is common to all of them.

    `table` has rows of weights, float32 [n, UNITS or NARROW]; `squares` and `visits` are the mean
    squared gradient and the number of gradients of each row, [n]. `seen` is about the number of
    samples that moved rows of the table. `rows[:number]` has the indices of the rows to move, and
    `slopes`, float32 [UNITS], their gradient. `step_size` is for common rows; rare ones move more.
    """
    width = table.shape[1]
    square = ZERO
    for i in range(width):
        square += slopes[i] * slopes[i]
    square /= np.float32(width)
    for k in range(number):
        row = np.int64(rows[k])
        visits[row] += 1
        squares[row] += (square - squares[row]) / np.float32(min(visits[row], MEMORY))
        longer = min(LARGEST, np.sqrt(seen / visits[row]))
        step = np.float32(longer * step_size / np.sqrt(squares[row] + LEAST_SQUARE))
        for i in range(width):
            table[row, i] -= step * slopes[i]


@kernel
def step_dense(back, optimiser, role, step_size):
    """Take a step of Adam in the transposed upper layers of a role; clear the pending gradients."""
    optimiser.steps[role] += 1
    steps = np.float64(optimiser.steps[role])
    size = step_size * np.sqrt(1.0 - SQUARES**steps) / (1.0 - MEAN**steps)
    pending, number = optimiser.pending[role], optimiser.pending_samples[role]
    means, squares = optimiser.mean[role], optimiser.squares[role]
    for k in range(DENSE):
        gradient = np.float64(pending[k]) / number
        mean = MEAN * means[k] + (1.0 - MEAN) * gradient
        square = SQUARES * squares[k] + (1.0 - SQUARES) * gradient**2
        means[k], squares[k] = mean, square
        back[k] -= size * mean / (np.sqrt(square) + TINY)
        pending[k] = ZERO
    optimiser.pending_samples[role] = 0
