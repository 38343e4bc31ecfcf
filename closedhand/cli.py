"""The command `closedhand`.

Every command prints for people; with `--json` it prints one JSON object on stdout and nothing else.
Progress goes to stderr. Bad input is one line on stderr and exit code 2.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from typer.core import TyperGroup

from closedhand.games.game import Game, InputError

# What takes long to import is imported inside the commands, so that --help comes at once.

INTERRUPTED = 130


class Commands(TyperGroup):
    """Commands that turn bad input into one line and exit code 2; other errors show whole."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            typer.echo(f"closedhand: {error}", err=True)
            raise typer.Exit(2) from None


app = typer.Typer(
    cls=Commands,
    help="Hidden-hand card games for reinforcement learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
records_app = typer.Typer(help="Records of games.", no_args_is_help=True)
reproduce_app = typer.Typer(help="Published results, computed again.", no_args_is_help=True)
app.add_typer(records_app, name="records")
app.add_typer(reproduce_app, name="reproduce")

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game, such as doudizhu.")]
Rules = Annotated[str | None, typer.Option(help="A preset of the game's rules.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="KEY=VALUE", help="An option of the game; may be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


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


@app.command()
def match(
    game: GameName,
    agents: Annotated[str, typer.Option(help="Two or more agents, with commas between.")],
    deals: Annotated[
        int, typer.Option(min=1, help="Deals; each is played at every seating.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of deals and agents.")] = 0,
    rules: Rules = None,
    option: Options = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; all cores if absent.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="JSON file for the results; the picture lies beside it.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the match that the file holds.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play a duplicate match and show points and win rates by role, with 95% intervals.

    Saves the results as JSON, in runs/ if --out names no file, and a picture of them beside it.
    """
    from closedhand.arena import match as arena, results

    bound = bind(game, rules, option)
    names = agents.split(",")
    path = out or Path("runs") / (re.sub(r"\W+", "-", f"match-{game}-{agents}") + ".json")
    played = results.load(path, bound, names, seed) if resume else None
    try:
        with progress_bar("deals", deals) as update:
            result = arena.play(bound, names, deals, seed, workers or arena.cores(), played, update)
    except KeyboardInterrupt:
        note("interrupted before any deals were finished; nothing is saved")
        raise typer.Exit(INTERRUPTED) from None
    data = results.summary(result)
    results.save(path, data)
    picture = save_picture(data, path.with_suffix(".png"))
    if as_json:
        print_json(data)
    else:
        show_match(data)
        typer.echo(f"saved {path}" + (f" and {picture}" if picture else ""))
    if result.interrupted:
        note(f"interrupted after {result.deals} of {deals} deals; go on with --resume")
        raise typer.Exit(INTERRUPTED)


@app.command()
def play(
    game: GameName,
    agents: Annotated[
        str, typer.Option(help="One agent for all other seats, or one for each, with commas.")
    ] = "greedy",
    seat: Annotated[int, typer.Option(help="Yours.")] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="Shuffles; random if absent.")] = None,
    deal: Annotated[str | None, typer.Option(help="A deal in the game's notation.")] = None,
    hint: Annotated[
        str | None, typer.Option(help="Gives the hints; the first agent if absent.")
    ] = None,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Play in the terminal against agents."""
    import numpy as np

    from closedhand.arena import play as table
    from closedhand.games.agents import make_agent

    bound = bind(game, rules, option)
    if seed is None:
        seed = int(np.random.default_rng().integers(2**31))
    names = agents.split(",")
    if len(names) == 1:
        names *= bound.num_players - 1
    others = [make_agent(bound, name, seed + i) for i, name in enumerate(names, 1)]
    adviser = make_agent(bound, hint or names[0], seed)
    session = table.Session(bound, table.start(bound, deal, seed), seat, others, adviser)
    typer.echo(f"{game} against {', '.join(names)}, --seed {seed}")
    table.run(session, input, typer.echo)


@records_app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="Records, a line each: JSON or a game's notation.")],
    game: Annotated[
        str, typer.Option(help="Whose notation lines are in that are not JSON.")
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


@reproduce_app.command("deeprocket-match")
def deeprocket_match(as_json: Json = False) -> None:
    """Table 7 of the DeepRocket paper, its match with four amateurs, from the game records."""
    from closedhand.arena.reproduce import SIDES, deeprocket_match

    rows = deeprocket_match()
    totals = {
        name: [sum(getattr(row, name)[side] for row in rows) for side in range(len(SIDES))]
        for name in ("stated", "computed")
    }
    if as_json:
        print_json({"landlords": SIDES, "deals": [row._asdict() for row in rows], **totals})
        return
    table = Table(title="Scores as landlord: human and DeepRocket", title_justify="left")
    for name in ("deal", "human, paper", "replayed", "DeepRocket, paper", "replayed"):
        table.add_column(name, justify="right")
    table.add_column("")
    for row in rows:
        note = "completed" if row.completed else ""
        scores = (score for pair in zip(row.stated, row.computed, strict=True) for score in pair)
        table.add_row(str(row.number), *(f"{score:+g}" for score in scores), note)
    table.add_section()
    sums = (total for pair in zip(*totals.values(), strict=True) for total in pair)
    table.add_row("total", *(f"{total:+g}" for total in sums), "")
    Console().print(table)


@app.command()
def train(
    game: GameName,
    out: Annotated[Path, typer.Option(help="Folder for the model; resumed if it holds one.")],
    minutes: Annotated[float, typer.Option(help="How long.")] = 3.0,
    opponents: Annotated[str, typer.Option(help="Agents, with commas between.")] = "random,rule",
    seed: Annotated[int, typer.Option(min=0, help="Of deals, opponents and network.")] = 0,
    restart: Annotated[bool, typer.Option("--restart", help="Do not resume.")] = False,
    rules: Rules = None,
    option: Options = None,
) -> None:
    """Train a MaskablePPO agent; Ctrl-C saves and stops."""
    bound = bind(game, rules, option)
    if game != "doudizhu":
        raise InputError(f"there is no training script for {game}")
    try:
        from closedhand.baselines.doudizhu import ppo
    except ModuleNotFoundError as error:
        raise InputError(f"no module {error.name}: pip install 'closedhand[train]'") from None
    given = {key: bound.options[key] for key in given_options(rules, option)}
    given.pop("substeps", None)
    path = ppo.train(out, minutes, opponents.split(","), seed=seed, restart=restart, **given)
    typer.echo(f"saved {path}: play it as the agent ppo:{path}")


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


def given_options(rules: str | None, options: list[str] | None) -> dict[str, Any]:
    """The options of a game that a command line gives.

    Raises:
        InputError: An option is not of the form key=value.
    """
    given: dict[str, Any] = {"rules": rules} if rules is not None else {}
    for text in options or []:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"an option is key=value, not {text!r}")
        try:
            given[key] = json.loads(value.lower())
        except ValueError:
            given[key] = value
    return given


def bind(name: str, rules: str | None, options: list[str] | None) -> Game:
    """The game that a command line asks for.

    Raises:
        InputError: An unknown game, preset or option.
    """
    from closedhand.games import make_game

    return make_game(name, **given_options(rules, options))


def note(text: str) -> None:
    """Print a line on stderr."""
    typer.echo(f"closedhand: {text}", err=True)


def print_json(data: Any) -> None:
    """Print one JSON object on stdout."""
    typer.echo(json.dumps(data, separators=(",", ":")))


@contextmanager
def progress_bar(unit: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr; yields a function that takes how much is done."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(unit), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(unit, total=total)
        yield lambda done: progress.update(task, completed=done)


def save_picture(data: dict[str, Any], path: Path) -> Path | None:
    """Draw match results; without matplotlib say so and go on."""
    from closedhand.arena.plot import plot_match

    try:
        plot_match(data, path)
    except InputError as error:
        note(f"no picture: {error}")
        return None
    return path


def show_match(data: dict[str, Any]) -> None:
    """Print match results as tables."""
    console = Console()
    for pair in data["pairs"]:
        first, second = pair["agents"]
        title = f"{data['game']}: {first} v {second}, {data['deals']} deals, seed {data['seed']}"
        table = Table(title=title, title_justify="left")
        for name in ("agent", "role"):
            table.add_column(name)
        for name in ("win rate", "95%", "points", "95%"):
            table.add_column(name, justify="right")
        for row in pair["results"]:
            wins, points = row["win_rate"], row["points"]
            table.add_row(
                row["agent"],
                row["role"],
                f"{wins['mean']:.3f}",
                f"{wins['low']:.3f} to {wins['high']:.3f}",
                f"{points['mean']:+.3f}",
                f"{points['low']:+.3f} to {points['high']:+.3f}",
            )
        console.print(table)
        gap = pair["difference"]["all"]
        console.print(
            f"{first} less {second} on the same deals: {gap['mean']:+.3f} points a game "
            f"({gap['low']:+.3f} to {gap['high']:+.3f})"
        )
        times = zip(pair["agents"], pair["microseconds_per_decision"], strict=True)
        console.print("; ".join(f"{name} {time} µs a decision" for name, time in times))


def main() -> None:
    """Run the command line."""
    app()
