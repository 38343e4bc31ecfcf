"""Hints and other long work for a browser, over a real socket."""

import json
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Event
from typing import Any

import numpy as np
import pytest
from support_web import Wire, compile_advice, serving, wired

from closedhand import InputError, make_game
from closedhand.core.records import from_state
from closedhand.web import advice, connection, game_explorer, open_hands, study
from closedhand.web.preparation import Preparation

ENDLESS = 1000.0
GAME = make_game("doudizhu")
DEAL = GAME.deal(np.random.default_rng(0))
LAST = 10**6  # number of a request that is answered last
RULES = {"game": "doudizhu", "language": "en"}
HANDS = GAME.deal_text(DEAL).split(";")


@pytest.fixture
def wire() -> Iterator[Wire]:
    compile_advice("doudizhu", "greedy")
    with serving() as port, wired(port) as wire:
        yield wire


def ask_for_a_hint(wire: Wire, about: int = 0) -> None:
    """Ask about the first lead of a hand, which has more plays than a hint shows."""
    hand, _, public = GAME.knowledge(DEAL, 0)
    given = {"game": "doudizhu", "options": {}, "player": 0, "hand": hand, "public": public}
    wire.ask("analyse", **given, actions="", by="greedy", about=about)


def ask_for_judgements(wire: Wire) -> None:
    end = GAME.playout(DEAL.copy(), np.random.default_rng(0))
    wire.ask("replay", record=from_state(GAME, end, ["x"] * 3).to_json())
    wire.ask("judge")


def ask_for_an_endgame(wire: Wire) -> None:
    wire.ask("place", game="doudizhu", options={}, hands=HANDS[:3], turn=0)


def ask_for_a_solution(wire: Wire) -> None:
    wire.ask("small", game="leduc", options={})
    wire.ask("solve", algorithm="cfr")


def test_a_hint_waits_for_no_former_one(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """A former hint is in the middle of a step that would last for minutes."""
    monkeypatch.setattr(advice, "STEP", ENDLESS)
    for about in range(3):
        ask_for_a_hint(wire, about)
        wire.until(
            lambda data, about=about: (
                data["push"] == "hint" and data["about"] == about and data["values"]
            )
        )


@pytest.mark.parametrize(
    ("name", "ask"),
    [("hint", ask_for_a_hint), ("judge", ask_for_judgements), ("endgame", ask_for_an_endgame)],
)
def test_work_ends_once_nobody_waits_for_it(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, name: str, ask: Any
) -> None:
    monkeypatch.setattr(advice, "card_chances", lambda *_: {})  # looks at an event of its own
    monkeypatch.setattr(advice, "FIRST", ENDLESS)
    monkeypatch.setattr(study, "JUDGING", ENDLESS)
    monkeypatch.setattr(open_hands, "LONG", ENDLESS)
    begun, ended = SimpleQueue[None](), SimpleQueue[None]()

    class Watched(Event):
        def is_set(self) -> bool:
            found = super().is_set()
            (ended if found else begun).put(None)
            return found

    monkeypatch.setattr(connection, "Event", Watched)
    ask(wire)
    begun.get(timeout=60)
    wire.ask("stop", work=name)
    ended.get(timeout=60)


@pytest.mark.parametrize(
    ("push", "ask", "place"),
    [
        ("hint", ask_for_a_hint, (advice, "suggest")),
        ("chances", ask_for_a_hint, (advice, "card_chances")),
        ("judged", ask_for_judgements, (study.Study, "judgements")),
        ("endgame", ask_for_an_endgame, (open_hands, "solved")),
        ("solved", ask_for_a_solution, (game_explorer.GameExplorer, "solve")),
    ],
)
def test_the_page_learns_that_work_failed(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, push: str, ask: Any, place: tuple[Any, str]
) -> None:
    """A game or an agent from outside may raise anything."""

    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(*place, fail)
    ask(wire)
    found = wire.until(lambda data: data["push"] == push and data.get("error"), since=0)
    assert found["error"].endswith(": ZeroDivisionError")


def test_a_game_that_cannot_be_described_replaces_none(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise InputError("no description")

    wire.ask("small", game="leduc", options={})
    before = wire.ask("public", state=0)
    monkeypatch.setattr(game_explorer.GameExplorer, "describe", fail)
    assert wire.refused("small", game="uh_leduc", options={}) == "no description"
    assert wire.ask("public", state=0) == before


def test_what_waits_for_the_preparation_holds_up_nothing_else(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, waiting = Event(), SimpleQueue[str]()

    def wait(self: Preparation, game: str, stage: str = "table") -> None:
        waiting.put(stage)
        assert released.wait(60)

    seats = [{"name": "Ann"}, *[{"agent": "random"}] * 2]
    opened = wire.ask("open", game="doudizhu", options={}, seats=seats, seed=0)
    wire.ask("join", table=opened["table"], token=opened["tokens"][0])
    monkeypatch.setattr(Preparation, "wait", wait)
    version = wire.table["version"]
    for work in ("hint", "chances"):
        wire.ask(work, version=version)
    ask_for_judgements(wire)
    wire.ask("endgame", ply=0)
    assert sorted(waiting.get(timeout=60) for _ in range(4)) == ["endgames", *["hints"] * 3]
    assert "no play" in wire.ask("why", version=version, cards=["3", "4"])
    again = {"game": "doudizhu", "options": {}, "seats": seats}
    wire.socket.send(json.dumps({"do": "open", "n": LAST, **again}))
    assert waiting.get(timeout=60) == "table"
    for name, given in (("ping", {}), ("preparation", {}), ("tables", {}), ("rules", RULES)):
        wire.ask(name, **given)
    released.set()
    while wire.receive().get("re") != LAST:
        pass
