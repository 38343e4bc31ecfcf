"""The trainer of the network of Dou Dizhu's `value-net`.

1. `learn` prepares a run in a folder (`training.begin`) and works for the given time.
2. A piece of its work is `Training.step`: games of self-play (`self_play`), then `learning`.
3. From time to time and at the end, the run writes the network (`files.save`) and a checkpoint.
"""

from collections.abc import Sequence
from pathlib import Path

import typer

from closedhand.cli.common import (
    cluster_at,
    given_pairs,
    leave_if_interrupted,
    make_folder,
    work_for,
)
from closedhand.core.file_kinds import CHECKPOINT, FileKind, arrays_with
from closedhand.core.game import Game
from closedhand.core.options import options_of


def learn(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    start: Path | None = None,
    setting: Sequence[str] | None = None,
    ray: str | None = None,
) -> None:
    """Train the network in self-play for at least one step, resuming the folder's training."""
    from closedhand.agents.doudizhu.value_net import files, training

    given = given_pairs(setting or (), "a setting")
    settings = training.Settings(**options_of(training.Settings, algorithm).read(given))
    network = FileKind("a value network", arrays_with("about", "dense", "inputs", "plays"))
    make_folder(folder, {files.NAME: network, training.CHECKPOINT: CHECKPOINT})
    run = training.begin(game, seed, folder, start, settings)
    learner = run.learner
    with cluster_at(ray) as learner.crew:
        work_for(run, seconds, lambda: f"{learner.games:,} games", restart=restart)
    steps = learner.steps
    if steps:
        path = folder / files.NAME
        typer.echo(f"saved {path} after {learner.games:,} games: play it as {algorithm}:{folder}")
    leave_if_interrupted(run.interrupted, nothing=not steps)
