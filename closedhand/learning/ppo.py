"""Proximal policy optimisation (PPO) over the legal actions of any game, for all its seats.

An update takes four steps:

1. **Rollout.** Play new games from deal to end (`selfplay.play_wave`). A decision draws an action
   from the softmax over the legal ones; its log probability and the value of the observation are
   noted.
2. **Advantages by seat.** The reward of a decision is the payment of its seat until that seat
   decides again; other seats may act in between. Estimate advantages along the decisions of each
   seat (`closedhand.envs.seatwise`; Schulman et al., 2016).
3. **Learning.** Pass over the decisions a few times in minibatches. Each descends the clipped loss
   of the policy and the squared error of the values, minus a bonus for entropy, which keeps the
   policy from exploiting its last opponent too closely. An optional term, the magnet, is the KL
   divergence from the policy of step 4, as in magnetic mirror descent (Sokota et al., 2023).
4. **Averaging.** Agents play the average of the weights over the last tenth of the updates.

Source: Schulman et al., "Proximal policy optimization algorithms", 2017.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import torch
from torch import Tensor

from closedhand.core.options import Range
from closedhand.envs.seatwise import seat_advantages
from closedhand.learning.features import Legal
from closedhand.learning.networks import PolicyValue
from closedhand.learning.selfplay import Choose, Wave
from closedhand.learning.training import DeepLearner, Settings

MEASURED = ("entropy", "value_loss", "kl", "clipped")
"""Means over the decisions of an update: entropy in nats, squared error of the values, estimated KL
divergence from the policy that played, share of decisions whose probability was clipped."""


@dataclass(frozen=True, kw_only=True)
class PPOSettings(Settings):
    """Settings of PPO; the defaults suit minutes on a CPU."""

    width: Annotated[int, Range(1, 4096), "units of each hidden layer"] = 128
    batch: Annotated[int, Range(1, 10**7), "decisions in an update, approximately"] = 49152
    minibatch: Annotated[int, Range(1, 10**7), "decisions in a step of the optimiser"] = 2048
    epochs: Annotated[int, Range(1, 100), "passes over the decisions of an update"] = 2
    clip: Annotated[float, Range(0, 10), "change of a probability at which it is clipped"] = 0.2
    gae_lambda: Annotated[float, Range(0, 1), "weight of longer estimates of advantages"] = 0.95
    entropy: Annotated[float, Range(0, 100), "initial weight of the entropy"] = 0.04
    magnet: Annotated[float, Range(0, 100), "weight of the divergence from the average"] = 0.0
    value: Annotated[float, Range(0, 100), "weight of the loss of the values"] = 0.5


class Decisions(NamedTuple):
    """Decisions to learn from."""

    observations: Tensor  # int8 [n, inputs]
    legal: Legal
    actions: Tensor  # those taken, int64 [n]
    logs: Tensor  # their log-probabilities when they were taken, float32 [n]
    advantages: Tensor  # normalised, float32 [n]
    targets: Tensor  # returns that the values should predict, divided by a scale, float32 [n]
    magnet: Tensor | None = None  # log-probabilities of `legal` by the average, float32 [k]

    def take(self, part: Tensor) -> "Decisions":
        """Select decisions by their numbers, int64 [m]."""
        places = self.legal.places(part)
        return Decisions(
            self.observations[part], self.legal.take(part, places), self.actions[part],
            self.logs[part], self.advantages[part], self.targets[part],
            None if self.magnet is None else self.magnet[places],
        )  # fmt: skip


class PPO(DeepLearner[PPOSettings]):
    """Learner by PPO."""

    name = "ppo"
    settings_type = PPOSettings

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Do steps 1 to 3 of the module's list; the base class does step 4."""
        settings = self.settings
        wave = self.play(rng)
        decisions = credited(wave, self.scale.add(wave.returns), settings.gae_lambda)
        if settings.magnet:
            decisions = decisions._replace(magnet=self._magnet(decisions))
        rows = len(decisions.actions)
        sums = np.zeros(len(MEASURED))
        for _ in range(settings.epochs):
            for part in torch.from_numpy(rng.permutation(rows)).split(settings.minibatch):
                loss, measured = loss_of(
                    self.network, decisions.take(part), settings, settings.entropy * self.rate
                )
                self.take_step(loss)
                sums += len(part) * measured.numpy()
        means = (sums / (rows * settings.epochs)).tolist()
        return {
            "reward": wave.reward,
            "explained_variance": explained(decisions.targets, wave.notes[:, 1]),
            **dict(zip(MEASURED, means, strict=True)),
        }

    def chooser(self, rng: np.random.Generator) -> Choose:
        """Return a function that draws actions by `act` with the acting network."""
        return lambda observations, masks, _: act(self.acting, observations, masks, rng)

    @torch.inference_mode()
    def _magnet(self, decisions: Decisions) -> Tensor:
        """Compute log-probabilities of the legal actions by the averaged policy, float32 [k]."""
        parts = torch.arange(len(decisions.actions)).split(self.settings.minibatch)
        taken = map(decisions.take, parts)
        return torch.cat(
            [policy_and_values(self.average, each.observations, each.legal)[0] for each in taken]
        )


def policy_and_values(
    network: PolicyValue, observations: Tensor, legal: Legal
) -> tuple[Tensor, Tensor]:
    """Compute log probabilities of the legal actions, float32 [k], and values, float32 [n]."""
    logits, values = network.legal(observations.float(), legal)
    return legal.log_softmax(logits), values


@torch.inference_mode()
def act(
    network: PolicyValue, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw actions, int64 [n], for observations, int8 [n, inputs], and masks, int8 [n, actions].

    Return also notes for a `Wave`, float32 [n, 2]: log probabilities of the actions, and values.
    """
    legal = Legal.of(masks)
    logs, values = policy_and_values(network, torch.from_numpy(observations), legal)
    drawn, _ = legal.draw(logs.double().exp(), torch.from_numpy(rng.random(len(masks))))
    return legal.actions[drawn].numpy(), torch.stack([logs[drawn], values], 1).numpy()


def credited(wave: Wave, scale: float, gae_lambda: float) -> Decisions:
    """Compute the decisions of a wave whose notes are those of `act`, with advantages by seat.

    Rewards are divided by `scale`; `gae_lambda` is that of `seat_advantages`.
    """
    # `acted` selects by step, then by game, as rows are ordered. All games end, so no row is NaN.
    acted = wave.actors >= 0
    values = np.zeros(wave.actors.shape)
    values[acted] = wave.notes[:, 1]
    found = seat_advantages(
        wave.rewards / scale, wave.actors, wave.ends, values, gae_lambda=gae_lambda
    )
    advantages, targets = (torch.from_numpy(each[acted]) for each in found)
    deviation, mean = torch.std_mean(advantages, correction=0)
    return Decisions(
        torch.from_numpy(wave.observations),
        Legal.of(wave.masks),
        torch.from_numpy(wave.actions),
        torch.from_numpy(wave.notes[:, 0]).float(),
        ((advantages - mean) / (deviation + 1e-8)).float(),
        targets.float(),
    )


def loss_of(
    network: PolicyValue, decisions: Decisions, settings: PPOSettings, entropy_weight: float
) -> tuple[Tensor, Tensor]:
    """Compute the loss of a minibatch, a scalar with gradient, and `MEASURED`, float32 [4]."""
    legal = decisions.legal
    logs, values = policy_and_values(network, decisions.observations, legal)  # [k], [n] (`Legal`)
    probabilities = logs.exp()
    chosen = logs[legal.chosen(decisions.actions)]
    gain, _, moved = clipped_gain(chosen, decisions.logs, decisions.advantages, settings.clip)
    value_loss = torch.nn.functional.mse_loss(values, decisions.targets)
    entropy = -legal.sums(probabilities * logs).mean()
    loss = -gain.mean() + settings.value * value_loss - entropy_weight * entropy
    if decisions.magnet is not None:
        divergence = legal.sums(probabilities * (logs - decisions.magnet)).mean()
        loss = loss + settings.magnet * divergence
    return loss, torch.stack([entropy.detach(), value_loss.detach(), *moved])


def clipped_gain(
    new: Tensor, old: Tensor, advantages: Tensor, clip: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute PPO's objective of each decision from log probabilities and advantages, float32 [n].

    `new` is by the policy that learns, `old` by the one that played.

    Returns:
        The objective and the ratio of the probabilities, float32 [n] each, and without gradient
        the means of `kl` and `clipped` of `MEASURED`, float32 [2].
    """
    ratio = (new - old).exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    gain = torch.min(ratio * advantages, clipped * advantages)
    with torch.no_grad():
        moved = torch.stack([(old - new).mean(), (ratio != clipped).float().mean()])
    return gain, ratio, moved


def explained(targets: Tensor, values: np.ndarray) -> float:
    """Compute the share, at most 1, of the variance of targets [n] that values [n] explain."""
    error = float(((targets - torch.from_numpy(values)) ** 2).mean())
    return 1 - error / max(float(targets.var(correction=0)), 1e-9)
