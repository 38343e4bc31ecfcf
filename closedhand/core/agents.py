"""Agents: their protocol, their creation from texts, and their traits.

An agent sees only views, so it cannot cheat. Agents are entry points of the group
`closedhand.agents`, which this package and others declare, each in its own `pyproject.toml`.
An entry point is named `game.agent` (`poker.cautious`), or just `agent` for an agent of every game.
It refers to a factory, a callable `(game, seed, argument, **options) -> Agent`. The options are
further parameters of the factory, or a table attached to it; see `closedhand.core.options`.

`parse_agent` parses the text of an agent, by the grammar of `closedhand.core.agent_spec`.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from closedhand.core import contract
from closedhand.core.agent_spec import AgentSpec, quoted
from closedhand.core.checks import check_seed, id_or_illegal, integers, whole_number
from closedhand.core.game import Game, InputError, State, shown
from closedhand.core.optional_imports import needing, require
from closedhand.core.options import options_of
from closedhand.core.plugins import description_of, is_own, load_point, order, owner_of
from closedhand.core.reading import checksum
from closedhand.core.registry import make_game, spec_of

GROUP = "closedhand.agents"
NETWORK = ".safetensors"
"""Suffix of files of networks; the networks in one folder play together, see `files_of`."""

SPENT = ("searches", "simulations", "seconds", "processor_seconds")
"""Columns of the cost of searches: their number, simulations, seconds and processor seconds."""


@runtime_checkable
class Agent(Protocol):
    """A player of one `Game`.

    Further members are optional:

    - `act_batch(views) -> actions` (views: states [n], actions: integers [n]) makes many decisions
      at once; it is called instead of `act` where possible.
    - `probabilities(views) -> shares` (float64 [n, num_actions]) is the agent's policy: every row
      sums to 1 and is 0 for illegal actions. `act` samples it or takes the most probable action.
    - `kernel_policy`, a policy that makes the same decisions in kernels (see
      `closedhand.core.policies`): envs then play the agent without returning to Python.
    - `values(view, actions) -> values` (actions: integers [n], values: float64 [n]) rates legal
      actions. Greater is better. NaN marks an action that the agent does not consider.
    - `simulation(view)`, a `closedhand.search.Simulation`, by which all actions can be ranked.
    - `traits`, a `Traits`, for an agent that is passed as an object instead of a name.
    - `spent`, float64 [4], the cost of its searches so far, with the columns of `SPENT`.

    Attributes:
        name: Name in results and records.
    """

    name: str

    def act(self, view: State) -> int:
        """Return the id of a legal action for the player to act, whose view this is."""
        ...


def act_batch(
    agent: Agent, views: np.ndarray, before: Callable[[], object] = lambda: None
) -> np.ndarray:
    """Return the actions of an agent for many views, int64 [n].

    `before` is called before each decision of an agent without a method `act_batch`.

    Raises:
        InputError: The agent does not return one integer for each view.
    """
    together = getattr(agent, "act_batch", None)
    if together is None:
        actions: Any = []
        for view in views:
            before()
            actions.append(agent.act(view))
    else:
        actions = together(views)
    return integers(f"the actions of agent {agent.name!r}", actions, len(views), "view")


def legal_choice(game: Game, view: State, agent: Agent) -> int:
    """Return the legal action that an agent's choice counts as, by `contract.admit`.

    Raises:
        InputError: The choice is no integer, is refused, or counts as an action that is not legal.
    """
    ids = np.empty(game.num_actions, np.int32)
    chosen = whole_number(agent.act(view), f"the action of agent {agent.name!r}")
    known = id_or_illegal(chosen, game.num_actions)
    action = int(contract.admit(game.rules, view, known, ids))
    if action not in game.legal(view):
        raise InputError(f"{agent.name} makes no legal choice here")
    return action


def spent_by(agents: Iterable[Agent]) -> np.ndarray:
    """Return the cost of the searches of agents so far, float64 [agents, 4]; 0 without searches."""
    nothing = np.zeros(len(SPENT))
    return np.array([getattr(agent, "spent", nothing) for agent in agents])


def policy_or_choices(game: Game, agent: Agent, views: np.ndarray) -> np.ndarray:
    """Return an agent's policy for views, float64 [n, num_actions]; one-hot if it only chooses.

    Raises:
        InputError: The agent does not choose one action of the game for each view.
    """
    policy = getattr(agent, "probabilities", None)
    if policy is not None:
        return policy(views)
    actions = act_batch(agent, views)
    if len(actions) and not 0 <= actions.min() <= actions.max() < game.num_actions:
        raise InputError(f"{agent.name} chooses no action of {game.name}")
    shares = np.zeros((len(views), game.num_actions))
    shares[np.arange(len(views)), actions] = 1.0
    return shares


@dataclass(frozen=True)
class Traits:
    """Properties of an agent that are known before it plays.

    Attributes:
        files: Files that the agent is made from, except those of its package.
        clocked: Whether the strength of the agent depends on the clock; it then needs all cores.
        microseconds: Time of a decision, to an order of magnitude; None if unknown.
        steady: Whether each decision depends on the view alone, not on other games or decisions.
        remembers: Whether the agent uses earlier rounds of a deal. Matches of several rounds refuse
            such an agent; leagues play its deals one by one.
        variants: Options, such as `tuned=1`; the web table offers the agent with each of them, too.
    """

    files: tuple[Path, ...] = ()
    clocked: bool = False
    microseconds: float | None = None
    steady: bool = False
    remembers: bool = False
    variants: tuple[str, ...] = ()


Factory = TypeVar("Factory", bound=Callable[..., Agent])
Describe = Callable[..., Traits]
"""`describe(game, argument, **options) -> Traits`, with the options that the factory takes. It is
cheap: it loads no network and reads no file."""


def described(
    traits: Traits | Describe,
    needs: Sequence[str] = (),
    reads: Callable[[str | None], Any] | None = None,
    plays: tuple[str, str] | None = None,
) -> Callable[[Factory], Factory]:
    """Decorate a factory with the traits of its agents.

    Args:
        traits: Traits of all its agents, or a function of game, argument and options.
        needs: Modules of extras that the factory imports only when it makes an agent.
        reads: Parser of the argument for the factory and `traits`; None: they get the text.
        plays: Name of the file that a training writes for the agent, and the text of the agent that
            plays it, with `{}` for the folder; see `how_to_play`.
    """

    def decorate(factory: Factory) -> Factory:
        factory.describe = traits  # type: ignore[attr-defined]
        factory.needs = needs  # type: ignore[attr-defined]
        factory.reads = reads  # type: ignore[attr-defined]
        factory.plays = plays  # type: ignore[attr-defined]
        return factory

    return decorate


@dataclass(frozen=True)
class NamedAgent:
    """The parsed and checked text of an agent, from which agents are made.

    Attributes:
        name: The text, which names the agent in results and records.
        argument: Argument of the factory; see `described`.
        options: Options of the factory, parsed and checked.
    """

    name: str
    factory: Callable[..., Agent]
    argument: Any = field(hash=False)
    options: Mapping[str, Any] = field(hash=False)


Player = NamedAgent | Agent
"""An agent by its parsed text or as an object; both have a name."""
AnyAgent = str | AgentSpec | Player


def agent_names(game: str) -> list[str]:
    """List the names of all agents that play a game."""
    names = (point.name.rpartition(".") for point in _entry_points(tuple(sys.path)))
    return sorted({agent for owner, _, agent in names if owner in ("", game)})


def parse_agent(game: str, agent: AnyAgent) -> Player:
    """Parse the text of an agent of a game, such as `search[threads=1]:20ms`; check its options.

    A parsed agent, or an object that is an agent, is returned unchanged.

    Raises:
        InputError: No such agent, a missing extra, or an option or argument that the agent refuses.
    """
    spec = AgentSpec.parse(agent) if isinstance(agent, str) else agent
    if isinstance(spec, AgentSpec):
        with needing(f"the agent {spec.name}"):
            factory = load_point(_entry_point(game, spec.name))
        require(*getattr(factory, "needs", ()))
        options = dict[str, Any]()
        if spec.options:
            options = options_of(factory, spec.name, skip=3).read(spec.options)
        reads = getattr(factory, "reads", None)
        argument = spec.argument if reads is None else reads(spec.argument)
        return NamedAgent(str(agent), factory, argument, options)
    if not isinstance(spec, Player):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{agent!r} is not an agent: it lacks a name or a method act(view)")
    return spec


def make_agent(game: Game | str, agent: AnyAgent, seed: int = 0) -> Agent:
    """Make an agent for a game.

    Args:
        game: A `Game`, or the name of one with its default rules.
        agent: Its text, such as `search[threads=1]:20ms` or `learned:runs/demo`, or an `AgentSpec`;
            a parsed agent; or an object that is an agent, which is returned unchanged.
        seed: Seed of the agent's own randomness.

    Raises:
        InputError: No agent of the game has this name, it cannot use the game, an option or its
            argument, or the seed is invalid.
    """
    bound = make_game(game) if isinstance(game, str) else game
    player = parse_agent(bound.name, agent)
    if not isinstance(player, NamedAgent):
        return player
    return player.factory(bound, check_seed(seed), player.argument, **player.options)


def make_adviser(game: Game, otherwise: str, seed: int) -> Agent:
    """Make the agent for hints to people: the `adviser` of the game's spec, else `otherwise`.

    Raises:
        InputError: Neither of the two can be made for the game under its rules.
    """
    if named := spec_of(game.name).adviser:
        with suppress(InputError):
            return make_agent(game, named, seed)
    return make_agent(game, otherwise, seed)


def traits_of(game: Game, agent: AnyAgent) -> Traits:
    """Return the traits of an agent without making it; the defaults if it states none.

    Raises:
        InputError: No such agent, or an option or argument that the agent cannot use.
    """
    player = parse_agent(game.name, agent)
    if not isinstance(player, NamedAgent):
        return getattr(player, "traits", Traits())
    traits: Traits | Describe = getattr(player.factory, "describe", Traits())
    return traits(game, player.argument, **player.options) if callable(traits) else traits


@lru_cache(maxsize=1)
def _entry_points(folders: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Find the entry points of all agents; `folders`, the key of the cache, are `sys.path`.

    They are cached, since finding them takes longer than making an agent. An agent of another
    package is left out if an agent of this package plays the same game under the same name: results
    state only the name.
    """
    points = sorted(entry_points(group=GROUP), key=order)
    own = [point.name.rpartition(".") for point in points if is_own(point)]
    kept: list[EntryPoint] = []
    for point in points:
        game, _, name = point.name.rpartition(".")
        rivals = [of for of, _, other in own if other == name]
        if is_own(point) or not (rivals and (game in rivals or "" in (game, *rivals))):
            kept.append(point)
        else:
            text = f"the agent {description_of(point)} is left out: closedhand has a {name} itself"
            warnings.warn(text, stacklevel=2)
    return tuple(kept)


def _entry_point(game: str, name: str) -> EntryPoint:
    # A name with a dot would find an agent of another game.
    names = () if "." in name else (f"{game}.{name}", name)
    found = [point for point in _entry_points(tuple(sys.path)) if point.name in names]
    if not found:
        raise InputError(f"{game} has no agent {name!r}; it has {', '.join(agent_names(game))}")
    if len({owner_of(point) for point in found}) > 1:
        offers = ", ".join(map(description_of, found))
        raise InputError(f"several packages have an agent {name!r} of {game}: {offers}")
    return max(found, key=lambda point: len(point.name))  # a game's own agent goes first


def how_to_play(game: str, path: Path) -> list[str]:
    """List the texts of agents that play the result of a training, such as `value-net:FOLDER`.

    `path` is a file that an agent of the game names as `plays` (see `described`), even before it
    exists, or a folder that holds this file. Agents whose extra is missing are left out.
    """
    found: list[str] = []
    folder = path if os.path.isdir(path) else path.parent  # unlike `is_dir` it never raises
    for name in agent_names(game):
        with suppress(InputError), needing(f"the agent {name}"):  # leave it out without its extra
            file, text = getattr(load_point(_entry_point(game, name)), "plays", None) or ("", "")
            if file and (path.name == file or os.path.isfile(path / file)):
                separators = "," if text.endswith("{}") else ",:"  # would end an unquoted folder
                found.append(text.format(quoted(str(folder), separators)))
    return found


def refuse_argument(name: str, argument: str | None) -> None:
    """Raise an `InputError` if there is an argument, for an agent that takes none."""
    if argument is not None:
        raise InputError(f"the agent {name} takes no argument, not {shown(argument)}")


def digests(game: Game, agents: Iterable[str | Player]) -> dict[str, str]:
    """Compute a checksum of each agent's files (`Traits.files`), by the agent's text or name.

    The settings of runs and matches contain these, so that they resume only with the same files.
    Agents without files are left out, and names that are no agent's text: an agent passed as an
    object may have any name. Raises an `InputError` if a file cannot be read.
    """
    found: dict[str, str] = {}
    for agent in agents:
        files = set[Path]()
        with suppress(InputError):  # the name of an agent that was an object
            files = set(traits_of(game, agent).files)
        if files:
            found[agent if isinstance(agent, str) else agent.name] = checksum(*sorted(files))
    return found


def watch_files(game: Game, players: Sequence[Player]) -> Callable[[], None]:
    """Return a check that raises an `InputError` if files of the agents change after this call.

    Jobs make their agents anew: the results of one agent must not mix several networks.
    """
    before = digests(game, players)

    def check() -> None:
        now = digests(game, players)
        for name in before | now:
            if before.get(name) != now.get(name):
                raise InputError(f"files of the agent {name} have changed: let a copy of them play")

    return check


def files_of(path: str | Path | None) -> tuple[Path, ...]:
    """List the existing files of a path that an agent takes as its argument, for `Traits`.

    For a network or a folder these are all networks in the folder, since they play together.
    """
    if path is None:
        return ()
    path = Path(path)
    is_file = os.path.isfile(path)
    if is_file and path.suffix != NETWORK:
        return (path,)
    folder = path.parent if is_file else path
    return tuple(sorted(folder.glob(f"*{NETWORK}"))) if os.path.isdir(folder) else ()
