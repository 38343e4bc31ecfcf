"""The table of all learners in all games, as one CSV and as a report.

A cell is a learner in a game, with a budget and a seed (`closedhand.arena.learners`). The CSV has a
row for each estimate of a cell: of kind `final` at the end of the learning, else of kind `curve`.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from closedhand.arena.learners import EXACT, EXPLOITED
from closedhand.arena.plot import new_figure, save_figure
from closedhand.arena.results import refusing
from closedhand.core.files import write_atomically
from closedhand.core.markdown import table
from closedhand.core.reading import load_json, read_content
from closedhand.core.registry import GAMES
from closedhand.core.statistics import Estimate, student

MISSING = "-"
"""Entry of the report for a measure that a learner lacks."""
TABLE = "results.csv"
"""Name of the CSV in a folder of results."""
MACHINE = ("processor", "cores", "python", "numpy", "torch")
CELL = ("game", "learner", "budget", "seed", "version", "date", *MACHINE, "processor_seconds")
"""Columns that are the same in all rows of a cell."""
ESTIMATE = ("kind", "measure", "steps", "seconds", "mean", "low", "high")
"""Columns of an estimate, with the steps and seconds before it; low and high: empty if exact."""
COLUMNS = (*CELL, *ESTIMATE)
FINAL, CURVE = "final", "curve"

Each = TypeVar("Each")


class Result(NamedTuple):
    """The result of a cell."""

    game: str
    learner: str
    budget: int  # steps of the learner, as planned
    seed: int
    version: str
    date: str
    machine: dict[str, str]  # description by the names of `MACHINE`
    processor_seconds: float  # of the learning and of the estimates of the curve
    steps: int  # steps at the end
    seconds: float  # seconds of learning, by the clock
    measures: dict[str, Estimate]  # estimates at the end, by name
    curve_of: str  # name of the measure of the curve
    curve: np.ndarray  # steps, seconds, and mean, low and high of an estimate; float64 [points, 5]

    @property
    def cell(self) -> tuple[str, str, int, int, str]:
        """Game, learner, budget, seed and version: no two results of a table share them."""
        return self.game, self.learner, self.budget, self.seed, self.version


def read(folder: Path) -> list[Result]:
    """Read the results in a folder, from its CSV and from files of cells, sorted by `Result.cell`.

    A file of a cell replaces the rows of that cell in the CSV.

    Raises:
        InputError: The CSV is damaged, or a file is not the result of a cell.
    """
    saved = folder / TABLE
    found = {each.cell: each for each in (_read_table(saved) if saved.exists() else ())}
    for path in sorted(folder.glob("*.json")):
        data = load_json(path)
        if not (isinstance(data, dict) and "begun" in data):  # an unfinished cell has no result
            with refusing(f"{path} is not the result of a learner"):
                result = _result(data["settings"], data["result"])
            found[result.cell] = result
    return [found[cell] for cell in sorted(found)]


def write(path: Path, results: list[Result]) -> None:
    """Write results as a CSV, from which `read` restores every digit."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for each in results:
        machine = [each.machine[name] for name in MACHINE]
        cell = [*each.cell, each.date, *machine, each.processor_seconds]
        for measure, estimate in each.measures.items():
            rows.writerow([*cell, FINAL, measure, each.steps, each.seconds, *_cells(estimate)])
        for steps, seconds, *estimate in each.curve.tolist():
            rows.writerow([*cell, CURVE, each.curve_of, int(steps), seconds, *_cells(estimate)])
    write_atomically(path, text.getvalue())


def _read_table(path: Path) -> list[Result]:
    with refusing(f"{path} is not a table of learners"):
        rows = list(csv.DictReader(io.StringIO(read_content(path).decode()), strict=True))
        cells = _grouped(rows, lambda row: tuple(row[name] for name in CELL)).values()
        return [_from_rows(cell) for cell in cells]


def _from_rows(rows: list[dict[str, str]]) -> Result:
    final = [row for row in rows if row["kind"] == FINAL]
    curve = [row for row in rows if row["kind"] == CURVE]
    # Without a curve, `curve_of` is the last measure that is not the gain of a responder.
    named = curve or [row for row in final if row["measure"] != EXPLOITED][-1:]
    [curve_of] = {row["measure"] for row in named}
    if len(final) + len(curve) < len(rows):
        raise ValueError
    points = [[float(row["steps"]), float(row["seconds"]), *_estimate(row)] for row in curve]
    end, *_ = final
    measures = {row["measure"]: _estimate(row) for row in final}
    found = {**end, "machine": end, "measures": measures, "curve_of": curve_of, "curve": points}
    return _result({**end, "steps": end["budget"]}, found)


def _cells(estimate: Sequence[float]) -> Sequence[float | str]:
    return [estimate[0], "", ""] if len(set(estimate)) == 1 else estimate


def _estimate(row: Mapping[str, str]) -> Estimate:
    return Estimate(*(float(row[name] or row["mean"]) for name in ("mean", "low", "high")))


def _result(about: Mapping[str, Any], found: Mapping[str, Any]) -> Result:
    """Build a result from the settings and the result in the file of a cell."""
    result = Result(
        str(about["game"]), str(about["learner"]), int(about["steps"]), int(about["seed"]),
        str(about["version"]), str(found["date"]),
        {name: str(found["machine"].get(name, "")) for name in MACHINE},
        float(found["processor_seconds"]), int(found["steps"]), float(found["seconds"]),
        {str(name): Estimate(*map(float, each)) for name, each in found["measures"].items()},
        str(found["curve_of"]), np.array(found["curve"], float).reshape(-1, 5),
    )  # fmt: skip
    if result.curve_of not in result.measures:
        raise ValueError(result.curve_of)
    return result


def report(results: list[Result]) -> str:
    """Write the results as Markdown: a table for each game and budget, a row for each learner.

    Results of different versions or processors are not combined. Versions are shown if they differ.
    """
    lines = ["# Learners in games", ""]
    for (game, budget), of_game in _grouped(results, lambda each: (each.game, each.budget)).items():
        names = list(dict.fromkeys(name for each in of_game for name in each.measures))
        rows = _grouped(
            of_game, lambda each: (each.learner, each.version, each.machine["processor"])
        )
        is_mixed = len({row[:2] for row in rows}) > len({row[0] for row in rows})
        columns = ["learner", "seeds", *names, "seconds", "processor time"]
        columns += [*["version"] * is_mixed, "processor"]
        cells = []
        for (learner, version, processor), own in rows.items():
            seconds = np.mean([each.seconds for each in own])
            spent = np.mean([each.processor_seconds for each in own])
            cells.append([
                f"`{learner}`", len(own), *(shown(combined(name, own)) for name in names),
                f"{seconds:,.1f}", f"{spent:,.1f}", *[version] * is_mixed, processor,
            ])  # fmt: skip
        title = GAMES[game].title if game in GAMES else game
        lines += [f"## {title}: {budget:,} steps", "", *table(columns, cells), ""]
    return "\n".join(lines)


def _grouped(results: list[Each], key: Any) -> dict[Any, list[Each]]:
    found: dict[Any, list[Each]] = {}
    for each in results:
        found.setdefault(key(each), []).append(each)
    return found


def combined(name: str, results: list[Result]) -> Estimate | None:
    """Combine a measure over results by Student's t, if there are several; None if one lacks it."""
    if not all(name in each.measures for each in results):
        return None
    found = [each.measures[name] for each in results]
    return found[0] if len(found) == 1 else student(np.array([[each.mean] for each in found]))[0]


def shown(estimate: Estimate | None) -> str:
    """Write an estimate, with its interval unless it is exact; `MISSING` for None."""
    if estimate is None:
        return MISSING
    return f"{estimate.mean:.4g}" if estimate.low == estimate.high else estimate.text(".4g")


def plot(results: list[Result], path: Path) -> None:
    """Draw the curves in a panel for each game and measure."""
    games = _grouped(results, lambda each: (each.game, each.curve_of))
    # Matplotlib has ten colours: the first ten learners get solid lines, the next ones dashed ones.
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
        heights = np.concatenate([each.curve[:, 2] for each in own])
        if measure == EXACT and len(heights) and (heights > 0).all():
            axis.set_yscale("log")
        axis.set_title(f"{game}: {measure}", fontsize=10)
        axis.set_xlabel("steps")
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize=7)
    save_figure(figure, path)
