"""A game's table as rows of cards, from which its pictures and texts are made."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from closedhand.core.checks import InputError

BLANK = " "
"""A gap in place of a card in a `Row`."""


class Row(NamedTuple):
    """A line of cards in a picture of the table: a seat, or cards that lie in the middle.

    Attributes:
        label: Of a seat `player_0` or the like, and any text after it; else a name of the cards.
        cards: Text of each card; an empty text is a card face down, `BLANK` a gap.
        note: Further text.
        active: Whether this seat is to act.
        last: Text of each card of the seat's last play, while it lies on the table; the note may
            name that play as well.
        role: What the player is at present, a term of `GameSpec.terms`, such as `landlord`.
        marks: Further facts, each a term of `GameSpec.terms`, with any text after it. A browser
            also draws chips for `bets N` and `pot N`.
    """

    label: str
    cards: tuple[str, ...]
    note: str = ""
    active: bool = False
    last: tuple[str, ...] = ()
    role: str = ""
    marks: tuple[str, ...] = ()

    @property
    def seat(self) -> int:
        """The player whose seat it is, -1 for cards in the middle of the table."""
        named = PLAYER.match(self.label)
        return int(named[1]) if named else -1


PLAYER = re.compile(r"player_([0-9]{1,2})\b")
"""Beginning of the label of a seat."""


class Part(NamedTuple):
    """A group into which the player to act sorts cards, such as the back in Chinese Poker.

    The text of the action is the cards of all parts, in order, with `/` between the parts.

    Attributes:
        name: One of the game's terms, such as `back`.
        cards: Number of cards.
    """

    name: str
    cards: int


class Odds(NamedTuple):
    """Chances of the cards of a `Part` against those of an opponent's same part.

    Attributes:
        name: Name of the cards in the game's terms, such as `KQJT9 straight`.
        win: Probability that the cards win.
        tie: Probability of a tie.
    """

    name: str
    win: float
    tie: float


HIDDEN = "▒"

SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}

LETTERS = {ord(symbol): suit for suit, symbol in SYMBOLS.items()}
RANKS = (*"23456789TJQKA", "10")
JOKERS = {"*": "joker", "S": "small joker", "B": "big joker"}
"""Names of jokers, by their texts in a `Row`."""

SUITED = re.compile(r"([2-9TJQKA_])([cdhs])")
CARDS = re.compile(r"(?:[2-9TJQKA_][cdhs]|[*+/])+")
"""Texts of actions made of cards with suits; `_` is a rank below or above all, for a joker."""


class Face(NamedTuple):
    """A card independent of the game's notation.

    Attributes:
        rank: Text of the rank, `T` or `10` for ten; of a card without a suit its whole text.
        suit: `c`, `d`, `h` or `s`; empty without a suit.
        joker: A value of `JOKERS`; empty for other cards.
    """

    rank: str
    suit: str = ""
    joker: str = ""


def face(card: str) -> Face:
    """Parse a card of a `Row`: rank and suit, suit and rank as in Leduc poker, or another text.

    Examples:
        >>> face("Ks"), face("SK")
        (Face(rank='K', suit='s', joker=''), Face(rank='K', suit='s', joker=''))
        >>> face("*").joker
        'joker'
    """
    if card[:-1] in RANKS and card[-1:] in SYMBOLS:
        return Face(card[:-1], card[-1])
    if card[1:] in RANKS and card[0].lower() in SYMBOLS:
        return Face(card[1:], card[0].lower())
    return Face(card, "", JOKERS.get(card, ""))


def pretty(text: str) -> str:
    """Write a card, or an action that is made of cards, with symbols for the suits.

    Examples:
        >>> pretty("5c5h*"), pretty("SK"), pretty("raise"), pretty("3334")
        ('5♣5♥*', 'K♠', 'raise', '3334')
    """
    rank, suit, _ = face(text)
    if suit:
        return rank + SYMBOLS[suit]
    if not CARDS.fullmatch(text):
        return text
    return SUITED.sub(lambda match: match[1] + SYMBOLS[match[2]], text)


def plain(text: str) -> str:
    """Convert a typed text to the notation of games: letters for symbols, T for 10.

    Examples:
        >>> plain("10♥10♠")
        'ThTs'
    """
    return text.translate(LETTERS).replace("10", "T")


def typed_action(text: str, parse: Callable[[str], int]) -> str:
    """Convert a typed action as `plain` does, but keep a 10 that `parse` reads, as in `bid10`."""
    kept = text.translate(LETTERS)
    with suppress(InputError):
        parse(kept)
        return kept
    return plain(text)


def remark(row: Row) -> str:
    """Return the note of a row; empty if it only names the last play, which is shown as cards."""
    return "" if row.note.replace("+", "") == "".join(row.last) else row.note


def board(rows: Sequence[Row], symbols: bool = False) -> str:
    """Write the table as text, a line for each row.

    With `symbols`, for people, suits are symbols instead of letters, and last plays precede notes.
    """
    width = max(len(row.label) for row in rows)
    lines: list[str] = []
    for row in rows:
        pointer = ">" if row.active else " "
        cards = " ".join((pretty(card) if symbols else card) or HIDDEN for card in row.cards)
        shown = ("".join(map(pretty, row.last)), remark(row)) if symbols else (row.note,)
        notes = ", ".join(filter(None, shown))
        note = f"   ({notes})" if notes else ""
        lines.append(f"{pointer} {row.label:{width}}  {cards}{note}".rstrip())
    return "\n".join(lines)
