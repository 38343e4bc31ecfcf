"""The trainer of the network of Dou Dizhu's `value-net`."""

from pathlib import Path

import typer

from closedhand.cli.common import (
    interruptible,
    leave_if_interrupted,
    make_folder,
    note,
    progress_bar,
)
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
    if run.resume_if_kept(restart):
        note(f"resuming after {learner.games:,} games")
    before = run.seconds

    def progress() -> None:
        update(round(run.seconds - before), unit=f"seconds, {learner.games:,} games")

    with interruptible(), progress_bar("seconds", round(seconds)) as update:
        run.work(before + seconds, progress=progress)
    steps = learner.steps
    if steps:
        path = folder / files.NAME
        typer.echo(f"saved {path} after {learner.games:,} games: play it as {algorithm}:{folder}")
    leave_if_interrupted(run.interrupted, nothing=not steps)
