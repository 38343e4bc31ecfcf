"""A strategy of Leduc as a table: made by solvers and learners, saved in files, played by agents.

A strategy has a row for every information set of both players, with perfect recall: the node of the
betting tree, the flop and the player's own card. Files are npz, exact and with their provenance. A
CSV file beside it, for human readers, names the rows as the course slides do.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.agents import described
from closedhand.core.files import write_arrays, write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.parsing import OPTIONS, TEXT, check_fields
from closedhand.core.reading import json_in, read_arrays
from closedhand.core.registry import make_game
from closedhand.games.leduc.notation import CARDS, HIDDEN
from closedhand.games.leduc.plays import ACTIONS, name
from closedhand.games.leduc.rules import FLOP
from closedhand.solvers import strategy as rows
from closedhand.solvers.agent import StrategyAgent, agent_from_file, called, traits
from closedhand.solvers.regrets import sample

GAMES = ("uh_leduc", "leduc")
"""Games that these strategies are for."""


class InformationSet(NamedTuple):
    """What a player knows at a decision.

    Attributes:
        node: Node of the betting tree; it determines the whole history.
        slot: 0 in phase 1, then 1 plus the kind of the flop.
        card: Kind of the player's own card.
        state: The state's name on the slides, `(s1,1,4,SK,*)`.
        history: All actions so far, with `/` between the phases.
    """

    node: int
    slot: int
    card: int
    state: str
    history: str


def information_sets(game: Game) -> Iterator[InformationSet]:
    """All information sets of a game, of both players, by node, flop and card."""
    tables = game.rules.tables
    histories: dict[int, tuple[str, ...]] = {0: ()}
    for i, node in enumerate(tables.nodes[: tables.number]):
        for action, following in enumerate(node["next"]):
            if following >= 0:
                bar = ("/",) if tables.nodes[following]["phase"] != node["phase"] else ()
                histories[int(following)] = (*histories[i], ACTIONS[action], *bar)
        if node["player"] < 0:
            continue
        for slot in range(1, tables.kinds + 1) if node["phase"] == 2 else (0,):
            for card in range(tables.kinds):
                if slot == card + 1 and tables.copies[card] < 2:
                    continue
                flop = CARDS[slot - 1] if slot else HIDDEN
                state = f"({name(node)},{CARDS[card]},{flop})"
                yield InformationSet(i, slot, card, state, " ".join(histories[i]))


@dataclass(frozen=True)
class Strategy:
    """A behaviour strategy of both players.

    Attributes:
        game: `uh_leduc` or `leduc`.
        probabilities: Float64 [nodes, 1 + kinds, kinds, 4]: by node of the betting tree, flop
            (0: not revealed, else 1 plus its kind), own card and action. Rows of information sets
            sum to 1; others are 0.
        about: Provenance: algorithm, iterations and anything else that its maker records.
    """

    game: Game
    probabilities: np.ndarray
    about: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, views: np.ndarray, random: np.ndarray) -> np.ndarray:
        """Actions for views [n] by `random`, uniform numbers from 0 to 1; int32 [n]."""
        actions = np.empty(len(views), np.int32)
        choose_all(self.game.rules, self.probabilities, views, random, actions)
        return actions

    def look_up(self, views: np.ndarray) -> np.ndarray:
        """Probabilities by action for views [n], float64 [n, 4]."""
        out = np.empty((len(views), len(ACTIONS)))
        look_up_all(self.game.rules, self.probabilities, views, out)
        return out


@lru_cache
def legal_table(game: Game) -> np.ndarray:
    """Which actions are legal at every row of a strategy, bool [nodes, 1 + kinds, kinds, 4]."""
    tables = game.rules.tables
    legal = np.zeros((tables.number, 1 + tables.kinds, tables.kinds, len(ACTIONS)), bool)
    for place in information_sets(game):
        legal[place.node, place.slot, place.card] = tables.nodes[place.node]["next"] >= 0
    legal.flags.writeable = False  # callers share it
    return legal


def normalised(weights: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Normalise rows of weights; uniform over the legal actions where all weights are 0."""
    weights = np.where(legal, weights, 0.0)
    total = weights.sum(-1, keepdims=True)
    number = np.maximum(legal.sum(-1, keepdims=True), 1)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), legal / number)


def uniform(game: Game) -> Strategy:
    """The strategy that plays every legal action with the same probability."""
    legal = legal_table(game)
    return Strategy(game, normalised(np.zeros(legal.shape), legal), {"algorithm": "uniform"})


def save(strategy: Strategy, path: Path) -> None:
    """Write `path` (npz) and a CSV beside it; each appears complete or not at all."""
    from closedhand import __version__

    about = {
        "game": strategy.game.name,
        "options": dict(strategy.game.options),
        "version": __version__,
        **strategy.about,
    }
    arrays = {"probabilities": strategy.probabilities, "about": np.array(json.dumps(about))}
    write_arrays(path, arrays)
    write_atomically(path.with_suffix(".csv"), as_csv(strategy))


def as_csv(strategy: Strategy) -> str:
    """A CSV line for each information set: its name on the slides, history and probabilities."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["state", "history", *ACTIONS])
    legal = legal_table(strategy.game)
    for place in information_sets(strategy.game):
        row = place.node, place.slot, place.card
        cells = [
            f"{p:.6f}" if ok else ""
            for p, ok in zip(strategy.probabilities[row], legal[row], strict=True)
        ]
        writer.writerow([place.state, place.history, *cells])
    return text.getvalue()


def load(path: Path, game: Game | None = None) -> Strategy:
    """Read a strategy from the npz that `save` wrote.

    Args:
        path: The file.
        game: Game to play it in; None: the game that it was made for.

    Raises:
        InputError: The file cannot be read, holds no strategy, or one for another game.
    """
    arrays = read_arrays(path)
    try:
        probabilities = arrays["probabilities"]
        about = check_fields(json_in(arrays, "about"), "about", {"game": TEXT, "options": OPTIONS})
        made_for = make_game(about.pop("game"), **about.pop("options"))
    except (InputError, KeyError) as error:
        raise InputError(f"{path} does not hold a strategy of Leduc: {error}") from None
    if made_for.name not in GAMES or probabilities.dtype != np.float64:
        raise InputError(f"{path} does not hold a strategy of Leduc")
    if game is not None and (game.name, game.options) != (made_for.name, made_for.options):
        raise InputError(f"{path} holds a strategy of {called(made_for)}, not of {called(game)}")
    legal = legal_table(made_for)
    if (
        probabilities.shape != legal.shape
        or not np.isfinite(probabilities).all()
        or (probabilities[~legal] != 0).any()
        or (probabilities < 0).any()
        or (abs(probabilities.sum(-1) - legal.any(-1)) > 1e-6).any()
    ):
        raise InputError(f"the probabilities in {path} are not a strategy of {called(made_for)}")
    return Strategy(made_for, probabilities, about)


@kernel
def slot_at(node, state):
    """Flop slot, an index of a strategy's table, of `state` at this node of the betting tree."""
    return state.cards[FLOP] + 1 if node.phase == 2 else 0


@kernel
def choose_all(rules, probabilities, views, random, actions):
    """Sample an action for every view by `random`, uniform numbers from 0 to 1."""
    for i in range(len(views)):
        view = views[i]
        slot = slot_at(rules.tables.nodes[view.node], view)
        actions[i] = sample(probabilities[view.node, slot, view.cards[view.player]], random[i])


@kernel
def look_up_all(rules, probabilities, views, out):
    """Write the row of probabilities of every view to `out`, float64 [n, 4]."""
    for i in range(len(views)):
        view = views[i]
        slot = slot_at(rules.tables.nodes[view.node], view)
        for k in range(out.shape[1]):
            out[i, k] = probabilities[view.node, slot, view.cards[view.player], k]


@described(traits(microseconds=0.3))
def make_strategy(game: Game, seed: int, argument: str | None) -> StrategyAgent:
    """The agent `strategy:PATH`, also of a file with the rows of any game, as `judge` writes it.

    Raises:
        InputError: There is no path, or no strategy for this game in the file.
    """

    def read(path: Path, game: Game) -> Strategy | rows.Strategy:
        return rows.load(path, game) if "keys" in read_arrays(path) else load(path, game)

    return agent_from_file(read, game, seed, argument)
