"""Results of matches: win rates, points and differences with intervals, and their files."""

import csv
import json
import math
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain, combinations, count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.arena.match import Match
from closedhand.core.agents import SPENT
from closedhand.core.duplicate import Chunk, Spec, match_settings, parse_all, tables
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.reading import load_json
from closedhand.core.registry import GAMES, load as load_ref
from closedhand.core.run import check_same
from closedhand.core.statistics import Estimate, shares, student, wins
from closedhand.learning.evaluation import score_of

ALL = "all"
"""Name of the role that stands for all roles together."""
MOST_SHOWN, MOST_PLAIN = 22, 14
"""Usual maximum length of a shortened name, and that of the agent's plain name within it."""


def shortened(names: Iterable[str]) -> dict[str, str]:
    """Shorten the agents' names of a table or plot: keep the plain name and the end of each.

    If two would be equal, all get more characters than `MOST_SHOWN`, until none are.

    Examples:
        >>> [*shortened(["greedy", "policy-search[threads=1]:100ms"]).values()]
        ['greedy', 'policy-search…1]:100ms']
        >>> [*shortened([f"strategy:runs/{name}/strategy.npz" for name in ("cfr", "lp")]).values()]
        ['strategy…uns/cfr/strategy.npz', 'strategy…runs/lp/strategy.npz']
    """
    whole, most = dict.fromkeys(names), MOST_SHOWN
    while len(short := {name: _short(name, most) for name in whole}) > len({*short.values()}):
        most += 8
    return short


def _short(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    plain = re.split(r"[\[:]", name)[0][:MOST_PLAIN]
    return f"{plain}…{name[len(plain) + 1 - most :]}"


def labels(agents: Sequence[str]) -> tuple[str, ...]:
    """Make names unique: repeated ones get a number as a suffix.

    Examples:
        >>> labels(["rule", "greedy", "rule"])
        ('rule', 'greedy', 'rule-2')
    """
    found: list[str] = []
    for name in agents:
        numbered = chain([name], (f"{name}-{i}" for i in count(2)))
        found.append(next(label for label in numbered if label not in found))
    return tuple(found)


def columns_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns to show: the game's own, else the win rate, if known, and the points."""
    won = {"win rate": row["win_rate"]} if row.get("win_rate") else {}
    return row.get("columns") or {**won, "points": row["points"]}


def role_names(game: Game) -> list[str]:
    """Name the sides: the distinct roles of their seats, joined by `+`, made unique by `labels`."""
    seats = list(zip(game.roles, game.sides, strict=True))
    names = [
        "+".join(dict.fromkeys(role for role, own in seats if own == side))
        for side in sorted(set(game.sides))
    ]
    return [*labels(names)]


def points(game: Game, returns: np.ndarray, agent: int) -> np.ndarray:
    """Sum an agent's payoffs on each side, at the table where it plays that side and no other.

    `agent` is 0 or 1, and `returns` has all payoffs, [deals, tables, seats]. The result is float64
    [deals, sides].
    """
    seatings = tables(game.sides)
    columns = []
    for side in sorted(set(game.sides)):
        own = [seat_side == side for seat_side in game.sides]
        table = seatings.index(tuple(agent if mine else 1 - agent for mine in own))
        columns.append(returns[:, table, own].sum(axis=1))
    return np.stack(columns, axis=1)


def summary(match: Match) -> dict[str, Any]:
    """Summarise a match as JSON data.

    Points are per game: summed over all seats of a role, and for the role `all` the mean over the
    roles. Intervals are 95% intervals.

    Returns:
        Settings, and in `pairs` for every pairing:

        - `results`: by agent and role, points, the `columns` of the game's spec, and `win_rate`,
          which is None where no payoff is a loss;
        - `difference`: by role, points of the first agent minus the second's on the same deals;
        - times: decisions, seconds, and the total cost of searches (`spent`);
        - `returns`: payoffs by deal, table and seat.
    """
    pairings = combinations(labels(match.names), 2)
    return {
        **match_settings(match.game, match.agents, match.seed),
        "deals": match.deals,
        "deals_digest": match.digest,
        "interrupted": match.interrupted,
        "tables": tables(match.game.sides),
        "pairs": [
            _pair_summary(match.game, names, chunk)
            for names, chunk in zip(pairings, match.pairs, strict=True)
        ],
    }


class Score(NamedTuple):
    """Score of the first agent of a match against the second, over all roles; prints as a line.

    Attributes:
        won: Share of games won, with its 95% interval; None where no payoff is a loss.
        points: Points a game, as in `summary`, with their 95% interval.
    """

    agents: tuple[str, str]
    won: Estimate | None
    points: Estimate
    deals: int

    def __str__(self) -> str:
        names = shortened(self.agents)
        own, other = (names[agent] for agent in self.agents)
        mean, ends = self.points.cells("+.3f")
        won = f"won {self.won.text('.1%')}, " if self.won else ""
        return (
            f"{own} against {other}: {won}{mean} points a game ({ends}), "
            f"{self.deals:,} duplicate deals"
        )


def score(match: Match) -> Score:
    """Compute the score of the first two agents of a match."""
    found = score_of(match.game, points(match.game, match.pairs[0].returns, 0))
    first, second, *_ = labels(match.names)
    return Score((first, second), found.won, found.points, match.deals)


def _pair_summary(game: Game, names: tuple[str, str], chunk: Chunk) -> dict[str, Any]:
    """Summarise a pairing; its results are those of the first agent by role, then the second's."""
    roles = [*role_names(game), ALL]
    each = [points(game, chunk.returns, agent) for agent in (0, 1)]
    by_agent = [_with_mean(own) for own in each]
    # Estimates by agent and role. A column equal to the win rate gets an interval of `shares`.
    scores = [student(own) for own in by_agent]
    win_rates = [shares(_with_mean(wins(own))) for own in each]
    columns = {
        column: [
            win_rates[i] if np.array_equal(own, wins(each[i])) else student(_with_mean(own))
            for i, own in enumerate(pair)
        ]
        for column, pair in measures(game, each).items()
    }
    difference = student(by_agent[0] - by_agent[1])
    return {
        "agents": [*names],
        "results": [
            {
                "agent": name,
                "role": role,
                "win_rate": rounded(win_rates[agent][i]) if game.can_lose else None,
                "points": rounded(scores[agent][i]),
                "columns": {column: rounded(found[agent][i]) for column, found in columns.items()},
            }
            for agent, name in enumerate(names)
            for i, role in enumerate(roles)
        ],
        "difference": dict(zip(roles, map(rounded, difference), strict=True)),
        **times(chunk),
        "returns": shorter(chunk.returns.tolist()),
    }


def measures(game: Game, by_agent: Sequence[np.ndarray]) -> dict[str, list[np.ndarray]]:
    """Compute the columns of a game's spec from payoffs of each agent, float64 [deals, sides].

    Return such arrays by column and agent, without columns that are None under the game's options.
    """
    columns = GAMES[game.name].columns if game.name in GAMES else {}
    found = {name: [load_ref(ref)(game, own) for own in by_agent] for name, ref in columns.items()}
    return {name: own for name, own in found.items() if all(each is not None for each in own)}


def times(chunk: Chunk) -> dict[str, Any]:
    """Convert decisions, times and costs of searches to JSON data, lists by agent.

    An entry of `spent` is None for an agent that did not search.
    """
    return {
        "decisions": chunk.decisions.tolist(),
        "seconds": [round(float(s), 6) for s in chunk.seconds],
        "microseconds_per_decision": [*map(microseconds, chunk.seconds, chunk.decisions)],
        "spent": [
            dict(zip(SPENT, row, strict=True)) if row[0] else None
            for row in chunk.spent.round(6).tolist()
        ],
    }


def microseconds(seconds: float, decisions: int) -> float | None:
    """Divide the time of some decisions by their number, in microseconds; None without any."""
    return round(float(1e6 * seconds / decisions), 3) if decisions else None


def _with_mean(columns: np.ndarray) -> np.ndarray:
    return np.concatenate([columns, columns.mean(axis=1, keepdims=True)], axis=1)


def rounded(estimate: Estimate) -> dict[str, float | None]:
    """Convert an estimate to JSON data; NaN, for no interval, becomes None."""
    return {
        name: None if math.isnan(value) else round(value, 6)
        for name, value in estimate._asdict().items()
    }


def shorter(values: Any) -> Any:
    """Convert integral floats in nested lists to integers, which makes shorter JSON."""
    if isinstance(values, list):
        return [shorter(value) for value in values]
    return int(values) if values == int(values) else values


def save(path: Path, data: dict[str, Any]) -> None:
    """Write a summary as JSON; the file appears complete or not at all."""
    write_atomically(path, json.dumps(data, separators=(",", ":"), allow_nan=False) + "\n")


def load(
    path: Path, game: Game, agents: Sequence[Spec], seed: int, digest: str | None = None
) -> Match:
    """Read a match, to resume it, from a file that `save` wrote.

    `digest` is the checksum of the file of its deals; None: the deals are those of the seed.

    Raises:
        InputError: The file cannot be read, or was played with other settings.
    """
    players = parse_all(game, agents)
    data = load_same(path, {**match_settings(game, players, seed), "deals_digest": digest})
    shape = (-1, len(tables(game.sides)), game.num_players)
    with continuing(path):
        pairs = tuple(chunk_of(game, pair, pair["returns"], shape, 2) for pair in data["pairs"])
        numbers = {len(pair.returns) for pair in pairs}
        if len(pairs) != math.comb(len(agents), 2) or len(numbers) != 1:
            raise ValueError("pairs")
    return Match(game, tuple(players), seed, pairs, digest=digest)


@contextmanager
def refusing(message: str) -> Generator[None]:
    """Turn errors that malformed saved results raise in the block into an `InputError`."""
    try:
        yield
    except (csv.Error, AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise InputError(message) from None


def continuing(path: Path) -> AbstractContextManager[None]:
    """Refuse a malformed file of a match or league that is to be resumed; see `refusing`."""
    return refusing(f"{path} holds no match to resume: name another file")


def load_same(path: Path, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Read results that are to be resumed with the settings `wanted`; errors are as for `load`."""
    data = load_json(path)
    with continuing(path):
        found = {key: data[key] for key in wanted}
    check_same(path, found, wanted)
    return data


def chunk_of(
    game: Game, data: Mapping[str, Any], returns: Any, shape: tuple[int, ...], agents: int
) -> Chunk:
    """Rebuild a chunk from payoffs in nested lists (`returns`) and the fields of `times` (`data`).

    `shape` is that of the payoffs, with -1 for the number of deals; `agents` is the number of
    agents. Damaged data raise errors that `continuing` turns into an `InputError`.
    """
    payoffs = np.array(returns, float)
    spent = np.array([data["seconds"], data["decisions"]], float)
    sound = all(wanted in (-1, found) for wanted, found in zip(shape, payoffs.shape, strict=True))
    if not sound or spent.shape != (2, agents):
        raise ValueError("payoffs or times")
    low, high = game.payoff_range
    if not ((low <= payoffs) & (payoffs <= high)).all():
        raise ValueError("payoffs that the game does not have")
    if not np.isfinite(spent).all() or (spent < 0).any() or (spent[1] % 1).any():
        raise ValueError("times")
    costs = [[row[name] for name in SPENT] if row else [0.0] * len(SPENT) for row in data["spent"]]
    searches = np.array(costs, float)
    if searches.shape != (agents, len(SPENT)) or not (searches >= 0).all():
        raise ValueError("spent")
    return Chunk(payoffs, spent[0], np.array(data["decisions"], np.int64), searches)
