"""What `train` does for policies whose weights are fitted in self-play."""

import time
from importlib import import_module
from pathlib import Path

import typer

from closedhand.cli.common import INTERRUPTED, make_folder, note, progress_bar
from closedhand.core.game import Game, InputError
from closedhand.core.interrupt import deferred
from closedhand.core.registry import make_game

TASKS = {
    "daihinmin": (
        "playouts",
        "closedhand.baselines.daihinmin.policy.training",
        "monte-carlo:2000:",
    ),
    "doudizhu": ("decompose", "closedhand.baselines.doudizhu.decompose.tuning", "decompose:"),
}
"""Of each game the algorithm, the module of the task, and the agent that takes the weights."""


def learn(game: Game, method: str, seconds: float, seed: int, out: Path, restart: bool) -> None:
    """Fit weights in a folder, or go on with those it holds, for at least a step."""
    from closedhand.baselines.learning import policy_gradient as self_play

    name, module, agent = TASKS[game.name]
    if method != name:
        others = "ppo and " if game.name == "doudizhu" else ""
        raise InputError(f"no algorithm {method!r} for {game.name}; there is {others}{name}")
    if game.options != make_game(game.name).options:
        raise InputError(f"{name} is fitted under the default rules of {game.name}: no options")
    task = import_module(module).TASK
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
