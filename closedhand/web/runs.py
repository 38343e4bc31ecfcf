"""Results in a folder of runs, as JSON data: matches, leagues, ladders and learning curves."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from closedhand.arena import ladder
from closedhand.arena.results import columns_of, shortened
from closedhand.core.game import Game, InputError
from closedhand.core.parsing import NATURAL
from closedhand.core.reading import json_in, read_arrays, read_json
from closedhand.core.registry import make_game
from closedhand.web.serialization import number_of

MOST_FILES = 300
"""Most files of a kind that are read, the newest first."""
DEPTH = 3
"""Levels of folders that are searched."""
LIVE = 90.0
"""A file counts as still being written for so many seconds after its last change."""
AXES = ("decisions", "iterations", "steps", "games", "seconds")
"""Possible horizontal axes of curves: the first of these that a history has is taken."""
MOST_POINTS = 400
"""Most points of a curve that are sent."""
CHECKPOINTS = ("learner.npz", "checkpoint.npz")
"""Names of checkpoints with a history, shown unless a JSON file in the folder has a curve."""
METADATA = ("settings", "history")
DAMAGED = (ArithmeticError, LookupError, TypeError, AttributeError, ValueError)
"""Errors of a function that reads unchecked data from a file."""

_Met = dict[frozenset[str], dict[str, Any]]
"""Results by the two agents that have met."""


def everything_in(folder: Path | None, tables: Collection[str] = ()) -> dict[str, Any]:
    """Read `results`, `ladders` and `curves`, the newest first; all are empty without a folder.

    Files of saved `tables`, given by id, are left out: they would count among the `MOST_FILES`.
    """
    found: dict[str, Any] = {"results": [], "ladders": [], "curves": []}
    if folder is None or not folder.is_dir():
        return found
    matches: dict[Path, list[dict[str, Any]]] = {}
    for path, about, state in _newest(folder, "json", tables):
        data = _kept(path, state, read_json)
        # A file is finished if `interrupted` is false, or absent in a file with a `curve`.
        about["live"] = about["live"] and bool(data.get("interrupted", "curve" not in data))
        with suppress(*DAMAGED):
            found["results"] += _results(data, about)
        with suppress(*DAMAGED):
            found["curves"] += _curves(data, about)
        if "pairs" in data and "deals" in data:
            matches.setdefault(path.parent, []).append(data)
    shown = {(folder / curve["file"]).parent for curve in found["curves"]}
    for path, about, state in _newest(folder, "npz"):
        if path.name in CHECKPOINTS and path.parent not in shown:
            data = _kept(path, state, _metadata_of)
            with suppress(*DAMAGED):
                found["curves"] += _curves(data, about)
    for place, played in matches.items():
        found["ladders"] += ladders_of(played, {"file": str(place.relative_to(folder))})
    return found


def _newest(
    folder: Path, kind: str, others: Collection[str] = ()
) -> Iterator[tuple[Path, dict[str, Any], tuple[int, int]]]:
    """Yield the newest files with the suffix `kind`, except those with a stem in `others`.

    An item is the path, the description for the page, and the time in ns and size in bytes.
    """
    found: list[tuple[Path, tuple[int, int]]] = []
    for depth in range(DEPTH):
        for path in folder.glob("/".join(["*"] * depth + [f"*.{kind}"])):
            try:
                if path.stem not in others and path.is_file():
                    found.append((path, (path.stat().st_mtime_ns, path.stat().st_size)))
            except OSError:  # deleted meanwhile
                continue
    for path, state in sorted(found, key=lambda each: -each[1][0])[:MOST_FILES]:
        # `abs`: a file dated in the future, as the clock was set back, does not count as live.
        is_live = abs(time.time() - state[0] / 1e9) < LIVE
        yield path, {"file": str(path.relative_to(folder)), "live": is_live}, state


@lru_cache(2 * MOST_FILES)
def _kept(
    path: Path, state: tuple[int, int], read: Callable[[Path], dict[str, Any]]
) -> dict[str, Any]:
    """Read a file, again only when its time or size, `state`, changes; empty if it is damaged."""
    try:
        return read(path)
    except InputError:
        return {}


def _metadata_of(path: Path) -> dict[str, Any]:
    arrays = read_arrays(path, METADATA)
    return {name: json_in(arrays, name) for name in METADATA if name in arrays}


def _results(data: Mapping[str, Any], about: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an entry for each pair of agents of a match, or one for a league; else none.

    `data`, unchecked, is from `arena.results.summary` or `arena.league.summary`; `about` is added
    to every entry. `gap` is the points of the first agent less those of the second, `[mean, low,
    high]`; in a league it is None, and `agents` is empty.
    """
    if not isinstance(data.get("game"), str):
        return []
    deals = data.get("deals")
    about = {**about, "game": data["game"], "deals": deals if NATURAL.holds(deals) else None}
    if "pairs" in data:
        names = shortened(str(agent) for pair in data["pairs"] for agent in pair["agents"])
        return [
            {**about, "agents": [names[str(agent)] for agent in pair["agents"]],
             "rows": [_row(row, names) for row in pair["results"]],
             "gap": estimate_of(pair["difference"]["all"])}
            for pair in data["pairs"]
        ]  # fmt: skip
    if "results" in data:
        names = shortened(str(row["agent"]) for row in data["results"])
        rows = [_row(row, names) for row in data["results"]]
        return [{**about, "agents": [], "rows": rows, "gap": None}]
    return []


def _row(row: Any, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "agent": names[str(row["agent"])],
        "role": str(row.get("role", "")),
        "points": estimate_of(row["points"]),
        "columns": {name: estimate_of(each) for name, each in columns_of(row).items()},
    }


def _curves(data: Mapping[str, Any], about: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the curve of a training or solver, or one for each of histories by name; else none."""
    if isinstance(data.get("curve"), list):  # of a solver
        return [_curve(data["curve"], about, data)]
    if isinstance(data.get("history"), list):
        return [_curve(data["history"], about, data["settings"])]
    if data and all(isinstance(each, list) for each in data.values()):
        return [_curve(each, {**about, "algorithm": name}, {}) for name, each in data.items()]
    return []


def _curve(
    history: list[Any], about: dict[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Convert a history to lines: points `[x, mean, low, high]` by name of the quantity."""
    (axis, *_) = [name for name in AXES if name in history[-1]]
    thinned = history[:: -(-len(history) // MOST_POINTS)]
    if thinned[-1] is not history[-1]:
        thinned.append(history[-1])
    lines: dict[str, list[list[float | None]]] = {}
    for entry in thinned:
        for name, estimate in _numbers(entry):
            point = [number_of(entry[axis]), *estimate]
            if name not in AXES and None not in point[:2]:
                lines.setdefault(name, []).append(point)
    named = {name: str(settings[name]) for name in ("game", "algorithm") if name in settings}
    seconds = number_of(history[-1].get("seconds"))
    return {**about, **named, "axis": axis, "lines": lines, "seconds": seconds}


def _numbers(entry: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, list[Any]]]:
    """Yield a name, such as `outer/inner`, and `[mean, low, high]` for all numbers in an object.

    A list of three numbers is such an estimate; a single number has None for the ends.
    """
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{before}{key}/")
        elif isinstance(value, list) and len(value) == 3:
            yield f"{before}{key}", [number_of(each) for each in value]
        elif isinstance(value, int | float):
            yield f"{before}{key}", [number_of(value), None, None]


def estimate_of(found: Any) -> list[float | None]:
    """Read `[mean, low, high]` from an estimate in a file; ends that are not finite become None.

    Raises:
        LookupError, TypeError, ValueError: A key is missing, or the mean is not a finite number.
    """
    mean, low, high = (number_of(found[key]) for key in ("mean", "low", "high"))
    if mean is None:
        raise ValueError("an estimate without a mean")
    return [mean, low, high]


def ladders_of(played: list[dict[str, Any]], about: dict[str, Any]) -> list[dict[str, Any]]:
    """Rate the matches of a folder wherever three agents or more have all met each other.

    `played` are results of matches, as their files hold them, the newest first; `about` has fields
    to add to every ladder. A ladder is for one game, version, options, seed and file of deals. If
    two agents have met several times, the latest match counts. If the files of an agent changed,
    only matches with the latest files count. Damaged results and games unknown here are skipped.
    """
    groups: dict[str, _Met] = {}
    used: dict[tuple[str, str], str | None] = {}  # checksum of latest files, by group and agent
    for data in played:
        with suppress(*DAMAGED):
            _add_pairs(data, groups, used)
    found: list[dict[str, Any]] = []
    for pairs in groups.values():
        with suppress(Exception):  # a game may be third-party code, and raise anything
            found += _rated(pairs, about)
    return found


def _add_pairs(
    data: dict[str, Any], groups: dict[str, _Met], used: dict[tuple[str, str], str | None]
) -> None:
    """Add a result's pairs to its group, but none of an agent whose files have changed since."""
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
    places = [pair["agents"].index(first) for first, pair in zip(firsts, pairs, strict=True)]
    return ladder.rate(game, agents, list(zip(pairs, places, strict=True)), seed)


def _all_met(pairs: Iterable[frozenset[str]]) -> list[str]:
    """Find agents that have all met each other, in the order of their names.

    For each agent, begin with all that it has met, and drop the one with the most missing pairs
    until all left have met. Return the largest group: three agents or more if any three have met.
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
