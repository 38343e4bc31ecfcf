"""The trainer of the playouts of Daihinmin's `monte-carlo`."""

from pathlib import Path

from closedhand.commands.self_play import fit
from closedhand.core.game import Game


def learn(
    game: Game, algorithm: str, seconds: float, seed: int, folder: Path, restart: bool
) -> None:
    """Fit the weights in self-play."""
    from closedhand.baselines.daihinmin.policy.training import TASK

    fit(game, algorithm, TASK, "monte-carlo:2000:", seconds, seed, folder, restart)
