"""The network of `value-net`: sparse inputs, two hidden layers, one value; in kernels.

There is one network for each role (landlord, down peasant, up peasant).

1. The first layer adds up a row of weights for each input that is 1 (`features.py`). A feature of
   `decompose` adds a row to the first `NARROW` units only.
2. Rectify the sums. The second layer, rectified, and the third compute one number from them.
3. Add the sum of weights in `decompose`, less that of its best play, times a fixed factor. So a
   network whose last layer is 0 plays as `decompose` does.

For playing, the rows and the second layer are int16 (`rounded`): SIMD instructions add twice as
many of them as of float32, and any order gives the same sum. All other sums are float32 in a fixed
order, so that the values are the same on every machine.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.decompose import features as decompose
from closedhand.agents.doudizhu.decompose.features import FEATURES
from closedhand.agents.doudizhu.value_net.features import INPUTS, SORTS
from closedhand.core.numba.jit import kernel
from closedhand.core.numba.simd import dot

ROLES = 3
UNITS = 288
"""Units of the first layer."""
NARROW = 128
"""Units that the features of `decompose` reach."""
SECOND = 40
"""Units of the second layer."""

# Index of the first number of each part of a row of `Net.dense`.
SECOND_BIAS = UNITS * SECOND
THIRD = SECOND_BIAS + SECOND
THIRD_BIAS = THIRD + SECOND
DENSE = THIRD_BIAS + 1

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
TINY = np.float32(1e-6)
LARGEST_SUM = 32_700
"""Largest sum of scaled weights before they are rounded. The rest up to the limit of int16, 67, is
for rounding errors: at most 1/2 in each row of a sum, which has at most 91 rows."""
OUTPUT_STEPS = np.float32(64.0)
"""Steps in 1.0 of the rounded outputs of the first layer."""
LARGEST_OUTPUT = np.float32(4095.0)
"""Largest rounded output of the first layer, in steps; greater ones are cut off."""
LARGEST_SECOND = (2**31 - 1) // int(LARGEST_OUTPUT) - UNITS
"""Largest sum of the absolute integer weights of a unit of the second layer.

An output is at most `LARGEST_OUTPUT`, so that no sum of products overflows int32. Rounding may add
1/2 to each of `UNITS` weights: `UNITS` is subtracted for it."""


class Net(NamedTuple):
    """Weights of the networks of all roles, float32; see `SHAPES`."""

    inputs: np.ndarray  # weights of the first layer, a row for each input
    plays: np.ndarray  # rows of the features of `decompose`, each of which belongs to one role
    dense: np.ndarray  # second layer [UNITS, SECOND], its biases, third layer, its bias


class Rounded(NamedTuple):
    """Weights for playing, with the rows and the second layer as integers."""

    inputs: np.ndarray  # as in `Net`, int16
    input_units: np.ndarray  # weight that a 1 in `inputs` stands for, float32 [ROLES]
    plays: np.ndarray  # as in `Net`, int16
    play_unit: np.float32  # weight that a 1 in `plays` stands for
    second: np.ndarray  # the second layer, transposed, int16 [ROLES, SECOND, UNITS]
    # Product of weight and output that a 1 in an integer product stands for, float32 [ROLES].
    second_units: np.ndarray
    dense: np.ndarray  # as in `Net`


SHAPES = Net(
    (ROLES, INPUTS, UNITS),  # type: ignore[arg-type]
    (FEATURES, NARROW),  # type: ignore[arg-type]
    (ROLES, DENSE),  # type: ignore[arg-type]
)


def new_net(seed: int) -> Net:
    """Make a network that plays as `decompose` does, with random lower layers."""
    rng = np.random.default_rng((seed, 0xDE7))  # a stream of its own, see `Training.step`
    dense = np.zeros(SHAPES.dense, np.float32)
    second = rng.standard_normal((ROLES, UNITS * SECOND)) * np.sqrt(2 / UNITS)
    dense[:, : UNITS * SECOND] = second
    inputs = (rng.standard_normal(SHAPES.inputs) * 0.05).astype(np.float32)
    inputs[:, -1] = 0.0  # the input `ALWAYS`, whose row holds the biases of the first layer
    return Net(inputs, np.zeros(SHAPES.plays, np.float32), dense)


@kernel
def round_rows(rows, sorts, most, numbers):
    """Round rows of weights to integers by the finest scale at which no sum overflows.

    `rows` are float32 [n, width]. `sorts` has the first row of each sort and the end of the last
    sort, `most` the maximum number of rows of each sort in a sum. The integers are written to
    `numbers`, int16 [n, width]; the result is the weight that a 1 in `numbers` stands for.
    """
    # An upper bound of the sum of each unit: the largest weight of each sort, times the number of
    # its rows that a sum may contain. The scale maps the greatest bound to `LARGEST_SUM`.
    width = rows.shape[1]
    sums, largest = np.zeros(width, np.float32), np.empty(width, np.float32)
    for k in range(len(most)):
        largest[:] = ZERO
        for row in range(sorts[k], sorts[k + 1]):
            for i in range(width):
                largest[i] = np.fmax(largest[i], np.abs(rows[row, i]))
        sums += np.float32(most[k]) * largest
    greatest = sums.max()
    if greatest == ZERO:
        greatest = np.float32(1.0)
    scale = np.float32(LARGEST_SUM) / greatest
    for row in range(len(rows)):
        for i in range(width):
            numbers[row, i] = np.int16(np.rint(rows[row, i] * scale))
    return greatest / np.float32(LARGEST_SUM)


def rounded(net: Net) -> Rounded:
    """Round the weights for playing.

    The result shares no array with `net`, which a training changes in place.
    """
    inputs, plays = np.empty(net.inputs.shape, np.int16), np.empty(net.plays.shape, np.int16)
    input_units = np.empty(ROLES, np.float32)
    one_each = np.ones(len(SORTS) - 1, np.int64)  # at most one input of each sort is 1
    for role in range(ROLES):
        input_units[role] = round_rows(net.inputs[role], SORTS, one_each, inputs[role])
    play_unit = round_rows(net.plays, decompose.SORTS, decompose.MOST_OF_SORT, plays)
    second = net.dense[:, :SECOND_BIAS].reshape(ROLES, UNITS, SECOND).swapaxes(1, 2)
    sizes = np.abs(second)
    most, largest = sizes.sum(axis=2).max(axis=1), sizes.max(axis=(1, 2))
    scales = LARGEST_SECOND / np.maximum(most, 1)
    scales = np.minimum(scales, np.iinfo(np.int16).max / np.maximum(largest, TINY))
    return Rounded(
        inputs,
        input_units,
        plays,
        np.float32(play_unit),
        np.rint(second * scales[:, None, None]).astype(np.int16, order="C"),
        (1 / (scales * float(OUTPUT_STEPS))).astype(np.float32),
        net.dense.copy(),
    )


@kernel
def add_rows(table, rows, first, end, sums):
    """Add the rows of a table with the indices `rows[first:end]`, in this order, to `sums`.

    `sums` may be longer than a row: only its first entries change.
    """
    width = table.shape[1]
    k = first
    while k + 3 < end:  # four at a time: the sums are loaded and stored once for all
        a, b = np.int64(rows[k]), np.int64(rows[k + 1])
        c, d = np.int64(rows[k + 2]), np.int64(rows[k + 3])
        for i in range(width):
            of_a, of_b, of_c, of_d = table[a, i], table[b, i], table[c, i], table[d, i]
            sums[i] += of_a
            sums[i] += of_b
            sums[i] += of_c
            sums[i] += of_d
        k += 4
    while k < end:
        row = np.int64(rows[k])
        for i in range(width):
            sums[i] += table[row, i]
        k += 1


@kernel
def subtract_rows(table, rows, first, end, sums):
    """Subtract rows of a table, as `add_rows` adds them, from `sums`."""
    width = table.shape[1]
    for k in range(first, end):
        row = np.int64(rows[k])
        for i in range(width):
            sums[i] -= table[row, i]


@kernel
def head(dense, sums, active, hidden):
    """Compute the output of the upper layers from the sums of the first layer, float32 [UNITS].

    `dense` is a row of `Net.dense`. The sums of the second layer are written into `hidden`, float32
    [SECOND]. The active units, one in five on average, are listed first, in the scratch space
    `active`, int64 [UNITS].
    """
    number = 0
    for i in range(UNITS):  # without a branch: an inactive unit is overwritten by the next one
        active[number] = i
        number += np.int64(sums[i] > ZERO)
    for j in range(SECOND):
        hidden[j] = dense[SECOND_BIAS + j]
    for k in range(number):
        i = active[k]
        output = sums[i]
        for j in range(SECOND):
            hidden[j] += output * dense[i * SECOND + j]
    total = dense[THIRD_BIAS]
    for j in range(SECOND):
        total += max(hidden[j], ZERO) * dense[THIRD + j]
    return total


@kernel
def output(total):
    """Rectify the sum of a unit of the first layer, and round it to steps, int16."""
    return np.int16(np.int32(min(max(total, ZERO) * OUTPUT_STEPS + HALF, LARGEST_OUTPUT)))


@kernel
def whole_head(net, role, of_inputs, of_plays, outputs):
    """Compute the output of the upper layers from integer sums; `head` takes float sums.

    `net` has `Rounded` weights. `of_inputs`, int16 [UNITS], and `of_plays`, int16 [NARROW], are its
    sums of rows of `inputs` and `plays`. `outputs` is scratch space, int16 [UNITS].
    """
    unit, play_unit, second_unit = net.input_units[role], net.play_unit, net.second_units[role]
    second, dense = net.second[role], net.dense[role]
    for i in range(NARROW):
        total = unit * np.float32(of_inputs[i]) + play_unit * np.float32(of_plays[i])
        outputs[i] = output(total)
    for i in range(NARROW, UNITS):
        outputs[i] = output(unit * np.float32(of_inputs[i]))
    total = dense[THIRD_BIAS]
    for j in range(SECOND):
        hidden = second_unit * np.float32(dot(outputs, second[j], UNITS)) + dense[SECOND_BIAS + j]
        total += max(hidden, ZERO) * dense[THIRD + j]
    return total


@kernel
def probability(value):
    """Return the probability of log-odds."""
    return 1.0 / (1.0 + np.exp(-value))
