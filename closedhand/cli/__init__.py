"""The command `closedhand`.

Commands print text for people. With `--json` a command prints one JSON object on stdout and nothing
else. Progress goes to stderr: a bar in a terminal, a line a minute in a log. Bad input ends with
one line on stderr and exit code 2, and so does a full or broken disk.
"""

import os
import runpy
import sys
from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli import (
    compile,
    exploit,
    learner_table,
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
from closedhand.cli.groups import Commands, Group
from closedhand.core import reading
from closedhand.core.game import InputError
from closedhand.core.optional_imports import require

REPOSITORY = Path(__file__).parents[2]
"""Folder of a checkout; of an installed package, the folder of all packages."""

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
    limits: Annotated[
        float | None,
        typer.Option(
            help="Factor for the limits of files that are read: 1 MiB for a line, 64 MiB for a "
            "text, 256 MiB for arrays and unpacked data."
        ),
    ] = None,
) -> None:
    """Hidden-hand card games for reinforcement learning."""
    if positive(limits) is not None:
        os.environ[reading.LIMITS] = str(limits)  # worker processes inherit it


app.command()(play.match)
app.command()(play.play)
app.command(context_settings=solve.SETTINGS)(solve.solve)
app.command()(exploit.exploit)
app.command()(solve.judge)
app.command()(compile.compile)
app.command()(web.web)
app.add_typer(records.app, name="records")
app.add_typer(train.app, name="train")
OF_GAMES = {
    "reproduce": "Reproduce published results.",
    "show": "Show rules, options, settings and pictures of games.",
}
"""Groups with the commands of games and those of `OWN`."""

OWN = {
    "reproduce": {
        "all": reproduce.reproduce_all,
        "learners": learner_table.reproduce_learners,
    },
    "show": {"rules": show.rules, "options": show.options, "settings": show.settings},
}
"""Commands of these groups that belong to no game, by name."""

for name, text in OF_GAMES.items():
    group = typer.Typer(cls=Group, no_args_is_help=True)
    group.callback()(lambda: None)
    for own, function in OWN[name].items():
        group.command(own)(function)
    app.add_typer(group, name=name, help=text)


@app.command()
def bench(
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements of each.")] = 5,
    seconds: Annotated[
        float, typer.Option(help="Seconds of a measurement.", callback=positive)
    ] = 3.0,
    only: Annotated[
        str | None, typer.Option(help="One file of benchmarks; other figures are kept.")
    ] = None,
) -> None:
    """Run the benchmarks of the source repository, and write the tables of the documentation."""
    # Do not look in the working folder, whose `benchmarks` may be any code.
    if not (REPOSITORY / "pyproject.toml").exists() or not (REPOSITORY / "benchmarks").is_dir():
        raise InputError("the benchmarks are in the source repository: `make bench` there")
    require("phevaluator", "pyspiel", "rlcard", "safetensors", "torch")
    chosen = [] if only is None else [f"--only={only}"]
    before = sys.argv, sys.path
    sys.argv = ["closedhand bench", f"--rounds={rounds}", f"--seconds={seconds}", *chosen]
    sys.path = [str(REPOSITORY), *sys.path]
    try:
        runpy.run_module("benchmarks", run_name="__main__")
    finally:
        sys.argv, sys.path = before


def main() -> None:
    """Run the command line."""
    try:
        app()
    finally:
        try:
            streams.flush()
        except (InputError, BrokenPipeError):
            streams.drop()  # has been reported
