"""Common parts of all envs: the game, checks of arguments, seeds, and the start of games.

A function that checks a value returns it, or raises an `InputError`.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np
from gymnasium.vector import AutoresetMode

from closedhand.core.checks import InputError, UnknownOption, as_array, check_seed, shown
from closedhand.core.copies import OwnArrays
from closedhand.core.game import Game, State
from closedhand.core.registry import make_game

RENDER_MODES = ("human", "ansi", "rgb_array")
RENDER_FPS = 2

ILLEGAL_REWARD = -10.0
"""Default reward of an illegal action; a small penalty would let agents end a lost game cheaply."""

LARGEST_REWARD = 1e30
"""Largest absolute value of `illegal_reward`, since some libraries store rewards as float32."""

MOST_GAMES = 2**24
"""Maximum number of games of a batch; the spaces of more would fill the memory."""

RESET_FIRST = "no game is under way: call reset() first"
ENDED_FIRST = "the opponents end this game before the seat's first turn"
"""Message for a given deal or state; a drawn deal that ends like this is replaced by another."""


class Copied(OwnArrays):
    """Mixin of envs whose copies and pickles share nothing with the original."""

    compiled: ClassVar[tuple[str, ...]] = ()
    """Attributes that copies and pickles leave out, as compiled code cannot be copied."""

    def __copy__(self) -> Self:
        # Two envs that shared a state would disturb each other.
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self.compiled}


def resolve(game: str | Game, options: Mapping[str, Any]) -> Game:
    """Make the game of a name with options, or return the given `Game`.

    Raises:
        InputError: `game` is neither a name of a game nor a `Game`, or an option has a wrong value.
        UnknownOption: The game has no such option, or there are options beside a `Game`. The
            message begins like Python's for an unknown argument, which libraries search for.
    """
    if not isinstance(game, str | Game):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"a game is a name or a Game, not {shown(game)}")
    try:
        if isinstance(game, str):
            return make_game(game, **options)
        for name in options:
            raise UnknownOption(f"a Game brings its own options: {name} cannot be changed", name)
        return game
    except UnknownOption as error:
        text = f"got an unexpected keyword argument {error.name!r}: {error}"
        raise UnknownOption(text, error.name) from None


def one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """Check that a value is one of the texts `choices`; the message calls it `name`."""
    if not isinstance(value, str) or value not in choices:
        known = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise InputError(f"{name} is {known}, not {shown(value)}")
    return value


def metadata(**more: Any) -> dict[str, Any]:
    """Make metadata of an env or a class; the list of modes is new, since wrappers append to it."""
    return {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS, **more}


def check_render_mode(mode: str | None) -> str | None:
    """Check a render mode; None: the env draws nothing."""
    return None if mode is None else one_of("render_mode", mode, RENDER_MODES)


def check_autoreset_mode(mode: Any) -> AutoresetMode:
    """Convert an autoreset mode of Gymnasium, or its name such as `NextStep`, to the mode."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        modes = ", ".join(each.value for each in AutoresetMode)
        raise InputError(f"no autoreset mode {shown(mode)}; there are {modes}") from None


def check_reward(reward: Any) -> float:
    """Check the reward of an illegal action, a number from minus to plus `LARGEST_REWARD`."""
    numbers: Any = (int, float, np.integer, np.floating)
    is_number = isinstance(reward, numbers) and not isinstance(reward, bool)
    if not is_number or not -LARGEST_REWARD <= reward <= LARGEST_REWARD:
        raise InputError(f"illegal_reward is a number, not {shown(reward)}")
    return float(reward)


def seed_or_none(seed: Any) -> int | None:
    """Check the seed of a reset, None or a whole number of 0 or more."""
    return None if seed is None else check_seed(seed)


def is_list(value: Any) -> bool:
    """Return whether a value is a sequence or an array, and neither a text nor bytes."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def seeds_of(seed: Any, number: int, what: str = "games") -> list[int | None]:
    """Return a list of `number` seeds: those of a given list, or `seed` + i for game i.

    None, as `seed` or as an item of the list, is no seed. Messages call the games `what`.
    """
    if seed is None:
        return [None] * number
    if not is_list(seed):
        first = check_seed(seed)
        return [first + i for i in range(number)]
    seeds = list(seed) if getattr(seed, "ndim", 1) else []  # an array without axes has no items
    if len(seeds) != number:
        raise InputError(f"{number} {what} need as many seeds, not {len(seeds)}")
    return [seed_or_none(each) for each in seeds]


def mask_of(what: str, given: Any, number: int) -> np.ndarray:
    """Check a mask of games or rows, bool [number], which marks at least one; None marks all."""
    if given is None:
        return np.ones(number, bool)
    mask = as_array(given)
    if mask.shape != (number,) or mask.dtype != bool or not mask.any():
        raise InputError(f"{what} must be bool [{number}] with at least one True")
    return np.ascontiguousarray(mask)


def rows_of(observations: Any, which: np.ndarray) -> np.ndarray:
    """Return copies of the observations of some games or rows, object [n]; None for the others.

    Observations are an array [n, ...] or a dict of such arrays; `which`, bool [n], marks the rows.
    The result has the form of Gymnasium's `final_obs`.
    """
    rows = np.full(len(which), None, object)
    for i in np.flatnonzero(which):
        if isinstance(observations, np.ndarray):
            rows[i] = observations[i].copy()
        else:
            rows[i] = {name: part[i].copy() for name, part in observations.items()}
    return rows


def reset_options(options: Any) -> Mapping[str, Any]:
    """Check the options of a reset, a mapping or None, and return them as a mapping."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise InputError(f"options of a reset are a dict, not {shown(options)}")
    return cast(Mapping[str, Any], options)


def given_start(game: Game, options: Any) -> State | None:
    """Return the state that the options of a reset give; None if a game is to be dealt.

    The option `deal` is the text of a deal, `state` a full record of a game in progress; an
    `InputError` refuses any other value, or both. Other options are ignored, as API tests demand.
    """
    start = reset_options(options)
    deal, state = start.get("deal"), start.get("state")
    if deal is not None and state is not None:
        raise InputError("options start a game from a deal or from a state, not from both")
    if deal is not None:
        if not isinstance(deal, str):
            raise InputError(f"options['deal'] must be the text of a deal, not {shown(deal)}")
        state = game.parse_deal(deal)
    if state is None:
        return None
    if getattr(state, "dtype", None) != game.dtype or np.ndim(state) != 0:
        raise InputError(f"options['state'] is not a state of {game.name}")
    reason = game.valid(state)
    if reason and any(not game.valid(state, seat) for seat in range(game.num_players)):
        raise InputError("options['state'] is a view: some cards are not known")
    if reason:
        raise InputError(f"options['state'] is not a state of {game.name}: {reason}")
    if game.over(state):
        raise InputError("options['state'] is the state of a game that is over")
    return state
