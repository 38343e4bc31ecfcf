"""Plots of matches, leagues and solver runs, by matplotlib (the extra `plot`)."""

import itertools
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.arena.results import shortened
from closedhand.core.file_kinds import MARK
from closedhand.core.files import write_atomically
from closedhand.core.optional_imports import needing
from closedhand.core.registry import make_game, spec_of

COLUMNS = 8
"""Maximum number of panels side by side."""
MARKERS = "osD^vPX*h"


def plot_match(data: dict[str, Any], path: Path) -> None:
    """Draw the points in a `results.summary`, by pairing, agent and role, with 95% intervals."""
    pairs = data["pairs"]
    columns = min(len(pairs), COLUMNS)
    rows = -(-len(pairs) // columns)
    figure = new_figure(4.8 * columns, 4.2 * rows)
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for pair, axis in itertools.zip_longest(pairs, axes.flat):
        if pair is None:
            axis.remove()
        else:
            _plot_pair(axis, pair)
    for axis in axes[:, 0]:
        axis.set_ylabel("payoff a game")
    rules = ", ".join(f"{k}={v}" for k, v in data["options"].items() if v not in (None, False))
    figure.suptitle(f"{data['game']}, {data['deals']} deals, 95% intervals\n{rules}", fontsize=10)
    save_figure(figure, path)


def plot_league(data: dict[str, Any], path: Path) -> None:
    """Draw a `league.summary`: points against rounds, and points per round with intervals."""
    figure = new_figure(10, 4.4)
    lines, bars = figure.subplots(1, 2, width_ratios=(3, 2))
    totals = np.cumsum(np.reshape(data["points"], (-1, len(data["results"]))), axis=0)
    short = shortened(result["agent"] for result in data["results"])
    names = [drawn(short[result["agent"]]) for result in data["results"]]
    for i, (name, result) in enumerate(zip(names, data["results"], strict=True)):
        points = result["points"]
        rounds = np.linspace(0, data["rounds"], len(totals) + 1)
        lines.plot(rounds, [0, *totals[:, i]], label=name, linewidth=1.2)
        bars.errorbar(points["mean"], i, xerr=spread([points]), fmt="o", capsize=4)
        label = f"{points['mean']:.3f}"
        bars.annotate(label, (points["mean"], i), (0, 7), textcoords="offset points", ha="center")
    lines.set(xlabel="rounds", ylabel="points")
    lines.grid(True, alpha=0.3)
    lines.legend(fontsize=8)
    bars.set_yticks(range(len(names)), names)
    bars.invert_yaxis()
    bars.margins(0.15)
    bars.set_xlabel("points per round, 95% intervals")
    options = spec_of(data["game"]).option_table.read(data["options"])
    preset = {key: value for key, value in options.items() if key == "rules"}
    usual = make_game(data["game"], **preset).options
    rules = ", ".join(f"{k}={v}" for k, v in options.items() if k in preset or v != usual[k])
    how = ", each deal at all seats" if data["duplicate"] else ""
    figure.suptitle(f"{data['game']}, {data['rounds']:,} rounds{how}\n{rules}", fontsize=10)
    save_figure(figure, path)


def drawn(text: str) -> str:
    """Escape a text from outside for matplotlib: no formulas, no unpaired surrogates."""
    return text.encode(errors="backslashreplace").decode().replace("$", r"\$")


def new_figure(width: float, height: float) -> Any:
    """Make an empty figure, its size in inches; an `InputError` without matplotlib."""
    with needing():
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height), layout="constrained")


def spread(estimates: Sequence[dict[str, Any]]) -> np.ndarray:
    """Compute lengths of intervals below and above the means, float64 [2, n]; None becomes NaN."""
    table = [[each[key] for key in ("mean", "low", "high")] for each in estimates]
    mean, low, high = np.array(table, float).T
    return np.maximum([mean - low, high - mean], 0)  # matplotlib refuses negative lengths


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure as PNG; the file appears complete or not at all."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=130, metadata={"Software": MARK})
    write_atomically(path, buffer.getvalue())


def plot_curves(runs: list[dict[str, Any]], path: Path) -> None:
    """Draw NashConv against iterations and against seconds, a line for each algorithm.

    `runs` are results of solving one game; each `curve` is a list of entries with `iterations`,
    `seconds` and `nash_conv`.
    """
    figure = new_figure(11, 4.8)
    axes = figure.subplots(1, 2, sharey=True)
    for run, marker in zip(runs, itertools.cycle(MARKERS)):
        for axis, unit in zip(axes, ("iterations", "seconds"), strict=True):
            # A logarithmic axis cannot show 0: an exact solution, or the start of a run.
            points = [p for p in run["curve"] if p["nash_conv"] > 0 and p[unit] > 0]
            style = {"marker": marker, "markersize": 3.5, "linewidth": 1.2}
            values = [p[unit] for p in points], [p["nash_conv"] for p in points]
            axis.loglog(*values, label=run["algorithm"], **style)
    game = make_game(runs[0]["game"], **runs[0]["options"])
    share = f"exploitability is 1/{game.num_players} of it"
    axes[0].set_ylabel(f"NashConv, {game.unit} a game ({share})")
    axes[0].set_xlabel("iterations")
    axes[1].set_xlabel("seconds of work, without evaluation")
    for axis in axes:
        axis.grid(True, which="major", alpha=0.3)
    axes[1].legend(fontsize=8)
    options = ", ".join(f"{key}={value}" for key, value in runs[0]["options"].items())
    figure.suptitle(f"{runs[0]['game']}: NashConv during solving ({options})", fontsize=10)
    save_figure(figure, path)


def _plot_pair(axis: Any, pair: dict[str, Any]) -> None:
    short = shortened(pair["agents"])
    names = [drawn(short[name]) for name in pair["agents"]]
    half = len(pair["results"]) // 2  # the results of the first agent come first
    for k, (name, color) in enumerate(zip(names, ("tab:blue", "tab:orange"), strict=True)):
        results = pair["results"][k * half : (k + 1) * half]
        points = [result["points"] for result in results]
        means = [p["mean"] for p in points]
        errors = spread(points)
        places = [i + 0.36 * (k - 0.5) for i in range(half)]
        axis.bar(places, means, 0.34, yerr=errors, capsize=4, color=color, label=name)
        for x, mean, low, high in zip(places, means, *np.nan_to_num(errors), strict=True):
            end, shift = (mean + high, 3) if mean >= 0 else (mean - low, -10)
            axis.annotate(
                f"{mean:+.2f}", (x, end), (0, shift), textcoords="offset points", ha="center"
            )
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set_xticks(range(half), [result["role"] for result in pair["results"][:half]])
    axis.set_title(f"{names[0]} v {names[1]}", fontsize=10)
    axis.margins(y=0.2)
    axis.legend(fontsize=8)
