"""Interface of trees for the algorithms: passes, and the layout of information sets.

A tree is a NamedTuple. The attribute `kernels` of its class names the module of its functions, as
in the rules of a game. The information tree of any game (`tree.InfoTree`) uses `passes`. A game may
have a faster tree of its own, with the same functions and a `Layout`; its spec names the `Trees`.
Algorithms, strategies, evaluation and files are common to all trees.

Arrays "by action" have an entry for every action of every information set, in the shape that the
layout states. Arrays "by node" have the shape [nodes, …], with the same further axes.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.contract import dispatched
from closedhand.core.game import Game

Tree = Any
"""A tree for kernels, which has at least these two arrays of integers.

`player`, [nodes], is the player to act at each node; negative: nobody, `END` at a game's end.
`first`, [nodes + 1], locates children: those of node n are `first[n]` to `first[n + 1] - 1`.
"""
END = -1
"""Value of `player` at the end of a game."""


class Tables(NamedTuple):
    """Arrays that an algorithm learns on a tree, and its scratch space."""

    regret: np.ndarray  # discounted sums of regrets, or the logits of a policy, by action
    sigma: np.ndarray  # the current strategy, by action
    average: np.ndarray  # weighted sums of strategies, by action
    reached: np.ndarray  # scratch space by node
    values: np.ndarray  # scratch space by node
    gains: np.ndarray  # scratch space for the values of actions, by action


# Passes over the whole tree, for algorithms that sweep it. `sigma` is the strategy of all players,
# by action; `values` and what `reach_others` writes are by node. A tree may leave the probability
# of chance out of what `reach_others` writes, and put it into `expect` and `respond`.


@dispatched()
def reach_others(tree: Tree, sigma: Any, player: Any, out: Any) -> None:
    """Write the probability of each node by chance and all players except `player` to `out`."""


@dispatched()
def expect(tree: Tree, sigma: Any, reached: Any, player: Any, values: Any, gains: Any) -> None:
    """Write the counterfactual values of a player: by node to `values`, by action to `gains`.

    `reached` is what `reach_others` wrote for the player. A tree may leave `gains` unused.
    """


@dispatched()
def respond(tree: Tree, reached: Any, player: Any, values: Any, gains: Any) -> None:
    """Write `values` as `expect` does, for a best response; trees use `gains` in their own ways."""


@dispatched()
def value(tree: Tree, values: Any) -> float:
    """Return the value of the game from the values of all nodes."""
    ...


@dispatched()
def add_average(tree: Tree, tables: Tables, player: Any, weight: Any) -> None:
    """Add a player's current strategy to `tables.average`; `tables.reached` is scratch space here.

    In each set the strategy counts `weight` times the probability of the player's earlier actions.
    """


@dispatched()
def learn(
    tree: Tree, tables: Tables, player: Any, positive: Any, negative: Any, predictive: Any
) -> None:
    """Add the regrets of one iteration of a player, and derive its next strategy from them.

    The regrets follow from what `expect` wrote to `tables`. Sums above 0 are discounted by the
    factor `positive`, others by `negative`. If `predictive`, the latest regret counts twice in the
    strategy, as a prediction. `tables.regret` and `tables.sigma` are changed.
    """


@dispatched()
def improve(tree: Tree, tables: Tables, player: Any, temperature: Any, step: Any) -> None:
    """Do one step of magnetic mirror descent of a player, after `reach_others` and `expect`.

    `temperature` is the weight of the entropy, in the unit of payoffs; `step` is the step size, in
    1 / unit of payoffs. `tables.regret` (logits), `tables.sigma` and `tables.values` are changed.
    """


class Layout(NamedTuple):
    """The information sets of a tree, and the places of their actions in arrays by action.

    A row is an action of an information set; the rows of a set are contiguous, in the order of the
    action ids.
    """

    keys: np.ndarray  # hash of the view in each set, uint64 [sets, 2] (see `keys.keys_of`)
    rows: np.ndarray  # first row of each set, int64 [sets + 1]
    actions: np.ndarray  # action id of each row, int32 [rows]
    entries: Any  # index of all rows in arrays by action: `array[entries]` has the shape [rows]
    shape: tuple[int, ...]  # the shape of arrays by action


def ranges(starts: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Concatenate the ranges of `number[i]` integers from `starts[i]` on; both are integers [n]."""
    return np.arange(number.sum()) + np.repeat(starts - np.cumsum(number) + number, number)


class Evaluation(NamedTuple):
    """Exact evaluation of a strategy of all players.

    Attributes:
        value: Expected payoff of the first player if all follow the strategy.
        best_responses: Expected payoff of each player if it alone follows a best response.
        others: Expected payoffs of the second and further players, if all follow the strategy.
    """

    value: float
    best_responses: tuple[float, ...]
    others: tuple[float, ...] = ()

    @property
    def nash_conv(self) -> float:
        """Sum of the gains of all players by best responses: 0 at an equilibrium."""
        return sum(self.best_responses) - (self.value + sum(self.others))

    @property
    def exploitability(self) -> float:
        """`nash_conv` divided by the number of players."""
        return self.nash_conv / len(self.best_responses)

    def summary(self, game: Game) -> dict[str, Any]:
        """Convert to JSON values, payoffs per game."""
        zero_sum = game.num_players == 2 and game.zero_sum
        return {
            "value": self.value,
            **({} if zero_sum else {"others": list(self.others)}),
            "best_responses": dict(zip(labels(game), self.best_responses, strict=True)),
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
        }


def labels(game: Game) -> tuple[str, ...]:
    """Name the players in results: by their roles if all differ, else `player_0` and so on."""
    if len(set(game.roles)) == game.num_players:
        return game.roles
    return tuple(f"player_{player}" for player in range(game.num_players))


class Algorithm(NamedTuple):
    """An algorithm for small games."""

    solver: str  # `module:class`, which is called with `Trees`, a game and a seed
    unit: str  # the meaning of an iteration
    guarantee: str  # what is known of the convergence of its strategy


class Trees(NamedTuple):
    """Functions that make and read the trees of some games.

    `names` returns a dict for each information set, in the order of the layout: texts by column,
    which name the set in the CSV file of a strategy; None: no such file. Algorithms that sample
    games use the trees `sampled`, such as `tree.ANY`; None: these trees.
    """

    build: Callable[[Game], Any]  # the tree of a game; the same game gives the same object
    layout: Callable[[Game], Layout]  # locates the information sets of that tree
    names: Callable[[Game], list[dict[str, str]]] | None = None
    sampled: "Trees | None" = None
