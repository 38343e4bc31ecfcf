"""Many games side by side as a Gymnasium VectorEnv, on batched kernels."""

import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import error, logger, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from closedhand.core import batch_kernels
from closedhand.core.checks import integers
from closedhand.core.game import Game, InputError, State, shown
from closedhand.core.game_kernels import RANDOM_SEAT, deal_and_seat
from closedhand.core.status import ILLEGAL, RUNNING
from closedhand.core.stream import begin_streams, make_streams
from closedhand.envs import common, render
from closedhand.envs.common import ILLEGAL_REWARD
from closedhand.envs.observation_form import ACTION_MASK, PLANES, Observation, ObservationForm
from closedhand.envs.opponents import Opponents, Spec, check_seat, unchanged_if_refused

Infos = dict[str, Any]
LEGAL_ACTIONS = "legal_actions"
LEGAL = ("mask", "ids", "both")
"""The values of the option `legal`."""
WIDTH = 64
"""Initial width of the array of legal ids, which grows if a game has more legal actions."""
REWARDS = ("actor", "seats")
"""The values of the option `reward`."""
SCALAR = (
    "in self-play the reward of step() is that of the seat that acted, so that who loses out of "
    "turn never sees the loss: make the env with reward='seats' and learn from the rewards of all "
    "seats, as closedhand.envs.seat_advantages does, give a library with a loop of its own a "
    "SeatVectorEnv, or say reward='actor' to keep this reward"
)
"""The warning about the scalar reward."""
MOST_ENVS = 2**24
"""Maximum number of games; the spaces of more would fill the memory."""
Step = tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Infos]


class GameVectorEnv(VectorEnv[Observation, np.ndarray, np.ndarray]):
    """`num_envs` parallel games.

    By default the user plays every seat (self-play): each step takes one action per game, that of
    the player to act, and returns the observation of the next player to act. With `opponents` the
    user plays one seat, and agents inside play the others.

    Rewards are zero until a game ends; then they are the returns. In games that pay in stages
    (`game.staged`) they are the growth of the returns in this step. An illegal action ends its game
    with `illegal_reward` for the player who chose it, unless it counts as a pass (`game.lenient`).

    `step` returns the reward of one seat, float64 [num_envs]: in self-play that of the player who
    acted, with opponents that of the user's seat. With `reward="seats"` it returns those of all
    seats, as in the infos. In self-play a learner needs all: the players who did not make the last
    move are paid, too. `closedhand.envs.seat_returns` and `seat_advantages` turn them into targets.

    An observation is a dict of int8 arrays: the parts of `game.shapes` (`observation` first), or
    with `observation="flat"` or `"compact"` one vector `observation`, and `action_mask`.

    Masks are never all zero, so that a distribution over the legal actions always exists: after the
    end of a game action 0 is marked, or listed. With next-step reset the action there is ignored.
    Every array is new at each step.

    Infos are arrays, each with a second array `_key` that marks the games for which it is valid:

    - `action_mask`, int8 [num_envs, num_actions], as in the observation.
    - `current_player`, int64 [num_envs]: the player of the observation and the mask.
    - `returns`, float64 [num_envs, num_players]: payoffs by player of the games that just ended.
    - `illegal_action`, bool [num_envs]: whether an illegal action ended the game.
    - `legal_actions`, int32 [num_envs, longest], with `legal="ids"` or `"both"`: the ids of the
      legal actions, ascending, then -1; `longest` is the greatest number in any game of this step.
      In games of thousands of actions ids take far less time than masks, which `"ids"` leaves out.
    - `rewards`, float64 [num_envs, num_players], after steps: the rewards of all seats.
    - `actor`, int64 [num_envs], after steps: the seat that acted; -1 if the step began a new game
      instead.
    - `final_obs` and `final_info`, with same-step reset, of games that just ended; `returns` and
      `illegal_action` are then in `final_info`.

    The first deal of game i is that of a single env with seed + i. Later deals, seats drawn, and
    what opponents draw who decide in kernels come from one stream of numbers a game (see
    `closedhand.core.stream`). So a game depends on no other one, and goes on in the same way on a
    GPU. Copies and pickles continue the games in
    progress. For search, `states` holds all games and can be assigned; `observe` then shows them.
    Before the first `reset` methods raise `gymnasium.error.ResetNeeded`.

    Attributes:
        game: The rules, with `game.text(action)` and `game.parse(text)`.
        single_observation_space: Observations of one game.
        single_action_space: Actions of one game.
        sight: Form of the observations.
        reward: Rewards of `step`: `actor` or `seats`.
        is_self_play: Whether the user plays several seats.
    """

    metadata = {
        "render_modes": list(common.RENDER_MODES),
        "render_fps": common.RENDER_FPS,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Spec | None = None,
        seat: int | str = 0,
        reward: str | None = None,
        observation: str = PLANES,
        legal: str = "mask",
        illegal_reward: float = ILLEGAL_REWARD,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make the env.

        Args:
            game: Name of a game, or a `Game`.
            num_envs: Number of games.
            opponents: None, or a name or an agent for every other seat, or a list with one for
                each, in seat order after ours.
            seat: With opponents the seat to play, or `random`: a new one for each game.
            reward: The rewards of `step`: `actor`, of the player who acted or with opponents of our
                seat; or `seats`, of all seats. None is `actor`, with a warning at the first step of
                self-play.
            observation: Form of the observations: `planes`, `flat` or `compact`.
            legal: Form of the legal actions: a `mask` in observations and infos, `ids` in the
                infos, or `both`.
            illegal_reward: The reward of an illegal action.
            autoreset_mode: When a new game follows a finished one.
            render_mode: `human`, `ansi`, `rgb_array` or None.
            **options: Options of `make_game`.

        Raises:
            InputError: An unknown name, option, seat, mode or form of observations, or no games.
        """
        self.game = common.resolve(game, options)
        if type(num_envs) is not int or not 1 <= num_envs <= MOST_ENVS:
            raise InputError(f"num_envs must be 1 to {MOST_ENVS}, not {shown(num_envs)}")
        self.autoreset_mode = common.check_autoreset_mode(autoreset_mode)
        self.reward = "actor" if reward is None else common.check_choice("reward", reward, REWARDS)
        legal = common.check_choice("legal", legal, LEGAL)
        self.sight = ObservationForm(self.game, observation)
        self.num_envs = num_envs
        self._has_mask, self._has_ids = legal != "ids", legal != "mask"
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = common.check_render_mode(render_mode)
        self.illegal_reward = common.check_reward(illegal_reward)
        self.single_observation_space: spaces.Dict = self.sight.space()  # pyright: ignore[reportIncompatibleVariableOverride]
        if not self._has_mask:
            del self.single_observation_space.spaces[ACTION_MASK]
        self.single_action_space: spaces.Discrete = common.action_space(self.game)  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.is_self_play = opponents is None and self.game.num_players > 1
        self._warns = reward is None and self.is_self_play
        self._fixed_seat = check_seat(self.game, seat, opponents)
        self._seats = np.zeros(num_envs, np.int64)
        self._opponents = None
        if opponents is not None:
            self._opponents = Opponents(self.game, opponents, self.np_random)
        self._states = self.game.empty(num_envs)
        self._paid = np.zeros((num_envs, self.game.num_players))
        self._any_action = (np.arange(self.game.num_actions) == 0).astype(np.int8)
        self._has_begun = False
        self._seeds = np.zeros(num_envs, np.uint64)
        self._streams = make_streams(num_envs)
        self._finished = np.ones(num_envs, bool)
        self._illegal = np.zeros(num_envs, bool)

    @property
    def states(self) -> np.ndarray:
        """A copy of all states, `game.dtype` [num_envs]; games continue from assigned ones."""
        return self._states.copy()

    @states.setter
    def states(self, states: np.ndarray) -> None:
        fits = getattr(states, "dtype", None) == self.game.dtype
        if not fits or np.shape(states) != (self.num_envs,):
            raise InputError(f"states must be {self.num_envs} records of {self.game.name}")
        for i, state in enumerate(states):
            reason = self.game.valid(state)
            if reason:
                raise InputError(f"states[{i}] is not a state of {self.game.name}: {reason}")
        answered = states.copy()
        if self._opponents is not None:
            self._opponents.play(answered, self._seats, self._streams)
        self._states[:] = states
        self._note_paid(np.arange(self.num_envs))
        self._states[:] = answered
        batch_kernels.running(self.game.rules, self._states, self._finished)
        self._finished = ~self._finished
        self._illegal[:] = False

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Start new games.

        Args:
            seed: Seed of game 0, where game i gets seed + i; or a seed for each game. None: the
                streams continue.
            options: `reset_mask`, bool [num_envs]: where to start a new game, by default
                everywhere. `deal`, the text of a deal for all games, or `state`, one to continue
                from.

        Raises:
            InputError: A wrong number of seeds, or an invalid seed, mask, deal or state; the env
                is unchanged.
        """
        given = common.given_start(self.game, options)
        mask = common.reset_options(options).get("reset_mask")
        games = np.flatnonzero(common.mask_of("options['reset_mask']", mask, self.num_envs))
        seeds = common.seeds_of(seed, self.num_envs)
        with unchanged_if_refused(
            self, given, "_has_begun", "_seeds", "_streams", "_np_random", "_np_random_seed",
            "_opponents", "_states", "_seats", "_paid", "_finished", "_illegal",
        ):  # fmt: skip
            self._seed(seeds, games)
            self._start(games, given)
        return self.observe()

    def step(self, actions: np.ndarray, *, step_mask: Any = None) -> Step:
        """Play one action in each game.

        Args:
            actions: Ids, integers [num_envs]. With next-step reset that of a game which ended in
                the step before is ignored: a new game begins there.
            step_mask: The games to step, bool [num_envs], by default all. The others are unchanged:
                their actions are ignored, their rewards are 0.

        Returns:
            Observations, rewards, terminations, truncations (always False), infos.

        Raises:
            gymnasium.error.ResetNeeded: Games ended with autoreset disabled.
            InputError: The actions are not integers [num_envs], or `step_mask` is not such a mask.
        """
        actions = integers("actions", actions, self.num_envs)
        playing, finished = np.flatnonzero(~self._finished), np.flatnonzero(self._finished)
        idle = None
        if step_mask is not None:
            mask = common.mask_of("step_mask", step_mask, self.num_envs)
            idle = np.flatnonzero(~mask)
            playing, finished = playing[mask[playing]], finished[mask[finished]]
        resets = self.autoreset_mode != AutoresetMode.DISABLED
        if not self._has_begun or (len(finished) and not resets):
            raise error.ResetNeeded("some envs have no game under way: call reset() first")
        self._start(finished, None)
        if self._warns:
            self._warns = False
            warnings.warn(SCALAR, stacklevel=2)
        seats = self._observers()
        actors = seats.copy()
        actors[finished] = -1
        stopped = None if idle is None else (self._finished[idle], self._illegal[idle])
        self._play(playing, actions[playing])
        if stopped is not None:
            actors[idle] = -1
            self._finished[idle], self._illegal[idle] = stopped
        observations, infos = self.observe()
        paid = self._pay(playing) if self.game.staged else infos["returns"].copy()
        paid[self._illegal, seats[self._illegal]] = self.illegal_reward
        if idle is not None:
            paid[idle] = 0.0
        steps: Infos = {}
        for name, value in (("rewards", paid), ("actor", actors)):
            steps |= {name: value, f"_{name}": np.ones(self.num_envs, bool)}
        infos |= steps
        terminations = self._finished.copy()
        if idle is not None:
            terminations[idle] = False
        if self.autoreset_mode == AutoresetMode.SAME_STEP and terminations.any():
            final = observations, infos
            self._start(np.flatnonzero(terminations), None)
            observations, infos = self.observe()
            self._add_final(infos, terminations, *final)
            infos |= copy.deepcopy(steps)
        rewards = paid.copy() if self.reward == "seats" else paid[np.arange(self.num_envs), seats]
        return observations, rewards, terminations, np.zeros(self.num_envs, bool), infos

    def observe(self) -> tuple[Observation, Infos]:
        """Return the current observations and infos, as `step` does."""
        self._check_started()
        seats = self._observers()
        seen = np.empty((self.num_envs, self.sight.size), np.int8)
        masks = np.empty((self.num_envs, self.game.num_actions * self._has_mask), np.int8)
        batch_kernels.observe_all(
            self.game.rules, self._states, seats, self.sight.compact, seen, masks
        )
        legal: Infos = {}
        if self._has_mask:
            if self._finished.any():
                masks[self._finished] = self._any_action
            legal[ACTION_MASK] = masks
        if self._has_ids:
            legal[LEGAL_ACTIONS] = self._list_legal(seats)
        observations = self.sight.parts(seen)
        if self._has_mask:
            observations[ACTION_MASK] = legal[ACTION_MASK].copy()
        returns = np.zeros((self.num_envs, self.game.num_players))
        ended = self._finished & ~self._illegal
        if ended.any():
            batch_kernels.returns_all(self.game.rules, self._states, np.flatnonzero(ended), returns)
        everywhere = np.ones(self.num_envs, bool)
        infos = {
            "current_player": seats,
            "_current_player": everywhere,
            **legal,
            **{f"_{name}": everywhere.copy() for name in legal},
            "returns": returns,
            "_returns": ended,
            "illegal_action": self._illegal.copy(),
            "_illegal_action": self._finished.copy(),
        }
        if self.render_mode == "human":
            self.render()
        return observations, infos

    def _check_started(self) -> None:
        if not self._has_begun:
            raise error.ResetNeeded(common.RESET_FIRST)

    def render(self) -> tuple[Any, ...] | None:
        """Draw the open table of every game; see `closedhand.envs.render`."""
        if self.render_mode is None:
            logger.warn("render() shows nothing: the env was made without a render_mode")
            return None
        self._check_started()
        return tuple(render.render(self.game, state, self.render_mode) for state in self._states)

    def __copy__(self) -> "GameVectorEnv":
        # Two envs that shared their states would disturb each other.
        return copy.deepcopy(self)

    def _seed(self, seeds: list[int | None], games: np.ndarray) -> None:
        anew = list(range(self.num_envs))
        if self._has_begun:
            anew = [i for i in games.tolist() if seeds[i] is not None]
        self._seeds[anew], self._streams[anew] = begin_streams([seeds[i] for i in anew])
        self._has_begun = True
        if seeds[0] is not None:
            super().reset(seed=seeds[0])
            if self._opponents is not None:
                self._opponents.seed(self.np_random)

    def _start(self, games: np.ndarray, given: State | None) -> None:
        """Start games, and let the opponents play until it is our turn."""
        while len(games):
            if given is not None:
                self._states[games] = given
            deal_and_seat(
                self.game.rules, self._states, games, self._seeds, self._streams, given is None,
                RANDOM_SEAT if self._fixed_seat is None else self._fixed_seat,
                self.game.num_players, self._seats,
            )  # fmt: skip
            self._note_paid(games)
            self._finished[games] = False
            self._illegal[games] = False
            if self._opponents is None:
                return
            fresh = self._let_opponents_play(games)
            running = np.empty(len(games), bool)
            batch_kernels.running(self.game.rules, fresh, running)
            games = games[~running]
            if len(games):
                common.refuse_ended(given)

    def _play(self, playing: np.ndarray, actions: np.ndarray) -> None:
        """Play our actions and the opponents' answers; note which games are over."""
        status = np.zeros(self.num_envs, np.int8)
        batch_kernels.play_all(
            self.game.rules, self._states, playing, actions, self.game.num_actions, status
        )  # fmt: skip
        self._illegal = status == ILLEGAL
        if self._opponents is not None:
            going = np.flatnonzero(~self._illegal)
            self._let_opponents_play(going)
            batch_kernels.running(self.game.rules, self._states, self._finished)
            self._finished = ~self._finished | self._illegal
        else:
            self._finished = status != RUNNING

    def _let_opponents_play(self, games: np.ndarray) -> np.ndarray:
        """Let the opponents play in some games; a copy of these."""
        assert self._opponents is not None
        states, streams = self._states[games], self._streams[games]
        self._opponents.play(states, self._seats[games], streams)
        self._states[games], self._streams[games] = states, streams
        return states

    def _note_paid(self, games: np.ndarray) -> None:
        """Store the payoffs of the games so far."""
        if self.game.staged:
            batch_kernels.returns_all(self.game.rules, self._states, games, self._paid)

    def _pay(self, playing: np.ndarray) -> np.ndarray:
        """Return the rewards since the last step, by player, float64 [num_envs, num_players]."""
        before = self._paid.copy()
        self._note_paid(playing)
        return self._paid - before

    def _observers(self) -> np.ndarray:
        """Return a copy of the players to act, or of our seats, int64 [num_envs]."""
        return (self._states["player"] if self._opponents is None else self._seats).astype(np.int64)

    def _list_legal(self, seats: np.ndarray) -> np.ndarray:
        """List the legal ids of each game, then -1, int32 [num_envs, longest]."""
        ids = np.empty(self.game.num_actions, np.int32)
        width = min(WIDTH, self.game.num_actions)
        while True:
            out = np.empty((self.num_envs, width), np.int32)
            longest = int(batch_kernels.list_all(self.game.rules, self._states, seats, ids, out))
            if longest <= width:
                break
            width = longest
        if self._finished.any():
            longest = max(longest, 1)
            out[self._finished] = -1
            out[self._finished, 0] = 0
        return out[:, :longest].copy()

    def _add_final(
        self, infos: Infos, ended: np.ndarray, observations: Observation, final: Infos
    ) -> None:
        """Add the last observations and infos of finished games to those of the new games."""
        # Make new arrays: those shared with the infos of the step hold for the other games, too.
        final = {
            name: part & ended if name.startswith("_") else part for name, part in final.items()
        }
        infos |= {
            "final_obs": common.rows_of(observations, ended),
            "_final_obs": ended.copy(),
            "final_info": final,
            "_final_info": ended.copy(),
        }
