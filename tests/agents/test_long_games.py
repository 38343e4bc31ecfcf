"""Agents play games whose options lengthen hands, decks, rounds, and the number of players.

Kernels trust the sizes of their arrays. `make bounds` runs this with every index checked.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.arena import match

DAIHINMIN: list[dict[str, Any]] = [
    {"players": 3, "classes": "random", "seven_give": True, "capital_fall": True},
    {"players": 3, "classes": "random", "ten_discard": True, "jack_back": True, "rounds": 2},
    {"players": 3, "classes": "random", "seven_give": True, "actions": "card_sets"},
    {"players": 3, "jokers": 2, "classes": "random", "seven_give": True},
    {"classes": "random", "seven_give": True, "ten_discard": True, "jack_back": True, "rounds": 2},
    {"jokers": 2, "classes": "random", "seven_give": True, "capital_fall": True},
    {"players": 6, "rounds": 3, "class_period": 2, "six_reverse": True, "five_skip": True},
]
DOUDIZHU: list[dict[str, Any]] = [
    {"rules": "two_players", "doubling": True, "open_hand": True},
    {"bidding": True, "robbing": True, "doubling": True, "open_hand": True},
    {"rules": "rlcard", "spring": True},
    {"rules": "deeprocket", "substeps": True, "bidding": True},
]
CHINESE_POKER: list[dict[str, Any]] = [
    {"players": 4, "fouls": True, "naturals": True, "royalties": True},
    {"players": 3, "rules": "1-6", "substeps": True},
]
LEDUC: list[dict[str, Any]] = [{}]

AGENTS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "daihinmin": (
        DAIHINMIN,
        [
            "default", "kou", "kou[letter=1]", "min-sets", "trick-ender", "policy",
            "monte-carlo:20", "policy-search:20",
        ],
    ),
    "doudizhu": (
        DOUDIZHU,
        [
            "rule", "greedy", "decompose", "value-net", "value-search:20", "search:20", "bids",
        ],
    ),
    "chinese_poker": (CHINESE_POKER, ["separable", "rescored"]),
    "leduc": (LEDUC, ["equilibrium"]),
    "uh_leduc": (LEDUC, ["equilibrium"]),
}  # fmt: skip
"""Options and agents by game; an agent that does not know the rules says so, and is left out."""


def pairs() -> Iterator[Any]:
    for name, (variants, agents) in AGENTS.items():
        for number, options in enumerate(variants):
            for agent in agents:
                yield pytest.param(name, options, agent, id=f"{name}-{number}-{agent}")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "agent"), list(pairs()))
def test_an_agent_plays_games_of_any_length(name: str, options: dict[str, Any], agent: str) -> None:
    game = make_game(name, **options)
    try:
        make_agent(game, agent)
    except InputError as error:
        pytest.skip(str(error))
    deals = 2 if ":" in agent else 30
    for other in ("random", agent):
        played = match.play(game, [agent, other], deals, seed=3)
        assert played.deals == deals
