"""Tables and small games under concurrent requests."""

import asyncio
import json
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.web import advice, lobby as module, requests
from closedhand.web.connection import Connection
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.lobby import Lobby
from closedhand.web.table import Hand, Table

RANDOM = [{"agent": "random"}] * 2


class Gate:
    """Blocks a function of another thread until the gate is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()
        held = getattr(module, name)

        def wait(*arguments: object) -> object:
            self.reached.set()
            assert self.opened.wait(60)
            return held(*arguments)

        monkeypatch.setattr(module, name, wait)

    async def reach(self) -> None:
        """Wait until the function has been called."""
        assert await asyncio.to_thread(self.reached.wait, 60)


async def listed(lobby: Lobby) -> list[dict[str, Any]]:
    """The list of tables that a page gets; the lobby is closed."""
    connection = Connection(lobby, owner=True)
    await connection.answer('{"do": "tables"}')
    found = json.loads(connection.outbox.get_nowait() or "")
    lobby.close()
    return found["ok"]


def fail_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first decision of an agent fail."""
    decide, failures = module._decide, [ZeroDivisionError()]

    def decide_later(*arguments: object) -> object:
        if failures:
            raise failures.pop()
        return decide(*arguments)

    monkeypatch.setattr(module, "_decide", decide_later)


async def settled(table: Table) -> None:
    """Wait until the agents of a table have stopped."""
    assert table.task is not None
    await table.task


def test_a_table_that_is_closed_while_it_is_set_up_stays_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        before = Lobby(tmp_path)
        table = await before.open("uh_leduc", {}, [{"name": "p"}, {"agent": "random"}])
        before.close()
        lobby, gate = Lobby(tmp_path), Gate(monkeypatch, "_restored")
        finding = asyncio.ensure_future(lobby.find(table.id))
        await gate.reach()
        lobby.drop(table.id)
        gate.opened.set()
        assert await finding is None
        assert not lobby.tables and not list(tmp_path.glob("*.json"))
        lobby.close()

    asyncio.run(play())


def test_files_that_cannot_be_removed_are_named(tmp_path: Path) -> None:
    """A table whose file would bring it back stays open."""

    async def drop() -> list[Any]:
        requests.register()
        lobby = Lobby(tmp_path)
        table = await lobby.open("leduc", {}, RANDOM, pace=0.0)
        path = tmp_path / f"{table.id}.json"
        for name in (path, lobby.past.path):
            name.unlink(missing_ok=True)
            name.mkdir()
        connection = Connection(lobby, owner=True)
        await connection.answer(json.dumps({"do": "drop", "table": table.id}))
        assert lobby.ids == {table.id}
        await connection.answer('{"do": "forget"}')
        path.rmdir()
        await connection.answer(json.dumps({"do": "drop", "table": table.id}))
        assert not lobby.ids
        lobby.close()
        return [json.loads(connection.outbox.get_nowait() or "") for _ in range(3)]

    dropped, forgotten, gone = asyncio.run(drop())
    assert "cannot remove" in dropped["error"] and "cannot remove" in forgotten["error"]
    assert gone["ok"] is None


def test_no_table_is_opened_for_an_agent_whose_file_is_missing(tmp_path: Path) -> None:
    missing = f"strategy:{tmp_path}/none.npz"

    async def seat() -> None:
        lobby = Lobby(tmp_path, {"leduc": [missing]})
        with pytest.raises(InputError, match="cannot read"):
            await lobby.open("leduc", {}, [{"name": "p"}, {"agent": missing}])
        assert not lobby.ids
        lobby.close()

    asyncio.run(seat())


def test_the_latest_table_is_listed_first_and_none_is_missing(tmp_path: Path) -> None:
    """Those in memory and those of the folder."""

    async def compare() -> None:
        requests.register()
        lobby = Lobby(tmp_path)
        seats = [{"name": ""}, {"agent": "random"}]
        tables = [(await lobby.open("uh_leduc", {}, seats, pace=60.0)).id for _ in range(53)]
        assert [each["table"] for each in await listed(lobby)] == tables[::-1]
        again = await listed(Lobby(tmp_path))
        assert [each["table"] for each in again] == tables[::-1]
        assert again[0]["total"] == 0 and again[0]["occupants"] == ["person", "random"]

    asyncio.run(compare())


def test_a_list_shows_the_first_person_wherever_players_have_been_rotated(tmp_path: Path) -> None:
    """The owner's link must not open another person's hand."""

    async def rotate() -> None:
        requests.register()
        lobby = Lobby(tmp_path)
        table = await lobby.open("leduc", {}, [{"name": "Ann"}, {"name": "Bob"}])
        own = table.seats[0].token
        table.hands = [Hand([3.0, -3.0], [0, 1], ["Ann", "Bob"], 0)]
        table.again(same=True)
        lobby.changed(table)
        (shown,) = await listed(lobby)
        assert (shown["token"], shown["total"]) == (own, 3.0)
        assert shown["occupants"] == ["Bob", "Ann"]

    asyncio.run(rotate())


def test_nobody_finds_the_seed_of_a_table(tmp_path: Path) -> None:
    """A seed found by search would reveal hidden hands and future deals."""

    async def open_two() -> list[Table]:
        lobby, seats = Lobby(tmp_path), [{"agent": "random"}] * 2
        tables = [await lobby.open("leduc", {}, seats, pace=0) for _ in range(2)]
        lobby.close()
        return tables

    first, other = asyncio.run(open_two())
    assert first.seed != other.seed and max(first.seed, other.seed).bit_length() > 64


def test_a_damaged_table_is_none(tmp_path: Path) -> None:
    """A saved table whose deal is not base64 disappears from the list."""

    async def find() -> None:
        before = Lobby(tmp_path)
        table = await before.open("uh_leduc", {}, RANDOM, pace=0.0)
        before.close()
        path = tmp_path / f"{table.id}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "start": "é"}))
        lobby = Lobby(tmp_path)
        assert await lobby.find(table.id) is None
        assert lobby.listed() == []
        lobby.close()

    asyncio.run(find())


@pytest.mark.parametrize(
    ("key", "place", "field", "value", "reason"),
    [
        ("hands", 0, "players", [1, 1], "the players are [0, 1] in some order, not [1, 1]"),
        ("hands", 0, "returns", [], "a hand of 2 players has as many returns and occupants"),
        ("seats", 1, "player", 7, "the players are [0, 1] in some order, not [0, 7]"),
        ("seats", 1, "token", None, "'token' is a text, not None"),
    ],
)
def test_the_list_leaves_a_damaged_table_out_and_logs_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture,
    key: str, place: int, field: str, value: Any, reason: str,
) -> None:  # fmt: skip
    async def list_them() -> None:
        before = Lobby(tmp_path)
        tables = [await before.open("uh_leduc", {}, [{"name": "p"}, RANDOM[0]]) for _ in range(2)]
        tables[0].hands = [Hand([1.0, -1.0], [0, 1], ["p", "random"], 0)]
        before.changed(tables[0])
        before.close()
        path = tmp_path / f"{tables[0].id}.json"
        saved = json.loads(path.read_text())
        saved[key][place][field] = value
        path.write_text(json.dumps(saved))
        assert [each["table"] for each in await listed(Lobby(tmp_path))] == [tables[1].id]
        assert f"the table {tables[0].id} is left out: {reason}" in caplog.text

    requests.register()
    asyncio.run(list_them())


def test_failed_requests_are_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """A guest cannot fill the log with failures."""

    async def ask() -> None:
        lobby = Lobby(tmp_path)
        connection = Connection(lobby, owner=False)
        for _ in range(5):
            await connection.answer('{"do": "stop", "work": "x"}')
        assert [connection.outbox.get_nowait() for _ in range(5)] == [
            '{"re":null,"error":"the server failed to answer this"}'
        ] * 5
        lobby.close()

    monkeypatch.setattr(Connection, "stop", None)
    with caplog.at_level(logging.WARNING, "closedhand.web"):
        asyncio.run(ask())
    assert len(caplog.records) == 1


def test_a_pace_that_is_set_during_a_step_counts_after_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def play() -> None:
        lobby = Lobby(tmp_path)
        table = await lobby.open("uh_leduc", {}, RANDOM, pace=0.0)
        gate = Gate(monkeypatch, "_decide")
        lobby.drive(table, step=True)
        await gate.reach()
        table.pace = 1e-3
        lobby.changed(table)
        gate.opened.set()
        await settled(table)
        assert table.over
        lobby.close()

    asyncio.run(play())


def test_a_step_is_one_action(tmp_path: Path) -> None:
    async def play() -> None:
        lobby = Lobby(tmp_path)
        table = await lobby.open("uh_leduc", {}, RANDOM, pace=0.0)
        lobby.drive(table, step=True)
        await settled(table)
        assert len(table.actions) == 1
        lobby.close()

    asyncio.run(play())


@pytest.mark.parametrize(
    ("pace", "step", "played"), [(0.0, False, 0), (0.0, True, 1), (1e-3, False, None)]
)
def test_a_pace_that_is_set_while_an_action_is_held_back_counts_at_once(
    tmp_path: Path, pace: float, step: bool, played: int | None
) -> None:
    """A table that is paused plays nothing more but its steps."""

    async def play() -> None:
        lobby = Lobby(tmp_path)
        table = await lobby.open("uh_leduc", {}, RANDOM, pace=60.0)
        while not table.woken._waiters:
            await asyncio.sleep(0)
        table.pace = pace
        lobby.changed(table)
        if step:
            lobby.drive(table, step=True)
        await asyncio.wait_for(settled(table), 30)
        assert table.over if played is None else len(table.actions) == played
        lobby.close()

    asyncio.run(play())


def test_an_agent_that_failed_once_plays_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fail_once(monkeypatch)

    async def play() -> None:
        lobby = Lobby(tmp_path)
        table = await lobby.open("leduc", {}, RANDOM, seed=1, pace=0.01)
        await settled(table)
        assert table.trouble == "random: ZeroDivisionError" and not table.actions
        lobby.changed(table)
        await settled(table)
        assert table.over and not table.trouble
        lobby.close()

    asyncio.run(play())


def test_a_push_that_fails_stops_no_game(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play() -> None:
        lobby, later = Lobby(tmp_path), []
        table = await lobby.open("leduc", {}, RANDOM, pace=0.01)
        table.listeners |= {lambda: 1 // 0, lambda: later.append(table.version)}
        await settled(table)
        assert table.over and not table.trouble and table.version in later
        lobby.close()

    asyncio.run(play())
    assert "a push failed" in caplog.text


def test_an_agent_that_fails_at_a_position_that_is_left_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fail_once(monkeypatch)

    async def play() -> None:
        gate = Gate(monkeypatch, "_decide")
        lobby = Lobby(tmp_path)
        table = await lobby.open("leduc", {}, RANDOM, seed=1, pace=0.01)
        await gate.reach()
        table.again(same=False)
        lobby.changed(table)
        gate.opened.set()
        await settled(table)
        assert table.over and not table.trouble
        lobby.close()

    asyncio.run(play())


def test_a_solver_replaces_no_strategy_by_itself() -> None:
    """A step that ends after another strategy was chosen must not replace that strategy."""
    explorer = GameExplorer(make_game("leduc"))
    steps = explorer.solve("cfr", 0)
    profile, judged = next(steps)
    assert (profile.name, judged["name"], explorer.profile.name) == ("cfr", "cfr", "uniform")
    explorer.play("random")
    next(steps)
    assert explorer.profile.name == "random"


def test_an_agent_gives_one_hint_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents keep scratch memory, which two decisions at once would overwrite."""

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
    advice.suggest(game, view, "busy")
    with ThreadPoolExecutor(4) as threads:
        hints = threads.map(lambda _: advice.suggest(game, view, "busy"), range(8))
        assert len(list(hints)) == 8
