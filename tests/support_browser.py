"""A browser for tests: Debian's chromium, driven by Playwright, and what tests do in it."""

import io
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

# The shell takes half the processor time: it has no windows to draw.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
if CHROMIUM is None and os.environ.get("CI") == "true":
    raise RuntimeError("chromium is missing: make chromium")

NEEDS_CHROMIUM = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: make chromium"),
]

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 400, "height": 800}
WAIT = 60_000
"""Longest time to wait for one event, in milliseconds."""
LIMIT = 300.0
"""Seconds for a test from its first page on; its kernels are compiled before that."""
SHOTS = Path(shots).resolve() if (shots := os.environ.get("CLOSEDHAND_SHOTS")) else None
"""Folder for screenshots `web-NAME.png`; for a folder `docs` only those of `web.md`."""
SHOT_WIDTH, SHOT_COLOURS = 960, 256
"""Widest screenshot in pixels, and its colours: few enough for a small file."""


def set_table(page: Any, game: str, first: str, others: str, pace: str) -> None:
    """Choose a game, its agents and their speed; an empty agent stands for a person."""
    page.click(f"[data-game={game}]")
    # Wait until the form shows the seats and agents of this game.
    page.wait_for_selector(f".game.selected[data-game={game}]")
    page.wait_for_selector("fieldset[data-agents*=random]")
    if page.query_selector("[data-option=bidding]"):  # cards are played at once
        page.click(".options summary")
        page.select_option("[data-option=bidding] select", "")
    seats = page.locator(".seat-choice select")
    for place in range(seats.count()):
        agent = others if place else first
        seats.nth(place).select_option(agent or None, index=None if agent else 0)
    page.select_option("#pace", pace)


def start(page: Any, game: str, others: str = "random") -> None:
    """Join a new table, with agents that play at once, or with other persons."""
    set_table(page, game, "", others, "0.02")
    page.click("#start")
    page.wait_for_selector(".status")


def wait_for_turn(page: Any) -> bool:
    """Wait until it is this person's turn; False if the hand is over."""
    status = page.wait_for_selector('.status[data-turn="true"], .status[data-over="true"]')
    return status.get_attribute("data-over") != "true"


def version(page: Any) -> str:
    return page.get_attribute(".table-page", "data-version")


def wait_for_change(page: Any, before: str) -> None:
    page.wait_for_selector(f'.table-page:not([data-version="{before}"])')


def legal_plays(page: Any) -> list[str]:
    """Read the list of legal plays: open it and close it again."""
    page.click("#list")
    page.wait_for_selector(".legal button")
    texts = page.locator(".legal button").all_text_contents()
    page.click("#list")
    page.wait_for_selector(".legal", state="detached")
    return texts


def shoot(page: Any, name: str, full: bool = False) -> None:
    if SHOTS is None:
        return
    about = SHOTS / "web.md"
    if not about.exists() or f"(web-{name}.png)" in about.read_text(encoding="utf-8"):
        from PIL import Image

        page.wait_for_timeout(500)
        shot = Image.open(io.BytesIO(page.screenshot(full_page=full))).convert("RGB")
        shot.thumbnail((SHOT_WIDTH, 4 * SHOT_WIDTH))
        shot.quantize(SHOT_COLOURS).save(SHOTS / f"web-{name}.png", optimize=True)
