"""What `train` does for policies whose weights are fitted in self-play."""

from importlib import import_module
from pathlib import Path

import typer

from closedhand.cli.common import (
    interruptible,
    leave_if_interrupted,
    make_folder,
    note,
    progress_bar,
)
from closedhand.core.game import Game, InputError
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
    from closedhand.baselines.learning import policy_gradient

    name, module, agent = TASKS[game.name]
    if method != name:
        others = "ppo and " if game.name == "doudizhu" else ""
        raise InputError(f"no algorithm {method!r} for {game.name}; there is {others}{name}")
    if game.options != make_game(game.name).options:
        raise InputError(f"{name} is fitted under the default rules of {game.name}: no options")
    task = import_module(module).TASK
    path = make_folder(out) / f"{name}.npz"
    run = policy_gradient.begin(task, seed, path)
    training = run.learner
    if run.resume_if_kept(restart):
        note(f"going on after {training.games:,} games")
    before = run.seconds
    with interruptible(), progress_bar("seconds", round(seconds)) as update:
        run.work(
            before + seconds,
            progress=lambda: update(
                round(run.seconds - before), unit=f"seconds, {training.games:,} games"
            ),
        )
    if training.steps:
        typer.echo(f"saved {path} after {training.games:,} games: play with them as {agent}{path}")
    leave_if_interrupted(run.interrupted, nothing=not training.steps)
