"""closedhand: hidden-hand card games for reinforcement learning."""

from closedhand.core.agents import Agent, agent_names, make_agent
from closedhand.core.game import Game, InputError
from closedhand.core.registry import GAMES, GameSpec, make_game
from closedhand.core.version import __version__

try:
    from closedhand.envs.registration import register_game, register_games
except ModuleNotFoundError as error:
    # Games and agents need neither Gymnasium nor PettingZoo; making an env says which is missing.
    if error.name not in ("gymnasium", "pettingzoo"):
        raise
    from closedhand.core.registry import add_game as register_game, find_games as register_games

__all__ = [
    "GAMES",
    "Agent",
    "Game",
    "GameSpec",
    "InputError",
    "__version__",
    "agent_names",
    "make_agent",
    "make_game",
    "register_game",
]

register_games()  # last: specs of other packages may import all of the above
