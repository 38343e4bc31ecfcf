"""Self-play in RLlib's new API stack: a game as its multi-agent env, and PPO's network with masks.

    from closedhand.agents import from_function
    from closedhand.wrappers.rllib import act_of, self_play

    algorithm = self_play(PPOConfig(), game).build_algo()
    algorithm.train()
    agent = from_function(act_of(algorithm), observation="compact", name="RLlib")
    match.play(game, [agent, "random"], deals=500)

One seat against agents is faster: RLlib takes our vector envs directly with
`gym_env_vectorize_mode="vector_entry_point"`, and needs only `MaskedPPOModule` from here.
"""

# pyright: basic, reportMissingImports=false
# RLlib has few types, and is tested in a separate environment.

from collections.abc import Callable
from typing import Any

import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from closedhand.core.game import Game
from closedhand.envs.aec import GameAEC
from closedhand.envs.observation_form import ACTION_MASK, COMPACT, OBSERVATION, Observation
from closedhand.wrappers.adapting import only_part

SELF = "self"
"""The policy that plays all seats."""


class RLlibEnv(MultiAgentEnv):
    """A game in which the seats act in turn, each under its name `player_0`, `player_1`, ….

    Only the seat to act gets an observation, a dict of `observation` and `action_mask`. At the end
    all seats that have acted get one, with a mask that marks action 0. Every step rewards all seats
    that have had a turn, and RLlib credits a reward to the seat's last action. An illegal action
    ends the game with `illegal_reward` for its seat, or counts as a pass (`game.lenient`).

    Attributes:
        game: The rules.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Make the env.

        Args:
            config: `game`, a name or a `Game`; `observation`, `compact` (the default) or `flat`;
                `illegal_reward`, by default -10 (None: an error); and options of `make_game`.

        Raises:
            InputError: An unknown name, option or form of observations; an invalid reward; or the
                form `planes`, of which RLlib would keep only one part.
        """
        self._env = GameAEC(**{"game": None, "observation": COMPACT, **config})
        self.game = self._env.game
        seats = self._env.possible_agents
        only_part(self._env.observation_space(seats[0]), "RLlib")
        self.agents, self.possible_agents = list(seats), list(seats)
        self.observation_spaces = {seat: self._env.observation_space(seat) for seat in seats}
        self.action_spaces = {seat: self._env.action_space(seat) for seat in seats}
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Any]]:
        """Start a new game; arguments as for `GameAEC.reset`."""
        self._env.reset(seed, options)
        self._acted = {self._env.agent_selection}
        return self._look({self._env.agent_selection}), {}

    def step(
        self, action_dict: dict[str, Any]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]
    ]:
        """Play the action of the seat to act."""
        env = self._env
        env.step(action_dict[env.agent_selection])
        ended = env.terminations[env.agent_selection]
        if not ended:
            self._acted.add(env.agent_selection)
        # RLlib has no episode of a seat that has never acted: leave out its rewards.
        paid = {agent: env.rewards[agent] for agent in self._acted}
        seen = self._look(self._acted if ended else {env.agent_selection})
        return seen, paid, {"__all__": ended}, {"__all__": False}, {}

    def _look(self, agents: set[str]) -> dict[str, Observation]:
        """Return observations of some seats, with masks that are never all zero."""
        seen = {agent: self._env.observe(agent) for agent in agents}
        for parts in seen.values():
            if not parts[ACTION_MASK].any():
                parts[ACTION_MASK][0] = 1
        return seen


class MaskedPPOModule(DefaultPPOTorchRLModule):
    """RLlib's network for PPO, restricted to the legal actions of the observation's mask."""

    def __init__(self, *, observation_space: Any, **settings: Any) -> None:
        """Build the network of RLlib's catalog for the part `observation`, without the mask.

        Raises:
            InputError: The parts of the space are not just `observation` and `action_mask`.
        """
        super().__init__(observation_space=only_part(observation_space, "RLlib"), **settings)
        self.observation_space = observation_space

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return self._masked(batch, super()._forward(self._seen(batch), **kwargs))

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return self._masked(batch, super()._forward_train(self._seen(batch), **kwargs))

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the values of a batch of observations."""
        return super().compute_values(self._seen(batch), embeddings)

    def _seen(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {**batch, Columns.OBS: batch[Columns.OBS][OBSERVATION].float()}

    def _masked(self, batch: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
        legal = batch[Columns.OBS][ACTION_MASK] != 0
        logits = found[Columns.ACTION_DIST_INPUTS]
        lowest = torch.finfo(logits.dtype).min
        return {**found, Columns.ACTION_DIST_INPUTS: logits.masked_fill(~legal, lowest)}


def self_play(
    config: AlgorithmConfig, game: str | Game, observation: str = COMPACT, **options: Any
) -> AlgorithmConfig:
    """Set up a config of PPO for self-play: one network, two layers of 256, in all seats.

    The config is changed and returned; `config.rl_module(model_config=…)` and other calls may
    follow. `game`, `observation` and `options` are as for `RLlibEnv`.

    Raises:
        InputError: As for `RLlibEnv`.
    """
    env_config = {"game": game, "observation": observation, **options}
    RLlibEnv(env_config)  # refuses what RLlib would refuse only when it makes the env
    config.environment(RLlibEnv, env_config=env_config)
    config.multi_agent(policies={SELF}, policy_mapping_fn=_everybody)
    spec = RLModuleSpec(module_class=MaskedPPOModule)
    model = DefaultModelConfig(fcnet_hiddens=[256, 256], fcnet_activation="relu")
    config.rl_module(
        rl_module_spec=MultiRLModuleSpec(rl_module_specs={SELF: spec}), model_config=model
    )
    return config


# Not a lambda: pickles of a config, as in checkpoints, name the function.
def _everybody(agent: Any, *_: Any, **__: Any) -> str:
    return SELF


def act_of(algorithm: Algorithm) -> Callable[[Any, Any], Any]:
    """Make a function that chooses the most probable actions, for `agents.from_function`.

    The algorithm has a `MaskedPPOModule`, and may come from a checkpoint. The function takes
    observations, int8 [n, size], and masks, bool [n, num_actions], and returns ids, int64 [n].
    """
    module: Any = algorithm.get_module(SELF) or algorithm.get_module()

    @torch.no_grad()
    def act(seen: Any, masks: Any) -> Any:
        batch = {OBSERVATION: torch.from_numpy(seen), ACTION_MASK: torch.from_numpy(masks)}
        found = module.forward_inference({Columns.OBS: batch})
        return found[Columns.ACTION_DIST_INPUTS].argmax(1).numpy()

    return act
