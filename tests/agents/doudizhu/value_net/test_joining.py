"""Several networks as one: the mean of their values, and what is left without the least units."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.agents.doudizhu.value_net import joining, network
from closedhand.agents.doudizhu.value_net.network import ROLES, Net, Upper, shapes
from closedhand.agents.doudizhu.value_net.training import Training

SMALL, LARGE = shapes(6, 3, 2), shapes(10, 4, 5)


def random_net(wanted: Net, seed: int) -> Net:
    rng = np.random.default_rng(seed)
    return Net(*(rng.standard_normal(shape).astype(np.float32) / 4 for shape in wanted))


@pytest.fixture(scope="module")
def samples() -> np.ndarray:
    """Samples of some games, of all roles."""
    training = Training(make_game("doudizhu", objective="win"), 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("closedhand.agents.doudizhu.value_net.training.GAMES", 128)
        return training.play(np.random.default_rng(0))[:300]


def values(net: Net, samples: np.ndarray) -> np.ndarray:
    """The values of samples, without the share of `decompose`."""
    found = np.empty(len(samples))
    for role in range(ROLES):
        weights, biases, third, last = (part[role] for part in Upper.of(net))
        of_role = samples["role"] == role
        outputs = joining.first_outputs(net, samples[of_role], role)
        found[of_role] = np.maximum(outputs @ weights + biases, 0) @ third + last
    return found


def test_the_value_is_the_mean(samples: np.ndarray) -> None:
    nets = [random_net(SMALL, 1), random_net(LARGE, 2), random_net(SMALL, 3)]
    shares = (0.7, 0.2, 0.1)
    joined = joining.joined(nets, shares)
    assert [part.shape for part in joined] == list(shapes(22, 10, 9))
    assert {part.dtype for part in joined} == {np.dtype(np.float32)}
    expected = sum(share * values(net, samples) for net, share in zip(nets, shares, strict=True))
    assert values(joined, samples) == pytest.approx(expected, abs=1e-4)
    [same] = [joining.joined(nets[:1], [1.0])]
    assert all(np.array_equal(one, two) for one, two in zip(same, nets[0], strict=True))


def test_units_without_an_effect_go_first(samples: np.ndarray) -> None:
    net = random_net(LARGE, 4)
    upper = Upper.of(net)
    upper.weights[0, 7] = upper.weights[1, 5] = upper.weights[2, 9] = 0.0  # apart by role
    upper.weights[:, 1] = 0.0  # one that features reach, for all roles
    upper.third[0, 2] = upper.third[1, 0] = upper.third[2, 3] = 0.0
    net = net._replace(dense=upper.dense())
    left = joining.trimmed(net, samples, shapes(8, 3, 4))
    assert [part.shape for part in left] == list(shapes(8, 3, 4))
    assert values(left, samples) == pytest.approx(values(net, samples), abs=1e-5)
    less = joining.trimmed(net, samples, shapes(7, 3, 4))
    assert np.abs(values(less, samples) - values(net, samples)).max() > 0.001
    full = joining.trimmed(random_net(network.SHAPES, 5), samples)
    assert [part.shape for part in full] == list(network.SHAPES)
