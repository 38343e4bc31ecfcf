"""Several networks of `value-net` as one, to go on from.

What networks that have learned apart expect of a play differs by what each happened to see, and the
mean of their values is more often right. `joined` puts them side by side into one network that has
this mean as its value, with the units of all of them; `trimmed` leaves out those that matter least.
Nothing here is fast: it is done once, before a stage of a training.
"""

from collections.abc import Sequence

import numpy as np

from closedhand.agents.doudizhu.value_net.network import ROLES, SHAPES, Net, Upper


def joined(nets: Sequence[Net], shares: Sequence[float]) -> Net:
    """A network whose value is the weighted mean of the values of others.

    The steps that a unit takes in learning are in proportion to its share. The ratio of the shares
    to the first one is therefore divided up between the layers: units above the first layer are
    multiplied by its root, and rows divided by it, which changes no value.

    Args:
        nets: Networks of any sizes, of one objective.
        shares: Share of each; they sum to 1.

    Returns:
        A network with the units of all, first those that the features of `decompose` reach.
    """
    roots = [np.float32((shares[0] / share) ** 0.5) for share in shares]
    narrow = [net.plays.shape[1] for net in nets]
    uppers = [Upper.of(net) for net in nets]

    def in_order(parts: list[np.ndarray]) -> np.ndarray:
        first = [part[..., :width] for part, width in zip(parts, narrow, strict=True)]
        others = [part[..., width:] for part, width in zip(parts, narrow, strict=True)]
        return np.concatenate([*first, *others], axis=-1)

    # [ROLES, second, units], with zeros between the networks.
    blocks: list[np.ndarray] = []
    for upper, root in zip(uppers, roots, strict=True):
        seconds = [each.weights.shape[2] for each in uppers]
        before = sum(seconds[: len(blocks)])
        block = np.zeros((ROLES, sum(seconds), upper.weights.shape[1]), np.float32)
        block[:, before : before + upper.weights.shape[2]] = root * upper.weights.swapaxes(1, 2)
        blocks.append(block)
    scaled = [np.float32(share) * each.third for each, share in zip(uppers, shares, strict=True)]
    lasts = [np.float32(share) * each.last for each, share in zip(uppers, shares, strict=True)]
    upper = Upper(
        in_order(blocks).swapaxes(1, 2),
        np.concatenate([each.biases for each in uppers], axis=1),
        np.concatenate(scaled, axis=1),
        np.stack(lasts).sum(axis=0),
    )
    return Net(
        in_order([net.inputs / root for net, root in zip(nets, roots, strict=True)]),
        np.concatenate([net.plays / root for net, root in zip(nets, roots, strict=True)], axis=1),
        upper.dense(),
    )


def trimmed(net: Net, samples: np.ndarray, wanted: Net = SHAPES) -> Net:
    """A network without the units that matter least: the value changes little without them.

    Args:
        net: A network with at least the units that are wanted, in each part.
        samples: Samples of self-play, of all roles, `self_play.SAMPLE`; some thousands.
        wanted: Shapes of the network that is left.
    """
    width, reached = net.inputs.shape[-1], net.plays.shape[1]
    units, narrow = wanted.inputs[-1], wanted.plays[1]
    second = (wanted.dense[1] - 1) // (units + 2)
    upper = Upper.of(net)
    effects = np.zeros((ROLES, width))
    kept_above: list[np.ndarray] = []
    for role in range(ROLES):
        weights, biases, third, _ = (part[role] for part in upper)
        outputs = first_outputs(net, samples[samples["role"] == role], role)
        sums = outputs @ weights + biases
        value = np.maximum(sums, 0) @ third
        for unit in range(width):
            without = sums - np.outer(outputs[:, unit], weights[unit])
            effects[role, unit] = np.mean((np.maximum(without, 0) @ third - value) ** 2)
        above = np.mean((np.maximum(sums, 0) * third) ** 2, axis=0)
        kept_above.append(best(above, second))
    # The rows of features are those of all roles.
    kept_narrow = best(effects[:, :reached].sum(axis=0), narrow)
    kept = [
        np.concatenate([kept_narrow, reached + best(each[reached:], units - narrow)])
        for each in effects
    ]
    roles = range(ROLES)
    left = Upper(
        np.stack([upper.weights[r][kept[r]][:, kept_above[r]] for r in roles]),
        np.stack([upper.biases[r][kept_above[r]] for r in roles]),
        np.stack([upper.third[r][kept_above[r]] for r in roles]),
        upper.last,
    )
    inputs = np.stack([net.inputs[r][:, kept[r]] for r in roles])
    return Net(inputs, net.plays[:, kept_narrow], left.dense())


def best(effects: np.ndarray, number: int) -> np.ndarray:
    """The places of the greatest effects, in ascending order."""
    return np.sort(np.argsort(-effects, kind="stable")[:number])


def first_outputs(net: Net, samples: np.ndarray, role: int) -> np.ndarray:
    """The outputs of the first layer for samples of a role, float32 [n, units]."""
    reached = net.plays.shape[1]
    sums = np.empty((len(samples), net.inputs.shape[-1]), np.float32)
    for row, sample in zip(sums, samples, strict=True):
        row[:] = net.inputs[role, sample["inputs"][: sample["known"]]].sum(axis=0)
        row[:reached] += net.plays[sample["features"][: sample["number"]]].sum(axis=0)
    return np.maximum(sums, 0)
