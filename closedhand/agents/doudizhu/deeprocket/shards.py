"""Games of Dou Dizhu between agents as Parquet shards, the records that networks learn from.

A shard holds 10,000 games, one per row: `deal` (packed hands of 17 by seat, then the public cards),
`actions` (flat ids, passes included) and `agents` (by seat). Its schema stores the settings of the
games. Deal i depends only on the seed and i, and every `CHUNK` of games has new agents. Shards are
therefore the same for any number of processes and after interruptions. An interruption leaves a
shard with the games played so far.
"""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.agents.doudizhu.deeprocket import recorded
from closedhand.agents.doudizhu.limits import check_plain
from closedhand.core.checks import check_deals, check_seed
from closedhand.core.duplicate import match_settings, play_out, start
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.run import check_same, work_off
from closedhand.core.workers import Workers, check_workers

SHARD = 10_000
"""Games per shard; the last shard may have fewer."""
CHUNK = 500
"""Games played in lockstep; divides `SHARD`."""


class Played(NamedTuple):
    """Finished games."""

    deals: np.ndarray  # packed hands of 17 by seat and the public cards, uint64 [n, 4]
    actions: np.ndarray  # flat ids of all games, concatenated, uint16
    lengths: np.ndarray  # number of actions of each game, int64 [n]
    agents: np.ndarray  # index of the agent at each seat, int64 [n, 3]


def play_games(game: Game, names: Sequence[str], seed: int, deals: range) -> Played:
    """Play the deals numbered `deals` once; the agent of each side is drawn by the seed.

    Raises:
        InputError: An agent is unknown, or chose an illegal action.
    """
    different = list(dict.fromkeys(names))
    agents, states = start(game, different, seed, deals)
    sides = len(set(game.sides))
    rng = np.random.default_rng((seed, deals.start, 2))
    drawn = rng.integers(len(names), size=(len(deals), sides))[:, list(game.sides)]
    seats = np.array([different.index(name) for name in names])[drawn]
    dealt = recorded.deals_of(states)
    play_out(game, states, seats, agents)
    lengths = states["moves"].astype(np.int64)
    made = np.arange(states["history"].shape[1]) < lengths[:, None]
    return Played(dealt, states["history"][made], lengths, drawn)


def generate(
    game: Game,
    agents: Sequence[str],
    games: int,
    seed: int,
    folder: Path,
    workers: Workers = 1,
    progress: Callable[[int], object] = lambda games: None,
) -> list[Path]:
    """Play games and write them as shards; return their paths. Games in the folder are kept.

    The game is Dou Dizhu, flat and without bidding. The landlord and the peasants are each played
    by one of the agents, drawn for every game. The seed determines the deals, these draws and what
    agents draw. `progress` is called with the number of games finished so far.

    Raises:
        InputError: An argument is refused (see `check`), an agent is unknown or chose an illegal
            action, or the folder cannot be written or holds games of other settings.
        KeyboardInterrupt: The generation was interrupted; the games played are kept, and the same
            call resumes.
    """
    check(game, agents, seed, workers)
    paths, settings = paths_of(folder, games), match_settings(game, agents, seed)
    for path in shards_in(folder):
        check_same(path, recorded.settings_of(path), settings)
    shards: list[Shard] = []
    for path, begin in zip(paths, range(0, games, SHARD), strict=True):
        deals = range(begin, min(begin + SHARD, games))
        held = recorded.rows_of(path) if path.exists() else 0
        if held < len(deals):
            shards.append(Shard(path, deals, read_begun(path, agents) if held else []))

    def missing() -> int:
        return sum(len(shard.missing) for shard in shards)

    def take(played: Played) -> None:
        shard = shards[0]
        shard.parts.append(played)
        if not shard.missing:
            write_shard(shard.path, shard.parts, settings)
            del shards[0]
        progress(games - missing())

    def save(shards: list[Shard]) -> None:
        if shards and shards[0].parts:
            write_shard(shards[0].path, shards[0].parts, settings)

    progress(games - missing())
    chunks = [
        shard.missing[begin : begin + CHUNK]
        for shard in shards
        for begin in range(0, len(shard.missing), CHUNK)
    ]
    jobs = [(game, agents, seed, chunk) for chunk in chunks]
    first = [(game, agents, seed, chunk[:1]) for chunk in chunks[:1]]  # one short job
    work_off(play_games, jobs, first, workers, take, lambda: shards, save)
    if shards:
        save(shards)
        raise KeyboardInterrupt
    return paths


@dataclass
class Shard:
    """A shard to write, with the games played so far."""

    path: Path
    deals: range
    parts: list[Played]

    @property
    def missing(self) -> range:
        """The deals still to play."""
        return self.deals[sum(len(part.deals) for part in self.parts) :]


def read_begun(path: Path, agents: Sequence[str]) -> list[Played]:
    """Read the whole chunks of games of an incomplete shard; `[]` if there are none.

    Errors are those of `recorded.columns_of`, and an `InputError` if an agent is not in `agents`.
    """
    deals, actions, offsets, names = recorded.columns_of(path)
    n = len(deals) // CHUNK * CHUNK  # whole chunks only: each has agents of its own
    same = names[:n, :, None] == np.array(agents, object)
    if not same.any(axis=2).all():
        raise InputError(f"{path} has games of other agents than its settings name: delete it")
    lengths = np.diff(offsets[: n + 1])
    played = Played(deals[:n], actions[: offsets[n]], lengths, same.argmax(axis=2))
    return [played] if n else []


def paths_of(folder: Path, games: int) -> list[Path]:
    """List the paths of the shards of a number of games; errors are those of `check_deals`."""
    check_deals(games, "a folder of shards")
    return [Path(folder) / f"games-{i:05}.parquet" for i in range(-(-games // SHARD))]


def shards_in(folder: Path) -> list[Path]:
    """List the shards of a folder."""
    return sorted(Path(folder).glob("games-*.parquet"))


def check(game: Game, agents: Sequence[str], seed: int, workers: Workers) -> None:
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


def write_shard(path: Path, parts: Sequence[Played], settings: dict[str, Any]) -> None:
    """Write some games as a shard, atomically."""
    pyarrow = recorded.arrow()
    deals, actions, lengths, agents = map(np.concatenate, zip(*parts, strict=True))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    seats = np.array(settings["agents"], object)[agents]
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
    about = {recorded.METADATA: json.dumps(settings)}
    table = pyarrow.table(columns).replace_schema_metadata(about)
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd")
    write_atomically(path, buffer.getvalue())
