"""Load on `closedhand web`: how fast clicks, hints and the first page come, alone and under load.

The server is a process of its own, as anybody starts it; this one is its browsers.

    python -m benchmarks.web [--tables 100] [--connections 10000] [--seconds 10]
"""

import argparse
import asyncio
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from threading import Thread
from typing import Any

from websockets.asyncio.client import connect
from websockets.sync.client import ClientConnection, connect as connect_now
from websockets.typing import Origin

GAME = "doudizhu"
PERSON, AGENT = {"name": "benchmark"}, {"agent": "decompose"}
HINTERS = ("decompose", "value-net")
HINTS, PAGES = 20, 20
OPPONENT = {"agent": "greedy"}
STARTS = 5
"""Servers that are started for the time to the first card, after one that does not count."""


class Browser:
    """A connection that asks, and keeps the last table that was pushed."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.number = socket, 0
        self.table: dict[str, Any] = {}
        self.ask("hello", token="")

    def receive(self) -> dict[str, Any]:
        """Return the next message; keep it as `table` if it is one."""
        data = json.loads(self.socket.recv(timeout=300))
        if data.get("push") == "table":
            self.table = data
        return data

    def ask(self, what: str, **given: Any) -> Any:
        """Send a request and return its answer; an error in it is a `RuntimeError`."""
        self.number += 1
        self.socket.send(json.dumps({"do": what, "n": self.number, **given}))
        while (data := self.receive()).get("re") != self.number:
            pass
        if "error" in data:
            raise RuntimeError(data["error"])
        return data["ok"]

    def open(
        self,
        seats: list[dict[str, str]],
        pace: float,
        seed: int,
        game: str = GAME,
        options: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Open a table, and join it at the first person's seat, or else watch it."""
        about = {"game": game, "options": options or {}, "seats": seats}
        told = self.ask("open", pace=pace, seed=seed, **about)
        token = next((each for each in told["tokens"] if each), told["watch"])
        self.ask("join", table=told["table"], token=token)
        return told

    def wait_for_turn(self) -> bool:
        """Wait for this person's turn; False at the end of the hand."""
        while True:
            position = self.table["position"]
            if position["over"] or position["player"] == self.table["seat"]:
                return not position["over"]
            self.receive()


@contextmanager
def server(folder: Path) -> Iterator[tuple[int, list[str], int]]:
    """Start `closedhand web`; yield its port, its later lines, and its process id."""
    command = [
        str(Path(sys.executable).with_name("closedhand")), "web", "--no-browser", "--port", "0",
        "--folder", str(folder / "tables"), "--runs", str(folder),
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = [process.stderr.readline()]
        while not (found := re.search(r":(\d+)/", lines[-1])):
            if process.poll() is not None:
                raise RuntimeError("".join(lines))
            lines.append(process.stderr.readline())
        told: list[str] = []
        reader = Thread(target=lambda: told.extend(process.stderr or ()), daemon=True)
        reader.start()
        try:
            yield int(found[1]), told, process.pid
        finally:
            process.terminate()
            reader.join()


def address(port: int) -> tuple[str, Origin]:
    """Return the address of a server's WebSocket, and the origin of its page."""
    return f"ws://127.0.0.1:{port}/ws", Origin(f"http://127.0.0.1:{port}")


def browser(stack: ExitStack, port: int) -> Browser:
    """Open a connection, which is closed with the stack."""
    url, origin = address(port)
    socket = connect_now(url, origin=origin, max_size=None, open_timeout=120)
    return Browser(stack.enter_context(socket))


def click(one: Browser) -> float:
    """Measure seconds from a click on the first legal action to the table that shows it."""
    version, legal = one.table["version"], one.table["position"]["legal"]
    start = time.perf_counter()
    one.socket.send(json.dumps(
        {"do": "play", "n": 0, "version": version, "action": legal[0]["id"]}
    ))  # fmt: skip
    while one.table["version"] == version:
        one.receive()
    return time.perf_counter() - start


def clicks(one: Browser, seconds: float, seed: int) -> list[float]:
    """Play for `seconds` as a person among agents; return what `click` measures, for each click."""
    one.open([PERSON, AGENT, AGENT], 0.05, seed)
    found: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        if not one.wait_for_turn():
            one.ask("again", same=False)
            continue
        found.append(click(one))
        time.sleep(0.1)
    return found


def hint(one: Browser, **given: Any) -> tuple[float, dict[str, Any]]:
    """Ask for a hint; return the seconds until it has values or ends without any, and the hint."""
    start = time.perf_counter()
    version = one.table["version"]
    one.ask("hint", version=version, **given)
    while (
        (data := one.receive()).get("push") != "hint"
        or data["about"] != version
        or not (data["values"] or data["done"])
    ):
        pass
    if data.get("error"):
        raise RuntimeError(data["error"])
    return time.perf_counter() - start, data


def hints(one: Browser, by: str) -> list[float]:
    """Measure seconds until hints of an agent have values."""
    found: list[float] = []
    for seed in range(HINTS):
        one.open([PERSON, AGENT, AGENT], 0.05, seed)
        one.wait_for_turn()
        found.append(hint(one, by=by)[0])
        one.ask("leave")
        time.sleep(0.2)  # faster, a browser would send more messages than it may
    return found


def first_card() -> dict[str, Any]:
    """Measure the time from the command to a person's first card, and its ratio to `import numba`.

    Before each server starts, a process imports Numba and ends.
    """
    cards, imports = [], []
    for seed in range(STARTS + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import numba"], check=True)
        imports.append(time.perf_counter() - start)
        start = time.perf_counter()
        with (
            tempfile.TemporaryDirectory() as folder,
            server(Path(folder)) as (port, *_),
            ExitStack() as all_,
        ):
            one = browser(all_, port)
            one.ask("agents", game=GAME)
            one.open([PERSON, OPPONENT, OPPONENT], 0.05, seed)
            one.wait_for_turn()
            click(one)
            cards.append(time.perf_counter() - start)
    ratios = [card / each for card, each in zip(cards[1:], imports[1:], strict=True)]
    return {**quantiles(cards[1:]), "of_importing_numba": round(statistics.median(ratios), 1)}


def quantiles(values: list[float]) -> dict[str, float]:
    """Return median and 95th percentile of some seconds, in milliseconds, and their number."""
    ordered = sorted(values)
    return {
        "median_ms": round(1000 * statistics.median(ordered), 1),
        "p95_ms": round(1000 * ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 1),
        "number": len(ordered),
    }


async def storm(port: int, number: int) -> dict[str, int]:
    """Open many connections that stay silent; count those that were let in, and those refused."""
    url, origin = address(port)
    told = {"let_in": 0, "refused": 0}
    gate = asyncio.Semaphore(200)
    sockets: list[Any] = []

    async def one() -> None:
        async with gate:
            try:
                sockets.append(
                    await connect(url, origin=origin, open_timeout=60, ping_interval=None)
                )
                told["let_in"] += 1
            except Exception:  # refused in one of several ways
                told["refused"] += 1

    await asyncio.gather(*(one() for _ in range(number)))
    for each in sockets:
        await each.close()
    return told


def storm_with_page(port: int, number: int) -> dict[str, Any]:
    """Count a storm of connections, and measure the answers to another browser meanwhile."""
    with ExitStack() as stack:
        one = browser(stack, port)
        command = [sys.executable, "-m", "benchmarks.web", "--storm", str(number), str(port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            found: list[float] = []
            while process.poll() is None:
                start = time.perf_counter()
                one.ask("tables")
                found.append(time.perf_counter() - start)
                time.sleep(0.1)
            assert process.stdout is not None
            told = json.loads(process.stdout.read())
    return {**told, "answers": quantiles(found)}


def first_page(port: int) -> dict[str, Any] | None:
    """Measure the time until chromium shows the games, and the page's size; None without it."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    files = [each.read_bytes() for each in (resources.files("closedhand.web") / "static").iterdir()
             if each.name != "replay.js"]  # fmt: skip
    size = sum(len(gzip.compress(each)) for each in files)
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    found: list[float] = []
    with sync_playwright() as driver:
        program = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(PAGES):
            page = program.new_context().new_page()
            start = time.perf_counter()
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector(".game")
            found.append(time.perf_counter() - start)
            page.context.close()
        program.close()
    return {**quantiles(found), "compressed_bytes": size}


def measure(tables: int, connections: int, seconds: float) -> dict[str, Any]:
    """Measure all figures."""
    found: dict[str, Any] = {"load_before": os.getloadavg()[0], "cores": os.cpu_count()}
    found["first card"] = first_card()
    with (
        tempfile.TemporaryDirectory() as folder,
        server(Path(folder)) as (port, told, _),
        ExitStack() as all_,
    ):
        one = browser(all_, port)
        one.ask("agents", game=GAME)
        clicks(one, 2, 0)  # what is compiled and loaded once is not measured
        for by in HINTERS:
            hints(one, by)
        found["first page"] = first_page(port)
        found["click"] = quantiles(clicks(one, seconds, 1))
        for by in HINTERS:
            found[f"hint, {by}"] = quantiles(hints(one, by))
        for number in range(tables):
            one.ask("open", game=GAME, options={}, seats=[AGENT] * 3, pace=0.5, seed=number)
            time.sleep(0.06)
        busy = browser(all_, port)
        found[f"click beside {tables} tables"] = quantiles(clicks(busy, seconds, 2))
        found[f"hint, decompose, beside {tables} tables"] = quantiles(hints(busy, "decompose"))
        before = len(told)
        found[f"{connections} connections"] = storm_with_page(port, connections)
        found["lines in the log meanwhile"] = told[before:]
    found["load_after"] = os.getloadavg()[0]
    return found


def main() -> None:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--storm", type=int, nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.storm:
        print(json.dumps(asyncio.run(storm(given.storm[1], given.storm[0]))))
        return
    print(json.dumps(measure(given.tables, given.connections, given.seconds), indent=1))


if __name__ == "__main__":
    main()
