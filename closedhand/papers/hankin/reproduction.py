"""Near-optimal Chinese Poker: the blog's tables and match, and bounds on exploitability.

`parts` lists the computations; the result of each is kept in its own file. `report` is the text.
"""

import csv
import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.chinese_poker import counter, separable, training
from closedhand.agents.chinese_poker.agents import Responder, Separable, make_rescored
from closedhand.agents.chinese_poker.counter import compare
from closedhand.agents.chinese_poker.pool import (
    Deals,
    build,
    generator,
    random_hands,
    set_hands,
    strengths_of,
)
from closedhand.core.files import SHIPPED, write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import needing
from closedhand.core.registry import make_game
from closedhand.core.run import Notes, Part, compute_parts
from closedhand.games.chinese_poker.notation import parse_board
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, PARTS, names

CYCLES, HANDS_A_CYCLE = 20, 10_000
"""Cycles of training as in the blog, and hands per cycle, as its author documents them."""

POOL_SIZE = 800_000
"""Hands in a pool that judges a strategy: about 10,200 of them are opponents of a given hand."""

ALICE = "AsKs6s5s3s/QhQs8c3c2h/JsJd9h"
SPARSE = 1.0
"""Least difference of rows of the blog's "more complete" table, in percentage points."""

ARRANGEMENTS = {
    "strategy": "KsQs8s7s6s/Ts9c8d7h6h/Jd9d3h",
    "counter": "KsQsJdTs9c/7h7s6s6h3h/8s8d9d",
}
"""The blog's hand that the trained strategy and the counter-strategy set differently."""

STATEMENTS = (
    ("back", "AQT82 flush", 59.64),
    ("back", "75432 flush", 36.12),
    ("back", "AKQJ9 flush", 65.37),
    ("middle", "76542 flush", 91.11),
    ("middle", "AKQJ9 flush", 99.28),
)
"""Chances in the blog's text: part, hand, percent. Its table has 36.07 for the second."""

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

STRATEGIES = {
    "blog": "separable, trained as in the blog",
    "separable": "`separable`, the tables of the package",
    "rescored": "`rescored`",
    "human": "separable, trained as in the blog, in whole percent",
}

DIFFERENCES = (
    "Differences: the blog's chances come from its random hands and ours from our own. A tie",
    "counts as a win in training, as in the author's program, and 0 in scores. Two of the blog's",
    "figures are slips: its text has 36.12 for a flush where its table has 36.07, and its formula",
    "for people divides by 1000 for 10000. It states no standard error of its match, about 0.005,",
    "and not on which opponents its counter-strategy chose: ours counts against a pool of its own,",
    "sets some hands otherwise, and does not confirm the one hand that the blog shows.",
)
"""What differs from the blog, and why."""

SECTIONS = ("ranges", "hand", "match", *STRATEGIES)
"""What can be computed on its own: the tables, the hand that the blog's strategies set differently,
the match, and the judgement of each strategy."""


@dataclass(frozen=True)
class Plan:
    """What to compute.

    Attributes:
        hands: Number of deals of the match, and of hands to judge each strategy by.
        pools: Number of pools on which each strategy is judged.
        pool: Number of hands in a pool; about one in 78 is an opponent of a given hand.
        seed: Seed of all deals.
        sections: Some of `SECTIONS`.
    """

    hands: int = 10_000
    pools: int = 4
    pool: int = POOL_SIZE
    seed: int = 0
    sections: tuple[str, ...] = SECTIONS


QUICK = Plan(
    hands=1000,
    pools=2,
    pool=50_000,
    sections=tuple(name for name in SECTIONS if name != "rescored"),
)
"""A short run."""


def blog_ranges() -> list[dict[str, Any]]:
    """Rows of the blog's table: part, weakest and strongest hand, and their chances in percent."""
    text = (SHIPPED / "chinese_poker_blog.csv").read_text(encoding="utf-8")
    return [
        {**row, "low": float(row["low"]), "high": float(row["high"])}
        for row in csv.DictReader(text.splitlines())
    ]


def parts(folder: Path, plan: Plan) -> dict[str, Part]:
    """The parts to compute, by name and in order: functions that return JSON.

    Args:
        folder: Folder for the trained tables.
        plan: What to compute.
    """
    game = make_game("chinese_poker")
    tables, seed = folder / "blog-tables.npz", plan.seed

    def blog() -> separable.Tables:
        return _blog_tables(game, tables, seed)

    found: dict[str, Part] = {
        "ranges": lambda tell: ranges(game, tables, seed),
        "hand": lambda tell: differing_hand(game, blog(), plan.pool, seed, tell),
        "match": lambda tell: match(game, blog(), plan.hands, seed, tell, plan.pool),
    }
    found = {name: part for name, part in found.items() if name in plan.sections}
    for name in STRATEGIES:
        for number in range(plan.pools if name in plan.sections else 0):
            share = plan.hands // plan.pools + (number < plan.hands % plan.pools)
            found[f"{name}-{number + 1}"] = _judging(
                game, name, tables, share, plan.pool, (seed, number)
            )
    return found


def compute(
    folder: Path, plan: Plan, progress: Callable[[str, float, int], None]
) -> dict[str, dict[str, Any]]:
    """Compute all parts; see `closedhand.core.run`.

    Raises:
        InputError: Fewer hands than pools, or SciPy is missing.
        KeyboardInterrupt: Interrupted; a later call resumes.
    """
    if plan.hands < plan.pools:
        raise InputError(f"{plan.pools} pools need at least one hand each, not {plan.hands} in all")
    _student()  # fails now, not in ten minutes
    settings = {
        "hands": plan.hands,
        "pools": plan.pools,
        "seed": plan.seed,
        "pool": plan.pool,
        "tables": hashlib.sha256(separable.shipped().win.tobytes()).hexdigest()[:20],
    }
    return compute_parts(parts(folder, plan), folder, settings, progress)


def _student() -> Any:
    """SciPy's t distribution.

    Raises:
        InputError: SciPy is not installed.
    """
    with needing():
        from scipy.stats import t
    return t


def _blog_tables(game: Game, path: Path, seed: int, anew: bool = False) -> separable.Tables:
    """The tables trained as in the blog, from the file, or trained again if `anew`."""
    if path.exists() and not anew:
        return separable.load(path)
    run = training.Training(game, "blog", HANDS_A_CYCLE, seed=seed)
    for _ in range(CYCLES):
        run.cycle()
    separable.save(run.tables, path)
    return run.tables


def ranges(game: Game, path: Path, seed: int) -> dict[str, Any]:
    """Train as in the blog; the chances that it states, and its example, by the trained tables.

    Writes the tables as `complete.csv`, and as `more-complete.csv` with fewer rows.
    """
    start = time.perf_counter()
    tables = _blog_tables(game, path, seed, anew=True)
    seconds, win = time.perf_counter() - start, tables.win
    for name, step in (("complete", 0.0), ("more-complete", SPARSE)):
        write_atomically(path.parent / f"{name}.csv", separable.csv_text(tables, step))
    rows = []
    for row in blog_ranges():
        part = PARTS.index(row["part"])
        ends = [100 * win[part, names(part).index(row[end])] for end in ("weakest", "strongest")]
        rows.append({**row, "our_low": ends[0], "our_high": ends[1]})
    stated = []
    for name, text, chance in STATEMENTS:
        part = PARTS.index(name)
        own = 100 * win[part, names(part).index(text)]
        stated.append({"part": name, "hand": text, "blog": chance, "ours": own})
    hand, action = parse_board(ALICE)
    own = strengths_of(game.rules, hand[None], np.array([action]))[0]
    chosen = separable.arrange(game.rules, win, hand[None])[0]
    return {
        "seconds": seconds,
        "ranges": rows,
        "stated": stated,
        "alice": {PARTS[part]: 100 * win[part, own[part]] for part in (BACK, MIDDLE, FRONT)},
        "alice_alike": bool(
            (strengths_of(game.rules, hand[None], np.array([chosen]))[0] == own).all()
        ),
    }


def differing_hand(
    game: Game,
    tables: separable.Tables,
    pool_size: int,
    seed: int,
    tell: Callable[[float], None] = lambda share: None,
) -> dict[str, Any]:
    """Both of the blog's arrangements of a hand, against opponents that the strategy has set."""
    rules = game.rules
    strategy = Separable(game, tables)
    others = random_hands(generator(Deals.OPPONENTS, seed), pool_size)[:, 0]
    parts = set_hands(rules, strategy.arrange, others, lambda done: tell(done / pool_size))
    pool = build(others, parts)
    boards = {name: parse_board(text) for name, text in ARRANGEMENTS.items()}
    faced = counter.gather(pool, boards["strategy"][0]).T
    points = {}
    for name, (hand, action) in boards.items():
        own = strengths_of(rules, hand[None], np.array([action]))[0]
        points[name] = compare(rules, own, faced)
    hand = boards["strategy"][0]
    chosen = strengths_of(rules, hand[None], strategy.arrange(hand[None]))[0]
    original = strengths_of(rules, hand[None], np.array([boards["strategy"][1]]))[0]
    gap = points["counter"] - points["strategy"]
    return {
        "opponents": len(faced),
        **{name: float(each.mean()) for name, each in points.items()},
        "difference": float(gap.mean()),
        "error": float(gap.std() / np.sqrt(len(gap))),
        "alike": bool((chosen == original).all()),
    }


def match(
    game: Game,
    tables: separable.Tables,
    deals: int,
    seed: int,
    tell: Callable[[float], None] = lambda share: None,
    pool_size: int = POOL_SIZE,
) -> dict[str, Any]:
    """The blog's match: a strategy against its optimal counter-strategy, each deal both ways."""
    start = time.perf_counter()
    rules = game.rules
    rng = generator(Deals.MATCH, seed)
    strategy = Separable(game, tables)
    opponents = random_hands(rng, pool_size)[:, 0]
    parts = set_hands(rules, strategy.arrange, opponents, lambda done: tell(0.8 * done / pool_size))
    response = Responder(game, tables, build(opponents, parts), np.inf, "counter")
    dealt = random_hands(rng, deals, players=2)
    hands = [np.ascontiguousarray(dealt[:, player]) for player in range(2)]
    ours = [strengths_of(rules, some, strategy.arrange(some)) for some in hands]
    theirs = [strengths_of(rules, some, response.arrange(some)) for some in hands]
    points = np.stack(
        [compare(rules, ours[0], theirs[1]), compare(rules, ours[1], theirs[0])]
    )  # fmt: skip
    alike = sum(
        int((one == two).all(axis=1).sum()) for one, two in zip(ours, theirs, strict=True)
    )  # fmt: skip
    by_deal = points.mean(axis=0)
    return {
        "hands": points.size,
        "points": float(by_deal.mean()),
        "error": float(by_deal.std() / np.sqrt(deals)),
        "identical": alike,
        "four_points_won": int((points == 4).sum()),
        "four_points_lost": int((points == -4).sum()),
        "seconds": time.perf_counter() - start,
    }


def _judging(
    game: Game, name: str, tables: Path, hands: int, pool_size: int, seed: tuple[int, int]
) -> Part:
    """A part that judges a strategy on a pool of its own."""

    def part(tell: Notes) -> dict[str, Any]:
        start = time.perf_counter()
        if name == "rescored":
            strategy = make_rescored(game, 0, None)
        elif name == "blog":
            strategy = Separable(game, _blog_tables(game, tables, seed[0]))
        elif name == "human":
            known = separable.whole_percents(_blog_tables(game, tables, seed[0]))
            strategy = Separable(game, known)
        else:
            strategy = Separable(game)
        judgement = counter.judge_strategy(
            game.rules,
            strategy.arrange,
            hands,
            pool_size,
            generator(Deals.JUDGING, *seed),
            lambda done: tell(done / (pool_size + hands)),
        )
        return {**asdict(judgement), "seconds": time.perf_counter() - start}

    return part


def judgements(results: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """For each strategy, means over its pools with 95% intervals of the gains.

    With one pool the intervals are `None`.
    """
    student = _student()
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
    """The largest difference between an end of the blog's ranges and ours, in percentage points."""
    return max(
        abs(row[f"our_{end}"] - row[end]) for row in rows for end in ("low", "high")
    )  # fmt: skip


def report(results: dict[str, dict[str, Any]]) -> str:
    """All results as Markdown."""
    lines = ["# Closed-hand Chinese Poker, near-optimal", "", *DIFFERENCES]
    for name, write in (("ranges", _ranges), ("hand", _hand), ("match", _match)):
        if name in results:
            lines += ["", *write(results[name])]
    rows = judgements(results)
    if rows:
        lines += ["", *_judgements(rows)]
    return "\n".join(lines) + "\n"


def _ranges(trained: dict[str, Any]) -> list[str]:
    """The chances of the blog's tables and text, beside ours."""
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
    """The hand that the blog's strategies set differently."""
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
    """The match against the counter-strategy."""
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
    """How much a best response gains over each strategy."""
    lines = [
        "## What a best response gains, points a hand",
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
