"""The agents that need no file, and games of theirs."""

from typing import Any

import numpy as np

from closedhand import Game, make_agent
from closedhand.core import duplicate

AGENTS = {
    "doudizhu": ("random", "rule", "greedy", "value-net", "decompose"),
    "uh_leduc": ("random", "equilibrium"),
    "leduc": ("random", "equilibrium"),
    "chinese_poker": ("random", "separable"),
    "daihinmin": ("random", "default", "min-sets", "trick-ender", "kou", "policy"),
}
"""The agents of each game that need no file."""

REFUSED: dict[tuple[str, Any], tuple[str, ...]] = {
    ("rules", "two_players"): ("value-net",),
    ("seven_give", True): ("min-sets", "policy"),
    ("ten_discard", True): ("min-sets", "policy"),
    ("jokers", 2): ("min-sets", "trick-ender", "kou", "policy"),
    ("players", 3): ("policy",),
    ("players", 4): ("policy",),
    ("players", 6): ("policy",),
}
"""Agents that refuse a game with an option."""

DETERMINISTIC = ("rule", "greedy", "value-net", "decompose")


def agents_of(name: str, options: dict[str, Any]) -> list[str]:
    """The agents that need no file and play a variant of a game."""
    refused = {agent for option in options.items() for agent in REFUSED.get(option, ())}
    return [agent for agent in AGENTS[name] if agent not in refused]


def games_of(game: Game, agents: list[str], number: int, seed: int = 0) -> np.ndarray:
    """The final states of games that the agents play, at the seats in turn."""
    rng = np.random.default_rng(seed)
    states = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    seats = np.arange(game.num_players) + np.arange(number)[:, None]
    players = [make_agent(game, agent, seed) for agent in agents]
    duplicate.play_out(game, states, seats % len(agents), players)
    return states
