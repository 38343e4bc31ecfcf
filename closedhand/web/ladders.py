"""Ladders of the matches in a folder: ratings with intervals, and the time of a decision."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from closedhand.arena import ladder
from closedhand.arena.results import shortened
from closedhand.core.game import Game
from closedhand.core.registry import make_game
from closedhand.web.json_numbers import estimate_of, number_of


def ladders_of(played: list[dict[str, Any]], about: dict[str, Any]) -> list[dict[str, Any]]:
    """Rate the matches of a folder wherever three agents or more have all met each other.

    Args:
        played: Results of matches, as their files hold them, the newest first: of two agents that
            have met several times the latest match counts.
        about: Fields to add to every ladder.

    Returns:
        One ladder for each game, options and seed.
    """
    groups: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    for data in played:
        key = str([data["game"], data.get("options"), data.get("seed")])
        for pair in data["pairs"]:
            met = groups.setdefault(key, {})
            met.setdefault(tuple(pair["agents"]), {**data, "pairs": [pair]})
    return [found for pairs in groups.values() for found in _rated(pairs, about)]


def _rated(
    pairs: dict[tuple[str, str], dict[str, Any]], about: dict[str, Any]
) -> list[dict[str, Any]]:
    agents = _all_met(set(pairs))
    if len(agents) < 3:
        return []
    matches = [pairs[a, b] for i, a in enumerate(agents) for b in agents[i + 1 :]]
    game = make_game(matches[0]["game"], **matches[0].get("options", {}))
    ids = tuple(id(data["pairs"][0]) for data in matches)
    found = _summary(game, tuple(agents), _Same(ids, matches), int(matches[0]["seed"]))
    return [
        {
            **about,
            "game": game.name,
            "deals": sorted({int(data["deals"]) for data in matches}),
            "misfit": number_of(found["misfit"]),
            "agents": [
                {
                    "agent": shortened(row["agent"]),
                    "elo": estimate_of(row["elo"]),
                    "win_rate": number_of(row["win_rate"]),
                    "microseconds": number_of(row["microseconds_per_decision"]),
                }
                for row in found["agents"]
            ],
        }
    ]


@dataclass(frozen=True)
class _Same:
    """Matches compared by identity: a cache key, so that unchanged files are rated only once."""

    ids: tuple[int, ...]
    matches: list[dict[str, Any]] = field(compare=False)


@lru_cache(32)
def _summary(game: Game, agents: tuple[str, ...], matches: _Same, seed: int) -> dict[str, Any]:
    return ladder.summary(game, agents, matches.matches, seed)


def _all_met(pairs: set[tuple[str, str]]) -> list[str]:
    """Find agents that have all met each other, by dropping those with the most missing pairs.

    A pair has the two agents in the order of the matches.
    """
    agents = sorted(
        {agent for pair in pairs for agent in pair},
        key=lambda agent: -sum(first == agent for first, _ in pairs),
    )
    while agents:
        missing = {
            agent: sum(
                (a, b) not in pairs
                for i, a in enumerate(agents)
                for b in agents[i + 1 :]
                if agent in (a, b)
            )
            for agent in agents
        }
        worst = max(agents, key=lambda agent: missing[agent])
        if not missing[worst]:
            break
        agents.remove(worst)
    return agents
