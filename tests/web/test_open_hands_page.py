"""Exact results on the page, in a real browser: of typed hands, and of a replay."""

import urllib.parse
from collections.abc import Callable
from typing import Any

import pytest
from support_browser import NEEDS_CHROMIUM
from support_web import compile_advice

from closedhand.web import study
from closedhand.web.study import games_in

pytestmark = NEEDS_CHROMIUM


def test_open_hands_are_solved(visit: Callable[..., Any]) -> None:
    compile_advice("doudizhu", "greedy")
    page = visit("#/analyse")
    page.select_option("#game", "doudizhu")
    page.fill("[data-hand='0']", "33S")
    page.fill("[data-hand='1']", "4QB")
    page.click("#solve-hands")
    page.wait_for_selector(".endgame >> text=A forced win of landlord")
    worths = page.locator(".worths li").all_inner_texts()
    assert [text.split()[-1] for text in worths] == ["winning", "losing", "losing"]
    assert page.locator(".endgame .line li").count() == 3
    page.fill("[data-hand='1']", "33333")
    page.click("#solve-hands")
    page.wait_for_selector("#open-hands .error")


def test_a_late_endgame_of_a_replay_is_solved(
    visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the analysis, and in the story of the game."""
    compile_advice("doudizhu", "value-net")
    monkeypatch.setattr(study, "JUDGING", 0.02)
    monkeypatch.setattr(study, "PLAYOUTS", 20)
    short = min((each["record"] for each in games_in(sample="deeprocket_match.jsonl")), key=len)
    page = visit(f"#/replay/{urllib.parse.quote(short)}")
    page.wait_for_selector("#scrub")
    page.click("#analyse")
    page.wait_for_selector(".endgame .forced")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".endgame >> text=A forced win of")
    page.click("#judge")
    page.wait_for_selector("#judge:not([disabled])")
    page.locator(".tabs button").first.click()
    story = page.locator(".story .forced").all_inner_texts()
    assert "can force the win, all hands open" in story[0]
    assert all("gives the win away" in text for text in story[1:])
