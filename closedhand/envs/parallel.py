"""Games of simultaneous moves as PettingZoo parallel envs."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from gymnasium import error
from pettingzoo import ParallelEnv

from closedhand.core import batch_kernels
from closedhand.core.checks import id_or_illegal, whole_number
from closedhand.core.game import Game, InputError, State
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, Observation
from closedhand.envs.pettingzoo_base import Table

Infos = dict[str, dict[str, Any]]
Step = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]


class GameParallel(Table, ParallelEnv[str, Observation, int]):
    """A game of simultaneous moves: at every step all agents act, and all end together.

    Attributes, observations, masks, copies and states for search are those of `GameAEC`; masks are
    all zero after the end. Agents do not see the actions of others before the last observation,
    which shows the finished game. Rewards are as in `GameAEC`.

    After an illegal action no action is played: the game ends, each agent that chose an illegal
    action gets `illegal_reward`, and its info contains `illegal_action`, True.
    """

    def __init__(self, game: str | Game, **options: Any) -> None:
        """Make the env with the arguments of `Table`; refuse a game whose players act in turn."""
        super().__init__(game, **options)
        if not self.game.simultaneous:
            raise InputError(f"{self.game.name} has no parallel env: its players act in turn")
        common.check_reward(self.illegal_reward)  # None is for `GameAEC` alone

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        """Start a new game; return observations and infos, by agent.

        Without a `seed` the stream of deals continues. `options` may have `deal`, the text of a
        deal, or `state`, that of a game in progress. An `InputError` refuses other values, and a
        `state` in which some players have acted and others have not; the env is then unchanged.
        """
        seed, given = common.seed_or_none(seed), common.given_start(self.game, options)
        if given is not None:
            _check_level(self.game, given)
        self._begin(seed, given)
        # All seats are to act between two steps; `play_together` requires `player` to be 0.
        self._states["player"] = 0
        self.agents = self.possible_agents[:]
        return self._look()

    def step(self, actions: Mapping[str, int]) -> Step:
        """Play an action of every agent.

        Returns:
            Observations, rewards, terminations, truncations (always False) and infos, by agent.

        Raises:
            gymnasium.error.ResetNeeded: No game is in progress.
            InputError: There is not exactly one action for every agent, or an action is not a whole
                number; the game is unchanged.
        """
        if not self.agents:
            raise error.ResetNeeded(common.RESET_FIRST)
        agents: list[str] = self.agents
        named: Any = actions
        given = cast(Mapping[str, Any], named if isinstance(named, Mapping) else {})
        if set(given) != set(agents):
            raise InputError(f"step needs a dict of actions, one for each of {agents}")
        numbers = [whole_number(given[agent]) for agent in agents]
        ids = np.array([id_or_illegal(each, self.game.num_actions) for each in numbers], np.int64)
        legal = np.empty(len(agents), np.bool_)
        self.agents = []  # until the step is complete: see `GameAEC.step`
        over = batch_kernels.play_together(
            self.game.rules, self._states, ids, self.game.num_actions, legal
        )  # fmt: skip
        if legal.all():
            rewards = self._growth()
        else:
            rewards = np.where(legal, 0.0, self.illegal_reward).tolist()
        ended = bool(over or not legal.all())
        if not ended:
            self.agents = agents
        observations, infos = self._look()
        for agent, fine in zip(agents, legal, strict=True):
            if not fine:
                infos[agent]["illegal_action"] = True
        paid = dict(zip(agents, rewards, strict=True))
        terminations, truncations = dict.fromkeys(agents, ended), dict.fromkeys(agents, False)
        return observations, paid, terminations, truncations, infos

    def _look(self) -> tuple[dict[str, Observation], Infos]:
        """Return observations and infos of all players, each as the player to act."""
        seats = np.arange(self.game.num_players)
        states = np.repeat(self._states, len(seats))
        states["player"] = seats
        rows, masks = self.form.observe(states, seats)
        if not self.agents:
            masks[:] = 0  # after an illegal action the state itself is not over
        if self.render_mode == "human":
            self.render()
        seen = list(zip(self.possible_agents, rows, masks, strict=True))
        observations = {agent: self.form.show(row, mask) for agent, row, mask in seen}
        return observations, {agent: {ACTION_MASK: mask.copy()} for agent, _, mask in seen}


parallel_env = GameParallel
"""PettingZoo's customary name; the env makes all checks itself."""


def _check_level(game: Game, state: State) -> None:
    """Refuse a state in which only some players have acted: they have fewer turns to come."""
    state = state.copy()
    turns = [0] * game.num_players
    while not game.over(state):
        turns[state.player] += 1
        game.play(state, int(game.legal(state)[0]))
    if len(set(turns)) > 1:
        raise InputError("options['state'] is not a state of a parallel game: some players acted "
                         "and others have not")  # fmt: skip
