"""The forms of observations, and whether they contain the action mask, for every env."""

import math
from collections import OrderedDict
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from closedhand.core import batch, contract
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Seats, States
from closedhand.envs import common

Observation = dict[str, np.ndarray] | Any
"""Arrays by name, or one array (see `ObservationForm.is_array`)."""

OBSERVATION = "observation"
ACTION_MASK = "action_mask"
PLANES, FLAT, COMPACT = FORMS = ("planes", "flat", "compact")
"""The values of the option `observation`."""
IN_OBSERVATION, IN_INFO = MASKS = (OBSERVATION, "info")
"""The values of the option `mask`: masks in observations and infos, or in infos alone."""


class ObservationForm:
    """The form of an env's observations: it converts what kernels write, and makes spaces.

    Attributes:
        name: `planes`: all parts of `game.shapes`; `flat`: these as one vector; `compact`: the
            vector of `game.features`.
        mask: `observation`: masks in observations and infos; `info`: in infos alone.
        is_array: Whether the observation is one array instead of a dict. It is if `name` is `flat`
            or `compact`, and `mask` is `info`.
        compact: Whether kernels write `game.features` instead of `game.observe`.
        size: Number of entries that kernels write.
    """

    def __init__(self, game: Game, form: Any = PLANES, mask: Any = IN_OBSERVATION) -> None:
        """Choose one of `FORMS` and one of `MASKS`; an `InputError` refuses any other value."""
        self.game = game
        self.name = common.one_of("observation", form, FORMS)
        self.mask = common.one_of("mask", mask, MASKS)
        self.is_array = mask == IN_INFO and form != PLANES
        self.compact = form == COMPACT
        self.size = game.feature_size if self.compact else game.observation_size

    def bounds(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Return the smallest and the largest value of every entry, int8 [size] each.

        A compact form has those of `game.feature_table`, if there is one. Otherwise they are 0 and
        1 in parts with several axes, -1 and 127 in vectors.
        """
        if self.compact and self.game.feature_table is not None:
            return self.game.feature_table.bounds
        shapes = self.game.shapes.values()
        sizes = [math.prod(shape) for shape in shapes]
        ranges = np.array([(0, 1) if len(shape) > 1 else (-1, 127) for shape in shapes], np.int8)
        low, high = np.repeat(ranges, sizes, axis=0).T
        return low, high

    def space(self, has_mask: bool = True) -> spaces.Dict | Any:
        """Make the space of what `show` returns; `has_mask`: whether `show` is given a mask."""
        low, high = map(self.parts, self.bounds())
        parts: OrderedDict[str, spaces.Space[Any]] = OrderedDict(
            (name, spaces.Box(low[name], high[name], low[name].shape, np.int8)) for name in low
        )
        if self.is_array:
            return parts[OBSERVATION]
        if has_mask and self.mask == IN_OBSERVATION:
            parts[ACTION_MASK] = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        return spaces.Dict(parts)

    def show(self, observation: np.ndarray, mask: np.ndarray | None = None) -> Observation:
        """Convert an observation from a kernel, int8 [..., size], and its mask, without a copy.

        Return the array if `is_array`, else a dict of its parts. The dict also has the given mask,
        int8 [..., num_actions], if the attribute `mask` is `observation`.
        """
        if self.is_array:
            return observation
        parts = self.parts(observation)
        if mask is not None and self.mask == IN_OBSERVATION:
            parts[ACTION_MASK] = mask
        return parts

    def parts(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Split an observation from a kernel, int8 [..., size], into parts, views of the array."""
        return self.game.split(observation) if self.name == PLANES else {OBSERVATION: observation}

    def observe(self, states: States, seats: Seats | None = None) -> tuple[NDArray[np.int8], ...]:
        """Return observations [n, size] and masks [n, num_actions], int8; see `core.batch`."""
        look = batch.features if self.compact else batch.observe
        return look(self.game, states, seats)

    def joint_space(self) -> spaces.Box:
        """Make the space of `joint`."""
        low, high = (np.tile(bound, self.game.num_players) for bound in self.bounds())
        return spaces.Box(low, high, low.shape, np.int8)

    def joint(self, state: State) -> np.ndarray:
        """Return the observations of all players in order, int8 [num_players * size]."""
        out = np.empty((self.game.num_players, self.size), np.int8)
        for seat in range(self.game.num_players):
            contract.look(self.game.rules, state, seat, self.compact, out[seat])
        return out.ravel()
