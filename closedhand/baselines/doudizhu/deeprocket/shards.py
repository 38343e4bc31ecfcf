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

from closedhand.arena.results import settings as settings_of_match
from closedhand.baselines.doudizhu.deeprocket.recorded import METADATA, arrow, deals_of, settings_of
from closedhand.core.duel import Spec, play_out, start
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.workers import results_of

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
        KeyboardInterrupt: Interrupted; complete shards are written, and the same call goes on.
    """
    check(game, agents, games, seed, workers)
    settings = settings_of_match(game, agent_names(agents), seed)
    starts = range(0, games, SHARD)
    ranges = [range(begin, min(begin + SHARD, games)) for begin in starts]
    paths = [Path(folder) / f"games-{i:05}.parquet" for i in range(len(ranges))]
    for path in sorted(Path(folder).glob("games-*.parquet")):
        check_same(path, settings)
    missing = [
        (path, deals)
        for path, deals in zip(paths, ranges, strict=True)
        if not (path.exists() and rows_of(path) >= len(deals))
    ]
    done = games - sum(len(deals) for _, deals in missing)
    progress(done)
    for i in range(0, len(missing), TOGETHER):
        part = missing[i : i + TOGETHER]
        chunks = [
            deals[begin : begin + CHUNK]
            for _, deals in part
            for begin in range(0, len(deals), CHUNK)
        ]
        jobs = [(game, agents, seed, chunk) for chunk in chunks]
        first = [(game, agents, seed, chunks[0][:1])]
        waiting: list[Played] = []
        todo = iter(part)
        path, deals = next(todo)
        for played in results_of(play_games, jobs, first, min(workers, len(jobs))):
            waiting.append(played)
            done += len(played.deals)
            progress(done)
            if sum(len(each.deals) for each in waiting) == len(deals):
                write_shard(path, waiting, agent_names(agents), settings)
                waiting = []
                path, deals = next(todo, (path, deals))
    return paths


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


def check_same(path: Path, wanted: dict[str, Any]) -> None:
    """Refuse a shard that was generated with other settings.

    Raises:
        InputError: It was, or it is no shard.
    """
    found = settings_of(path)
    for key, value in wanted.items():
        if found.get(key) != value:
            raise InputError(f"{path} was generated with {key} {found.get(key)}, not {value}")


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
    deals, actions, lengths, agents = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
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
