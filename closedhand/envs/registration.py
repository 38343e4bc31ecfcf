"""The ids of all envs, in PettingZoo's registry and in Gymnasium's.

Entry points are names: nothing is imported, let alone compiled, before an env is made.
"""

# pyright: reportMissingTypeStubs=false
# PettingZoo has its types inline, without saying so.

import gymnasium
import pettingzoo

from closedhand.core.moved import old_names
from closedhand.core.registry import GAMES, GameSpec, add_game, find_games

__getattr__ = old_names(__name__)


def register(spec: GameSpec) -> None:
    """Enter the envs of a game into the registries; a second time does nothing."""
    if spec.gymnasium_id in gymnasium.registry:
        return
    arguments = {"game": spec.name}
    pettingzoo.register("aec", spec.aec_id, "closedhand.envs.aec:env", kwargs=arguments)
    if spec.parallel_id:
        pettingzoo.register(
            "parallel",
            spec.parallel_id,
            "closedhand.envs.parallel:parallel_env",
            kwargs=arguments,
        )
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
        spec.gymnasium_id,
        "closedhand.envs.solo:SoloEnv",
        vector_entry_point="closedhand.envs.vector:GameVectorEnv",
        kwargs=arguments,
    )


def register_games() -> None:
    """Find all games, and enter their envs into the registries."""
    find_games()
    for spec in GAMES.values():
        register(spec)


def register_game(spec: GameSpec) -> None:
    """Make a game known by its name, with its envs: for scripts and notebooks.

    A package does it by an entry point of the group `closedhand.games`.

    Raises:
        InputError: Another game has that name.
    """
    add_game(spec)
    register(spec)
