"""The commands `records …`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli.common import (
    Json,
    Options,
    Rules,
    claim_files,
    given_options,
    print_json,
    underscored,
)
from closedhand.cli.groups import Group
from closedhand.core.game import InputError

app = typer.Typer(cls=Group, help="Records of games.", no_args_is_help=True)


@app.command()
def replay(
    file: Annotated[
        Path,
        typer.Argument(
            help="Records, one per line, in JSON or a game's notation; or a log of another program."
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help="Game of the lines that are not JSON; detected from their notation if absent.",
            callback=underscored,
        ),
    ] = None,
    rules: Rules = None,
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Replay every record of a file; exit code 0 only if all are legal and all results agree."""
    from closedhand.core.records import replay_file

    replays: list[dict[str, Any]] = []
    games = errors = 0
    for each in replay_file(file, game, **given_options(game, rules, option)):
        games += 1
        errors += each.error is not None
        if as_json:
            replays.append({each.unit: each.line, "returns": each.returns, "error": each.error})
        else:
            ended = f"returns {list(each.returns)}" if each.returns else "legal, not played out"
            typer.echo(each.error or f"{each.unit} {each.line}: {ended}")
    if as_json:
        print_json({"file": str(file), "games": replays, "errors": errors})
    else:
        typer.echo(f"{games} games, {errors} errors")
    if errors:
        raise typer.Exit(1)


@app.command()
def export(
    file: Annotated[
        Path, typer.Argument(help="Records, one per line, or a log of another program.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="File to write: records if it ends in .jsonl, else a log of that ending."
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help="Game of the lines that are not JSON; detected from their notation if absent.",
            callback=underscored,
        ),
    ] = None,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Turn logs of other programs into records, and records into logs."""
    from closedhand.core.files import write_atomically
    from closedhand.core.records import log_readers, read, reader_of, write

    writers = {reader.suffix: reader for reader in log_readers()}
    if out.suffix not in (*writers, ".jsonl"):
        raise InputError(
            f"--out must end in {' or '.join((*writers, '.jsonl'))}, not {out.suffix!r}"
        )
    claim_files(out)
    reader = reader_of(file)
    if reader is not None:
        records = reader.records(file)
    else:
        records = list(read(file, game, **given_options(game, rules, option)))
    if out.suffix == ".jsonl":
        write(out, records)
    else:
        write_atomically(out, writers[out.suffix].text(records))
    typer.echo(f"saved {len(records)} games as {out}")
