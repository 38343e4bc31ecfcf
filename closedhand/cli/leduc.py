"""The commands `solve` and `show leduc-graph`, and what `train` does for Leduc."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from closedhand.cli.common import (
    INTERRUPTED,
    Json,
    note,
    print_json,
    progress_bar,
    save_picture,
    underscored,
)
from closedhand.games.game import Game, InputError

show_app = typer.Typer(help="Pictures of games.", no_args_is_help=True)

Pair = Annotated[
    str | None, typer.Option(help="UH-Leduc: what makes a pair, rank (default) or card.")
]
DoublePair = Annotated[
    str | None,
    typer.Option(help="UH-Leduc: who wins with two pairs, suit (default) or split."),
]

ITERATIONS = 10_000
"""Of `solve`, where neither time nor aim is given."""


def solve(
    game: Annotated[
        str, typer.Argument(metavar="[GAME]", help="uh-leduc or leduc.", callback=underscored)
    ] = "uh_leduc",
    algorithm: Annotated[
        str,
        typer.Option(
            help="cfr, cfr+, lcfr, dcfr, pcfr+, mccfr, mmd, q-learning, ppo, or lp for the exact "
            "value by linear program; several with commas between; all: every solver."
        ),
    ] = "pcfr+",
    iterations: Annotated[
        int | None,
        typer.Option(min=1, help=f"{ITERATIONS} if no other end is given."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so much work.")] = None,
    until: Annotated[float | None, typer.Option(help="Stop at this NashConv.")] = None,
    pair: Pair = None,
    double_pair: DoublePair = None,
    other_game: Annotated[
        str | None, typer.Option("--game", help="In place of GAME.", callback=underscored)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of sampling algorithms.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for strategies and results; in runs/ if absent.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with what the folder holds.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Solve Leduc poker and show the value, best responses and NashConv, all exact.

    NashConv is what both players together could gain by responding best; exploitability is half of
    it. Saves for every algorithm the strategy (npz and CSV), the curve and what --resume needs, and
    a picture of NashConv against iterations and seconds. Ctrl-C stops, and keeps the strategy.
    """
    from closedhand.arena.plot import plot_curves
    from closedhand.baselines.leduc import solving

    bound = bind_leduc(other_game or game, pair, double_pair)
    names = list(solving.SOLVERS) if algorithm == "all" else algorithm.split(",")
    for name in names:
        if name != "lp":
            solving.make(name, bound, seed)  # complains before the first one is at work
    folder = out or Path("runs") / "-".join(
        ["solve", bound.name, *filter(None, (pair, double_pair))]
    )
    if iterations is None and seconds is None and until is None:
        iterations = ITERATIONS
    results = []
    for name in names:
        if name == "lp":
            results.append(solve_exactly(bound, folder / name))
            continue
        results.append(work(bound, name, seed, folder / name, resume, iterations, seconds, until))
        if results[-1]["interrupted"]:
            break
    drawn = [result for result in results if result["curve"]]
    picture = save_picture(plot_curves, drawn, folder / "nash-conv.png") if drawn else None
    if as_json:
        print_json(results[0] if len(names) == 1 else {"runs": results})
    else:
        show_results(results)
        typer.echo(f"saved {folder}/*/strategy.npz" + (f" and {picture}" if picture else ""))
    if results[-1]["interrupted"]:
        note("interrupted; what was done is saved: go on with --resume")
        raise typer.Exit(INTERRUPTED)


def bind_leduc(name: str, pair: str | None = None, double_pair: str | None = None) -> Game:
    """The Leduc game of a command line.

    Raises:
        InputError: An unknown game, another one, or a bad option.
    """
    from closedhand.baselines.leduc.strategy import GAMES
    from closedhand.games import make_game

    given = {"pair": pair, "double_pair": double_pair}
    game = make_game(name, **{key: value for key, value in given.items() if value is not None})
    if game.name not in GAMES:
        raise InputError(f"this command is for {' and '.join(GAMES)}, not {game.name}")
    return game


def work(
    game: Game,
    algorithm: str,
    seed: int,
    folder: Path,
    resume: bool,
    iterations: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
) -> dict[str, Any]:
    """Run an algorithm under a progress bar, save it, and return its summary."""
    from closedhand.baselines.leduc import solving

    if resume:
        run = solving.load(folder, algorithm, game, seed)
    else:
        run = solving.Run(algorithm, solving.make(algorithm, game, seed), seed)
    # The bar counts whatever ends the work; an aim alone has no length.
    by_time = iterations is None and seconds is not None
    total = round(seconds or 0) if by_time else iterations
    unit = f"{algorithm}, seconds" if by_time else f"{algorithm}, iterations"
    with progress_bar(unit, total) as update:
        solving.advance(
            run,
            iterations,
            seconds,
            until,
            progress=lambda run: update(int(run.seconds) if by_time else run.learner.iterations),
            save=lambda run: solving.save(run, folder),
        )
    return solving.summary(run)


def solve_exactly(game: Game, folder: Path) -> dict[str, Any]:
    """Solve a game by linear program, save the equilibrium, and return its summary."""
    import time

    from closedhand.baselines.leduc import linear, solving, strategy
    from closedhand.baselines.leduc.tree import evaluate

    start = time.perf_counter()
    solution = linear.solve(game)
    spent = time.perf_counter() - start
    strategy.save(solution.strategy, folder / "strategy.npz")
    point = solving.Point(1, spent, evaluate(solution.strategy))
    return {
        "game": game.name,
        "options": dict(game.options),
        "algorithm": "lp",
        "interrupted": False,
        **solving.point_summary(point),
        "value": solution.value,
        "curve": [],
    }


def show_results(results: list[dict[str, Any]]) -> None:
    """Print summaries as a table."""
    options = ", ".join(f"{key}={value}" for key, value in results[0]["options"].items())
    title = f"{results[0]['game']} ({options}); chips a game"
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
    table.add_column("algorithm", no_wrap=True)
    for name in ("iterations", "seconds", "S wins", "S best", "T best", "NashConv", "exploit."):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        table.add_row(
            result["algorithm"],
            f"{result['iterations']:,}" if result["curve"] else "",
            f"{result['seconds']:.3f}",
            f"{result['value']:.6f}",
            *(f"{value:.6f}" for value in result["best_responses"].values()),
            f"{result['nash_conv']:.1e}",
            f"{result['exploitability']:.1e}",
        )
    Console().print(table)
    for result in results:
        if result["algorithm"] == "lp":
            typer.echo(f"exact value for S: {result['value']:.12f}")
    typer.echo("NashConv is the sum of the best responses, exploitability half of it")


def learn(
    game: Game, algorithm: str, seconds: float, seed: int, folder: Path, restart: bool
) -> None:
    """What `train` does for Leduc: `seconds` more of an algorithm, and a picture of its curve."""
    from closedhand.arena.plot import plot_curves
    from closedhand.baselines.leduc import solving

    resume = (folder / "learner.npz").exists() and not restart
    if resume:
        seconds += solving.load(folder, algorithm, game, seed).seconds
    result = work(game, algorithm, seed, folder, resume, seconds=seconds)
    show_results([result])
    save_picture(plot_curves, [result], folder / "nash-conv.png")
    path = folder / "strategy.npz"
    typer.echo(f"saved {path}: play it as the agent strategy:{path}")


@show_app.command("leduc-graph")
def leduc_graph(
    out: Annotated[
        Path, typer.Option(help="The picture; it is written as .svg and as .png.")
    ] = Path("leduc-graph.svg"),
    strategy: Annotated[
        Path | None, typer.Option(help="Colour it by a strategy: the npz that solve saved.")
    ] = None,
    card: Annotated[str | None, typer.Option(help="Only with this card of who acts.")] = None,
    flop: Annotated[str | None, typer.Option(help="Only with this flop.")] = None,
) -> None:
    """Draw the state graph of UH-Leduc: 16 states, 36 actions, 11 ends."""
    from closedhand.arena.graph import plot_graph
    from closedhand.baselines.leduc.strategy import load

    played = load(strategy) if strategy else None
    game = played.game if played else bind_leduc("uh_leduc")
    for path in plot_graph(out, game, played, card, flop):
        typer.echo(f"saved {path}")
