"""Near-optimal Chinese Poker: the blog's tables and match, and bounds on exploitability.

The blog trains tables of each part's chance to win. The strategy that arranges hands by tables is
called separable, its best response the counter-strategy. Opponents of a hand come from a pool
(`closedhand.agents.chinese_poker.pool`). The module `report` writes the results.
"""

import csv
import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.chinese_poker import counter, pool as pools, separable, training
from closedhand.agents.chinese_poker.agents import Responder, Separable, make_rescored
from closedhand.core.files import SHIPPED, write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.parts import Part, Progress, Results, Sectioned, compute_parts
from closedhand.core.registry import make_game
from closedhand.games.chinese_poker.notation import parse_board
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, PARTS, names

CYCLES, HANDS_A_CYCLE = 20, 10_000
"""Cycles of training in the blog, and hands per cycle in its author's program."""

POOL_SIZE = 800_000
"""Default number of hands in a pool; about 10,200 are opponents of a given hand."""

ALICE = "AsKs6s5s3s/QhQs8c3c2h/JsJd9h"
"""The blog's example hand."""
SPARSE = 1.0
"""Least gap between rows of the blog's "more complete" table, in percentage points."""

ARRANGEMENTS = {
    "strategy": "KsQs8s7s6s/Ts9c8d7h6h/Jd9d3h",
    "counter": "KsQsJdTs9c/7h7s6s6h3h/8s8d9d",
}
"""A hand of the blog, as the trained strategy and as the counter-strategy arrange it."""

STATEMENTS = (
    ("back", "AQT82 flush", 59.64),
    ("back", "75432 flush", 36.12),
    ("back", "AKQJ9 flush", 65.37),
    ("middle", "76542 flush", 91.11),
    ("middle", "AKQJ9 flush", 99.28),
)
"""Winning chances in the blog's text: part, hand, percent. Its table has 36.07 for the second."""

STRATEGIES = {
    "blog": "separable, trained as in the blog",
    "separable": "`separable`, the tables of the package",
    "rescored": "`rescored`",
    "human": "separable, trained as in the blog, in whole percent",
}
"""Strategies whose exploitability is bounded, and their labels in the report."""

SECTIONS = ("ranges", "hand", "match", *STRATEGIES)


@dataclass(frozen=True)
class Plan(Sectioned):
    """Settings of a reproduction."""

    hands: int = 10_000  # deals of the match, and hands that bound each exploitability
    pools: int = 4  # number of pools on which each exploitability is bounded
    pool: int = POOL_SIZE  # hands in a pool; about one in 78 is an opponent of a given hand
    seed: int = 0  # seed of all deals
    sections: tuple[str, ...] = SECTIONS


FAST = tuple(name for name in SECTIONS if name != "rescored")
QUICK = Plan(hands=1000, pools=2, pool=50_000, sections=FAST)


def blog_ranges() -> list[dict[str, Any]]:
    """Read the blog's table: part, weakest and strongest hand, and their chances in percent."""
    text = (SHIPPED / "chinese_poker_blog.csv").read_text(encoding="utf-8")
    return [
        {**row, "low": float(row["low"]), "high": float(row["high"])}
        for row in csv.DictReader(text.splitlines())
    ]


def parts(folder: Path, plan: Plan) -> dict[str, Part]:
    """Return the parts to compute, in order, by name; files of the training go to `folder`."""
    game = make_game("chinese_poker")
    seed = plan.seed

    def blog() -> separable.Tables:
        return blog_tables(game, seed)[0]

    found: dict[str, Part] = {
        "ranges": lambda notes: ranges(game, folder, seed),
        "hand": lambda notes: differing_hand(game, blog(), plan.pool, seed, notes),
        "match": lambda notes: match(game, blog(), plan.hands, plan.pool, seed, notes),
    }
    found = {name: part for name, part in found.items() if name in plan.sections}
    for name in STRATEGIES:
        for number in range(plan.pools if name in plan.sections else 0):
            hands = plan.hands // plan.pools + (number < plan.hands % plan.pools)
            found[f"{name}-{number + 1}"] = partial(
                _judgement, game, name, blog, hands, plan.pool, (seed, number)
            )
    return found


def compute(folder: Path, plan: Plan, progress: Progress) -> Results:
    """Compute all parts by `compute_parts`; an `InputError` refuses fewer hands than pools."""
    if plan.hands < plan.pools:
        raise InputError(f"{plan.pools} pools need at least one hand each, not {plan.hands} in all")
    settings: dict[str, Any] = {
        name: getattr(plan, name) for name in ("hands", "pools", "seed", "pool")
    }
    settings["tables"] = hashlib.sha256(separable.shipped().win.tobytes()).hexdigest()[:20]
    return compute_parts(parts(folder, plan), folder, settings, progress)


@lru_cache(1)
def blog_tables(game: Game, seed: int) -> tuple[separable.Tables, float]:
    """Train tables as in the blog, once per process; return them and the seconds of training."""
    start = time.perf_counter()
    run = training.Training(game, "blog", HANDS_A_CYCLE, seed=seed)
    for _ in range(CYCLES):
        run.advance()
    return run.tables, time.perf_counter() - start


def ranges(game: Game, folder: Path, seed: int) -> dict[str, Any]:
    """Train as in the blog, and compare the tables with the blog's chances and example.

    The tables are also written to the folder, as `blog-tables.npz`, as `complete.csv` and, with
    fewer rows, as `more-complete.csv`.

    Returns:
        `seconds` of training; `ranges` and `stated`, the blog's chances beside ours, in percent;
        `alice`, our chances for the blog's example; and `alice_alike`, whether our strategy
        arranges the example as the blog does.
    """
    tables, seconds = blog_tables(game, seed)
    win = tables.win
    separable.save(tables, folder / "blog-tables.npz")
    for name, step in (("complete", 0.0), ("more-complete", SPARSE)):
        write_atomically(folder / f"{name}.csv", separable.csv_text(tables, step))

    def ours(name: str, text: str) -> float:
        part = PARTS.index(name)
        return 100 * win[part, names(part).index(text)]

    hand, action = parse_board(ALICE)
    own = _strengths(game, hand, action)
    chosen = separable.arrange(game.rules, win, hand[None])[0]
    return {
        "seconds": seconds,
        "ranges": [
            {
                **row,
                "our_low": ours(row["part"], row["weakest"]),
                "our_high": ours(row["part"], row["strongest"]),
            }
            for row in blog_ranges()
        ],
        "stated": [
            {"part": name, "hand": text, "blog": chance, "ours": ours(name, text)}
            for name, text, chance in STATEMENTS
        ],
        "alice": {PARTS[part]: 100 * win[part, own[part]] for part in (BACK, MIDDLE, FRONT)},
        "alice_alike": bool((_strengths(game, hand, chosen) == own).all()),
    }


def _strengths(game: Game, hand: np.ndarray, action: int) -> np.ndarray:
    """Compute the strengths of an arrangement of a hand, int16 [3]."""
    return pools.strengths_of(game.rules, hand[None], np.array([action]))[0]


def differing_hand(
    game: Game, tables: separable.Tables, pool_size: int, seed: int, progress: training.Progress
) -> dict[str, Any]:
    """Compare the blog's two arrangements of a hand against opponents of the trained strategy.

    Returns:
        `opponents`, their number; the mean points of each of `ARRANGEMENTS` by name; their
        `difference` with its standard `error`; and `alike`, whether our strategy arranges the hand
        as the blog's strategy does.
    """
    strategy = Separable(game, tables)
    pool = pools.deal(
        game.rules, strategy.arrange, pools.generator(pools.Deals.OPPONENTS, seed), pool_size,
        lambda done: progress(done / pool_size),
    )  # fmt: skip
    boards = {name: parse_board(text) for name, text in ARRANGEMENTS.items()}
    hand, action = boards["strategy"]
    faced = counter.gather(pool, hand).T
    points = {
        name: counter.compare(game.rules, _strengths(game, *board), faced)
        for name, board in boards.items()
    }
    chosen = strategy.arrange(hand[None])[0]
    gap = points["counter"] - points["strategy"]
    return {
        "opponents": len(faced),
        **{name: float(each.mean()) for name, each in points.items()},
        "difference": float(gap.mean()),
        "error": float(gap.std() / np.sqrt(len(gap))),
        "alike": bool((_strengths(game, hand, chosen) == _strengths(game, hand, action)).all()),
    }


def match(
    game: Game, tables: separable.Tables, deals: int, pool_size: int, seed: int,
    progress: training.Progress,
) -> dict[str, Any]:  # fmt: skip
    """Play the blog's match: the trained strategy against its best response, each deal both ways.

    The result has the keys of `report.BLOG_MATCH`, the standard `error` of `points`, and `seconds`.
    """
    start = time.perf_counter()
    rng = pools.generator(pools.Deals.MATCH, seed)
    strategy = Separable(game, tables)
    pool = pools.deal(
        game.rules, strategy.arrange, rng, pool_size, lambda done: progress(0.8 * done / pool_size)
    )
    response = Responder(game, tables, pool, np.inf, "counter")
    dealt = pools.random_hands(rng, deals, players=2)
    hands = [np.ascontiguousarray(dealt[:, player]) for player in range(2)]
    # Strengths of the two hands of each deal, [2, deals, 3]; each side plays both hands.
    ours, theirs = (
        np.stack([pools.strengths_of(game.rules, some, agent.arrange(some)) for some in hands])
        for agent in (strategy, response)
    )
    points = counter.compare(game.rules, ours, theirs[::-1])
    by_deal = points.mean(axis=0)
    return {
        "hands": points.size,
        "points": float(by_deal.mean()),
        "error": float(by_deal.std() / np.sqrt(deals)),
        "identical": int((ours == theirs).all(axis=2).sum()),
        "four_points_won": int((points == 4).sum()),
        "four_points_lost": int((points == -4).sum()),
        "seconds": time.perf_counter() - start,
    }


def _judgement(
    game: Game, name: str, blog: Callable[[], separable.Tables], hands: int, pool_size: int,
    seed: tuple[int, int], progress: training.Progress,
) -> dict[str, Any]:  # fmt: skip
    start = time.perf_counter()
    if name == "rescored":
        strategy: Separable = make_rescored(game, 0, None)
    elif name == "separable":
        strategy = Separable(game)
    else:
        strategy = Separable(game, separable.whole_percents(blog()) if name == "human" else blog())
    judgement = counter.judge_strategy(
        game.rules, strategy.arrange, hands, pool_size,
        pools.generator(pools.Deals.JUDGING, *seed),
        lambda done: progress(done / (pool_size + hands)),
    )  # fmt: skip
    return {**asdict(judgement), "seconds": time.perf_counter() - start}
