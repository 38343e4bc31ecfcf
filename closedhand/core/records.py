"""Records of games, a line each: a JSON object for any `Game`, or text in a game's own notation.

A line of JSON starts with `{`. It needs the keys `game`, `rules`, `actions`, and `deal` or `seed`,
and may have those of the further attributes of `Record`; any other key goes into `extra`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import prefixed
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import (
    NATURAL,
    NUMBER,
    OPTIONS,
    TEXT,
    check_fields,
    list_of,
    parse_json,
)
from closedhand.core.reading import lines
from closedhand.core.registry import GAMES, equal, flat_game, load, make_game, spec_of
from closedhand.core.version import __version__


@dataclass(frozen=True)
class Record:
    """One game from its deal to its last recorded action.

    Attributes:
        rules: Options of `make_game`.
        actions: Notation of every action, in order.
        deal: Notation of the deal.
        seed: Seed of the deal where `deal` is absent, as for the environments' `reset(seed=…)`.
        agents: Names of the agents by player.
        returns: Stated payoffs by player.
        version: Version of the package that wrote the record.
        extra: All other keys of the record.
    """

    game: str
    rules: dict[str, Any]
    actions: tuple[str, ...]
    deal: str | None = None
    seed: int | None = None
    agents: tuple[str, ...] | None = None
    returns: tuple[float, ...] | None = None
    version: str | None = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def to_json(self) -> str:
        """Write one line of JSON: the attributes that are not None, and the keys of `extra`."""
        known = {k: v for k, v in vars(self).items() if k != "extra" and v is not None}
        return json.dumps({**known, **self.extra}, ensure_ascii=False)


NEEDED = {"game": TEXT, "rules": OPTIONS, "actions": list_of(TEXT)}
OPTIONAL = {
    "deal": TEXT,
    "seed": NATURAL,
    "agents": list_of(TEXT),
    "returns": list_of(NUMBER),
    "version": TEXT,
}


def from_json(line: str) -> Record:
    """Parse a record from a line of JSON.

    Raises:
        InputError: The line is not JSON, lacks a key, or has a value of the wrong type.
    """
    data = check_fields(parse_json(line), "a record", NEEDED, OPTIONAL)
    if data.get("deal") is None and data.get("seed") is None:
        raise InputError("the record has neither 'deal' nor 'seed'")
    known = {key: data.pop(key, None) for key in (*NEEDED, *OPTIONAL)}
    for key in ("actions", "agents", "returns"):
        known[key] = tuple(known[key]) if known[key] is not None else None
    return Record(**known, extra=data)


def from_state(
    game: Game, state: State, agents: Iterable[str] | None = None, **extra: Any
) -> Record:
    """Make the record of a game that is in progress or over, from its full state.

    The record begins at the last deal, and has complete plays even of a game in sub-steps. `agents`
    are names by seat; `extra` are further keys, with JSON values.

    Raises:
        InputError: Players acted out of turn, as in a simultaneous game, or actions are hidden.
    """
    game = game.flat
    actions: list[str] = []
    replayed = game.parse_deal(game.deal_text(state))
    for action in game.history(state):
        if action < 0:
            raise InputError("a record needs a full state of a game whose players act in turn")
        actions.append(game.text(action, replayed))
        contract.play(game.rules, replayed, action)
    return Record(
        game.name,
        stated_options(game),
        tuple(actions),
        deal=game.deal_text(state),
        agents=tuple(agents) if agents is not None else None,
        returns=tuple(game.returns(state).tolist()) if game.over(state) else None,
        version=__version__,
        extra=extra,
    )


def stated_options(game: Game) -> dict[str, Any]:
    """Return the options for a record: no `Option.only_form`, no defaults of None, False or 0."""
    preset = {"rules": game.options["rules"]} if "rules" in game.options else {}
    defaults = make_game(game.name, **preset).options
    table = spec_of(game.name).option_table
    return {
        name: value
        for name, value in game.options.items()
        if (value not in (None, False) or value != defaults[name])
        and not (name in table and table[name].only_form)
    }


def start(game: Game, deal: str | None, seed: int | None) -> State:
    """Make the initial state of a game by the text of its deal, or by its seed if `deal` is None.

    Raises:
        InputError: The text is not a deal of the game.
    """
    return game.deal(np.random.default_rng(seed)) if deal is None else game.parse_deal(deal)


def replay(record: Record, before: Callable[[State], None] = lambda state: None) -> State:
    """Replay a record, and return the state at its end.

    `before` is called with the state before every action; it may raise an `InputError`.

    Raises:
        InputError: An unknown game or option, a text that is not a deal, an illegal action, or
            stated returns that differ from the game's or are of an unfinished game.
    """
    game = flat_game(record.game, record.rules)
    state = start(game, record.deal, record.seed)
    for number, text in enumerate(record.actions, 1):
        with prefixed(f"action {number}, {text}"):
            before(state)
            game.play(state, game.parse(text, state))
    if record.returns is not None:
        stated, returns = list(record.returns), game.returns(state).tolist()
        if not game.over(state):
            raise InputError(f"the record states returns {stated} of an unfinished game")
        if returns != stated:
            raise InputError(f"the record states returns {stated}, but the game gives {returns}")
    return state


def parse_line(line: str, game: str | None = None, **rules: Any) -> Record:
    """Parse a record from a line, JSON or a game's own notation.

    Args:
        line: Text of one record.
        game: Name of the game; None: as JSON states it, or the only one whose notation matches.
        **rules: Options of the game; those that a JSON line states must be equal.

    Raises:
        InputError: The line is no record of the game with these options. Or `game` is None, and the
            line is in the notation of no game, or of several.
    """
    if line.startswith("{"):
        return as_asked(from_json(line), game, **rules)
    name = game or _recognised(line)
    parse = spec_of(name).parse_record
    if parse is None:
        raise InputError(f"{name} has no notation of records: write them as JSON")
    return load(parse)(line, flat_game(name, rules))


def as_asked(record: Record, game: str | None = None, **rules: Any) -> Record:
    """Return a record; refuse one of another game than `game`, or of other rules than `rules`."""
    if game is not None and record.game != game:
        raise InputError(f"it is a record of {record.game}, not of {game}")
    if rules:
        own = flat_game(record.game, record.rules)
        kept, preset = record.rules, own.options.get("rules")
        if rules.get("rules", preset) != preset:
            # Options that a preset sets, which a record also states, must not override `rules`.
            presets = spec_of(record.game).option_table.presets.values()
            kept = {name: kept[name] for name in kept if not any(name in each for each in presets)}
        asked = flat_game(record.game, {**kept, **rules})
        others = [name for name, value in own.options.items() if value != asked.options[name]]
        # Options may differ as texts and still lead to the same rules.
        if others and not equal(own.rules, asked.rules):
            name = others[0]
            raise InputError(
                f"it was made with the option {name}={own.options[name]}, not "
                f"{name}={asked.options[name]}"
            )
    return record


def _recognised(line: str) -> str:
    found = [
        name
        for name, spec in GAMES.items()
        if spec.line_notation and re.match(spec.line_notation, line.strip(), re.IGNORECASE)
    ]
    if len(found) > 1:
        games = " and of ".join(found)
        raise InputError(f"{line[:20]!r} is in the notation of {games}: name the game, or use JSON")
    if not found:
        raise InputError(f"{line[:20]!r} is neither JSON nor the beginning of any game's notation")
    return found[0]


@dataclass
class Replay:
    """Outcome of replaying one line of a file, or one round of a log.

    It is a context manager, which turns an `InputError` into its `error`. A reader is a loop of::

        with Replay(number, unit="round") as found:
            found.replay(record_of(part))
        yield found

    Attributes:
        line: Number of the line or round; lines count from 1.
        record: The record, if there is one.
        returns: Payoffs by player, if the game was played to its end.
        error: Why the record is malformed, illegal or has a wrong result.
        unit: Name of the thing that `line` counts.
        detail: Remark on the replay for people, such as why no record can hold a legal game.
    """

    line: int
    record: Record | None = None
    returns: tuple[float, ...] | None = None
    error: str | None = None
    unit: str = "line"
    detail: str = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, wrong: object, trace: object) -> bool:
        if isinstance(wrong, InputError):
            self.returns, self.error = None, f"{self.unit} {self.line}: {wrong}"
        return isinstance(wrong, InputError)

    def replay(self, record: Record, before: Callable[[State], None] = lambda state: None) -> State:
        """Replay a record as the function `replay` does; set `record`, and `returns` if over."""
        self.record = record
        state, game = replay(record, before), flat_game(record.game, record.rules)
        if game.over(state):
            self.returns = tuple(game.returns(state).tolist())
        return state


@dataclass(frozen=True)
class LogReader:
    """Functions that read and write the logs of another program.

    Attributes:
        name: Display name of such a log.
        recognises: Function that returns whether a file is such a log.
        replay: Function that replays every game of a file.
        suffix: Suffix of written files, such as `.log`; None: logs are only read.
        text: Function that writes records as the text of a log; None: logs are only read.
    """

    name: str
    recognises: Callable[[Path], bool]
    replay: Callable[[Path], Iterator[Replay]]
    suffix: str | None = None
    text: Callable[[Iterable[Record]], str] | None = None

    def records(self, path: Path) -> list[Record]:
        """Read the games of a file as records.

        Raises:
            InputError: The file cannot be read, or a game in it is malformed, breaks the rules, or
                cannot be held by a record.
        """
        found: list[Record] = []
        for each in self.replay(path):
            if each.record is None or each.error is not None:
                error = each.error or f"{each.unit} {each.line}: {each.detail}"
                raise InputError(f"{path}, {error}")
            found.append(each.record)
        return found


def log_readers() -> list[LogReader]:
    """Return the readers of other programs' logs, of all games."""
    return [load(ref) for spec in GAMES.values() for ref in spec.readers]


def reader_of(path: Path) -> LogReader | None:
    """Find the reader that recognises a file; None if there is none."""
    return next((reader for reader in log_readers() if reader.recognises(path)), None)


def replay_file(path: Path, game: str | None = None, **rules: Any) -> Iterator[Replay]:
    """Replay every record of a file, line by line, or every game of a log of another program.

    Blank lines and `#` comments are skipped. `game` and `rules` are as for `parse_line`. A wrong
    record raises nothing: its `Replay` has the `error`.

    Raises:
        InputError: The file cannot be read as text.
    """
    reader = reader_of(path)
    if reader is not None:
        for each in reader.replay(path):
            if each.record is not None and each.error is None:
                with each:
                    as_asked(each.record, game, **rules)
            yield each
        return
    for number, line in lines(path):
        with Replay(number) as found:
            found.replay(parse_line(line, game, **rules))
        yield found


def read(path: Path, game: str | None = None, **rules: Any) -> Iterator[Record]:
    """Read the records of a file, a line each, one at a time; gzip is recognised.

    Raises:
        InputError: The file cannot be read, or `parse_line` refuses a line, whose number is stated.
    """
    for number, line in lines(path):
        with prefixed(f"{path}, line {number}"):
            yield parse_line(line, game, **rules)


def write(path: Path, records: Iterable[Record]) -> None:
    """Write records as JSON lines, the whole file or none."""
    write_atomically(path, "".join(record.to_json() + "\n" for record in records))
