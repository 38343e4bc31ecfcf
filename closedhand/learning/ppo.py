"""PPO with masks, in self-play, against agents, or against a pool of frozen selves.

The clipped objective of Schulman et al. (2017) over the legal actions. Each seat is credited with
what it is paid itself, whoever acts in between (`closedhand.envs.seatwise`). Two terms keep the
policy from chasing the weaknesses of its last opponent: a bonus for its entropy, and, as a magnet,
its divergence from the average of its own weights, as in magnetic mirror descent (Sokota et al.,
2023).
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch

from closedhand.core.options import Range
from closedhand.envs.seatwise import seat_advantages
from closedhand.learning.legal import Legal
from closedhand.learning.networks import PolicyValue
from closedhand.learning.selfplay import Choose, Wave
from closedhand.learning.training import DeepLearner, Settings


@dataclass(frozen=True, kw_only=True)
class PPOSettings(Settings):
    """Settings of PPO."""

    epochs: Annotated[int, Range(1, 100), "passes over the decisions of an update"] = 2
    clip: Annotated[float, Range(0, 10), "change of a probability at which it is clipped"] = 0.2
    gae_lambda: Annotated[float, Range(0, 1), "weight of longer estimates of advantages"] = 0.95
    entropy: Annotated[float, Range(0, 100), "weight of the entropy"] = 0.02
    magnet: Annotated[float, Range(0, 100), "weight of the divergence from the average"] = 0.0
    value: Annotated[float, Range(0, 100), "weight of the loss of the values"] = 0.5


class PPO(DeepLearner):
    """PPO at work."""

    name = "ppo"
    settings_type = PPOSettings
    settings: PPOSettings

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Play games, and pass over their decisions a few times."""
        wave = self.play(rng)
        advantages, targets = self.targets(wave)
        noted = torch.from_numpy(wave.notes[:, 0])
        seen, actions = torch.from_numpy(wave.observations), torch.from_numpy(wave.actions)
        legal = Legal.of(wave.masks)
        magnet = self.magnet(seen, legal) if self.settings.magnet else None
        sums = np.zeros(4)
        rows = len(actions)
        for _ in range(self.settings.epochs):
            order = torch.from_numpy(rng.permutation(rows))
            for part in order.split(self.settings.minibatch):
                places = legal.places(part)
                own = legal.take(part, places)
                logs, values = logs_and_values(self.network, seen[part], own)
                shares = logs.exp()
                entropy = -own.sums(shares * logs).mean()
                chosen = logs[own.chosen(actions[part])]
                ratio = (chosen - noted[part]).exp()
                near = ratio.clamp(1 - self.settings.clip, 1 + self.settings.clip)
                gain = advantages[part]
                value_loss = torch.nn.functional.mse_loss(values, targets[part])
                loss = (
                    -torch.min(ratio * gain, near * gain).mean()
                    + self.settings.value * value_loss
                    - self.settings.entropy * self.rate * entropy
                )
                if magnet is not None:
                    divergence = own.sums(shares * (logs - magnet[places])).mean()
                    loss = loss + self.settings.magnet * divergence
                self.take_step(loss)
                with torch.no_grad():
                    change = (noted[part] - chosen).mean()
                    clipped = (ratio != near).float().mean()
                    found = torch.stack([entropy, value_loss, change, clipped])
                    sums += len(part) * found.numpy()
        names = ("entropy", "value_loss", "kl", "clipped")
        means = (sums / (rows * self.settings.epochs)).tolist()
        explained = 1 - float(((targets - torch.from_numpy(wave.notes[:, 1])) ** 2).mean()) / max(
            float(targets.var(correction=0)), 1e-9
        )
        return {
            "reward": wave.reward,
            "explained_variance": explained,
            **dict(zip(names, means, strict=True)),
        }

    def chooser(self, states: np.ndarray, rng: np.random.Generator) -> Choose:
        """`choose` with a generator."""
        return lambda *seen: self.choose(rng, *seen)

    def choose(
        self, rng: np.random.Generator, observations: np.ndarray, masks: np.ndarray,
        seats: np.ndarray, games: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Actions drawn from the policy; noted are their log probabilities, and values."""
        with torch.inference_mode():
            legal = Legal.of(masks)
            logs, values = logs_and_values(self.acting, torch.from_numpy(observations), legal)
            drawn, _ = legal.draw(logs.double().exp(), torch.from_numpy(rng.random(len(masks))))
            return legal.actions[drawn].numpy(), torch.stack([logs[drawn], values], 1).numpy()

    def targets(self, wave: Wave) -> tuple[torch.Tensor, torch.Tensor]:
        """Normalised advantages, and targets of the values, float32 [rows]."""
        scale = self.scale.add(wave.returns)
        values = np.zeros(wave.actors.shape)
        acted = wave.actors >= 0
        values[acted] = wave.notes[:, 1]
        advantages, targets = seat_advantages(
            wave.rewards / scale, wave.actors, wave.ends, values,
            gae_lambda=self.settings.gae_lambda,
        )  # fmt: skip
        found = advantages[acted]
        found = (found - found.mean()) / (found.std() + 1e-8)
        return torch.from_numpy(found).float(), torch.from_numpy(targets[acted]).float()

    def magnet(self, seen: torch.Tensor, legal: Legal) -> torch.Tensor:
        """Log probabilities of the legal actions by the averaged policy, [k]."""
        with torch.inference_mode():
            logs = [
                logs_and_values(self.average, seen[part], legal.take(part, legal.places(part)))[0]
                for part in torch.arange(len(seen)).split(self.settings.minibatch)
            ]
            return torch.cat(logs)


def logs_and_values(
    network: PolicyValue, seen: torch.Tensor, legal: Legal
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log probabilities of the legal actions, [k], and values, [n], for observations."""
    logits, values = network.legal(seen.float(), legal.rows, legal.actions)
    return legal.log_softmax(logits), values
