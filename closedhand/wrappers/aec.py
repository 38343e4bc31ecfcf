"""Wrappers of AEC envs of this package: forced actions, duplicate dealing and sub-steps."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from collections.abc import Sequence
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from closedhand.core import batch_kernels
from closedhand.core.checks import shown
from closedhand.core.duplicate import seatings
from closedhand.core.game import Game, InputError, State
from closedhand.core.registry import make_game
from closedhand.envs import common
from closedhand.envs.aec import GameAEC
from closedhand.envs.observation_form import ACTION_MASK, Observation, ObservationForm
from closedhand.envs.pettingzoo_base import Spaces


class Wrapper(common.Copied, BaseWrapper[str, Observation, int]):
    """A wrapper of a `GameAEC`, which may be in other wrappers."""

    def __init__(self, env: AECEnv[str, Observation, int]) -> None:
        """Wrap an AEC env of this package, wrapped or not; an `InputError` refuses any other."""
        base = getattr(env, "unwrapped", None)
        if not isinstance(base, GameAEC):
            raise InputError(f"an AEC env of closedhand is needed here, not {shown(env)}")
        super().__init__(env)
        self._base = base


class AutoPass(Wrapper):
    """Wrapper that plays for agents with exactly one legal action, most often the pass.

    After each reset and each step, forced actions are played until an agent has a choice or the
    game is over. The rewards of a step are the sums over all actions played in it. A forced action
    does not clear its agent's cumulative reward. A new game in which no agent has a choice is over
    after `reset`.
    """

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game, as the wrapped env does."""
        super().reset(seed=seed, options=options)
        self._go_on()
        # SuperSuit's wrappers keep the last game's cumulative rewards until the first step.
        self.env._cumulative_rewards.update(self.env.rewards)

    def step(self, action: int | None) -> None:
        """Play an action of `agent_selection`; None for an agent that has terminated."""
        super().step(action)  # type: ignore[arg-type]
        self._go_on()

    def _go_on(self) -> None:
        """Play all forced actions that come next."""
        env = self.env  # not `_base`: a wrapper between may have rewards of its own
        while (action := self._forced()) is not None:
            agent, earned = self.agent_selection, env.rewards.copy()
            owed = env._cumulative_rewards[agent]
            super().step(action)
            for each, reward in earned.items():
                env.rewards[each] += reward
            env._cumulative_rewards[agent] += owed

    def _forced(self) -> int | None:
        """Return the only legal action of `agent_selection`; None if it has several, or is done."""
        agent = self.agent_selection
        if agent not in self.agents or self.terminations[agent] or self.truncations[agent]:
            return None
        legal = np.flatnonzero(self.infos[agent][ACTION_MASK])
        return int(legal[0]) if len(legal) == 1 else None


class DuplicateDealing(Wrapper):
    """Wrapper that plays each deal once at every seating of the teams before the next deal.

    Each reset begins the next table, one game of the deal. At table t of k, team (j + t) mod k
    plays side j (`Game.sides`). One seat against two has two tables (the DeepRocket paper's
    Appendix B). Where each seat is a side, teams rotate through all seats. The infos contain

    - `deal` and `table`, both counted from 0, and `team`, the name of the agent's team;
    - `duplicate_score` at the end of the last table, if all tables of the deal were played out: a
      dict from each team to the returns of its seats, summed over the tables;
    - `side_scores` at the same time: a dict from each team to these returns, a list by side.

    `reset(seed=...)` starts the schedule again and reproduces it; `reset(options=...)` with a
    `deal` or a `state` starts a new deal with it.

    Attributes:
        teams: The names of the teams.
    """

    def __init__(self, env: AECEnv[str, Observation, int], teams: Sequence[str]) -> None:
        """Wrap `env`, an AEC env of this package, wrapped or not, for teams of these names.

        Raises:
            InputError: `env` is another env, or there are not as many different names as sides.
        """
        super().__init__(env)
        game = self._base.game
        self._seatings = seatings(game.sides)
        self._tables = len(self._seatings)
        given: Any = teams
        if not common.is_list(given) or not all(isinstance(name, str) for name in given):
            raise InputError(f"teams are a list of names, not {shown(given)}")
        self.teams = tuple(teams)
        if len(self.teams) != self._tables or len(set(self.teams)) != self._tables:
            raise InputError(f"{game.name} has {self._tables} sides: name as many different teams")
        self._start: State | None = None
        self._deal, self._table = -1, 0
        self._earned: dict[str, float] = {}
        self._scores: list[dict[str, float]] = []  # returns of each team at every table

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start the next table; with a seed the schedule anew, with a `deal` or `state` a new deal.

        Raises:
            InputError: The wrapped env refuses seed or options; the schedule is unchanged.
        """
        given = common.given_start(self._base.game, options) is not None
        is_last = self._table + 1 == self._tables
        if seed is not None or given or self._start is None or is_last:
            super().reset(seed=seed, options=options)
            self._start = self._base.start
            self._deal = 0 if seed is not None else self._deal + 1
            self._table = 0
            self._scores = []
        else:
            super().reset(options={**(options or {}), "state": self._start})
            self._table += 1
        # Forced actions may have earned rewards already, and ended the game.
        self._earned = dict(self.rewards)
        self._add_score()
        self._publish()

    def step(self, action: int | None) -> None:
        """Step the wrapped env, with its errors; at the end of a table add up its scores."""
        self._base.check_started()
        ended = all(self.terminations.values())
        super().step(action)  # type: ignore[arg-type]
        if not ended:
            for agent, reward in self.rewards.items():
                self._earned[agent] += reward
            self._add_score()
        self._publish()

    def _add_score(self) -> None:
        """Add the return of each team at this table to the scores, if the game is over."""
        # After an illegal action all agents have terminated, but the game is not over by its rules:
        # this table has no score.
        if all(self.terminations.values()) and self._base.game.over(self._base.game_state):
            score = dict.fromkeys(self.teams, 0.0)
            for agent, team in self._team_of().items():
                score[team] += self._earned[agent]
            self._scores.append(score)

    def _team_of(self) -> dict[str, str]:
        seats = zip(self.possible_agents, self._seatings[self._table], strict=True)
        return {agent: self.teams[team] for agent, team in seats}

    def _publish(self) -> None:
        teams = self._team_of()
        schedule: dict[str, Any] = {"deal": self._deal, "table": self._table}
        if len(self._scores) == self._tables:
            # Team i plays side j at table (i - j) mod k.
            schedule["side_scores"] = {
                team: [self._scores[(i - j) % self._tables][team] for j in range(self._tables)]
                for i, team in enumerate(self.teams)
            }
            schedule["duplicate_score"] = {
                team: sum(scores) for team, scores in schedule["side_scores"].items()
            }
        self.infos = {
            agent: {**info, **schedule, "team": teams[agent]}
            for agent, info in self.env.infos.items()
        }


class KickerSubsteps(Spaces, Wrapper):
    """An AEC env whose actions are the sub-steps of the game, several of which make a play.

    In Dou Dizhu a main group, such as 333, comes first, then one by one the kickers, cards that go
    with it; in Chinese Poker the back, then the front. An agent stays selected until its play is
    complete, and the wrapped env gets the whole play in one step. Observations and masks are those
    of the sub-steps. An illegal action raises `InputError` and changes nothing; wrap this in
    PettingZoo's `TerminateIllegalWrapper` to end the game instead.

    Attributes:
        game: The sub-stepped game, with `game.text(action)` and `game.parse(text)`.
    """

    def __init__(self, env: AECEnv[str, Observation, int]) -> None:
        """Wrap `env`, an AEC env of this package, wrapped or not, with whole plays as actions.

        Raises:
            InputError: `env` is another env, or its game has no sub-steps, has them already, or
                pays in stages.
        """
        super().__init__(env)
        self._flat: Game = self._base.game
        if not self._flat.substep_options:
            raise InputError(f"this {self._flat.name} has no sub-steps, or has them already")
        if self._flat.staged:  # during a play the last rewards would count again at each sub-step
            raise InputError(f"{self._flat.name} pays in stages: make the game in sub-steps itself")
        options = {**self._flat.options, **self._flat.substep_options}
        self.game = make_game(self._flat.name, **options)
        self.form = ObservationForm(self.game, self._base.form.name, self._base.form.mask)
        self.set_spaces(self.possible_agents, self.form)
        # States of both games have one dtype. During a play this state is ahead of the env's.
        self._states = self.game.empty(1)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game, as the wrapped env does."""
        super().reset(seed=seed, options=options)
        self._synchronise()

    def step(self, action: int | None) -> None:
        """Play a sub-step of `agent_selection`; None for an agent that has terminated.

        Raises:
            gymnasium.error.ResetNeeded: No game was started.
            InputError: The action is not legal; the game is unchanged.
            ValueError: The agent has terminated, and the action is not None.
        """
        self._base.check_started()
        agent = self.agent_selection
        if not (self.terminations[agent] or self.truncations[agent]):
            state, before = self._states[0], self._states[0].copy()
            self.game.play(state, action)  # type: ignore[arg-type]
            if state["moves"] == before["moves"]:
                self._publish()
                return
            action = self._whole_play(before, action)
        super().step(action)  # type: ignore[arg-type]
        self._synchronise()

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent in the sub-stepped game."""
        self._base.check_started()
        return self.form.show(*self._look(agent))

    def _look(self, agent: str) -> tuple[np.ndarray, np.ndarray]:
        """Return observation, int8 [size], and mask, int8 [num_actions], which is 0 out of turn."""
        observation = np.empty(self.form.size, np.int8)
        mask = np.zeros(self.game.num_actions, np.int8)
        player = self._base.seat_of(agent)
        batch_kernels.observe_one(
            self.game.rules, self._states, player, self.form.compact, observation, mask
        )
        return observation, mask

    def state(self) -> np.ndarray:
        """Return the observations of all players in order, int8 [state_space.shape]."""
        self._base.check_started()
        return self.form.joint(self._states[0])

    def _whole_play(self, before: np.record, action: Any) -> int:
        """Return the whole play that `action` completes, a sub-step in the state `before`."""
        after = self._states[0]
        if after["moves"] == before["moves"] + 1:
            return int(after["history"][before["moves"]])
        # A new deal has cleared the history. The action was a pass, which has no sub-steps.
        return self._flat.parse(self.game.text(int(action)))

    def _synchronise(self) -> None:
        self._states[0] = self._base.game_state
        self._publish()

    def _publish(self) -> None:
        self.infos = {
            agent: {**info, ACTION_MASK: self._look(agent)[1]}
            for agent, info in self.env.infos.items()
        }
