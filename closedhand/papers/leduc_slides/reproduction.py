"""UH-Leduc, reproduced: exact values, solvers, and results of learning."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from closedhand.agents.leduc.tree import SLIDES
from closedhand.arena.plot import plot_curves
from closedhand.core.markdown import cells, table
from closedhand.core.optional_imports import require
from closedhand.core.parts import Notes, Part, Progress, Results, Sectioned, compute_parts
from closedhand.core.registry import make_game
from closedhand.solvers import sequence_form, solving
from closedhand.solvers.strategy import evaluate, strategy_of

GAMES = {
    "uh_leduc": make_game("uh_leduc"),
    "uh_leduc, double_pair=split": make_game("uh_leduc", double_pair="split"),
    "uh_leduc, pair=card": make_game("uh_leduc", pair="card"),
    "leduc": make_game("leduc"),
}
"""The games by their titles in the report."""

AIM = 1e-6
"""The NashConv at which a game counts as solved."""

LEARNERS = ("q-learning", "mmd", "mccfr")
"""Tabular learners of the section "learning"; PPO, which learns a network, is another part."""
PPO_SETTINGS: dict[str, Any] = {
    "entropy": 0.2, "magnet": 0.5, "batch": 32768, "epochs": 1, "gae_lambda": 1.0,
    "learning_rate": 0.002,
}  # fmt: skip
"""Settings of PPO for a game of bluffing: large updates, much entropy, a strong magnet (`PPO`)."""
JUDGEMENTS = 20
"""Maximum number of exact evaluations of PPO in training, evenly spaced in time."""
SOLVED = ("uh_leduc", "leduc")
"""Games of the section "solvers"."""

ON_SLIDES = {"cfr+": 3000, "q-learning": 10_000_000}
"""Algorithms that run on the slides' states (see `DIFFERENCES`), and their iterations."""

SECTIONS = ("values", "solved", "solvers", "slides", "learning")

DIFFERENCES = (
    "Differences: the slides give no values and name no algorithm, so our figures have none of",
    "theirs beside them; Q-learning is our example of a simple one. The slides leave open",
    "whether a pair is one of ranks or of equal cards, and who wins with two pairs: all three",
    "games are solved. Their states omit how the bets were made. A separate table shows the cost",
    "of that; all other figures are for information sets with the whole betting.",
)


@dataclass(frozen=True)
class Plan(Sectioned):
    """Settings of a reproduction."""

    seconds: float = 120.0  # training time of each learner
    sampling: float = 20.0  # seconds of MCCFR in the section `solvers`
    seed: int = 0  # seed of all random numbers
    sections: tuple[str, ...] = SECTIONS


QUICK = Plan(seconds=10.0, sampling=5.0)


def parts(folder: Path, plan: Plan) -> dict[str, Part]:
    """Return the parts to compute, in order, by name; runs go to `folder`."""
    solvers: dict[str, Part] = {}
    for name in SOLVED:
        for algorithm in solving.SOLVERS:
            limit = {"seconds": plan.sampling} if algorithm == "mccfr" else {"iterations": 20_000}
            solvers[f"{name}-{algorithm}"] = _running(folder, name, algorithm, plan.seed, **limit)
    learning = {
        f"learning-{name}": _running(folder, "uh_leduc", name, plan.seed, seconds=plan.seconds)
        for name in LEARNERS
    }
    by_section: dict[str, dict[str, Part]] = {
        "values": {"values": lambda notes: values()},
        "solved": {"solved": lambda notes: solved()},
        "solvers": solvers,
        "slides": {
            f"slides-{algorithm}": lambda notes, algorithm=algorithm: slides(algorithm, plan.seed)
            for algorithm in ON_SLIDES
        },
        "learning": {**learning, "learning-ppo": _learning_ppo(folder, plan.seed, plan.seconds)},
    }
    return {name: part for section in plan.sections for name, part in by_section[section].items()}


def compute(folder: Path, plan: Plan, progress: Progress) -> Results:
    """Compute all parts by `compute_parts`; an `InputError` names a missing library."""
    require("scipy")  # an error now, ahead of minutes of work
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
        run = solving.Run(algorithm, game, seed, where)
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
        learner = PPO(game, PPOSettings(**PPO_SETTINGS), seed)
        run = runs.begin(learner, where)
        run.resume_if_kept()
        begun = notes.begun or {"curve": []}
        # After a kill the checkpoint may be older than the curve.
        curve = [point for point in begun["curve"] if point["seconds"] <= run.seconds]
        notes.keep(lambda: {"curve": curve})
        marks = [seconds * number / JUDGEMENTS for number in range(1, JUDGEMENTS + 1)]
        while not curve or curve[-1]["seconds"] < round(seconds, 3):
            # An update may pass several marks, so continue to the next mark that is still ahead.
            limit = next((mark for mark in marks if mark > run.seconds), seconds)
            run.work(limit, progress=lambda: notes(min(1.0, run.seconds / seconds)))
            if run.interrupted:
                raise KeyboardInterrupt
            found = evaluate(strategy_of(game, learner.agent()))
            point = {"iterations": learner.updates, "seconds": round(run.seconds, 3)}
            curve.append({**point, **found.summary(game)})
        about = {"algorithm": "ppo", "game": game.name, "options": dict(game.options)}
        return {**about, **curve[-1], "curve": curve}

    return part


def _finished(run: solving.Run, **limits: Any) -> dict[str, Any]:
    run.advance(**limits)
    if run.interrupted:
        raise KeyboardInterrupt
    return run.summary()


def values() -> dict[str, Any]:
    """Compute the exact value of every game by linear programming."""
    found = {}
    for name, game in GAMES.items():
        start = time.perf_counter()
        value, strategy = sequence_form.solve(game)
        seconds = time.perf_counter() - start
        nash_conv = evaluate(strategy).nash_conv
        found[name] = {"value": value, "nash_conv": nash_conv, "seconds": seconds}
    return found


def solved() -> dict[str, Any]:
    """Run predictive CFR+ in every game until NashConv is at most `AIM`."""
    return {name: _finished(solving.Run("pcfr+", game), until=AIM) for name, game in GAMES.items()}


def slides(algorithm: str, seed: int) -> dict[str, Any]:
    """Learn on the slides' states and with perfect recall; compute NashConv in the real game."""
    game = make_game("uh_leduc")
    iterations = ON_SLIDES[algorithm]
    forgetful = solving.make_solver(algorithm, game, seed, SLIDES)
    forgetful.run(iterations)
    recalled = _finished(solving.Run(algorithm, game, seed), iterations=iterations)
    return {
        "iterations": iterations,
        "slides": evaluate(forgetful.strategy()).nash_conv,
        "perfect recall": recalled["nash_conv"],
    }


PICTURES = {
    **{f"{name}-solvers.png": [f"{name}-{a}" for a in solving.SOLVERS] for name in SOLVED},
    "learning.png": [f"learning-{a}" for a in (*LEARNERS, "ppo")],
}
"""Results that each picture shows, by file."""


def pictures(results: Results, folder: Path) -> None:
    """Draw the `PICTURES`, as far as computed; an `InputError` without matplotlib."""
    for name, runs in PICTURES.items():
        if runs[0] in results:
            plot_curves([results[run] for run in runs], folder / name)


def report(results: Results) -> str:
    """Write the results of `compute` as Markdown."""
    lines = ["# UH-Leduc, reproduced", "", "Values are chips a game. NashConv is the sum of the"]
    lines += ["gains of both players' best responses; exploitability is half of it."]
    lines += ["", *DIFFERENCES]
    if "values" in results:
        rows = (
            [game, *cells(row, value=".12f", nash_conv=".0e", seconds=".2f")]
            for game, row in results["values"].items()
        )
        heads = ["game", "exact value for S (linear program)", "its NashConv", "seconds"]
        lines += ["", *table(heads, rows)]
    if "solved" in results:
        rows = (
            [game, *cells(row, iterations=",", seconds=".2f", value=".8f", nash_conv=".1e")]
            for game, row in results["solved"].items()
        )
        lines += ["", f"Predictive CFR+ until NashConv is {AIM:g}:", ""]
        lines += table(["game", "iterations", "seconds", "value for S", "NashConv"], rows)
    forms = {"iterations": ",", "seconds": ".2f", "nash_conv": ".1e", "exploitability": ".1e"}
    for game in SOLVED:
        if f"{game}-{solving.SOLVERS[0]}" in results:
            rows = ([name, *cells(results[f"{game}-{name}"], **forms)] for name in solving.SOLVERS)
            heads = ["algorithm", "iterations", "seconds", "NashConv", "exploitability"]
            lines += ["", f"Solvers on {game} (picture: {game}-solvers.png):", ""]
            lines += table(heads, rows)
    about = solving.ALGORITHMS
    if all(f"slides-{algorithm}" in results for algorithm in ON_SLIDES):
        forms = {"iterations": ",", "slides": ".3g", "perfect recall": ".2g"}
        rows = (
            [name, about[name].unit, *cells(results[f"slides-{name}"], **forms)]
            for name in ON_SLIDES
        )
        lines += ["", "NashConv in the real game of UH-Leduc, on the slides' states and with"]
        lines += ["perfect recall:", ""]
        heads = ["algorithm", "an iteration", "iterations", "slides' states", "perfect recall"]
        lines += table(heads, rows)
    if f"learning-{LEARNERS[0]}" in results:
        kinds = {name: (about[name].unit, about[name].guarantee) for name in LEARNERS}
        kinds["ppo"] = "update", "none"
        forms = {"iterations": ",", "seconds": ".0f", "exploitability": ".2g"}
        rows = (
            [name, unit, *cells(results[f"learning-{name}"], **forms), guarantee]
            for name, (unit, guarantee) in kinds.items()
        )
        heads = ["algorithm", "an iteration", "iterations", "seconds", "exploitability"]
        lines += ["", "Learning UH-Leduc (picture: learning.png):", ""]
        lines += table([*heads, "guarantee"], rows)
    return "\n".join(lines) + "\n"
