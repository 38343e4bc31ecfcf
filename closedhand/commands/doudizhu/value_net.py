"""The trainer of the network of Dou Dizhu's `value-net`."""

from pathlib import Path

import typer

from closedhand.cli.common import leave_if_interrupted, make_folder, work_for
from closedhand.core.game import Game


def learn(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    start: Path | None,
) -> None:
    """Train the network in self-play for at least one step, resuming what the folder holds."""
    from closedhand.baselines.doudizhu.value_net import files, training

    run = training.begin(game, seed, make_folder(folder), start)
    learner = run.learner
    work_for(run, seconds, lambda: f"{learner.games:,} games", restart=restart)
    steps = learner.steps
    if steps:
        path = folder / files.NAME
        typer.echo(f"saved {path} after {learner.games:,} games: play it as {algorithm}:{folder}")
    leave_if_interrupted(run.interrupted, nothing=not steps)
