"""The ids of all envs, in PettingZoo's registry and in Gymnasium's.

Entry points are names: nothing is imported, let alone compiled, before an env is made.
"""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

import gymnasium
import pettingzoo

from closedhand.core.registry import GAMES, GameSpec, add_game, find_games


def register(spec: GameSpec) -> None:
    """Enter the envs of a game into the registries; repeating it has no effect."""
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
        vector_entry_point="closedhand.envs.device_env:make_vector",
        kwargs=arguments,
        order_enforce=False,  # the env says itself what needs a reset
    )


def register_games() -> None:
    """Find all games, and enter their envs into the registries."""
    find_games()
    for spec in GAMES.values():
        register(spec)


def register_game(spec: GameSpec) -> None:
    """Register a game and its envs, in a script or notebook.

    A package uses an entry point of the group `closedhand.games` instead.

    Raises:
        InputError: Another game has that name.
    """
    add_game(spec)
    register(spec)
