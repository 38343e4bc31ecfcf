"""Section 5.1 of the DeepRocket paper: accuracy of the networks, also during their training."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from closedhand.arena.plot import new_figure, save_figure
from closedhand.core.files import SHIPPED
from closedhand.core.markdown import table
from closedhand.core.reading import read_json

PAPER_ACCURACY = {"policy": (0.86, 0.88), "kicker": (0.90, 0.90)}
"""Top-1 accuracy on held-out moves of human experts (section 5.1), lowest and highest, by kind."""

EXPERTS = {"value-net": "doudizhu_value_win.npz"}
"""File of each expert's weights under `objective=win`, by agent."""

HISTORIES = SHIPPED / "doudizhu_training.json"
"""File of the training histories of the supervised networks."""


def source_of(path: Path, kind: str) -> dict[str, Any]:
    """Return what a network's file states of its supervised training, before any self-play.

    Returns:
        `expert`: the agent whose moves it learned; `pairs`: the number of moves; `step` and
        `accuracy`: the step at which it was chosen, and its accuracy then on held-out moves;
        `weights`: SHA-256 of the expert's weights, None if it is not stated.
    """
    from closedhand.agents.doudizhu.deeprocket import networks

    _, about = networks.load(path, kind)
    while "tuned_from" in about:
        about = about["tuned_from"]
    found = {key: about[key] for key in ("expert", "pairs", "step", "accuracy")}
    return {**found, "weights": about.get("files", {}).get("expert")}


def digest_of(path: Path) -> str:
    """Compute the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def shipped_weights() -> dict[str, str]:
    """Compute the SHA-256 of each file of weights by which the package's agents play Dou Dizhu."""
    files = sorted(path for path in SHIPPED.glob("doudizhu_*") if path.suffix != ".json")
    return {path.name: digest_of(path) for path in files}


def histories() -> dict[str, dict[str, Any]]:
    """Read the shipped histories of the training on the expert's moves.

    Returns:
        By kind of network, `policy` and `kicker`: the result of `source_of`; `digest`, the SHA-256
        of the network's file; `history`, entries with `step` and `accuracy`, in all and by role.
    """
    from closedhand.agents.doudizhu.network_agents import SHIPPED_FILES

    data = read_json(HISTORIES)
    return {
        kind: {
            "digest": digest_of(SHIPPED_FILES[kind]),
            **source_of(SHIPPED_FILES[kind], kind),
            "history": data[kind],
        }
        for kind in PAPER_ACCURACY
    }


def measure(deals: int, seed: int) -> dict[str, Any]:
    """Measure the accuracy of the networks that ship, and describe their training.

    About a tenth of the `deals` is held out from training; an `InputError` refuses too few. `seed`
    is that of the deals and the experts.

    Returns:
        `networks`: by name, the result of `accuracy_of` with `file` (its name), `digest` (its
        SHA-256), `kind`, `expert`, `expert_digest` (the SHA-256 of the expert's weights) and
        `games` (how many held-out games it played); `deals`; `seed`; and `histories`, the result
        of the function of that name.
    """
    from closedhand.agents.doudizhu.deeprocket.accuracy import accuracy_of, played_by
    from closedhand.agents.doudizhu.network_agents import SHIPPED_FILES, TUNED_FILES

    networks = {
        "policy": ("policy", SHIPPED_FILES["policy"]),
        "policy, tuned=1": ("policy", TUNED_FILES["policy"]),
        "kicker": ("kicker", SHIPPED_FILES["kicker"]),
    }
    recorded = histories()
    played, found = {}, {}
    for name, (kind, path) in networks.items():
        expert = source_of(path, kind)["expert"]
        if expert not in played:
            played[expert] = played_by(expert, deals, seed)
        games = played[expert]
        found[name] = {
            "file": path.name,
            "digest": digest_of(path),
            "kind": kind,
            "expert": expert,
            "expert_digest": digest_of(SHIPPED / EXPERTS[expert]),
            "games": len(games.deals),
            **accuracy_of(path, kind, games),
        }
    return {"networks": found, "deals": deals, "seed": seed, "histories": recorded}


def curves(history: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[int, float]]]:
    """Collect the steps and accuracies of a history, overall (`all`) and by role."""
    found: dict[str, list[tuple[int, float]]] = {}
    for entry in history:
        for role, value in entry.get("accuracy", {}).items():
            if value is not None:
                found.setdefault(role, []).append((int(entry["step"]), float(value)))
    return found


def picture(recorded: dict[str, dict[str, Any]], path: Path) -> None:
    """Draw accuracies of `histories` by training step as PNG; `InputError` without matplotlib."""
    figure = new_figure(5 * len(recorded), 4.2)
    axes = figure.subplots(1, len(recorded), squeeze=False)[0]
    for (name, about), axis in zip(recorded.items(), axes, strict=True):
        for role, points in curves(about["history"]).items():
            steps, values = zip(*points, strict=True)
            axis.plot(steps, [100 * value for value in values], label=role, linewidth=1.3)
        low, high = (100 * end for end in PAPER_ACCURACY[name])
        axis.axhspan(low, high + 0.1, color="grey", alpha=0.3, label="paper, moves of humans")
        axis.set_title(f"{name} network ({about['digest'][:12]})", fontsize=10)
        axis.set_xlabel("steps")
        axis.grid(True, alpha=0.3)
        axis.legend(fontsize=8)
    axes[0].set_ylabel("top-1 on held-out moves, %")
    save_figure(figure, path)


def report(data: dict[str, Any]) -> list[str]:
    """Write the result of `measure` as lines of Markdown."""
    experts = {row["expert"]: row["expert_digest"][:12] for row in data["networks"].values()}
    named = ", ".join(f"{name} {digest}" for name, digest in experts.items())
    lines = [
        "Top-1 of the networks that ship, measured here, on moves of their expert that no",
        f"network learned from: {data['deals']:,} deals of seed {data['seed']}, of which one",
        "in ten is held out from every training, played by the expert at all seats with",
        f"`objective=win` (SHA-256 of its weights: {named}).",
        "The paper's moves are of human experts.",
        "",
    ]
    rows: list[list[object]] = []
    for name, row in data["networks"].items():
        about = [name, row["file"], row["digest"][:12], row["expert"]]
        about += [f"{row['games']:,}", f"{row['decisions']:,}"]
        for role, share in row["accuracy"].items():
            error = f" ± {100 * row['error']:.1f}" if role == "all" else ""
            shown = "-" if share is None else f"{100 * share:.1f}{error}%"
            rows.append([*about, role, shown, _of_paper(row["kind"])])
    heads = ["network", "file", "SHA-256", "moves of", "games", "decisions", "role"]
    lines += table([*heads, "top-1", "paper"], rows)
    lines += [
        "",
        "In training (picture: training.png), on other held-out moves of an expert of that name,",
        "whose weights may be others.",
        "",
    ]
    rows = []
    for name, history in data["histories"].items():
        weights = (history["weights"] or "not stated")[:12]
        about = [name, history["digest"][:12], history["expert"], weights]
        about.append(f"{history['pairs']:,}")
        for role, points in curves(history["history"]).items():
            step, value = max(points, key=lambda point: point[1])
            rows.append([*about, role, f"{value:.1%}", f"{step:,}", _of_paper(name)])
    heads = ["network", "SHA-256", "moves of", "weights", "pairs", "role"]
    lines += table([*heads, "best", "at step", "paper"], rows)
    lines += ["", "The pairs are those of the last training, which may go on from another network."]
    return [*lines, "`policy, tuned=1` was tuned in self-play, whose record has no accuracies."]


def _of_paper(kind: str) -> str:
    return " to ".join(f"{end:.0%}" for end in dict.fromkeys(PAPER_ACCURACY[kind]))
