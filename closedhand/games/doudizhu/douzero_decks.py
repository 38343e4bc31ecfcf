"""The evaluation decks of DouZero, read without unpickling.

`generate_eval_data.py` of DouZero writes a pickle: a list of dicts with the cards of `landlord`,
`landlord_down`, `landlord_up` and `three_landlord_cards`, three cards that `landlord` has too.

Unpickling would run any function that the file names. Here `pickletools.genops` splits the file
into its instructions, and only those of lists, dicts, texts and numbers are followed. Any other
instruction raises an `InputError`; a dict that is no deck sets the `error` of its replay.
"""

import pickletools
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from closedhand.core.checks import InputError, prefixed
from closedhand.core.reading import MOST_TEXT, read_content
from closedhand.core.records import LogReader, Record, Replay
from closedhand.games.doudizhu.counts import RANKS

HEAD = 4096
"""Number of bytes at the beginning of a file in which `ROLES` are looked for."""
ROLES = ("landlord", "landlord_down", "landlord_up", "three_landlord_cards")
CARDS = dict(zip([*range(3, 15), 17, 20, 30], RANKS, strict=True))
"""The letter of each rank, by the number that DouZero uses for its cards."""

NUMBERS = ("BININT", "BININT1", "BININT2", "LONG1", "LONG4")
TEXTS = ("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8")
KEPT = ("MEMOIZE", "BINPUT", "LONG_BINPUT")  # store the last value by a given number, or the next
FETCHED = ("BINGET", "LONG_BINGET")  # fetch the value under a number
FRAME = ("PROTO", "FRAME", "STOP")
LISTS = ("MARK", "EMPTY_LIST", "APPEND", "APPENDS", "SETITEM", "SETITEMS")
"""Instructions that build lists and dicts: ignored, since the order of the values suffices."""

Deck = dict[str, list[int]]
"""The cards of a deck by role."""


def decks_in(content: bytes) -> list[Deck]:
    """Read the decks of a pickle from its instructions, in their order; none is executed.

    A dict begins a deck, a text names a role, and the numbers that follow are its cards.
    """
    found: list[Deck] = []
    memo: dict[int, str] = {}
    text = ""  # the last text; also stored in place of a list, so a deck that fetches a list fails
    cards: list[int] = []
    argument: Any
    try:
        for code, argument, _ in pickletools.genops(content):
            if code.name in TEXTS or code.name in FETCHED:
                text = memo[argument] if code.name in FETCHED else argument
                cards = found[-1][text] = []
            elif code.name in KEPT:
                memo[len(memo) if argument is None else argument] = text
            elif code.name in NUMBERS:
                cards.append(argument)
            elif code.name == "EMPTY_DICT":
                found.append({})
            elif code.name not in FRAME + LISTS:
                raise InputError(f"it has the instruction {code.name}, not lists of cards alone")
    except InputError:
        raise
    except Exception as error:  # damaged files fail in many ways
        raise InputError(f"it is not a pickle, or is damaged: {type(error).__name__}") from None
    return found


def is_decks(path: Path) -> bool:
    """Return whether a file is a pickle that begins with decks."""
    with suppress(OSError):
        if path.is_file():  # a pipe would wait for its writer
            with open(path, "rb") as file:
                head = file.read(HEAD)
            return head.startswith(b"\x80") and all(role.encode() in head for role in ROLES)
    return False


def replay_decks(path: Path) -> Iterator[Replay]:
    """Make a record without actions of every deck of a file; decks count from 1."""
    content = read_content(path, MOST_TEXT)
    with prefixed(str(path)):
        found = decks_in(content)
    for number, deck in enumerate(found, 1):
        with Replay(number, unit="deck") as replay:
            replay.replay(_record(deck))
        yield replay


def _record(deck: Deck) -> Record:
    """Make the record of a deck, in which the landlord's hand lacks the public cards."""
    if set(deck) != set(ROLES):
        raise InputError(f"its roles are not {', '.join(ROLES)}")
    fields: list[str] = []
    for role in ROLES:
        if not set(deck[role]) <= set(CARDS):
            raise InputError(f"{role} has other cards than {list(CARDS)}")
        fields.append("".join(CARDS[card] for card in sorted(deck[role])))
    for card in fields[-1]:
        if card not in fields[0]:
            raise InputError(f"the landlord lacks the public card {card}")
        fields[0] = fields[0].replace(card, "", 1)
    return Record("doudizhu", {"rules": "douzero"}, (), deal=";".join(fields))


DECKS = LogReader(name="evaluation decks of DouZero", recognises=is_decks, replay=replay_decks)
