"""The commands `records …`."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import Json, Options, Rules, given_options, print_json, underscored

app = typer.Typer(help="Records of games.", no_args_is_help=True)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Records, a line each: JSON or a game's notation.")],
    game: Annotated[
        str,
        typer.Option(help="Whose notation lines are in that are not JSON.", callback=underscored),
    ] = "doudizhu",
    rules: Rules = None,
    option: Options = None,
    as_json: Json = False,
) -> None:
    """Replay every record of a file; exit code 0 only if all are legal and all results agree."""
    from closedhand.games.records import replay_file

    replays = []
    for each in replay_file(file, game, **given_options(rules, option)):
        replays.append({"line": each.line, "returns": each.returns, "error": each.error})
        if not as_json:
            ended = f"returns {list(each.returns)}" if each.returns else "legal, not played out"
            typer.echo(each.error or f"line {each.line}: {ended}")
    errors = sum(each["error"] is not None for each in replays)
    if as_json:
        print_json({"file": str(file), "games": replays, "errors": errors})
    else:
        typer.echo(f"{len(replays)} games, {errors} errors")
    if errors:
        raise typer.Exit(1)
