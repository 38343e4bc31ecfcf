"""An agent plays on as it has played, or states the version since which it does not.

Run as a program, this file records the play of today. It refuses to do so for an agent that plays
otherwise than recorded and does not say so (`Traits.since`): results that earlier versions began
would be continued by another agent of the same name.
"""

import hashlib
import json

import numpy as np
import pytest
from support import DATA

from closedhand import __version__, make_agent, make_game
from closedhand.core.agents import traits_of

FILE = DATA / "play.json"
GAMES = 8

# Agents whose play depends on nothing but seeds: neither on a clock nor on how a machine rounds.
AGENTS = [
    *[("chinese_poker", agent) for agent in ("random", "separable", "rescored")],
    *[("daihinmin", agent) for agent in ("random", "default", "kou", "kou-tuned", "min-sets")],
    *[("daihinmin", agent) for agent in ("trick-ender", "policy", "policy-search:20")],
    *[("doudizhu", agent) for agent in ("random", "rule", "rule[partner=beat]", "greedy")],
    *[("doudizhu", agent) for agent in ("decompose", "value-net", "search:20")],
    *[("doudizhu objective=win", agent) for agent in ("value-net", "value-search:20")],
    ("uh_leduc", "random"),
]


def play_of(name: str, text: str) -> dict[str, str]:
    """A digest of some games of an agent against itself, and since when it plays so."""
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
    digest = hashlib.sha256(" ".join(map(str, moves)).encode()).hexdigest()[:16]
    return {"play": digest, "since": traits_of(game, text).since}


@pytest.mark.parametrize(("game", "agent"), AGENTS)
def test_an_agent_plays_as_recorded(game: str, agent: str) -> None:
    assert play_of(game, agent) == json.loads(FILE.read_text())[f"{game} {agent}"]


def record() -> None:
    """Write the play of all agents; one that has changed says so by its `since`."""
    old = json.loads(FILE.read_text()) if FILE.exists() else {}
    new = {f"{game} {agent}": play_of(game, agent) for game, agent in AGENTS}
    for name, found in new.items():
        if found["play"] != old.get(name, found)["play"] and found["since"] != __version__:
            raise SystemExit(f"{name} plays otherwise: its traits must say since={__version__!r}")
    FILE.write_text(json.dumps(new, indent=1) + "\n")


if __name__ == "__main__":
    record()
