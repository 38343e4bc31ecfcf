"""A seat elsewhere is left at once, wherever the thread of its client is."""

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
from closedhand.web.remote_seat import Address, RemoteSeat, Stay
from closedhand.web.table import Chair

LEFT = "you have left"


class Elsewhere:
    """A seat at a server that begins a match and says no more, and an event loop by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, is_asked: bool = False) -> None:
        self.calls: queue.Queue[tuple[Callable[..., None], Any]] = queue.Queue()
        self.connects, self.left, self.ended = (threading.Event() for _ in range(3))
        self.opened: list[RemoteSeat] = []
        self.changes = 0
        game = make_game("daihinmin").flat
        state = game.deal(np.random.default_rng(0))
        own = int(state["player"])
        view = game.view(state, own)

        def client(guest: Any, *_: object, watch: Any) -> Any:
            assert self.connects.wait(60)

            def play() -> Any:
                try:
                    watch(view, own, -1)
                    if is_asked:
                        guest(game).act(view)
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
        monkeypatch.setattr(remote_seat, "prepare", lambda game: None)
        address = Address("daihinmin", {}, "127.0.0.1", 1)
        self.stay = Stay(address, Chair(name="p"), self.opened.append, self.changed)
        self.stay.start()

    def changed(self, table: RemoteSeat) -> None:
        self.changes += 1

    def next(self) -> Callable[[], None]:
        """The next call that the thread wants to be made in the loop."""
        function, *arguments = self.calls.get(timeout=60)
        return lambda: function(*arguments)

    def end(self) -> None:
        """Wait for the end of the match; nothing more may be wanted then."""
        assert self.left.wait(60) and self.ended.wait(60)
        assert self.stay.end == LEFT


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
    elsewhere.stay.leave()
    assert not table.asked
    elsewhere.end()
    ask()  # one that comes too late
    assert not table.asked


def test_a_seat_is_left_before_there_is_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Elsewhere(monkeypatch)
    elsewhere.stay.leave()
    assert elsewhere.stay.end == LEFT
    elsewhere.connects.set()
    elsewhere.end()
    assert elsewhere.stay.table is None and elsewhere.calls.empty()


def test_no_table_is_opened_for_who_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Elsewhere(monkeypatch, is_asked=True)
    elsewhere.connects.set()
    begin = elsewhere.next()
    elsewhere.stay.leave()
    begin()
    elsewhere.end()
    assert elsewhere.opened == []
