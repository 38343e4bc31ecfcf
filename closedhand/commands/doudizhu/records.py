"""Parquet shards of Dou Dizhu for the command `records generate`."""

from pathlib import Path

import typer

from closedhand.cli.common import interruptible, make_folder, progress_bar, workers_of
from closedhand.core.file_kinds import SHARD, FileKind, arrays_with
from closedhand.core.game import Game


def generate(
    game: Game,
    agents: list[str],
    out: Path,
    games: int,
    seed: int,
    workers: int | None,
    ray: str | None,
) -> None:
    """Play Dou Dizhu between agents, and write the games as Parquet shards.

    Args:
        game: The game, flat and without bidding.
        agents: Texts of the agents.
        out: Folder for the shards.
        games: Number of games.
        seed: Seed of the deals and the agents.
        workers: Number of processes or actors.
        ray: Address of a Ray cluster, or None.

    Raises:
        InputError: Other rules, or an unknown agent.
    """
    from closedhand.agents.doudizhu.deeprocket import shards

    begun = FileKind("games of a shard", arrays_with("settings", *shards.Played._fields))
    paths = shards.paths_of(out, games)
    make_folder(
        out,
        {
            **{path.name: SHARD for path in paths},
            **{shards.begun_of(path).name: begun for path in paths},
        },
    )
    with (
        workers_of(ray, workers) as players,
        interruptible(),
        progress_bar("games", games) as update,
    ):
        shards.generate(game, agents, games, seed, out, players, update)
    held = [shards.rows_of(path) for path in shards.shards_in(out)]
    typer.echo(f"{out} holds {sum(held)} games in {len(held)} shard{'s' * (len(held) != 1)}")
