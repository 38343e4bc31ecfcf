"""Hints and other long work for a browser, over a real socket."""

from collections.abc import Iterator
from queue import SimpleQueue
from threading import Event
from typing import Any

import numpy as np
import pytest
from support_web import Wire, compile_advice, serving, wired

from closedhand import make_game
from closedhand.core.records import from_state
from closedhand.web import advice, connection, open_hands, study

ENDLESS = 1000.0
GAME = make_game("doudizhu")
DEAL = GAME.deal(np.random.default_rng(0))
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
