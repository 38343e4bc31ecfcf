"""Every agent plays as recorded, unless its play is changed on purpose.

Run as a program, this file records the play of today.
"""

import hashlib
import json

import numpy as np
import pytest
from support import DATA

from closedhand import make_agent, make_game

FILE = DATA / "play.json"
GAMES = 8

# Agents whose play depends on nothing but seeds: neither on a clock nor on how a machine rounds.
AGENTS = [
    *[("chinese_poker", agent) for agent in ("random", "separable", "rescored")],
    *[("daihinmin", agent) for agent in ("random", "default", "kou", "kou[letter=1]", "min-sets")],
    *[("daihinmin", agent) for agent in ("trick-ender", "policy", "policy-search:20")],
    *[("doudizhu", agent) for agent in ("random", "rule", "rule[partner=beat]", "greedy")],
    *[("doudizhu", agent) for agent in ("decompose", "value-net", "search:20")],
    *[("doudizhu objective=win", agent) for agent in ("value-net", "value-search:20")],
    ("uh_leduc", "random"),
]


def play_of(name: str, text: str) -> str:
    """A digest of some games of an agent against itself."""
    name, *options = name.split()
    game = make_game(name, **dict(option.split("=") for option in options))
    agent, rng = make_agent(game, text, seed=1), np.random.default_rng(2)
    moves: list[int] = []
    for _ in range(GAMES):
        state = game.deal(rng)
        while not game.over(state):
            action = int(agent.act(game.view(state, int(state["player"]))))
            game.play(state, action)
            moves.append(action)
    return hashlib.sha256(" ".join(map(str, moves)).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("game", "agent"), AGENTS)
def test_an_agent_plays_as_recorded(game: str, agent: str) -> None:
    assert play_of(game, agent) == json.loads(FILE.read_text())[f"{game} {agent}"]


def record() -> None:
    """Write the play of all agents."""
    played = {f"{game} {agent}": play_of(game, agent) for game, agent in AGENTS}
    FILE.write_text(json.dumps(played, indent=1) + "\n")


if __name__ == "__main__":
    record()
