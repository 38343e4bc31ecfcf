"""The table of all learners in all games, from the files of its cells, whoever computed them."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.arena.learners import EXACT
from closedhand.arena.plot import new_figure, save_figure
from closedhand.core.game import InputError
from closedhand.core.reading import load_json
from closedhand.core.registry import GAMES
from closedhand.core.statistics import Estimate, interval, student

MISSING = "-"


class Result(NamedTuple):
    """The result of a cell.

    Attributes:
        game: Name of the game.
        learner: Name of the learner.
        steps: Budget.
        seed: Seed.
        version: Version of the package.
        seconds: Seconds of learning, by the clock.
        processor_seconds: Processor time, judgements for the curve included.
        processor: The processor.
        measures: Estimates by name.
        curve_of: The measure of the curve.
        curve: Steps, seconds, and an estimate; float64 [points, 5].
    """

    game: str
    learner: str
    steps: int
    seed: int
    version: str
    seconds: float
    processor_seconds: float
    processor: str
    measures: dict[str, Estimate]
    curve_of: str
    curve: np.ndarray


def read(folder: Path) -> list[Result]:
    """The results in a folder.

    Raises:
        InputError: A file is not the result of a cell.
    """
    files = [(path, load_json(path)) for path in sorted(folder.glob("*.json"))]
    # A cell that is not finished has no result yet.
    return [_result(*each) for each in files if not _is_begun(each[1])]


def _is_begun(data: Any) -> bool:
    return isinstance(data, dict) and "begun" in data


def _result(path: Path, data: Any) -> Result:
    try:
        about, found = data["settings"], data["result"]
        result = Result(
            str(about["game"]), str(about["learner"]), int(about["steps"]), int(about["seed"]),
            str(about["version"]), float(found["seconds"]),
            float(found["processor_seconds"]), str(found["machine"]["processor"]),
            {str(name): Estimate(*map(float, each)) for name, each in found["measures"].items()},
            str(found["curve_of"]), np.array(found["curve"], float).reshape(-1, 5),
        )  # fmt: skip
        if result.curve_of not in result.measures:
            raise ValueError(result.curve_of)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{path} is not the result of a learner") from None
    return result


def report(results: list[Result]) -> str:
    """The table as Markdown: a row for each learner, a table for each game and budget."""
    lines = ["# Learners in games", ""]
    for (game, steps), of_game in _grouped(results, lambda each: (each.game, each.steps)).items():
        names = list(dict.fromkeys(name for each in of_game for name in each.measures))
        lines += [
            f"## {GAMES[game].title if game in GAMES else game}: {steps:,} steps", "",
            f"| learner | seeds | {' | '.join(names)} | seconds | processor time | version "
            "| processor |",
            "|---" * (len(names) + 6) + "|",
        ]  # fmt: skip
        rows = _grouped(of_game, lambda each: (each.learner, each.version, each.processor))
        for (learner, version, processor), own in rows.items():
            values = [shown(combined(name, own)) for name in names]
            seconds, spent = np.mean([each[5:7] for each in own], axis=0)
            lines.append(
                f"| `{learner}` | {len(own)} | {' | '.join(values)} | {seconds:,.1f} "
                f"| {spent:,.1f} | {version} | {processor} |"
            )
        lines.append("")
    return "\n".join(lines)


def _grouped(results: list[Result], key: Any) -> dict[Any, list[Result]]:
    found: dict[Any, list[Result]] = {}
    for each in results:
        found.setdefault(key(each), []).append(each)
    return found


def combined(name: str, results: list[Result]) -> Estimate | None:
    """A measure over the seeds of a row: of one seed its own interval, else Student's t.

    Returns:
        None if a seed lacks it.
    """
    if not all(name in each.measures for each in results):
        return None
    found = [each.measures[name] for each in results]
    return found[0] if len(found) == 1 else student(np.array([[each.mean] for each in found]))[0]


def shown(estimate: Estimate | None) -> str:
    """An estimate with its interval, unless that is a point."""
    if estimate is None:
        return MISSING
    mean, low, high = estimate
    return f"{mean:.4g}" if low == high else f"{mean:.4g} ({interval(low, high, '.4g')})"


def plot(results: list[Result], path: Path) -> None:
    """Draw the curves, a panel for each game.

    Raises:
        InputError: matplotlib is not installed.
    """
    games = _grouped(results, lambda each: (each.game, each.curve_of))
    # A colour each of the ten that there are, the next ones with dashes.
    learners = list(dict.fromkeys(each.learner for each in results))
    figure = new_figure(5.2 * len(games), 4.2)
    for axis, ((game, measure), own) in zip(
        figure.subplots(1, len(games), squeeze=False)[0], games.items(), strict=True
    ):
        for learner, runs in _grouped(own, lambda each: each.learner).items():
            dashed, colour = divmod(learners.index(learner), 10)
            style = {"color": f"C{colour}", "linestyle": "--" if dashed else "-", "linewidth": 1.2}
            for i, each in enumerate(runs):
                label = None if i else learner
                axis.plot(each.curve[:, 0], each.curve[:, 2], label=label, **style)
        axis.set_xscale("log")
        if measure == EXACT and all((each.curve[:, 2] > 0).all() for each in own):
            axis.set_yscale("log")
        axis.set_title(f"{game}: {measure}", fontsize=10)
        axis.set_xlabel("steps")
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize=7)
    save_figure(figure, path)
