"""Ladders of the matches in a folder: ratings with intervals, and the time of a decision."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any

from closedhand.arena import ladder
from closedhand.arena.results import shortened
from closedhand.core.game import Game
from closedhand.core.registry import make_game
from closedhand.web.json_numbers import DAMAGED, estimate_of, number_of

_Met = dict[frozenset[str], dict[str, Any]]
"""Results by the two agents that have met."""


def ladders_of(played: list[dict[str, Any]], about: dict[str, Any]) -> list[dict[str, Any]]:
    """Rate the matches of a folder wherever three agents or more have all met each other.

    `played` are results of matches, as their files hold them, the newest first; `about` has fields
    to add to every ladder. A ladder is for one game, version, options, seed and file of deals. If
    two agents have met several times, the latest match counts. If the files of an agent changed,
    only matches with its latest ones count. Damaged results and games that cannot be made are
    skipped.
    """
    groups: dict[str, _Met] = {}
    used: dict[tuple[str, str], str | None] = {}  # checksum of latest files, by group and agent
    for data in played:
        with suppress(*DAMAGED):
            _add(data, groups, used)
    found: list[dict[str, Any]] = []
    for pairs in groups.values():
        with suppress(Exception):  # a game may be third-party code, and raise anything
            found += _rated(pairs, about)
    return found


def _add(
    data: dict[str, Any], groups: dict[str, _Met], used: dict[tuple[str, str], str | None]
) -> None:
    """Add the pairs of a result to its group, except those of agents with other files."""
    key = str([data["game"], *map(data.get, ("version", "options", "seed", "deals_digest"))])
    for pair in data["pairs"]:
        one, other = pair["agents"]
        files = {agent: data.get("files", {}).get(agent) for agent in (one, other)}
        latest = [used.setdefault((key, agent), files[agent]) for agent in files]
        if latest == [*files.values()]:
            met = groups.setdefault(key, {})
            met.setdefault(frozenset(files), {**data, "pairs": [pair]})


def _rated(pairs: _Met, about: dict[str, Any]) -> list[dict[str, Any]]:
    """List a ladder of agents that have all met; none for fewer than three or an unranked game."""
    agents = _all_met(pairs)
    if len(agents) < 3:
        return []
    matches = [pairs[frozenset(pair)] for pair in combinations(agents, 2)]
    game = make_game(matches[0]["game"], **matches[0].get("options", {}))
    if not ladder.is_ranked(game):
        return []
    ids = tuple(id(data["pairs"][0]) for data in matches)
    rows = _rates(game, tuple(agents), _Same(ids, matches), int(matches[0]["seed"]))
    short = shortened(agents)
    return [
        {
            **about,
            "game": game.name,
            "deals": sorted({int(data["deals"]) for data in matches}),
            "agents": [
                {
                    "agent": short[row["agent"]],
                    "elo": estimate_of(row["elo"]),
                    "win_rate": number_of(row["win_rate"]),
                    "microseconds": number_of(row["microseconds_per_decision"]),
                }
                for row in rows
            ],
        }
    ]


@dataclass(frozen=True)
class _Same:
    """Matches compared by identity: a cache key, so that unchanged files are rated only once."""

    ids: tuple[int, ...]
    matches: list[dict[str, Any]] = field(compare=False)


@lru_cache(32)
def _rates(game: Game, agents: tuple[str, ...], matches: _Same, seed: int) -> list[dict[str, Any]]:
    pairs = [data["pairs"][0] for data in matches.matches]
    firsts = [first for first, _ in combinations(agents, 2)]  # a file may list the other first
    meetings = [
        ladder.meeting_of(game, pair, pair["agents"].index(first))
        for first, pair in zip(firsts, pairs, strict=True)
    ]
    return ladder.rate(agents, meetings, seed)


def _all_met(pairs: Iterable[frozenset[str]]) -> list[str]:
    """Find agents that have all met each other, in the order of their names.

    Begin with each agent and those that it has met, and drop the one with the most missing pairs
    until all left have met. The largest such group counts: three or more if any three have met.
    """
    met: dict[str, set[str]] = {}  # the agents that each has met, itself among them
    for pair in pairs:
        for agent in pair:
            met.setdefault(agent, set()).update(pair)
    return max((_without_gaps(met, met[agent]) for agent in sorted(met)), key=len, default=[])


def _without_gaps(met: dict[str, set[str]], agents: set[str]) -> list[str]:
    left = set(agents)
    while left:
        missing, worst = max((len(left - met[agent]), agent) for agent in left)
        if not missing:
            break
        left.remove(worst)
    return sorted(left)
