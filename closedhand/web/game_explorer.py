"""A small game on the table: its public graph, a strategy and what it loses, and solvers."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Agent, make_agent
from closedhand.core.game import Game, InputError
from closedhand.solvers.evaluate import Losses, best_response, evaluate_rows, losses
from closedhand.solvers.public import Flow, flow, public_graph
from closedhand.solvers.solving import (
    ALGORITHMS,
    CHUNK,
    Judged,
    judgement_summary,
    labels,
    make_solver,
)
from closedhand.solvers.strategy import normalised, rows_of, strategy_of
from closedhand.solvers.tree import ANY, build, layout_of, tree_size
from closedhand.web.json_numbers import number_of
from closedhand.web.uploads import uploaded

MOST_NODES = 300_000
"""Most histories of a game that a browser may have solved."""
MOST_DRAWN = 500
"""Most public states of a picture."""
REPORT = 1.0
"""Seconds between two reports of a solver, at most."""
LONGEST = 300.0
"""Seconds that a solver takes if nobody stops it."""


class Look(NamedTuple):
    """A strategy of all players that is looked at.

    Attributes:
        name: What it is called.
        sigma: The strategy, float64 [rows].
        losses: What it loses.
        flow: How often it leads to each public state.
    """

    name: str
    sigma: np.ndarray
    losses: Losses
    flow: Flow


class GameExplorer:
    """A small game and the strategy that is looked at, uniformly random at first.

    Attributes:
        game: The game.
        tree: Its information tree.
        graph: Its public graph.
        look: The strategy; replaced as a whole, never changed.
    """

    def __init__(self, game: Game) -> None:
        """Build the tree.

        Raises:
            InputError: The game is too large to be solved, or does not list its deals.
        """
        self.game = game
        self.tree = build(game, most=MOST_NODES)
        self.graph = public_graph(game, self.tree)
        equal = normalised(self.tree.rows, np.zeros(len(self.tree.actions)))
        self.look = self._look(equal, "uniform")

    def _look(self, sigma: np.ndarray, name: str) -> Look:
        return Look(name, sigma, losses(self.tree, sigma), flow(self.tree, self.graph, sigma))

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
        self.look = self._look(rows_of(found, layout_of(self.game, self.tree)), name)

    def respond(self, player: int) -> None:
        """Replace the strategy of a player by a best response to the others."""
        found = best_response(self.tree, self.look.sigma, player)
        name = f"{self.look.name}, {labels(self.game)[player]}: best response"
        self.look = self._look(found.sigma, name)

    def solve(self, algorithm: str, seed: int) -> Iterator[tuple[Look, dict[str, Any]]]:
        """Solve the game, and report the strategies and judgements on the way.

        The strategy that is looked at stays as it is: whoever follows takes the new ones, and no
        step that is still under way when they have turned to another one can replace that.

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
            look = self._look(solver.strategy().probabilities, algorithm)
            yield look, {**self.judged(look), "iterations": solver.iterations, "seconds": seconds}

    def judged(self, look: Look) -> dict[str, Any]:
        """A strategy's exact values, and where it goes and loses in the graph."""
        evaluation = evaluate_rows(self.tree, look.sigma)
        drawn = slice(MOST_DRAWN)
        loss = np.bincount(self.graph.place, look.losses.loss, len(self.graph.states))
        ends = self._ends()
        return {
            "name": look.name,
            **judgement_summary(self.game, evaluation),
            "flow": look.flow.states[drawn].tolist(),
            "losses": loss[drawn].tolist(),
            "end_flow": look.flow.ends[ends].tolist(),
            "end_payoffs": look.flow.payoffs[ends].tolist(),
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
            **self.judged(self.look),
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
        sets, look = np.flatnonzero(graph.place == state).tolist(), self.look
        first = sets[0]
        actions = tree.actions[tree.rows[first] : tree.rows[first + 1]]
        return {
            "state": state,
            "player": int(graph.player[state]),
            "path": self._path(state),
            "shown": self._shown(state),
            "actions": [self._text(state, action) for action in actions],
            "children": children,
            "sets": [self._set(each, look) for each in sets],
        }

    def _path(self, state: int) -> list[int]:
        """The public states on the way to one, and itself."""
        found = [state]
        while (parent := int(self.graph.parent[found[-1]])) >= 0:
            found.append(parent)
        return found[::-1]

    def _set(self, each: int, look: Look) -> dict[str, Any]:
        rows = slice(int(self.tree.rows[each]), int(self.tree.rows[each + 1]))
        view, player = self.graph.views[each], int(self.tree.owner[each])
        own = [row for row in self.game.scene(view) if row.seat == player]
        return {
            "cards": [card for row in own for card in row.cards if card.strip()],
            "actions": [self.game.text(int(a), view) for a in self.tree.actions[rows]],
            "reached": float(look.flow.sets[each]),
            "shares": look.sigma[rows].tolist(),
            "values": [number_of(v) for v in look.losses.values[rows].tolist()],
            "best": int(look.losses.best[each]) - rows.start,
            "loss": float(look.losses.loss[each]),
        }
