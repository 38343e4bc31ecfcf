"""Tables and small games while several things are under way at once."""

import asyncio
import json
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from closedhand import make_game
from closedhand.web import advice, lobby as houses
from closedhand.web.connection import Connection
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.lobby import Lobby
from closedhand.web.table import Table

RANDOM = [{"agent": "random"}] * 2


class Gate:
    """Holds a function of another thread until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        held = getattr(houses, name)

        def wait(*arguments: object) -> object:
            self.reached.set()
            assert self.opened.wait(60)
            return held(*arguments)

        monkeypatch.setattr(houses, name, wait)

    async def reach(self) -> None:
        """Wait until the function has been called."""
        assert await asyncio.to_thread(self.reached.wait, 60)


async def settled(house: Lobby, table: Table) -> None:
    """Wait until the agents of a table have stopped."""
    await house._driven[table.id]


def test_a_table_that_is_closed_while_it_is_set_up_stays_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        before = Lobby(tmp_path)
        table = await before.open("uh_leduc", {}, [{"name": "p"}, {"agent": "random"}])
        before.close()
        house, gate = Lobby(tmp_path), Gate(monkeypatch, "_restored")
        finding = asyncio.ensure_future(house.find(table.id))
        await gate.reach()
        house.drop(table.id)
        gate.opened.set()
        assert await finding is None
        assert not house.tables and not list(tmp_path.glob("*.json"))
        house.close()

    asyncio.run(play())


def test_nobody_finds_the_seed_of_a_table() -> None:
    """By trying all there are, to see the hands of the others and the deals to come."""

    async def open_two() -> list[Table]:
        house, chairs = Lobby(None), [{"agent": "random"}] * 2
        tables = [await house.open("leduc", {}, chairs, pace=0) for _ in range(2)]
        house.close()
        return tables

    first, other = asyncio.run(open_two())
    assert first.seed != other.seed and max(first.seed, other.seed).bit_length() > 64


def test_a_damaged_table_is_none(tmp_path: Path) -> None:
    """Such as one whose deal is no base64; it is no longer listed."""

    async def find() -> None:
        before = Lobby(tmp_path)
        table = await before.open("uh_leduc", {}, RANDOM, pace=0.0)
        before.close()
        path = tmp_path / f"{table.id}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "start": "é"}))
        house = Lobby(tmp_path)
        assert await house.find(table.id) is None
        assert house.listed() == []
        house.close()

    asyncio.run(find())


def test_requests_that_fail_are_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A guest cannot fill the log."""

    async def ask() -> None:
        house = Lobby(None)
        visitor = Connection(house, owner=False)
        for _ in range(5):
            await visitor.answer('{"do": "stop", "work": "x"}')
        assert [visitor.outbox.get_nowait() for _ in range(5)] == [
            '{"re":null,"error":"the server failed to answer this"}'
        ] * 5
        house.close()

    monkeypatch.setattr(Connection, "stop", None)
    with caplog.at_level(logging.WARNING, "closedhand.web"):
        asyncio.run(ask())
    assert len(caplog.records) == 1


def test_a_pace_that_is_set_during_a_step_counts_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def play() -> None:
        house = Lobby(None)
        table = await house.open("uh_leduc", {}, RANDOM, pace=0.0)
        gate = Gate(monkeypatch, "_decide")
        house.drive(table, step=True)
        await gate.reach()
        table.pace = 1e-3
        house.changed(table)
        gate.opened.set()
        await settled(house, table)
        assert table.over
        house.close()

    asyncio.run(play())


def test_a_step_is_one_action() -> None:
    async def play() -> None:
        house = Lobby(None)
        table = await house.open("uh_leduc", {}, RANDOM, pace=0.0)
        house.drive(table, step=True)
        await settled(house, table)
        assert len(table.actions) == 1
        house.close()

    asyncio.run(play())


def test_an_agent_that_failed_once_plays_on(monkeypatch: pytest.MonkeyPatch) -> None:
    decide, failures = houses._decide, [RuntimeError("once")]

    def fail_once(*arguments: object) -> object:
        if failures:
            raise failures.pop()
        return decide(*arguments)

    monkeypatch.setattr(houses, "_decide", fail_once)

    async def play() -> None:
        house = Lobby(None)
        table = await house.open("leduc", {}, RANDOM, seed=1, pace=0.01)
        await settled(house, table)
        assert table.trouble == "random: RuntimeError" and not table.actions
        house.changed(table)
        await settled(house, table)
        assert table.over and not table.trouble
        house.close()

    asyncio.run(play())


def test_a_solver_replaces_no_strategy_by_itself() -> None:
    """A step that is under way when another strategy is chosen must not replace that."""
    small = GameExplorer(make_game("leduc"))
    steps = small.solve("cfr", 0)
    look, judged = next(steps)
    assert (look.name, judged["name"], small.look.name) == ("cfr", "cfr", "uniform")
    small.play("random")
    next(steps)
    assert small.look.name == "random"


def test_an_agent_gives_one_hint_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents keep scratch memory, which two decisions at once would write over."""

    class Busy:
        name = "busy"
        is_busy = False

        def act(self, view: np.void) -> int:
            assert not self.is_busy
            self.is_busy = True
            time.sleep(0.01)
            self.is_busy = False
            return int(game.legal(view)[0])

    monkeypatch.setattr(advice, "make_agent", lambda *_: Busy())
    game = make_game("leduc")
    view = game.view_from(0, "SK")
    advice.suggest(game, view, "busy", 0)
    with ThreadPoolExecutor(4) as threads:
        hints = threads.map(lambda _: advice.suggest(game, view, "busy", 0), range(8))
        assert len(list(hints)) == 8
