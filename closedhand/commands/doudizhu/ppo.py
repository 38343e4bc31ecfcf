"""What `train` does for Dou Dizhu with MaskablePPO."""

from pathlib import Path
from typing import Any

import typer

from closedhand.cli.common import interruptible, leave_if_interrupted, make_folder, progress_bar
from closedhand.core.game import Game, InputError


def learn(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    opponents: str | None = None,
    **options: Any,
) -> None:
    """Train a model in a folder, or go on with the one that it holds.

    Args:
        game: Dou Dizhu.
        algorithm: `ppo`.
        seconds: How long.
        seed: Of deals, opponents and network.
        folder: For the model and its logs.
        restart: Begin anew although the folder holds a model.
        opponents: Agents, with commas between; `random,rule` if absent.
        **options: Those of the game that were given; the others are as training likes them.
    """
    try:
        from closedhand.baselines.doudizhu import ppo
    except ModuleNotFoundError as error:
        raise InputError(f"no module {error.name}: pip install 'closedhand[train]'") from None
    make_folder(folder)
    with interruptible(), progress_bar("percent", 100) as update:
        result = ppo.train(
            folder,
            seconds / 60,
            (opponents or "random,rule").split(","),
            seed=seed,
            restart=restart,
            progress=lambda share, text: update(int(100 * share), unit=f"percent, {text}"),
            **options,
        )
    typer.echo(f"saved {result.path}: play it as the agent ppo:{result.path}")
    leave_if_interrupted(result.interrupted)
