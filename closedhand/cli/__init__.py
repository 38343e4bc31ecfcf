"""The command `closedhand`.

Commands print text for people; with `--json` a command prints one JSON object on stdout and nothing
else. Progress goes to stderr. Bad input ends with one line on stderr and exit code 2.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli import compile, play, records, show, solve, train
from closedhand.cli.groups import Commands, Group
from closedhand.core.game import InputError

app = typer.Typer(
    cls=Commands,
    help="Hidden-hand card games for reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        from closedhand import __version__

        typer.echo(f"closedhand {__version__}")
        raise typer.Exit


@app.callback()
def closedhand(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Hidden-hand card games for reinforcement learning."""


app.command()(play.match)
app.command()(play.play)
app.command(context_settings=solve.SETTINGS)(solve.solve)
app.command()(compile.compile)
app.add_typer(records.app, name="records")
app.add_typer(train.app, name="train")
OF_GAMES = {
    "reproduce": "Published results, computed again.",
    "show": "Options and pictures of games.",
}
"""Groups whose commands come from games, save `show options`."""

for name, text in OF_GAMES.items():
    group = typer.Typer(cls=Group, no_args_is_help=True)
    group.callback()(lambda: None)
    if name == "show":
        group.command()(show.options)
    app.add_typer(group, name=name, help=text)


@app.command()
def bench() -> None:
    """Run the benchmarks of the source repository."""
    import runpy

    sys.path.insert(0, str(Path.cwd()))
    try:
        runpy.run_module("benchmarks", run_name="__main__")
    except ImportError as error:
        if error.name != "benchmarks":
            raise
        raise InputError("the benchmarks lie in the source repository: run it there") from None


def main() -> None:
    """Run the command line."""
    app()
