"""The ids of all envs, in PettingZoo's registry and in Gymnasium's.

Entry points are names: nothing is imported, let alone compiled, before an env is made.
"""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

import warnings

import gymnasium
import pettingzoo

from closedhand.core.checks import InputError
from closedhand.core.registry import GAMES, GameSpec, add_game, find_games


def register(spec: GameSpec) -> None:
    """Enter the envs of a game into the registries; repeating it has no effect.

    Raises:
        InputError: Another game has envs of these ids.
    """
    if spec.gymnasium_id in gymnasium.registry:
        owner = gymnasium.registry[spec.gymnasium_id].kwargs.get("game")
        if owner != spec.name:
            raise InputError(f"{spec.gymnasium_id}, an env of the game {spec.name}, is taken")
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
        try:
            register(spec)
        except InputError as error:
            warnings.warn(str(error), stacklevel=2)


def register_game(spec: GameSpec) -> None:
    """Register a game and its envs, in a script or notebook.

    A package uses an entry point of the group `closedhand.games` instead.

    Raises:
        InputError: Another game has that name, or envs of the same ids.
    """
    add_game(spec)
    register(spec)
