"""The report of the reproduction of Hankin's blog post: tables as Markdown."""

from typing import Any

import numpy as np

from closedhand.papers.hankin.reproduction import (
    ALICE,
    ARRANGEMENTS,
    CYCLES,
    HANDS_A_CYCLE,
    SPARSE,
    STRATEGIES,
    t_distribution,
)

BLOG_ALICE = {"back": 61, "middle": 17, "front": 74}
"""Winning chances of the blog's example hand, in percent, as the blog states them."""

BLOG_MATCH = {
    "hands": 20_000,
    "points": -0.0068,
    "identical": 15_622,
    "four_points_won": 2_072,
    "four_points_lost": 2_046,
}
"""The blog's final table."""

DIFFERENCES = (
    "Differences: the blog's chances come from other random hands than ours. A tie counts as a",
    "win in training, as in the author's program, and as 0 in scores. Two of the blog's figures",
    "are errors: its text has 36.12 for a flush where its table has 36.07, and its formula for",
    "people divides by 1000 in place of 10000. It states neither the standard error of its match,",
    "about 0.005, nor the opponents from which its counter-strategy was computed. Ours uses a pool",
    "of its own, arranges some hands differently, and does not confirm the blog's one example.",
)
"""Differences from the blog, and their causes."""


def judgements(results: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Average the judgements of each strategy over its pools, with 95% intervals of the gains.

    With one pool the intervals are None.
    """
    student = t_distribution()
    rows = []
    for name, label in STRATEGIES.items():
        pools = [value for key, value in results.items() if key.rpartition("-")[0] == name]
        if not pools:
            continue
        row: dict[str, Any] = {"strategy": label, "pools": len(pools)}
        for key in ("hands", "seconds"):
            row[key] = sum(pool[key] for pool in pools)
        for key in ("opponents", "identical", "held_out", "in_sample"):
            row[key] = float(np.mean([pool[key] for pool in pools]))
        for key in ("held_out", "in_sample"):
            row[f"{key}_interval"] = None
            if len(pools) > 1:
                spread = np.std([pool[key] for pool in pools], ddof=1) / np.sqrt(len(pools))
                reach = float(student.ppf(0.975, len(pools) - 1) * spread)
                row[f"{key}_interval"] = [row[key] - reach, row[key] + reach]
        rows.append(row)
    return rows


def worst_range(rows: list[dict[str, Any]]) -> float:
    """Largest difference between an end of the blog's ranges and ours, in percentage points."""
    return max(
        abs(row[f"our_{end}"] - row[end]) for row in rows for end in ("low", "high")
    )  # fmt: skip


def report(results: dict[str, dict[str, Any]]) -> str:
    """Write all results as Markdown."""
    lines = ["# Closed-hand Chinese Poker, near-optimal", "", *DIFFERENCES]
    for name, write in (("ranges", _ranges), ("hand", _hand), ("match", _match)):
        if name in results:
            lines += ["", *write(results[name])]
    rows = judgements(results)
    if rows:
        lines += ["", *_judgements(rows)]
    return "\n".join(lines) + "\n"


def _ranges(trained: dict[str, Any]) -> list[str]:
    """Write the chances of the blog's tables and text beside ours."""
    lines = [
        f"## The blog's ranges: {CYCLES} cycles of {HANDS_A_CYCLE:,} hands in "
        f"{trained['seconds']:.1f} s",
        "",
        "Winning percentages; the largest difference at an end of a range is "
        f"{worst_range(trained['ranges']):.2f} points. All hands are in complete.csv, and those",
        f"about {SPARSE:g} point apart in more-complete.csv.",
        "",
        "| part | weakest | strongest | blog | ours |",
        "|---|---|---|---|---|",
    ]
    for row in trained["ranges"]:
        lines.append(
            f"| {row['part']} | {row['weakest']} | {row['strongest']} "
            f"| {row['low']:.2f} to {row['high']:.2f} "
            f"| {row['our_low']:.2f} to {row['our_high']:.2f} |"
        )
    lines += ["", "| in the text | blog | ours |", "|---|---|---|"]
    lines += [
        f"| {row['hand']} in the {row['part']} | {row['blog']:.2f} | {row['ours']:.2f} |"
        for row in trained["stated"]
    ]
    alice = ", ".join(
        f"{part} {chance:.0f}% (blog {BLOG_ALICE[part]}%)"
        for part, chance in trained["alice"].items()
    )
    same = "sets it so too" if trained["alice_alike"] else "sets it differently"
    return [*lines, "", f"Alice's hand, {ALICE}: {alice}; the trained strategy {same}."]


def _hand(judged: dict[str, Any]) -> list[str]:
    """Write the hand that the blog's strategies arrange differently."""
    same = "sets it so too" if judged["alike"] else "sets it differently"
    lines = [
        "## The hand that the blog's strategies set differently",
        "",
        "| by | arrangement | points a hand |",
        "|---|---|---|",
    ]
    lines += [f"| {by} | {text} | {judged[by]:+.3f} |" for by, text in ARRANGEMENTS.items()]
    return [
        *lines,
        "",
        f"The trained strategy {same}. Against {judged['opponents']:,} opponents the counter's is "
        f"worth {judged['difference']:+.3f} ± {1.96 * judged['error']:.3f} points more.",
    ]


def _match(played: dict[str, Any]) -> list[str]:
    """Write the match against the counter-strategy."""
    lines = [
        "## The blog's match: the trained strategy against its optimal counter-strategy",
        "",
        "| | blog | ours |",
        "|---|---|---|",
        f"| hands, each deal both ways | {BLOG_MATCH['hands']:,} | {played['hands']:,} |",
        f"| points a hand | {BLOG_MATCH['points']:+.4f} "
        f"| {played['points']:+.4f} ± {1.96 * played['error']:.4f} |",
    ]
    for key, label in (
        ("identical", "hands set alike"),
        ("four_points_won", "the strategy won 4 points"),
        ("four_points_lost", "the counter-strategy won 4 points"),
    ):
        lines.append(f"| {label} | {BLOG_MATCH[key]:,} | {played[key]:,} |")
    took = f"The blog's took a couple of days, ours {played['seconds']:.0f} s."
    return [*lines, "", took]


def _judgements(rows: list[dict[str, Any]]) -> list[str]:
    """Write the gain of a best response against each strategy."""
    lines = [
        "## Gain of a best response, points a hand",
        "",
        "| strategy | at least (held out) | at most (in sample) | set alike | hands | opponents "
        "| seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['strategy']} | {_gain(row, 'held_out')} | {_gain(row, 'in_sample')} "
            f"| {row['identical']:.0%} | {row['hands']:,} | {row['opponents']:,.0f} "
            f"| {row['seconds']:.0f} |"
        )
    return [*lines, "", f"Intervals hold 95%, over {rows[0]['pools']} independent pools."]


def _gain(row: dict[str, Any], key: str) -> str:
    interval = row[f"{key}_interval"]
    shown = f" ({interval[0]:.4f} to {interval[1]:.4f})" if interval else ""
    return f"{row[key]:.4f}{shown}"
