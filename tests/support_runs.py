"""Runs as matches and trainings write them, in no time."""

import json
from itertools import combinations
from pathlib import Path

from closedhand import make_game
from closedhand.arena import match, results


def save_ladder(folder: Path, deals: int = 60) -> None:
    """The matches of all pairs, as a ladder saves them."""
    game = make_game("leduc")
    for k, pair in enumerate(combinations(["equilibrium", "random", "third"], 2)):
        played = ["random" if agent == "third" else agent for agent in pair]
        data = results.summary(match.play(game, played, deals, 3))
        labels = results.labels(played)
        text = json.dumps(data).replace(f'"{labels[1]}"', f'"{pair[1]}"')
        data = json.loads(text.replace(f'"{labels[0]}"', f'"{pair[0]}"'))
        results.save(folder / f"{k}.json", data)


def save_training(folder: Path, entries: int) -> None:
    history = [
        {"decisions": 1000 * i, "loss": 1 / (1 + i), "won": [0.5, 0.48, 0.52],
         "against": {"random": {"points": [i, i - 1, i + 1]}}, "seconds": float(i)}
        for i in range(entries)
    ]  # fmt: skip
    settings = {"game": "doudizhu", "algorithm": "ppo"}
    folder.mkdir(parents=True, exist_ok=True)
    about = {"settings": settings, "seconds": 1.0, "history": history}
    (folder / "training.json").write_text(json.dumps(about))
