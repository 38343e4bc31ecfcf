"""closedhand: hidden-hand card games for reinforcement learning."""

__version__ = "0.1.0"

from closedhand.core import moved as moved  # first: what follows may import by old names
from closedhand.core.agents import Agent, agent_names, make_agent
from closedhand.core.game import Game, InputError
from closedhand.core.registry import GAMES, GameSpec, make_game
from closedhand.envs.registration import register_all, register_game

__all__ = [
    "GAMES",
    "Agent",
    "Game",
    "GameSpec",
    "InputError",
    "agent_names",
    "make_agent",
    "make_game",
    "register_game",
]

register_all()
