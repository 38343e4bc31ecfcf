"""Memory of `closedhand web` while hands of all games are played at speed, with a hint in each.

The server is a process of its own; this one plays by the requests of the page, one connection for
each game, as fast as the server takes messages.

    python -m benchmarks.web_hands [--hands 1000] [--folder DIR]
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.web import Browser, browser, hint, server
from closedhand.core.registry import GAMES
from closedhand.web.guard import RATE

EVERY = 100
"""Hands between two measurements of the memory."""


def resident(process: int) -> float:
    """Return the megabytes of a process that are in memory."""
    with open(f"/proc/{process}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def play_hand(one: Browser, rng: random.Random) -> list[float]:
    """Play a hand: the advice at the first decision, then any legal action.

    Returns:
        Milliseconds from the request of the hint to its values.
    """
    found: list[float] = []
    while one.wait_for_turn():
        legal, version = one.table["position"]["legal"], one.table["version"]
        if found:
            chosen = rng.choice(legal)["id"]
        else:
            spent, advice = hint(one)
            found, chosen = [1000 * spent], advice["action"]["id"]
        one.ask("play", version=version, action=chosen)
        while one.table["version"] == version:
            one.receive()
        time.sleep(1 / RATE)
    return found


def play(port: int, game: dict[str, Any], hands: int, count: Callable[[], None]) -> list[float]:
    """Play hands of a game on one connection; return the milliseconds of the hints."""
    rng, spent = random.Random(0), list[float]()
    with ExitStack() as stack:
        one = browser(stack, port)
        seats = [{"name": "benchmark"}, *[{"level": "fair"}] * (game["players"] - 1)]
        one.open(seats, 0.0, 0, game["name"], game["table_options"])
        for _ in range(hands):
            spent += play_hand(one, rng)
            count()
            one.ask("again", same=False)
            time.sleep(1 / RATE)
    return spent


def measure(hands: int, folder: Path) -> dict[str, Any]:
    """Measure memory by the number of hands played, and the time of hints by game."""
    with server(folder) as (port, _, process), ExitStack() as stack:
        one = browser(stack, port)
        begun = resident(process)
        while one.ask("preparation")["left"]:
            time.sleep(1)
        memory = {"at the start": begun, "prepared": resident(process)}
        hints: dict[str, list[float]] = {}
        finished: list[str] = []

        def count(name: str) -> None:
            finished.append(name)
            if len(finished) % EVERY == 0:
                memory[f"{len(finished)} hands"] = resident(process)

        def work(game: dict[str, Any]) -> None:
            name = game["name"]
            hints[name] = play(port, game, hands // len(GAMES), lambda: count(name))

        threads = [Thread(target=work, args=(game,)) for game in one.ask("games")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if len(hints) < len(threads):
            raise RuntimeError("a connection has failed")
        return {
            "megabytes": {key: round(value) for key, value in memory.items()},
            "median ms of a hint": {k: round(statistics.median(v)) for k, v in hints.items()},
        }


def main() -> None:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="keeps what is compiled, for the next run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(given.hands, given.folder or Path(folder)), indent=1))


if __name__ == "__main__":
    main()
