"""The agents that need no file, and games of theirs."""

from typing import Any

import numpy as np

from closedhand import Game, make_agent, make_game
from closedhand.core import duel
from closedhand.games.doudizhu.counts import pack, size

AGENTS = {
    "doudizhu": ("random", "rule", "greedy", "decompose"),
    "uh_leduc": ("random", "equilibrium"),
    "leduc": ("random", "equilibrium"),
    "chinese_poker": ("random", "separable"),
    "daihinmin": ("random", "default", "min-sets", "trick-ender", "kou"),
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


def position(hands: str, target: str = "", owner: int = 2, player: int = 0, **options: Any) -> Any:
    """The view of `player` in a game in which the three seats hold these cards."""
    game = make_game("doudizhu", **options)
    state = game.deal(np.random.default_rng(0))
    held = [pack(hand) for hand in hands.split(";")]
    state.hands[:] = held
    state.left[:] = [size(hand) for hand in held]
    state.played[:] = 0
    # The public cards are among those that nobody holds any more.
    state.public = 0
    state.player = player
    state.owner = owner if target else player
    state.target = game.parse(target) if target else -1
    return game, game.view(state, player)


def choice(agent: str, hands: str, target: str = "", owner: int = 2, player: int = 0) -> str:
    """What an agent plays there, in the game's notation."""
    game, view = position(hands, target, owner, player)
    action = make_agent(game, agent).act(view)
    assert action in game.legal(view)
    return game.text(action)
