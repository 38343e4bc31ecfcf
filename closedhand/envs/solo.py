"""One seat of every game as a Gymnasium env, with agents on the other seats."""

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import error, logger

from closedhand.core import kernels
from closedhand.core.game import Game, State
from closedhand.envs import common, render
from closedhand.envs.common import ACTION_MASK, ILLEGAL_REWARD, Observation
from closedhand.envs.opponents import Opponents, Spec, check_seat, unchanged_if_refused


class SoloEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a game; the opponents play inside.

    An observation is a dict of int8 arrays: the parts of `game.shapes` (`observation` first) and
    `action_mask` [num_actions]. The reward is the return of the seat when the game ends, before
    that 0; in games that pay in stages (`game.staged`) it is the growth of the seat's return since
    its last step. An illegal action raises nothing: it ends the game with `illegal_reward`, unless
    it counts as a pass (`game.lenient`). Infos:

    - `action_mask`, as in the observation; all zero after the end.
    - `current_player`, the seat that is played from outside.
    - `returns`, at the end: payoffs by player, float64 [num_players].
    - `illegal_action`, True if an illegal action ended the game.

    `reset(seed=...)` reproduces a whole episode: the deal, a random seat, and opponents given by
    name. Copies and pickles continue the game in progress.

    Attributes:
        game: The rules, with `game.text(action)` and `game.parse(text)`.
        seat: The seat of this episode.
    """

    metadata = {"render_modes": list(common.RENDER_MODES), "render_fps": common.RENDER_FPS}

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Spec = "random",
        seat: int | str = 0,
        illegal_reward: float = ILLEGAL_REWARD,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make the env.

        Args:
            game: Name of a game, or a `Game`.
            opponents: A name or an agent for every other seat, or a list with one for each, in seat
                order after ours.
            seat: The seat to play, or `random`: a new one for each episode.
            illegal_reward: The reward of an illegal action.
            render_mode: `human`, `ansi`, `rgb_array` or None.
            **options: Options of `make_game`.

        Raises:
            InputError: An unknown name, option, seat or render mode.
        """
        self.game = common.resolve(game, options)
        self.render_mode = common.check_render_mode(render_mode)
        self.illegal_reward = common.check_reward(illegal_reward)
        self.observation_space: Any = common.observation_space(self.game)
        self.action_space: Any = common.action_space(self.game)
        self._fixed_seat = check_seat(self.game, seat)
        self.seat = self._fixed_seat or 0
        self._opponents = Opponents(self.game, opponents, self.np_random)
        self._states = self.game.empty(1)
        self._paid = 0.0
        self._mask: np.ndarray | None = None
        self._ended = True

    @property
    def game_state(self) -> State:
        """A copy of the state of the game."""
        return self._states[0].copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game; the opponents play until it is our turn.

        Args:
            seed: Seed that restarts all randomness; None: the stream continues.
            options: `deal`, the text of a deal, or `state`, a state to continue from.

        Raises:
            InputError: The seed is no whole number of 0 or more, or an option is no deal, no state
                of a game in progress, or leads to a game that ends before our turn; the env is
                unchanged.
        """
        seed, given = common.seed_or_none(seed), common.given_start(self.game, options)
        with unchanged_if_refused(
            self, given, "_np_random", "_np_random_seed", "_opponents", "_states", "_paid", "seat"
        ):
            super().reset(seed=seed)
            if seed is not None:
                self._opponents.seed(self.np_random)
            self._start(given)
        self._ended = False
        return self._look()

    def _start(self, given: State | None) -> None:
        """Start a game, and let the opponents play until it is our turn."""
        while True:
            common.start(self.game, self._states, common.ONLY, [self.np_random], given)
            if self._fixed_seat is None:
                self.seat = int(self.np_random.integers(self.game.num_players))
            self._paid = float(self.game.returns(self._states[0])[self.seat])
            self._opponents.play(self._states, np.array([self.seat]))
            if not self.game.over(self._states[0]):
                return
            common.refuse_ended(given)

    def step(
        self, action: np.int64
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:  # fmt: skip
        """Play an action; the opponents answer until it is our turn again or the game is over.

        Returns:
            Observation, reward, terminated, truncated (always False), info.

        Raises:
            gymnasium.error.ResetNeeded: No game is in progress.
            InputError: The action is no whole number.
        """
        if self._ended:
            raise error.ResetNeeded("no game is under way: call reset() first")
        actions = common.ids_of(self.game, [action])
        status = np.empty(1, np.int64)
        kernels.play_all(
            self.game.rules, self._states, np.zeros(1, np.int64), actions,
            self.game.num_actions, status,
        )  # fmt: skip
        if status[0] == kernels.ILLEGAL:
            self._ended = True
            observation, info = self._look()
            return observation, self.illegal_reward, True, False, {**info, "illegal_action": True}
        self._opponents.play(self._states, np.array([self.seat]))
        self._ended = self.game.over(self._states[0])
        observation, info = self._look()
        reward = 0.0
        if self._ended or self.game.staged:
            returns = self.game.returns(self._states[0])
            reward = float(returns[self.seat]) - self._paid
            self._paid += reward
            if self._ended:
                info["returns"] = returns
        return observation, reward, self._ended, False, info

    def action_masks(self) -> np.ndarray:
        """The legal actions, bool [num_actions]; sb3-contrib asks for them by this name."""
        if self._mask is None:
            raise error.ResetNeeded("no game is under way: call reset() first")
        return self._mask.astype(bool)

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """The table as our seat sees it, open after the end; see `closedhand.envs.render`."""
        if self.render_mode is None:
            logger.warn("render() shows nothing: the env was made without a render_mode")
            return None
        state = self._states[0]
        if not self._ended:
            state = self.game.view(state, self.seat)
        return render.render(self.game, state, self.render_mode)

    def __copy__(self) -> "SoloEnv":
        # Two envs that share a state would be of no use.
        return copy.deepcopy(self)

    def _look(self) -> tuple[Observation, dict[str, Any]]:
        observation = np.empty(self.game.observation_size, np.int8)
        mask = np.empty(self.game.num_actions, np.int8)
        kernels.observe_one(self.game.rules, self._states, self.seat, observation, mask)
        if self._ended:
            mask[:] = 0
        self._mask = mask.copy()
        if self.render_mode == "human":
            self.render()
        info = {ACTION_MASK: mask.copy(), "current_player": self.seat}
        return {**self.game.split(observation), ACTION_MASK: mask}, info
