"""Analysis of a small game: its public graph, the losses of a strategy, and solvers.

Here a "set" is an information set, and a "row" of the tree an action at one.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import make_agent
from closedhand.core.game import Game, InputError, State
from closedhand.solvers import solving
from closedhand.solvers.evaluate import Losses, best_response, evaluate_rows, losses
from closedhand.solvers.interface import labels
from closedhand.solvers.public import Flow, flow, public_graph
from closedhand.solvers.solving import ALGORITHMS
from closedhand.solvers.strategy import normalised, rows_of, strategy_of
from closedhand.solvers.tree import ANY, build, layout_of, tree_size
from closedhand.web.serialization import number_of
from closedhand.web.uploads import decoded, written

MOST_NODES = 300_000
"""Most histories of a game that is analysed."""
MOST_DRAWN = 500
"""Most public states of the graph that the page draws."""
REPORT = 1.0
"""Seconds after which a solver reports, or earlier if a judgement of its strategy is due."""
LONGEST = 300.0
"""Longest run of a solver, in seconds."""


class Profile(NamedTuple):
    """A strategy of all players, `sigma`, float64 [rows of the tree], and its evaluation."""

    name: str
    sigma: np.ndarray
    losses: Losses
    flow: Flow


class GameExplorer:
    """A small game, its information tree and public graph, and the strategy that is shown."""

    def __init__(self, game: Game) -> None:
        """Build a game's tree; refuse a large game, or one that does not list its deals."""
        self.game = game
        self.tree = build(game, most=MOST_NODES)
        self.graph = public_graph(game, self.tree)
        self._sets = {view.tobytes(): place for place, view in enumerate(self.graph.views)}
        equal = normalised(self.tree.rows, np.zeros(len(self.tree.actions)))
        self.profile = self._profile(equal, "uniform")  # replaced as a whole: threads read it

    def _profile(self, sigma: np.ndarray, name: str) -> Profile:
        return Profile(name, sigma, losses(self.tree, sigma), flow(self.tree, self.graph, sigma))

    def play(self, text: str, name: str = "") -> None:
        """Show the strategy of an agent under a name, by default its text; see `strategy_of`."""
        found = strategy_of(self.game, make_agent(self.game, text, 0))
        self.profile = self._profile(rows_of(found, layout_of(self.tree)), name or text)

    def open(self, data: str) -> None:
        """Show the strategy of a file in base64, such as `closedhand solve` saves."""
        with written(decoded(data, "the file")) as path:
            self.play(str(AgentSpec("strategy", argument=str(path))), "file")

    def respond(self, player: int) -> None:
        """Replace the strategy of a player by a best response to the others."""
        found = best_response(self.tree, self.profile.sigma, player)
        name = f"{self.profile.name}, {labels(self.game)[player]}: best response"
        self.profile = self._profile(found.sigma, name)

    def solve(self, algorithm: str, seed: int) -> Iterator[tuple[Profile, dict[str, Any]]]:
        """Solve the game by one of `ALGORITHMS` for `LONGEST` seconds; yield profiles, evaluations.

        The caller assigns `profile`: a late result must not replace a strategy chosen meanwhile.

        Raises:
            InputError: There is no such algorithm.
        """
        if algorithm not in ALGORITHMS:
            raise InputError(f"no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}")
        solver = solving.make_solver(algorithm, self.game, seed, ANY)
        solver.run(0)  # loads or compiles the kernels
        seconds = 0.0
        while seconds < LONGEST:
            start, is_due = time.perf_counter(), False
            while not is_due and time.perf_counter() - start < REPORT:
                is_due = solver.advance(REPORT)
            seconds += time.perf_counter() - start
            profile = self._profile(solver.strategy().probabilities, algorithm)
            progress = {"iterations": solver.iterations, "seconds": seconds}
            yield profile, {**self.judged(profile), **progress}

    def values_at(self, view: State) -> list[tuple[int, float]] | None:
        """List legal actions with `Losses.values`; None for an unknown view or a NaN value."""
        place = self._sets.get(view.tobytes())
        if place is None:
            return None
        rows = slice(int(self.tree.rows[place]), int(self.tree.rows[place + 1]))
        values = self.profile.losses.values[rows]
        if np.isnan(values).any():
            return None
        return list(zip(self.tree.actions[rows].tolist(), values.tolist(), strict=True))

    def judged(self, profile: Profile) -> dict[str, Any]:
        """Evaluate a strategy exactly; flow and losses are by state of the public graph."""
        evaluation = evaluate_rows(self.tree, profile.sigma)
        drawn = slice(MOST_DRAWN)
        loss = np.bincount(self.graph.place, profile.losses.loss, len(self.graph.states))
        ends = self._ends()
        return {
            "name": profile.name,
            **evaluation.summary(self.game),
            "flow": profile.flow.states[drawn].tolist(),
            "losses": loss[drawn].tolist(),
            "end_flow": profile.flow.ends[ends].tolist(),
            "end_payoffs": profile.flow.payoffs[ends].tolist(),
        }

    def _ends(self) -> np.ndarray:
        return np.flatnonzero(self.graph.end_parent < MOST_DRAWN)

    def describe(self) -> dict[str, Any]:
        """Describe the public graph, up to `MOST_DRAWN` states, and the strategy for a browser."""
        graph, ends = self.graph, self._ends()
        ended = zip(graph.end_parent[ends], graph.end_action[ends], strict=True)
        return {
            "size": tree_size(self.tree),
            "labels": list(labels(self.game)),
            "algorithms": {name: each.guarantee for name, each in ALGORITHMS.items()},
            "states": [
                {
                    "parent": int(graph.parent[i]),
                    "player": int(graph.player[i]),
                    "action": self._text(graph.parent[i], graph.action[i]),
                    "shown": self._shown(i),
                }
                for i in range(min(MOST_DRAWN, len(graph.states)))
            ],
            "ends": [
                {"parent": int(parent), "action": self._text(parent, action)}
                for parent, action in ended
            ],
            **self.judged(self.profile),
        }

    def _text(self, state: int, action: int) -> str:
        """Write an action at a public state; empty for -1, which is a hidden action or none."""
        return self.game.text(int(action), self.graph.states[state]) if action >= 0 else ""

    def _shown(self, state: int) -> list[str]:
        rows = self.game.scene(self.graph.states[state])
        return [card for row in rows if row.seat < 0 for card in row.cards if card.strip()]

    def at(self, state: int) -> dict[str, Any]:
        """Describe public state number `state`: the strategy and the loss of each hand."""
        graph, tree = self.graph, self.tree
        if state >= len(graph.states):
            raise InputError("there is no such state")
        children: dict[str, list[dict[str, Any]]] = {}
        for child in np.flatnonzero(graph.parent == state).tolist():
            text = self._text(state, graph.action[child])
            children.setdefault(text, []).append({"state": child, "shown": self._shown(child)})
        sets, profile = np.flatnonzero(graph.place == state).tolist(), self.profile
        first = sets[0]  # all sets of a public state have the same actions
        actions = tree.actions[tree.rows[first] : tree.rows[first + 1]]
        return {
            "state": state,
            "player": int(graph.player[state]),
            "path": self._path(state),
            "shown": self._shown(state),
            "actions": [self._text(state, action) for action in actions],
            "children": children,
            "sets": [self._set(each, profile) for each in sets],
        }

    def _path(self, state: int) -> list[int]:
        found = [state]
        while (parent := int(self.graph.parent[found[-1]])) >= 0:
            found.append(parent)
        return found[::-1]

    def _set(self, each: int, profile: Profile) -> dict[str, Any]:
        """Describe set `each` by `Flow.sets` and `Losses`; `best` is an index into `actions`."""
        rows = slice(int(self.tree.rows[each]), int(self.tree.rows[each + 1]))
        view, player = self.graph.views[each], int(self.tree.owner[each])
        own = [row for row in self.game.scene(view) if row.seat == player]
        return {
            "cards": [card for row in own for card in row.cards if card.strip()],
            "actions": [self.game.text(int(a), view) for a in self.tree.actions[rows]],
            "reached": float(profile.flow.sets[each]),
            "shares": profile.sigma[rows].tolist(),
            "values": [number_of(v) for v in profile.losses.values[rows].tolist()],
            "best": int(profile.losses.best[each]) - rows.start,
            "loss": float(profile.losses.loss[each]),
        }
