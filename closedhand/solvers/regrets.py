"""The arithmetic of regrets, which stands here once for every tree and every algorithm."""

import numpy as np

from closedhand.core.numba.jit import kernel


@kernel
def discount(t, exponent):
    """The factor t^e / (t^e + 1), exact for infinite e."""
    if np.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    return 1.0 / (1.0 + t**-exponent)


@kernel
def add_regret(regret, gained, positive, negative):
    """The discounted sum of regrets after another one, by the factors of either sign."""
    total = regret + gained
    return total * (positive if total > 0.0 else negative)


@kernel
def next_weight(regret, gained, predictive):
    """The weight of an action by its sum of regrets, the latest one counted twice if predictive."""
    return max(regret + gained if predictive else regret, 0.0)


@kernel
def normalise(weight, total, number):
    """The share of a weight; that of one of `number` equal actions if all weights are 0."""
    return weight / total if total > 0.0 else 1.0 / number


@kernel
def mirror_step(logit, value, temperature, step):
    """The logit of an action after a step of magnetic mirror descent, up to a constant.

    The magnet is the uniform policy, whose logits are 0.
    """
    return (logit + step * value) / (1.0 + step * temperature)


@kernel
def match_regrets(regret, out):
    """Write probabilities in proportion to the positive regrets of the actions of a set."""
    total = 0.0
    for k in range(len(regret)):
        out[k] = max(regret[k], 0.0)
        total += out[k]
    for k in range(len(regret)):
        out[k] = normalise(out[k], total, len(regret))


@kernel
def sample(probabilities, random):
    """Sample an index of a row of probabilities by `random`, a uniform number from 0 to 1."""
    chosen = -1
    for k in range(len(probabilities)):
        if probabilities[k] > 0.0:
            chosen = k
            random -= probabilities[k]
            if random < 0.0:
                break
    return chosen
