"""The trainer of Dou Dizhu's MaskablePPO."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from closedhand.cli.common import interruptible, leave_if_interrupted, make_folder, percent_bar
from closedhand.core.agent_spec import AgentSpec, split_agents
from closedhand.core.game import Game


def learn(
    game: Game,
    algorithm: str,
    seconds: float,
    seed: int,
    folder: Path,
    restart: bool,
    opponents: str | None,
    given: Mapping[str, Any],
) -> None:
    """Train MaskablePPO against agents, `random,rule` if none are named."""
    from closedhand.agents.doudizhu import ppo

    against = split_agents("random,rule" if opponents is None else opponents)
    rules = {key: game.options[key] for key in given if key != "substeps"}
    make_folder(folder)
    with interruptible(), percent_bar() as tell:
        result = ppo.train(
            folder,
            seconds / 60,
            against,
            seed=seed,
            restart=restart,
            progress=tell,
            **rules,
        )
    typer.echo(f"saved {result.path}: play it as the agent {AgentSpec('ppo', {}, str(folder))}")
    leave_if_interrupted(result.interrupted)
