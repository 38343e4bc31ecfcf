"""The command `records generate`."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import (
    GameName,
    Options,
    Ray,
    Rules,
    Seed,
    Workers,
    bind,
    crew,
    interruptible,
    make_folder,
    progress_bar,
)
from closedhand.core.file_kinds import SHARD, FileKind, arrays_with


def generate(
    game: GameName,
    agents: Annotated[
        str,
        typer.Option(
            help="Agents, separated by commas. One is drawn for the landlord and one for the "
            "peasants in every game; an agent named twice is drawn twice as often."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the shards; shards in it are kept.")],
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 10_000,
    seed: Seed = 0,
    rules: Rules = None,
    option: Options = None,
    workers: Workers = None,
    ray: Ray = None,
) -> None:
    """Play Dou Dizhu between agents, and write the games as Parquet shards for `train policy-net`.

    Games are flat and without bidding. After Ctrl-C the same command resumes.

    Example: closedhand records generate doudizhu --agents decompose --games 10000 --out runs/games
    """
    from closedhand.agents.doudizhu.deeprocket import shards
    from closedhand.core.agent_spec import split_agents

    bound = bind(game, rules, option)
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
        crew(ray, workers) as players,
        interruptible(),
        progress_bar("games", games) as update,
    ):
        shards.generate(bound, split_agents(agents), games, seed, out, players, update)
    held = [shards.rows_of(path) for path in shards.shards_in(out)]
    typer.echo(f"{out} holds {sum(held)} games in {len(held)} shard{'s' * (len(held) != 1)}")
