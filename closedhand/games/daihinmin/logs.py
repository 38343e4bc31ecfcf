"""Logs of the UECda server: read, replayed and written.

A log is lines `%NNNNN%KEY% value`: a header (`-----` for the number), then for each round the
classes, seats, hands before the exchange, the exchange, the plays, the result and the points so
far. Cards are suit (S H D C), then rank, `J3` is the joker. A joker in a play is written with K, L,
M or N for the suits S H D C, or with J as the fifth card of a group, and the rank it stands for; `x`
in place of the rank is the column below the 3 or above the 2, or a lone joker.
"""

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from closedhand.games.daihinmin import plays, rules
from closedhand.games.daihinmin.plays import JOKER, NO_JOKER, PASS
from closedhand.games.daihinmin.records import cards_in
from closedhand.games.game import InputError
from closedhand.games.records import Record

SUITS = "CDHS"
JOKER_SUITS = "NMLK"
"""In the order of `plays.SUITS`."""
HELD_JOKER = "J3"
FIFTH = "J"
NO_CLASSES = "22222"
KEYS = ("mibun", "seat", "palyer_cards", "change_cards", "play", "result", "points")
"""Of a round, in order; the server spells them so."""
LINE = re.compile(r"%(-----|\d{5,})%(\w+)%(.*)")


@dataclass(frozen=True)
class Log:
    """A log as text by key.

    Attributes:
        header: Values by key.
        rounds: Of every round the values by key.
        names: Of the players.
    """

    header: dict[str, str]
    rounds: list[dict[str, str]] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(self.header.get("palyer_name", "").split())


def is_log(path: Path) -> bool:
    """Whether a file begins as a log does, packed by gzip or not."""
    try:
        with _open(path) as file:
            return LINE.fullmatch(file.readline().rstrip("\n")) is not None
    except (OSError, UnicodeDecodeError, EOFError):
        return False


def _open(path: Path):
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    if packed:
        return gzip.open(path, "rt", encoding="ascii")
    return open(path, encoding="ascii")


def read(path: Path) -> Log:
    """A log as text.

    Raises:
        InputError: It cannot be read, or a line is not of a log.
    """
    log = Log({})
    try:
        with _open(path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                match = LINE.fullmatch(line.rstrip("\n"))
                if match is None:
                    raise InputError(f"{path}, line {number}: not %NNNNN%KEY% value")
                where, key, value = match.groups()
                if where == "-----":
                    log.header[key] = value.strip()
                    continue
                if key == KEYS[0]:
                    log.rounds.append({})
                if not log.rounds or int(where) != len(log.rounds) - 1:
                    raise InputError(f"{path}, line {number}: round {where} is out of order")
                log.rounds[-1][key] = value.strip()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from None
    return log


def card_id(text: str) -> int:
    """The number of a held card.

    Raises:
        InputError: It is none.
    """
    if text == HELD_JOKER:
        return JOKER
    suit, rank = SUITS.find(text[0]), plays.RANKS.find(text[1:])
    if suit < 0 or rank < 0 or len(text) != 2:
        raise InputError(f"{text!r} is no card of a log")
    return 4 * rank + suit


def cards_of(text: str) -> int:
    """The set of held cards that are written one after the other."""
    cards = 0
    for i in range(0, len(text), 2):
        cards |= 1 << card_id(text[i : i + 2])
    return cards


def play_text(play: int) -> str:
    """A play as logs write it, in the order of rank, then suit; a lone joker is `Kx`."""
    table = plays.build()
    if play == PASS:
        return ""
    if play == JOKER:
        return JOKER_SUITS[-1] + "x"
    stands, joker_suit = int(table.stands[play]), int(table.joker_suit[play])
    cards = [(c // 4, -(c % 4), SUITS[c % 4]) for c in range(JOKER) if int(table.need[play]) >> c & 1]
    if stands != NO_JOKER:
        suit = joker_suit.bit_length() - 1
        cards.append((stands, -suit, JOKER_SUITS[suit]) if joker_suit else (stands, 1, FIFTH))
    return "".join(
        letter + (plays.RANKS[rank] if 0 <= rank < plays.NUM_RANKS else "x")
        for rank, _, letter in sorted(cards)
    )


@cache
def _ids() -> dict[tuple[str, ...], int]:
    """The id of every play by its cards as logs write them, sorted."""
    ids = {_sorted_pairs(play_text(play)): play for play in range(PASS)}
    # A lone joker may have been put anywhere.
    return ids | {(suit + rank,): JOKER for suit in JOKER_SUITS for rank in plays.RANKS + "x"}


def _sorted_pairs(text: str) -> tuple[str, ...]:
    return tuple(sorted(text[i : i + 2] for i in range(0, len(text), 2)))


def play_id(text: str) -> int:
    """The id of a play, or of the pass, which is no text.

    Raises:
        InputError: It is none.
    """
    if not text:
        return PASS
    try:
        return _ids()[_sorted_pairs(text)]
    except KeyError:
        raise InputError(f"{text!r} is no play of a log") from None


def entries(text: str) -> list[str]:
    """The entries of an exchange or of the plays, without the `EE` behind each."""
    parts = text.split("EE")
    if parts.pop().strip():
        raise InputError("an entry has no EE behind it")
    return [part.strip() for part in parts]


def round_record(values: Mapping[str, str], names: tuple[str, ...] = (), **options: Any) -> Record:
    """One round of a log as a record of a game of one round, with the points of this round.

    Raises:
        InputError: Something is missing or cannot be read.
    """
    for key in KEYS[:-1]:
        if key not in values:
            raise InputError(f"the round has no {key}")
    hands = [cards_of(hand) for hand in values["palyer_cards"].split()]
    classes = values["mibun"]
    fields = [values["seat"], "-" if classes == NO_CLASSES else classes]
    fields += ["".join(cards_in(hand)) for hand in hands]
    actions = []
    if classes != NO_CLASSES:
        for rank in ("0", "1"):
            giver = str(classes.index(rank))
            own = [e for e in entries(values["change_cards"]) if e[0] == giver]
            actions += [card for entry in own for card in cards_in(cards_of(entry[2:]))]
    actions += [plays.texts()[play_id(entry[1:])] for entry in entries(values["play"])]
    points = tuple(float(rules.PLAYERS - values["result"].index(str(p))) for p in range(rules.PLAYERS))
    return Record(
        "daihinmin",
        options,
        tuple(actions),
        deal=";".join(fields),
        agents=names or None,
        returns=points,
    )
