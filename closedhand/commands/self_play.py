"""What `train` does for policies whose weights are fitted in self-play."""

import time
from pathlib import Path

import typer

from closedhand.baselines.learning.policy_gradient import Task
from closedhand.cli.common import INTERRUPTED, make_folder, note, progress_bar
from closedhand.core.game import Game, InputError
from closedhand.core.interrupt import deferred
from closedhand.core.registry import make_game


def fit(
    game: Game,
    name: str,
    task: Task,
    agent: str,
    seconds: float,
    seed: int,
    out: Path,
    restart: bool,
) -> None:
    """Fit weights in a folder, or go on with those it holds, for at least a step.

    Args:
        game: Game that is learned, under its default rules.
        name: Name of the algorithm and of the file.
        task: What is fitted.
        agent: Beginning of the name of the agent that takes the file.
        seconds: How long.
        seed: Seed of everything random.
        out: Folder for the weights.
        restart: Whether to begin anew.

    Raises:
        InputError: Other rules, or a file of something else.
    """
    from closedhand.baselines.learning import policy_gradient as self_play

    if game.options != make_game(game.name).options:
        raise InputError(f"{name} is fitted under the default rules of {game.name}: no options")
    path = make_folder(out) / f"{name}.npz"
    run = self_play.Training(task, seed)
    if path.exists() and not restart:
        run = self_play.load(path, task, seed)
        note(f"going on after {run.games:,} games")
    interrupted = False
    start = saved = time.monotonic()
    with deferred() as check, progress_bar("seconds", round(seconds)) as update:
        try:
            while run.steps == 0 or time.monotonic() - start < seconds:
                run.step()
                check()
                spent = time.monotonic() - start
                update(round(spent), unit=f"seconds, {run.games:,} games")
                if time.monotonic() - saved > 10:
                    saved = time.monotonic()
                    self_play.save(run, path)
        except KeyboardInterrupt:
            interrupted = True
    if run.steps == 0:
        note("interrupted before a step was done; nothing is saved")
        raise typer.Exit(INTERRUPTED)
    self_play.save(run, path)
    typer.echo(f"saved {path} after {run.games:,} games: play with them as {agent}{path}")
    if interrupted:
        note("interrupted; the same command goes on")
        raise typer.Exit(INTERRUPTED)
