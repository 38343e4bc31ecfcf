"""Sub-step actions for an AEC env whose game has whole plays as actions."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from closedhand.core import batch_kernels
from closedhand.core.game import Game, InputError
from closedhand.core.registry import make_game
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, Observation, ObservationForm
from closedhand.envs.pettingzoo_base import Spaces
from closedhand.wrappers.adapting import aec_table


class KickerSubsteps(common.Copied, Spaces, BaseWrapper[str, Observation, int]):
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
            InputError: It is another env, or its game has no sub-steps, has them already, or pays
                in stages.
        """
        base = aec_table(env)
        super().__init__(env)
        self._flat: Game = base.game
        if not self._flat.substep_options:
            raise InputError(f"this {self._flat.name} has no sub-steps, or has them already")
        if self._flat.staged:  # during a play the last rewards would count again at each sub-step
            raise InputError(f"{self._flat.name} pays in stages: make the game in sub-steps itself")
        options = {**self._flat.options, **self._flat.substep_options}
        self.game = make_game(self._flat.name, **options)
        self.form = ObservationForm(self.game, base.form.name, base.form.mask)
        self.set_spaces(self.possible_agents, self.form)
        # Both games have the same states; this one is ahead during a play.
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
        aec_table(self.env).check_started()
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
        aec_table(self.env).check_started()
        return self.form.show(*self._look(agent))

    def _look(self, agent: str) -> tuple[np.ndarray, np.ndarray]:
        """Return observation, int8 [size], and mask, int8 [num_actions], which is 0 out of turn."""
        observation = np.empty(self.form.size, np.int8)
        mask = np.zeros(self.game.num_actions, np.int8)
        player = aec_table(self.env).seat_of(agent)
        batch_kernels.observe_one(
            self.game.rules, self._states, player, self.form.compact, observation, mask
        )
        return observation, mask

    def state(self) -> np.ndarray:
        """Return the observations of all players in order, int8 [state_space.shape]."""
        aec_table(self.env).check_started()
        return self.form.joint(self._states[0])

    def _whole_play(self, before: np.record, action: Any) -> int:
        """Return the flat action that the sub-step `action` has completed from state `before`."""
        after = self._states[0]
        if after["moves"] == before["moves"] + 1:
            return int(after["history"][before["moves"]])
        # A new deal has cleared the history. The action was a pass, which has no sub-steps.
        return self._flat.parse(self.game.text(int(action)))

    def _synchronise(self) -> None:
        self._states[0] = aec_table(self.env).game_state
        self._publish()

    def _publish(self) -> None:
        self.infos = {
            agent: {**info, ACTION_MASK: self._look(agent)[1]}
            for agent, info in self.env.infos.items()
        }
