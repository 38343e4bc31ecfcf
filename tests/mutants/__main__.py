"""Mutation testing: fifty mutants of every room of the package.

`python -m tests.mutants` draws mutants from every room by a seed, runs the tests that call the
mutated function, and writes which mutants no test has noticed. What is known is kept in the folder
`--out`, so that an interrupted run goes on. research/mutants.md has the score of a run.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

# Before anything imports Numba.
os.environ["NUMBA_DISABLE_JIT"] = "1"
os.environ.setdefault("CLOSEDHAND_FUZZ", "0.25")

from . import running
from .explained import Explained, explanation
from .named import NAMED, Fault
from .operators import Mutant, mutants, mutate
from .running import Test

ROOMS = {
    "competitions.uecda": "UECda server and client",
    "games.daihinmin": "Daihinmin",
    "games.doudizhu": "Dou Dizhu",
    "games.leduc": "Leduc",
    "games.chinese_poker": "Chinese Poker",
    "envs": "environments",
    "wrappers": "wrappers",
    "search": "search",
    "learning": "learning",
    "solvers": "solvers",
    "arena": "arena",
    "core.statistics": "statistics",
    "core": "core",
}
"""Rooms: prefixes of modules, a narrower one first, and what stands in the report."""
KILLED, SURVIVED, TIME = "killed", "survived", "out of time"


def room_of(module: str) -> str:
    """The prefix of a module's room; empty for the faces of folders of rooms."""
    return next(
        (room for room in ROOMS if f"{module}.".startswith(f"{running.PACKAGE}.{room}.")), ""
    )


def population() -> dict[str, list[Mutant]]:
    """All mutants by room."""
    found: dict[str, list[Mutant]] = {room: [] for room in ROOMS}
    for file in running.sources():
        name = running.module_name(file)
        if room := room_of(name):
            found[room] += mutants(name, file.read_text("utf-8"))
    return found


def sample(rooms: Mapping[str, list[Mutant]], count: int, seed: int) -> list[Mutant]:
    """Mutants drawn from every room, as many from each."""
    return [
        mutant
        for room, every in rooms.items()
        for mutant in random.Random(f"{seed} {room}").sample(every, min(count, len(every)))
    ]


def warm_up() -> None:
    """Import what all children need and no mutant touches."""
    import gymnasium.vector  # noqa: F401
    import hypothesis.extra.numpy  # noqa: F401
    import numba  # noqa: F401
    import pettingzoo.test  # noqa: F401
    import torch

    # A fork does not survive the threads of the parent.
    torch.set_num_threads(1)

    if running.PACKAGE in sys.modules:
        raise RuntimeError("a mutant of a module that is imported already is never seen")


def report(rows: Sequence[dict[str, Any]]) -> str:
    """The score by room, and all survivors, in Markdown.

    Explained survivors count as survivors in the score, and not at all in the second one.
    """
    lines = [
        "| | mutants | killed | of these by the time limit | explained | survived | score |"
        " without the explained |",
        "|---|---|---|---|---|---|---|---|",
    ]
    left = [row["mutant"] for row in rows if row["outcome"] == SURVIVED]
    why = {key_of(mutant): found for mutant in left if (found := explained(mutant))}
    for room, text in [*ROOMS.items(), ("", "all")]:
        own = [row for row in rows if not room or room_of(row["mutant"]["module"]) == room]
        if own:
            dead = sum(row["outcome"] != SURVIVED for row in own)
            late = sum(row["outcome"] == TIME for row in own)
            known = sum(key_of(row["mutant"]) in why for row in own)
            counts = f"{len(own)} | {dead} | {late} | {known} | {len(own) - dead - known}"
            scores = f"{dead / len(own):.1%} | {dead / max(1, len(own) - known):.1%}"
            lines.append(f"| {text} | {counts} | {scores} |")
    left.sort(key=lambda mutant: (mutant["module"], mutant["line"]))
    lines += ["", "| survivor | before | after |", "|---|---|---|"]
    lines += [change_of(mutant) for mutant in left if key_of(mutant) not in why]
    lines += ["", "| explained | before | after | why |", "|---|---|---|---|"]
    for mutant in left:
        if found := why.get(key_of(mutant)):
            lines.append(f"{change_of(mutant)} {found.why} |")
    return "\n".join(lines) + "\n"


def key_of(mutant: Mapping[str, Any]) -> tuple[str | int, ...]:
    """The key of a mutant in a row."""
    return Mutant(**mutant).key


def change_of(mutant: Mapping[str, Any]) -> str:
    """The first columns of a mutant's line in the report."""
    where = f"{mutant['module'].partition('.')[2]}, line {mutant['line']}"
    return f"| {where} | `{mutant['before']}` | `{mutant['after']}` |"


def explained(mutant: Mapping[str, Any]) -> Explained | None:
    """Why no test can notice a mutant, if that is known."""
    lines = running.source_path(mutant["module"]).read_text("utf-8").splitlines()
    return explanation(Mutant(**mutant), lines)


def failing(names: Sequence[str]) -> set[str]:
    """The tests among those named that fail, or take too long, without a fault."""
    if not names:
        return set()
    tests = [Test(name, running.MOST) for name in names]
    arguments = running.attack(f"{running.PACKAGE}.games", str, tests, "--maxfail=10000")
    [(_, _, text)] = running.forked([(None, *arguments)], 1)
    return set(text.splitlines())


def unnoticed(workers: int) -> list[Fault]:
    """The faults of `named.NAMED` whose tests do not notice them, or fail without them as well."""
    jobs = []
    for fault in NAMED:
        if running.source_path(fault.module).read_text("utf-8").count(fault.before) != 1:
            raise SystemExit(f"{fault.module} has no place for {fault.after!r}")
        test = [Test(fault.test, 5.0)]
        jobs.append(((fault, True), *running.attack(fault.module, _replacing(fault), test)))
        jobs.append(((fault, False), *running.attack(fault.module, str, test)))
    ends = running.forked(jobs, workers)
    return [fault for (fault, present), status, _ in ends if present != bool(status)]


def _replacing(fault: Fault) -> running.Change:
    return lambda source: source.replace(fault.before, fault.after)


def outcomes(
    todo: Sequence[Mutant], tests: Sequence[Test], workers: int, seconds: float
) -> Iterator[tuple[Mutant, str, str]]:
    """Mutants with their outcomes, and the first tests that failed."""
    early = running.loaded()
    jobs, jobs_loaded = [], []
    for mutant in todo:
        change = partial(mutate, number=mutant.number)
        chosen = running.chosen(tests, mutant.module, mutant.function, seconds)
        code = running.in_function(mutant.module, change, mutant.function)
        called = (mutant.module, running.outermost(mutant.function)) in early
        if not chosen:
            yield mutant, SURVIVED, "no test uses the module"
        elif code is None or called or running.needs_an_extra(mutant.module):
            jobs.append((mutant, *running.attack(mutant.module, change, chosen)))
        else:
            attack = running.attack_loaded(mutant.module, code, chosen)
            jobs_loaded.append((mutant, *attack))
    yield from judged(running.forked(jobs, workers))
    running.load()
    yield from judged(running.forked(jobs_loaded, workers))


def judged(ends: Iterable[tuple[Mutant, int | None, str]]) -> Iterator[tuple[Mutant, str, str]]:
    """Outcomes by the exit status of the tests."""
    for mutant, status, text in ends:
        late = status in (None, running.OUT_OF_TIME)
        yield mutant, TIME if late else KILLED if status else SURVIVED, text.partition("\n")[0]


def main() -> None:
    """Parse the arguments and run."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="of mutants in a room")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/mutants"))
    parser.add_argument("--only", help="rooms, such as learning,core; then only by their tests")
    parser.add_argument("--limit", type=int, default=10**9, help="mutants to run now")
    parser.add_argument("--again", action="store_true", help="run the survivors again")
    given = parser.parse_args()
    rooms = given.only.split(",") if given.only else list(ROOMS)
    if unknown := set(rooms) - set(ROOMS):
        parser.error(f"no room {', '.join(unknown)}; the rooms are {', '.join(ROOMS)}")
    given.out.mkdir(parents=True, exist_ok=True)
    warm_up()
    folders = map(running.tests_of, rooms) if given.only else [""]
    tests = running.survey(given.out / "tests.json", given.workers, folders)
    every = {room: found for room, found in population().items() if room in rooms}
    print(f"{sum(map(len, every.values()))} mutants in {len(every)} rooms; {len(tests)} tests")
    drawn = sample(every, given.count, given.seed)
    path = given.out / "results.jsonl"
    rows = map(json.loads, path.read_text().splitlines() if path.exists() else [])
    known = {Mutant(**row["mutant"]).key: row for row in rows}
    if given.again:
        tried = {mutant.key for mutant in drawn}
        known = {
            key: row for key, row in known.items() if row["outcome"] != SURVIVED or key not in tried
        }
    todo = [mutant for mutant in drawn if mutant.key not in known][: given.limit]
    # After the outcomes everything has been imported, and a fault would come too late.
    for fault in unnoticed(given.workers) if given.limit >= len(drawn) and not given.only else ():
        print(f"{fault.test} does not notice {fault.after!r} in {fault.module}", flush=True)
    seconds = running.AGAIN if given.again else running.ENOUGH
    for mutant, outcome, test in outcomes(todo, tests, given.workers, seconds):
        known[mutant.key] = {"mutant": asdict(mutant), "outcome": outcome, "test": test}
        path.write_text("".join(json.dumps(row) + "\n" for row in known.values()))
        change = f"{mutant.before} -> {mutant.after}"
        print(f"{outcome}: {mutant.module}:{mutant.line} {change}", flush=True)
    # A test that fails by itself, alone or in another order, has killed nothing.
    bad = failing(
        sorted({row["test"] for row in known.values() if row["outcome"] == KILLED} - {""})
    )
    if bad:
        print("mutants killed by these tests do not count, for they fail without:", *bad)
        known = {key: row for key, row in known.items() if row["test"] not in bad}
    # A module may have been edited elsewhere: what is told is where the mutants are now.
    rows = [known[m.key] | {"mutant": asdict(m)} for m in drawn if m.key in known]
    for row in rows:
        if row["outcome"] != SURVIVED and explained(row["mutant"]):
            print(f"explained, but {row['outcome']} by {row['test']}: {change_of(row['mutant'])}")
    text = report(rows)
    (given.out / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
