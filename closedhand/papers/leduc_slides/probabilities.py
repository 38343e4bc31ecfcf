"""The probabilities of a strategy on the state graph of the course slides.

The states of the graph omit the earlier betting and the cards; probabilities are averages over
both.
"""

import math
from collections import defaultdict

import numpy as np

from closedhand.agents.leduc.passes import reach
from closedhand.agents.leduc.tree import build, layout_of
from closedhand.core.game import Game, InputError
from closedhand.games.leduc.plays import ACTIONS, name
from closedhand.solvers.strategy import Strategy, to_sigma


def probabilities(strategy: Strategy) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """Compute the probabilities of states and actions of UH-Leduc, by enumeration.

    Returns:
        The probability of reaching each state, by its name; and that of each action at each state,
        by the names of state and action, NaN where the state is never reached.

    Raises:
        InputError: The strategy is for another game than UH-Leduc.
    """
    game = strategy.game
    check_game(game)
    kinds = range(game.rules.tables.kinds)
    tree = build(game)
    sigma = to_sigma(layout_of(game), strategy)
    reached = np.zeros((2, *sigma.shape))
    for player in range(2):
        reach(tree, sigma, player, reached[player])
    # The probability that a game reaches a state and takes an action there.
    taken: dict[tuple[str, str], float] = defaultdict(float)
    for n in np.flatnonzero(tree.player >= 0):
        node, slot, own = game.rules.tables.nodes[tree.node[n]], tree.slot[n], tree.player[n]
        # By the player's card: its reach times the opponent's, summed over the opponent's card.
        # `pays` begins with the probabilities of the cards, by slot.
        likely = reached[own, n] * (reached[1 - own, n, kinds] @ tree.pays[slot])
        for child in range(tree.first[n], tree.first[n + 1]):
            p = (likely * sigma[child]).sum()
            taken[name(node), ACTIONS[tree.action[child]]] += float(p)
    states: dict[str, float] = defaultdict(float)
    for (state, _), p in taken.items():
        states[state] += p
    edges = {
        (state, action): p / states[state] if states[state] > 0 else math.nan
        for (state, action), p in taken.items()
    }
    return dict(states), edges


def check_game(game: Game) -> None:
    """Check that a game is UH-Leduc; an `InputError` refuses others."""
    if game.name != "uh_leduc":
        raise InputError(f"the slides' graph is that of uh_leduc, not of {game.name}")
