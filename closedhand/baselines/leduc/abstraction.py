"""The cost of the slides' state tuple: the game solved as if players forgot the betting.

The course slides use (turn, bets, own card, flop) as a player's state. The tuple leaves out how the
bets were made, so different information sets share it. This is imperfect recall, for which CFR has
no guarantee. Here CFR+ learns one set of regrets for each tuple, and the strategy is then evaluated
in the real game.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from closedhand.baselines.leduc.strategy import Strategy, uniform
from closedhand.baselines.leduc.tree import (
    LANES,
    build,
    decisions,
    expect,
    reach,
    to_sigma,
    to_strategy,
)
from closedhand.core.game import Game
from closedhand.games.leduc.plays import name


def numbered(keys: Sequence[Hashable]) -> np.ndarray:
    """Number the keys from 0 in order of first appearance, int64; equal keys share a number."""
    numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys])


def solve(game: Game, iterations: int) -> Strategy:
    """Solve a game by CFR+ on the slides' states, with linear averaging; in plain NumPy.

    Args:
        game: A game in which all nodes with the same name have the same actions: UH-Leduc.
        iterations: Number of iterations.

    Returns:
        The average strategy; it is the same wherever the slides' state is the same.
    """
    tree = build(game)
    entries = decisions(tree)
    before = tree.parent[entries]
    tables = game.rules.tables
    states = [(name(tables.nodes[tree.node[n]]), int(tree.slot[n])) for n in before]
    # One row of regrets for each action of each state; `state` says which rows sum to 1.
    row = numbered(list(zip(states, tree.action[entries].tolist(), strict=True)))
    _, where = np.unique(row, return_index=True)
    state = numbered(states)[where]
    number = np.bincount(state)[state][:, None]

    sigma = to_sigma(tree, uniform(game))
    reached, values = np.zeros_like(sigma), np.zeros_like(sigma)
    regret, average = (np.zeros((len(where), LANES)) for _ in range(2))
    for t in range(1, iterations + 1):
        for player in range(2):
            own = tree.player[before] == player
            nodes, rows = entries[own], row[own]
            reach(tree, sigma, player, reached)
            np.add.at(average, rows, t * reached[nodes])
            reach(tree, sigma, 1 - player, reached)
            expect(tree, sigma, reached, player, values)
            np.add.at(regret, rows, values[nodes] - values[before[own]])
            np.maximum(regret, 0, out=regret)
            total = np.zeros((state.max() + 1, LANES))
            np.add.at(total, state, regret)
            total = total[state]
            matched = np.where(total > 0, regret / np.where(total > 0, total, 1), 1 / number)
            sigma[nodes] = matched[rows]
    weights = np.zeros_like(sigma)
    weights[entries] = average[row]
    return to_strategy(game, tree, weights)
