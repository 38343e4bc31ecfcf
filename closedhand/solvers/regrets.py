"""Arithmetic of regrets and policies, shared by all trees and algorithms."""

import numpy as np

from closedhand.core.numba.jit import inlined, kernel


@kernel
def discount(t, exponent):
    """Return the factor t^e / (t^e + 1) of iteration t; the exponent e may be infinite."""
    if np.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    return 1.0 / (1.0 + t**-exponent)


@kernel
def add_regret(regret, gained, positive, negative):
    """Add the latest regret, `gained`, to a sum; discount the result by the factor for its sign."""
    total = regret + gained
    return total * (positive if total > 0.0 else negative)


@kernel
def next_weight(regret, gained, predictive):
    """Return the weight of an action: its sum of regrets, `regret`, or 0 if that is negative."""
    # If `predictive`, the latest regret, `gained`, counts twice, as a prediction of the next one.
    return max(regret + gained if predictive else regret, 0.0)


@kernel
def normalise(weight, total, number):
    """Divide a weight by the total, or return 1 / `number` if the total is 0."""
    return weight / total if total > 0.0 else 1.0 / number


@kernel
def mirror_step(logit, value, temperature, step):
    """Return the logit of an action after a step of magnetic mirror descent, up to a constant."""
    # The magnet is the uniform policy, whose logits are 0.
    return (logit + step * value) / (1.0 + step * temperature)


@inlined
def match_regrets(regret, row, number, out, place):
    """Write probabilities in proportion to positive regrets, uniform ones if there are none.

    The regrets are `regret[row : row + number]`; the probabilities go to `out` from `place` on.
    """
    total = 0.0
    for k in range(number):
        out[place + k] = max(regret[row + k], 0.0)
        total += out[place + k]
    for k in range(number):
        out[place + k] = normalise(out[place + k], total, number)


@kernel
def draw_deal(deals, rng):
    """Draw a deal by the cumulative probabilities `deals`, float64 [deals]; return its index."""
    return min(np.searchsorted(deals, rng.random(), side="right"), len(deals) - 1)


@kernel
def sample(probabilities, row, number, random):
    """Sample an action of a set by `random`, a uniform number from 0 to 1; return its index.

    The set has `number` actions from `row` on in `probabilities`.
    """
    # Rounding may leave `random` at 0 or above after the last action. `chosen` is then the last one
    # of positive probability; an action of probability 0 is never chosen.
    chosen = 0
    for k in range(number):
        if probabilities[row + k] > 0.0:
            chosen = k
            random -= probabilities[row + k]
            if random < 0.0:
                break
    return chosen
