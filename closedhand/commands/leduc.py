"""The solver and trainer of Leduc for the command line, and its `reproduce` and `show` commands."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from closedhand.cli.common import (
    INTERRUPTED,
    Json,
    Seed,
    claim_files,
    make_folder,
    new_table,
    note,
    positive,
    print_json,
    progress_bar,
    save_picture,
    slug,
)
from closedhand.cli.reproduce import Only, Out, Quick, computed, report_name, sections, show_report
from closedhand.core.extras import require
from closedhand.core.game import Game, InputError


def solve(
    bound: Game,
    algorithm: str,
    iterations: int | None,
    seconds: float | None,
    until: float | None,
    seed: int,
    out: Path | None,
    resume: bool,
    as_json: bool,
) -> None:
    """Solve a game of the Leduc family; see `closedhand.cli.solve`."""
    from closedhand.arena.plot import plot_curves
    from closedhand.baselines.leduc import solving

    names = list(solving.SOLVERS) if algorithm == "all" else algorithm.split(",")
    for name in names:
        if name not in (*solving.ALGORITHMS, "lp"):
            known = ", ".join((*solving.ALGORITHMS, "lp", "all"))
            raise InputError(f"no algorithm {name!r}; there are {known}")
    folder = make_folder(
        out or Path("runs") / slug(" ".join(["solve", bound.name, *chosen(bound)]))
    )
    # All runs are set up before the first one starts, so that errors show at once.
    runs = {}
    for name in names:
        # Of several algorithms, only those that an interrupted run had reached are resumed.
        go_on = resume and (len(names) == 1 or (folder / name / "learner.npz").exists())
        if name == "lp":
            require("scipy")
        else:
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
        note("interrupted; the work so far is saved: continue with --resume")
        raise typer.Exit(INTERRUPTED)


def chosen(game: Game) -> list[str]:
    """The options of a game that differ from its defaults, as `key value`."""
    from closedhand.core.registry import make_game

    usual = make_game(game.name).options
    return [f"{key} {value}" for key, value in game.options.items() if value != usual[key]]


def curves(game: Game, folder: Path) -> list[dict[str, Any]]:
    """The results for a game in a folder that have a curve, in the order of the algorithms."""
    from closedhand.baselines.leduc import solving
    from closedhand.core.reading import read_json

    results = [read_json(folder / name / "result.json") for name in solving.ALGORITHMS]
    same = game.name, dict(game.options)
    return [each for each in results if (each.get("game"), each.get("options")) == same]


def work(
    run: Any,
    iterations: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
) -> dict[str, Any]:
    """Advance a `solving.Run`, which saves itself, under a progress bar; returns its summary."""
    # The bar counts iterations or seconds; a NashConv to reach gives it no total.
    by_time = iterations is None and seconds is not None
    total = round(seconds or 0) if by_time else iterations
    unit = f"{run.algorithm}, seconds" if by_time else f"{run.algorithm}, iterations"
    with progress_bar(unit, total) as update:

        def progress() -> None:
            update(int(run.seconds) if by_time else run.solver.iterations)

        run.advance(iterations, seconds, until, progress)
    return run.summary()


def solve_exactly(game: Game, folder: Path) -> dict[str, Any]:
    """Solve a game by linear programming, save the equilibrium, and return its summary."""
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
    """Run an algorithm for `seconds` more, print the result, and draw its curve."""
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
        note("interrupted; the same command resumes")
        raise typer.Exit(INTERRUPTED)


def graph(
    out: Annotated[
        Path, typer.Option(help="Name of the picture, which is saved as .svg and as .png.")
    ] = Path("leduc-graph.svg"),
    strategy: Annotated[
        Path | None, typer.Option(help="Strategy that colours the graph, an npz file from solve.")
    ] = None,
    card: Annotated[
        str | None,
        typer.Option(help="Card of the player to act, to draw only that part of the strategy."),
    ] = None,
    flop: Annotated[
        str | None, typer.Option(help="Flop, to draw only that part of the strategy.")
    ] = None,
) -> None:
    """Draw the state graph of UH-Leduc: 16 states, 36 actions, 11 ends."""
    from closedhand.baselines.leduc.strategy import load
    from closedhand.core.registry import make_game
    from closedhand.papers.leduc_slides.graph import pictures_of, plot_graph

    claim_files(*pictures_of(out))
    played = load(strategy) if strategy else None
    game = played.game if played else make_game("uh_leduc")
    for path in plot_graph(out, game, played, card, flop):
        typer.echo(f"saved {path}")


def reproduce(
    out: Out = Path("runs/leduc"),
    only: Only = None,
    quick: Quick = False,
    seconds: Annotated[
        float | None,
        typer.Option(help="Training time of each learner; 120 if absent.", callback=positive),
    ] = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """UH-Leduc solved and learned: exact values, all algorithms, and what each achieves.

    Sections are values, solved, solvers, slides and learning. Takes about ten minutes; with --quick
    learners have ten seconds each. Ctrl-C stops; the same command resumes.
    """
    from closedhand.papers.leduc_slides import reproduction

    usual = reproduction.QUICK if quick else reproduction.Plan()
    plan = reproduction.Plan(
        seconds=seconds or usual.seconds,
        sampling=usual.sampling,
        seed=seed,
        sections=sections(only, reproduction.SECTIONS, usual.sections),
    )
    results = computed(out, lambda tell: reproduction.compute(out, plan, tell))
    save_picture(reproduction.pictures, results, out)
    show_report(out, reproduction.report(results), results, as_json, report_name(only))
