"""The network and its gradients, against matrices in double precision."""

import numpy as np
import pytest

from closedhand.agents.doudizhu.decompose import features as decompose
from closedhand.agents.doudizhu.value_net import learning, network
from closedhand.agents.doudizhu.value_net.network import ROLES, SECOND, UNITS, Net
from closedhand.agents.doudizhu.value_net.self_play import SAMPLE


def random_net(seed: int = 0) -> Net:
    """A network with weights everywhere."""
    rng = np.random.default_rng(seed)
    parts = [rng.standard_normal(shape).astype(np.float32) / 8 for shape in network.SHAPES]
    return Net(*parts)


def layers(dense: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """The parts of a row of `Net.dense`, in double precision."""
    wide = dense.astype(float)
    second = wide[: network.SECOND_BIAS].reshape(UNITS, SECOND)
    bias, third = wide[network.SECOND_BIAS : network.THIRD], wide[network.THIRD : -1]
    return second, bias, third, wide[-1]


def first_layer(net: Net, sample: np.record) -> np.ndarray:
    sums = net.inputs[sample.role, sample.inputs[: sample.known]].astype(float).sum(axis=0)
    sums[: network.NARROW] += net.plays[sample.features[: sample.number]].astype(float).sum(axis=0)
    return sums


def upper_value(dense: np.ndarray, sums: np.ndarray) -> float:
    scratch = np.empty(UNITS, np.int64), np.empty(SECOND, np.float32)
    return network.head(dense, sums.astype(np.float32), *scratch)


def turned(dense: np.ndarray, rows: int, columns: int) -> np.ndarray:
    second = dense[: rows * columns].reshape(rows, columns)
    return np.concatenate([second.T.ravel(), dense[rows * columns :]])


def plain_value(dense: np.ndarray, sums: np.ndarray) -> float:
    second, bias, third, constant = layers(dense)
    return float(np.maximum(np.maximum(sums, 0) @ second + bias, 0) @ third + constant)


def random_samples(number: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    samples = np.zeros(number, SAMPLE)
    for sample in samples:
        sample.known, sample.number = rng.integers(20, 60), rng.integers(5, 20)
        sample.inputs[: sample.known] = rng.choice(network.INPUTS, sample.known, replace=False)
        sample.features[: sample.number] = rng.choice(
            network.FEATURES, sample.number, replace=False
        )
        sample.prior, sample.target = -rng.random() * 20, rng.random() < 0.5
        sample.role = rng.integers(ROLES)
    return samples


def test_values_are_those_of_matrices() -> None:
    net = random_net()
    for sample in random_samples(20):
        sums = np.zeros(UNITS, np.float32)
        network.add_rows(net.inputs[sample.role], sample.inputs, 0, int(sample.known), sums)
        network.add_rows(net.plays, sample.features, 0, int(sample.number), sums)
        expected = first_layer(net, sample)
        assert sums == pytest.approx(expected, abs=1e-5)
        value = upper_value(net.dense[sample.role], sums)
        assert value == pytest.approx(plain_value(net.dense[sample.role], expected), abs=1e-4)
    network.subtract_rows(net.plays, np.array([5]), 0, 1, sums)


def test_rounded_sums_are_near_and_fit() -> None:
    net = random_net(6)
    net.inputs[1] *= 100.0
    net.inputs[2] = 0.0
    whole = network.rounded(net)
    assert not whole.inputs[2].any()

    def check(rows: np.ndarray, numbers: np.ndarray, unit: np.floating, most: np.ndarray) -> None:
        assert np.abs(numbers * unit - rows).max() < 0.51 * unit
        assert 32_600 < most.max() <= np.iinfo(np.int16).max

    for role in range(2):
        sorts = np.split(np.abs(whole.inputs[role].astype(int)), network.SORTS[1:-1])
        most = sum(each.max(axis=0) for each in sorts)
        check(net.inputs[role], whole.inputs[role], whole.input_units[role], most)
    sorts = np.split(np.abs(whole.plays.astype(int)), decompose.SORTS[1:-1])
    repeated = zip(sorts, decompose.MOST_OF_SORT, strict=True)
    most = sum(times * each.max(axis=0) for each, times in repeated)
    check(net.plays, whole.plays, whole.play_unit, most)


def test_whole_heads_are_near_and_fit() -> None:
    rng = np.random.default_rng(8)
    net = random_net(8)
    net.dense[1, : network.SECOND_BIAS] = 1.0  # all of one size: the sums are the largest
    net.dense[2, 0] = 1e4  # one large weight among small ones
    whole = network.rounded(net)
    most = int(network.LARGEST_OUTPUT) * np.abs(whole.second.astype(int)).sum(axis=2)
    assert 2**31 / 1.01 < most.max() < 2**31
    outputs, of_plays = np.empty(UNITS, np.int16), np.empty(network.NARROW, np.int16)
    for role in (0, 1):
        of_inputs = rng.integers(-8000, 8000, UNITS).astype(np.int16)
        of_plays = rng.integers(-8000, 8000, network.NARROW).astype(np.int16)
        sums = of_inputs * whole.input_units[role].astype(float)
        sums[: network.NARROW] += of_plays * float(whole.play_unit)
        value = network.whole_head(whole, role, of_inputs, of_plays, outputs)
        assert value == pytest.approx(plain_value(net.dense[role], sums), rel=1e-2)
        assert outputs == pytest.approx(64 * np.maximum(sums, 0), abs=0.51)
    net.dense[0] = 0.0
    assert network.whole_head(network.rounded(net), 0, of_inputs, of_plays, outputs) == 0
    # What is too large for an output counts as the largest one.
    whole = whole._replace(input_units=np.ones(3, np.float32))
    network.whole_head(whole, 1, np.full(UNITS, 30_000, np.int16), 0 * of_plays, outputs)
    assert (outputs == network.LARGEST_OUTPUT).all()


def plain_loss(
    dense: np.ndarray, sums: np.ndarray, sample: np.record, share: float, win: bool
) -> float:
    value = plain_value(dense, sums) + share * float(sample.prior)
    if not win:
        return (value - float(sample.target)) ** 2 / 2
    return float(np.log1p(np.exp(-value if sample.target else value)))


@pytest.mark.parametrize("win", [True, False])
@pytest.mark.parametrize("sample", random_samples(3, seed=4))
def test_gradients_are_slopes_of_the_loss(sample: np.record, win: bool) -> None:
    """Every part of the gradient of one sample, by finite differences."""
    share, role = 0.05, int(sample.role)
    before, net, optimiser = random_net(2), random_net(2), learning.new_optimiser()
    samples, order = np.array([sample], SAMPLE), np.array([0])
    draws = np.zeros(1)
    total, number = learning.learn(net, optimiser, role, share, win, 1e-3, samples, order, draws)
    assert number == 1 and optimiser.pending_samples[role] == 1
    parts = before.dense[role].astype(float), first_layer(before, sample)
    assert total == pytest.approx(plain_loss(*parts, sample, share, win), rel=1e-4)

    def slope(part: int, k: int) -> float:
        losses = []
        for step in (1e-6, -1e-6):
            moved = [each.copy() for each in parts]
            moved[part][k] += step
            losses.append(plain_loss(*moved, sample, share, win))
        return (losses[0] - losses[1]) / 2e-6

    gradient = turned(optimiser.pending[role], SECOND, UNITS)
    some = np.random.default_rng(5).choice(network.SECOND_BIAS, 100)
    for k in (*some, *range(network.SECOND_BIAS, network.DENSE)):
        assert gradient[k] == pytest.approx(slope(0, k), abs=1e-4)
    slopes = np.array([slope(1, k) for k in range(UNITS)])
    inputs, features = sample.inputs[: sample.known], sample.features[: sample.number]
    for table, changed, rows, squares, seen in (
        (before.inputs[role], net.inputs[role], inputs, optimiser.inputs[role], 1),
        (before.plays, net.plays, features, optimiser.plays, ROLES),
    ):
        width = table.shape[1]
        square = np.mean(slopes[:width] ** 2)
        assert squares[rows] == pytest.approx(square, rel=1e-3)
        step = 1e-3 * np.sqrt(seen) * slopes[:width] / np.sqrt(square + 1e-9)
        for row in rows:
            assert table[row] - changed[row] == pytest.approx(step, abs=2e-6)
        others = np.setdiff1d(np.arange(len(table)), rows)
        assert np.array_equal(table[others], changed[others])


def test_rare_rows_take_longer_steps() -> None:
    rare, common, slopes = 3, 5, np.full(UNITS, 0.5, np.float32)
    for seen, ratio in ((400, 10.0), (10**6, learning.LARGEST)):
        table, squares = np.zeros((8, UNITS), np.float32), np.full(8, 0.25, np.float32)
        visits = np.full(8, 3)
        visits[common] = seen - 1
        rows = np.array([rare, common])
        learning.descend_rows(table, squares, visits, seen, rows, 2, slopes, 1e-3)
        assert visits[rare] == 4 and visits[common] == seen
        assert table[common] == pytest.approx(-1e-3, rel=1e-4)
        assert table[rare] == pytest.approx(ratio * table[common], rel=1e-4)


@pytest.mark.parametrize("win", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
def test_small_errors_count_seldom_and_as_larger_ones(win: bool, sign: int) -> None:
    """As often as they are small: the gradient is the same on average."""
    small = learning.SMALL_CHANCE if win else learning.SMALL_POINTS
    samples = random_samples(1)
    sample = samples[0]
    role = int(sample["role"])

    def learned(error: float, draw: float) -> np.ndarray:
        """The gradient of the upper layers, if the value is wrong by so much."""
        net, optimiser = random_net(), learning.new_optimiser()
        value = plain_value(net.dense[role], first_layer(net, sample)) + 0.05 * sample["prior"]
        sample["target"] = (1 / (1 + np.exp(-value)) if win else value) - error
        draws = np.array([draw])
        arguments = 0.05, win, 1e-3, samples, np.array([0]), draws
        assert learning.learn(net, optimiser, role, *arguments)[1] == 1
        assert optimiser.pending_samples[role] == 1
        changed = not np.array_equal(net.inputs, random_net().inputs)
        assert changed == bool(optimiser.pending.any()) == bool(optimiser.input_visits.any())
        return optimiser.pending[role]

    whole = learned(sign * small, 1.0 - 1e-3)
    assert whole.any()
    assert learned(sign * small / 4, 0.24) == pytest.approx(whole, rel=1e-3, abs=1e-6)
    assert not learned(sign * small / 4, 0.26).any()
    assert learned(sign * small * 2, 1.0 - 1e-9) == pytest.approx(2 * whole, rel=1e-3, abs=1e-6)


def test_the_upper_layers_take_a_step_of_adam_after_a_batch() -> None:
    net, optimiser = random_net(), learning.new_optimiser()
    samples = np.repeat(random_samples(1), learning.BATCH)
    role, before = int(samples[0]["role"]), net.dense.copy()
    order, draws = np.arange(learning.BATCH), np.zeros(learning.BATCH)
    learning.learn(net, optimiser, role, 0.05, True, 1e-5, samples, order[:-1], draws)
    assert np.array_equal(net.dense, before)
    gradient = turned(optimiser.pending[role], SECOND, UNITS) / (learning.BATCH - 1)
    learning.learn(net, optimiser, role, 0.05, True, 1e-5, samples, order[-1:], draws)
    # Adam's first step has the same size in every direction that has a slope.
    steep = np.abs(gradient) > 1e-4
    step = before[role] - net.dense[role]
    assert step[steep] == pytest.approx(1e-4 * np.sign(gradient[steep]), rel=0.05)
    assert not optimiser.pending.any() and not optimiser.pending_samples.any()
    assert optimiser.steps[role] == 1 and optimiser.steps.sum() == 1


def test_learning_fits_what_the_inputs_tell() -> None:
    net, optimiser = network.new_net(0), learning.new_optimiser()
    samples = random_samples(64, seed=9)
    order, rng = np.arange(len(samples)), np.random.default_rng(10)
    for role in range(ROLES):
        losses = [
            learning.learn(
                net, optimiser, role, 0.01, True, 1e-3, samples, order, rng.random(len(order))
            )[0]
            for _ in range(60)
        ]
        assert losses[-1] < 0.2 * losses[0]
