"""The trainers of Daihinmin: of the weights of two policies, and of the parameters of `kou`."""

from pathlib import Path
from typing import Any

import typer

from closedhand.cli.common import leave_if_interrupted, make_folder, work_for
from closedhand.commands.self_play import fitting
from closedhand.core.file_kinds import CHECKPOINT, FileKind, begun
from closedhand.core.game import Game
from closedhand.core.registry import make_game

POLICY = "closedhand.agents.daihinmin.policy"

learn = fitting(f"{POLICY}.light_training:TASK", "monte-carlo:2000:")
learn_policy = fitting(f"{POLICY}.pattern_training:TASK", "policy:")


def tune_kou(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    given: dict[str, Any],
) -> None:
    """Tune `kou` in duplicate rounds with random classes.

    `given` are the options that the command line states.
    """
    from closedhand.agents.daihinmin.kou import tuning
    from closedhand.games.daihinmin.game import league_options

    game = make_game(game.name, **league_options(given, 1, True))
    text = FileKind("the text of an agent", begun("kou["))
    make_folder(folder, {tuning.CHECKPOINT: CHECKPOINT, tuning.TEXT: text})
    run = tuning.begin(game, seed, folder)
    learner = run.learner

    def line_of(entry: dict[str, Any]) -> str:
        mean, low, high = entry["gain"]
        return f"{entry['change']} gains {mean:.3f} points a round ({low:.3f} to {high:.3f})"

    work_for(run, seconds, lambda: f"{learner.trials:,} trials", restart=restart, line_of=line_of)
    if learner.deals:
        typer.echo(
            f"saved {run.path} after {learner.trials:,} trials, {learner.accepted:,} of them "
            f"successes: play the best as the agent in {folder / tuning.TEXT}"
        )
        typer.echo(tuning.text_of(learner.numbers))
    leave_if_interrupted(run.interrupted, nothing=not learner.deals)
