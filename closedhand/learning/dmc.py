"""Deep Monte Carlo: values of actions, learned from the returns of whole games.

1. Play games. A seat takes the action of the greatest value, or sometimes a random legal one.
2. The target of a decision is the return of its seat from there to the end of the game, without
   bootstrapping.
3. Fit the value of the chosen action to the target by squared error. Each role has its network.

After Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning" (2021).
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch

from closedhand.core.options import Range
from closedhand.envs.seatwise import seat_returns
from closedhand.learning.features import Legal
from closedhand.learning.ppo import explained
from closedhand.learning.selfplay import Choose
from closedhand.learning.training import DeepLearner, GreedyTemperature, Settings


@dataclass(frozen=True, kw_only=True)
class DMCSettings(Settings):
    """Settings of Deep Monte Carlo."""

    epochs: Annotated[int, Range(1, 100), "passes over the decisions of an update"] = 2
    exploration: Annotated[float, Range(0, 1), "initial share of random actions"] = 0.1
    temperature: GreedyTemperature = 0.0


class DMC(DeepLearner[DMCSettings]):
    """Learner by deep Monte Carlo."""

    name = "dmc"
    settings_type = DMCSettings
    kind = "dueling"
    roles = True

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Play games, and fit the values of the actions to the returns."""
        wave = self.play(rng)
        earned = seat_returns(wave.rewards / self.scale.add(wave.returns), wave.actors, wave.ends)
        acted = wave.actors >= 0
        targets = torch.from_numpy(earned[acted]).float()
        seen, seats = torch.from_numpy(wave.observations), torch.from_numpy(wave.actors[acted])
        actions = torch.from_numpy(wave.actions)
        losses = 0.0
        for _ in range(self.settings.epochs):
            order = torch.from_numpy(rng.permutation(len(actions)))
            for part in order.split(self.settings.minibatch):
                # Only the action taken is listed as legal: no other value is needed.
                rows = torch.arange(len(part))
                taken = Legal(rows, actions[part], torch.ones_like(rows))
                values = self.network.scores(seen[part].float(), seats[part], taken)
                loss = torch.nn.functional.mse_loss(values, targets[part])
                self.take_step(loss)
                losses += len(part) * loss.item()
        return {
            "reward": wave.reward,
            "explained_variance": explained(targets, wave.notes[:, 0]),
            "loss": losses / (len(actions) * self.settings.epochs),
        }

    def chooser(self, rng: np.random.Generator) -> Choose:
        """Return a function that chooses actions, with their values as notes, float32 [n, 1].

        Each is the best or, with probability `exploration` times `rate`, a random legal one.
        """

        def choose(
            observations: np.ndarray, masks: np.ndarray, states: np.ndarray
        ) -> tuple[np.ndarray, np.ndarray]:
            legal, seen = Legal.of(masks), torch.from_numpy(observations).float()
            seats = torch.from_numpy(states["player"].astype(np.int64))
            with torch.inference_mode():
                values = self.acting.scores(seen, seats, legal)  # [k]
            actions = legal.actions[legal.best(values)]
            stray = np.flatnonzero(rng.random(len(masks)) < self.settings.exploration * self.rate)
            # The greatest of uniform numbers is a uniform choice; illegal actions get -1.
            draws = np.where(masks[stray] != 0, rng.random((len(stray), masks.shape[1])), -1.0)
            actions[stray] = torch.from_numpy(draws.argmax(axis=1))
            return actions.numpy(), values[legal.chosen(actions)][:, None].numpy()

        return choose
