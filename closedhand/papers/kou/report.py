"""The report on the leagues of `reproduction`: Markdown and pictures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.daihinmin.kou.variants import LETTER
from closedhand.arena.plot import new_figure, plot_league, save_figure, spread
from closedhand.core.markdown import table
from closedhand.core.parts import Results
from closedhand.core.statistics import Estimate, student
from closedhand.papers.kou.reproduction import (
    BUDGET_ENEMIES,
    ENEMIES,
    KOUS,
    MATCH,
    QUICK,
    SEARCHERS,
    SECTIONS,
    STAND_INS,
    SWEEP_ENEMIES,
    THRESHOLDS,
    VARIANTS,
    leagues,
    part_name,
    plain,
    with_threshold,
)

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
"""The paper's Tables 1 and 2: cumulative points by number of rounds, of its kou and then of its
opponents, in the order of `reproduction.LIGHT` and `reproduction.SEARCH`."""

SCORES = {1: ("Among light class champions", TABLE_1), 2: ("Against programs that search", TABLE_2)}
TITLES = {
    3: "Evaluation to end the trick: its threshold, originally 95",
    4: "Shibari (lock) never, or whenever possible",
    5: "Leading the weakest play, or the weakest single",
    6: "No hand weakness, no reservation of strong plays",
}

DIFFERENCES = (
    "Differences: the text, followed literally, does not describe what the paper's program did.",
    "It leads the strongest of the weak plays, always takes the strongest card out of its pair,",
    "follows with strong plays before weak ones, and does not prefer plays that leave only",
    "winners. So `kou[letter=1]` is weaker than `default`, while the paper's program is the best",
    "of the light ones. `kou` departs from the text in nine numbers, without any of which it gets",
    "less than 4.1 points a round among four `default`. To be first in Table 1 it needs three of",
    "them: `winning`, `weakest_first` and `top_if_strong`.",
    "Where the text is silent, the rules are the competition's, and cards are given away so that",
    "the least weak hand remains. `default` leads its longest kaidan and its largest group;",
    "`default[lead=single]` leads its weakest card, as the paper says of it. The stand-ins play",
    "differently from the paper's programs, so the distances differ. The paper does not describe",
    "the playouts of the programs that search.",
)

TIMES = (
    'The paper: kou is "about hundred times faster than other Monte-Carlo programs". Decisions',
    "whose only legal action is to pass count too.",
)

SIGNS = (
    "Sign: `same` as the paper's, the `other` one, or `open`, where our interval contains 0 or the",
    "paper's difference is at most twice its standard deviation.",
)

NOISE = (125, 120, 90)
"""Standard deviations of the difference of two scores in 1,000 rounds, by enemy: `min-sets`,
`trick-ender`, `default`. From 10,000 rounds of `kou` and of each variant among our stand-ins."""


def scores(result: dict[str, Any], rounds: int) -> list[int]:
    """Sum the points of each agent of a league over the first `rounds`."""
    return np.sum(result["matches"][: rounds // MATCH], axis=0).tolist()


def means(result: dict[str, Any]) -> list[Estimate]:
    """Estimate the points per round of each agent of a league."""
    return student(np.array(result["matches"]) / MATCH)


def difference(results: Results, agent: str, original: str, enemy: str) -> Estimate:
    """Estimate an agent's points in 1,000 rounds minus those of `original` on the same deals."""
    names = part_name(agent, enemy), part_name(original, enemy)
    one, other = (np.array(results[name]["matches"])[:, :1] for name in names)
    return student(1000 / MATCH * (one - other))[0]


def sections_of(results: Results) -> list[str]:
    """List the sections with complete results; Tables 3 to 6 need only a quick run's enemies."""
    return [
        section
        for section in SECTIONS
        if results.keys() >= leagues(replace(QUICK, sections=(section,))).keys()
    ]


FIGURES = {
    f"table-{number}-{plain(kou)}": f"figure-{number}-{plain(kou)}.png"
    for number in SCORES
    for kou in KOUS
}
"""Pictures of the leagues of Tables 1 and 2, by part."""
PICTURES = (*FIGURES.values(), "sweep.png", "budget.png")


def pictures(results: Results, folder: Path) -> None:
    """Draw the `PICTURES` as far as computed; Figures 1 and 2 are points against rounds."""
    for part, file in FIGURES.items():
        if part in results:
            # Curves by match: the results do not hold points by round.
            data = {**results[part], "points": results[part]["matches"]}
            plot_league(data, folder / file)
    if "sweep" in sections_of(results):
        _plot_sweep(results, folder / "sweep.png")
    if "budget" in sections_of(results):
        _plot_budgets(results, folder / "budget.png")


def _plot_sweep(results: Results, path: Path) -> None:
    figure = new_figure(9, 4)
    axes = figure.subplots(1, len(SWEEP_ENEMIES))
    for axis, enemy in zip(axes, SWEEP_ENEMIES, strict=True):
        for kou in KOUS:
            gaps = [_gap_of_threshold(results, kou, number, enemy) for number in THRESHOLDS]
            _plot_estimates(axis, THRESHOLDS, gaps, kou)
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_title(f"among four {enemy}", fontsize=10)
        axis.set_xlabel("threshold")
        axis.grid(True, alpha=0.3)
    axes[0].set_ylabel(f"points in 1,000 rounds, less threshold {LETTER.threshold}")
    axes[0].legend(fontsize=8)
    save_figure(figure, path)


def _plot_budgets(results: Results, path: Path) -> None:
    figure = new_figure(6, 4)
    axis = figure.subplots()
    for enemy in BUDGET_ENEMIES:
        found = [means(results[part_name(agent, enemy)])[0] for agent in SEARCHERS]
        _plot_estimates(axis, [*SEARCHERS.values()], found, f"among four {enemy}")
    axis.axhline(3, color="black", linewidth=0.8)  # the mean: 5 to 1 points by rank
    axis.set_xscale("log")
    axis.set_xlabel("simulations per decision")
    axis.set_ylabel("points a round")
    axis.grid(True, alpha=0.3)
    axis.legend(fontsize=8)
    save_figure(figure, path)


def _plot_estimates(axis: Any, at: Sequence[int], found: list[Estimate], label: str) -> None:
    heights = [each.mean for each in found]
    axis.errorbar(
        at, heights, yerr=spread([e._asdict() for e in found]), marker="o", capsize=3, label=label
    )


def _gap_of_threshold(results: Results, kou: str, number: int, enemy: str) -> Estimate:
    """Estimate the gain of threshold `number` over the paper's, per 1,000 rounds."""
    agent, original = (with_threshold(kou, n) for n in (number, LETTER.threshold))
    return difference(results, agent, original, enemy)


def report(results: Results) -> str:
    """Write the complete sections as Markdown."""
    lines = ["# kou and Daihinmin, reproduced", ""]
    lines += ["Points of leagues of five programs. Seats and classes change every 100 rounds;"]
    lines += ["95% intervals are over these matches. `kou` is the reading of the paper under which"]
    lines += ["its results are possible, `kou[letter=1]` follows its text literally, and `default`"]
    lines += ["is the competition's sample client."]
    lines += ["Our agents stand in for the other programs, so only the shape of the results can"]
    lines += ["be compared. The difference of two scores in 1,000 rounds has a standard deviation"]
    lines += ["of about {} points among `min-sets`, {} among `trick-ender`, {}".format(*NOISE)]
    lines += ["among `default`: the paper's smaller ones are noise."]
    lines += ["", *table(["ours", "stands in for"], STAND_INS.items()), "", *DIFFERENCES]
    sections = sections_of(results)
    for number, (title, paper) in SCORES.items():
        if f"table-{number}" in sections:
            parts = [f"table-{number}-{plain(kou)}" for kou in KOUS]
            pictures = ", ".join(FIGURES[part] for part in parts)
            lines += ["", f"## Table {number}: {title} (pictures: {pictures})", ""]
            lines += _score_table([results[part] for part in parts], paper)
    if any(f"table-{number}" in sections for number in SCORES):
        lines += ["", *TIMES]
    for number, title in TITLES.items():
        if f"table-{number}" in sections:
            lines += ["", f"## Table {number}: {title}", ""]
            variants = [v for v, (its_table, _) in VARIANTS.items() if its_table == number]
            lines += _difference_table(results, variants)
    if any(f"table-{number}" in sections for number in TITLES):
        lines += ["", *SIGNS]
    if "sweep" in sections:
        lines += ["", "## The threshold, less 95, in 1,000 rounds (picture: sweep.png)", ""]
        lines += _sweep_table(results)
    if "budget" in sections:
        lines += ["", "## Strength of Monte Carlo search by its budget", ""]
        lines += ["Points a round by simulations per decision (picture: budget.png); 3 is as"]
        lines += ["strong as the other players. The steps are on the same deals.", ""]
        lines += _budget_table(results)
    return "\n".join(lines) + "\n"


def _score_table(tables: Sequence[dict[str, Any]], paper: dict[int, tuple[int, ...]]) -> list[str]:
    shown = [rounds for rounds in paper if rounds <= tables[0]["rounds"]]
    last = max(paper)
    heads = ["league of", "agent", *(f"{rounds:,} rounds" for rounds in shown)]
    rows = []
    for result in tables:
        own = [scores(result, rounds) for rounds in shown]
        for i, (row, estimate) in enumerate(zip(result["results"], means(result), strict=True)):
            cells = [result["agents"][0], row["agent"], *(f"{column[i]:,}" for column in own)]
            time = row["microseconds_per_decision"]
            rows.append([*cells, *estimate.cells(".3f"), f"{time:,.1f}"])
    for i, agent in enumerate(tables[0]["agents"]):
        cells = ["*paper*", f"*{STAND_INS.get(agent, agent)}*"]
        cells += [f"{paper[rounds][i]:,}" for rounds in shown]
        rows.append([*cells, f"{paper[last][i] / last:.3f}", f"{last:,} rounds", ""])
    return table([*heads, "points a round", "95%", "µs a decision"], rows)


def _difference_table(results: Results, variants: list[str]) -> list[str]:
    rows = []
    for enemy in ENEMIES:
        if any(part_name(f"{kou}:{variants[0]}", enemy) not in results for kou in KOUS):
            continue
        name = f"{enemy} ({STAND_INS[enemy]})" if enemy in STAND_INS else enemy
        for variant in variants:
            gaps = [difference(results, f"{kou}:{variant}", kou, enemy) for kou in KOUS]
            i = min(ENEMIES.index(enemy), 2)
            stated = VARIANTS[variant][1][i]
            signs = [sign_of(gap, stated, NOISE[i]) for gap in gaps]
            cells = (c for gap, s in zip(gaps, signs, strict=True) for c in (*gap.cells("+.0f"), s))
            rows.append([name, variant, *cells, f"{stated:+}"])
    heads = (head for kou in KOUS for head in (kou, "95%", "sign"))
    return table(["among four", "variant", *heads, "paper"], rows)


def sign_of(gap: Estimate, stated: int, noise: int) -> str:
    """Compare the sign of a difference with the paper's: `same`, `other` or `open` (`SIGNS`)."""
    # The ends are NaN after a single match: nothing is certain then.
    if abs(stated) <= 2 * noise or not (gap.low > 0 or gap.high < 0):
        return "open"
    return "same" if (gap.mean > 0) == (stated > 0) else "other"


def _sweep_table(results: Results) -> list[str]:
    rows = []
    for enemy in SWEEP_ENEMIES:
        for number in THRESHOLDS:
            gaps = [_gap_of_threshold(results, kou, number, enemy) for kou in KOUS]
            rows.append([enemy, number, *(cell for gap in gaps for cell in gap.cells("+.0f"))])
    heads = (head for kou in KOUS for head in (kou, "95%"))
    return table(["among four", "threshold", *heads], rows)


def _budget_table(results: Results) -> list[str]:
    rows = []
    for enemy in BUDGET_ENEMIES:
        before = None
        for agent, number in SEARCHERS.items():
            result = results[part_name(agent, enemy)]
            own = np.array(result["matches"])[:, :1] / MATCH
            [points] = student(own)
            step = ("", "") if before is None else student(own - before)[0].cells("+.3f")
            time = result["results"][0]["microseconds_per_decision"]
            rows.append([enemy, f"{number:,}", *points.cells(".3f"), *step, f"{time:,.0f}"])
            before = own
    heads = ["among four", "simulations", "points a round", "95%", "step", "95%", "µs a decision"]
    return table(heads, rows)
