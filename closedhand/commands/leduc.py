"""The commands `solve` and `show leduc-graph`, and what `train` does for Leduc."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from closedhand.cli.common import (
    INTERRUPTED,
    Json,
    make_folder,
    new_table,
    note,
    positive,
    print_json,
    progress_bar,
    save_picture,
    slug,
    underscored,
)
from closedhand.core.game import Game, InputError

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
        typer.Option(
            min=1, help=f"Stop after so many, those resumed included; {ITERATIONS} if no other end."
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Stop after so much work, that resumed included.", callback=positive),
    ] = None,
    until: Annotated[
        float | None, typer.Option(help="Stop at this NashConv.", callback=positive)
    ] = None,
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
    it. For every algorithm the folder gets the strategy (npz and CSV), the curve and what --resume
    needs (without which a run begins anew, over what was there), and a picture of NashConv against
    iterations and seconds of all that was solved into it. Ctrl-C stops, and keeps the strategy. The
    JSON is that of the algorithm, or of several as the list "runs".
    """
    from closedhand.arena.plot import plot_curves
    from closedhand.baselines.leduc import solving

    bound = bind_leduc(other_game or game, pair, double_pair)
    names = list(solving.SOLVERS) if algorithm == "all" else algorithm.split(",")
    for name in names:
        if name not in (*solving.ALGORITHMS, "lp"):
            known = ", ".join((*solving.ALGORITHMS, "lp", "all"))
            raise InputError(f"no algorithm {name!r}; there are {known}")
    folder = make_folder(
        out or Path("runs") / slug(" ".join(["solve", bound.name, *chosen(bound)]))
    )
    if iterations is None and seconds is None and until is None:
        iterations = ITERATIONS
    # All of them before the first one is at work: what is wrong shows now.
    runs = {}
    for name in names:
        # Of several algorithms those go on that an interrupted run had come to.
        go_on = resume and (len(names) == 1 or (folder / name / "learner.npz").exists())
        if name != "lp":
            runs[name] = (
                solving.load(folder / name, name, bound, seed)
                if go_on
                else solving.begin(name, bound, seed, folder / name)
            )
    results = []
    for name in names:
        if name == "lp":
            results.append(solve_exactly(bound, folder / name))
        else:
            results.append(work(runs[name], iterations, seconds, until))
        if results[-1]["interrupted"]:
            break
    drawn = curves(bound, folder)
    picture = save_picture(plot_curves, drawn, folder / "nash-conv.png") if drawn else None
    if as_json:
        print_json(results[0] if len(names) == 1 else {"runs": results})
    else:
        show_results(results)
        typer.echo(f"saved {folder}/*/strategy.npz" + (f" and {picture}" if picture else ""))
    if results[-1]["interrupted"]:
        note("interrupted; what was done is saved: go on with --resume")
        raise typer.Exit(INTERRUPTED)


def chosen(game: Game) -> list[str]:
    """The options of a game that are not the defaults of its name."""
    from closedhand.core.registry import make_game

    usual = make_game(game.name).options
    return [f"{key} {value}" for key, value in game.options.items() if value != usual[key]]


def curves(game: Game, folder: Path) -> list[dict[str, Any]]:
    """The results with a curve that were solved into a folder for a game, in the usual order."""
    from closedhand.baselines.leduc import solving
    from closedhand.core.files import read_json

    results = [read_json(folder / name / "result.json") for name in solving.ALGORITHMS]
    same = game.name, dict(game.options)
    return [each for each in results if (each.get("game"), each.get("options")) == same]


def bind_leduc(name: str, pair: str | None = None, double_pair: str | None = None) -> Game:
    """The Leduc game of a command line.

    Raises:
        InputError: An unknown game, another one, or a bad option.
    """
    from closedhand.baselines.leduc.strategy import GAMES
    from closedhand.core.registry import make_game

    given = {"pair": pair, "double_pair": double_pair}
    game = make_game(name, **{key: value for key, value in given.items() if value is not None})
    if game.name not in GAMES:
        raise InputError(f"this command is for {' and '.join(GAMES)}, not {game.name}")
    return game


def work(
    run: Any,
    iterations: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
) -> dict[str, Any]:
    """Advance a `solving.Run` under a progress bar, which saves it, and return its summary."""
    # The bar counts whatever ends the work; an aim alone has no length.
    by_time = iterations is None and seconds is not None
    total = round(seconds or 0) if by_time else iterations
    unit = f"{run.algorithm}, seconds" if by_time else f"{run.algorithm}, iterations"
    with progress_bar(unit, total) as update:

        def progress() -> None:
            update(int(run.seconds) if by_time else run.solver.iterations)

        run.advance(iterations, seconds, until, progress)
    return run.summary()


def solve_exactly(game: Game, folder: Path) -> dict[str, Any]:
    """Solve a game by linear program, save the equilibrium, and return its summary."""
    import json
    import time

    from closedhand import __version__
    from closedhand.baselines.leduc import linear, solving, strategy
    from closedhand.baselines.leduc.tree import evaluate
    from closedhand.core.files import write_atomically

    start = time.perf_counter()
    solution = linear.solve(game)
    spent = time.perf_counter() - start
    result = {
        "game": game.name,
        "options": dict(game.options),
        "algorithm": "lp",
        "version": __version__,
        "interrupted": False,
        "iterations": 0,
        "seconds": round(spent, 6),
        **solving.judgement_summary(evaluate(solution.strategy)),
        "value": solution.value,
        "curve": [],
    }
    strategy.save(solution.strategy, folder / "strategy.npz")
    write_atomically(folder / "result.json", json.dumps(result) + "\n")
    return result


def show_results(results: list[dict[str, Any]]) -> None:
    """Print summaries as a table."""
    options = ", ".join(f"{key}={value}" for key, value in results[0]["options"].items())
    title = f"{results[0]['game']} ({options}); chips a game"
    table = new_table(title)
    table.add_column("algorithm", no_wrap=True)
    for name in ("iterations", "seconds", "S wins", "S best", "T best", "NashConv", "exploit."):
        table.add_column(name, justify="right", no_wrap=True)
    for result in results:
        table.add_row(
            result["algorithm"],
            f"{result['iterations']:,}" if result["iterations"] else "",
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

    make_folder(folder)
    run = solving.begin(algorithm, game, seed, folder)
    run.resume_if_kept(restart)
    result = work(run, seconds=run.seconds + seconds)
    show_results([result])
    save_picture(plot_curves, [result], folder / "nash-conv.png")
    path = folder / "strategy.npz"
    typer.echo(f"saved {path}: play it as the agent strategy:{path}")
    if result["interrupted"]:
        note("interrupted; the same command goes on")
        raise typer.Exit(INTERRUPTED)


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
    from closedhand.baselines.leduc.strategy import load
    from closedhand.papers.leduc_slides.graph import plot_graph

    played = load(strategy) if strategy else None
    game = played.game if played else bind_leduc("uh_leduc")
    for path in plot_graph(out, game, played, card, flop):
        typer.echo(f"saved {path}")
