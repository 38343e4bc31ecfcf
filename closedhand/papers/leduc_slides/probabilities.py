"""The probabilities of a strategy on the state graph of the course slides.

The states omit the earlier betting and the cards: probabilities are averages over both.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from closedhand.agents.leduc.passes import reach
from closedhand.agents.leduc.tree import build, layout_of
from closedhand.core.game import Game, InputError
from closedhand.games.leduc.notation import CARDS, HIDDEN
from closedhand.games.leduc.plays import ACTIONS, graph, name
from closedhand.solvers.strategy import Strategy, to_sigma

TUPLE = re.compile(r"\((\w\d,\d+,\d+),(?:(\w+),)?(\w+|\*)\)", re.ASCII)
"""Pattern of a slides' state without spaces. Groups: turn and bets; own card, or None; flop."""


def probabilities(strategy: Strategy) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """Compute the probabilities of states and actions of UH-Leduc, by enumeration.

    Returns:
        The probability of reaching each state, by name. The probability of each action at each
        state, by the names of state and action; NaN where the state is never reached.

    Raises:
        InputError: The strategy is for another game than UH-Leduc.
    """
    taken: dict[tuple[str, str], float] = defaultdict(float)
    for each in _actions(strategy):
        taken[each.state, each.action] += float(each.shares.sum())
    states: dict[str, float] = defaultdict(float)
    for (state, _), p in taken.items():
        states[state] += p
    edges = {
        (state, action): p / states[state] if states[state] > 0 else math.nan
        for (state, action), p in taken.items()
    }
    return dict(states), edges


def probabilities_at(strategy: Strategy, text: str) -> tuple[float, dict[str, float]]:
    """Compute the probabilities of a state with its cards, and of each action there.

    The text is a tuple of the slides: `(s2,1,1,SK,HA)` is S in phase 2 with bets of 1 and 1, the
    own card SK and the flop HA. As on the slides the own card may be left out, `(s2,1,1,HA)`: the
    result is for any card. In phase 1 the flop is `*`. Spaces are ignored.

    Returns:
        The probability of reaching the state; and that of each action, NaN if the former is 0.

    Raises:
        InputError: The text is no state, or the strategy is for another game than UH-Leduc.

    Examples:
        >>> from closedhand import make_game
        >>> from closedhand.solvers.strategy import strategy_of
        >>> strategy = strategy_of(make_game("uh_leduc"), "random")
        >>> reached, actions = probabilities_at(strategy, "(s2, 1, 1, HA)")
        >>> print(f"{reached:.4f}", actions)
        0.0278 {'fold': 0.5, 'raise': 0.5}
    """
    check_game(strategy.game)
    tables = strategy.game.rules.tables
    match = TUPLE.fullmatch("".join(text.split()))
    state, card, flop = match.groups() if match else ("", None, "")
    phase = int(flop != HIDDEN) + 1
    known = {each for each in (card, flop) if each not in (None, HIDDEN)} <= set(CARDS)
    if state not in graph(tables) or state[1] != str(phase) or not known:
        raise InputError(
            f"{text!r} is no state of the slides: states are such as (s1,1,4,SK,*), "
            "(s2,1,1,SK,HA), or (s2,1,1,HA) without the own card"
        )
    lanes = slice(None) if card is None else CARDS.index(card)
    slot = 0 if flop == HIDDEN else 1 + CARDS.index(flop)
    taken: dict[str, float] = defaultdict(float)
    for each in _actions(strategy):
        if (each.state, each.slot) == (state, slot):
            taken[each.action] += float(each.shares[lanes].sum())
    reached = sum(taken.values())
    return reached, {a: p / reached if reached > 0 else math.nan for a, p in taken.items()}


class _Action(NamedTuple):
    """An action at a public state of the tree."""

    state: str  # name of the state on the slides' graph
    slot: int  # 0 before the flop, then 1 plus the flop's kind
    action: str
    shares: np.ndarray  # probability that a game has this action, by own card, float64 [LANES]


def _actions(strategy: Strategy) -> Iterator[_Action]:
    """Iterate over the actions of the public tree; refuse strategies for other games."""
    game = strategy.game
    check_game(game)
    kinds = range(game.rules.tables.kinds)
    tree = build(game)
    sigma = to_sigma(layout_of(game), strategy)
    reached = np.zeros((2, *sigma.shape))
    for player in range(2):
        reach(tree, sigma, player, reached[player])
    for n in np.flatnonzero(tree.player >= 0):
        node, slot, own = game.rules.tables.nodes[tree.node[n]], int(tree.slot[n]), tree.player[n]
        # By own card: its reach, times the sum over the opponent's cards of their reach times
        # `pays[slot]`, the probability of the two cards and, once revealed, of the flop.
        likely = reached[own, n] * (reached[1 - own, n, kinds] @ tree.pays[slot])
        for child in range(tree.first[n], tree.first[n + 1]):
            yield _Action(name(node), slot, ACTIONS[tree.action[child]], likely * sigma[child])


def check_game(game: Game) -> None:
    """Check that a game is UH-Leduc; an `InputError` refuses others."""
    if game.name != "uh_leduc":
        raise InputError(f"the slides' graph is that of uh_leduc, not of {game.name}")
