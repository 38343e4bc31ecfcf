"""Pictures of the table, drawn once for every game from `game.scene`."""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from closedhand.core.extras import needing
from closedhand.core.game import Game, State
from closedhand.core.moved import old_names
from closedhand.core.scene import BLANK, Row
from closedhand.core.text import showable

__getattr__ = old_names(__name__)

WIDTH, HEIGHT = 960, 540
MARGIN, GAP = 28, 14
LABEL = 30

TABLE, RIM = (26, 107, 70), (18, 79, 51)
PAPER, INK, EDGE = (252, 250, 244), (30, 34, 40), (120, 120, 116)
BACK, PATTERN = (47, 76, 140), (86, 116, 184)
TEXT, FAINT, ACTIVE = (240, 246, 242), (176, 210, 192), (255, 209, 92)

SUITS = {"c": (22, 110, 60), "d": (24, 88, 176), "h": (190, 30, 40), "s": INK}
"""Colours of the suits that end the text of a card."""


def render(game: Game, state: State, mode: str) -> str | np.ndarray | None:
    """A picture of a state, or of a view, with its hidden cards face down.

    Args:
        game: The game.
        state: A state of it.
        mode: `ansi`, `rgb_array`, or `human`, which prints the text.

    Returns:
        The text, an array uint8 [540, 960, 3], or None.
    """
    if mode == "rgb_array":
        return picture(game.scene(state))
    text = game.board(state)
    if mode == "ansi":
        return text
    print(showable(text, sys.stdout), end="\n\n", flush=True)
    return None


def require_pillow() -> Any:
    """Pillow's module `Image`.

    Raises:
        InputError: Pillow is not installed.
    """
    with needing():
        from PIL import Image
    return Image


def picture(rows: Sequence[Row]) -> np.ndarray:
    """Rows of cards as a picture, uint8 [540, 960, 3].

    Raises:
        InputError: Pillow is not installed.
    """
    pillow = require_pillow()
    from PIL import ImageDraw

    image = pillow.new("RGB", (WIDTH, HEIGHT), RIM)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((8, 8, WIDTH - 9, HEIGHT - 9), 26, TABLE)
    height = (HEIGHT - 2 * GAP) / len(rows)
    for i, row in enumerate(rows):
        _draw_row(draw, row, GAP + i * height, height)
    return np.asarray(image).copy()


def _draw_row(draw: Any, row: Row, top: float, height: float) -> None:
    color = ACTIVE if row.active else TEXT
    text_y = top + LABEL / 2 + 2
    if row.active:
        draw.polygon(
            [(MARGIN, text_y - 7), (MARGIN, text_y + 7), (MARGIN + 11, text_y)], ACTIVE
        )  # fmt: skip
    label = (MARGIN + 18, text_y)
    draw.text(label, row.label, color, _font(19), anchor="lm")
    x = label[0] + draw.textlength(row.label, _font(19)) + 18
    draw.text((x, text_y), row.note, FAINT, _font(18), anchor="lm")
    card_height = min(height - LABEL - GAP, 96)
    card_width = card_height * 0.7
    room = WIDTH - 2 * MARGIN - card_width
    step = min(card_width + 5, room / max(1, len(row.cards) - 1))
    for i, card in enumerate(row.cards):
        if card != BLANK:
            _draw_card(draw, card, MARGIN + i * step, top + LABEL, card_width, card_height)


def _draw_card(draw: Any, card: str, x: float, y: float, width: float, height: float) -> None:
    box = (x, y, x + width, y + height)
    radius = height * 0.09
    if not card:
        draw.rounded_rectangle(box, radius, BACK, PAPER, 2)
        inner = (x + 6, y + 6, x + width - 6, y + height - 6)
        draw.rounded_rectangle(inner, radius / 2, None, PATTERN, 2)
        return
    draw.rounded_rectangle(box, radius, PAPER, EDGE, 1)
    if card[-1] in SUITS:
        _draw_suit(draw, card[-1], x + width * 0.5, y + height * 0.66, height * 0.17)
        card, color = card[:-1], SUITS[card[-1]]
    else:
        color = INK
    size = height * (0.36 if len(card) < 3 else 0.26)
    draw.text((x + width * 0.12, y + height * 0.08), card, color, _font(size))


def _draw_suit(draw: Any, suit: str, x: float, y: float, r: float) -> None:
    """A suit around a point; `r` is half its height. No font is sure to have it."""
    color = SUITS[suit]

    def disc(dx: float, dy: float, radius: float) -> None:
        left, top = x + (dx - radius) * r, y + (dy - radius) * r
        draw.ellipse((left, top, left + 2 * radius * r, top + 2 * radius * r), color)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(x + dx * r, y + dy * r) for dx, dy in points], color)

    match suit:
        case "d":
            shape((0, -1), (0.75, 0), (0, 1), (-0.75, 0))
        case "h":
            disc(-0.42, -0.4, 0.5)
            disc(0.42, -0.4, 0.5)
            shape((-0.88, -0.2), (0.88, -0.2), (0, 1))
        case "s":
            disc(-0.42, 0.25, 0.48)
            disc(0.42, 0.25, 0.48)
            shape((-0.86, 0.05), (0, -1), (0.86, 0.05))
            shape((0, 0.2), (0.35, 1), (-0.35, 1))
        case _:  # clubs
            for dx, dy in ((0, -0.5), (-0.5, 0.25), (0.5, 0.25)):
                disc(dx, dy, 0.46)
            shape((0, -0.2), (0.35, 1), (-0.35, 1))


def _font(size: float) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)
