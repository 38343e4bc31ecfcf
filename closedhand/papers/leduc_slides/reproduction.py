"""UH-Leduc, reproduced: exact values, solvers, and results of learning.

`parts` lists the computations. The result of each is kept in its own file, so an interrupted run
can be resumed. `report` writes the results.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from closedhand.agents.leduc.slides import SLIDES
from closedhand.arena.plot import plot_curves
from closedhand.core.game import Game
from closedhand.core.optional_imports import require
from closedhand.core.parts import Notes, Part, compute_parts
from closedhand.core.registry import make_game
from closedhand.solvers import sequence_form, solving
from closedhand.solvers.strategy import evaluate, strategy_of

GAMES = {
    "uh_leduc": ("uh_leduc", {}),
    "uh_leduc, double_pair=split": ("uh_leduc", {"double_pair": "split"}),
    "uh_leduc, pair=card": ("uh_leduc", {"pair": "card"}),
    "leduc": ("leduc", {}),
}
"""Names and options of the games, by their titles in the report."""

AIM = 1e-6
"""The NashConv at which a game counts as solved."""

LEARNERS = ("q-learning", "mmd", "mccfr")
"""Learners in tables; PPO, which learns a network, is a part of its own."""
PPO_SETTINGS: dict[str, Any] = {
    "entropy": 0.2, "magnet": 0.5, "batch": 32768, "epochs": 1, "gae_lambda": 1.0,
    "learning_rate": 0.002,
}  # fmt: skip
"""Settings of PPO for a game of bluff: large updates, much entropy and a strong magnet."""
JUDGEMENTS = 20
"""Number of exact evaluations of PPO during training, evenly spaced."""
SOLVED = ("uh_leduc", "leduc")
"""Games of the section "solvers"."""

ON_SLIDES = {"cfr+": 3000, "q-learning": 10_000_000}
"""Algorithms that run on the slides' states, and their iterations."""

SECTIONS = ("values", "solved", "solvers", "slides", "learning")
"""Sections that can be computed alone."""


DIFFERENCES = (
    "Differences: the slides give no values and name no method, so our figures have none of",
    "theirs beside them; Q-learning is our example of a simple method. The slides leave open",
    "whether a pair is one of ranks or of equal cards, and who wins with two pairs: all three",
    "games are solved. Their states omit how the bets were made. A separate table shows the cost",
    "of that; all other figures are for information sets with the whole betting.",
)
"""Differences from the slides, and their causes."""


@dataclass(frozen=True)
class Plan:
    """Settings of a reproduction.

    Attributes:
        seconds: Training time of each learner.
        sampling: Time of MCCFR among the solvers, in seconds.
        seed: Seed of all random numbers.
        sections: Some of `SECTIONS`.
    """

    seconds: float = 120.0
    sampling: float = 20.0
    seed: int = 0
    sections: tuple[str, ...] = SECTIONS


QUICK = Plan(seconds=10.0, sampling=5.0)
"""A short run."""


def parts(folder: Path, plan: Plan) -> dict[str, Part]:
    """List the parts to compute, by name and in order: functions that return JSON data.

    Args:
        folder: Folder for strategies and resumable runs.
        plan: Settings of the reproduction.
    """
    solvers: dict[str, Part] = {}
    for name in SOLVED:
        for algorithm in solving.SOLVERS:
            limit = {"seconds": plan.sampling} if algorithm == "mccfr" else {"iterations": 20_000}
            solvers[f"{name}-{algorithm}"] = _running(folder, name, algorithm, plan.seed, **limit)
    learners = {
        f"learning-{algorithm}": _running(
            folder, "uh_leduc", algorithm, plan.seed, seconds=plan.seconds
        )
        for algorithm in LEARNERS
    }
    learners["learning-ppo"] = _learning_ppo(folder, plan.seed, plan.seconds)
    by_section: dict[str, dict[str, Part]] = {
        "values": {"values": lambda notes: values()},
        "solved": {"solved": lambda notes: solved()},
        "solvers": solvers,
        "slides": {
            f"slides-{algorithm}": lambda notes, algorithm=algorithm: slides(algorithm, plan.seed)
            for algorithm in ON_SLIDES
        },
        "learning": learners,
    }
    return {name: part for section in plan.sections for name, part in by_section[section].items()}


def compute(
    folder: Path, plan: Plan, progress: Callable[[str, float, int], None]
) -> dict[str, dict[str, Any]]:
    """Compute all parts, except those that the folder holds with the same settings.

    Args:
        folder: Folder for the files, one for each part.
        plan: Settings of the reproduction.
        progress: Called with the name of a part, the number of parts done and the number of all
            parts.

    Raises:
        InputError: A library is not installed.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    # Errors now, ahead of minutes of work.
    require("scipy")
    if "learning" in plan.sections:
        require("torch", "safetensors")
    settings = {"seconds": plan.seconds, "sampling": plan.sampling, "seed": plan.seed}
    return compute_parts(parts(folder, plan), folder, settings, progress)


def _running(folder: Path, name: str, algorithm: str, seed: int, **limit: Any) -> Part:
    """Make the part that runs or resumes an algorithm and returns its summary."""

    def part(notes: Notes) -> dict[str, Any]:
        game = make_game(name)
        ends = "-".join(f"{key}-{value:g}" for key, value in limit.items())
        where = folder / "runs" / f"{name}-{algorithm}-{ends}"
        notes.own(where)
        notes.keep(dict)
        run = solving.begin(algorithm, game, seed, where)
        run.resume_if_kept()
        return _finished(run, **limit)

    return part


def _learning_ppo(folder: Path, seed: int, seconds: float) -> Part:
    """Make the part that trains or resumes PPO in self-play and evaluates its policy exactly."""

    def part(notes: Notes) -> dict[str, Any]:
        from closedhand.learning import runs
        from closedhand.learning.ppo import PPO, PPOSettings

        game = make_game("uh_leduc")
        where = folder / "runs" / f"uh_leduc-ppo-seconds-{seconds:g}"
        notes.own(where)
        notes.keep(dict)
        learner = PPO(game, PPOSettings(**PPO_SETTINGS), seed)
        run = runs.begin(learner, where)
        run.resume_if_kept()
        curve: list[dict[str, Any]] = []

        def judge_now() -> None:
            found = evaluate(strategy_of(game, learner.agent()))
            point = {"iterations": learner.updates, "seconds": round(run.seconds, 3)}
            curve.append({**point, **solving.judgement_summary(game, found)})

        def progress() -> None:
            if run.seconds * JUDGEMENTS > seconds * (len(curve) + 1):
                judge_now()
            notes(min(1.0, run.seconds / seconds))

        run.work(seconds, progress=progress)
        if run.interrupted:
            raise KeyboardInterrupt
        judge_now()
        about = {"algorithm": "ppo", "game": game.name, "options": dict(game.options)}
        return {**about, **curve[-1], "curve": curve}

    return part


def _finished(run: solving.Run, **limits: Any) -> dict[str, Any]:
    """Advance a run to its limits and return its summary.

    Raises:
        KeyboardInterrupt: The run was interrupted.
    """
    run.advance(**limits)
    if run.interrupted:
        raise KeyboardInterrupt
    return run.summary()


def games() -> Iterator[tuple[str, Game]]:
    """Yield all games with their titles in the report."""
    for name, (base, options) in GAMES.items():
        yield name, make_game(base, **options)


def values() -> dict[str, Any]:
    """Compute the exact value of every game by linear programming."""
    found = {}
    for name, game in games():
        start = time.perf_counter()
        value, strategy = sequence_form.solve(game)
        seconds = time.perf_counter() - start
        found[name] = {
            "value": value,
            "nash_conv": evaluate(strategy).nash_conv,
            "seconds": seconds,
        }
    return found


def solved() -> dict[str, Any]:
    """Run predictive CFR+ in every game until NashConv is `AIM`."""
    found = {}
    for name, game in games():
        found[name] = _finished(solving.begin("pcfr+", game), until=AIM)
    return found


def slides(algorithm: str, seed: int) -> dict[str, Any]:
    """Compute NashConv in the real game for the slides' states and for true information sets."""
    game = make_game("uh_leduc")
    iterations = ON_SLIDES[algorithm]
    forgetful = solving.make_solver(algorithm, game, seed, SLIDES)
    forgetful.run(iterations)
    recalled = _finished(solving.begin(algorithm, game, seed), iterations=iterations)
    return {
        "iterations": iterations,
        "slides": evaluate(forgetful.strategy()).nash_conv,
        "perfect recall": recalled["nash_conv"],
    }


PICTURES = {
    **{f"{name}-solvers.png": [f"{name}-{a}" for a in solving.SOLVERS] for name in SOLVED},
    "learning.png": [f"learning-{a}" for a in (*LEARNERS, "ppo")],
}
"""The results that each picture shows, by its file."""


def pictures(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """Draw the curves of the solvers in both games and of the learners, as far as computed.

    Raises:
        InputError: matplotlib is not installed.
    """
    for name, runs in PICTURES.items():
        if runs[0] in results:
            plot_curves([results[run] for run in runs], folder / name)


def report(results: dict[str, dict[str, Any]]) -> str:
    """Write all results as Markdown."""
    lines = ["# UH-Leduc, reproduced", "", "Values are chips a game. NashConv is the sum of the"]
    lines += ["gains of both players' best responses; exploitability is half of it."]
    lines += ["", *DIFFERENCES]
    if "values" in results:
        lines += ["", *_values(results["values"])]
    if "solved" in results:
        lines += ["", *_solved(results["solved"])]
    for game in SOLVED:
        if f"{game}-{solving.SOLVERS[0]}" in results:
            lines += ["", *_solvers(results, game)]
    if all(f"slides-{algorithm}" in results for algorithm in ON_SLIDES):
        lines += ["", *_slides(results)]
    if f"learning-{LEARNERS[0]}" in results:
        lines += ["", *_learning(results)]
    return "\n".join(lines) + "\n"


def _values(rows: dict[str, Any]) -> list[str]:
    """Write the exact values."""
    lines = ["| game | exact value for S (linear program) | its NashConv | seconds |"]
    lines += ["|---|---|---|---|"]
    for name, row in rows.items():
        lines.append(
            f"| {name} | {row['value']:.12f} | {row['nash_conv']:.0e} | {row['seconds']:.2f} |"
        )
    return lines


def _solved(rows: dict[str, Any]) -> list[str]:
    """Write the runs of predictive CFR+ until the games are solved."""
    lines = [f"Predictive CFR+ until NashConv is {AIM:g}:", ""]
    lines += ["| game | iterations | seconds | value for S | NashConv |", "|---|---|---|---|---|"]
    for name, row in rows.items():
        lines.append(
            f"| {name} | {row['iterations']:,} | {row['seconds']:.2f} | {row['value']:.8f} "
            f"| {row['nash_conv']:.1e} |"
        )
    return lines


def _solvers(results: dict[str, dict[str, Any]], game: str) -> list[str]:
    """Write the results of all solvers of a game."""
    lines = [f"Solvers on {game} (picture: {game}-solvers.png):", ""]
    lines += ["| algorithm | iterations | seconds | NashConv | exploitability |"]
    lines += ["|---|---|---|---|---|"]
    for algorithm in solving.SOLVERS:
        row = results[f"{game}-{algorithm}"]
        lines.append(
            f"| {algorithm} | {row['iterations']:,} | {row['seconds']:.2f} "
            f"| {row['nash_conv']:.1e} | {row['exploitability']:.1e} |"
        )
    return lines


def _slides(results: dict[str, dict[str, Any]]) -> list[str]:
    """Write the cost of the slides' states."""
    lines = [
        "NashConv in the real game of UH-Leduc, on the slides' states and with perfect recall:"
    ]
    lines += ["", "| algorithm | an iteration | iterations | slides' states | perfect recall |"]
    lines += ["|---|---|---|---|---|"]
    for algorithm in ON_SLIDES:
        row = results[f"slides-{algorithm}"]
        lines.append(
            f"| {algorithm} | {solving.ALGORITHMS[algorithm].unit} | {row['iterations']:,} "
            f"| {row['slides']:.3g} | {row['perfect recall']:.2g} |"
        )
    return lines


def _learning(results: dict[str, dict[str, Any]]) -> list[str]:
    """Write the results of the learners."""
    lines = ["Learning UH-Leduc (picture: learning.png):", ""]
    lines += ["| algorithm | an iteration | iterations | seconds | exploitability | guarantee |"]
    lines += ["|---|---|---|---|---|---|"]
    about = solving.ALGORITHMS
    kinds = {name: (about[name].unit, about[name].guarantee) for name in LEARNERS}
    for algorithm, (unit, guarantee) in {**kinds, "ppo": ("update", "none")}.items():
        row = results[f"learning-{algorithm}"]
        lines.append(
            f"| {algorithm} | {unit} | {row['iterations']:,} | {row['seconds']:.0f} "
            f"| {row['exploitability']:.2g} | {guarantee} |"
        )
    return lines
