"""A remote seat is left at once, wherever the thread of its client is."""

import asyncio
import queue
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from closedhand import make_game
from closedhand.web import remote_seat
from closedhand.web.remote_seat import Address, RemoteMatch, RemoteSeat
from closedhand.web.table import Seat

LEFT = "you have left"


class Elsewhere:
    """A seat at a server that falls silent after the beginning, with a manual event loop."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, is_asked: bool = False, agent: str = ""
    ) -> None:
        self.steps: list[Any] = []
        self.calls: queue.Queue[tuple[Callable[..., None], Any]] = queue.Queue()
        self.connects, self.left, self.ended = (threading.Event() for _ in range(3))
        self.opened: list[RemoteSeat] = []
        self.changes = 0
        game = make_game("daihinmin").flat
        state = game.deal(np.random.default_rng(0))
        own = int(state["player"])
        view = game.view(state, own)

        def client(player: Any, *_: object, watch: Any) -> Any:
            self.steps.append(player)
            assert self.connects.wait(60)

            def play() -> Any:
                try:
                    watch(view, own, -1)
                    if is_asked:
                        player.act(view)
                    assert self.left.wait(60)
                except EOFError:
                    pass
                finally:
                    self.ended.set()
                return SimpleNamespace(complete=False)

            return SimpleNamespace(game=game, play=play, leave=self.left.set)

        loop = SimpleNamespace(call_soon_threadsafe=lambda *call: self.calls.put(call))
        monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
        monkeypatch.setattr(remote_seat, "load", lambda ref: client)

        def bind(*given: object) -> Any:
            self.steps.append(given)
            return game

        address = Address("daihinmin", {}, "127.0.0.1", 1)
        seat = Seat(name="p", agent=agent)
        self.match = RemoteMatch(address, seat, bind, self.opened.append, self.changed)
        self.match.start()

    def changed(self, table: RemoteSeat) -> None:
        self.changes += 1

    def next(self) -> Callable[[], None]:
        """The next call that the thread schedules in the loop."""
        function, *arguments = self.calls.get(timeout=60)
        return lambda: function(*arguments)

    def end(self) -> None:
        """Wait for the end of the match; no scheduled call may be left."""
        assert self.left.wait(60) and self.ended.wait(60)
        assert self.match.end == LEFT


@pytest.mark.parametrize("agent", ["", "random"])
def test_all_is_compiled_before_there_is_a_connection(
    monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    """The game of the table here; the client warms up an agent that it makes from its text."""
    elsewhere = Elsewhere(monkeypatch, agent=agent)
    elsewhere.connects.set()
    elsewhere.next()()
    assert elsewhere.steps == [("daihinmin", {}), agent or elsewhere.match]
    elsewhere.match.leave()
    elsewhere.end()


def test_a_silent_match_is_left_with_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Elsewhere(monkeypatch)
    elsewhere.connects.set()
    elsewhere.next()()
    (table,) = elsewhere.opened
    table.close()
    assert (table.trouble, elsewhere.changes) == (LEFT, 1)
    elsewhere.end()
    table.close()
    assert elsewhere.changes == 1


def test_a_person_who_is_asked_may_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Elsewhere(monkeypatch, is_asked=True)
    elsewhere.connects.set()
    elsewhere.next()()
    ask = elsewhere.next()
    ask()
    (table,) = elsewhere.opened
    assert table.asked
    elsewhere.match.leave()
    assert not table.asked
    elsewhere.end()
    ask()  # one that comes too late
    assert not table.asked


def test_a_seat_is_left_before_there_is_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Elsewhere(monkeypatch)
    elsewhere.match.leave()
    assert elsewhere.match.end == LEFT
    elsewhere.connects.set()
    elsewhere.end()
    assert elsewhere.match.table is None and elsewhere.calls.empty()


def test_no_table_is_opened_for_who_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Elsewhere(monkeypatch, is_asked=True)
    elsewhere.connects.set()
    begin = elsewhere.next()
    elsewhere.match.leave()
    begin()
    elsewhere.end()
    assert elsewhere.opened == []
