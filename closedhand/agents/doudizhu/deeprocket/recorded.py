"""Recorded games of Dou Dizhu in memory, from Parquet shards (`shards.py`) or lines of text."""

import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.agents.doudizhu.limits import check_plain
from closedhand.core.checks import prefixed
from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import needing
from closedhand.core.parsing import OPTIONS, TEXT, check_fields, parse_json
from closedhand.core.reading import MOST_DATA, beyond, limit, reading
from closedhand.core.records import read as read_records, replay, start
from closedhand.core.registry import flat_game, make_game
from closedhand.games.doudizhu.state import SEATS, STATE

METADATA = b"closedhand"
"""Key of the settings, JSON, in the schema of a shard."""
ROW = 64
"""Least number of bytes of a row of a shard, without its actions."""


class Games(NamedTuple):
    """Recorded games."""

    game: Game  # with sub-steps
    deals: np.ndarray  # packed hands of 17 by seat and the public cards, uint64 [n, 4]
    actions: np.ndarray  # flat ids of all games, concatenated, passes included, uint16
    offsets: np.ndarray  # of the actions of each game, and the end of the last, int64 [n + 1]
    seats: np.ndarray  # seats whose decisions count, bit i for seat i, uint8 [n]

    def digest(self) -> str:
        """Compute a checksum of all fields except `game`, 16 hexadecimal digits."""
        found = hashlib.sha256()
        for part in self[1:]:
            found.update(part.tobytes())
        return found.hexdigest()[:16]


def read(path: Path, expert: str | None = None) -> Games:
    """Read recorded games.

    Args:
        path: Folder of shards, one shard (`.parquet`), or a file of records in the paper's notation
            or as JSON lines.
        expert: Name of the only agent whose decisions count; None: all agents.

    Raises:
        InputError: There is nothing to read, a file holds something else, a game of a text is
            illegal (`pairs.index` checks those of shards), the games differ in their rules or are
            not plain (`check_plain`), no game has the expert, or `pyarrow` is missing.
    """
    path = Path(path)
    shards = sorted(path.glob("*.parquet")) if os.path.isdir(path) else [path]
    if not shards:
        raise InputError(f"no shards (*.parquet) in {path}")
    read_one = read_shard if shards[0].suffix == ".parquet" else read_text
    parts = [read_one(shard, expert) for shard in shards]
    for shard, part in zip(shards, parts, strict=True):
        if part.game is not parts[0].game:
            own, first = (each.game.options["rules"] for each in (part, parts[0]))
            raise InputError(f"{shard} holds games with rules={own}, {shards[0]} with {first}")
    games = join(parts)
    if not games.seats.any():
        what = f"no agent {expert!r} plays" if expert else "no games"
        raise InputError(f"{what} in {path}")
    return games


def join(parts: list[Games]) -> Games:
    """Concatenate games of the same rules."""
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    return Games(
        parts[0].game,
        np.concatenate([part.deals for part in parts]),
        np.concatenate([part.actions for part in parts]),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([part.seats for part in parts]),
    )


def bound_game(path: Path, name: str, options: Any) -> Game:
    """Make the sub-stepped game of records, with only the options that affect legal actions.

    Raises:
        InputError: The game is not Dou Dizhu, or not a plain one (`check_plain`).
    """
    if name != "doudizhu":
        raise InputError(f"{path} holds games of {name}: the networks play doudizhu")
    game = flat_game(name, options)
    check_plain(game, f"{path} holds other games: learning")
    return make_game(name, rules=game.options["rules"], substeps=True)


def arrow() -> Any:
    """Import `pyarrow` with its `parquet`; an `InputError` if it is not installed."""
    with needing():
        import pyarrow
        import pyarrow.parquet
    return pyarrow


@contextmanager
def opened(path: Path) -> Generator[Any]:
    """Open a shard as a `pyarrow.parquet.ParquetFile`, in a `with` block.

    Raises:
        InputError: The file cannot be read, would unpack to too many bytes, or reading it in the
            block has failed.
    """
    pyarrow = arrow()
    try:
        with reading(path), open(path, "rb") as source:
            file = pyarrow.parquet.ParquetFile(source)
            about = file.metadata
            unpacked = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
            if max(unpacked, ROW * about.num_rows) > limit(MOST_DATA):
                raise beyond(path, "it unpacks to", MOST_DATA)
            yield file
    except (pyarrow.ArrowException, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a shard of games: {error}") from None


def settings_of(path: Path) -> dict[str, Any]:
    """Read the settings of a shard; errors are those of `opened`."""
    with opened(path) as file:
        text = file.schema_arrow.metadata[METADATA].decode()
        return check_fields(parse_json(text), "a shard", {"game": TEXT, "options": OPTIONS})


def rows_of(path: Path) -> int:
    """Read the number of games in a shard; errors are those of `opened`."""
    with opened(path) as file:
        return file.metadata.num_rows


def read_shard(path: Path, expert: str | None) -> Games:
    """Read one shard, for `read`."""
    settings = settings_of(path)
    game = bound_game(path, settings["game"], settings["options"])
    deals, actions, offsets, names = columns_of(path)
    return Games(game, deals, actions, offsets, seats_of(names, expert))


def columns_of(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Read deals, actions and offsets of a shard, as in `Games`, and agents by seat, [n, 3].

    Errors are those of `opened`.
    """
    pyarrow = arrow()
    columns = {
        "deal": pyarrow.list_(pyarrow.uint64(), 4),
        "actions": pyarrow.list_(pyarrow.uint16()),
        "agents": pyarrow.list_(pyarrow.string()),
    }
    with opened(path) as file:
        table = file.read(list(columns))
        if {field.name: field.type for field in table.schema} != columns:
            raise InputError(
                f"{path} is not a shard of games: its columns are {table.schema.types}"
            )
        deals, actions, agents = lists = [table[name].combine_chunks() for name in columns]
        whole = all(each.null_count == each.flatten().null_count == 0 for each in lists)
        if not whole or (np.diff(agents.offsets.to_numpy()) != SEATS).any():
            raise InputError(f"{path} is not a shard of games: something is missing in its rows")
        return (
            deals.flatten().to_numpy().reshape(-1, 4),
            actions.flatten().to_numpy(),
            actions.offsets.to_numpy().astype(np.int64) - actions.offsets[0].as_py(),
            agents.flatten().to_numpy(zero_copy_only=False).reshape(-1, SEATS),
        )


def seats_of(names: np.ndarray, expert: str | None) -> np.ndarray:
    """Make `Games.seats`, uint8 [n], from agents' names by seat, [n, 3], and `expert` of `read`."""
    counted = np.full(names.shape, True) if expert is None else names == expert
    return (counted.astype(bool) << np.arange(SEATS)).sum(axis=1).astype(np.uint8)


def read_text(path: Path, expert: str | None) -> Games:
    """Read records, one per line, for `read`."""
    parts = []
    for number, record in enumerate(read_records(path), 1):
        game = bound_game(path, record.game, record.rules)
        names = np.array([record.agents or [""] * SEATS], object)
        with prefixed(f"{path}, record {number}"):
            if parts and game is not parts[0].game:
                raise InputError("its rules differ from those of the first record")
            dealt = start(flat_game(record.game, record.rules), record.deal, record.seed)
            deals, state = deals_of(np.array([dealt], STATE)), replay(record)
            if names.shape != (1, SEATS):
                raise InputError(f"agents must be {SEATS} names")
        actions = state.history[: state.moves].astype(np.uint16)
        offsets = np.array([0, len(actions)], np.int64)
        parts.append(Games(game, deals, actions, offsets, seats_of(names, expert)))
    if not parts:
        raise InputError(f"no games in {path}")
    return join(parts)


def deals_of(states: np.ndarray) -> np.ndarray:
    """Extract the hands of 17 and public cards of new games (landlord: seat 0), uint64 [n, 4]."""
    deals = np.concatenate([states["hands"], states["public"][:, None]], axis=1)
    deals[:, 0] -= deals[:, 3]
    return deals
