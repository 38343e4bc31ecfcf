"""The ids of all envs, in the registries of PettingZoo and Gymnasium.

Entry points are names, so that a game is imported and compiled only when an env is made.
"""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

import warnings
from typing import Any

import gymnasium
import pettingzoo
from gymnasium.vector import VectorEnv

from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.registry import GAMES, GameSpec, add_game, find_games


def register(spec: GameSpec) -> None:
    """Enter the envs of a game into the registries, once; refuse ids that another game has."""
    _check_ids(spec)
    if spec.gymnasium_id in gymnasium.registry:
        return
    arguments = {"game": spec.name}
    pettingzoo.register("aec", spec.aec_id, "closedhand.envs.aec:env", kwargs=arguments)
    if spec.parallel_id:
        entry_point = "closedhand.envs.parallel:GameParallel"
        pettingzoo.register("parallel", spec.parallel_id, entry_point, kwargs=arguments)
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
        spec.gymnasium_id,
        "closedhand.envs.solo:SoloEnv",
        vector_entry_point="closedhand.envs.registration:make_vector",
        kwargs=arguments,
        order_enforce=False,  # the env itself raises ResetNeeded
    )


def _check_ids(spec: GameSpec) -> None:
    """Refuse ids of envs that another game has: PettingZoo would replace its envs."""
    for registry, env_id in (
        (gymnasium.registry, spec.gymnasium_id),
        (pettingzoo.aec_registry, spec.aec_id),
        (pettingzoo.parallel_registry, spec.parallel_id or ""),
    ):
        if env_id in registry and registry[env_id].kwargs.get("game") != spec.name:
            raise InputError(f"{env_id}, an env of the game {spec.name}, is taken")


def register_games() -> None:
    """Find all games, and enter their envs into the registries; warn of ids that are taken."""
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
    _check_ids(spec)
    add_game(spec)
    register(spec)


def make_vector(
    game: str | Game, num_envs: int = 1, *, device: Any = None, **arguments: Any
) -> VectorEnv[Any, Any, Any]:
    """Make a `GameVectorEnv`, or with a `device`, such as `cuda` or `cpu`, a `DeviceVectorEnv`.

    Other arguments and the errors are those of the class of the env.
    """
    # Imported here, so that `import closedhand` does not wait for the envs.
    from closedhand.envs.device_env import DeviceVectorEnv
    from closedhand.envs.vector import GameVectorEnv

    if device is None:
        return GameVectorEnv(game, num_envs, **arguments)
    return DeviceVectorEnv(game, num_envs, device=device, **arguments)
