"""The report of the reproduction of Hankin's blog post: tables as Markdown."""

from typing import Any

import numpy as np

from closedhand.core.markdown import cells, table
from closedhand.core.parts import Results
from closedhand.core.statistics import student
from closedhand.papers.hankin import reproduction as paper

BLOG_ALICE = {"back": 61, "middle": 17, "front": 74}
"""Winning chances of the blog's example hand, in percent, stated by the blog."""

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
    "win in training, as in the author's program, and as 0 in scores. Two errors of the blog show",
    "here: its text has 36.12 for a flush where its table has 36.07, and its formula for people",
    "divides by 1000 in place of 10000. It does not state the standard error of its match, about",
    "0.005. Its counter-strategy deals 10,000 hands of the opponent for each hand; ours takes them",
    "from one pool, arranges some hands differently, and does not confirm the blog's one example.",
)


def judgements(results: Results) -> list[dict[str, Any]]:
    """Average the judgements of each strategy over its pools, and sum hands and seconds.

    The gains have 95% intervals, None with a single pool.
    """
    rows = []
    for name, label in paper.STRATEGIES.items():
        pools = [value for key, value in results.items() if key.rpartition("-")[0] == name]
        if not pools:
            continue
        row: dict[str, Any] = {"strategy": label, "pools": len(pools)}
        for key in ("hands", "seconds"):
            row[key] = sum(pool[key] for pool in pools)
        for key in ("opponents", "identical"):
            row[key] = float(np.mean([pool[key] for pool in pools]))
        for key in ("held_out", "in_sample"):
            [(row[key], *ends)] = student(np.array([[pool[key]] for pool in pools]))
            row[f"{key}_interval"] = ends if len(pools) > 1 else None
        rows.append(row)
    return rows


def worst_range(rows: list[dict[str, Any]]) -> float:
    """Find the largest gap between our end of a range and the blog's, in percentage points."""
    return max(abs(row[f"our_{end}"] - row[end]) for row in rows for end in ("low", "high"))


def report(results: Results) -> str:
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
    alice = ", ".join(
        f"{part} {chance:.0f}% (blog {BLOG_ALICE[part]}%)"
        for part, chance in trained["alice"].items()
    )
    ranges = (
        [
            *(row[key] for key in ("part", "weakest", "strongest")),
            f"{row['low']:.2f} to {row['high']:.2f}",
            f"{row['our_low']:.2f} to {row['our_high']:.2f}",
        ]
        for row in trained["ranges"]
    )
    stated = (
        [f"{row['hand']} in the {row['part']}", *cells(row, blog=".2f", ours=".2f")]
        for row in trained["stated"]
    )
    return [
        f"## The blog's ranges: {paper.CYCLES} cycles of {paper.HANDS_A_CYCLE:,} hands in "
        f"{trained['seconds']:.1f} s",
        "",
        "Winning percentages; the largest difference at an end of a range is "
        f"{worst_range(trained['ranges']):.2f} points. All hands are in complete.csv, and those",
        f"about {paper.SPARSE:g} point apart in more-complete.csv.",
        "",
        *table(["part", "weakest", "strongest", "blog", "ours"], ranges),
        "",
        *table(["in the text", "blog", "ours"], stated),
        "",
        f"Alice's hand, {paper.ALICE}: {alice}; the trained strategy "
        f"{_same(trained['alice_alike'])}.",
    ]


def _hand(judged: dict[str, Any]) -> list[str]:
    rows = ([by, text, f"{judged[by]:+.3f}"] for by, text in paper.ARRANGEMENTS.items())
    return [
        "## The hand that the blog's strategies set differently",
        "",
        *table(["by", "arrangement", "points a hand"], rows),
        "",
        f"The trained strategy {_same(judged['alike'])}. Against {judged['opponents']:,} opponents "
        f"the counter's is worth {judged['difference']:+.3f} ± {1.96 * judged['error']:.3f} points "
        "more.",
    ]


def _same(alike: bool) -> str:
    return "sets it so too" if alike else "sets it differently"


def _match(played: dict[str, Any]) -> list[str]:
    points = f"{played['points']:+.4f} ± {1.96 * played['error']:.4f}"
    counts = {
        "hands": "hands, each deal both ways",
        "identical": "hands set alike",
        "four_points_won": "the strategy won 4 points",
        "four_points_lost": "the counter-strategy won 4 points",
    }
    rows = [[label, f"{BLOG_MATCH[key]:,}", f"{played[key]:,}"] for key, label in counts.items()]
    rows.insert(1, ["points a hand", f"{BLOG_MATCH['points']:+.4f}", points])
    return [
        "## The blog's match: the trained strategy against its optimal counter-strategy",
        "",
        *table(["", "blog", "ours"], rows),
        "",
        f"The blog's took a couple of days, ours {played['seconds']:.0f} s.",
    ]


def _judgements(rows: list[dict[str, Any]]) -> list[str]:
    def gain(row: dict[str, Any], key: str) -> str:
        interval = row[f"{key}_interval"]
        shown = f" ({interval[0]:.4f} to {interval[1]:.4f})" if interval else ""
        return f"{row[key]:.4f}{shown}"

    heads = ["strategy", "at least (held out)", "at most (in sample)", "set alike", "hands"]
    lines = table(
        [*heads, "opponents", "seconds"],
        (
            [
                row["strategy"], gain(row, "held_out"), gain(row, "in_sample"),
                *cells(row, identical=".0%", hands=",", opponents=",.0f", seconds=".0f"),
            ]
            for row in rows
        ),
    )  # fmt: skip
    pools = rows[0]["pools"]
    if pools > 1:
        lines += ["", f"Intervals hold 95%, over {pools} independent pools."]
    return ["## Gain of a best response, points a hand", "", *lines]
