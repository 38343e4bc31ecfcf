"""Groups of commands, including the commands that games name in their specs.

A game's command is imported only when it is run or its help is shown.
"""

import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from closedhand.cli import streams
from closedhand.cli.advise import of_game
from closedhand.cli.common import CLAIMS, ENTRY, interruptible, note
from closedhand.core import files
from closedhand.core.files import FAULTS
from closedhand.core.game import InputError
from closedhand.core.optional_imports import needing
from closedhand.core.plugins import kept_running
from closedhand.core.registry import GAMES, Ref, load
from closedhand.core.text import one_line, reason_of

HELP = {
    "advise": "Rank the plays of a hand at a real table, by search",
    "serve": "Serve a match of clients and agents by the protocol of a competition",
    "botzone": "Play as a bot of Botzone: a line of JSON in, a line of JSON out",
    "join": "Play as a client at the server of a competition",
}
"""Help of commands that games add, by their first word; the names of the games are appended."""


def commands_of_games(verb: str) -> dict[str, Ref]:
    """Find the commands `closedhand VERB NAME` of all games, by NAME.

    If a command consists of the verb only, NAME is the name of its game. Every game has `advise`.
    """
    found: dict[str, Ref] = {}
    for spec in GAMES.values():
        for words, ref in spec.commands.items():
            first, _, second = words.partition(" ")
            if first == verb:
                found.setdefault(second or spec.command_name, ref)  # the first has precedence
    if verb == "advise":
        for spec in GAMES.values():
            found.setdefault(spec.command_name, partial(of_game, spec))
    return found


def click_command(function: Callable[..., Any], name: str, help: str | None = None) -> Any:
    """Make a command from a function with Typer's annotations."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name, help=help)(function)
    return typer.main.get_command(app)


WRITING = {"out", "picture"}
"""Parameters that name files or folders to write."""


def completed(command: Any) -> Any:
    """Complete a command that was made from a function, and return it.

    The section `Options:` at the end of the docstring becomes the help of the parameters. A command
    that writes files gets the option `--overwrite`.
    """
    heading = "\n\nOptions:\n"
    texts = dict(ENTRY.findall((inspect.getdoc(command.callback) or "").partition(heading)[2]))
    command.help = (command.help or "").partition(heading)[0]
    for parameter in command.params:
        if parameter.name in texts:
            parameter.help = " ".join(texts[parameter.name].split())
    names = {each.name for each in command.params}
    if names & WRITING and "overwrite" not in names:
        command.params += click_command(_takes_overwrite, "overwrite").params
    return command


def _takes_overwrite(
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            callback=lambda value: files.overwrite.set(value),
            expose_value=False,
            help="Write over files that are no results of this command.",
        ),
    ] = False,
) -> None:
    """Declare the option `--overwrite`, which `completed` copies to other commands."""


class Group(TyperGroup):
    """A group of commands, its own and those that games add; `_` in a name is read as `-`."""

    def offered(self) -> Iterable[str]:
        """List the names of the commands that games add."""
        return commands_of_games(self.name or "")

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names of all commands."""
        return list(dict.fromkeys([*super().list_commands(ctx), *self.offered()]))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name, or refuse the name."""
        name = cmd_name.replace("_", "-")
        found = super().get_command(ctx, name)
        if found is not None:
            return completed(found)
        ref = commands_of_games(self.name or "").get(name)
        if ref is None:
            known = ", ".join(self.list_commands(ctx))
            is_game = cmd_name.replace("-", "_") in GAMES
            what = f"{cmd_name} offers nothing" if is_game else f"no game {cmd_name!r}"
            raise InputError(f"{what} to {self.name}; there are {known}")
        return completed(click_command(ref() if isinstance(ref, partial) else load(ref), name))


@contextmanager
def faults_of_threads() -> Iterator[list[OSError]]:
    """Collect the disk faults of threads, such as TensorBoard's, in place of their tracebacks."""
    faults: list[OSError] = []
    before = threading.excepthook

    def hook(arguments: threading.ExceptHookArgs) -> None:
        error = arguments.exc_value
        if isinstance(error, OSError) and error.errno in FAULTS:
            faults.append(error)
        else:
            before(arguments)

    threading.excepthook = hook
    try:
        yield faults
    finally:
        threading.excepthook = before


class Commands(Group):
    """All commands; bad input and failing files or disks end with one line and exit code 2."""

    def offered(self) -> Iterable[str]:
        """List the first words of the commands that games add."""
        return [words.partition(" ")[0] for spec in GAMES.values() for words in spec.commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name; None if there is none."""
        found = TyperGroup.get_command(self, ctx, cmd_name)
        if found is None and cmd_name in self.offered():
            games = ", ".join(commands_of_games(cmd_name))
            text = f"{HELP.get(cmd_name, 'Commands of games')} ({games})."
            found = Group(name=cmd_name, help=text, no_args_is_help=True)
        return None if found is None else completed(found)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line."""
        streams.prepare()
        try:
            return super().main(*args, **kwargs)
        except InputError as error:
            text = str(error)
        except OSError as error:
            # An error without a file's name, other than a disk fault, may be a bug of the program.
            if error.filename is None and error.errno not in FAULTS:
                raise
            if error.filename is None:
                streams.drop()
            text = one_line(f"{error.filename or 'an output'}: {reason_of(error)}")
        note(text)
        sys.exit(2)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and release the files that it claims."""
        only = streams.objects_only("--json" in ctx.args)  # set before imports, which may print
        with (
            interruptible("interrupted"), CLAIMS, needing(), faults_of_threads() as faults, only,
            kept_running(),
        ):  # fmt: skip
            result = copy_context().run(super().invoke, ctx)  # `overwrite` is this command's alone
            for fault in faults:
                raise fault
            streams.flush()
            return result
