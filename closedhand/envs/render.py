"""Pictures of the table, drawn once for every game from `game.scene`."""

from typing import Any

import numpy as np

from closedhand.games.game import Game, InputError, Row, State

WIDTH, HEIGHT = 960, 540
MARGIN, GAP = 28, 14
LABEL = 30

TABLE, RIM = (26, 107, 70), (18, 79, 51)
PAPER, INK, EDGE = (252, 250, 244), (30, 34, 40), (120, 120, 116)
BACK, PATTERN = (47, 76, 140), (86, 116, 184)
TEXT, FAINT, ACTIVE = (240, 246, 242), (176, 210, 192), (255, 209, 92)

HIDDEN = "▒"


def render(game: Game, state: State, mode: str) -> str | np.ndarray | None:
    """A picture of a state, or of a view, with its hidden cards seen from behind.

    Args:
        game: The game.
        state: A state of it.
        mode: `ansi`, `rgb_array`, or `human`, which prints the text.

    Returns:
        The text, an array uint8 [540, 960, 3], or None.
    """
    if mode == "rgb_array":
        return rgb_array(game, state)
    text = ansi(game, state)
    if mode == "ansi":
        return text
    print(text, end="\n\n", flush=True)
    return None


def ansi(game: Game, state: State) -> str:
    """The table as text, a line for each row of the scene."""
    rows = game.scene(state)
    width = max(len(row.label) for row in rows)
    lines = []
    for row in rows:
        pointer = ">" if row.active else " "
        cards = " ".join(card or HIDDEN for card in row.cards)
        note = f"   ({row.note})" if row.note else ""
        lines.append(f"{pointer} {row.label:{width}}  {cards}{note}".rstrip())
    return "\n".join(lines)


def rgb_array(game: Game, state: State) -> np.ndarray:
    """The table as a picture, uint8 [540, 960, 3].

    Raises:
        InputError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise InputError(
            "pictures need Pillow: pip install 'closedhand[render]'"
        ) from None  # fmt: skip
    image = Image.new("RGB", (WIDTH, HEIGHT), RIM)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((8, 8, WIDTH - 9, HEIGHT - 9), 26, TABLE)
    rows = game.scene(state)
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
    size = height * (0.36 if len(card) < 3 else 0.26)
    draw.text((x + width * 0.12, y + height * 0.08), card, INK, _font(size))


def _font(size: float) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)
