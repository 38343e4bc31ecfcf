"""Figures 3 and 4 of the DeepRocket paper: two programs in all four pairings, on the same deals.

The paper's programs, DeepRocket (DR) and MicroWe (MW), were never published: two agents stand in
for them. "DR v MW" is DR as landlord against MW as both peasants.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.arena import match, results as saved
from closedhand.arena.plot import drawn, new_figure, save_figure, spread
from closedhand.core import duplicate
from closedhand.core.duplicate import Chunk, play_chunk
from closedhand.core.game import Game
from closedhand.core.markdown import table
from closedhand.core.parts import Notes, Part, compute_parts
from closedhand.core.registry import make_game
from closedhand.core.run import work_off
from closedhand.core.statistics import Estimate, shares, student, wins
from closedhand.papers.deeprocket.accuracy import shipped_weights

CHUNK = 500
"""Number of deals played side by side; networks are faster on large batches."""

PAIRINGS = {
    "DR v MW": ("DR", "MW"),
    "DR v DR": ("DR", "DR"),
    "MW v DR": ("MW", "DR"),
    "MW v MW": ("MW", "MW"),
}
"""Programs of landlord and peasants in each pairing, in the order of Figure 3."""

DIFFERENCES = {
    "as landlord, against MW": {"DR v MW": 1, "MW v MW": -1},
    "as landlord, against DR": {"DR v DR": 1, "MW v DR": -1},
    "as peasants, against MW": {"MW v MW": 1, "MW v DR": -1},
    "as peasants, against DR": {"DR v MW": 1, "DR v DR": -1},
    "in duplicate, DR against MW": {"DR v MW": 1, "MW v DR": -1},
}
"""Differences of win rates, DR minus MW, as signed sums of the landlord's win rates."""


def the_game() -> Game:
    """Make the paper's Dou Dizhu: no auction, the deal determines the landlord (section 5.2)."""
    return make_game("doudizhu", rules="deeprocket")


def compute(
    network: str, best: str, games: int, iterations: int, folder: Path, seed: int, workers: int,
    progress: Callable[[str, float], None],
) -> dict[str, Any]:  # fmt: skip
    """Play all four pairings, except the iterations that the folder holds.

    Arguments are those of `reproduction.Plan`, where `games` are per iteration; the folder gets a
    file for each iteration of each pairing. A pairing with an agent that searches by the clock
    plays in one process. `progress` is called with the name of a part and the number of parts done.

    Returns:
        The dict of `summary`, with `agents`, `games`, `seed` and the package's `weights`.

    Raises:
        InputError: An agent is unknown or plays illegally.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    specs = {"DR": network, "MW": best}
    game = the_game()
    pairs = {name: [specs[side] for side in sides] for name, sides in PAIRINGS.items()}
    clocked = {name for name, pair in pairs.items() if match.is_clocked(game, pair)}
    parts = {
        part_name(i, name): _part(
            pair, range(i * games, (i + 1) * games), seed, 1 if name in clocked else workers
        )
        for i in range(iterations)
        for name, pair in pairs.items()
    }
    more = {"games": games, "weights": shipped_weights()}
    settings = {**duplicate.match_settings(game, [*specs.values()], seed), **more}
    results = compute_parts(parts, folder, settings, lambda name, done, _: progress(name, done))
    played = {name: [results[part_name(i, name)] for i in range(iterations)] for name in PAIRINGS}
    return {"agents": specs, "seed": seed, **more, **summary(played)}


def part_name(iteration: int, pairing: str) -> str:
    """Name an iteration, counted from 0, of a pairing: `DR-v-MW-01` for iteration 0."""
    return f"{pairing.replace(' ', '-')}-{iteration + 1:02}"


def _part(specs: list[str], deals: range, seed: int, workers: int) -> Part:
    """Make the part that plays deals of a pairing; its `points` are the landlord's by deal."""

    def part(notes: Notes) -> dict[str, Any]:
        game = the_game()
        points: list[float] = []
        if notes.begun:
            low, high = game.payoff_range
            with saved.continuing(notes.path):
                begun = np.array(notes.begun["points"], float)
                if begun.ndim != 1 or not ((low <= begun) & (begun <= high)).all():
                    raise ValueError("points")
            points += begun.tolist()
        starts = range(deals.start + len(points), deals.stop, CHUNK)
        chunks = [range(i, min(i + CHUNK, deals.stop)) for i in starts]
        # A table for each deal: agent 0 is the landlord, agent 1 both peasants, as in `sides`.
        one_table = None, [game.sides]
        jobs = [(game, specs, seed, chunk, *one_table) for chunk in chunks]
        first = [(game, specs, seed, deals[:1], *one_table)]

        def data() -> dict[str, Any]:
            return {"points": saved.shorter(points)}

        def take(chunk: Chunk) -> None:
            points.extend(chunk.returns[:, 0, 0].tolist())
            notes(len(points) / len(deals))

        notes.keep(lambda: data() if points else None)
        work_off(play_chunk, jobs, first, workers, take, lambda: points)
        if len(points) < len(deals):
            raise KeyboardInterrupt
        return data()

    return part


def summary(played: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Compute both figures, JSON values, from the results of `_part` by pairing and iteration.

    All pairings play the same deals in the same order. Intervals are dicts of `results.rounded`.

    Returns:
        `deals`, their number; `iterations`, by pairing the landlord's win rate in each iteration.
        With 95% intervals: `landlord` and `peasants`, win rates by pairing; `points`, the
        landlord's points per game by pairing; `differences` of win rates, as in `DIFFERENCES`.
    """
    points = {
        name: np.concatenate([np.array(own["points"], float) for own in each])
        for name, each in played.items()
    }
    won = {name: wins(own) for name, own in points.items()}
    gaps = {
        where: np.sum([sign * won[name] for name, sign in terms.items()], axis=0)
        for where, terms in DIFFERENCES.items()
    }
    lost = {name: 1 - own for name, own in won.items()}

    def estimated(estimate: Any, columns: dict[str, np.ndarray]) -> dict[str, Any]:
        found = estimate(np.stack([*columns.values()], axis=1))
        return dict(zip(columns, map(saved.rounded, found), strict=True))

    return {
        "deals": len(points["DR v MW"]),
        "iterations": {
            name: [round(float(wins(np.array(own["points"])).mean()), 6) for own in each]
            for name, each in played.items()
        },
        "landlord": estimated(shares, won),
        "peasants": estimated(shares, lost),
        "points": estimated(student, points),
        "differences": estimated(student, gaps),
    }


def pictures(data: dict[str, Any], folder: Path) -> None:
    """Draw win rates of `compute`: figure-3.png by iteration, figure-4.png over all games."""
    title = ", ".join(f"{side}: {drawn(name)}" for side, name in data["agents"].items())
    figure = new_figure(8, 4.6)
    axis = figure.subplots()
    for (name, rates), marker in zip(data["iterations"].items(), "osD^", strict=True):
        numbers = range(1, len(rates) + 1)
        axis.plot(numbers, np.multiply(rates, 100), label=name, marker=marker, linewidth=1.3)
    axis.set_xlabel(f"iteration, {data['games']:,} games each")
    axis.set_ylabel("landlord's win rate, %")
    rest = (lambda percents: 100 - percents,) * 2
    axis.secondary_yaxis("right", functions=rest).set_ylabel("peasants' win rate, %")
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.grid(True, alpha=0.3)
    figure.legend(fontsize=8, loc="outside lower center", ncols=len(PAIRINGS))
    figure.suptitle(f"{title}; landlord v peasants", fontsize=10)
    save_figure(figure, folder / "figure-3.png")
    figure = new_figure(8, 4.6)
    axis = figure.subplots()
    for shift, role in ((-0.2, "landlord"), (0.2, "peasants")):
        rates = list(data[role].values())
        means = np.array([100 * rate["mean"] for rate in rates])
        places = np.arange(len(rates)) + shift
        bars = axis.bar(places, means, 0.38, yerr=100 * spread(rates), capsize=4, label=role)
        axis.bar_label(bars, fmt="%.1f", padding=3)
    axis.set_xticks(range(len(PAIRINGS)), list(PAIRINGS))
    axis.set_ylabel("win rate, %; 95% intervals")
    axis.margins(y=0.12)
    figure.legend(fontsize=8, loc="outside lower center", ncols=2)
    figure.suptitle(f"{title}; {data['deals']:,} deals, the same in all pairings", fontsize=10)
    save_figure(figure, folder / "figure-4.png")


def report(data: dict[str, Any]) -> list[str]:
    """Write the result of `compute` as lines of Markdown."""
    specs = data["agents"]
    lines = [f"DR is `{specs['DR']}`, MW is `{specs['MW']}`; the landlord is named first. All four"]
    lines += [f"pairings play the same {data['deals']:,} deals. Pictures: figure-3.png, by"]
    lines += ["iteration, and figure-4.png. The paper's text has no numbers for either.", ""]
    lines += table(
        ["pairing", "landlord wins", "peasants win", "landlord's points a game"],
        (
            [
                name,
                *(Estimate(**data[role][name]).text(".1%") for role in ("landlord", "peasants")),
                Estimate(**points).text("+.2f"),
            ]
            for name, points in data["points"].items()
        ),
    )  # fmt: skip
    lines += ["", "How much more often DR wins than MW on the same deals, percentage points:", ""]
    lines += table(
        ["where", "difference", "95%"],
        (
            [name, *Estimate(*(100 * np.array([*gap.values()], float))).cells("+.1f")]
            for name, gap in data["differences"].items()
        ),
    )
    lines += ["", f"The landlord's win rate by iteration of {data['games']:,} games:", ""]
    by_iteration = enumerate(zip(*data["iterations"].values(), strict=True), 1)
    rows = ([i, *map("{:.1%}".format, rates)] for i, rates in by_iteration)
    return lines + table(["iteration", *PAIRINGS], rows)
