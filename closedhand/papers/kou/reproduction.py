"""Tables and figures of the paper about `kou`, champion of UECda-2014's light class.

`kou` and `default` are the paper's programs. Its other programs were never published, and agents of
the same kind stand in for them. A league consists of matches of 100 rounds; intervals are over
these matches. `compute` plays each league as a part of its own. `report` is the text.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.arena import league, results as files
from closedhand.arena.plot import plot_league
from closedhand.core.agents import make_agent
from closedhand.core.duel import cut
from closedhand.core.game import Game, InputError
from closedhand.core.registry import make_game
from closedhand.core.run import Notes, Part, compute_parts
from closedhand.core.statistics import Estimate, student

MATCH = 100
"""Rounds of a match; the next one begins without classes and with other seats."""

STAND_INS = {
    "min-sets": "chibiHana",
    "trick-ender": "Party",
    "monte-carlo:500": "snowl",
    "monte-carlo:1000": "crow",
    "monte-carlo:2000": "paon",
    "monte-carlo:4000": "beersong",
}
"""Our agents, and the paper's programs that they stand in for; searching ones in strength order."""

LIGHT = ("kou", "min-sets", "trick-ender", "default", "default")
SEARCH = ("kou", "monte-carlo:4000", "monte-carlo:2000", "monte-carlo:1000", "monte-carlo:500")
"""The agents of Tables 1 and 2, in the paper's order."""

TABLE_1 = {
    1000: (3660, 3493, 3271, 2324, 2252),
    4000: (14954, 14236, 12698, 9198, 9014),
    7000: (26178, 24817, 22208, 16017, 15780),
    10000: (37413, 35460, 31536, 22900, 22691),
}
TABLE_2 = {
    100: (344, 335, 299, 246, 276),
    300: (920, 999, 891, 851, 839),
    500: (1481, 1541, 1570, 1451, 1457),
    700: (2021, 2213, 2209, 2068, 1989),
    900: (2528, 2853, 2893, 2678, 2548),
}
"""The paper's cumulative points of each program, by number of rounds."""

ENEMIES = ("min-sets", "trick-ender", "default")
VARIANTS = {
    "w100": (3, (-2132, -767, -825)),
    "w90": (3, (403, 663, 15)),
    "w80": (3, (210, 970, 121)),
    "lock-": (4, (-1211, -117, -757)),
    "lock+": (4, (-720, -287, -203)),
    "weak": (5, (-165, -679, -856)),
    "single": (5, (-1086, -376, -895)),
    "use_2": (6, (-157, 100, 102)),
}
"""Table number, and the paper's score differences to `kou` in 1,000 rounds, for each enemy."""

TITLES = {
    3: "Evaluation to end the trick: its threshold, originally 95",
    4: "Shibari (lock) never, or whenever possible",
    5: "Leading the weakest play, or the weakest single",
    6: "No hand weakness, no reservation of strong plays",
}

NOISE = 80
"""Approximate standard deviation of the difference of two scores of 1,000 rounds each."""


def the_game() -> Game:
    """The paper's Daihinmin: seats change with the classes, every 100 rounds."""
    return make_game("daihinmin", rules="paper", rounds=MATCH)


def leagues(rounds: int, search_rounds: int) -> dict[str, tuple[list[str], int]]:
    """Agents and number of rounds of each league, by the name of its part."""
    found = {"table-1": (list(LIGHT), rounds), "table-2": (list(SEARCH), search_rounds)}
    for enemy in ENEMIES:
        for agent in ("kou", *(f"kou:{variant}" for variant in VARIANTS)):
            found[part_name(agent, enemy)] = ([agent, *[enemy] * 4], rounds)
    return found


def part_name(agent: str, enemy: str) -> str:
    """The name of the league of an agent against four of an enemy."""
    return f"{agent.replace(':', '-')}-against-{enemy}"


def compute(
    folder: Path,
    rounds: int,
    search_rounds: int,
    seed: int,
    workers: int,
    progress: Callable[[str, float, int], None],
) -> dict[str, dict[str, Any]]:
    """Play all leagues; results by name. See `closedhand.core.run`.

    Args:
        folder: Folder for the files, one for each part.
        rounds: Rounds of each league, except the one with agents that search.
        search_rounds: Rounds of the league with agents that search.
        seed: Seed of deals and agents; all leagues share the deals.
        workers: Number of processes.
        progress: Called with the name of a part, the number of parts done and the number of all
            parts.

    Raises:
        InputError: An agent is missing, or the rounds are not a multiple of `MATCH`.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    game = the_game()
    for number in (rounds, search_rounds):
        if number % MATCH:
            raise InputError(f"the number of rounds must be a multiple of {MATCH}, not {number}")
    wanted = leagues(rounds, search_rounds)
    for agent in {agent for agents, _ in wanted.values() for agent in agents}:
        make_agent(game, agent)  # fails now, not in ten minutes
    parts = {
        name: _part(folder / "leagues" / f"{name}.json", game, agents, number, seed, workers)
        for name, (agents, number) in wanted.items()
    }
    settings = {
        "options": dict(game.options),
        "leagues": {name: [agents, number] for name, (agents, number) in wanted.items()},
        "seed": seed,
    }
    return compute_parts(parts, folder, settings, progress)


def _part(
    path: Path, game: Game, agents: Sequence[str], rounds: int, seed: int, workers: int
) -> Part:
    """A part that plays or resumes a league, and saves it completely in a file of its own."""

    def part(tell: Notes) -> dict[str, Any]:
        try:
            played = league.load(path, game, agents, seed, False)
        except InputError:
            played = None
        deals = rounds // MATCH

        def save(found: league.League) -> None:
            files.save(path, league.summary(found))

        done = league.play(
            game, agents, deals, seed, False, workers, played, lambda n: tell(n / deals), save
        )
        if done.deals > deals:
            done = replace(done, played=cut(done.played, deals))
        data = league.summary(done)
        files.save(path, data)
        if done.interrupted:
            raise KeyboardInterrupt
        matches = np.sum(data.pop("points"), axis=(1, 2))
        return {**data, "matches": matches.astype(int).tolist()}

    return part


def scores(result: dict[str, Any], rounds: int) -> list[int]:
    """The points of all agents of a league after the given number of rounds."""
    return np.sum(result["matches"][: rounds // MATCH], axis=0).tolist()


def means(result: dict[str, Any]) -> list[Estimate]:
    """The points per round of all agents of a league."""
    return student(np.array(result["matches"]) / MATCH)


def difference(results: dict[str, dict[str, Any]], variant: str, enemy: str) -> Estimate:
    """Points of a variant in 1,000 rounds minus those of `kou` on the same deals."""
    own, original = (
        np.array(results[part_name(agent, enemy)]["matches"])[:, 0]
        for agent in (f"kou:{variant}", "kou")
    )
    (gap,) = student(1000 / MATCH * (own - original)[:, None])
    return gap


def pictures(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """Draw Figures 1 and 2: points against rounds.

    Raises:
        InputError: matplotlib is not installed.
    """
    for number in (1, 2):
        data = results[f"table-{number}"]
        # Points by match are fine enough for the curves.
        plot_league({**data, "points": data["matches"]}, folder / f"figure-{number}.png")


def report(results: dict[str, dict[str, Any]]) -> str:
    """All results as Markdown."""
    lines = ["# kou and Daihinmin, reproduced", ""]
    lines += ["Points of leagues of five programs; seats and classes change every 100 rounds, and"]
    lines += [
        "intervals, 95%, are over these matches. `kou` and `default` are the paper's programs."
    ]
    lines += ["The others were never published: ours stand in for them, and only the shape of the"]
    lines += ["results can be compared. A score of 1,000 rounds has a standard deviation of about"]
    lines += [
        f"55 points, the difference of two about {NOISE}: the paper's smaller ones are noise."
    ]
    lines += ["", "| ours | stands in for |", "|---|---|"]
    lines += [f"| {agent} | {program} |" for agent, program in STAND_INS.items()]
    for number, table, title in (
        (1, TABLE_1, "Among light class champions"),
        (2, TABLE_2, "Against programs that search"),
    ):
        lines += ["", f"## Table {number}: {title} (picture: figure-{number}.png)", ""]
        lines += _score_table(results[f"table-{number}"], table)
    for number, title in TITLES.items():
        lines += ["", f"## Table {number}: {title}", ""]
        lines += _difference_table(
            results, [v for v, (own, _) in VARIANTS.items() if own == number]
        )
    lines += ["", "## Time", ""]
    lines += _time_table(results)
    return "\n".join(lines) + "\n"


def _score_table(result: dict[str, Any], paper: dict[int, tuple[int, ...]]) -> list[str]:
    """Our scores and the paper's after some numbers of rounds, and points per round."""
    shown = [rounds for rounds in paper if rounds <= result["rounds"]]
    last = max(paper)
    head = [f"{rounds:,} rounds" for rounds in shown]
    lines = [f"| agent | {' | '.join([*head, 'points a round', '95%'])} |"]
    lines += ["|---|" + "---|" * (len(head) + 2)]
    own = [scores(result, rounds) for rounds in shown]
    for i, (row, estimate) in enumerate(zip(result["results"], means(result), strict=True)):
        name = row["agent"]
        cells = [f"{column[i]:,}" for column in own]
        cells += [f"{estimate.mean:.3f}", _interval(estimate, ".3f")]
        lines += [f"| {name} | {' | '.join(cells)} |"]
        program = STAND_INS.get(result["agents"][i], result["agents"][i])
        cells = [f"{paper[rounds][i]:,}" for rounds in shown]
        cells += [f"{paper[last][i] / last:.3f}", f"{last:,} rounds"]
        lines += [f"| *paper: {program}* | {' | '.join(cells)} |"]
    return lines


def _difference_table(results: dict[str, dict[str, Any]], variants: list[str]) -> list[str]:
    """Score differences to `kou`, ours and the paper's."""
    lines = ["| against four | variant | less kou, in 1,000 rounds | 95% | paper |"]
    lines += ["|---|---|---|---|---|"]
    for i, enemy in enumerate(ENEMIES):
        name = f"{enemy} ({STAND_INS[enemy]})" if enemy in STAND_INS else enemy
        for variant in variants:
            gap = difference(results, variant, enemy)
            lines.append(
                f"| {name} | {variant} | {gap.mean:+.0f} | {_interval(gap, '+.0f')} "
                f"| {VARIANTS[variant][1][i]:+} |"
            )
    return lines


def _time_table(results: dict[str, dict[str, Any]]) -> list[str]:
    """The time per decision of every agent of Tables 1 and 2."""
    lines = ["| agent | µs a decision | times kou's |", "|---|---|---|"]
    seen: set[str] = set()
    for part in ("table-1", "table-2"):
        rows = results[part]["results"]
        kou = rows[0]["microseconds_per_decision"]
        for row in rows:
            if row["agent"] not in seen:
                seen.add(row["agent"])
                own = row["microseconds_per_decision"]
                lines.append(f"| {row['agent']} | {own:,.1f} | {own / kou:,.1f} |")
    return [
        *lines,
        "",
        'The paper: kou is "about hundred times faster than other Monte-Carlo programs". Decisions',
        "where one can only pass count too.",
    ]


def _interval(estimate: Estimate, form: str) -> str:
    if np.isnan(estimate.low):
        return "-"
    return f"{estimate.low:{form}} to {estimate.high:{form}}"
