"""The trainers of policies whose weights are fitted in self-play."""

from collections.abc import Callable
from pathlib import Path

import typer

from closedhand.cli.common import cluster_at, leave_if_interrupted, make_folder, work_for
from closedhand.core.file_kinds import CHECKPOINT
from closedhand.core.game import Game, InputError
from closedhand.core.registry import load, make_game


def fitting(task: str, agent: str) -> Callable[..., None]:
    """Make the trainer of an algorithm.

    Args:
        task: Reference `module:name` to the `Task` whose weights are fitted.
        agent: Beginning of the text of the agent that takes the file.
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
        """Fit the weights for at least one step, resuming those in the folder.

        Raises:
            InputError: Rules other than the defaults, or a file of another kind.
        """
        from closedhand.learning import policy_gradient

        if game.options != make_game(game.name).options:
            raise InputError(
                f"{algorithm} is fitted under the default rules of {game.name}: "
                "leave out the options"
            )
        path = make_folder(folder, {f"{algorithm}.npz": CHECKPOINT}) / f"{algorithm}.npz"
        run = policy_gradient.begin(load(task), seed, path)
        training = run.learner
        with cluster_at(ray) as training.crew:
            work_for(run, seconds, lambda: f"{training.games:,} games", restart=restart)
        if training.steps:
            games = f"{training.games:,} games"
            typer.echo(f"saved {path} after {games}: play with them as {agent}{path}")
        leave_if_interrupted(run.interrupted, nothing=not training.steps)

    return learn
