"""Size of the information tree of a game, estimated by random games before it is built."""

import math
from itertools import islice

import numpy as np

from closedhand.core import contract
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel, seed_in_kernel

MOST_NODES = 20_000_000
"""Default of the largest number of nodes of a tree: about 1 GB."""
PROBES = 300
"""Random games from which the size of a tree is estimated."""
COUNTED = 100_000
"""Largest number of deals that is counted for a message."""


@kernel
def probe(rules, states, rng, ids, most):
    """Estimate the size of a game's tree below one deal; `states` [1] is scratch space.

    Knuth's estimator plays a random game. The product of the numbers of legal actions so far is an
    unbiased estimate of the size of each level. The game stops after `most` actions, or when the
    product is infinite.
    """
    state = states[0]
    contract.deal(rules, state, seed_in_kernel(rng))
    width = total = 1.0
    moves = 0
    while width < np.inf and moves < most and not contract.over(rules, state):
        number = contract.legal(rules, state, ids)
        width *= number
        total += width
        contract.play(rules, state, ids[np.int64(rng.random() * number)])
        moves += 1
    return total


def estimate(game: Game) -> float:
    """Estimate the number of histories (nodes of the tree) below one deal; it may be infinite."""
    states, ids = game.empty(1), np.empty(game.num_actions, np.int32)
    rng = np.random.default_rng(0)
    sizes = [probe(game.rules, states, rng, ids, game.max_moves) for _ in range(PROBES)]
    return float(np.mean(sizes))


def _about(number: float) -> str:
    if number < 1e6:
        return f"about {number:,.0f}"
    return f"about 10^{math.log10(number):.0f}" if number < math.inf else "more than 10^308"


def check_size(game: Game, most: int = MOST_NODES) -> float:
    """Return the estimated number of histories below one deal of a game.

    Refuse a game whose estimate is above twice `most`, or that does not list its deals.
    """
    each = estimate(game)
    size = f"one deal of {game.name} has {_about(each)} histories"
    if each > 2 * most:  # below that the estimate may be too high: `tree.build` counts
        raise InputError(f"{size}, too many to solve: {most:,} are the most")
    try:
        game.deals()
    except InputError as error:
        raise InputError(f"{error}; {size}") from None
    return each


def too_large(game: Game, each: float, most: int) -> str:
    """Write the message about a tree of more than `most` nodes, about `each` below one deal."""
    number = sum(1 for _ in islice(game.deals(), COUNTED))
    deals = f"{number:,} or more" if number == COUNTED else f"{number:,}"
    return (
        f"{game.name} has {deals} deals with {_about(each)} histories each, too many to solve: "
        f"{most:,} are the most in all"
    )
