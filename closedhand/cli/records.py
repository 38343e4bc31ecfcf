"""The commands `records …`."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import (
    GameName,
    Json,
    Options,
    Rules,
    bind,
    given_options,
    interruptible,
    make_folder,
    print_json,
    progress_bar,
    underscored,
)
from closedhand.core.game import InputError

app = typer.Typer(help="Records of games.", no_args_is_help=True)


@app.command()
def replay(
    file: Annotated[
        Path,
        typer.Argument(
            help="Records, a line each: JSON or a game's notation; or a log of the UECda server."
        ),
    ],
    game: Annotated[
        str,
        typer.Option(help="Whose notation lines are in that are not JSON.", callback=underscored),
    ] = "doudizhu",
    rules: Rules = None,
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Replay every record of a file; exit code 0 only if all are legal and all results agree."""
    from closedhand.core.records import replay_file

    replays = []
    for each in replay_file(file, game, **given_options(rules, option)):
        replays.append({each.unit: each.line, "returns": each.returns, "error": each.error})
        if not as_json:
            ended = f"returns {list(each.returns)}" if each.returns else "legal, not played out"
            typer.echo(each.error or f"{each.unit} {each.line}: {ended}")
    errors = sum(each["error"] is not None for each in replays)
    if as_json:
        print_json({"file": str(file), "games": replays, "errors": errors})
    else:
        typer.echo(f"{len(replays)} games, {errors} errors")
    if errors:
        raise typer.Exit(1)


@app.command()
def export(
    file: Annotated[
        Path, typer.Argument(help="Rounds of Daihinmin: records, a line each, or a log.")
    ],
    out: Annotated[
        Path, typer.Option(help="A .log is written as the UECda server does, a .jsonl as records.")
    ],
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Turn logs of the UECda server into records, and records of Daihinmin into logs."""
    from closedhand.core.files import write_atomically
    from closedhand.core.records import read, write
    from closedhand.games.daihinmin import logs, replaying

    if out.suffix not in (".log", ".jsonl"):
        raise InputError(f"--out ends in .log or .jsonl, not as {out} does")
    if logs.is_log(file):
        records = replaying.log_records(file)
    else:
        records = list(read(file, "daihinmin", **given_options(rules, option)))
    if out.suffix == ".log":
        write_atomically(out, logs.log_text(replaying.to_log(records)))
    else:
        write(out, records)
    typer.echo(f"saved {len(records)} rounds as {out}")


@app.command()
def generate(
    game: GameName,
    agents: Annotated[
        str,
        typer.Option(
            help="With commas between. Landlord and peasants are each played by one of them, drawn "
            "for every game; one that is named twice is drawn twice as often."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the shards; those in it are kept.")],
    games: Annotated[int, typer.Option(min=1, help="How many.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Of deals and agents.")] = 0,
    rules: Rules = None,
    option: Options = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; all cores if absent.")
    ] = None,
) -> None:
    """Let agents play Dou Dizhu and write the games as Parquet shards, for `train policy-net`.

    Games are flat and without bidding. After Ctrl-C the same command goes on.
    """
    from closedhand.baselines.doudizhu.deeprocket import shards
    from closedhand.core.threads import cores

    bound = bind(game, rules, option)
    make_folder(out)
    with interruptible(), progress_bar("games", games) as update:
        paths = shards.generate(
            bound, agents.split(","), games, seed, out, workers or cores(), update
        )
    typer.echo(f"saved {games} games in {len(paths)} shards: {out}")
