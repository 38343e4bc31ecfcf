"""Our envs as envs of Tianshou, and networks that obey their masks."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# Tianshou's `Batch` is typed by protocols without its entries.

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode

from closedhand.core.checks import InputError, integers, shown
from closedhand.core.optional_imports import needing
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, OBSERVATION, Observation
from closedhand.envs.seat_vector import SeatVectorEnv
from closedhand.wrappers.adapting import only_part, vector_env

with needing():
    from tianshou.data import Batch
    from tianshou.env import BaseVectorEnv
    from tianshou.utils.net.common import AbstractDiscreteActor

Ids = int | Sequence[int] | np.ndarray | None


class TianshouVectorEnv(BaseVectorEnv):
    """A vector env of this package as one of Tianshou, without a worker for each game.

    Observations are a `Batch` of `obs`, int8 [n, size], and `mask`, bool [n, num_actions], for
    Tianshou's policies of discrete actions. Policies that rate actions, such as DQN, obey the mask
    directly; policies with an actor need `MaskedActor`. A row of a `SeatVectorEnv` is a game here.
    """

    def __init__(self, env: Any) -> None:
        """Wrap an env that `gymnasium.make_vec` made, or for self-play a `SeatVectorEnv`.

        `env` is made with `autoreset_mode="Disabled"`, because Tianshou resets games itself; a
        `GameVectorEnv` also with `opponents`.

        Raises:
            InputError: It is another env, or is wrapped; it has no masks, or another autoreset
                mode; it plays or pays all seats in one row; or its observations have parts besides
                `observation` and the mask, which Tianshou would lose.
        """
        self.env = vector_env(env, "Tianshou", AutoresetMode.DISABLED)
        self.part = only_part(self.env.single_observation_space, "Tianshou")
        self.env_num = self.env.num_envs
        self.is_async = False
        self.is_closed = False

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:
        """Return an attribute of each game, such as its space."""
        values = {"action_space": self.env.single_action_space, "observation_space": self.part}
        value = values[key] if key in values else getattr(self.env, key)
        return [value] * len(self._chosen(id))

    def set_env_attr(self, key: str, value: Any, id: Ids = None) -> None:
        """Raise an `AttributeError`: the options of a game are set when it is made."""
        raise AttributeError("options of a game are set when it is made")

    def reset(self, env_id: Ids = None, **kwargs: Any) -> tuple[Any, np.ndarray]:
        """Start new games; return a batch of `obs` and `mask`, and an empty info for each game.

        `env_id` are the numbers of the games, by default all; `kwargs` are `seed` and `options`.

        Raises:
            InputError: No such game, a bad seed or option, or in self-play only some of the rows.
        """
        ids = self._chosen(env_id)
        mask = np.isin(np.arange(self.env_num), ids)
        options = {**(kwargs.pop("options", None) or {}), "reset_mask": mask}
        observations, _ = self.env.reset(options=options, **kwargs)
        return self._seen(observations, ids), self._infos(ids)

    def step(self, action: Any, id: Ids = None) -> tuple[Any, ...]:
        """Play actions, integers [n], in the games numbered `id`, by default all; leave the others.

        Returns:
            Batch of `obs` and `mask`, rewards, terminations, truncations, and empty infos by game.

        Raises:
            gymnasium.error.ResetNeeded: A game among these is over, or none was started.
            InputError: There is no such game, the actions are not so many integers, or only some
                rows are stepped in self-play, where the rows of a game go together.
        """
        ids = self._chosen(id)
        actions = np.zeros(self.env_num, np.int64)
        given = action.numpy() if isinstance(action, torch.Tensor) else action
        actions[ids] = integers("actions", given, len(ids))
        if len(ids) == self.env_num:
            seen, rewards, ends, cuts, _ = self.env.step(actions)
        elif isinstance(self.env, SeatVectorEnv):
            raise InputError("in self-play all rows are stepped: collect by n_step, not n_episode")
        else:
            chosen = np.isin(np.arange(self.env_num), ids)
            seen, rewards, ends, cuts, _ = self.env.step(actions, chosen=chosen)
        return self._seen(seen, ids), rewards[ids], ends[ids], cuts[ids], self._infos(ids)

    def seed(self, seed: Any = None) -> list[Any]:
        """Start new games, with seeds as for the env's `reset`; return `[seed]` of each row.

        Raises:
            InputError: A wrong number of seeds, or one that is no whole number of 0 or more.
        """
        self.env.reset(seed=seed)
        rows = 1  # number of rows that share a seed
        if isinstance(self.env, SeatVectorEnv) and not common.is_list(seed):
            rows = self.env.num_seats
        return [[each] for each in common.seeds_of(seed, self.env_num // rows) for _ in range(rows)]

    def render(self, **kwargs: Any) -> list[Any]:
        """Return the open table of every game; an empty list without a render mode."""
        return list(self.env.render() or ())

    def close(self) -> None:
        """Close all games."""
        self.env.close()
        self.is_closed = True

    def _chosen(self, ids: Ids) -> np.ndarray:
        if ids is None:
            return np.arange(self.env_num)
        chosen = np.atleast_1d(np.asarray(ids))
        if chosen.dtype.kind not in "iu" or not set(chosen.tolist()) <= set(range(self.env_num)):
            raise InputError(f"games are numbers from 0 to {self.env_num - 1}, not {shown(ids)}")
        if len(set(chosen.tolist())) < len(chosen):
            raise InputError(f"a game is stepped or reset once at a time, not {shown(ids)}")
        return chosen

    def _seen(self, observations: Observation, ids: np.ndarray) -> Any:
        return Batch(obs=observations[OBSERVATION][ids], mask=observations[ACTION_MASK][ids] != 0)

    def _infos(self, ids: np.ndarray) -> np.ndarray:
        return np.array([{} for _ in ids])


class MaskedActor(AbstractDiscreteActor):
    """An actor over the legal actions: the logits of other actions are -1e9."""

    def __init__(self, actor: AbstractDiscreteActor) -> None:
        """Wrap an actor that returns logits and a hidden state, such as `DiscreteActor`."""
        super().__init__(actor.output_dim)
        self.actor = actor

    def get_preprocess_net(self) -> Any:
        """Return the preprocessing network of the wrapped actor."""
        return self.actor.get_preprocess_net()

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Return logits [n, num_actions] of a batch of `obs` and `mask`, and the hidden state."""
        logits, state = self.actor(obs.obs, state, info or {})
        legal = torch.as_tensor(obs.mask, dtype=torch.bool, device=logits.device)
        return logits.masked_fill(~legal, -1e9), state


class UnmaskedCritic(torch.nn.Module):
    """A critic that passes the `obs` of a batch, without its `mask`, to the wrapped one."""

    def __init__(self, critic: torch.nn.Module) -> None:
        """Wrap a critic, such as `DiscreteCritic`."""
        super().__init__()
        self.critic = critic

    def forward(self, obs: Any, **kwargs: Any) -> torch.Tensor:
        """Return the values of a batch of `obs` and `mask`."""
        return self.critic(obs.obs, **kwargs)
