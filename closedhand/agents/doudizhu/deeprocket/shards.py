"""Games of Dou Dizhu between agents as Parquet shards, the records that networks learn from.

A shard holds 10,000 games, one per row: `deal` (packed hands of 17 by seat, then the public cards),
`actions` (flat ids, passes included) and `agents` (by seat). Its schema stores the settings of the
games. Deal i depends only on the seed and i, and new agents are created for every `CHUNK` of games.
The shards are therefore the same for any number of processes and after interruptions.
"""

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.agents.doudizhu.deeprocket import recorded
from closedhand.agents.doudizhu.limits import check_plain
from closedhand.core.checks import check_deals, check_seed
from closedhand.core.duplicate import Spec, match_settings, play_out, start
from closedhand.core.files import write_arrays, write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.parsing import check_fields
from closedhand.core.reading import json_in, read_arrays
from closedhand.core.run import check_same, work_off
from closedhand.core.workers import Workers, check_workers
from closedhand.games.doudizhu.state import SEATS

SHARD = 10_000
"""Games per shard; the last shard may have fewer."""
CHUNK = 500
"""Games played in lockstep; divides `SHARD`."""
TOGETHER = 50
"""Shards per pool of processes; their results are held in memory until they are written."""


class Played(NamedTuple):
    """Finished games."""

    deals: np.ndarray  # packed hands of 17 by seat and the public cards, uint64 [n, 4]
    actions: np.ndarray  # of all games, concatenated, uint16
    lengths: np.ndarray  # number of actions of each game, int64 [n]
    agents: np.ndarray  # index of the agent at each seat, int64 [n, 3]


def play_games(game: Game, specs: Sequence[Spec], seed: int, deals: range) -> Played:
    """Play the deals of some numbers once; each side is played by an agent drawn by the seed.

    An agent that is listed twice is drawn twice as often.

    Raises:
        InputError: An agent is unknown, or chose an illegal action.
    """
    names = agent_names(specs)
    different = list(dict.fromkeys(names))
    agents, states = start(game, [specs[names.index(name)] for name in different], seed, deals)
    sides = len(set(game.sides))
    rng = np.random.default_rng((seed, deals.start, 2))
    drawn = rng.integers(len(names), size=(len(deals), sides))[:, list(game.sides)]
    seats = np.array([different.index(name) for name in names])[drawn]
    dealt = recorded.deals_of(states)
    play_out(game, states, seats, agents)
    lengths = states["moves"].astype(np.int64)
    made = np.arange(states["history"].shape[1]) < lengths[:, None]
    return Played(dealt, states["history"][made], lengths, drawn)


def agent_names(specs: Sequence[Spec]) -> list[str]:
    """List the names of agents."""
    return [spec if isinstance(spec, str) else spec.name for spec in specs]


def generate(
    game: Game,
    agents: Sequence[Spec],
    games: int,
    seed: int,
    folder: Path,
    workers: Workers = 1,
    progress: Callable[[int], object] = lambda games: None,
) -> list[Path]:
    """Play games and write them as shards; return their paths. Complete shards are kept.

    Args:
        game: Dou Dizhu, flat and without bidding.
        agents: Agents, by name or as objects (picklable ones if there are several workers). The
            landlord and the peasants are each played by one of them, drawn for every game.
        games: Number of games.
        seed: Seed of the deals, the agents and their assignment to sides.
        folder: Folder for the shards `games-00000.parquet` and so on.
        workers: Number of processes, where 1 is the current process alone; or a `RemoteWorkers`.
        progress: Called with the number of games finished so far.

    Raises:
        InputError: The game is not supported, an agent is unknown, or the folder holds shards or
            saved games of other settings.
        KeyboardInterrupt: The generation was interrupted; the games played are kept, and the same
            call resumes.
    """
    check(game, agents, seed, workers)
    paths = paths_of(folder, games)
    settings = match_settings(game, agent_names(agents), seed)
    ranges = [range(i, min(i + SHARD, games)) for i in range(0, games, SHARD)]
    for path in shards_in(folder):
        check_same(path, recorded.settings_of(path), settings)
    writer = Writer(agent_names(agents), settings)
    for path, deals in zip(paths, ranges, strict=True):
        if path.exists() and recorded.rows_of(path) >= len(deals):
            # The file remains if the process was killed just after it wrote the shard.
            begun_of(path).unlink(missing_ok=True)
        else:
            writer.add(path, deals)
    progress(games - writer.missing)

    def take(played: Played) -> None:
        writer.take(played)
        progress(games - writer.missing)

    while writer.missing:
        chunks = writer.chunks(TOGETHER)
        jobs = [(game, agents, seed, chunk) for chunk in chunks]
        first = [(game, agents, seed, chunks[0][:1])]
        left = writer.missing - sum(map(len, chunks))
        work_off(play_games, jobs, first, workers, take, lambda: writer, Writer.save)
        if writer.missing > left:
            writer.save()
            raise KeyboardInterrupt
    return paths


class Writer:
    """Writer of shards, from games of the agents `names` with `settings` that arrive in order.

    The games of an unfinished shard can be saved beside it, in a file such as
    `games-00000.begun.npz`.
    """

    def __init__(self, names: Sequence[str], settings: dict[str, Any]) -> None:
        self._names = names
        self._settings = settings
        self._shards: list[tuple[Path, range, list[Played]]] = []

    def add(self, path: Path, deals: range) -> None:
        """Append a missing shard, and continue from its saved games if there are any."""
        kept = begun_of(path)
        played = [self._read(kept)] if kept.exists() else []
        # An earlier call may have asked for more games and saved them.
        self._shards.append((path, deals, played if _number(played) < len(deals) else []))

    @property
    def missing(self) -> int:
        """The number of missing games."""
        return sum(len(deals) - _number(played) for _, deals, played in self._shards)

    def chunks(self, shards: int) -> list[range]:
        """List the deals still to play for the next `shards` missing shards, in chunks."""
        return [
            deals[begin : begin + CHUNK]
            for _, deals, played in self._shards[:shards]
            for begin in range(_number(played), len(deals), CHUNK)
        ]

    def take(self, played: Played) -> None:
        """Add a chunk to the first missing shard; write the shard if it is complete."""
        path, deals, parts = self._shards[0]
        parts.append(played)
        if _number(parts) == len(deals):
            write_shard(path, parts, self._names, self._settings)
            begun_of(path).unlink(missing_ok=True)
            del self._shards[0]

    def save(self) -> None:
        """Save the games of the unfinished shard."""
        if self._shards and self._shards[0][2]:
            path, _, parts = self._shards[0]
            settings = {**self._settings, "chunk": CHUNK}
            write_arrays(begun_of(path), joined(parts)._asdict(), {"settings": settings})

    def _read(self, path: Path) -> Played:
        arrays = read_arrays(path)
        try:
            found = check_fields(json_in(arrays, "settings"), "settings", {})
            del arrays["settings"]
            played = Played(**arrays)
            self._check(played)
        except (InputError, TypeError):
            raise InputError(f"{path} holds nothing to resume: delete it") from None
        check_same(path, found, {**self._settings, "chunk": CHUNK})
        return played

    def _check(self, played: Played) -> None:
        """Refuse arrays of other shapes or types."""
        n, moves = len(played.deals), len(played.actions)
        forms = [("u8", (n, 4)), ("u2", (moves,)), ("i8", (n,)), ("i8", (n, SEATS))]
        found = [(each.dtype.str[1:], each.shape) for each in played]
        if found != forms or (played.lengths < 0).any() or played.lengths.sum() != moves:
            raise InputError("the arrays are not those of games")
        if not ((played.agents >= 0) & (played.agents < len(self._names))).all():
            raise InputError("there is no such agent")


def paths_of(folder: Path, games: int) -> list[Path]:
    """List the paths of the shards of a number of games; refuse too many games."""
    check_deals(games, "a folder of shards")
    return [Path(folder) / f"games-{i:05}.parquet" for i in range(-(-games // SHARD))]


def shards_in(folder: Path) -> list[Path]:
    """List the shards of a folder."""
    return sorted(Path(folder).glob("games-*.parquet"))


def begun_of(path: Path) -> Path:
    """Return the path of the file with the games of an incomplete shard."""
    return path.with_suffix(".begun.npz")


def _number(parts: Sequence[Played]) -> int:
    return sum(len(part.deals) for part in parts)


def joined(parts: Sequence[Played]) -> Played:
    """Concatenate pieces of games."""
    return Played(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def check(game: Game, agents: Sequence[Spec], seed: int, workers: Workers) -> None:
    """Raise an `InputError` if `generate` does not support these arguments or lacks `pyarrow`."""
    recorded.arrow()  # raises if it is not installed
    if game.name != "doudizhu":
        raise InputError(f"shards hold games of doudizhu, not of {game.name}")
    check_plain(game, "a shard")
    if game.options["substeps"]:
        raise InputError("a shard is for games without substeps: it holds flat actions")
    if game.rules.plays.shuttles:
        raise InputError("the networks that learn from shards know no shuttles: not rules=botzone")
    if not agents:
        raise InputError("shards need at least one agent")
    check_seed(seed)
    check_workers(workers)


def write_shard(
    path: Path, parts: Sequence[Played], names: Sequence[str], settings: dict[str, Any]
) -> None:
    """Write some games as a shard, atomically."""
    pyarrow = recorded.arrow()
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
    table = pyarrow.table(columns).replace_schema_metadata(
        {recorded.METADATA: json.dumps(settings)}
    )
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    write_atomically(path, buffer.getvalue())
