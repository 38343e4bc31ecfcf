"""Pictures of the table of any game, drawn from `game.scene`."""

import sys
from collections.abc import Sequence
from functools import lru_cache
from math import copysign, cos, pi, sin
from typing import Any
from unicodedata import combining, normalize

import numpy as np

from closedhand.core.display import BLANK, Face, Row, face, remark
from closedhand.core.game import Game, State
from closedhand.core.optional_imports import imported
from closedhand.core.text import showable

WIDTH, HEIGHT = 960, 540
EDGE, GAP = 16, 6  # pixels between the rows and the edges of the picture, and between rows
NAMES, CARDS, LAST = 28, 206, 726
"""Left ends of the names, of the cards, and of the last plays and notes, in pixels."""
RIGHT = WIDTH - 28
CARD_HEIGHT, CARD_SHAPE = 124, 0.7
"""Maximum height of a card, and the ratio of its width to its height."""
COUNTED = 5
"""Rows of at least so many cards state their number; rows with hidden cards from 2 cards on."""
TEXT_SIZE, NOTE_SIZE, NOTE_LINE = 25, 23, 27
SMOOTH = 4  # factor by which cards are drawn larger, and then reduced, for smooth edges

TABLE, RIM, SEAT = (26, 107, 70), (18, 79, 51), (38, 128, 86)
PAPER, INK, PALE, LINE = (252, 250, 244), (30, 34, 40), (205, 203, 198), (120, 120, 116)
BACK, PATTERN = (47, 76, 140), (86, 116, 184)
TEXT, FAINT, ACTIVE = (240, 246, 242), (190, 220, 204), (255, 209, 92)

SUITS = {"c": (22, 110, 60), "d": (24, 88, 176), "h": (190, 30, 40), "s": INK, "": INK}
"""Colours of the suits; the last is for cards without a suit."""
JOKERS = {"joker": (126, 40, 140), "small joker": (90, 96, 104), "big joker": (190, 30, 40)}

Points = list[tuple[float, float]]


def render(game: Game, state: State, mode: str) -> str | np.ndarray | None:
    """Draw a state, or a view with its hidden cards face down.

    Return a text for `ansi`, uint8 [540, 960, 3] for `rgb_array`; print the text for `human`.
    """
    if mode == "rgb_array":
        return picture(game.scene(state))
    text = game.board(state)
    if mode == "ansi":
        return text
    print(showable(text, sys.stdout), end="\n\n", flush=True)
    return None


def picture(rows: Sequence[Row], names: Sequence[str] = ()) -> np.ndarray:
    """Draw rows of cards, uint8 [540, 960, 3]; the picture is legible at half its size.

    Every row has the name and the number of cards (see `COUNTED`) on its left, then the cards, then
    the last play and the note. `names`, by seat, replace the names of the rows, unless the font
    lacks their letters. An `InputError` says if Pillow is not installed.
    """
    pillow = imported("PIL.Image")
    from PIL import ImageDraw

    image = pillow.new("RGB", (WIDTH, HEIGHT), RIM)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((6, 6, WIDTH - 7, HEIGHT - 7), 26, TABLE)
    # Cards of all rows have one size. In rows without last play and note they may use that space.
    height = (HEIGHT - 2 * EDGE) / max(1, len(rows))
    card = int(min(CARD_HEIGHT, height - GAP - 10))
    for i, row in enumerate(rows):
        name = names[row.seat] if 0 <= row.seat < len(names) else ""
        _draw_row(image, draw, row, name, EDGE + i * height, height - GAP, card)
    return np.asarray(image).copy()


def _draw_row(
    image: Any, draw: Any, row: Row, named: str, top: float, height: float, card: int
) -> None:
    """Draw a row; `named`, if not empty, replaces its name, and `card` is the height of a card."""
    box = (EDGE, top, WIDTH - EDGE, top + height)
    if row.active:
        draw.rounded_rectangle(box, 14, SEAT, ACTIVE, 3)
    middle = top + height / 2
    name, _, role = row.label.partition(" ")
    held = sum(each != BLANK for each in row.cards)
    name = _shortened(draw, _in_font(named) or name, CARDS - NAMES - GAP)
    lines = [name, role] if role else [name]
    if held >= COUNTED or ("" in row.cards and held > 1):
        lines.append(f"{held} cards")
    _draw_lines(draw, lines, NAMES, middle, ACTIVE if row.active else TEXT, TEXT_SIZE)
    note = remark(row)
    wide = not row.last and not note
    _draw_cards(image, row.cards, CARDS, RIGHT if wide else LAST - 18, middle, card)
    left = LAST
    if row.last:
        left += _draw_cards(image, row.last, LAST, RIGHT, middle, int(card * 0.8)) + 12
    if note and left < RIGHT - 60:
        notes = _wrapped(draw, note, RIGHT - left)[: int(height // NOTE_LINE)]
        _draw_lines(draw, notes, left, middle, FAINT, NOTE_SIZE)


def _draw_lines(
    draw: Any, lines: Sequence[str], x: float, middle: float, color: Any, size: int
) -> None:
    """Draw lines of text around a height, the first one in the given colour."""
    y = middle - (len(lines) - 1) * NOTE_LINE / 2
    for i, line in enumerate(lines):
        draw.text((x, y + i * NOTE_LINE), line, FAINT if i else color, _font(size), anchor="lm")


def _shortened(draw: Any, text: str, width: float) -> str:
    shown = text
    while draw.textlength(shown, _font(TEXT_SIZE)) > width:
        text = text[:-1]
        shown = f"{text}..."
    return shown


def _in_font(text: str) -> str:
    """Return a text in letters of the font, without accents if need be; empty if one is missing."""
    font = _font(TEXT_SIZE)
    missing = bytes(font.getmask("\uffff"))
    plain = "".join(each for each in normalize("NFKD", text) if not combining(each))
    fits = (t for t in (text, plain) if all(bytes(font.getmask(each)) != missing for each in t))
    return next(fits, "")


def _wrapped(draw: Any, text: str, width: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and draw.textlength(longer, _font(NOTE_SIZE)) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _draw_cards(
    image: Any, cards: Sequence[str], left: float, right: float, middle: float, height: int
) -> float:
    """Draw cards in a row, overlapping if space is short; return their width."""
    width = round(height * CARD_SHAPE)
    step = min(width + 5, (right - left - width) / max(1, len(cards) - 1))
    strip = min(round(step), width)
    for i, card in enumerate(cards):
        if card != BLANK:
            drawn = _card(card, width, height, strip)
            image.paste(drawn, (round(left + i * step), round(middle - height / 2)), drawn)
    return step * (len(cards) - 1) + width


@lru_cache(maxsize=512)
def _card(card: str, width: int, height: int, strip: int) -> Any:
    """Draw a card, or a back for an empty text; `strip` pixels at its left stay visible."""
    from PIL import Image, ImageDraw

    w, h = width * SMOOTH, height * SMOOTH
    image = Image.new("RGBA", (w, h), (*PAPER, 0))
    draw = ImageDraw.Draw(image)
    box, radius, line = (0, 0, w - 1, h - 1), h * 0.09, SMOOTH
    if card:
        draw.rounded_rectangle(box, radius, PAPER, LINE, line)
        _draw_face(draw, face(card), w, h, strip * SMOOTH)
    else:
        draw.rounded_rectangle(box, radius, BACK, PAPER, 2 * line)
        inset = h * 0.08
        inner = (inset, inset, w - inset, h - inset)
        draw.rounded_rectangle(inner, radius / 2, None, PATTERN, line)
        for x in range(2, 7):
            for y in range(2 + x % 2, 11, 2):
                _fill(draw, DIAMOND, w * x / 8, h * y / 12, h * 0.035, PATTERN)
    return image.resize((width, height), Image.Resampling.LANCZOS)


def _draw_face(draw: Any, shown: Face, w: float, h: float, strip: float) -> None:
    """Draw rank and suit in the left `strip` pixels, and a large suit, star or rank below right."""
    color = JOKERS.get(shown.joker) or SUITS[shown.suit]
    rank = "" if shown.rank == "*" else shown.rank
    size = min(h * 0.42, strip * 1.3 / max(1, len(rank)), w * 1.1 / max(1, len(rank)))
    font, bold = _font(size), h * 0.008
    draw.text((w * 0.06, h * 0.22), rank, color, font, anchor="lm", stroke_width=bold)
    if shown.suit:
        corner = min(h * 0.105, strip * 0.4)
        _draw_suit(draw, shown.suit, w * 0.05 + corner, h * 0.53, corner)
        _draw_suit(draw, shown.suit, w * 0.66, h * 0.72, h * 0.2)
    elif shown.joker:
        _fill(draw, STAR, w * 0.62, h * 0.66, h * 0.24, color)
        if not rank:
            _fill(draw, STAR, w * 0.2, h * 0.2, h * 0.13, color)
    else:
        draw.text((w * 0.92, h * 0.78), rank, PALE, font, anchor="rm", stroke_width=bold)


def _draw_suit(draw: Any, suit: str, x: float, y: float, r: float) -> None:
    """Draw a suit around a point, as fonts may lack it; `r` is half its height."""
    for shape in OUTLINES[suit]:
        _fill(draw, shape, x, y, r, SUITS[suit])


def _fill(draw: Any, shape: Points, x: float, y: float, r: float, color: Any) -> None:
    draw.polygon([(x + dx * r, y + dy * r) for dx, dy in shape], color)


def _around(number: int) -> list[float]:
    """Return `number` evenly spaced angles of a circle, in radians."""
    return [2 * pi * i / number for i in range(number)]


def _disc(x: float, y: float, r: float) -> Points:
    return [(x + r * cos(t), y + r * sin(t)) for t in _around(48)]


HEART: Points = [
    (
        16 * sin(t) ** 3 / 16.5,
        -(13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t) + 2.5) / 14.5,
    )
    for t in _around(96)
]
SPADE: Points = [(x * 0.95, 0.72 * -y - 0.2) for x, y in HEART]
STEM: Points = [(0.07, 0.1), (0.12, 0.6), (0.42, 1.0), (-0.42, 1.0), (-0.12, 0.6), (-0.07, 0.1)]
DIAMOND: Points = [  # its sides are slightly concave
    (0.78 * copysign(abs(cos(t)) ** 2.2, cos(t)), copysign(abs(sin(t)) ** 2.2, sin(t)))
    for t in _around(96)
]
STAR: Points = [
    (r * sin(t), -r * cos(t)) for t, r in zip(_around(10), [1.0, 0.42] * 5, strict=True)
]

OUTLINES: dict[str, tuple[Points, ...]] = {
    "h": (HEART,),
    "d": (DIAMOND,),
    "s": (SPADE, STEM),
    "c": (_disc(0, -0.52, 0.46), _disc(-0.5, 0.22, 0.46), _disc(0.5, 0.22, 0.46), STEM),
}
"""Polygons that form each suit, centred at 0, with a half height of 1."""


@lru_cache(maxsize=64)
def _font(size: float) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(round(size))
