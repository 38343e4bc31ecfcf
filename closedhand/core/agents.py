"""Agents: their protocol, their text form, and what is known of them before they play.

An agent sees only views, so it cannot cheat. Agents are entry points of the group
`closedhand.agents`: ours are declared in `pyproject.toml`, other packages add theirs in their own.
An entry point is named `game.agent` (`poker.cautious`), or just `agent` if it plays every game,
and refers to a factory, a callable `(game, seed, argument, **options) -> Agent`. Its options are
its further parameters, or a table that is attached to it; see `closedhand.core.options`.

The text of an agent is `name[key=value,...]:argument`; options and argument may be absent. A value
is a number, true, false, or text. Text with commas, colons or brackets is put in single or double
quotes, which open after a colon, an equals sign or a bracket; there is no escape character.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from closedhand.core.game import Game, InputError, State, shown
from closedhand.core.options import guess, options_of
from closedhand.core.registry import make_game

GROUP = "closedhand.agents"
NETWORK = ".safetensors"
QUOTES = "\"'"

BRACKET = re.compile(r"[\w.-]*\[")
"""Matches options at the beginning of an agent's text, or brackets in an option's value."""
INNER_BRACKET = re.compile(r"[\w.-]+\[(?=\s*(\w+\s*=|\]))")
"""Matches options of an agent inside an argument, which may also be a path with a bracket."""


@runtime_checkable
class Agent(Protocol):
    """A player of one `Game`.

    Three more members are optional:

    - `act_batch(views) -> actions` (views: states [n], actions: int32 [n]) makes many decisions at
      once; it is called instead of `act` where possible.
    - `probabilities(views) -> shares` (float64 [n, num_actions]) is the agent's policy: every row
      sums to 1 and is 0 for illegal actions. `act` samples from it or, in a greedy agent, takes
      the most probable action.
    - `traits`, a `Traits`, for an agent that is passed as an object instead of a name.

    Attributes:
        name: Name in tables and records.
    """

    name: str

    def act(self, view: State) -> int:
        """Choose a legal action id for the player to act, whose view this is."""
        ...


def act_batch(agent: Agent, views: np.ndarray) -> np.ndarray:
    """The actions of an agent for many views, int32 [n]."""
    together = getattr(agent, "act_batch", None)
    if together is not None:
        return together(views)
    return np.array([agent.act(view) for view in views], np.int32)


def probabilities(agent: Agent, views: np.ndarray) -> np.ndarray:
    """The policy of an agent in many views, states [n]; float64 [n, num_actions].

    Raises:
        InputError: The agent has no `probabilities`.
    """
    policy = getattr(agent, "probabilities", None)
    if policy is None:
        raise InputError(f"the agent {agent.name} has no probabilities(views)")
    return policy(views)


@dataclass(frozen=True)
class Traits:
    """What is known of an agent before it plays.

    Attributes:
        files: Files that the agent is made from, except those of its package.
        clocked: Whether its strength depends on the clock. It then needs all cores to itself.
        microseconds: Time of a decision, to an order of magnitude; None if unknown.
    """

    files: tuple[Path, ...] = ()
    clocked: bool = False
    microseconds: float | None = None

    def __or__(self, other: "Traits") -> "Traits":
        """Traits of an agent that consults both for every decision."""
        times = (self.microseconds, other.microseconds)
        return Traits(
            self.files + other.files,
            self.clocked or other.clocked,
            None if None in times else sum(time or 0.0 for time in times),
        )


Factory = TypeVar("Factory", bound=Callable[..., Agent])
Describe = Callable[..., Traits]
"""`describe(game, argument, **options) -> Traits`, with the options that the factory takes. It is
cheap: it loads no network and reads no file."""


def described(traits: Traits | Describe) -> Callable[[Factory], Factory]:
    """Decorator of a factory that states the traits of its agents.

    Args:
        traits: Traits of all its agents, or a function of game, argument and options.
    """

    def always(game: Game, argument: str | None, **options: Any) -> Traits:
        return traits(game, argument, **options) if callable(traits) else traits

    def decorate(factory: Factory) -> Factory:
        factory.describe = always  # type: ignore[attr-defined]
        return factory

    return decorate


@dataclass(frozen=True)
class AgentSpec:
    """The parsed text of an agent.

    Attributes:
        name: Name of the agent.
        options: Keys and values in brackets: numbers, booleans and strings.
        argument: Text after the first colon, without enclosing quotes; None if there is none.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    argument: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `name[key=value,...]:argument`.

        Examples:
            >>> AgentSpec.parse("search[threads=1]:100ms")
            AgentSpec(name='search', options={'threads': 1}, argument='100ms')

        Raises:
            InputError: Brackets or quotes are not closed, or an option is not key=value.
        """
        found = re.match(r"[^\[:]*", text)
        name = found[0] if found else ""
        options: dict[str, Any] = {}
        rest = text[len(name) :]
        if rest.startswith("["):
            end = _behind_bracket(rest, 0)
            if end < 0:
                raise InputError(f"the bracket in {text!r} is not closed")
            options, rest = _read_options(rest[1 : end - 1]), rest[end:]
            if rest and not rest.startswith(":"):
                raise InputError(f"a colon is missing behind the bracket in {text!r}")
        return cls(name, options, unquoted(rest[1:]) or None)

    def __str__(self) -> str:
        """Text that parses to this agent; options that are None are left out."""
        given = {key: value for key, value in self.options.items() if value is not None}
        options = ",".join(f"{key}={_write(value)}" for key, value in given.items())
        text = f"{self.name}[{options}]" if options else self.name
        return text if self.argument is None else f"{text}:{quoted(self.argument)}"

    def make(self, game: Game, seed: int = 0) -> Agent:
        """The agent itself; see `make_agent`."""
        factory, options = self._factory(game)
        return factory(game, check_seed(seed), self.argument, **options)

    def traits(self, game: Game) -> Traits:
        """Traits of the agent; empty ones if its factory is not `described`.

        Raises:
            InputError: An unknown agent or option, or an argument that it cannot use.
        """
        factory, options = self._factory(game)
        describe = getattr(factory, "describe", None)
        return Traits() if describe is None else describe(game, self.argument, **options)

    def _factory(self, game: Game) -> tuple[Callable[..., Agent], dict[str, Any]]:
        """The factory of the agent, and the options for it, checked."""
        try:
            factory = _entry_point(game.name, self.name).load()
        except ModuleNotFoundError as error:
            raise InputError(
                f"the agent {self.name} needs the module {error.name}, which is not installed"
            ) from None
        if not self.options:
            return factory, {}
        return factory, options_of(factory, self.name, skip=3).read(self.options)


def split_agents(text: str) -> list[str]:
    """Split a comma-separated list of agents; commas in brackets and quotes do not count.

    Examples:
        >>> split_agents("search[threads=1,worlds=20]:100ms,strategy:'a,b.npz', random")
        ['search[threads=1,worlds=20]:100ms', "strategy:'a,b.npz'", 'random']

    Raises:
        InputError: A quote is not closed.
    """
    return [piece.lstrip() for piece in split_outside(text, ",")]


def split_outside(text: str, separator: str, parts: int = -1) -> list[str]:
    """Split an agent's text at separators outside brackets and quotes.

    Args:
        text: Comma-separated agents, or an agent's argument.
        separator: A comma or a colon.
        parts: Maximum number of parts; the last one then holds the rest. -1: any number.

    Raises:
        InputError: A quote is not closed.
    """
    pieces: list[str] = []
    begin = i = 0
    before = separator  # the character before, if a quote or an agent's name may follow it
    while i < len(text) and len(pieces) != parts - 1:
        if before and text[i] in QUOTES:
            i, before = _behind_quote(text, i), ""
            continue
        pattern = INNER_BRACKET if before == ":" else BRACKET
        opening = pattern.match(text, i) if before else None
        end = _behind_bracket(text, opening.end() - 1) if opening else -1
        if end > 0:
            i, before = end, ""
            continue
        if text[i] == separator:
            pieces.append(text[begin:i])
            begin = i + 1
        if not (before and text[i].isspace()):
            before = text[i] if text[i] in ":=," else ""
        i += 1
    return [*pieces, text[begin:]]


def _behind_quote(text: str, i: int) -> int:
    """Index after the quote that closes the one at `i`."""
    end = text.find(text[i], i + 1)
    if end < 0:
        raise InputError(f"the quote in {text!r} is not closed")
    return end + 1


def _behind_bracket(text: str, i: int) -> int:
    """Index after the bracket that closes the one at `i`, -1 if none does."""
    depth, starts = 0, False
    while i < len(text):
        char = text[i]
        if starts and char in QUOTES:
            i, starts = _behind_quote(text, i), False
            continue
        depth += (char == "[") - (char == "]")
        i += 1
        if depth == 0:
            return i
        starts = char in "[,=" or (starts and char.isspace())
    return -1


def unquoted(text: str) -> str:
    """Strip the quotes that enclose a whole text.

    Raises:
        InputError: A quote is not closed.
    """
    split_outside(text, ":")  # raises if a quote is not closed
    if len(text) > 1 and text[0] in QUOTES and text.find(text[0], 1) == len(text) - 1:
        return text[1:-1]
    return text


def quoted(text: str, separators: str = ",") -> str:
    """Write a text for an agent's argument, in quotes only if it needs them.

    Args:
        text: The argument, or a part of it.
        separators: Characters that would end it there.
    """
    try:
        # A colon precedes it, as in an agent's text, and adds one cut of its own.
        cuts = [len(split_outside(f":{text}", each)) - (each == ":") for each in separators]
        if max(cuts) == 1 and unquoted(text) == text:
            return text
    except InputError:
        pass
    return _in_quotes(text)


def _in_quotes(text: str) -> str:
    quote = QUOTES[0] if QUOTES[0] not in text else QUOTES[1]
    return f"{quote}{text}{quote}"


def _read_options(text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for piece in split_outside(text, ",") if text.strip() else ():
        key, equals, value = piece.partition("=")
        key, value = key.strip(), value.strip()
        if not (equals and key.isidentifier()):
            raise InputError(f"an option of an agent is key=value, not {piece.strip()!r}")
        if key in options:
            raise InputError(f"the option {key} is given twice")
        options[key] = unquoted(value) if value[:1] in QUOTES else guess(value)
    return options


def _write(value: Any) -> str:
    """Write a value so that `_read_options` reads it back."""
    if not isinstance(value, str):
        return json.dumps(value)
    is_plain = guess(value) == value == value.strip() and not set(value) & set("[],\"'")
    return value if is_plain and value else _in_quotes(value)


def agent_names(game: str) -> list[str]:
    """The names of all agents that play a game."""
    names = (point.name.rpartition(".") for point in entry_points(group=GROUP))
    return sorted({agent for owner, _, agent in names if owner in ("", game)})


def make_agent(game: Game | str, agent: str | AgentSpec | Agent, seed: int = 0) -> Agent:
    """Make an agent for a game.

    Args:
        game: A `Game`, or the name of one with its default rules.
        agent: A text such as `search[threads=1]:20ms` or `ppo:model.zip`, or an `AgentSpec`; an
            object that is an agent is returned unchanged.
        seed: Seed of the agent's own randomness.

    Raises:
        InputError: An unknown name or option, or an argument that the agent cannot use.
    """
    spec = AgentSpec.parse(agent) if isinstance(agent, str) else agent
    if isinstance(spec, AgentSpec):
        return spec.make(make_game(game) if isinstance(game, str) else game, seed)
    if not isinstance(spec, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{agent!r} is no agent: it lacks a name or a method act(view)")
    return spec


def traits_of(game: Game, agent: str | Agent) -> Traits:
    """What is known of an agent before it plays.

    Args:
        game: Game that it plays.
        agent: Text of the agent, or an object; one without `traits` has empty ones.

    Raises:
        InputError: An unknown name or option, or an argument that the agent cannot use.
    """
    if isinstance(agent, str):
        return AgentSpec.parse(agent).traits(game)
    return getattr(agent, "traits", Traits())


def _entry_point(game: str, name: str) -> EntryPoint:
    for point in entry_points(group=GROUP):
        if point.name in (f"{game}.{name}", name):
            return point
    raise InputError(f"{game} has no agent {name!r}; it has {', '.join(agent_names(game))}")


def refuse_argument(name: str, argument: str | None) -> None:
    """Refuse an argument to an agent that takes none.

    Raises:
        InputError: An argument is given.
    """
    if argument is not None:
        raise InputError(f"the agent {name} takes no argument, not {argument!r}")


def check_seed(seed: Any) -> int:
    """Check a seed, and return it.

    Raises:
        InputError: It is not a whole number of 0 or more.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"a seed is a whole number of 0 or more, not {shown(seed)}")
    return int(seed)


def digests(game: Game, agents: Iterable[str]) -> dict[str, str]:
    """Checksums of the files that agents are made from, by the agents' texts.

    Args:
        game: Game that they play.
        agents: Texts of agents, or names of agent objects, whose files are unknown.
    """
    found: dict[str, str] = {}
    for agent in agents:
        try:
            files = set(traits_of(game, agent).files)
        except InputError:
            files = set[Path]()  # an object of that name played
        if files:
            content = b"".join(file.read_bytes() for file in sorted(files))
            found[agent] = hashlib.sha256(content).hexdigest()[:16]
    return found


def files_of(path: str | Path | None) -> tuple[Path, ...]:
    """Files behind a path that an agent is given, for `Traits`; none if there is no path.

    These are the file itself; for a network or a folder, all networks in the folder, since they
    play together.
    """
    if path is None:
        return ()
    path = Path(path)
    if path.is_file() and path.suffix != NETWORK:
        return (path,)
    folder = path.parent if path.is_file() else path
    return tuple(sorted(folder.glob(f"*{NETWORK}")))
