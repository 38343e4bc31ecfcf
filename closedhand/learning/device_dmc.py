"""Deep Monte Carlo on a device; `device_learner` has what all learners on a device share.

One network plays all seats: its outputs are values of the actions.

1. **Rollout.** A seat takes the legal action of the greatest value, or sometimes a random one.
2. **Targets by seat.** The target of a decision is the return of its seat from there to the end of
   the game. If the rollout ends first, the value of the seat's last decision in it stands for the
   rest. A `gae_lambda` below 1 mixes in the values of the seat's decisions in between.
3. **Learning.** Each minibatch descends the squared error of the values of the chosen actions.

After the paper named in `dmc.py`, whose learner learns only from ended games.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import torch
from torch import Tensor, nn

from closedhand.core.options import Range
from closedhand.learning.device_learner import DeviceLearner, DeviceSettings
from closedhand.learning.device_rollout import NEVER
from closedhand.learning.training import GreedyTemperature


@dataclass(frozen=True, kw_only=True)
class DeviceDMCSettings(DeviceSettings):
    """Settings of Deep Monte Carlo on a device; the defaults suit a GPU."""

    exploration: Annotated[float, Range(0, 1), "initial share of random actions"] = 0.1
    gae_lambda: Annotated[float, Range(0, 1), "weight of longer estimates; 1: returns alone"] = 1.0
    temperature: GreedyTemperature = 0.0


class DeviceDMC(DeviceLearner[DeviceDMCSettings]):
    """Learner by deep Monte Carlo on a device."""

    name = "dmc"
    settings_type = DeviceDMCSettings
    measures = ("loss",)
    falling = ("learning_rate", "exploration")

    def choose(self, seen: Tensor, masks: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Take the best actions, or sometimes random ones; note the values of those taken."""
        values = self.playing["network"](self.inputs(seen)).float()
        draws = self.draw(values)
        stray = self.draw(draws[:, :1]) < self.rates["exploration"]
        # The greatest of uniform numbers is a uniform choice.
        scores = torch.where(stray, draws, values).masked_fill(masks == 0, NEVER)
        actions = scores.argmax(1)
        taken = values.gather(1, actions[:, None]).squeeze(1)
        return actions, torch.zeros_like(taken), taken

    def loss(self, take: Callable[[str], Tensor]) -> tuple[Tensor, Tensor]:
        """Compute the mean squared error of the values of the actions taken."""
        with self.half():
            values = self.network(self.inputs(take("observations")))
        taken = values.float().gather(1, take("actions")[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(taken, take("targets"))
        return loss, loss.detach()[None]
