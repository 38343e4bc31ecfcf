"""Parquet shards of Dou Dizhu for the command `records generate`."""

from pathlib import Path

import typer

from closedhand.cli import common
from closedhand.core.file_kinds import SHARD
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
    """Play Dou Dizhu, without sub-steps and bidding, and write the games as Parquet shards.

    Raises:
        InputError: The rules are not supported, an agent is unknown, or an agent on a cluster
            searches by the clock.
    """
    from closedhand.agents.doudizhu.deeprocket import recorded, shards

    common.refuse_clocked(game, agents, ray)
    common.make_folder(out, {path.name: SHARD for path in shards.paths_of(out, games)})
    bar = common.progress_bar("games", games)
    with common.workers_of(ray, workers) as players, common.interruptible(), bar as update:
        shards.generate(game, agents, games, seed, out, players, update)
    held = [recorded.rows_of(path) for path in shards.shards_in(out)]
    where = "1 shard" if len(held) == 1 else f"{len(held)} shards"
    typer.echo(f"{out} holds {sum(held)} games in {where}")
