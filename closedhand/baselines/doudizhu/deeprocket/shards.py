"""Games of Dou Dizhu between agents as Parquet shards: the records that networks learn from.

A shard holds 10,000 games, a row each: `deal` (packed hands of 17 by seat, then the public cards),
`actions` (flat ids, passes included) and `agents` (by seat). What they were played with stands in
its schema. Deal i comes from the seed and its number, agents are made anew for every `CHUNK` of
games: the shards depend neither on the number of processes nor on interruptions.
"""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.baselines.doudizhu.deeprocket.recorded import METADATA, arrow, deals_of, settings_of
from closedhand.core.duel import Spec, match_settings, play_out, start
from closedhand.core.files import read_arrays, write_arrays, write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.run import check_same, work_off

SHARD = 10_000
"""Games of a shard; the last one may have fewer."""
CHUNK = 500
"""Games that are played side by side; a part of `SHARD`."""
TOGETHER = 50
"""Shards that the same processes work on: what they return waits in memory."""


class Played(NamedTuple):
    """Some games.

    Attributes:
        deals: uint64 [n, 4].
        actions: Of all games in a row, uint16.
        lengths: Actions of each game, int64 [n].
        agents: The agent at each seat, as an index, int64 [n, 3].
    """

    deals: np.ndarray
    actions: np.ndarray
    lengths: np.ndarray
    agents: np.ndarray


def play_games(game: Game, specs: Sequence[Spec], seed: int, deals: range) -> Played:
    """Play each deal once, every side by one of the agents, drawn by the seed.

    Args:
        game: Dou Dizhu, flat and without bidding.
        specs: Agents; one that stands there twice is drawn twice as often.
        seed: Of deals, agents and who plays.
        deals: Numbers of the deals.

    Raises:
        InputError: An unknown agent, or one that chose an illegal action.
    """
    names = agent_names(specs)
    different = list(dict.fromkeys(names))
    agents, states = start(game, [specs[names.index(name)] for name in different], seed, deals)
    sides = len(set(game.sides))
    rng = np.random.default_rng((seed, deals.start, 2))
    drawn = rng.integers(len(names), size=(len(deals), sides))[:, list(game.sides)]
    seats = np.array([different.index(name) for name in names])[drawn]
    dealt = deals_of(states)
    play_out(game, states, seats, agents)
    lengths = states["moves"].astype(np.int64)
    made = np.arange(states["history"].shape[1]) < lengths[:, None]
    return Played(dealt, states["history"][made], lengths, drawn)


def agent_names(specs: Sequence[Spec]) -> list[str]:
    """The names of agents."""
    return [spec if isinstance(spec, str) else spec.name for spec in specs]


def generate(
    game: Game,
    agents: Sequence[Spec],
    games: int,
    seed: int,
    folder: Path,
    workers: int = 1,
    progress: Callable[[int], object] = lambda games: None,
) -> list[Path]:
    """Play games and write them as shards; those that are there already are kept, also more.

    Args:
        game: Dou Dizhu, flat and without bidding.
        agents: By name or as objects (with several workers such as can be pickled). Landlord and
            peasants are each played by one of them, drawn for every game.
        games: How many.
        seed: Of deals, agents and who plays.
        folder: For the shards `games-00000.parquet` and so on.
        workers: Processes; 1 plays in this one.
        progress: Called with the number of games finished so far.

    Returns:
        The paths of the shards.

    Raises:
        InputError: Another game, an unknown agent, or shards of other settings in the folder.
        KeyboardInterrupt: Interrupted; what was played is kept, and the same call goes on.
    """
    check(game, agents, games, seed, workers)
    settings = match_settings(game, agent_names(agents), seed)
    starts = range(0, games, SHARD)
    ranges = [range(begin, min(begin + SHARD, games)) for begin in starts]
    paths = [Path(folder) / f"games-{i:05}.parquet" for i in range(len(ranges))]
    for path in sorted(Path(folder).glob("games-*.parquet")):
        check_same(path, settings_of(path), settings)
    writer = Writer(agent_names(agents), settings)
    for path, deals in zip(paths, ranges, strict=True):
        if not (path.exists() and rows_of(path) >= len(deals)):
            writer.add(path, deals)
    done = games - writer.missing
    progress(done)

    def take(played: Played) -> None:
        nonlocal done
        done += len(played.deals)
        writer.take(played)
        progress(done)

    while writer.missing:
        jobs = [(game, agents, seed, chunk) for chunk in writer.chunks(TOGETHER)]
        first = [(game, agents, seed, jobs[0][-1][:1])]
        if work_off(play_games, jobs, first, workers, take, writer.save):
            raise KeyboardInterrupt
    return paths


class Writer:
    """Writes shards of games that come in their order; what a shard has of them so far is kept.

    Games of a shard under way lie in a file beside it, `games-00000.begun.npz`.
    """

    def __init__(self, names: Sequence[str], settings: dict[str, Any]) -> None:
        """Write games of the agents `names`, which were played with `settings`."""
        self._names = names
        self._settings = settings
        self._shards: list[tuple[Path, range, list[Played]]] = []

    def add(self, path: Path, deals: range) -> None:
        """A shard is missing behind the others; games of it that were kept are gone on with.

        Raises:
            InputError: They are of other settings, or cannot be read.
        """
        kept = path.with_suffix(".begun.npz")
        played = [self._read(kept)] if kept.exists() else []
        # More may be kept than are wanted now.
        self._shards.append((path, deals, played if _number(played) < len(deals) else []))

    @property
    def missing(self) -> int:
        """How many games are missing."""
        return sum(len(deals) - _number(played) for _, deals, played in self._shards)

    def chunks(self, shards: int) -> list[range]:
        """The deals to be played next, of so many shards at most."""
        return [
            deals[begin : begin + CHUNK]
            for _, deals, played in self._shards[:shards]
            for begin in range(_number(played), len(deals), CHUNK)
        ]

    def take(self, played: Played) -> None:
        """Add a chunk to the first shard that is missing; write that if it is complete."""
        path, deals, parts = self._shards[0]
        parts.append(played)
        if _number(parts) == len(deals):
            write_shard(path, parts, self._names, self._settings)
            path.with_suffix(".begun.npz").unlink(missing_ok=True)
            del self._shards[0]

    def save(self) -> None:
        """Keep the games of the shard under way."""
        if self._shards and self._shards[0][2]:
            path, _, parts = self._shards[0]
            arrays = joined(parts)._asdict()
            settings = np.array(json.dumps({**self._settings, "chunk": CHUNK}))
            write_arrays(path.with_suffix(".begun.npz"), {**arrays, "settings": settings})

    def _read(self, path: Path) -> Played:
        arrays = read_arrays(path)
        try:
            found = json.loads(str(arrays.pop("settings")))
            played = Played(**arrays)
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path} holds nothing that can be continued") from None
        check_same(path, found, {**self._settings, "chunk": CHUNK})
        return played


def _number(parts: Sequence[Played]) -> int:
    return sum(len(part.deals) for part in parts)


def joined(parts: Sequence[Played]) -> Played:
    """Several pieces of games as one."""
    return Played(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def check(game: Game, agents: Sequence[Spec], games: int, seed: int, workers: int) -> None:
    """Refuse what cannot be generated.

    Raises:
        InputError: It cannot.
    """
    arrow()
    if game.name != "doudizhu":
        raise InputError(f"shards are of doudizhu, not of {game.name}")
    for option in ("bidding", "substeps"):
        if game.options[option]:
            raise InputError(f"shards are of games without {option}: flat actions, seat 0 landlord")
    if not agents or games < 1 or workers < 1 or seed < 0:
        raise InputError("shards take an agent, a game and a worker at least, and a seed from 0")


def rows_of(path: Path) -> int:
    """How many games a shard holds."""
    return arrow().parquet.read_metadata(path).num_rows


def write_shard(
    path: Path, parts: Sequence[Played], names: Sequence[str], settings: dict[str, Any]
) -> None:
    """Write some games as a shard; it appears complete or not at all.

    Raises:
        InputError: It cannot be written there, or pyarrow is not installed.
    """
    pyarrow = arrow()
    deals, actions, lengths, agents = joined(parts)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    seats = np.array(names, object)[agents]
    seat_offsets = np.arange(0, seats.size + 1, seats.shape[1], dtype=np.int32)
    columns = {
        "deal": pyarrow.FixedSizeListArray.from_arrays(
            pyarrow.array(deals.ravel(), pyarrow.uint64()), 4
        ),
        "actions": pyarrow.ListArray.from_arrays(
            pyarrow.array(offsets), pyarrow.array(actions, pyarrow.uint16())
        ),
        "agents": pyarrow.ListArray.from_arrays(
            pyarrow.array(seat_offsets), pyarrow.array(seats.ravel(), pyarrow.string())
        ),
    }
    table = pyarrow.table(columns).replace_schema_metadata({METADATA: json.dumps(settings)})
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    write_atomically(path, buffer.getvalue())
