"""The trainer of policies whose weights are fitted in self-play."""

from pathlib import Path

import typer

from closedhand.baselines.learning.policy_gradient import Task
from closedhand.cli.common import cluster_at, leave_if_interrupted, make_folder, work_for
from closedhand.core.game import Game, InputError
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
    ray: str | None = None,
) -> None:
    """Fit weights for at least one step, resuming those in the folder.

    Args:
        game: Game to learn, under its default rules.
        name: Name of the algorithm and of the file.
        task: Task whose weights are fitted.
        agent: Beginning of the name of the agent that takes the file.
        seconds: Training time in seconds.
        seed: Seed of everything random.
        out: Folder for the weights.
        restart: Whether to start from scratch.
        ray: Address of a Ray cluster that plays the games.

    Raises:
        InputError: Rules other than the defaults, or a file of another kind.
    """
    from closedhand.baselines.learning import policy_gradient

    if game.options != make_game(game.name).options:
        raise InputError(
            f"{name} is fitted under the default rules of {game.name}: leave out the options"
        )
    path = make_folder(out) / f"{name}.npz"
    run = policy_gradient.begin(task, seed, path)
    training = run.learner
    with cluster_at(ray) as training.crew:
        work_for(run, seconds, lambda: f"{training.games:,} games", restart=restart)
    if training.steps:
        typer.echo(f"saved {path} after {training.games:,} games: play with them as {agent}{path}")
    leave_if_interrupted(run.interrupted, nothing=not training.steps)
