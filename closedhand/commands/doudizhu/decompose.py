"""The trainer of the weights of Dou Dizhu's `decompose`."""

from pathlib import Path

from closedhand.commands.self_play import fit
from closedhand.core.game import Game


def learn(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    ray: str | None = None,
) -> None:
    """Fit the weights in self-play."""
    from closedhand.baselines.doudizhu.decompose.tuning import TASK

    fit(game, algorithm, TASK, "decompose:", seconds, seed, folder, restart, ray)
