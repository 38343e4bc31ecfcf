"""Checks of envs and observations, for adapters to libraries; each raises `InputError`."""

from typing import Any, cast

from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from closedhand.core.checks import InputError, shown
from closedhand.envs.observation_form import (
    ACTION_MASK,
    COMPACT,
    FLAT,
    IN_INFO,
    IN_OBSERVATION,
    OBSERVATION,
    ObservationForm,
)
from closedhand.envs.seat_vector import SeatVectorEnv
from closedhand.envs.vector import GameVectorEnv

OneSeat = GameVectorEnv | SeatVectorEnv
"""Classes that `vector_env` takes; a `GameVectorEnv` has one seat a row only with opponents."""


def vector_env(env: Any, library: str, mode: AutoresetMode, mask: str = IN_OBSERVATION) -> OneSeat:
    """Return `env` if it is a vector env of this package, for a library that needs masks.

    `env` is what `gymnasium.make_vec` returns, or a `SeatVectorEnv`. `mode` is the autoreset mode
    that the library needs, `mask` where it takes masks from: `observation` or `info`. An
    env in which several seats share a row, or that pays all seats, is refused: a single-agent
    library would mix the rewards. So is an env without masks (`legal="ids"`), and a wrapped one:
    Gymnasium's wrappers do not pass on all that adapters use.
    """
    inner = getattr(env, "unwrapped", env)
    if not isinstance(inner, OneSeat):
        raise InputError(f"a vector env of closedhand is needed here, not {shown(env)}")
    if inner is not env:
        raise InputError(
            f"{library} takes the env without the wrapper {type(env).__name__}: put wrappers of "
            f"{library} around the result"
        )
    if isinstance(inner, GameVectorEnv) and inner.is_self_play:
        raise InputError(
            f"{library} takes one player a row, and here all seats share it: make the env with "
            "opponents, or a SeatVectorEnv"
        )
    if isinstance(inner, GameVectorEnv) and inner.reward == "seats":
        raise InputError(f"{library} takes one reward a row: leave out reward='seats'")
    if inner.autoreset_mode != mode:
        raise InputError(f"{library} needs another reset: use autoreset_mode={mode.value!r}")
    if isinstance(inner, GameVectorEnv) and not inner.has_mask:
        raise InputError(f"{library} takes masks: use legal='mask'")
    if mask != IN_INFO:
        check_mask(inner.form, library)
    return inner


def check_mask(form: ObservationForm, library: str) -> None:
    """Refuse observations without a mask, for a library that takes masks from observations."""
    if form.mask == IN_INFO:
        raise InputError(f"{library} takes the mask from observations: leave out mask='info'")


def only_part(space: Any, library: str) -> spaces.Box:
    """Return the space of `observation`, for a library that keeps only this part and the mask."""
    parts = cast(dict[str, Any], getattr(space, "spaces", {}))
    if OBSERVATION not in parts or ACTION_MASK not in parts:
        raise InputError(f"an observation here is a dict of {OBSERVATION} and {ACTION_MASK}")
    others = [name for name in parts if name not in (OBSERVATION, ACTION_MASK)]
    if others:
        raise InputError(
            f"{library} keeps {OBSERVATION!r} alone and would lose {', '.join(others)}: make the "
            f"env with observation={FLAT!r} or {COMPACT!r}"
        )
    return parts[OBSERVATION]
