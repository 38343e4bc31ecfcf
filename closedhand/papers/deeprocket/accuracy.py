"""Section 5.1 of the DeepRocket paper: accuracy of the networks during training."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from closedhand.arena.plot import new_figure, save_figure
from closedhand.core.files import SHIPPED
from closedhand.core.reading import read_json

PAPER_ACCURACY = {"policy": (0.86, 0.88), "kicker": (0.90, 0.90)}
"""Top-1 accuracy on held-out moves of human experts (section 5.1), lowest and highest."""


def _file() -> Path:
    """Path of the training histories of the shipped networks; the file may be missing."""
    return SHIPPED / "doudizhu_training.json"


def shipped() -> dict[str, list[dict[str, Any]]] | None:
    """Read the training histories of the shipped networks; None if the package has none.

    Returns:
        By network, `policy` and `kicker`: entries with `step` and `accuracy` (top-1 accuracy on
        held-out moves, overall or by role).
    """
    data = read_json(_file())
    return {name: data[name] for name in PAPER_ACCURACY if data.get(name)} or None


def curves(history: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[int, float]]]:
    """Read steps and accuracies of a history, by role, or as `all` if it has no roles."""
    found: dict[str, list[tuple[int, float]]] = {}
    for entry in history:
        accuracy = entry.get("accuracy")
        if accuracy is not None:
            by_role = accuracy if isinstance(accuracy, Mapping) else {"all": accuracy}
            for role, value in by_role.items():
                if value is not None:
                    found.setdefault(role, []).append((int(entry["step"]), float(value)))
    return found


def picture(histories: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Draw accuracy against training steps, beside the paper's values.

    Args:
        histories: Histories of `shipped`.
        path: Path of the PNG file.

    Raises:
        InputError: matplotlib is not installed.
    """
    figure = new_figure(5 * len(histories), 4.2)
    axes = figure.subplots(1, len(histories), squeeze=False)[0]
    for (name, history), axis in zip(histories.items(), axes, strict=True):
        for role, points in curves(history).items():
            steps, values = zip(*points, strict=True)
            axis.plot(steps, [100 * value for value in values], label=role, linewidth=1.3)
        low, high = (100 * end for end in PAPER_ACCURACY[name])
        axis.axhspan(low, high + 0.1, color="grey", alpha=0.3, label="paper, moves of humans")
        axis.set_title(f"{name} network", fontsize=10)
        axis.set_xlabel("steps")
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize=8)
    axes[0].set_ylabel("top-1 on held-out moves, %")
    save_figure(figure, path)


def report(histories: dict[str, list[dict[str, Any]]] | None) -> list[str]:
    """Write the best accuracies as lines of Markdown."""
    if not histories:
        return ["No record of training is shipped: there are no curves."]
    lines = ["Top-1 on held-out moves (picture: training.png); the paper's moves are of human"]
    lines += ["experts, ours of our own.", "", "| network | moves of | best | at step | paper |"]
    lines += ["|---|---|---|---|---|"]
    for name, history in histories.items():
        paper = " to ".join(f"{end:.0%}" for end in dict.fromkeys(PAPER_ACCURACY[name]))
        for role, points in curves(history).items():
            step, value = max(points, key=lambda point: point[1])
            lines.append(f"| {name} | {role} | {value:.1%} | {step:,} | {paper} |")
    return lines
