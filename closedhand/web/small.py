"""A small game on the table: its public graph, a strategy and what it loses, and solvers."""

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from closedhand.baselines.tabular.evaluate import best_response, evaluate_rows, losses
from closedhand.baselines.tabular.public import flow, public_graph
from closedhand.baselines.tabular.solving import (
    ALGORITHMS,
    CHUNK,
    Judged,
    judgement_summary,
    labels,
    make_solver,
)
from closedhand.baselines.tabular.strategy import ANY, rows_of, strategy_of, uniform
from closedhand.baselines.tabular.tree import build, tree_size
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Agent, make_agent
from closedhand.core.game import Game, InputError
from closedhand.web.uploads import uploaded

MOST_NODES = 300_000
"""Most histories of a game that a browser may have solved."""
MOST_DRAWN = 500
"""Most public states of a picture."""
REPORT = 1.0
"""Seconds between two reports of a solver, at most."""
LONGEST = 300.0
"""Seconds that a solver takes if nobody stops it."""


class Small:
    """A small game and a strategy of all its players, uniformly random at first.

    Attributes:
        game: The game.
        tree: Its information tree.
        graph: Its public graph.
        sigma: The strategy, float64 [rows].
        name: What the strategy is called.
    """

    def __init__(self, game: Game) -> None:
        """Build the tree.

        Raises:
            InputError: The game is too large to be solved, or does not list its deals.
        """
        self.game = game
        self.tree = build(game, most=MOST_NODES)
        self.graph = public_graph(game, self.tree)
        self.take(uniform(game).probabilities, "uniform")

    def take(self, sigma: np.ndarray, name: str) -> None:
        """Look at a strategy from now on."""
        self.losses = losses(self.tree, sigma)
        self.flow = flow(self.tree, self.graph, sigma)
        self.sigma, self.name = sigma, name

    def play(self, text: str) -> None:
        """Look at the strategy of an agent.

        Raises:
            InputError: The agent has no probabilities, or it cannot be made.
        """
        self._take_agent(make_agent(self.game, text, 0), text)

    def open(self, data: str) -> None:
        """Look at the strategy of an uploaded file, such as `solve` saves.

        Raises:
            InputError: It holds none of this game.
        """
        with uploaded(data) as path:
            agent = make_agent(self.game, str(AgentSpec("strategy", argument=str(path))), 0)
        self._take_agent(agent, "file")

    def _take_agent(self, agent: Agent, name: str) -> None:
        found = strategy_of(self.game, agent)
        self.take(rows_of(found, self.tree), name)

    def respond(self, player: int) -> None:
        """Replace the strategy of a player by a best response to the others."""
        found = best_response(self.tree, self.sigma, player)
        self.take(found.sigma, f"{self.name}, {labels(self.game)[player]}: best response")

    def solve(self, algorithm: str, seed: int) -> Iterator[dict[str, Any]]:
        """Solve the game, and report the judgements on the way.

        Raises:
            InputError: There is no such algorithm for this game.
        """
        if algorithm not in ALGORITHMS:
            raise InputError(f"no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}")
        solver = make_solver(algorithm, self.game, seed, ANY)
        solver.run(0)  # loads or compiles the kernels
        learner, seconds = Judged(solver), 0.0
        while seconds < LONGEST:
            start, is_due = time.perf_counter(), False
            while not is_due and time.perf_counter() - start < REPORT:
                is_due = learner.advance(CHUNK)
            seconds += time.perf_counter() - start
            self.take(solver.strategy().probabilities, algorithm)
            yield {**self.judged(), "iterations": solver.iterations, "seconds": seconds}

    def judged(self) -> dict[str, Any]:
        """The strategy's exact values, and where it goes and loses in the graph."""
        evaluation = evaluate_rows(self.tree, self.sigma)
        drawn = slice(MOST_DRAWN)
        loss = np.bincount(self.graph.place, self.losses.loss, len(self.graph.states))
        ends = self._ends()
        return {
            "name": self.name,
            **judgement_summary(self.game, evaluation),
            "flow": self.flow.states[drawn].tolist(),
            "losses": loss[drawn].tolist(),
            "end_flow": self.flow.ends[ends].tolist(),
            "end_payoffs": self.flow.payoffs[ends].tolist(),
        }

    def _ends(self) -> np.ndarray:
        return np.flatnonzero(self.graph.end_parent < MOST_DRAWN)

    def told(self) -> dict[str, Any]:
        """The graph, for a browser."""
        graph = self.graph
        ends = self._ends()
        return {
            "size": {**tree_size(self.tree), "public_states": len(graph.states)},
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
                for parent, action in zip(
                    graph.end_parent[ends], graph.end_action[ends], strict=True
                )
            ],
            **self.judged(),
        }

    def _text(self, state: int, action: int) -> str:
        """An action at a public state; empty where it is hidden, and for the first one."""
        return self.game.text(int(action), self.graph.states[state]) if action >= 0 else ""

    def _shown(self, state: int) -> list[str]:
        """The cards in the middle of a public state."""
        rows = self.game.scene(self.graph.states[state])
        return [card for row in rows if row.seat < 0 for card in row.cards if card.strip()]

    def at(self, state: int) -> dict[str, Any]:
        """A public state: what a player does there with each hand, and what that costs.

        Raises:
            InputError: There is no such state.
        """
        graph, tree = self.graph, self.tree
        if state >= len(graph.states):
            raise InputError("there is no such state")
        children: dict[str, list[dict[str, Any]]] = {}
        for child in np.flatnonzero(graph.parent == state).tolist():
            text = self._text(state, graph.action[child])
            children.setdefault(text, []).append({"state": child, "shown": self._shown(child)})
        sets = np.flatnonzero(graph.place == state).tolist()
        first = sets[0]
        actions = tree.actions[tree.rows[first] : tree.rows[first + 1]]
        return {
            "state": state,
            "player": int(graph.player[state]),
            "path": self._path(state),
            "shown": self._shown(state),
            "actions": [self._text(state, action) for action in actions],
            "children": children,
            "sets": [self._set(each) for each in sets],
        }

    def _path(self, state: int) -> list[int]:
        """The public states on the way to one, and itself."""
        found = [state]
        while (parent := int(self.graph.parent[found[-1]])) >= 0:
            found.append(parent)
        return found[::-1]

    def _set(self, each: int) -> dict[str, Any]:
        rows = slice(int(self.tree.rows[each]), int(self.tree.rows[each + 1]))
        view, player = self.graph.views[each], int(self.tree.owner[each])
        own = [row for row in self.game.scene(view) if row.seat == player]
        return {
            "cards": [card for row in own for card in row.cards if card.strip()],
            "actions": [self.game.text(int(a), view) for a in self.tree.actions[rows]],
            "reached": float(self.flow.sets[each]),
            "shares": self.sigma[rows].tolist(),
            "values": [v if math.isfinite(v) else None for v in self.losses.values[rows].tolist()],
            "best": int(self.losses.best[each]) - rows.start,
            "loss": float(self.losses.loss[each]),
        }
