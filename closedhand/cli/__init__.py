"""The command `closedhand`.

With `--json` a command prints one JSON object on stdout and nothing else. Progress goes to stderr:
a bar in a terminal, a line a minute in a log. Bad input and failing disks end with exit code 2 and
one line on stderr, or a box where Typer refuses an option. Slow imports are made inside the
functions, so that --help is fast.
"""

import os
from typing import Annotated

import typer

from closedhand.cli import (
    bench,
    compile,
    endgame,
    example,
    exploit,
    match,
    play,
    records,
    reproduce,
    show,
    solve,
    streams,
    train,
    web,
)
from closedhand.cli.common import positive
from closedhand.cli.groups import Commands
from closedhand.core import reading
from closedhand.core.game import InputError
from closedhand.core.version import __version__

app = typer.Typer(
    cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def show_version(wanted: bool) -> None:
    """Print the version and exit, if `wanted`."""
    if wanted:
        typer.echo(f"closedhand {__version__}")
        raise typer.Exit


@app.callback()
def closedhand(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
    limits: Annotated[
        float | None,
        typer.Option(
            callback=positive,
            help="Factor for the limits of files that are read: 1 MiB for a line, 64 MiB for a "
            "text, 256 MiB for arrays and unpacked data.",
        ),
    ] = None,
) -> None:
    """Hidden-hand card games for reinforcement learning.

    Begin with `closedhand play doudizhu`; every command shows its options with --help.
    """
    if limits is not None:
        os.environ[reading.LIMITS] = str(limits)  # worker processes inherit it


app.command()(match.match)
app.command()(play.play)
app.command("deals")(match.save_deals)
app.command()(endgame.endgame)
app.command(context_settings=solve.CONTEXT)(solve.solve)
for command in (exploit.exploit, solve.judge, compile.compile, bench.bench, web.web):
    app.command()(command)
app.command()(example.example)
app.add_typer(records.app, name="records")
app.add_typer(train.app, name="train")
app.add_typer(reproduce.app, name="reproduce")
app.add_typer(show.app, name="show")


def main() -> None:
    """Run the command line."""
    try:
        app()
    finally:
        try:
            streams.flush()
        except (InputError, BrokenPipeError):
            streams.drop()  # the error has been reported
