"""The ladder: duplicate matches between all pairs of agents, ratings, and strength against time.

1. Play a match of every pair on the same deals; a pair with a slow agent plays only the first ones.
   Each match is saved in a file like that of `closedhand match --out`, to resume the ladder.
2. Fit the Bradley-Terry model (R. A. Bradley, M. E. Terry, 1952) to the games won, in Elo points.
3. Refit it to resampled deals, and compute intervals from the variance of these ratings.
"""

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.arena import match, results as files
from closedhand.arena.plot import drawn, new_figure, save_figure, spread
from closedhand.arena.results import ALL, shortened
from closedhand.core import duplicate
from closedhand.core.agents import Player, traits_of
from closedhand.core.checks import check_deals
from closedhand.core.duplicate import Spec
from closedhand.core.file_kinds import MATCH
from closedhand.core.files import refuse_foreign
from closedhand.core.game import Game, InputError
from closedhand.core.markdown import table
from closedhand.core.registry import spec_of
from closedhand.core.statistics import Estimate, t_quantile
from closedhand.core.text import slug
from closedhand.core.workers import Workers

SLOW = 1000.0
"""Microseconds per decision from which on an agent is slow and plays fewer deals."""

RESAMPLES = 1000
"""Resamples of the deals for intervals of ratings."""
ELO = 400 / np.log(10)
"""Elo points per factor of e in the odds of winning."""


def is_slow(game: Game, agent: Spec) -> bool:
    """Return whether an agent searches by the clock, or decides in `SLOW` microseconds or more."""
    traits = traits_of(game, agent)
    return traits.clocked or (traits.microseconds or 0.0) >= SLOW


def is_ranked(game: Game) -> bool:
    """Return whether a ladder can rate a game: it has two sides, and payoffs below 0."""
    return len(set(game.sides)) == 2 and game.can_lose


def pairs_of(
    game: Game, agents: Sequence[Spec], deals: int, slow_deals: int
) -> list[tuple[tuple[Player, Player], int]]:
    """List all pairs of agents with numbers of deals, at most `slow_deals` if one `is_slow`."""
    if not is_ranked(game):
        raise InputError(
            f"a ladder is for games of two sides that are won or lost, not for {game.name}"
        )
    check_deals(deals, "a ladder")
    check_deals(slow_deals, "slow agents")
    if len(agents) < 2:
        raise InputError(f"a ladder needs at least two agents, not {','.join(map(str, agents))}")
    players = [(player, is_slow(game, player)) for player in duplicate.parse_all(game, agents)]
    return [
        ((one, other), min(slow_deals, deals) if one_slow or other_slow else deals)
        for (one, one_slow), (other, other_slow) in combinations(players, 2)
    ]


def compute(
    game: Game,
    agents: Sequence[str],
    deals: int,
    slow_deals: int,
    folder: Path,
    seed: int,
    workers: Workers,
    progress: Callable[[str, float], None],
) -> dict[str, Any]:
    """Play the deals that the files of the pairs in `folder` lack; return a `summary`.

    The name of an agent may appear twice. Each pair plays `deals` in both roles; one with a slow
    agent plays the first `slow_deals` of them. The seed is that of deals, agents and intervals.
    `workers` are those of `match.play`; a pair with an agent that searches by the clock plays in
    one process. `progress` is called with the name of a pair and the number of pairs done,
    fractions included.

    Raises:
        InputError: `is_ranked` refuses the game, there are fewer than two agents, one is unknown or
            plays illegally, a number is not allowed, or the file of a pair holds no match.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    played = []
    pairs = pairs_of(game, agents, deals, slow_deals)
    short = shortened(agent.name for pair, _ in pairs for agent in pair)
    paths = [folder / f"{slug(f'{one.name} v {other.name}')}.json" for (one, other), _ in pairs]
    for path in paths:
        refuse_foreign(path, MATCH)
    for number, (path, (pair, wanted)) in enumerate(zip(paths, pairs, strict=True)):
        name = " v ".join(short[agent.name] for agent in pair)
        progress(name, number)

        def advance(done: int, name: str = name, before: int = number, of: int = wanted) -> None:
            progress(name, before + done / of)

        processes = 1 if match.is_clocked(game, pair) else workers
        played.append(_play(path, game, pair, wanted, seed, processes, advance))
    return summary(game, agents, played, seed)


def _play(
    path: Path,
    game: Game,
    pair: tuple[Player, Player],
    deals: int,
    seed: int,
    workers: Workers,
    progress: Callable[[int], None],
) -> dict[str, Any]:
    """Return the summary of a match, after playing and saving the deals that its file lacks.

    If the file has more deals, only the first ones count. A file with other settings is replaced.
    """
    try:
        played = files.load(path, game, pair, seed)
    except InputError:
        played = None
    if played is not None and played.deals >= deals:
        fewer = tuple(duplicate.cut(chunk, deals) for chunk in played.pairs)
        return files.summary(match.Match(game, pair, seed, fewer))

    def save(found: match.Match) -> None:
        files.save(path, files.summary(found))

    done = match.play(game, pair, deals, seed, workers, played, progress, save)
    data = files.summary(done)
    files.save(path, data)
    if done.interrupted:
        raise KeyboardInterrupt
    return data


def summary(
    game: Game, agents: Sequence[str], matches: Sequence[dict[str, Any]], seed: int
) -> dict[str, Any]:
    """Compute the ladder as JSON data.

    `matches` are the summaries of all pairs by `closedhand.arena.results.summary`, in the order of
    `itertools.combinations`; the seed is that of the resampling.

    Returns:
        A dict, with 95% intervals:

        - `game`: title of the game; `seed`;
        - `agents`, the strongest first: `agent`; `elo`, of mean 0; `win_rate`, the mean over all
          other agents; `microseconds_per_decision`, None without decisions;
        - `pairs`: `agents`; `deals`; and by role `win_rate` and `points` of the first agent.
    """
    names = combinations(files.labels(agents), 2)
    return {
        "game": spec_of(game.name).title,
        "seed": seed,
        "agents": rate(game, agents, [(data["pairs"][0], 0) for data in matches], seed),
        "pairs": [_by_role(pair, data) for pair, data in zip(names, matches, strict=True)],
    }


def rate(
    game: Game, agents: Sequence[str], pairs: Sequence[tuple[dict[str, Any], int]], seed: int
) -> list[dict[str, Any]]:
    """Compute `agents` of `summary`.

    `pairs` has for each of `combinations(agents, 2)` the results of a match, an entry of `pairs` in
    a `results.summary`; and 1 if the entry names the two agents in the reverse order, else 0.
    """
    # Games won by the first agent in each deal, 0 to 2, a draw as 1/2; float64 [deals].
    scores = [
        files.wins(files.points(game, np.array(pair["returns"], float), first)).sum(axis=1)
        for pair, first in pairs
    ]
    games = 2 * np.array([len(own) for own in scores])
    won = np.array([own.sum() for own in scores])
    totals = np.concatenate([won[None], resample(scores, seed)])
    ratings = fit(len(agents), totals, games)
    places = np.array(list(combinations(range(len(agents)), 2)))
    shares, seconds = np.zeros((2, len(agents)))
    decisions = np.zeros(len(agents), np.int64)
    for both, share, (pair, first) in zip(places, won / games, pairs, strict=True):
        shares[both] += share, 1 - share
        order = [first, 1 - first]
        decisions[both] += np.array(pair["decisions"])[order]
        seconds[both] += np.array(pair["seconds"])[order]
    elo = np.stack([ratings[0], *intervals(ratings, games)], axis=1).tolist()
    rows = [
        {
            "agent": agent,
            "elo": files.rounded(Estimate(*elo[i])),
            "win_rate": round(float(shares[i]) / (len(agents) - 1), 6),
            "microseconds_per_decision": files.microseconds(seconds[i], decisions[i]),
        }
        for i, agent in enumerate(files.labels(agents))
    ]
    return sorted(rows, key=lambda row: -row["elo"]["mean"])


def _by_role(agents: tuple[str, str], data: dict[str, Any]) -> dict[str, Any]:
    pair = data["pairs"][0]
    own = {row["role"]: row for row in pair["results"][: len(pair["results"]) // 2]}
    return {
        "agents": [*agents],
        "deals": data["deals"],
        "win_rate": {role: row["win_rate"] for role, row in own.items()},
        "points": {role: row["points"] for role, row in own.items()},
    }


def resample(scores: Sequence[np.ndarray], seed: int, resamples: int = RESAMPLES) -> np.ndarray:
    """Sum scores over resampled deals, the same for all pairs, float64 [resamples, pairs].

    `scores` has an array [deals] for each pair; some pairs may have only the first deals.
    """
    rng = np.random.default_rng(seed)
    totals = np.zeros((resamples, len(scores)))
    for start, end in pairwise([0, *sorted({len(own) for own in scores})]):
        columns = [i for i, own in enumerate(scores) if len(own) >= end]
        block = np.stack([scores[i][start:end] for i in columns], axis=1)
        for total in totals:
            rows = rng.integers(end - start, size=end - start)
            total[columns] += np.bincount(rows, minlength=end - start) @ block
    return totals


def intervals(ratings: np.ndarray, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the low and the high ends of the 95% intervals of ratings, float64 [agents] each.

    The resamples do not vary if one agent has won all deals. So the variance of the drawn games
    that `fit` adds is counted too: such a game is half a win for each agent, and the two halves
    vary like independent Poisson numbers of mean 1/2. With two agents and independent games this is
    the interval of log-odds with 1/2 added to both counts (F. J. Anscombe, Biometrika 1956).

    Args:
        ratings: Elo points of the agents, then those of every resample, float64 [1 + n, agents].
        games: Games of each pair, two a deal, integers [pairs]. Student's t has the degrees of
            freedom of the fewest deals; with one deal the ends are NaN.
    """
    number, deals = ratings.shape[1], int(games.min()) // 2
    half = np.full(number, math.nan)
    if deals > 1:
        pairs = np.array(list(combinations(range(number), 2)))
        signs = np.zeros((len(pairs), number))
        signs[np.arange(len(pairs))[:, None], pairs] = 1, -1  # 1: the first of the pair
        chances = 1 / (1 + np.exp(-signs @ ratings[0] / ELO))
        spread = chances * (1 - chances)
        # Derivative of each log rating by the games won by the first of a pair, [agents, pairs].
        # The Hessian includes the drawn games; the 1 fixes the ratings' common shift, as in `fit`.
        slopes = np.linalg.inv((signs.T * ((games + 1) * spread)) @ signs + 1) @ signs.T
        # With a chance p the half wins have the variance ((1 - p)^2 + p^2) / 2 = 1/2 - p (1 - p).
        drawn = ELO**2 * slopes**2 @ (0.5 - spread)
        # Resamples of n deals underestimate the variance by the factor (n - 1) / n.
        resampled = ratings[1:].var(axis=0, ddof=1) * deals / (deals - 1)
        half = t_quantile(deals - 1) * np.sqrt(resampled + drawn)
    return ratings[0] - half, ratings[0] + half


def fit(agents: int, won: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Fit the Bradley-Terry model by maximum likelihood: Elo points of mean 0, float64 [n, agents].

    One drawn game is added to each pair, so that an agent that wins all its games has a finite
    rating. `won`, float64 [n, pairs], are the games that the first agent of each pair won, `games`,
    integers [pairs], all games of the pair. Pairs are in the order of `itertools.combinations`.

    Examples:
        >>> fit(2, np.array([[750.0]]), np.array([1000])).round()
        array([[ 95., -95.]])
    """
    first, second = np.array(list(combinations(range(agents), 2))).T
    wins = np.zeros((len(won), agents, agents))
    wins[:, first, second] = won + 0.5
    wins[:, second, first] = games - won + 0.5
    played = wins + wins.transpose(0, 2, 1)
    logs = np.zeros((len(won), agents))
    diagonal = np.arange(agents)
    for _ in range(100):  # a bound; Newton's method needs a few steps
        chances = 1 / (1 + np.exp(logs[:, None, :] - logs[:, :, None]))
        slope = (wins - played * chances).sum(axis=2)  # gradient of the log-likelihood
        bend = -played * chances * (1 - chances)  # becomes the negative of its Hessian
        bend[:, diagonal, diagonal] = -bend.sum(axis=2)
        # A common shift of all ratings does not change the likelihood, so the Hessian is singular.
        # The constant added to it keeps their sum fixed.
        step = np.linalg.solve(bend + bend.max(axis=(1, 2), keepdims=True), slope[..., None])
        logs += np.clip(step[..., 0], -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    return ELO * (logs - logs.mean(axis=1, keepdims=True))


def picture(data: dict[str, Any], path: Path) -> None:
    """Draw strength against time per decision, from the data of `summary`, as PNG."""
    figure = new_figure(8, 5)
    axis = figure.subplots()
    timed = [row for row in data["agents"] if row["microseconds_per_decision"] is not None]
    short = shortened(row["agent"] for row in data["agents"])
    middle = np.log([row["microseconds_per_decision"] for row in timed]).mean() if timed else 0.0
    for i, row in enumerate(timed):
        x, elo = row["microseconds_per_decision"], row["elo"]
        axis.errorbar(x, elo["mean"], yerr=spread([elo]), fmt="o", capsize=4)
        # Points of similar strength are often close: names extend to the middle, above or below.
        side, align = (-7, "right") if np.log(x) > middle else (7, "left")
        axis.annotate(
            drawn(short[row["agent"]]), (x, elo["mean"]), (side, -13 if i % 2 else 5),
            textcoords="offset points", ha=align,
        )  # fmt: skip
    axis.set_xscale("log")
    axis.margins(0.25, 0.15)
    axis.set_xlabel("microseconds per decision")
    axis.set_ylabel("Elo, 0 being the mean of all; 95% intervals")
    axis.grid(True, alpha=0.3)
    deals = sorted({pair["deals"] for pair in data["pairs"]})
    numbers = " or ".join(f"{number:,}" for number in deals)
    figure.suptitle(f"{data['game']}, {numbers} deals a pair, each in both roles", fontsize=10)
    save_figure(figure, path)


def report(data: dict[str, Any]) -> list[str]:
    """Write the ladder, the data of `summary`, as lines of Markdown."""
    rows = []
    for row in data["agents"]:
        time = row["microseconds_per_decision"]
        rated = [row["agent"], *Estimate(**row["elo"]).cells("+.0f"), f"{row['win_rate']:.1%}"]
        rows.append([*rated, "—" if time is None else f"{time:,.1f}"])
    lines = table(["agent", "Elo", "95%", "mean win rate", "µs a decision"], rows)
    lines += ["", "Elo: Bradley-Terry on games won in both roles, 0 being the mean of the list."]
    lines += ["Times are of decisions on many games at once, for agents that can do so."]
    lines += ["All pairs, with the win rate and points a game of the first agent:", ""]
    rows = []
    for pair in data["pairs"]:
        rates, named = pair["win_rate"], [" v ".join(pair["agents"]), f"{pair['deals']:,}"]
        won, points = Estimate(**rates[ALL]), Estimate(**pair["points"][ALL])
        roles = [Estimate(**rate).text(".1%") for role, rate in rates.items() if role != ALL]
        rows.append([*named, *won.cells(".1%"), *roles, *points.cells("+.2f")])
    sides = [f"as {role}" for role in data["pairs"][0]["win_rate"] if role != ALL]
    return lines + table(["pair", "deals", "win rate", "95%", *sides, "points", "95%"], rows)
