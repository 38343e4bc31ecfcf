"""One seat of every game as a Gymnasium env, with agents on the other seats."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import error, logger, spaces

from closedhand.core.checks import InputError, id_or_illegal, whole_number
from closedhand.core.game import Game, State
from closedhand.core.numba.fast_call import entry
from closedhand.core.numba.jit import draw_seed
from closedhand.core.status import ILLEGAL, OVER, REFUSED, RUNNING
from closedhand.envs import common, opponent_kernels, render
from closedhand.envs.observation_form import (
    ACTION_MASK,
    IN_OBSERVATION,
    PLANES,
    Observation,
    ObservationForm,
)
from closedhand.envs.opponent_kernels import BEGIN
from closedhand.envs.opponents import Opponents, Spec, check_seat

Look = tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]
"""Arrays that a turn writes: observation, masks for observation and info, and returns."""

INT8 = np.dtype(np.int8)
IN_STATE = np.uint64(0)  # in place of the seed of a deal: begin with the present state


class SoloEnv(common.Copied, gymnasium.Env[Observation, int | np.integer[Any]]):
    """One seat of a game; agents inside the env play the others.

    An observation is a dict of int8 arrays: `action_mask` [num_actions], and the parts of
    `game.shapes` (`observation` first), or with `observation="flat"` or `"compact"` one vector,
    `observation`. With `mask="info"` only infos have the mask, and a vector is not in a dict.
    The reward is 0 before the end of the game, then the seat's return. In games that pay in stages
    (`game.staged`) it is the growth of the return since the last step. An illegal action ends the
    game with `illegal_reward`; in lenient games (`game.lenient`) it counts as another. Infos:

    - `action_mask`, as in the observation; all zero after the end.
    - `current_player`, the user's seat.
    - `returns`, at the end: payoffs by player, float64 [num_players].
    - `illegal_action`, True if an illegal action ended the game.

    `reset(seed=...)` reproduces a whole episode: the deal, a random seat, and opponents given by
    name. Copies and pickles continue the game in progress.

    Attributes:
        game: The rules, with `game.text(action)` and `game.parse(text)`.
        seat: The user's seat in this episode.
    """

    metadata = common.metadata()
    compiled = ("_packed", "_arguments", "_turn_code")
    _packed: Any = None
    _arguments: tuple[Any, ...] = ()
    """First arguments of `opponent_kernels.take_turn` in a game; empty before its first turn."""

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Spec = "random",
        seat: int | str = 0,
        observation: str = PLANES,
        mask: str = IN_OBSERVATION,
        illegal_reward: float = common.ILLEGAL_REWARD,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make the env.

        Args:
            game: Name of a game, or a `Game`.
            opponents: A name or an agent for every other seat, or a list with one for each, in seat
                order after the user's.
            seat: The seat to play, or `random`: a new one for each episode.
            observation: Form of the observations: `planes`, `flat` or `compact`.
            mask: `observation`: masks in observations and infos; `info`: in infos alone.
            illegal_reward: The reward of an illegal action.
            render_mode: `human`, `ansi`, `rgb_array` or None.
            **options: Options of `make_game`.

        Raises:
            InputError: An unknown name, option, seat, mode or form, or a reward out of range.
        """
        self.game = common.resolve(game, options)
        self.form = ObservationForm(self.game, observation, mask)
        self.render_mode = common.check_render_mode(render_mode)
        self.illegal_reward = common.check_reward(illegal_reward)
        self.observation_space: spaces.Space[Any] = self.form.space()  # pyright: ignore[reportIncompatibleVariableOverride]
        self.action_space: spaces.Discrete = spaces.Discrete(self.game.num_actions)  # pyright: ignore[reportIncompatibleVariableOverride]
        self._fixed_seat = check_seat(self.game, seat)
        self.seat = self._fixed_seat or 0
        self._opponents = Opponents(self.game, opponents, self.np_random)
        self._states = self.game.empty(1)
        self._returns = np.zeros(self.game.num_players)
        self._paid = 0.0  # the seat's return at its last reward, or at a given start
        self._has_begun = False
        self._ended = True

    @property
    def game_state(self) -> State:
        """A copy of the state of the game."""
        return self._states[0].copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game; the opponents play until it is the user's turn.

        Args:
            seed: Seed that restarts all randomness; None: the stream continues.
            options: `deal`, the text of a deal, or `state`, a state to continue from.

        Raises:
            InputError: The seed is not a whole number of 0 or more, or an option is not a deal or
                the state of a game in progress: the env is unchanged. Or a given game ends before
                the user's turn, or an opponent chose an illegal action: no game is in progress.
        """
        seed, given = common.seed_or_none(seed), common.given_start(self.game, options)
        self._ended = True
        super().reset(seed=seed)
        if seed is not None:
            self._opponents.seed(self.np_random)
        look = self._start(given)
        self._has_begun, self._ended = True, False
        return self._current(look)

    def _start(self, given: State | None) -> Look:
        while True:
            self._paid = 0.0
            seed = draw_seed(self.np_random) if given is None else IN_STATE
            if self._fixed_seat is None:
                self.seat = int(self.np_random.integers(self.game.num_players))
            if given is not None:
                self._states[0] = given
                if self.game.staged:
                    self._paid = float(self.game.returns(given)[self.seat])
            look, self._arguments = self._buffers(), ()
            if self._take_turn(BEGIN, look, seed) != OVER:
                return look
            if given is not None:
                raise InputError(common.ENDED_FIRST)

    def _buffers(self) -> Look:
        """Create the arrays that a turn writes; all turns share the array of returns."""
        number = self.game.num_actions
        masks = np.empty(number, INT8), np.empty(number, INT8)
        return np.empty(self.form.size, INT8), masks, self._returns

    def _prepare(self) -> tuple[Any, ...]:
        """Make `_arguments`, and look up the compiled code for the policies of the opponents."""
        others = self._opponents
        packed = others.packed
        self._arguments = (
            *packed, self._states, self.seat, self.game.num_players, others.scratch,
            self.game.staged, self.form.compact or None,
        )  # fmt: skip
        if packed is not self._packed:
            examples = *self._arguments, *self._buffers(), BEGIN, IN_STATE
            self._turn_code = entry(opponent_kernels.take_turn, *examples)
            self._packed = packed
        return self._arguments

    def _take_turn(self, action: int, look: Look, seed: np.uint64 = IN_STATE) -> int:
        """Do `opponent_kernels.take_turn`, also with opponents in Python; return the status."""
        arguments = self._arguments or self._prepare()
        status, answer = self._turn_code(*arguments, *look, action, seed)
        if status == REFUSED:
            self._opponents.refuse(self._states[0], self.seat, answer)
        if status == RUNNING and self._opponents.policies is None:
            self._opponents.play_outside(self._states, np.array([self.seat]))
            status, _ = self._turn_code(*arguments, *look, BEGIN, IN_STATE)  # writes `look`
        return status

    def step(
        self, action: int | np.integer[Any]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:  # fmt: skip
        """Play an action; the opponents answer until the user's turn or the end of the game.

        Returns:
            Observation, reward, terminated, truncated (always False), info.

        Raises:
            gymnasium.error.ResetNeeded: No game is in progress.
            InputError: The action is not a whole number; or an opponent chose an illegal action,
                after which only `reset` goes on.
        """
        if self._ended:
            raise error.ResetNeeded(common.RESET_FIRST)
        look = self._buffers()
        number = id_or_illegal(whole_number(action), self.game.num_actions)
        self._ended = True  # stays True if an opponent fails: the game is left at that seat's turn
        status = self._take_turn(number, look)
        self._ended = status != RUNNING
        observation, info = self._current(look)
        if status == ILLEGAL:
            return observation, self.illegal_reward, True, False, {**info, "illegal_action": True}
        reward = 0.0
        if self._ended or self.game.staged:
            reward = float(self._returns[self.seat]) - self._paid
            self._paid += reward
            if self._ended:
                info["returns"] = self._returns.copy()
        return observation, reward, self._ended, False, info

    def action_masks(self) -> np.ndarray:
        """Return the mask, bool [num_actions], for sb3-contrib; it is all False after the end."""
        if not self._has_begun:
            raise error.ResetNeeded(common.RESET_FIRST)
        mask = np.zeros(self.game.num_actions, bool)
        if not self._ended:
            mask[self.game.legal(self._states[0])] = True
        return mask

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """Draw the table as the user sees it, open after the end; see `closedhand.envs.render`."""
        if self.render_mode is None:
            logger.warn("render() shows nothing: the env was made without a render_mode")
            return None
        if not self._has_begun:
            raise error.ResetNeeded(common.RESET_FIRST)
        state = self._states[0]
        if not self._ended:
            state = self.game.view(state, self.seat)
        return render.render(self.game, state, self.render_mode)

    def _current(self, look: Look) -> tuple[Observation, dict[str, Any]]:
        observation, (mask, info_mask), _ = look
        if self.render_mode == "human":
            self.render()
        seen = self.form.show(observation, mask)
        return seen, {ACTION_MASK: info_mask, "current_player": self.seat}
