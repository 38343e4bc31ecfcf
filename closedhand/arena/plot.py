"""Pictures of match results, by matplotlib (the extra `plot`)."""

from pathlib import Path
from typing import Any

from closedhand.games.game import InputError


def plot_match(data: dict[str, Any], path: Path) -> None:
    """Draw the points of both agents of every pairing by role, with their 95% intervals.

    Args:
        data: What `closedhand.arena.results.summary` returns.
        path: Of the picture, PNG.

    Raises:
        InputError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("pictures need matplotlib: pip install 'closedhand[plot]'") from None
    pairs = data["pairs"]
    figure = Figure(figsize=(4.8 * len(pairs), 4.2), layout="constrained")
    axes = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
    for pair, axis in zip(pairs, axes, strict=True):
        _plot_pair(axis, pair)
    axes[0].set_ylabel("points per game")
    rules = ", ".join(f"{k}={v}" for k, v in data["options"].items() if v not in (None, False))
    figure.suptitle(f"{data['game']}, {data['deals']} deals, 95% intervals\n{rules}", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def _plot_pair(axis: Any, pair: dict[str, Any]) -> None:
    names = pair["agents"]
    half = len(pair["results"]) // 2
    for k, (name, color) in enumerate(zip(names, ("tab:blue", "tab:orange"), strict=True)):
        results = pair["results"][k * half : (k + 1) * half]
        points = [result["points"] for result in results]
        means = [p["mean"] for p in points]
        errors = [[p["mean"] - p["low"] for p in points], [p["high"] - p["mean"] for p in points]]
        places = [i + 0.36 * (k - 0.5) for i in range(half)]
        label = name if names[0] != names[1] else f"{name} ({k + 1})"
        axis.bar(places, means, 0.34, yerr=errors, capsize=4, color=color, label=label)
        for x, mean, low, high in zip(places, means, *errors, strict=True):
            end, shift = (mean + high, 3) if mean >= 0 else (mean - low, -10)
            axis.annotate(
                f"{mean:+.2f}", (x, end), (0, shift), textcoords="offset points", ha="center"
            )
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set_xticks(range(half), [result["role"] for result in pair["results"][:half]])
    axis.set_title(f"{names[0]} v {names[1]}", fontsize=10)
    axis.margins(y=0.2)
    axis.legend(fontsize=8)
