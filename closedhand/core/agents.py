"""What an agent is, and how one is found by name.

An agent sees views only, so none can cheat. Agents are entry points of the group
`closedhand.agents`: ours are declared in `pyproject.toml`, other packages add theirs in their own.
An entry point is named `game.agent` (`doudizhu.greedy`), or just `agent` if it plays every game,
and refers to a callable `(game, seed, argument) -> Agent`.
"""

import hashlib
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from closedhand.core.game import Game, InputError, State
from closedhand.core.registry import make_game

GROUP = "closedhand.agents"
NETWORK = ".safetensors"


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
        if not isinstance(agent, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
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


def digests(agents: Iterable[str]) -> dict[str, str]:
    """A sum of the files that an agent is made from, by the agent's name.

    A path stands between colons or behind the last one (`strategy:PATH`, `monte-carlo:500:PATH`,
    `bids:net=PATH:AGENT`). Of networks all in the same folder count: they play together.
    """
    found: dict[str, str] = {}
    for agent in agents:
        words = [word.removeprefix("net=") for word in agent.split(":")]
        texts = {":".join(words[i:]) for i in range(1, len(words))} | set(words[1:])
        files = {file for text in texts for file in files_of(Path(text))}
        if files:
            content = b"".join(file.read_bytes() for file in sorted(files))
            found[agent] = hashlib.sha256(content).hexdigest()[:16]
    return found


def files_of(path: Path) -> list[Path]:
    """A file, with the networks beside it if it is one, or the networks of a folder."""
    if path.is_file() and path.suffix != NETWORK:
        return [path]
    folder = path.parent if path.is_file() else path
    return sorted(folder.glob(f"*{NETWORK}"))
