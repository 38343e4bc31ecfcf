"""Helpers shared by the commands: options, bad input, progress, JSON."""

import json
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from closedhand.cli import streams
from closedhand.core.file_kinds import FileKind
from closedhand.core.files import Claims, WriteError, refuse_foreign
from closedhand.core.game import Game, InputError, shown
from closedhand.core.registry import GAMES, make_game, spec_of
from closedhand.core.run import Run
from closedhand.core.threads import cores
from closedhand.core.workers import RemoteWorkers

if TYPE_CHECKING:
    from closedhand.bridges.cluster import Cluster
    from closedhand.core.agents import AnyAgent

INTERRUPTED = 130
SECONDS_A_LINE = 60.0
"""Time between two lines of progress in a log."""
MOST_SEED = 2**63 - 1
"""Largest seed of a command: results keep it as int64."""


def underscored(name: str | None) -> str | None:
    """Replace the hyphens of a game's name on the command line by underscores."""
    return name and name.replace("-", "_")


GAME_HELP = f"A game: {', '.join(spec.command_name for spec in GAMES.values())}."
GameName = Annotated[str, typer.Argument(metavar="GAME", help=GAME_HELP, callback=underscored)]
Rules = Annotated[str | None, typer.Option(help="A preset of the game's rules.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="KEY=VALUE",
        help="An option of the game (closedhand show options GAME); may be repeated.",
    ),
]


def seed_option(help: str) -> Any:
    """Make the option `--seed`."""
    return typer.Option(min=0, max=MOST_SEED, metavar="SEED", help=help)


Seed = Annotated[int, seed_option("Seed of the deals and of the agents.")]
SeedOrNone = Annotated[int | None, seed_option("")]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Number of processes, or of workers with --ray; all cores if absent."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A setting of the learner (closedhand show settings LEARNER); may be repeated.",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Ray cluster that plays the games, by its address, or local: all cores of this "
        "machine. The results are the same.",
    ),
]
GameNames = Annotated[
    list[str] | None,
    typer.Argument(metavar="[GAME]...", help=f"{GAME_HELP} All of them if absent."),
]
RecordsGame = Annotated[
    str | None,
    typer.Option(
        help="Game of the records; by default the one that each states or its notation shows.",
        callback=underscored,
    ),
]
Restart = Annotated[bool, typer.Option("--restart", help="Start from scratch instead of resuming.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

LARGEST = 1e9
"""Largest value of a `positive` option: in seconds thirty years, which every clock can hold."""


def positive(param: typer.CallbackParam, value: float | None) -> float | None:
    """Check that a number on the command line is larger than 0, at most `LARGEST`; return it."""
    if value is not None and not 0 < value <= LARGEST:
        raise InputError(f"{param.opts[0]} must be above 0, at most {LARGEST:g}, not {value:g}")
    return value


ENTRY = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
"""A parameter and its text in a section of a docstring, such as `Options:`."""

# Docstrings of commands have, or replace, the help of these options: `groups.completed`.
Text = Annotated[str, typer.Option()]
PathOption = Annotated[Path, typer.Option()]
Number = Annotated[int, typer.Option(min=1)]
NumberOrNone = Annotated[int | None, typer.Option(min=1)]
Positive = Annotated[float, typer.Option(callback=positive)]
PositiveOrNone = Annotated[float | None, typer.Option(callback=positive)]
Minutes = Annotated[
    float,
    typer.Option(help="Minutes to train, including those before a resumption.", callback=positive),
]


def given_options(game: str | None, rules: str | None, options: list[str] | None) -> dict[str, Any]:
    """Parse a preset and options `key=value` of a game; without a game the values remain texts."""
    preset = [] if rules is None else [f"rules={rules}"]
    given = given_pairs([*preset, *(options or ())], "an option")
    if game is not None:
        return spec_of(game).option_table.read(given)
    for key in given:
        if not any(key in spec.option_table for spec in GAMES.values()):
            raise InputError(f"no game has an option {key!r}")
    return given


def given_pairs(texts: Iterable[str], what: str) -> dict[str, str]:
    """Parse texts `key=value` into a dict; `what` names one in errors, such as `an option`."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{what} is key=value, not {shown(text)}")
        if key in found:
            raise InputError(f"{key} is given twice")
        found[key] = value
    return found


def bind(name: str, rules: str | None, options: list[str] | None) -> Game:
    """Make the game named on the command line, with its options."""
    return make_game(name, **given_options(name, rules, options))


CLAIMS = Claims()
"""Files and folders that the present command writes, released at its end."""


def make_folder(path: Path, results: Mapping[str, FileKind]) -> Path:
    """Create the folder that a command will write to, and claim it until the command ends.

    `results` are the kinds of the files to be written, by their paths within the folder.

    Raises:
        InputError: The folder cannot be created or written to, another command writes to it, or a
            file that is no result of its kind would be replaced.
    """
    CLAIMS.folder(path)
    refuse_all([(path / name, kind) for name, kind in results.items()])
    return path


def claim_files(*results: tuple[Path, FileKind]) -> None:
    """Claim the files that a command is going to write, before it begins to work.

    Raises:
        InputError: A file cannot be written, is written by another command or named twice, or one
            that is no result of its kind would be replaced.
    """
    CLAIMS.files(*(path for path, _ in results))
    refuse_all(results)


def refuse_all(results: Iterable[tuple[Path, FileKind]]) -> None:
    """Refuse to write over any file that is no result of its kind; see `refuse_foreign`."""
    for path, kind in results:
        refuse_foreign(path, kind)


def note(text: str) -> None:
    """Print a line on stderr; a closed stream or a full disk does not stop the work."""
    try:
        typer.echo(f"closedhand: {text}", err=True)
    except OSError:
        streams.drop(streams.ERRORS)


def refuse_clocked(game: Game, agents: Iterable["AnyAgent"], ray: str | None) -> None:
    """Refuse agents that search by the clock if a cluster, at `ray`, is to play with them."""
    from closedhand.arena.match import is_clocked

    if ray is not None and is_clocked(game, list(agents)):
        raise InputError("an agent that searches by the clock needs all cores: leave out --ray")


@contextmanager
def cluster_at(ray: str | None, workers: int | None = None) -> Iterator["Cluster | None"]:
    """Provide the Ray cluster at `ray`, for at most `workers` jobs at once; None without `ray`."""
    if ray is None:
        yield None
        return
    from closedhand.bridges.cluster import Cluster

    with Cluster(ray, workers) as cluster:
        yield cluster


@contextmanager
def workers_of(ray: str | None, workers: int | None) -> Iterator[RemoteWorkers | int]:
    """Provide the argument `workers` of `match.play` and others: a cluster, or a number."""
    with cluster_at(ray, workers) as cluster:
        yield cluster or workers or cores()


GO_ON = "interrupted; the same command resumes"


@contextmanager
def interruptible(text: str = GO_ON) -> Iterator[None]:
    """Print a line and exit if a `KeyboardInterrupt` ends the block."""
    try:
        yield
    except KeyboardInterrupt:
        leave_if_interrupted(True, text)


def leave_if_interrupted(interrupted: bool, text: str = GO_ON, nothing: bool = False) -> None:
    """If interrupted, print `text`, or if `nothing` say that nothing is saved; exit with 130."""
    if interrupted:
        note("interrupted before anything was finished; nothing is saved" if nothing else text)
        raise typer.Exit(INTERRUPTED) from None


def print_json(data: Any) -> None:
    """Print one JSON object on stdout; NaN, as the ends of a missing interval, is null in it."""
    streams.print_object(json.dumps(_without_nan(data), separators=(",", ":"), allow_nan=False))


def _without_nan(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_nan(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_without_nan(value) for value in data]
    return None if isinstance(data, float) and math.isnan(data) else data


@contextmanager
def progress_bar(unit: str, total: int | None) -> Iterator[Callable[..., None]]:
    """Show a progress bar on stderr; without a terminal, as in a log, a line from time to time.

    Yields:
        `update(done, total=None, unit=None)`, where None changes nothing; the total may be unknown.
    """
    from rich import progress as bars

    console = Console(stderr=True)
    if not console.is_terminal:
        yield progress_lines(unit, total)
        return
    columns = bars.BarColumn(), bars.MofNCompleteColumn(), bars.TimeRemainingColumn()
    with bars.Progress("{task.description}", *columns, console=console, transient=True) as progress:
        task = progress.add_task(unit, total=total)

        def update(done: float, total: int | None = None, unit: str | None = None) -> None:
            progress.update(task, completed=done, total=total, description=unit)

        yield update


def progress_lines(unit: str, total: int | None) -> Callable[..., None]:
    """Make an `update` like that of `progress_bar` that prints a line once a minute."""
    last_unit, last_total, printed = unit, total, time.monotonic()

    def update(done: float, total: int | None = None, unit: str | None = None) -> None:
        nonlocal last_unit, last_total, printed
        last_unit = unit or last_unit
        last_total = last_total if total is None else total
        if time.monotonic() - printed >= SECONDS_A_LINE:
            printed = time.monotonic()
            of = "" if last_total is None else f" of {last_total:,}"
            note(f"{int(done):,}{of} {last_unit}")

    return update


def work_for(
    run: Run[Any],
    seconds: float,
    count: Callable[[], str],
    *,
    restart: bool = False,
    line_of: Callable[[dict[str, Any]], str] | None = None,
) -> None:
    """Let a learner work for some seconds with a progress bar, from its checkpoint if there is one.

    `restart` ignores the checkpoint. Time before a resumption does not count. `count` writes the
    amount of work done, such as `1,000 games`, and `line_of` a line to print for a new entry of the
    history. Ctrl-C ends the run early (`run.interrupted`).
    """
    if run.resume_if_kept(restart):
        note(f"resuming after {count()}")
    before = run.seconds
    if line_of is not None:
        run.on_evaluation = lambda entry: note(line_of(entry))

    def progress() -> None:
        update(round(run.seconds - before), unit=f"seconds, {count()}")

    with interruptible(), progress_bar("seconds", round(seconds)) as update:
        run.work(before + seconds, progress=progress)


@contextmanager
def percent_bar() -> Iterator[Callable[[float, str], None]]:
    """Show a bar from 0 to 100 on stderr; yield `update(share, text)` for shares from 0 to 1."""
    with progress_bar("percent", 100) as update:
        yield lambda share, text: update(int(100 * share), unit=f"percent, {text}")


MOST_WIDTH = 10_000
"""Width, in characters, of a table whose rows must not wrap."""


def plain_console(**options: Any) -> Console:
    """Make a console that prints text unchanged: neither `[policy=rule]` nor `:100:` is markup."""
    return Console(markup=False, emoji=False, **options)


def print_table(
    headings: Iterable[str],
    rows: Iterable[Sequence[str]],
    title: str | None = None,
    no_wrap: bool = False,
) -> None:
    """Print a table without lines, so that seven columns fit into 80 characters.

    Columns whose headings begin with `>` are aligned right. With `no_wrap` every row is one line,
    even if it is wider than the terminal.
    """
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
    for heading in headings:
        justify = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), justify=justify)
    for row in rows:
        table.add_row(*row)
    plain_console(width=MOST_WIDTH if no_wrap else None).print(table)


def save_picture(plot: Callable[[Any, Path], None], data: Any, path: Path) -> Path | None:
    """Draw results and return the path; if they cannot be drawn, print a note and return None.

    Raises:
        WriteError: The picture cannot be written.
    """
    try:
        plot(data, path)
    except WriteError:
        raise
    except InputError as error:
        note(f"no picture: {error}")
        return None
    return path
