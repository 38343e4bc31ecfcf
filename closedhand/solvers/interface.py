"""What the algorithms ask of a tree: the passes, dispatched on the class of the tree.

A tree is a NamedTuple whose class names in `kernels` the module with its passes, as the rules of a
game do. The information tree of any game has those of `passes`; a game may have a faster tree of
its own. `Trees` is how Python makes one and turns its arrays into strategies.

Arrays "by action" have one entry for every action of every information set, and arrays "by node"
one for every node; their shapes are the tree's own affair.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from closedhand.core.contract import dispatched
from closedhand.core.game import Game

Tree = Any
"""A tree for kernels, a NamedTuple of its own."""


class Tables(NamedTuple):
    """What algorithms learn on a tree.

    Attributes:
        regret: Discounted sums of regrets, or the logits of a policy, by action.
        sigma: The current strategy, by action.
        average: Weighted sums of strategies, by action.
        own: Scratch space for `reach`.
        reached: Scratch space by node.
        values: Scratch space by node.
        gains: Scratch space for the values of actions, by action.
    """

    regret: np.ndarray
    sigma: np.ndarray
    average: np.ndarray
    own: np.ndarray
    reached: np.ndarray
    values: np.ndarray
    gains: np.ndarray


@dispatched
def reach_others(tree: Tree, sigma: Any, player: Any, out: Any) -> None:
    """Write by node how likely chance and the other players make it."""


@dispatched
def expect(tree: Tree, sigma: Any, reached: Any, player: Any, values: Any, gains: Any) -> None:
    """Write the counterfactual values of a player, by node and by action."""


@dispatched
def add_average(tree: Tree, tables: Tables, player: Any, weight: Any) -> None:
    """Add the current strategy of a player to its average."""


@dispatched
def learn(
    tree: Tree, tables: Tables, player: Any, positive: Any, negative: Any, predictive: Any
) -> None:
    """Add the regrets of one iteration of a player, and derive its next strategy from them."""


@dispatched
def improve(tree: Tree, tables: Tables, player: Any, temperature: Any, step: Any) -> None:
    """Do one step of magnetic mirror descent of a player."""


class Evaluation(NamedTuple):
    """Exact evaluation of a strategy of all players.

    Attributes:
        value: Expected payoff of the first player if all follow the strategy.
        best_responses: Expected payoff of each player if it alone plays a best response.
        others: Expected payoffs of the other players if all follow the strategy; empty if the
            payoffs of all add up to 0.
    """

    value: float
    best_responses: tuple[float, ...]
    others: tuple[float, ...] = ()

    @property
    def nash_conv(self) -> float:
        """Sum of what each player could gain by a best response: 0 at an equilibrium."""
        own = self.value + sum(self.others) if self.others else 0.0
        return sum(self.best_responses) - own

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.best_responses)


class Strategy(Protocol):
    """A behaviour strategy of all players of a game, for `Trees` of one kind.

    Attributes:
        game: The game.
        probabilities: Probabilities of actions, in a form of its own.
        about: Provenance: algorithm, iterations and anything else that its maker records.
    """

    game: Game
    probabilities: np.ndarray
    about: Mapping[str, Any]


class Algorithm(NamedTuple):
    """Description of an algorithm.

    Attributes:
        solver: Its location, `module:class`; called with `Trees`, a game and a seed, or without
            the trees if it is one of their own.
        unit: Meaning of an iteration.
        guarantee: Theoretical guarantee of the strategy.
    """

    solver: str
    unit: str
    guarantee: str


class Trees(NamedTuple):
    """How the trees of some games are made, and strategies from what is learned on them.

    Attributes:
        build: Builds the tree of a game, always the same object.
        tables: The tables of a tree before the first iteration, with the uniform strategy:
            `(game, tree) -> Tables`.
        to_strategy: The strategy that plays actions in proportion to weights by action:
            `(game, tree, weights, **about) -> Strategy`.
        evaluate: Evaluates a strategy exactly.
        save: Writes a strategy: `(strategy, path)`.
        solve_exactly: Solves a game by the sequence-form linear program:
            `game -> (value, strategy)`.
        algorithms: Algorithms of their own by name, which take the place of those for all games.
    """

    build: Callable[[Game], Tree]
    tables: Callable[[Game, Tree], Tables]
    to_strategy: Callable[..., Any]
    evaluate: Callable[[Any], Evaluation]
    save: Callable[[Any, Path], None]
    solve_exactly: Callable[[Game], tuple[float, Any]]
    algorithms: Mapping[str, Algorithm] = {}
