"""Positions of Dou Dizhu, what agents play there, and what their hands cost."""

from typing import Any

import numpy as np
import pytest
from reference.doudizhu import PASS, ROCKET

from closedhand import Game, make_agent, make_game
from closedhand.agents.doudizhu.decompose import partition
from closedhand.games.doudizhu.counts import RANKS as RANK_LETTERS, pack, size
from closedhand.games.doudizhu.plays import CATEGORIES


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


def tactics(*cases: tuple[str, str, int, int, str]) -> pytest.MarkDecorator:
    """Parameters of a test: positions, as `position` takes them, and what is to be played there."""
    return pytest.mark.parametrize(("hands", "target", "owner", "player", "play"), cases)


def costs_against(others: str) -> np.ndarray:
    """The table of costs when the others hold these cards."""
    costs = np.empty((partition.ROWS, 15), np.int64)
    partition.set_costs(pack(others), costs)
    return costs


def as_tuple(game: Game, action: int) -> tuple[str, str, str]:
    """One of our action ids as the reference writes plays."""
    plays = game.rules.plays
    if action >= plays.number:
        return "word", game.text(action), ""
    group = plays.groups[plays.group[action]]
    family = plays.families[group.family]
    name = CATEGORIES[family.category].name
    if name == "pass":
        return PASS
    if name == "rocket":
        return ROCKET
    main = "".join(r for i, r in enumerate(RANK_LETTERS) if int(group.need) >> 4 * i & 15)
    left = int(plays.need[action]) - int(group.need)
    kickers = "".join(r * (left >> 4 * i & 15) for i, r in enumerate(RANK_LETTERS))
    return name, main, kickers
