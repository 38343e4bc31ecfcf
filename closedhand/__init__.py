"""closedhand: hidden-hand card games for reinforcement learning."""

__version__ = "0.1.0"

from closedhand.envs.registration import register_all
from closedhand.games import GAMES, Game, InputError, make_game
from closedhand.games.agents import Agent, agent_names, make_agent

__all__ = ["GAMES", "Agent", "Game", "InputError", "agent_names", "make_agent", "make_game"]

register_all()
