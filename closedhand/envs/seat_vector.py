"""Self-play for learners of one player: every seat is a separate env, which may have to wait."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import error, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from closedhand.core.checks import InputError, integers
from closedhand.core.game import Game
from closedhand.core.status import RUNNING
from closedhand.envs import common
from closedhand.envs.observation_form import (
    ACTION_MASK,
    IN_OBSERVATION,
    PLANES,
    Observation,
    ObservationForm,
)
from closedhand.envs.vector import GameVectorEnv, Infos, Step, marked

TO_ACT = "to_act"


class Rows(common.Copied, ABC, VectorEnv[Observation, np.ndarray, np.ndarray]):
    """Parallel games with a row for every seat of every game, the seats of a game together.

    A step plays one action in each game, that of the row to act. The other rows wait: their mask
    marks action 0 alone, and their actions are ignored. Each row has the observations and rewards
    of its seat, also when another seat acts, and the rows of a game end together. A learner treats
    each row as an env of one player with many forced actions, so that its returns and advantages
    are correct. `infos["to_act"]`, bool [num_envs], marks the rows to act; a custom loop may skip
    the others. With `mask="info"` infos alone have the masks.

    Attributes:
        num_games: Number of games.
        num_seats: Number of seats of a game; `num_envs` is the product of both.
    """

    num_games: int
    num_seats: int
    form: ObservationForm

    def _set_up(
        self, games: int, seats: int, space: Any, actions: spaces.Discrete, mode: Any
    ) -> None:
        self.autoreset_mode = common.check_autoreset_mode(mode)
        self.metadata = {**deepcopy(self.metadata), "autoreset_mode": self.autoreset_mode}
        self.num_games, self.num_seats, self.num_envs = games, seats, games * seats
        self.single_observation_space: spaces.Space[Any] = space  # pyright: ignore[reportIncompatibleVariableOverride]
        self.single_action_space: spaces.Discrete = actions  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space = batch_space(space, self.num_envs)
        self.action_space = batch_space(actions, self.num_envs)
        self._started = False

    @abstractmethod
    def _begin(self, games: np.ndarray, seeds: Sequence[int | None], options: Any) -> None:
        """Start new games where `games`, bool [num_games], is True; `seeds` are for all games."""

    @abstractmethod
    def _play(self, actions: np.ndarray) -> np.ndarray:
        """Play an action in each game, or start the next game where one is over.

        Return the rewards, [num_games, num_seats].
        """

    @abstractmethod
    def _over(self) -> np.ndarray:
        """Return which of the started games are over, bool [num_games]."""

    @abstractmethod
    def _actors(self) -> np.ndarray:
        """Return the seats to act, integers [num_games]."""

    @abstractmethod
    def _look(self) -> tuple[Observation, np.ndarray]:
        """Return the observation and the mask of every row; `_current` changes the masks."""

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Start new games.

        Args:
            seed: Seed of game 0; game i gets seed + i. Or a seed for each row, of which that
                of a game's first row counts. None: the streams continue.
            options: `reset_mask`, bool [num_envs], the same for all rows of a game: where to start
                a new game, by default everywhere. Further options are those of the games.

        Raises:
            InputError: A wrong number of seeds, or an invalid seed, mask or option; the env is
                unchanged.
        """
        options = dict(common.reset_options(options))
        what = "options['reset_mask']"
        mask = common.mask_of(what, options.pop("reset_mask", None), self.num_envs)
        rows = mask.reshape(self.num_games, self.num_seats)
        games = rows[:, 0]
        if (rows != games[:, None]).any():
            raise InputError(f"{what} must be the same for all rows of a game")
        if common.is_list(seed):
            seeds = common.seeds_of(seed, self.num_envs, "rows")[:: self.num_seats]
        else:
            seeds = common.seeds_of(seed, self.num_games)
        self._begin(games, seeds, options)
        self._started = True
        return self._current()

    def step(self, actions: np.ndarray) -> Step:
        """Play one action in each game.

        Args:
            actions: Ids, integers [num_envs]; those of rows that wait are ignored.

        Returns:
            Observations, rewards, terminations, truncations (always False), infos.

        Raises:
            gymnasium.error.ResetNeeded: Games were not started, or ended with autoreset disabled.
            InputError: The actions are not integers [num_envs], or the env of an `AECRows` refuses
                one.
        """
        ids = integers("actions", actions, self.num_envs, "row")
        disabled = self.autoreset_mode == AutoresetMode.DISABLED
        if not self._started or (disabled and self._over().any()):
            raise error.ResetNeeded("some envs have no game under way: call reset() first")
        table = ids.reshape(self.num_games, self.num_seats)
        rewards = self._play(table[np.arange(self.num_games), self._actors()])
        ended = self._over()
        terminations = np.repeat(ended, self.num_seats)
        observations, infos = self._current()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            last = common.rows_of(observations, terminations)
            self._begin(ended, [None] * self.num_games, {})
            observations, infos = self._current()
            infos |= marked(terminations, {"final_obs": last})
        return observations, rewards.ravel(), terminations, np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """Return the masks that the infos hold, bool [num_envs, num_actions]."""
        if not self._started:
            raise error.ResetNeeded(common.RESET_FIRST)
        return self._current()[1][ACTION_MASK] != 0

    def _current(self) -> tuple[Observation, Infos]:
        """Return observations and infos; the mask of a waiting row marks action 0."""
        observations, mask = self._look()
        to_act = np.zeros((self.num_games, self.num_seats), bool)
        to_act[np.arange(self.num_games), self._actors()] = ~self._over()
        waiting = ~to_act.ravel()
        mask[waiting] = 0
        mask[waiting, 0] = 1
        if self.form.mask == IN_OBSERVATION:
            observations[ACTION_MASK] = mask
        everywhere = np.ones(self.num_envs, bool)
        return observations, marked(everywhere, {ACTION_MASK: mask.copy(), TO_ACT: ~waiting})


class SeatVectorEnv(Rows):
    """Self-play in games of this package, with a row for every seat; see `Rows`.

    A row has the spaces of a game of a `GameVectorEnv`. The first deal of game i is that of a
    `SoloEnv` with seed + i.
    """

    metadata = common.metadata(autoreset_mode=AutoresetMode.NEXT_STEP)

    def __init__(
        self,
        game: str | Game,
        num_games: int = 1,
        *,
        observation: str = PLANES,
        mask: str = IN_OBSERVATION,
        illegal_reward: float = common.ILLEGAL_REWARD,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make the env of `num_games` games; other arguments, and errors, as in `GameVectorEnv`."""
        self.game = common.resolve(game, options)  # refuses other options of a `GameVectorEnv`
        self._env = GameVectorEnv(
            self.game, num_games, reward="seats", observation=observation, mask=mask,
            render_mode=render_mode, illegal_reward=illegal_reward,
        )  # fmt: skip
        self.form = self._env.form
        self.render_mode = render_mode
        space, actions = self._env.single_observation_space, self._env.single_action_space
        self._set_up(self._env.num_envs, self.game.num_players, space, actions, autoreset_mode)

    @property
    def states(self) -> np.ndarray:
        """A copy of all states, `game.dtype` [num_games]."""
        return self._env.states

    def render(self) -> tuple[Any, ...] | None:
        """Draw the open table of every game; see `closedhand.envs.render`."""
        return self._env.render()

    def _begin(self, games: np.ndarray, seeds: Sequence[int | None], options: Any) -> None:
        self._env.reset(seed=seeds, options={**options, "reset_mask": games})

    def _play(self, actions: np.ndarray) -> np.ndarray:
        return self._env.step(actions)[1]

    def _over(self) -> np.ndarray:
        return self._env._games.status != RUNNING  # pyright: ignore[reportPrivateUsage]

    def _actors(self) -> np.ndarray:
        return self._env.states["player"]

    def _look(self) -> tuple[Observation, np.ndarray]:
        states = np.repeat(self._env.states, self.num_seats)
        seats = np.tile(np.arange(self.num_seats), self.num_games)
        seen, masks = self.form.observe(states, seats)
        return self.form.show(seen), masks
