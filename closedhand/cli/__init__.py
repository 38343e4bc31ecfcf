"""The command `closedhand`.

Every command prints for people; with `--json` it prints one JSON object on stdout and nothing else.
Progress goes to stderr. Bad input is one line on stderr and exit code 2.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli import play, records, reproduce, train
from closedhand.cli.common import Commands
from closedhand.commands import chinese_poker, daihinmin as uecda, leduc
from closedhand.core.game import InputError

app = typer.Typer(
    cls=Commands,
    help="Hidden-hand card games for reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def show_version(wanted: bool) -> None:
    """Print the version and leave."""
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


for command in (
    play.match,
    play.play,
    leduc.solve,
    chinese_poker.advise,
    uecda.serve,
    uecda.join,
):
    app.command()(command)
app.add_typer(records.app, name="records")
app.add_typer(reproduce.app, name="reproduce")
app.add_typer(leduc.show_app, name="show")
app.add_typer(train.app, name="train")


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
