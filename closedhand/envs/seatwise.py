"""Learning targets by seat, for loops over a vector env in which all seats are played.

In self-play the steps of a game belong to several seats, and a seat is often paid when another seat
acts. So a decision is credited with the rewards of its seat until the seat decides again or the
game ends, and its successor is the next decision of the same seat. The functions take the arrays of
a loop over a `GameVectorEnv`, in any autoreset mode::

    values[t] = critic(observations)
    observations, rewards[t], ends[t], _, infos = envs.step(actions)  # made with reward="seats"
    actors[t] = infos["actor"]
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedhand.core.checks import InputError, as_array, shown

Floats = NDArray[np.float64]
Credit = tuple[int, NDArray[np.bool_], NDArray[np.intp], NDArray[np.intp], Floats]


def seat_returns(
    rewards: ArrayLike, actors: ArrayLike, ends: ArrayLike, *, gamma: float = 1.0
) -> Floats:
    """Compute the discounted return, from each step on, of the seat that acted in the step.

    Arguments are those of `seat_advantages`. Returns are float64 [steps, num_envs]; NaN where no
    seat acted, or the game does not end within these steps.

    Raises:
        InputError: Arrays without numbers or of shapes that do not fit, a seat that does not exist,
            or a discount that is not from 0 to 1.
    """
    paid, acted, ended = _checked(rewards, actors, ends)
    _check_share("gamma", gamma)
    out = np.full(acted.shape, np.nan)
    # Return of each seat's next decision. NaN: it is not known.
    following = np.full(paid.shape[1:], np.nan)
    for step, over, games, seats, credit in _decisions(paid, acted, ended):
        following[over] = 0.0
        following[games, seats] = out[step, games] = credit + gamma * following[games, seats]
    return out


def seat_advantages(
    rewards: ArrayLike,
    actors: ArrayLike,
    ends: ArrayLike,
    values: ArrayLike,
    *,
    last_values: ArrayLike | None = None,
    last_actors: ArrayLike | None = None,
    gamma: float = 1.0,
    gae_lambda: float = 0.95,
) -> tuple[Floats, Floats]:
    """Compute generalised advantage estimates (Schulman et al., 2016) along each seat's decisions.

    If a game goes on after the rollout, a seat's last decision has no successor. Its advantage is
    then NaN, unless the seat is next to act and `last_values` are given. If the advantage is NaN,
    the seat's earlier decisions bootstrap from the value of this last decision.

    Args:
        rewards: Rewards of all seats in each step, [steps, num_envs, seats].
        actors: Seat that acted in each step, integers [steps, num_envs]; -1 for none.
        ends: Whether the game ended with the step, bool [steps, num_envs].
        values: Value of each observation to the seat that acted, [steps, num_envs].
        last_values: Values of the observations after the last step, [num_envs].
        last_actors: Seats of these observations, `infos["current_player"]`, integers [num_envs].
        gamma: Discount between two decisions of a seat.
        gae_lambda: Weight of longer estimates: 0 looks one decision ahead, 1 to the end.

    Returns:
        Advantages, and returns (advantages plus values), both float64 [steps, num_envs]; NaN where
        no seat acted, or the game goes on and no successor is known.

    Raises:
        InputError: As for `seat_returns`, a weight that is not from 0 to 1, or only one of
            `last_values` and `last_actors`.
    """
    paid, acted, ended = _checked(rewards, actors, ends)
    _check_share("gamma", gamma)
    _check_share("gae_lambda", gae_lambda)
    value = _array("values", values, acted.shape, np.float64)
    advantages = np.full(acted.shape, np.nan)
    # Value (NaN: not known) and advantage (0: not known) of each seat's next decision.
    ahead, gain = np.full(paid.shape[1:], np.nan), np.zeros(paid.shape[1:])
    if (last_values is None) != (last_actors is None):
        raise InputError("last_values and last_actors go together")
    if last_values is not None:
        across = acted.shape[1:]
        seats = _seats("last_actors", last_actors, across, 0, paid.shape[2])
        following = _array("last_values", last_values, across, np.float64)
        ahead[np.arange(len(seats)), seats] = following
    for step, over, games, seats, credit in _decisions(paid, acted, ended):
        ahead[over], gain[over] = 0.0, 0.0
        now = value[step, games]
        advantage = credit + gamma * ahead[games, seats] - now
        advantage += gamma * gae_lambda * gain[games, seats]
        advantages[step, games] = advantage
        ahead[games, seats], gain[games, seats] = now, np.nan_to_num(advantage)
    return advantages, advantages + value


def _decisions(
    rewards: Floats, actors: NDArray[np.intp], ends: NDArray[np.bool_]
) -> Iterator[Credit]:
    """Iterate over the steps from the last to the first.

    Yield the step; the games that ended with it, bool [num_envs]; the games in which a seat acted;
    these seats; and the rewards of each of these seats until its next decision.
    """
    due = np.zeros(rewards.shape[1:])
    for step in reversed(range(len(rewards))):
        over = ends[step]
        due[over] = 0.0
        due += rewards[step]
        games = np.flatnonzero(actors[step] >= 0)
        seats = actors[step, games]
        yield step, over, games, seats, due[games, seats]
        due[games, seats] = 0.0


def _checked(
    rewards: Any, actors: Any, ends: Any
) -> tuple[Floats, NDArray[np.intp], NDArray[np.bool_]]:
    paid = _array("rewards", rewards, None, np.float64)
    if paid.ndim != 3:
        raise InputError(f"rewards have the shape [steps, num_envs, seats], not {paid.shape}")
    acted = _seats("actors", actors, paid.shape[:2], -1, paid.shape[2])
    return paid, acted, _array("ends", ends, paid.shape[:2], np.bool_)


def _seats(
    name: str, values: Any, shape: tuple[int, ...], least: int, number: int
) -> NDArray[np.intp]:
    """Check an array of seats from `least` to `number` - 1, and return it."""
    if as_array(values).dtype.kind not in "iu":
        raise InputError(f"{name} are seats, whole numbers, not {shown(values)}")
    array = _array(name, values, shape, np.intp)
    if array.size and not least <= array.min() <= array.max() < number:
        raise InputError(f"{name} are seats from {least} to {number - 1}")
    return array


def _array(name: str, values: Any, shape: tuple[int, ...] | None, dtype: Any) -> NDArray[Any]:
    """Check numbers, and convert them to an array of a shape; None: any shape."""
    try:
        array = np.asarray(values, dtype)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} are an array of numbers, not {shown(values)}") from None
    if shape is not None and array.shape != shape:
        raise InputError(f"{name} have the shape {array.shape}, but rewards take {shape}")
    return array


def _check_share(name: str, value: Any) -> None:
    """Check that a value is a number from 0 to 1; `name` is for the message."""
    if not isinstance(value, float | int | np.floating) or not 0 <= value <= 1:
        raise InputError(f"{name} is a number from 0 to 1, not {shown(value)}")
