"""Masked PPO in self-play, in one file: a network plays all seats and learns from all of them.

    python examples/self_play_ppo.py
    python examples/self_play_ppo.py --observation planes --steps 1000000

The loop is CleanRL's single-file PPO with a mask over the logits. Self-play adds `seat_advantages`:
a decision is credited with all rewards of its seat until the seat decides again. `--reward actor`
learns from the reward of each step instead, as a single-agent loop would. `--observation planes`
trains on thousands of numbers, not hundreds. In the end the network plays a duplicate match.
"""

import argparse
import time
from dataclasses import dataclass

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

from closedhand import Game, InputError
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.envs import seat_advantages

MASK = "action_mask"


@dataclass
class Settings:
    """Settings of a run; the parser takes names and defaults from here."""

    env: str = "closedhand/DouDizhu-v0"
    options: str = "substeps=True,objective=win"
    observation: str = "compact"
    reward: str = "seats"
    steps: int = 200_000
    games: int = 128
    rollout: int = 64
    width: int = 128
    epochs: int = 2
    minibatches: int = 8
    learning_rate: float = 1e-3
    entropy: float = 0.01
    clip: float = 0.2
    seed: int = 1
    opponent: str = "random"
    deals: int = 1000


class Net(nn.Module):
    """Two layers for a policy and a value."""

    def __init__(self, inputs: int, actions: int, width: int) -> None:
        """Make an untrained network."""
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy = nn.Linear(width, actions)
        self.value = nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Return the masked policy and values [n] of observations, int8 [n, inputs], and masks."""
        hidden = self.body(seen.float())
        logits = self.policy(hidden).masked_fill(mask == 0, -1e9)
        return Categorical(logits=logits, validate_args=False), self.value(hidden).squeeze(1)


def looked(observations: dict[str, np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return all parts of observations side by side, int8 [n, inputs], and the masks."""
    parts = [part.reshape(len(part), -1) for name, part in observations.items() if name != MASK]
    return torch.from_numpy(np.concatenate(parts, axis=1)), torch.from_numpy(observations[MASK])


def advantages_of(
    settings: Settings, rewards, actors, ends, values, last_values, last_actors
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute advantages and returns, float32 [steps, games]; NaN where there are none.

    `rewards` are [steps, games, seats], `last_values` and `last_actors` [games], the others
    [steps, games]; seats are int64, and `ends` says whether the step ended its game.
    """
    if settings.reward == "actor":
        # As in a single-agent loop, a step's successor is the next step, whoever acts.
        rewards = np.take_along_axis(rewards, actors[..., None], axis=2)
        actors, last_actors = np.zeros_like(actors), np.zeros_like(last_actors)
    found = seat_advantages(
        rewards, actors, ends, values, last_values=last_values, last_actors=last_actors
    )
    return torch.from_numpy(found[0]).float(), torch.from_numpy(found[1]).float()


def train(settings: Settings) -> tuple[Game, Net]:
    """Play, learn and print the progress; return the game and the trained network."""
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    envs = gymnasium.make_vec(
        settings.env,
        num_envs=settings.games,
        reward="seats",
        observation=settings.observation,
        autoreset_mode=AutoresetMode.SAME_STEP,
        **dict(option.split("=") for option in settings.options.split(",") if option),
    )
    game: Game = envs.unwrapped.game
    inputs = game.feature_size if settings.observation == "compact" else game.observation_size
    net = Net(inputs, game.num_actions, settings.width)
    optimiser = torch.optim.Adam(net.parameters(), settings.learning_rate, eps=1e-5)
    shape = settings.rollout, settings.games
    seen = torch.empty(*shape, inputs, dtype=torch.int8)
    masks = torch.empty(*shape, game.num_actions, dtype=torch.int8)
    actions, chances = torch.empty(shape, dtype=torch.int64), torch.empty(shape)
    rewards, values = np.empty((*shape, game.num_players)), np.empty(shape)
    actors, ends = np.empty(shape, np.int64), np.empty(shape, bool)

    observations, infos = envs.reset(seed=settings.seed)
    updates = max(1, settings.steps // (settings.rollout * settings.games))
    start = time.perf_counter()
    for update in range(updates):
        optimiser.param_groups[0]["lr"] = settings.learning_rate * (1 - update / updates)
        for t in range(settings.rollout):
            seen[t], masks[t] = looked(observations)
            with torch.no_grad():
                policy, value = net(seen[t], masks[t])
                actions[t] = policy.sample()
                chances[t] = policy.log_prob(actions[t])
            values[t] = value.numpy()
            observations, rewards[t], ends[t], _, infos = envs.step(actions[t].numpy())
            actors[t] = infos["actor"]
        with torch.no_grad():
            last_values = net(*looked(observations))[1].numpy()
        advantages, targets = advantages_of(
            settings, rewards, actors, ends, values, last_values, infos["current_player"]
        )
        rows = torch.nonzero(~advantages.flatten().isnan()).flatten()
        for _ in range(settings.epochs):
            for part in rows[torch.randperm(len(rows))].chunk(settings.minibatches):
                learn(settings, net, optimiser, part, seen, masks, actions, chances, advantages,
                      targets)  # fmt: skip
        if update % 10 == 9 or update == updates - 1:
            done = (update + 1) * settings.rollout * settings.games
            speed = done / (time.perf_counter() - start)
            length = ends.size / max(1, ends.sum())
            print(f"{done:,} steps, {speed:,.0f} a second, {length:.1f} steps a game", flush=True)
    envs.close()
    return game, net


def learn(
    settings: Settings, net: Net, optimiser, part, seen, masks, actions, chances, advantages,
    targets,
) -> None:  # fmt: skip
    """Take one step of PPO on the rows `part`, int64 indices into flattened [steps, games]."""
    policy, value = net(seen.flatten(0, 1)[part], masks.flatten(0, 1)[part])
    gain = advantages.flatten()[part]
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    ratio = (policy.log_prob(actions.flatten()[part]) - chances.flatten()[part]).exp()
    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    loss = (
        -torch.min(ratio * gain, clipped * gain).mean()
        + 0.5 * nn.functional.mse_loss(value, targets.flatten()[part])
        - settings.entropy * policy.entropy().mean()
    )
    optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimiser.step()


def judge(settings: Settings, game: Game, net: Net) -> float:
    """Play a duplicate match; print and return the share of games won, over both sides."""

    @torch.no_grad()
    def act(seen: np.ndarray | dict[str, np.ndarray], masks: np.ndarray) -> torch.Tensor:
        parts = seen if isinstance(seen, dict) else {"observation": seen}
        return net(*looked({**parts, MASK: masks}))[0].probs.argmax(1)

    learned = from_function(act, settings.observation, "learned")
    score = results.score(match.play(game, [learned, settings.opponent], settings.deals, seed=7))
    print(score)
    return score.won.mean


def main(arguments: list[str] | None = None) -> float:
    """Read the settings, train, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, default in vars(Settings()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default,
                            help=f"default: {default}")  # fmt: skip
    settings = Settings(**vars(parser.parse_args(arguments)))
    try:
        return judge(settings, *train(settings))
    except InputError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
