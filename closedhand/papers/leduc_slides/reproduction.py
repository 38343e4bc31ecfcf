"""UH-Leduc played intelligently, with proof: exact values, solvers, and results of learning.

`parts` lists the computations; the result of each is kept in its own file, so that an interrupted
run can be resumed. `report` is the text.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from closedhand.arena.plot import plot_curves
from closedhand.baselines.leduc import abstraction, linear, solving
from closedhand.baselines.leduc.tree import evaluate
from closedhand.core.extras import require
from closedhand.core.game import Game, InputError
from closedhand.core.registry import make_game
from closedhand.core.run import Notes, Part, compute_parts

GAMES = {
    "uh_leduc": ("uh_leduc", {}),
    "uh_leduc, double_pair=split": ("uh_leduc", {"double_pair": "split"}),
    "uh_leduc, pair=card": ("uh_leduc", {"pair": "card"}),
    "leduc": ("leduc", {}),
}
"""Names and options of the games, by their titles in the report."""

AIM = 1e-6
"""The NashConv at which a game counts as solved."""

LEARNERS = ("q-learning", "ppo", "mmd", "mccfr")


def parts(folder: Path, seconds: float, seed: int) -> dict[str, Part]:
    """The parts to compute, by name and in order: functions that return JSON.

    Args:
        folder: Folder for strategies and runs to be resumed.
        seconds: Training time of each learner.
        seed: Seed of everything random.
    """
    found: dict[str, Part] = {"values": lambda tell: values(), "solved": lambda tell: solved()}
    for name in ("uh_leduc", "leduc"):
        for algorithm in solving.SOLVERS:
            limit = {"seconds": 20.0} if algorithm == "mccfr" else {"iterations": 20_000}
            found[f"{name}-{algorithm}"] = _running(folder, name, algorithm, seed, **limit)
    found["slides"] = lambda tell: slides()
    for algorithm in LEARNERS:
        found[f"learning-{algorithm}"] = _running(
            folder, "uh_leduc", algorithm, seed, seconds=seconds
        )
    return found


def compute(
    folder: Path, seconds: float, seed: int, progress: Callable[[str, float, int], None]
) -> dict[str, dict[str, Any]]:
    """Compute all parts; those that the folder holds with the same settings are kept.

    Args:
        folder: Folder for the files, one for each part.
        seconds: Training time of each learner.
        seed: Seed of everything random.
        progress: Called with the name of a part, the number of parts done and the number of all
            parts.

    Raises:
        InputError: A library is missing.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    # These fail now, not in five minutes.
    require("scipy")
    for algorithm in LEARNERS:
        solving.find(algorithm)
    settings = {"seconds": seconds, "seed": seed}
    return compute_parts(parts(folder, seconds, seed), folder, settings, progress)


def _running(folder: Path, name: str, algorithm: str, seed: int, **limit: Any) -> Part:
    """A part that runs or resumes an algorithm and returns its summary."""

    def part(tell: Notes) -> dict[str, Any]:
        game = make_game(name)
        ends = "-".join(f"{key}-{value:g}" for key, value in limit.items())
        where = folder / "runs" / f"{name}-{algorithm}-{ends}"
        run = solving.begin(algorithm, game, seed, where)
        try:
            run.resume_if_kept()
        except InputError:
            run = solving.begin(algorithm, game, seed, where)
        return _finished(run, **limit)

    return part


def _finished(run: solving.Run, **limits: Any) -> dict[str, Any]:
    """Advance a run to its limits; its summary.

    Raises:
        KeyboardInterrupt: The run was interrupted.
    """
    run.advance(**limits)
    if run.interrupted:
        raise KeyboardInterrupt
    return run.summary()


def games() -> Iterator[tuple[str, Game]]:
    """All games with their titles in the report."""
    for name, (base, options) in GAMES.items():
        yield name, make_game(base, **options)


def values() -> dict[str, Any]:
    """The exact value of every game, by linear programming."""
    found = {}
    for name, game in games():
        start = time.perf_counter()
        solution = linear.solve(game)
        seconds = time.perf_counter() - start
        found[name] = {
            "value": solution.value,
            "nash_conv": evaluate(solution.strategy).nash_conv,
            "seconds": seconds,
        }
    return found


def solved() -> dict[str, Any]:
    """Runs of predictive CFR+ in every game until NashConv is `AIM`."""
    found = {}
    for name, game in games():
        found[name] = _finished(solving.begin("pcfr+", game), until=AIM)
    return found


def slides() -> dict[str, Any]:
    """NashConv in the real game of CFR+ on the slides' states and on true information sets."""
    game = make_game("uh_leduc")
    iterations = 3000
    recalled = _finished(solving.begin("cfr+", game), iterations=iterations)
    return {
        "iterations": iterations,
        "slides": evaluate(abstraction.solve(game, iterations)).nash_conv,
        "perfect recall": recalled["nash_conv"],
    }


def pictures(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """Draw the curves of the solvers in both games, and of the learners.

    Raises:
        InputError: matplotlib is not installed.
    """
    drawn = {
        f"{name}-solvers.png": [results[f"{name}-{a}"] for a in solving.SOLVERS]
        for name in ("uh_leduc", "leduc")
    }
    drawn["learning.png"] = [results[f"learning-{a}"] for a in LEARNERS]
    for name, runs in drawn.items():
        plot_curves(runs, folder / name)


def report(results: dict[str, dict[str, Any]]) -> str:
    """All results as Markdown."""
    lines = ["# UH-Leduc, reproduced", "", "Values are chips a game. NashConv is what both players"]
    lines += ["together could gain by responding best; exploitability is half of it.", ""]
    lines += ["| game | exact value for S (linear program) | its NashConv | seconds |"]
    lines += ["|---|---|---|---|"]
    for name, row in results["values"].items():
        lines.append(
            f"| {name} | {row['value']:.12f} | {row['nash_conv']:.0e} | {row['seconds']:.2f} |"
        )
    lines += ["", f"Predictive CFR+ until NashConv is {AIM:g}:", ""]
    lines += ["| game | iterations | seconds | value for S | NashConv |", "|---|---|---|---|---|"]
    for name, row in results["solved"].items():
        lines.append(
            f"| {name} | {row['iterations']:,} | {row['seconds']:.2f} | {row['value']:.8f} "
            f"| {row['nash_conv']:.1e} |"
        )
    for game in ("uh_leduc", "leduc"):
        lines += ["", f"Solvers on {game} (picture: {game}-solvers.png):", ""]
        lines += ["| algorithm | iterations | seconds | NashConv | exploitability |"]
        lines += ["|---|---|---|---|---|"]
        for algorithm in solving.SOLVERS:
            row = results[f"{game}-{algorithm}"]
            lines.append(
                f"| {algorithm} | {row['iterations']:,} | {row['seconds']:.2f} "
                f"| {row['nash_conv']:.1e} | {row['exploitability']:.1e} |"
            )
    row = results["slides"]
    lines += [
        "",
        f"The slides' state tuple after {row['iterations']:,} iterations of CFR+: NashConv",
        f"{row['slides']:.3f} in the real game; with perfect recall {row['perfect recall']:.1e}.",
        "",
        "Learning UH-Leduc (picture: learning.png):",
        "",
        "| algorithm | an iteration | iterations | seconds | exploitability | guarantee |",
    ]
    lines += ["|---|---|---|---|---|---|"]
    for algorithm in LEARNERS:
        row, about = results[f"learning-{algorithm}"], solving.ALGORITHMS[algorithm]
        lines.append(
            f"| {algorithm} | {about.unit} | {row['iterations']:,} | {row['seconds']:.0f} "
            f"| {row['exploitability']:.2g} | {about.guarantee} |"
        )
    return "\n".join(lines) + "\n"
