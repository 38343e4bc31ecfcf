"""A strategy of any small game as a table by information set: solved, saved, played by agents.

Information sets are keys, hashes of views, so that a strategy needs no tree to be played. Files are
npz, exact and with their provenance.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.core.agents import Agent, described, probabilities
from closedhand.core.checks import shown
from closedhand.core.files import write_arrays
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.parsing import OPTIONS, TEXT, check_fields
from closedhand.core.reading import json_in, read_arrays
from closedhand.core.registry import make_game
from closedhand.solvers.agent import StrategyAgent, agent_from_file, called, traits
from closedhand.solvers.evaluate import best_response, evaluate_rows
from closedhand.solvers.interface import Evaluation, Tables, Trees
from closedhand.solvers.regrets import sample
from closedhand.solvers.tree import InfoTree, build, keys_of, views_of_sets

NARROW = 1e-6
"""How far the probabilities of an information set may be from adding up to 1."""


@dataclass(frozen=True)
class Strategy:
    """A behaviour strategy of all players.

    Attributes:
        game: The game.
        keys: Keys of the information sets, uint64 [sets, 2].
        rows: First row of each set, int64 [sets + 1].
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
    def _order(self) -> np.ndarray:
        return np.argsort(self.keys[:, 0])

    @cached_property
    def _sorted(self) -> np.ndarray:
        return self.keys[self._order]

    def find(self, views: np.ndarray) -> np.ndarray:
        """The information sets of views [n] of the players to act, int64 [n].

        Raises:
            InputError: A view is not one of a decision in this game.
        """
        return self.find_keys(keys_of(self.game, views))

    def find_keys(self, keys: np.ndarray) -> np.ndarray:
        """The information sets of keys, uint64 [n, 2]; int64 [n].

        Raises:
            InputError: A key is not one of a decision in this game.
        """
        places = np.searchsorted(self._sorted[:, 0], keys[:, 0])
        places = np.minimum(places, len(self.keys) - 1)
        if (self._sorted[places] != keys).any():
            raise InputError(f"the strategy of {self.game.name} has no such view")
        return self._order[places]

    def draw(self, views: np.ndarray, random: np.ndarray) -> np.ndarray:
        """Actions for views [n] by `random`, uniform numbers from 0 to 1; int32 [n]."""
        actions = np.empty(len(views), np.int32)
        sets = self.find(views)
        choose_all(sets, self.rows, self.actions, self.probabilities, random, actions)
        return actions

    def look_up(self, views: np.ndarray) -> np.ndarray:
        """Probabilities by action for views [n], float64 [n, num_actions]."""
        out = np.empty((len(views), self.game.num_actions))
        look_up_all(self.find(views), self.rows, self.actions, self.probabilities, out)
        return out


def normalised(tree: InfoTree, weights: np.ndarray) -> np.ndarray:
    """Weights of rows as shares of those of their set; uniform where all are 0."""
    number = np.diff(tree.rows)
    total = np.repeat(np.add.reduceat(weights, tree.rows[:-1]), number)
    equal = 1 / np.repeat(number, number)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), equal)


def to_strategy(game: Game, tree: InfoTree, weights: np.ndarray, **about: object) -> Strategy:
    """The strategy that plays actions in proportion to weights, float64 [rows]."""
    return Strategy(game, tree.keys, tree.rows, tree.actions, normalised(tree, weights), about)


def uniform(game: Game) -> Strategy:
    """The strategy that plays every legal action with the same probability."""
    tree = build(game)
    return to_strategy(game, tree, np.zeros(len(tree.actions)), algorithm="uniform")


def tables(game: Game, tree: InfoTree) -> Tables:
    """The tables of a tree before the first iteration."""
    nodes, rows = len(tree.player), len(tree.actions)
    zeros = [np.zeros(rows) for _ in range(4)]
    return Tables(
        regret=zeros[0],
        sigma=normalised(tree, np.zeros(rows)),
        average=zeros[1],
        own=zeros[2],
        reached=np.zeros(nodes),
        values=np.zeros(nodes),
        gains=zeros[3],
    )


def rows_of(strategy: Strategy, tree: InfoTree) -> np.ndarray:
    """The probabilities of a strategy in the rows of a tree, float64 [rows].

    Every seat decides by its own view, also where the seats of a side are one player of the tree.

    Raises:
        InputError: It is a strategy of another game.
    """
    if np.array_equal(strategy.keys, tree.keys):
        return strategy.probabilities
    sets = strategy.find_keys(tree.own_keys)
    starts, number = strategy.rows[sets], np.diff(tree.rows)
    if (strategy.rows[sets + 1] - starts != number).any():
        raise InputError(f"the strategy is not one of the tree of {strategy.game.name}")
    return strategy.probabilities[
        np.arange(tree.rows[-1]) + np.repeat(starts - tree.rows[:-1], number)
    ]


def shared_responses(strategy: Strategy) -> dict[int, float]:
    """What each side of several seats wins by a best response with shared information.

    The seats of the side see each other's cards and act as one player, against a strategy of all
    others: an upper bound of what they can win by any strategies of their own.

    Returns:
        The expected sum of the side's payoffs, by the number of the side.
    """
    game = strategy.game
    shared = [side for side in set(game.sides) if game.sides.count(side) > 1]
    if not shared:
        return {}
    tree = build(game, together=True)
    sigma = rows_of(strategy, tree)
    return {side: best_response(tree, sigma, side).value for side in shared}


def evaluate(strategy: Strategy) -> Evaluation:
    """The exact evaluation of a strategy."""
    tree = build(strategy.game)
    return evaluate_rows(tree, rows_of(strategy, tree))


def strategy_of(game: Game, agent: Agent) -> Strategy:
    """The strategy that an agent plays, asked for at every information set of a game.

    Args:
        game: A small game.
        agent: An agent with `probabilities`.

    Raises:
        InputError: The game is too large, or the agent has no `probabilities` or some that are
            not a distribution over the legal actions.
    """
    tree = build(game)
    found = np.zeros(len(tree.actions))
    for views, sets in views_of_sets(game, tree):
        shares = probabilities(agent, views)
        if np.shape(shares) != (len(views), game.num_actions):
            raise InputError(f"probabilities of {agent.name} are {shown(np.shape(shares))}, not "
                             f"{(len(views), game.num_actions)}")  # fmt: skip
        number = tree.rows[sets + 1] - tree.rows[sets]
        view = np.repeat(np.arange(len(views)), number)
        starts = np.cumsum(number) - number
        rows = np.arange(number.sum()) + np.repeat(tree.rows[sets] - starts, number)
        found[rows] = shares[view, tree.actions[rows]]
        totals = np.add.reduceat(found[rows], starts)
        if not (found[rows] >= 0).all() or not (abs(totals - 1) <= NARROW).all():
            raise InputError(f"the probabilities of {agent.name} over the legal actions are not a "
                             "distribution")  # fmt: skip
    return Strategy(game, tree.keys, tree.rows, tree.actions, found, {"agent": agent.name})


def save(strategy: Strategy, path: Path) -> None:
    """Write `path` (npz); it appears complete or not at all."""
    from closedhand import __version__

    about = {
        "game": strategy.game.name,
        "options": dict(strategy.game.options),
        "layout": strategy.game.layout,
        "version": __version__,
        **strategy.about,
    }
    names = ("keys", "rows", "actions", "probabilities")
    arrays = {name: getattr(strategy, name) for name in names}
    write_arrays(path, {**arrays, "about": np.array(json.dumps(about))})


def load(path: Path, game: Game | None = None) -> Strategy:
    """Read a strategy from the npz that `save` wrote.

    Args:
        path: The file.
        game: Game to play it in; None: the game that it was made for.

    Raises:
        InputError: The file cannot be read, holds no strategy, or one for another game.
    """
    arrays = read_arrays(path)
    fields = {"game": TEXT, "options": OPTIONS}
    try:
        about = check_fields(json_in(arrays, "about"), "about", fields)
        made_for = make_game(about.pop("game"), **about.pop("options"))
        keys, rows, actions, shares = [_typed(arrays, *form) for form in FORMS]
    except (InputError, KeyError) as error:
        raise InputError(f"{path} does not hold a strategy: {error}") from None
    if game is not None and (game.name, game.options) != (made_for.name, made_for.options):
        raise InputError(f"{path} holds a strategy of {called(made_for)}, not of {called(game)}")
    if about.pop("layout", None) != made_for.layout or not _sound(
        made_for, keys, rows, actions, shares
    ):
        raise InputError(f"what {path} holds is not a strategy of {called(made_for)}")
    return Strategy(made_for, keys, rows, actions, shares, about)


FORMS = (
    ("keys", np.uint64, 2),
    ("rows", np.int64, 1),
    ("actions", np.int32, 1),
    ("probabilities", np.float64, 1),
)
"""The arrays of a file: name, type and number of axes."""


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
    """Whether the arrays are tables of actions whose probabilities add up to 1."""
    if keys.shape != (len(rows) - 1, 2) or len(rows) < 2 or len(actions) != len(shares):
        return False
    if ((rows < 0) | (rows > len(actions))).any():  # such differences could overflow
        return False
    if rows[0] != 0 or rows[-1] != len(actions) or (np.diff(rows) < 1).any():
        return False
    if ((actions < 0) | (actions >= game.num_actions)).any():
        return False
    if not np.isfinite(shares).all() or (shares < 0).any():
        return False
    return bool((abs(np.add.reduceat(shares, rows[:-1]) - 1) <= NARROW).all())


@kernel
def choose_all(sets, rows, ids, probabilities, random, actions):
    """Sample an action at every information set by `random`, uniform numbers from 0 to 1."""
    for i in range(len(sets)):
        start, end = rows[sets[i]], rows[sets[i] + 1]
        actions[i] = ids[start + sample(probabilities[start:end], random[i])]


@kernel
def look_up_all(sets, rows, ids, probabilities, out):
    """Write the probabilities at every information set to `out`, float64 [n, num_actions]."""
    out[:] = 0.0
    for i in range(len(sets)):
        for row in range(rows[sets[i]], rows[sets[i] + 1]):
            out[i, ids[row]] = probabilities[row]


@described(traits(microseconds=5.0))
def make_strategy(game: Game, seed: int, argument: str | None) -> StrategyAgent:
    """The agent `strategy:PATH`.

    Raises:
        InputError: There is no path, or no strategy for this game in the file.
    """
    return agent_from_file(load, game, seed, argument)


def solve_exactly(game: Game) -> tuple[float, Strategy]:
    """The value and an equilibrium of a two-player zero-sum game; see `sequence_form`."""
    from closedhand.solvers.sequence_form import solve

    return solve(game)


ANY = Trees(
    build=build,
    tables=tables,
    to_strategy=to_strategy,
    evaluate=evaluate,
    save=save,
    solve_exactly=solve_exactly,
)
"""The information trees of all games."""
