"""Every game as a PettingZoo AEC env."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from gymnasium import error
from pettingzoo import AECEnv

from closedhand.core import batch_kernels
from closedhand.core.checks import whole_number
from closedhand.core.game import InputError, explain_illegal
from closedhand.core.numba.fast_call import entry, pack
from closedhand.core.status import ILLEGAL, OVER
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, Observation
from closedhand.envs.pettingzoo_base import Table

KERNELS = batch_kernels.play_one, batch_kernels.observe_one
PLAY, LOOK = 0, 1  # indices of `KERNELS`


class GameAEC(Table, AECEnv[str, Observation, int]):
    """A game whose agents act one after the other.

    Observations have the form that `SoloEnv` describes. `infos[agent]` also has the `action_mask`,
    int8 [num_actions]: all zero and read-only unless the agent is to act. All agents terminate
    together, and then get their returns as rewards; earlier rewards are zero. Games that pay in
    stages (`game.staged`) instead reward each step with the growth of the returns.

    In lenient games (`game.lenient`) an illegal action counts as another, such as a pass. Else it
    ends the game: its agent gets `illegal_reward` and the info `illegal_action` (True), others 0.
    With `illegal_reward=None` it raises an `InputError` instead, and changes nothing.

    Copies and pickles continue the game in progress. `game_state` is a copy of the state, for
    search; `reset(options={"state": state})` continues from it. Before the first `reset`, methods
    that need a game raise `gymnasium.error.ResetNeeded`.
    """

    compiled = ("_packed", "_codes")
    _packed: Any = None
    _codes: Any = ()
    """Compiled code of each of the `KERNELS`; empty before the first call."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_idle_mask" in state:  # copies and pickles lose the read-only flag
            self._idle_mask.flags.writeable = False

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a new game; without a `seed` the stream of deals continues.

        `options` may have `deal`, the text of a deal, or `state`, the state of a game in progress.
        An `InputError` refuses other values, and leaves the env unchanged.
        """
        seed, given = common.seed_or_none(seed), common.given_start(self.game, options)
        self._begin(seed, given)
        agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self._idle_mask = np.zeros(self.game.num_actions, np.int8)
        self._idle_mask.flags.writeable = False  # infos share it
        self.infos = {agent: {ACTION_MASK: self._idle_mask} for agent in agents}
        player = int(self._states["player"][0])
        self._to_act(agents, player, *self._run(LOOK, player)[1:])

    def step(self, action: int | None) -> None:
        """Play an action of `agent_selection`; None for an agent that has terminated.

        Raises:
            gymnasium.error.ResetNeeded: No game was started, or all agents are gone.
            InputError: The action is not an id, or is illegal and `illegal_reward` is None; nothing
                changes.
            ValueError: The agent has terminated, and the action is not None.
        """
        if not self.agents:  # `_check_agents` inline, to save time
            raise error.ResetNeeded(common.RESET_FIRST)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]
            return
        number = whole_number(action)
        if not 0 <= number < self.game.num_actions:
            raise InputError(explain_illegal(self.game, self._states[0], number))
        # Empty until all attributes are set: if Ctrl-C comes in between, only `reset` works.
        agents, self.agents = self.agents, []
        (status, player), observation, mask = self._run(PLAY, number)
        if status == ILLEGAL:
            self._refuse(agents, agent, number)
            return
        self.infos[agent] = {ACTION_MASK: self._idle_mask}
        if self.game.staged:
            self.rewards = dict(zip(agents, self._growth(), strict=True))
            self._cumulative_rewards[agent] = 0.0  # clear what the agent earned earlier
            self._accumulate_rewards()
        elif status == OVER:
            # All earlier rewards were zero, so no cumulative reward has to be cleared.
            payoffs = self.game.returns(self._states[0]).tolist()
            self.rewards = dict(zip(agents, payoffs, strict=True))
            self._cumulative_rewards = self.rewards.copy()
        if status == OVER:
            self.terminations = dict.fromkeys(agents, True)
        self._to_act(agents, int(player), observation, mask)

    def _refuse(self, agents: list[str], agent: str, action: int) -> None:
        """End the game by an illegal action with `illegal_reward`; if that is None, raise an error.

        Restore `self.agents`, which the caller has emptied.
        """
        if self.illegal_reward is None:
            self.agents = agents
            raise InputError(explain_illegal(self.game, self._states[0], action))
        self.rewards = dict.fromkeys(agents, 0.0) | {agent: self.illegal_reward}
        self._cumulative_rewards[agent] = 0.0  # clear what the agent earned earlier
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(agents, True)
        self.infos[agent] = {ACTION_MASK: self._idle_mask, "illegal_action": True}
        self._unseen_by = None  # drop the kept observation, whose mask has legal actions
        self.agents = agents

    def _check_agents(self) -> None:
        if not self.agents:
            raise error.ResetNeeded(common.RESET_FIRST)

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent in new int8 arrays; see `SoloEnv` for its form.

        An `InputError` refuses a name that is no agent.
        """
        self.check_started()
        if agent == self._unseen_by:
            # Kept by `_to_act`. Hand it out only once: the caller may write to its arrays.
            (observation, mask), self._unseen_by = self._unseen, None
        else:
            _, observation, mask = self._run(LOOK, self.seat_of(agent))
            if "illegal_action" in self.infos.get(agent, ()):
                mask[:] = 0  # the env has ended the game, but the state is not over
        return self.form.show(observation, mask)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Yield `agent_selection` until no agent is left; the loop has to call `step` for each."""
        self.check_started()  # without agents the loop would end silently
        return super().agent_iter(max_iter)

    def action_masks(self) -> np.ndarray:
        """Return the mask of `agent_selection`, bool [num_actions]."""
        self._check_agents()
        return self.infos[self.agent_selection][ACTION_MASK] != 0

    def last(
        self, observe: bool = True
    ) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward, termination, truncation and info of `agent_selection`."""
        self._check_agents()
        return super().last(observe)

    def _run(self, kernel: int, number: int) -> tuple[Any, np.ndarray, np.ndarray]:
        """Run `PLAY` with an action or `LOOK` with a seat; return result, observation and mask.

        The result is (status, player to act) for `PLAY`, None for `LOOK`.
        """
        observation = np.empty(self.form.size, np.int8)
        mask = np.empty(self.game.num_actions, np.int8)
        if not self._codes:
            self._packed = pack(self.game.rules)
            examples = self._packed, self._states, 0, self.form.compact or None, observation, mask
            self._codes = [entry(each, *examples) for each in KERNELS]
        result = self._codes[kernel](
            self._packed, self._states, number, self.form.compact or None, observation, mask
        )
        return result, observation, mask

    def _to_act(
        self, agents: list[str], player: int, observation: np.ndarray, mask: np.ndarray
    ) -> None:
        """Select the player to act, keep what it observes, and restore `self.agents`, now empty."""
        self.agent_selection = self._unseen_by = self.possible_agents[player]
        self._unseen = observation, mask
        self.infos[self.agent_selection] = {ACTION_MASK: mask.copy()}
        self.agents = agents
        if self.render_mode == "human":
            self.render()


env = GameAEC
raw_env = partial(GameAEC, illegal_reward=None)
"""PettingZoo's customary names; in the raw env illegal actions are errors."""
