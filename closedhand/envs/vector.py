"""Many games side by side as a Gymnasium VectorEnv, on batched kernels."""

import sys
import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import error, logger, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import NormalizeReward, RecordEpisodeStatistics

from closedhand.core import game_kernels
from closedhand.core.checks import integers, whole_number
from closedhand.core.game import Game, InputError
from closedhand.core.game_kernels import NONE, Games, Plan, Shown, Terms
from closedhand.core.numba.fast_call import entry, pack
from closedhand.core.status import ILLEGAL, OVER, REFUSED, RUNNING
from closedhand.core.stream import begin_streams, make_streams
from closedhand.core.threads import MOST_THREADS, side_by_side
from closedhand.envs import common, render
from closedhand.envs.observation_form import (
    ACTION_MASK,
    IN_OBSERVATION,
    PLANES,
    Observation,
    ObservationForm,
)
from closedhand.envs.opponents import Opponents, Spec, user_seat

Infos = dict[str, Any]
LEGAL_ACTIONS = "legal_actions"
LEGAL = ("mask", "ids", "both")
REWARDS = ("actor", "seats")
"""The values of the options `legal` and `reward`."""
SCALAR_REWARD = (
    "in self-play step() returns the reward of the seat that acted: a seat that loses out of turn "
    "never sees its loss. Make the env with reward='seats' and see "
    "closedhand.envs.seat_advantages, use a SeatVectorEnv with a library's own loop, or keep this "
    "reward by reward='actor'"
)
"""Warning at the first step of self-play if the env was made without `reward`."""
ONE_REWARD: Any = RecordEpisodeStatistics, NormalizeReward
"""Wrappers of Gymnasium that take one reward a game; an env with `reward="seats"` refuses them."""
Step = tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Infos]


class GameVectorEnv(common.Copied, VectorEnv[Observation, np.ndarray, np.ndarray]):
    """`num_envs` parallel games.

    By default the user plays every seat (self-play): each step takes one action per game, that of
    the player to act, and returns the observation of the next player to act. With `opponents` the
    user plays one seat, and agents inside play the others.

    Rewards are zero until a game ends; then they are the returns. In games that pay in stages
    (`game.staged`) they are the growth of the returns in this step. An illegal action ends its game
    with `illegal_reward` for the player who chose it, unless it counts as a pass (`game.lenient`).

    `step` returns the reward of one seat, float64 [num_envs]: in self-play that of the player who
    acted, with opponents that of the user's seat. With `reward="seats"` it returns the rewards of
    all seats, as in the infos. Learners in self-play need these: players who did not make the last
    move are paid, too. `closedhand.envs.seat_returns` and `seat_advantages` turn them into targets.

    Observations are those of `SoloEnv`, in arrays [num_envs, ...]. Masks are never all zero, so
    that a distribution over the legal actions always exists: after the end of a game action 0 is
    marked, or listed. Every array is new at each step.

    Infos are arrays by name. For each info NAME, `_NAME`, bool [num_envs], marks its valid games:

    - `action_mask`, int8 [num_envs, num_actions], as in the observation.
    - `current_player`, int64 [num_envs]: the player of the observation and the mask.
    - `returns`, float64 [num_envs, num_players]: payoffs by player of games ended legally.
    - `illegal_action`, bool [num_envs]: whether an illegal action ended the game.
    - `legal_actions`, int32 [num_envs, longest], with `legal="ids"` or `"both"`: the ids of the
      legal actions, ascending, then -1; `longest` is the most legal actions of a game in this step.
      In games of thousands of actions ids take far less time than masks, which `"ids"` leaves out.
    - `rewards`, float64 [num_envs, num_players], after steps: the rewards of all seats.
    - `actor`, int64 [num_envs], after steps: the seat that acted; -1 where the step began a new
      game or left the game out (`chosen`).
    - `episode`, with `reward="seats"`, of games that just ended: a dict of `r`, float64 [num_envs,
      num_players], the sums of the rewards, and `l`, int64 [num_envs], the number of steps.
    - `final_obs` and `final_info`, with same-step reset, of games that just ended; `returns` and
      `illegal_action` are then in `final_info`.

    The first deal of game i is that of a `SoloEnv` with seed + i. Later deals, drawn seats, and
    random numbers of opponents that decide in kernels come from one stream per game (see
    `closedhand.core.stream`). So no game depends on another, and each goes on in the same way on a
    GPU. Other opponents, such as searches, play all games with one stream: what they draw depends
    on `num_envs`. Copies and pickles continue the games in progress. Before the first `reset`,
    methods that need games raise `gymnasium.error.ResetNeeded`.

    Attributes:
        game: The rules, with `game.text(action)` and `game.parse(text)`.
        reward: Rewards of `step`: `actor` or `seats`.
        is_self_play: Whether the user plays several seats.
    """

    metadata = common.metadata(autoreset_mode=AutoresetMode.NEXT_STEP)
    compiled = ("_packed", "_code")
    _packed: Any = None
    _code: Any
    _rooms: list[tuple[np.ndarray, np.ndarray]]
    """Scratch space of each thread for `advance_games`: `views`, `game.dtype` [1]; `ids`, int32."""

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Spec | None = None,
        seat: int | str = 0,
        reward: str | None = None,
        observation: str = PLANES,
        mask: str = IN_OBSERVATION,
        legal: str = "mask",
        illegal_reward: float = common.ILLEGAL_REWARD,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        num_threads: int = 1,
        **options: Any,
    ) -> None:
        """Make the env.

        Args:
            game: Name of a game, or a `Game`.
            num_envs: Number of games.
            opponents: As for `SoloEnv`; None: self-play.
            seat: With opponents the seat to play, or `random`: a new one for each game.
            reward: `actor`: rewards of the player who acted, or of the user's seat; `seats`: of all
                seats. None is `actor`, with a warning at the first step of self-play.
            observation: Form of the observations: `planes`, `flat` or `compact`.
            mask: `observation`: masks in observations and infos; `info`: in infos alone.
            legal: Legal actions: as a `mask`, as `ids` in the infos instead, or `both`.
            illegal_reward: The reward of an illegal action.
            autoreset_mode: `NextStep`, `SameStep` or `Disabled`: when the next game begins.
            render_mode: `human`, `ansi`, `rgb_array` or None.
            num_threads: Number of threads that share the games; results do not depend on it.
            **options: Options of `make_game`.

        Raises:
            InputError: An unknown name, option, seat, mode or form, or a number out of range.
        """
        self.game = common.resolve(game, options)
        num_envs = self.num_envs = whole_number(num_envs, "num_envs", 1, common.MOST_GAMES)
        self.num_threads = whole_number(num_threads, "num_threads", 1, MOST_THREADS)
        self.autoreset_mode = common.check_autoreset_mode(autoreset_mode)
        self.reward = "actor" if reward is None else common.one_of("reward", reward, REWARDS)
        self.has_mask = common.one_of("legal", legal, LEGAL) != "ids"
        self._has_ids = legal != "mask"
        self.form = ObservationForm(self.game, observation, mask)
        self.metadata = {**deepcopy(self.metadata), "autoreset_mode": self.autoreset_mode}
        self.render_mode = common.check_render_mode(render_mode)
        self.illegal_reward = common.check_reward(illegal_reward)
        self.single_observation_space: spaces.Space[Any] = self.form.space(self.has_mask)  # pyright: ignore[reportIncompatibleVariableOverride]
        self.single_action_space: spaces.Discrete = spaces.Discrete(self.game.num_actions)  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.is_self_play = opponents is None and self.game.num_players > 1
        self._warns = reward is None and self.is_self_play
        own = user_seat(self.game, opponents, seat)
        self._opponents = None
        if opponents is not None:
            self._opponents = Opponents(self.game, opponents, self.np_random)
        seats = self.game.num_players
        self._terms = Terms(seats, self.game.staged, own, self.illegal_reward)
        self._games = Games(  # their status is `OVER` until they begin
            self.game.empty(num_envs), make_streams(num_envs), np.zeros(num_envs, np.uint64),
            np.zeros(num_envs, np.int64), np.zeros((num_envs, seats)), np.zeros((num_envs, seats)),
            np.full(num_envs, OVER, np.int8), np.full(num_envs, NONE), np.zeros(num_envs, np.int64),
        )  # fmt: skip
        self._everywhere = np.ones(num_envs, bool)
        self._earned = np.zeros((num_envs, seats))
        self._steps = np.zeros(num_envs, np.int64)
        self._has_begun, self._needs_reset, self._is_first_step = False, True, True

    @property
    def states(self) -> np.ndarray:
        """A copy of all states, `game.dtype` [num_envs], as for a search."""
        return self._games.states.copy()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Start new games.

        Args:
            seed: Seed of game 0; game i gets seed + i. Or a seed for each game. None: the streams
                continue.
            options: `reset_mask`, bool [num_envs]: where to start a new game, by default
                everywhere, as the first reset has to. `deal`, the text of a deal for each new game,
                or `state`, a state to continue from.

        Raises:
            InputError: A wrong number of seeds, or an invalid seed, mask, deal or state; the env is
                unchanged. Or a given game ends before the user's turn, or an opponent chose an
                illegal action: all games then need another `reset`.
        """
        given = common.given_start(self.game, options)
        mask = common.reset_options(options).get("reset_mask")
        chosen = common.mask_of("options['reset_mask']", mask, self.num_envs)
        if self._needs_reset and not chosen.all():
            raise InputError("no games are under way: reset all of them first")
        seeds = common.seeds_of(seed, self.num_envs)
        self._needs_reset = True
        self._seed(seeds, chosen)
        if given is not None:
            self._games.states[chosen] = given
        self._begin(chosen, dealt=given is None)
        self._needs_reset, self._is_first_step = False, True
        return self.observe()

    def step(self, actions: np.ndarray, *, chosen: Any = None) -> Step:
        """Play one action in each game.

        Args:
            actions: Ids, integers [num_envs]. With next-step reset the action is ignored in a game
                that ended in the step before: a new game begins instead.
            chosen: The games to step, bool [num_envs], by default all. The others are unchanged:
                their actions are ignored, their rewards are 0.

        Returns:
            Observations, rewards, terminations, truncations (always False), infos.

        Raises:
            gymnasium.error.ResetNeeded: Games were not started, or ended with autoreset disabled.
            InputError: The actions are not integers [num_envs]; `chosen` is not bool [num_envs]
                with a True; with `reward="seats"` a wrapper takes one reward a game; or an opponent
                chose an illegal action, after which only `reset` works.
        """
        actions = integers("actions", actions, self.num_envs)
        everywhere = self._everywhere
        chosen = everywhere if chosen is None else common.mask_of("chosen", chosen, self.num_envs)
        games, resets = self._games, self.autoreset_mode != AutoresetMode.DISABLED
        by_seat = self.reward == "seats"
        if by_seat and self._is_first_step:  # walking the callers takes time
            _refuse_wrappers(self)
            self._is_first_step = False
        if self._needs_reset or (not resets and (games.status[chosen] != RUNNING).any()):
            raise error.ResetNeeded("some envs have no game under way: call reset() first")
        if self._warns:
            self._warns = False
            warnings.warn(SCALAR_REWARD, stacklevel=2)
        # Games that ended in the step before start anew here (next-step reset).
        shown = self._blank(self.num_envs, by_seat)
        self._turn(chosen, actions, dealt=True, shown=shown)
        observations, infos = self._put_together(shown)
        terminations = chosen & infos["_illegal_action"]  # it marks all games that ended
        rewards = games.rewards.copy()
        played = marked(everywhere, {"rewards": rewards, "actor": games.actors.copy()})
        if by_seat:
            episode = {"r": shown.sums, "l": shown.lengths}
            played |= marked(terminations, {"episode": episode})
        infos |= played
        reward = rewards.copy() if by_seat else shown.reward
        if self.autoreset_mode == AutoresetMode.SAME_STEP and terminations.any():
            # `final` has the step's arrays, which cover all games: mark only games that ended.
            final = {
                name: part & terminations if name.startswith("_") else part
                for name, part in infos.items()
            }
            last = common.rows_of(observations, terminations)
            self._begin(terminations, dealt=True)
            observations, infos = self.observe()
            infos |= marked(terminations, {"final_obs": last, "final_info": final})
            infos |= deepcopy(played)  # `final` has the originals
        return observations, reward, terminations, np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """Return the masks of the infos, bool [num_envs, num_actions]; refuse `legal="ids"`."""
        if not self.has_mask:
            raise InputError("there are no masks: make the env without legal='ids'")
        return self._show().masks != 0

    def observe(self) -> tuple[Observation, Infos]:
        """Return the current observations and infos, as `reset` does."""
        return self._put_together(self._show())

    def _put_together(self, shown: Shown) -> tuple[Observation, Infos]:
        """Make observations and infos from what a kernel has written."""
        games = self._games
        observations = self.form.show(shown.observations, shown.copies if self.has_mask else None)
        seen: Infos = {"current_player": games.players.copy()}
        if self.has_mask:
            seen[ACTION_MASK] = shown.masks
        if self._has_ids:
            seen[LEGAL_ACTIONS] = self._list_legal()
        infos = marked(self._everywhere, seen) | {
            "returns": shown.returns,
            "_returns": games.status == OVER,
            "illegal_action": games.status == ILLEGAL,
            "_illegal_action": games.status != RUNNING,
        }
        if self.render_mode == "human":
            self.render()
        return observations, infos

    def _show(self) -> Shown:
        self._check_started()
        shown = self._blank(self.num_envs)
        self._run(self._everywhere, shown.steps, shown, pays=False)  # actions are ignored
        return shown

    def _blank(self, number: int, sums: bool = False) -> Shown:
        """Allocate output for `number` games; with `sums` also that for the info `episode`."""
        game, summed = self.game, number if sums else 0
        legal = game.num_actions if self.has_mask else 0
        copied = legal if self.form.mask == IN_OBSERVATION else 0
        return Shown(
            np.empty((number, self.form.size), np.int8), np.empty((number, legal), np.int8),
            np.empty((number, copied), np.int8), np.zeros((number, game.num_players)),
            np.zeros(number), self._earned, self._steps, np.zeros((summed, game.num_players)),
            np.zeros(summed, np.int64),
        )  # fmt: skip

    def _check_started(self) -> None:
        if self._needs_reset:
            raise error.ResetNeeded(common.RESET_FIRST)

    def render(self) -> tuple[Any, ...] | None:
        """Draw the open table of every game; see `closedhand.envs.render`."""
        if self.render_mode is None:
            logger.warn("render() shows nothing: the env was made without a render_mode")
            return None
        self._check_started()
        return tuple(
            render.render(self.game, state, self.render_mode) for state in self._games.states
        )

    def _seed(self, seeds: list[int | None], chosen: np.ndarray) -> None:
        """Restart the streams of chosen games with a seed; at the first reset, of all games."""
        anew = list(range(self.num_envs))
        if self._has_begun:
            anew = [i for i in np.flatnonzero(chosen).tolist() if seeds[i] is not None]
        deals, streams = begin_streams([seeds[i] for i in anew])
        self._games.seeds[anew], self._games.streams[anew] = deals, streams
        self._has_begun = True
        if seeds[0] is not None and chosen[0]:
            super().reset(seed=seeds[0])
            if self._opponents is not None:
                self._opponents.seed(self.np_random)

    def _begin(self, chosen: np.ndarray, dealt: bool) -> None:
        """Start games, see `game_kernels.start`; the opponents play until it is the user's turn."""
        self._earned[chosen], self._steps[chosen] = 0.0, 0
        self._games.status[chosen] = OVER  # so that the turn starts a game in place of an action
        self._turn(chosen, np.zeros(self.num_envs, np.int64), dealt)
        if not dealt and (self._games.status[chosen] != RUNNING).any():
            raise InputError(common.ENDED_FIRST)

    def _turn(
        self, chosen: np.ndarray, actions: np.ndarray, dealt: bool, shown: Shown | None = None
    ) -> None:
        """Play the user's actions, or start games that are over, and let the opponents play.

        Games start from deals if `dealt`, else from states. Without `shown` none is paid or shown.

        Raises:
            InputError: An opponent chose an illegal action. If a policy chose it in a kernel, the
                action has replaced the user's in `actions`.
        """
        games, opponents = self._games, self._opponents
        games.actors.fill(NONE)
        games.rewards.fill(0.0)
        if opponents is None:
            self._run(chosen, actions, shown, turns=True, dealt=dealt)
            return
        # If an opponent fails, games are left at its turn, and all need a reset.
        needs_reset, self._needs_reset = self._needs_reset, True
        if opponents.policies is not None:
            self._run(chosen, actions, shown, turns=True, dealt=dealt)
        else:
            self._turn_outside(opponents, chosen, actions, dealt)
            if shown is not None:
                self._run(chosen, actions, shown)
        for i in np.flatnonzero(games.status == REFUSED):
            opponents.refuse(games.states[i], int(games.seats[i]), actions[i])
        self._needs_reset = needs_reset

    def _turn_outside(
        self, opponents: Opponents, chosen: np.ndarray, actions: np.ndarray, dealt: bool
    ) -> None:
        """Do `_turn` with an opponent in Python: the kernel plays the user's actions only."""
        games, going = self._games, chosen
        while going.any():
            self._run(going, actions, turns=True, dealt=dealt)
            waiting = np.flatnonzero(going & (games.status == RUNNING))
            states = games.states[waiting]
            over = opponents.play_outside(states, games.seats[waiting])
            games.states[waiting] = states
            games.status[waiting] = np.where(over, OVER, RUNNING)
            # A dealt game that the others end before the user's turn is no episode: deal another.
            going = np.zeros(self.num_envs, bool)
            if dealt:
                going[waiting] = over & (games.actors[waiting] == NONE)

    def _run(
        self, chosen: np.ndarray, actions: np.ndarray, shown: Shown | None = None, *,
        turns: bool = False, pays: bool = True, dealt: bool = True,
    ) -> None:  # fmt: skip
        """Run `advance_games` in threads; `turns`, `pays` and `dealt` are those of its `Plan`."""
        opponents, game = self._opponents, self.game
        if opponents is None:
            num_ids, packed = game.num_actions, self._packed or (pack(game.rules), ())
        else:
            packed, num_ids = opponents.packed, opponents.scratch
        shows = shown is not None
        plan = Plan(turns, pays and shows, shows, dealt, self.form.compact)
        before = *packed, self._games, self._terms
        after = chosen, actions, plan, shown or self._blank(0)
        if packed is not self._packed:  # at first, and for new policies, whose types may differ
            self._rooms = [
                (game.empty(1), np.empty(num_ids, np.int32)) for _ in range(self.num_threads)
            ]
            examples = *before, 0, self.num_envs, *after, *self._rooms[0]
            self._code = entry(game_kernels.advance_games, *examples)
            self._packed = packed  # last: a compilation that is interrupted is repeated

        def advance(first: int, last: int) -> None:
            # No room is shared: parts begin num_envs / num_threads or more games apart.
            views, ids = self._rooms[first * self.num_threads // self.num_envs]
            self._code(*before, first, last, *after, views, ids)

        side_by_side(advance, self.num_envs, self.num_threads)

    def _list_legal(self) -> np.ndarray:
        ids = np.empty(self.game.num_actions, np.int32)
        width = min(64, self.game.num_actions)  # grows if a game has more legal actions
        while True:
            out = np.empty((self.num_envs, width), np.int32)
            given = self.game.rules, self._games, 0, self.num_envs, ids, out
            longest = int(game_kernels.list_games(*given))
            if longest <= width:
                return out[:, :longest].copy()
            width = longest


def marked(where: np.ndarray, infos: Infos) -> Infos:
    """Add for each info NAME an info `_NAME`: a copy of `where`, which marks the valid games."""
    return infos | {f"_{name}": where.copy() for name in infos}


def _refuse_wrappers(env: GameVectorEnv) -> None:
    """Refuse wrappers of Gymnasium that take one reward a game: this env has one for each seat.

    An env does not know its wrappers, so they are looked for among the callers.
    """
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        wrapper: Any = frame.f_locals.get("self")
        if isinstance(wrapper, ONE_REWARD) and wrapper.unwrapped is env:
            raise InputError(
                f"{type(wrapper).__name__} takes one reward a game, but reward='seats' gives one a "
                "seat: read infos['episode'] for sums, and scale rewards yourself"
            )
        frame = frame.f_back
