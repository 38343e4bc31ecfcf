"""Trainers of agents that learn in self-play."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from closedhand.cli.common import cluster_at, leave_if_interrupted, make_folder, work_for
from closedhand.core.agent_spec import quoted
from closedhand.core.file_kinds import CHECKPOINT
from closedhand.core.game import Game, InputError
from closedhand.core.registry import load, make_game
from closedhand.core.run import Run


def fitting(task: str, agent: str) -> Callable[..., None]:
    """Make the trainer that fits the weights of a `learning.policy_gradient.Task`.

    `task` is a reference to the task, `module:name`. `agent` is the beginning of an agent's text,
    such as `policy:`, to which the path of the weights is added.
    """

    def learn(
        game: Game,
        algorithm: str,
        seconds: float,
        seed: int,
        folder: Path,
        restart: bool,
        ray: str | None = None,
    ) -> None:
        """Fit for `seconds`, at least one step; resume the weights in `folder` unless `restart`."""
        from closedhand.learning import policy_gradient

        if game.options != make_game(game.name).options:
            raise InputError(
                f"{algorithm} is fitted under the default rules of {game.name}: "
                "leave out the options"
            )
        path = make_folder(folder, {f"{algorithm}.npz": CHECKPOINT}) / f"{algorithm}.npz"
        run = policy_gradient.begin(load(task), seed, path)
        text = f"{agent}{quoted(str(path))}"
        fit(run, seconds, restart, ray, f"saved {path} after", f"play with them as {text}")

    return learn


def fit(
    run: Run[Any], seconds: float, restart: bool, ray: str | None, saved: str, how: str
) -> None:
    """Let a learner work, perhaps on a cluster, and say what was saved and how to use it.

    The learner has the counts `games` and `steps`, and gets the cluster as `remote`. The message is
    `saved`, the number of games, and `how`.
    """
    learner = run.learner
    with cluster_at(ray) as learner.remote:
        work_for(run, seconds, lambda: f"{learner.games:,} games", restart=restart)
    if learner.steps:
        typer.echo(f"{saved} {learner.games:,} games: {how}")
    leave_if_interrupted(run.interrupted, nothing=not learner.steps)
