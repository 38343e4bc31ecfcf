"""The table as rows of cards: what pictures and texts of every game are drawn from."""

from collections.abc import Sequence
from typing import NamedTuple

BLANK = " "
"""In place of a card in a `Row`: a gap."""


class Row(NamedTuple):
    """A line of cards in a picture of the table: a seat, or cards that lie in the middle.

    Attributes:
        label: Whose cards they are.
        cards: Text of each card; an empty text is a card face down, `BLANK` none at all.
        note: Further text.
        active: Whether this seat is to act.
    """

    label: str
    cards: tuple[str, ...]
    note: str = ""
    active: bool = False


HIDDEN = "▒"
"""A card face down, in text."""


def board(rows: Sequence[Row]) -> str:
    """The table as text, a line for each row."""
    width = max(len(row.label) for row in rows)
    lines: list[str] = []
    for row in rows:
        pointer = ">" if row.active else " "
        cards = " ".join(card or HIDDEN for card in row.cards)
        note = f"   ({row.note})" if row.note else ""
        lines.append(f"{pointer} {row.label:{width}}  {cards}{note}".rstrip())
    return "\n".join(lines)
