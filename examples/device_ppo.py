"""A custom PPO loop on tensors: games, network and learning on one device.

    python examples/device_ppo.py --device cuda --games 16384 --updates 200

The defaults suit a CPU: `--device cpu --games 64 --updates 20`.
"""

import argparse

import gymnasium
import torch
from torch import nn

import closedhand  # noqa: F401  (registers the envs)


def main(game: str, device: str, games: int, updates: int, steps: int = 32) -> float:
    """Learn; return the mean points per game in the rollout of the last update."""
    envs = gymnasium.make_vec(
        game, num_envs=games, device=device, observation="compact", opponents="random"
    )
    seen, _ = envs.reset(seed=1)
    inputs, actions = seen["observation"].shape[1], seen["action_mask"].shape[1]
    network = nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, actions + 1))
    network.to(device)
    optimiser = torch.optim.Adam(network.parameters(), 3e-3)

    def policy(observation, mask):
        out = network(observation.float())
        logits = out[:, :-1].masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits), out[:, -1]

    won = 0.0
    for update in range(updates):
        rows = []
        for _ in range(steps):
            with torch.no_grad():
                chances, values = policy(seen["observation"], seen["action_mask"])
                chosen = chances.sample()
            kept = seen["observation"].clone(), seen["action_mask"].clone()
            seen, rewards, ended, _, _ = envs.step(chosen)
            rows.append((*kept, chosen, chances.log_prob(chosen), values,
                         rewards.float(), ended.clone()))  # fmt: skip
        observations, masks, chosen, logs, values, rewards, ended = map(
            torch.stack, zip(*rows, strict=True)
        )
        with torch.no_grad():  # returns to the game's end, or bootstrapped at the rollout's end
            following = policy(seen["observation"], seen["action_mask"])[1]
            returns = torch.zeros_like(rewards)
            for t in reversed(range(steps)):
                following = rewards[t] + following * ~ended[t]
                returns[t] = following
        gains = returns - values
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        for _ in range(4):
            chances, values = policy(observations.flatten(0, 1), masks.flatten(0, 1))
            ratio = (chances.log_prob(chosen.flatten()) - logs.flatten()).exp()
            gain = torch.min(ratio * gains.flatten(), ratio.clamp(0.8, 1.2) * gains.flatten())
            error = nn.functional.mse_loss(values, returns.flatten())
            loss = error - gain.mean() - 0.01 * chances.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        won = float(rewards.sum() / ended.sum().clamp(min=1))
        print(f"update {update}: {won:+.2f} points a game against random")
    return won


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="closedhand/Leduc-v0")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--updates", type=int, default=20)
    main(**vars(parser.parse_args()))
