"""Self-play for single-agent learners: every seat is an env that waits for its turn."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from closedhand.core.checks import InputError, integers
from closedhand.core.game import Game
from closedhand.core.status import RUNNING
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, IN_OBSERVATION, PLANES, Observation
from closedhand.envs.vector import GameVectorEnv, Infos, Step, marked

TO_ACT = "to_act"


class SeatVectorEnv(common.Copied, VectorEnv[Observation, np.ndarray, np.ndarray]):
    """Parallel games with a row for every seat of every game; the rows of a game are adjacent.

    A step plays one action in each game, that of the row to act. The other rows wait: their mask
    marks action 0 alone, and their actions are ignored. Each row has the observations and rewards
    of its seat, also when another seat acts, and the rows of a game end together. A learner treats
    each row as an env of one player with many forced actions, so that its returns and advantages
    are correct. `infos["to_act"]`, bool [num_envs], marks the rows to act; a custom loop may skip
    the others. With `mask="info"` infos alone have the masks.

    The spaces of a row are those of one game of a `GameVectorEnv`. The first deal of game i is that
    of a `SoloEnv` with seed + i.

    Attributes:
        num_games: Number of games.
        num_seats: Number of seats of a game; `num_envs` is the product of both.
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
        mode = self.autoreset_mode = common.check_autoreset_mode(autoreset_mode)
        # With same-step reset, `step` resets finished games itself, after keeping `final_obs`.
        games_mode = AutoresetMode.NEXT_STEP if mode == AutoresetMode.SAME_STEP else mode
        env = self._env = GameVectorEnv(
            self.game, num_games, reward="seats", observation=observation, mask=mask,
            render_mode=render_mode, illegal_reward=illegal_reward, autoreset_mode=games_mode,
        )  # fmt: skip
        self.metadata = {**deepcopy(self.metadata), "autoreset_mode": mode}
        self.form, self.render_mode = env.form, render_mode
        self.num_games, self.num_seats = env.num_envs, self.game.num_players
        self.num_envs = self.num_games * self.num_seats
        space, actions = env.single_observation_space, env.single_action_space
        self.single_observation_space: spaces.Space[Any] = space  # pyright: ignore[reportIncompatibleVariableOverride]
        self.single_action_space: spaces.Discrete = actions  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space = batch_space(space, self.num_envs)
        self.action_space = batch_space(actions, self.num_envs)

    @property
    def states(self) -> np.ndarray:
        """A copy of all states, `game.dtype` [num_games]."""
        return self._env.states

    def render(self) -> tuple[Any, ...] | None:
        """Draw the open table of every game; see `closedhand.envs.render`."""
        return self._env.render()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Start new games.

        Args:
            seed: Seed of game 0; game i gets seed + i. Or a list with a seed for each row, where a
                game takes the seed of its first row. None: the streams continue.
            options: `reset_mask`, bool [num_envs], the same for all rows of a game: where to start
                a new game, by default everywhere. `deal` and `state`: as for `GameVectorEnv`.

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
        self._env.reset(seed=seeds, options={**options, "reset_mask": games})
        return self._current()

    def step(self, actions: np.ndarray) -> Step:
        """Play one action in each game.

        Args:
            actions: Ids, integers [num_envs]; those of rows that wait are ignored.

        Returns:
            Observations, rewards, terminations, truncations (always False), infos.

        Raises:
            gymnasium.error.ResetNeeded: Games were not started, or ended with autoreset disabled.
            InputError: The actions are not integers [num_envs].
        """
        ids = integers("actions", actions, self.num_envs, "row")
        table = ids.reshape(self.num_games, self.num_seats)
        chosen = table[np.arange(self.num_games), self._env.states["player"]]
        _, rewards, ended, *_ = self._env.step(chosen)
        terminations = np.repeat(ended, self.num_seats)
        observations, infos = self._current()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            last = common.rows_of(observations, terminations)
            self._env.reset(options={"reset_mask": ended})
            observations, infos = self._current()
            infos |= marked(terminations, {"final_obs": last})
        return observations, rewards.ravel(), terminations, np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """Return the masks that the infos hold, bool [num_envs, num_actions]."""
        self._env._check_started()  # pyright: ignore[reportPrivateUsage]
        return self._current()[1][ACTION_MASK] != 0

    def _current(self) -> tuple[Observation, Infos]:
        """Return observations and infos; the mask of a waiting row marks action 0."""
        states, status = self._env.states, self._env._games.status  # pyright: ignore[reportPrivateUsage]
        seats = np.tile(np.arange(self.num_seats), self.num_games)
        seen, mask = self.form.observe(np.repeat(states, self.num_seats), seats)
        observations = self.form.show(seen)
        to_act = np.zeros((self.num_games, self.num_seats), bool)
        to_act[np.arange(self.num_games), states["player"]] = status == RUNNING
        waiting = ~to_act.ravel()
        mask[waiting] = 0
        mask[waiting, 0] = 1
        if self.form.mask == IN_OBSERVATION:
            observations[ACTION_MASK] = mask
        everywhere = np.ones(self.num_envs, bool)
        return observations, marked(everywhere, {ACTION_MASK: mask.copy(), TO_ACT: ~waiting})
