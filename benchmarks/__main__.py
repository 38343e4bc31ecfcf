"""Run every benchmark, in rounds, and write `docs/benchmarks.json` and `docs/benchmarks-table.md`.

Each round measures a peer directly after us; a ratio's figure is the median over the rounds, with
the smallest and the largest beside it.
"""

import argparse
import json
import platform
import statistics
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from benchmarks import chinese_poker, daihinmin, doudizhu, learners, leduc, libraries, networks
from closedhand import __version__
from closedhand.core.files import write_atomically
from closedhand.core.machine import processor

DOCS = Path(__file__).parent.parent / "docs"
MODULES = (doudizhu, daihinmin, leduc, chinese_poker, networks, learners, libraries)
NAMES = {module.__name__.rpartition(".")[2]: module for module in MODULES}
PACKAGES = (
    "numba", "numpy", "open-spiel", "pettingzoo", "phevaluator", "rlcard", "sb3-contrib",
    "tianshou", "torch", "torchrl",
)  # fmt: skip
"""Packages whose versions the table names."""
EFFORT = ("rounds", "seconds")
"""Keys that say how long figures were measured; rows of an earlier run keep their own."""


def spread(values: list[float]) -> dict[str, float]:
    """Return the median, the smallest and the largest."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def measure(rounds: int, seconds: float, modules: Sequence[ModuleType]) -> dict:
    """Measure all ratios and rates of some modules; return the data of `benchmarks.json`."""
    results = []
    rows = (row for module in modules for row in module.RATIOS)
    for what, ours, unit, peer, theirs, aim in rows:
        pairs = []
        for number in range(rounds):
            pairs.append((ours(seconds), theirs(seconds)))
            ratio = pairs[-1][0] / pairs[-1][1]
            print(f"{what}: round {number + 1} of {rounds}, {ratio:.1f} x", file=sys.stderr)
        results.append(
            {
                "what": what,
                "unit": unit,
                "ours": spread([a for a, _ in pairs]),
                "peer": peer,
                "theirs": spread([b for _, b in pairs]),
                "ratio": spread([a / b for a, b in pairs]),
                "aim": aim,
            }
        )
    rates = [
        {"what": what, "unit": unit, "ours": spread([ours(seconds) for _ in range(rounds)])}
        for module in modules
        for what, ours, unit in module.RATES
    ]
    return {
        "machine": {"processor": processor(), "python": platform.python_version()},
        "versions": {"closedhand": __version__, **{name: version(name) for name in PACKAGES}},
        "rounds": rounds,
        "seconds": seconds,
        "ratios": results,
        "rates": rates,
    }


def merge(old: dict, new: dict) -> dict:
    """Return the new results, and the old ones of what was not measured again.

    If those are of another machine or other versions, they are left out: a table names one of each.
    """
    if any(old[key] != new[key] for key in ("machine", "versions")):
        return new
    merged = dict(new)
    for key in ("ratios", "rates"):
        earlier = ({**{name: old[name] for name in EFFORT}, **row} for row in old[key])
        rows = {row["what"] + row.get("peer", ""): row for row in (*earlier, *new[key])}
        merged[key] = list(rows.values())
    return merged


def figure(value: float) -> str:
    """Format a rate: as a whole number from 100 on, else with three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def page(results: dict) -> str:
    """Format the results as the documentation's table."""
    rows = (*results["ratios"], *results["rates"])
    rounds, seconds = (
        " or ".join(f"{each:g}" for each in sorted({row.get(name, results[name]) for row in rows}))
        for name in EFFORT
    )
    lines = [
        "<!-- Written by `make bench`. -->",
        "# Figures of speed",
        "",
        f"Measured on one core of: {results['machine']['processor']}; "
        f"Python {results['machine']['python']}, "
        + ", ".join(f"{name} {v}" for name, v in results["versions"].items())
        + f". {rounds} rounds of {seconds} s CPU time each; median (smallest to largest).",
        "",
        "| what | ours | peer | theirs | ratio | aim |",
        "|---|---|---|---|---|---|",
    ]
    for row in results["ratios"]:
        ratio = row["ratio"]
        lines.append(
            f"| {row['what']} | {figure(row['ours']['median'])} {row['unit']} | {row['peer']} "
            f"| {figure(row['theirs']['median'])} {row['unit']} "
            f"| **{ratio['median']:.1f}** ({ratio['min']:.1f} to {ratio['max']:.1f}) "
            f"| {row['aim'] or ''} |"
        )
    for row in results["rates"]:
        own = row["ours"]
        lines.append(
            f"| {row['what']} | {figure(own['median'])} {row['unit']} "
            f"({figure(own['min'])} to {figure(own['max'])}) | | | | |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--only", choices=sorted(NAMES), help="keep other figures of this machine")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    modules = (NAMES[arguments.only],) if arguments.only else MODULES
    results = measure(arguments.rounds, arguments.seconds, modules)
    if arguments.only:
        results = merge(json.loads((DOCS / "benchmarks.json").read_text()), results)
    write_atomically(DOCS / "benchmarks.json", json.dumps(results, indent=1) + "\n")
    write_atomically(DOCS / "benchmarks-table.md", page(results))
    print(page(results))


if __name__ == "__main__":
    main()
