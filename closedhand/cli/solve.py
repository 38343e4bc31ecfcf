"""The commands `solve` and `judge`: equilibria of small games, and exact evaluation of agents."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from closedhand.cli import common
from closedhand.core.file_kinds import CHECKPOINT, PICTURE, SOLUTION, STRATEGY, FileKind, begun
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import require
from closedhand.core.registry import make_game
from closedhand.core.text import slug
from closedhand.core.version import __version__

CONTEXT = {"ignore_unknown_options": True, "allow_extra_args": True}
"""Settings by which `solve` takes unknown options as options of the game."""
ITERATIONS = 10_000
"""Iterations of `solve`, if neither a time nor a NashConv to reach is given."""


def solve(
    context: typer.Context,
    game: common.GameName,
    algorithm: str = "pcfr+",
    iterations: common.NumberOrNone = None,
    seconds: common.PositiveOrNone = None,
    until: common.PositiveOrNone = None,
    states: str | None = None,
    seed: common.Seed = 0,
    out: Path | None = None,
    resume: Annotated[bool, typer.Option("--resume")] = False,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Solve a small game and show the value, best responses and NashConv, all exact.

    NashConv is the sum of the players' gains by best responses; with two players, exploitability is
    half of it. Options of the game may also be given by name: --pair card means --option pair=card.

    The folder gets the strategy, the curve and the data for --resume of every algorithm, and a
    picture of NashConv against iterations and seconds. Without --resume a run starts from scratch
    and overwrites the folder's results. Ctrl-C stops and keeps the strategy.

    The JSON is the result of the algorithm; for several it is an object with the list "runs".

    Example: closedhand solve uh-leduc --until 1e-6

    Options:
        algorithm: One of the algorithms, lp (the linear program, which takes no limits), or several
            separated by commas; all: every solver of the CFR family.
        iterations: Total iterations over all resumptions; 10000 without another limit.
        seconds: Seconds of work over all resumptions.
        until: NashConv at which to stop.
        states: States to learn on instead of the information sets. For uh-leduc: slides, the tuples
            (turn, bets, own card, flop) of the course slides. They omit how the bets were made, so
            that a state stands for several information sets and CFR need not converge. The strategy
            is judged in the real game.
        seed: Seed of sampling algorithms.
        out: Folder for strategies and results; one in runs/ if absent.
        resume: Continue the runs that the folder holds.
    """
    from closedhand.arena.plot import plot_curves
    from closedhand.solvers.tree import trees_of

    bound = common.bind(game, rules, [*(option or []), *options_by_name(context.args)])
    limits = {"iterations": iterations, "seconds": seconds, "until": until}
    names = names_of(algorithm)
    if "lp" in names and (states or (len(names) == 1 and (resume or any(limits.values())))):
        raise InputError(
            "lp solves the whole game at once: it takes no --iterations, --seconds, --until, "
            "--states or --resume"
        )
    if not any(limits.values()):
        limits["iterations"] = ITERATIONS
    trees_of(bound, states).build(bound)  # first, to refuse a game that is too large
    # The folder is named after the game and what differs from its defaults.
    usual = make_game(bound.name).options
    changed = [f"{key} {value}" for key, value in bound.options.items() if value != usual[key]]
    changed += [f"states {states}"] if states else []
    folder = common.make_folder(
        out or Path("runs") / slug(" ".join(["solve", bound.name, *changed])),
        {
            "nash-conv.png": PICTURE,
            **{f"{name}/{file}": kind for name in names for file, kind in files_of(bound).items()},
        },
    )
    results = solve_all(bound, names, limits, states, seed, folder, resume)
    path, picture = folder / "nash-conv.png", None
    try:
        drawn = [result for result in results if result["curve"]]
        picture = common.save_picture(plot_curves, drawn, path) if drawn else None
    finally:  # print the results even if the picture cannot be saved
        if as_json:
            common.print_json(results[0] if len(names) == 1 else {"runs": results})
        else:
            show_results(results)
    if not as_json:
        typer.echo(f"saved {folder}/*/strategy.npz" + (f" and {picture}" if picture else ""))
    again = "interrupted; the work so far is saved: continue with --resume"
    common.leave_if_interrupted(results[-1]["interrupted"], again)


def names_of(algorithm: str) -> list[str]:
    """Parse the algorithms of `--algorithm`; refuse unknown ones."""
    from closedhand.solvers import solving

    names = list(dict.fromkeys(solving.SOLVERS if algorithm == "all" else algorithm.split(",")))
    known = (*solving.ALGORITHMS, "lp")
    for name in names:
        if name not in known:
            raise InputError(f"no algorithm {name!r}; there are {', '.join((*known, 'all'))}")
    return names


def options_by_name(words: list[str]) -> list[str]:
    """Convert options of a game by name, `--key value`, to texts key=value; refuse other words.

    Examples:
        >>> options_by_name(["--double-pair", "split", "--pair=card"])
        ['double_pair=split', 'pair=card']
    """
    options, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not (equals or rest):
            raise InputError(f"no such option: {word}")
        options.append(f"{key.replace('-', '_')}={value if equals else rest.pop(0)}")
    return options


def solve_all(
    game: Game,
    names: Sequence[str],
    limits: dict[str, Any],
    states: str | None,
    seed: int,
    folder: Path,
    resume: bool,
) -> list[dict[str, Any]]:
    """Run algorithms one after the other, until one is interrupted; return their results."""
    from closedhand.solvers import solving

    # Set up all runs before the first one starts, so that errors show at once.
    runs = {}
    for name in names:
        if name == "lp":
            require("scipy")
            continue
        runs[name] = solving.Run(name, game, seed, folder / name, states)
        # Of several algorithms, resume only those that an interrupted run had reached.
        if resume and (len(names) == 1 or (folder / name / "learner.npz").exists()):
            runs[name].resume()
    results: list[dict[str, Any]] = []
    for name in names:
        results.append(
            work(runs[name], **limits) if name in runs else solve_exactly(game, folder / name)
        )
        if results[-1]["interrupted"]:
            break
    return results


def files_of(game: Game) -> dict[str, FileKind]:
    """Return the kinds of the files that a run of an algorithm writes, by file name."""
    from closedhand.solvers.strategy import columns_of

    kinds = {"learner.npz": CHECKPOINT, "result.json": SOLUTION, "strategy.npz": STRATEGY}
    columns = columns_of(game)
    if columns:
        kinds["strategy.csv"] = FileKind("the table of a strategy", begun(",".join(columns) + "\n"))
    return kinds


def work(
    run: Any,
    iterations: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
) -> dict[str, Any]:
    """Advance a `solving.Run`, which saves itself, with a progress bar; return its summary."""
    # Count seconds if they are limited and iterations are not. `until` alone gives no total.
    by_time = iterations is None and seconds is not None
    total = round(seconds or 0) if by_time else iterations
    unit = f"{run.algorithm}, seconds" if by_time else f"{run.algorithm}, iterations"
    with common.progress_bar(unit, total) as update:

        def progress() -> None:
            update(int(run.seconds) if by_time else run.learner.iterations)

        run.advance(iterations, seconds, until, progress)
    return run.summary()


def solve_exactly(game: Game, folder: Path) -> dict[str, Any]:
    """Solve a game by linear programming, save the equilibrium, and return its summary."""
    from closedhand.solvers.sequence_form import solve as solve_program
    from closedhand.solvers.strategy import evaluate, save

    start = time.perf_counter()
    value, strategy = solve_program(game)
    spent = time.perf_counter() - start
    result = {
        "game": game.name,
        "options": dict(game.options),
        "states": None,
        "algorithm": "lp",
        "version": __version__,
        "interrupted": False,
        "iterations": 0,
        "seconds": round(spent, 6),
        **evaluate(strategy).summary(game),
        "value": value,
        "curve": [],
    }
    save(strategy, folder / "strategy.npz")
    write_atomically(folder / "result.json", json.dumps(result) + "\n")
    return result


def judge(
    game: common.GameName,
    agent: Annotated[str, typer.Argument(metavar="AGENT")],
    seed: common.Seed = 0,
    rules: common.Rules = None,
    option: common.Options = None,
    as_json: common.Json = False,
) -> None:
    """Evaluate an agent in a small game: value, best responses and NashConv, all exact.

    All seats play the agent, or all except one, which plays its best response. NashConv is the sum
    of the players' gains by best responses: 0 only for an equilibrium. If several seats play for
    one side, a further line gives an upper bound of the sum of their payoffs: that of a joint best
    response in which they see each other's cards.

    An agent without probabilities is asked once at every information set, and judged as if it
    always decided so: exactly if it is deterministic.

    Example: closedhand judge leduc random

    Options:
        agent: The agent.
        seed: Seed of the agent.
    """
    from closedhand.arena.results import role_names
    from closedhand.core.agents import make_agent
    from closedhand.solvers.evaluate import evaluate_rows
    from closedhand.solvers.strategy import shared_responses, strategy_of
    from closedhand.solvers.tree import build, tree_size

    bound = common.bind(game, rules, option)
    played = strategy_of(bound, make_agent(bound, agent, seed))
    tree = build(bound)
    result: dict[str, Any] = {
        "game": bound.name,
        "options": dict(bound.options),
        "agent": agent,
        **tree_size(tree),
        **evaluate_rows(tree, played.probabilities).summary(bound),
    }
    sides = dict(zip(sorted(set(bound.sides)), role_names(bound), strict=True))
    shared = {sides[side]: won for side, won in shared_responses(played).items()}
    result |= {"shared_information": shared} if shared else {}
    if as_json:
        common.print_json(result)
        return
    title = f"{called(result)}; {agent} at all seats; {bound.unit} a game"
    cells = judged_cells(result)
    headings = [f">{name}" for name in cells]
    common.print_table(headings, [[*cells.values()]], title, no_wrap=True)
    typer.echo(
        f"{result['information_sets']:,} information sets, {result['nodes']:,} histories; "
        + explained(result)
    )
    for name, won in shared.items():
        typer.echo(f"{name}, with shared information: at most {won:z.6f} in sum")


def called(result: dict[str, Any]) -> str:
    """Write the game of a result with its options, for a title."""
    options = ", ".join(f"{key}={value}" for key, value in result["options"].items())
    states = f" on the states {result['states']}" if result.get("states") else ""
    return f"{result['game']} ({options}){states}"


def judged_cells(result: dict[str, Any]) -> dict[str, str]:
    """Write value, best responses, NashConv and exploitability of a result, by their headings."""
    best = result["best_responses"]
    return {
        f"{next(iter(best))} wins": f"{result['value']:z.6f}",
        **{f"{player} best": f"{value:z.6f}" for player, value in best.items()},
        "NashConv": f"{result['nash_conv']:.1e}",
        "exploit.": f"{result['exploitability']:.1e}",
    }


def show_results(results: list[dict[str, Any]]) -> None:
    """Print summaries as a table."""
    first = results[0]
    judged = [f">{name}" for name in judged_cells(first)]
    rows = [
        (
            result["algorithm"],
            f"{result['iterations']:,}" if result["iterations"] else "",
            f"{result['seconds']:.3f}",
            *judged_cells(result).values(),
        )
        for result in results
    ]
    title = f"{called(first)}; {make_game(first['game'], **first['options']).unit} a game"
    common.print_table(["algorithm", ">iterations", ">seconds", *judged], rows, title, no_wrap=True)
    for result in results:
        if result["algorithm"] == "lp":
            player = next(iter(result["best_responses"]))
            typer.echo(f"exact value for {player}: {result['value']:.12f}")
    typer.echo(explained(first))


def explained(result: dict[str, Any]) -> str:
    """Explain NashConv and exploitability in one line."""
    if "others" not in result:  # two players, zero sum
        return "NashConv is the sum of the best responses, exploitability half of it"
    share = f"1/{len(result['best_responses'])}"
    return f"NashConv is the sum of all gains by best responses, exploitability {share} of it"
