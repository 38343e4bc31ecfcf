"""Strategies of small games as tables by information set, their files, and an agent.

The key of an information set is a hash of its view, so that playing a strategy needs no tree.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import (
    AnyAgent,
    Traits,
    described,
    files_of,
    make_agent,
    policy_or_choices,
)
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.checks import as_array
from closedhand.core.files import within, write_arrays, write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.parsing import NATURAL, OPTIONS, TEXT, check_fields
from closedhand.core.reading import json_in, read_arrays
from closedhand.core.registry import make_game
from closedhand.core.version import __version__
from closedhand.solvers.evaluate import best_response, evaluate_sigma
from closedhand.solvers.interface import Evaluation, Layout, Trees, ranges
from closedhand.solvers.keys import keys_of
from closedhand.solvers.regrets import normalise, sample
from closedhand.solvers.tree import build, layout_of, trees_of, views_of_sets

FILE = "strategy.npz"
"""Name of the strategy in a solver's folder."""
NARROW = 1e-6
"""Largest deviation from 1 of the sum of an information set's probabilities."""
FORMS = (
    ("keys", np.uint64, 2),
    ("rows", np.int64, 1),
    ("actions", np.int32, 1),
    ("probabilities", np.float64, 1),
)
"""Arrays of a file: name, type and number of axes."""


@dataclass(frozen=True, eq=False)  # arrays have no truth value, and no hash
class Strategy:
    """A behaviour strategy of all players.

    Attributes:
        keys: Keys of the information sets, uint64 [sets, 2].
        rows: First row of each set, int64 [sets + 1]; a row is an action of a set, as in `Layout`.
        actions: Action id of each row, int32 [rows].
        probabilities: Probability of each row, float64 [rows]; those of a set add up to 1.
        about: Provenance: algorithm, iterations and anything else that its maker records.
    """

    game: Game
    keys: np.ndarray
    rows: np.ndarray
    actions: np.ndarray
    probabilities: np.ndarray
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """Sort the keys by their first halves; return the order, int64 [sets], and the halves."""
        order = np.argsort(self.keys[:, 0])
        return order, self.keys[order, 0]

    def find(self, keys: np.ndarray) -> np.ndarray:
        """Find the information sets, int64 [n], of keys, uint64 [n, 2]; refuse unknown keys."""
        order, halves = self._sorted
        sets = order[np.minimum(np.searchsorted(halves, keys[:, 0]), len(order) - 1)]
        if (self.keys[sets] != keys).any():
            raise InputError(f"the strategy of {self.game.name} has no such view")
        return sets


@kernel
def normalised(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Divide weights by the sum of their set, float64 [rows]; uniform where all are 0.

    `rows` are the first rows of the sets, int64 [sets + 1]; weights are at least 0, float64 [rows].
    """
    shares = np.empty(len(weights))
    for s in range(len(rows) - 1):
        total = 0.0
        for row in range(rows[s], rows[s + 1]):
            total += weights[row]
        for row in range(rows[s], rows[s + 1]):
            shares[row] = normalise(weights[row], total, rows[s + 1] - rows[s])
    return shares


def to_strategy(game: Game, layout: Layout, weights: np.ndarray, **about: object) -> Strategy:
    """Make the strategy that plays actions in proportion to weights, uniformly where all are 0.

    Weights are at least 0, float64 by action of a tree with this layout. `about` is the provenance,
    JSON values.
    """
    shares = normalised(layout.rows, weights[layout.entries])
    return Strategy(game, layout.keys, layout.rows, layout.actions, shares, about)


def to_sigma(layout: Layout, strategy: Strategy) -> np.ndarray:
    """Convert a strategy to an array by action (see `interface`) of a tree with this layout.

    The array is float64 [layout.shape]; places without an information set get 0.
    """
    sigma = np.zeros(layout.shape)
    sigma[layout.entries] = rows_of(strategy, layout)
    return sigma


def rows_of(strategy: Strategy, layout: Layout) -> np.ndarray:
    """Look up the probabilities of a strategy in the rows of a layout, float64 [rows].

    A set is found by the view of its seat alone, also where the seats of a side are one player.

    Raises:
        InputError: The strategy lacks a set, or has other actions in it.
    """
    # `map` stops after these three arrays, the first fields of a layout.
    if all(map(np.array_equal, (strategy.keys, strategy.rows, strategy.actions), layout)):
        return strategy.probabilities
    sets = strategy.find(layout.keys)
    starts, number = strategy.rows[sets], np.diff(layout.rows)
    rows = ranges(starts, number)
    fits = (strategy.rows[sets + 1] - starts == number).all()
    if not (fits and (strategy.actions[rows] == layout.actions).all()):
        raise InputError(f"the strategy does not fit the tree of {strategy.game.name}")
    return strategy.probabilities[rows]


def shared_responses(strategy: Strategy) -> dict[int, float]:
    """Compute best responses of the sides that have several seats, if these share information.

    The seats of a side see each other's cards and act as one player against the strategy of all
    others. The result has the expected sum of their payoffs by side, an upper bound for separate
    strategies; it is empty if no side has several seats.

    Raises:
        InputError: The game has such a side, and is too large or does not list its deals.
    """
    game = strategy.game
    shared = [side for side in set(game.sides) if game.sides.count(side) > 1]
    if not shared:
        return {}
    tree = build(game, together=True)
    sigma = rows_of(strategy, layout_of(tree))
    return {side: best_response(tree, sigma, side).value for side in shared}


def evaluate(strategy: Strategy, trees: Trees | None = None) -> Evaluation:
    """Evaluate a strategy exactly, by default on the trees of its game.

    Raises:
        InputError: The game is too large or does not list its deals, or the strategy lacks sets.
    """
    game = strategy.game
    trees = trees or trees_of(game)
    sigma = to_sigma(trees.layout(game), strategy)
    zero_sum = game.num_players == 2 and game.zero_sum
    return evaluate_sigma(trees.build(game), sigma, game.num_players, zero_sum)


def strategy_of(game: Game, agent: AnyAgent) -> Strategy:
    """Tabulate the strategy of an agent over all information sets of a small game.

    An agent without `probabilities` makes one decision at every set: a deterministic strategy.

    Raises:
        InputError: The game is too large or does not list its deals, there is no such agent, or its
            probabilities or decisions are no distribution over the legal actions.
    """
    player = make_agent(game, agent)
    tree = build(game)
    found = np.zeros(len(tree.actions))
    for views, sets in views_of_sets(game, tree):
        shares = as_array(policy_or_choices(game, player, views))
        shape = (len(views), game.num_actions)
        if shares.shape != shape or shares.dtype.kind not in "iuf":
            raise InputError(
                f"probabilities of {player.name} are numbers of the shape {shape}, not "
                f"{shares.dtype} of {shares.shape}"
            )
        number = tree.rows[sets + 1] - tree.rows[sets]
        rows = ranges(tree.rows[sets], number)
        found[rows] = shares[np.repeat(np.arange(len(views)), number), tree.actions[rows]]
        totals = np.add.reduceat(found[rows], np.cumsum(number) - number)
        if not (found[rows] >= 0).all() or not (abs(totals - 1) <= NARROW).all():
            raise InputError(f"the probabilities of {player.name} over the legal actions are not a "
                             "distribution")  # fmt: skip
    return Strategy(game, tree.keys, tree.rows, tree.actions, found, {"agent": player.name})


def save(strategy: Strategy, path: Path) -> None:
    """Write a strategy to `path` (npz), and to a CSV file beside it if the game names its sets."""
    game = strategy.game
    about = {
        "game": game.name,
        "options": dict(game.options),
        "layout": game.layout,
        "version": __version__,
        **strategy.about,
    }
    arrays = {name: getattr(strategy, name) for name, *_ in FORMS}
    write_arrays(path, arrays, {"about": about})
    trees = trees_of(game)
    if trees.names is not None:
        table = as_csv(strategy, trees.layout(game), trees.names(game))
        write_atomically(path.with_suffix(".csv"), table)


def columns_of(game: Game) -> list[str]:
    """List the columns of the CSV file of a strategy; none if the game does not name its sets."""
    naming = trees_of(game).names
    return [*naming(game)[0], *map(game.text, range(game.num_actions))] if naming else []


def as_csv(strategy: Strategy, layout: Layout, names: list[dict[str, str]]) -> str:
    """Format a CSV line for each information set: its names, and a column for each action."""
    game, text = strategy.game, io.StringIO()
    writer = csv.DictWriter(text, columns_of(game), lineterminator="\n")
    writer.writeheader()
    shares = rows_of(strategy, layout)
    for s, named in enumerate(names):
        rows = range(layout.rows[s], layout.rows[s + 1])
        cells = {game.text(int(layout.actions[row])): f"{shares[row]:.6f}" for row in rows}
        writer.writerow({**named, **cells})
    return text.getvalue()


def load(path: Path, game: Game | None = None) -> Strategy:
    """Read a strategy from the npz file that `save` wrote.

    The file must be for `game` and its options; None: for any game, which the file names.

    Raises:
        InputError: The file cannot be read, holds no strategy, or one for another game.
    """
    arrays = read_arrays(path)
    fields = {"game": TEXT, "options": OPTIONS}
    try:
        about = check_fields(json_in(arrays, "about"), "about", fields, {"iterations": NATURAL})
        name, options = about.pop("game"), about.pop("options")
        if game is not None and (game.name, game.options) == (name, options):
            made_for = game  # it may not be registered
        else:
            made_for = make_game(name, **options)
        keys, rows, actions, shares = [_typed(arrays, *form) for form in FORMS]
    except (InputError, KeyError) as error:
        raise InputError(f"{path} does not hold a strategy: {error}") from None
    if game is not None and (game.name, game.options) != (made_for.name, made_for.options):
        raise InputError(f"{path} holds a strategy of {called(made_for)}, not of {called(game)}")
    fits = about.pop("layout", None) == made_for.layout
    if not (fits and _sound(made_for, keys, rows, actions, shares)):
        raise InputError(f"{path} does not hold a strategy of {called(made_for)}")
    return Strategy(made_for, keys, rows, actions, shares, about)


def _typed(arrays: Mapping[str, np.ndarray], name: str, kind: type, axes: int) -> np.ndarray:
    if name not in arrays:
        raise InputError(f"it lacks {name!r}")
    array = arrays[name]
    if array.dtype != kind or array.ndim != axes:
        raise InputError(f"{name} is {array.dtype} [{array.ndim} axes]")
    return array


def _sound(
    game: Game, keys: np.ndarray, rows: np.ndarray, actions: np.ndarray, shares: np.ndarray
) -> bool:
    """Return whether the arrays are tables of actions whose probabilities add up to 1."""
    if keys.shape != (len(rows) - 1, 2) or len(rows) < 2 or len(actions) != len(shares):
        return False
    if ((rows < 0) | (rows > len(actions))).any():  # their differences could overflow
        return False
    if rows[0] != 0 or rows[-1] != len(actions) or (np.diff(rows) < 1).any():
        return False
    legal = (actions >= 0) & (actions < game.num_actions) & (shares >= 0)  # NaN is not legal
    return bool(legal.all() and (abs(np.add.reduceat(shares, rows[:-1]) - 1) <= NARROW).all())


@kernel
def choose_all(sets, rows, ids, probabilities, random, actions):
    """Draw an action for each of `sets` into `actions` by uniform numbers `random`; all are [n].

    `rows`, `ids` (actions) and `probabilities` are the arrays of a `Strategy`.
    """
    for i in range(len(sets)):
        start = rows[sets[i]]
        number = rows[sets[i] + 1] - start
        actions[i] = ids[start + sample(probabilities, start, number, random[i])]


class StrategyAgent(BatchAgent):
    """Agent that samples actions from a strategy; the same seed and views give the same actions."""

    def __init__(self, strategy: Strategy, name: str, seed: int = 0) -> None:
        super().__init__(strategy.game, name)
        self.strategy = strategy
        self._rng = np.random.default_rng(seed)

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, int32 [n], for each view, states [n]."""
        actions = np.empty(len(views), np.int32)
        choose_all(*self._found(views), self._rng.random(len(views)), actions)
        return actions

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return probabilities of actions, float64 [n, num_actions], in each view, states [n]."""
        sets, first, actions, probabilities = self._found(views)
        number = first[sets + 1] - first[sets]
        rows = ranges(first[sets], number)
        out = np.zeros((len(views), self.game.num_actions))
        out[np.repeat(np.arange(len(views)), number), actions[rows]] = probabilities[rows]
        return out

    def _found(self, views: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        table = self.strategy
        sets = table.find(keys_of(self.game, views))
        return sets, table.rows, table.actions, table.probabilities


def _path(argument: str | None) -> Path:
    if argument is None:
        raise InputError("the agent strategy needs a file: strategy:runs/solve/strategy.npz")
    return within(Path(argument), FILE)


@described(
    lambda game, argument: Traits(files_of(_path(argument)), microseconds=5.0),
    plays=(FILE, "strategy:{}"),
)
def make_strategy(game: Game, seed: int, argument: str | None) -> StrategyAgent:
    """Make the agent `strategy:PATH`, with a file or the folder of a solver.

    Raises:
        InputError: The argument is missing, or the file holds no strategy for this game.
    """
    name = str(AgentSpec("strategy", argument=argument))
    return StrategyAgent(load(_path(argument), game), name, seed)


def called(game: Game) -> str:
    """Name a game with its options, for messages."""
    return f"{game.name} ({', '.join(f'{k}={v}' for k, v in game.options.items())})"
