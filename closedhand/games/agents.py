"""What an agent is, and how one is found by name.

An agent sees views only, so none can cheat. Agents are entry points of the group
`closedhand.agents`: ours are declared in `pyproject.toml`, other packages add theirs in their own.
An entry point is named `game.agent` (`doudizhu.greedy`), or just `agent` if it plays every game,
and refers to a callable `(game, seed, argument) -> Agent`.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, runtime_checkable

import numpy as np

from closedhand.games import make_game
from closedhand.games.game import Game, InputError, State

GROUP = "closedhand.agents"


@runtime_checkable
class Agent(Protocol):
    """A player of one `Game`.

    An agent that has a method `act_batch(views) -> actions` (views: states [n], actions: int32 [n])
    is asked for many decisions at once where that is possible.

    Attributes:
        name: What tables and records call it.
    """

    name: str

    def act(self, view: State) -> int:
        """The action of the player to act, who has this view; a legal action id."""
        ...


def act_batch(agent: Agent, views: np.ndarray) -> np.ndarray:
    """The actions of an agent for many views, int32 [n]."""
    together = getattr(agent, "act_batch", None)
    if together is not None:
        return together(views)
    return np.array([agent.act(view) for view in views], np.int32)


def agent_names(game: str) -> list[str]:
    """The names of all agents that play a game."""
    names = (point.name.rpartition(".") for point in entry_points(group=GROUP))
    return sorted({agent for owner, _, agent in names if owner in ("", game)})


def make_agent(game: Game | str, agent: str | Agent, seed: int = 0) -> Agent:
    """An agent for a game.

    Args:
        game: A `Game`, or the name of one with its default rules.
        agent: A name, with an argument after a colon where the agent takes one
            (`ppo:model.zip`); an object that is an agent already is handed back.
        seed: Of the agent's own randomness.

    Raises:
        InputError: An unknown name, or an argument that the agent cannot use.
    """
    if not isinstance(agent, str):
        if not isinstance(agent, Agent):
            raise InputError(f"{agent!r} is no agent: it lacks a name or a method act(view)")
        return agent
    if isinstance(game, str):
        game = make_game(game)
    name, _, argument = agent.partition(":")
    return _entry_point(game.name, name).load()(game, seed, argument or None)


def _entry_point(game: str, name: str) -> EntryPoint:
    for point in entry_points(group=GROUP):
        if point.name in (f"{game}.{name}", name):
            return point
    raise InputError(f"{game} has no agent {name!r}; it has {', '.join(agent_names(game))}")


def refuse_argument(name: str, argument: str | None) -> None:
    """Complain about an argument to an agent that takes none.

    Raises:
        InputError: There is one.
    """
    if argument is not None:
        raise InputError(f"the agent {name} takes no argument, not {argument!r}")
