"""PPO on a device; `device_learner` has what all learners on a device share.

One network plays all seats. A separate critic, which agents do not use, sees the observation and,
if the states of the game have a field `hands`, the cards of every seat.

1. **Rollout.** A step draws an action from the softmax over the legal ones.
2. **Advantages by seat.** Estimate advantages along the decisions of each seat.
3. **Learning.** Each minibatch descends the clipped loss of the policy minus a bonus for entropy,
   and the squared error of the critic.

Source: Schulman et al., "Proximal policy optimization algorithms", 2017. The critic that sees all
cards is that of Lowe et al., 2017.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from torch import Tensor, nn

from closedhand.core.options import Range
from closedhand.learning import networks
from closedhand.learning.device_learner import DeviceLearner, DeviceSettings
from closedhand.learning.device_rollout import log_softmax
from closedhand.learning.ppo import MEASURED, clipped_gain

DRAW_FROM = 1e-9
"""Least uniform number of which a logarithm is taken."""


@dataclass(frozen=True, kw_only=True)
class DevicePPOSettings(DeviceSettings):
    """Settings of PPO on a device; the defaults suit a GPU."""

    critic: Annotated[int, Range(1, 4096), "units of each hidden layer of the critic"] = 512
    clip: Annotated[float, Range(0, 10), "change of a probability at which it is clipped"] = 0.2
    entropy: Annotated[float, Range(0, 100), "initial weight of the entropy"] = 0.02


class Critic(nn.Module):
    """The value of a position for the player to act, for training only."""

    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        self.body = networks.ResidualLayers(inputs, width, layers)
        self.value = nn.Linear(width, 1)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)

    def forward(self, seen: Tensor) -> Tensor:
        """Compute values [n] of inputs [n, inputs]."""
        return self.value(self.body(seen)).squeeze(1)


class PolicyLoss(torch.autograd.Function):
    """The clipped loss of a policy and its entropy, with a gradient written by hand.

    Automatic differentiation would keep and read several arrays of the shape [n, actions]; this
    gradient needs two of them.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, masks: Tensor, actions: Tensor, logs: Tensor, advantages: Tensor,
        clip: float, entropy_weight: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Compute the loss of `ppo.loss_of`, less its terms for values and magnet.

        `logits` and `masks` (int8) are [n, actions]; the next three are those of `ppo.Decisions`.
        Return the loss, and the means of entropy, divergence and share clipped, float32 [3].
        """
        new = log_softmax(logits, masks)
        shares = new.exp()
        chosen = new.gather(1, actions[:, None]).squeeze(1)
        gain, ratio, moved = clipped_gain(chosen, logs, advantages, clip)
        entropy = -(shares * new).sum(1)
        # Where the objective is clipped it has no gradient.
        moves = (gain == ratio * advantages).float() * ratio * advantages
        ctx.save_for_backward(new, shares, actions, moves, entropy, entropy_weight)
        loss = -gain.mean() - entropy_weight * entropy.mean()
        measured = torch.stack([entropy.mean(), *moved])
        ctx.mark_non_differentiable(measured)
        return loss, measured

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Return the gradient of the logits."""
        new, shares, actions, moves, entropy, entropy_weight = ctx.saved_tensors
        number = len(actions)
        # With the action one-hot: d(-gain) / d logits = moves * (shares - one_hot), and
        # d(-entropy) / d logits = shares * (new + entropy).
        out = entropy_weight * (new + entropy[:, None]) + moves[:, None]
        out = out.mul_(shares)
        out.scatter_add_(1, actions[:, None], -moves[:, None])
        out = out.mul_(gradients[0] / number)
        return out, None, None, None, None, None, None


class DevicePPO(DeviceLearner[DevicePPOSettings]):
    """Learner by PPO on a device."""

    name = "ppo"
    settings_type = DevicePPOSettings
    measures = MEASURED
    falling = ("learning_rate", "entropy")
    hands = True

    def more_networks(self) -> dict[str, nn.Module]:
        """Make the critic."""
        inputs = self.features.inputs + self.rollout.hidden
        with networks.drawing(self.seed):
            critic = Critic(inputs, self.settings.critic, self.settings.layers)
        return {"critic": critic.to(self.device)}

    def choose(self, seen: Tensor, masks: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return drawn actions, their log-probabilities, and the critic's values, all [n]."""
        seen = self.inputs(seen)
        logs = log_softmax(self.playing["network"](seen), masks)
        # Gumbel's method: the action of the greatest `logs - noise` is a draw from the softmax.
        noise = self.draw(logs).clamp_(DRAW_FROM, 1 - 1e-7).log_().neg_().log_()
        actions = (logs - noise).argmax(1)
        values = self.playing["critic"](torch.cat([seen, self.inputs(hidden)], 1))
        return actions, logs.gather(1, actions[:, None]).squeeze(1), values

    def loss(self, take: Callable[[str], Tensor]) -> tuple[Tensor, Tensor]:
        """Compute the loss of policy and critic, and the numbers that `MEASURED` names."""
        with self.half():
            seen = self.inputs(take("observations"))
            logits = self.network(seen)
            critic = self.modules["critic"]
            values = critic(torch.cat([seen, self.inputs(take("hidden"))], 1))
        loss, measured = PolicyLoss.apply(
            logits.float(), take("masks"), take("actions"), take("logs"), take("advantages"),
            self.settings.clip, self.rates["entropy"],
        )  # fmt: skip  # pyright: ignore[reportGeneralTypeIssues]
        value_loss = nn.functional.mse_loss(values.float(), take("targets"))
        entropy, *moved = measured
        measured = torch.stack([entropy, value_loss.detach(), *moved])
        return loss + 0.5 * value_loss, measured  # the weight is that of `PPOSettings.value`
