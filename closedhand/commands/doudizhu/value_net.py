"""The trainer of the network of Dou Dizhu's `value-net`."""

from pathlib import Path

from closedhand.cli.common import make_folder
from closedhand.commands.self_play import fit
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.file_kinds import CHECKPOINT, FileKind, arrays_with
from closedhand.core.game import Game


def learn(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    start: Path | None = None,
    ray: str | None = None,
) -> None:
    """Train for `seconds`, at least one step; resume the training in `folder` unless `restart`.

    The game has default rules but for the objective. `start` (`--from`) is the file of a network to
    continue from.
    """
    from closedhand.agents.doudizhu.value_net import files, training

    network = FileKind("a value network", arrays_with("about", "dense", "inputs", "plays"))
    make_folder(folder, {files.NAME: network, training.CHECKPOINT: CHECKPOINT})
    run = training.begin(game, seed, folder, start)
    agent = AgentSpec(algorithm, {}, str(folder))
    saved = f"saved {folder / files.NAME} after"
    fit(run, seconds, restart, ray, saved, f"play it as {agent}")
