"""The agents that need no file, and games of theirs."""

import numpy as np

from closedhand import Game, make_agent
from closedhand.core import duel

AGENTS = {
    "doudizhu": ("random", "rule", "greedy", "decompose"),
    "uh_leduc": ("random", "equilibrium"),
    "leduc": ("random", "equilibrium"),
    "chinese_poker": ("random", "separable"),
    "daihinmin": ("random", "default", "min-sets", "trick-ender", "kou", "kou-tuned"),
}
"""The agents of each game that need no file."""

DETERMINISTIC = ("rule", "greedy", "decompose")


def games_of(game: Game, agents: list[str], number: int, seed: int = 0) -> np.ndarray:
    """The final states of games that the agents play, at the seats in turn."""
    rng = np.random.default_rng(seed)
    states = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    seats = np.arange(game.num_players) + np.arange(number)[:, None]
    players = [make_agent(game, agent, seed) for agent in agents]
    duel.play_out(game, states, seats % len(agents), players)
    return states
