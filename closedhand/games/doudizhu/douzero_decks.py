"""The evaluation decks of DouZero, read without unpickling.

`generate_eval_data.py` of DouZero writes a pickle: a list of dicts with the cards of `landlord`,
`landlord_down`, `landlord_up` and `three_landlord_cards`, the last ones also among the landlord's.

Unpickling would run any function that the file names. Here `pickletools.genops` splits the file
into its instructions, and only those that build lists, dicts, texts and numbers are followed. Any
other instruction, or a file that is not a list of decks, raises an `InputError`.
"""

import pickletools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from closedhand.core.checks import InputError, prefixed, shown
from closedhand.core.reading import MOST_TEXT, read_content
from closedhand.core.records import LogReader, Record, Replay
from closedhand.games.doudizhu.counts import RANKS

HEAD = 4096
"""Number of bytes at the beginning of a file in which `ROLES` are looked for."""
ROLES = ("landlord", "landlord_down", "landlord_up", "three_landlord_cards")
CARDS = dict(zip([*range(3, 15), 17, 20, 30], RANKS, strict=True))
"""The ranks by DouZero's numbers, which are its cards."""

NUMBERS = ("BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4")
TEXTS = ("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE")
KEPT = ("BINPUT", "LONG_BINPUT", "PUT")  # note the last value under a number
FETCHED = ("BINGET", "LONG_BINGET", "GET")  # fetch the value under a number
MARK = object()
"""The beginning of a group of values on the stack."""


def literal(content: bytes) -> Any:
    """Build the lists, dicts, texts and whole numbers of a pickle; nothing in it is executed."""
    stack: list[Any] = []
    memo: dict[int, Any] = {}

    def since_mark() -> list[Any]:
        at = next(i for i in reversed(range(len(stack))) if stack[i] is MARK)
        found = stack[at + 1 :]
        del stack[at:]
        return found

    def extend(values: list[Any]) -> None:
        stack[-1].extend(values)

    def fill(values: list[Any]) -> None:
        stack[-1].update(zip(values[::2], values[1::2], strict=True))

    plain: dict[str, Callable[[], object]] = {
        "MARK": lambda: stack.append(MARK),
        "EMPTY_LIST": lambda: stack.append([]),
        "EMPTY_DICT": lambda: stack.append({}),
        "LIST": lambda: stack.append(since_mark()),
        "APPEND": lambda: stack[-2].append(stack.pop()),
        "APPENDS": lambda: extend(since_mark()),
        "SETITEM": lambda: fill([stack.pop(-2), stack.pop()]),
        "SETITEMS": lambda: fill(since_mark()),
        "MEMOIZE": lambda: memo.update({len(memo): stack[-1]}),
    }
    try:
        for code, argument, _ in pickletools.genops(content):
            if code.name in NUMBERS or code.name in TEXTS:
                stack.append(argument)
            elif code.name in KEPT and isinstance(argument, int):
                memo[argument] = stack[-1]
            elif code.name in FETCHED and isinstance(argument, int):
                stack.append(memo[argument])
            elif code.name in plain:
                plain[code.name]()
            elif code.name not in ("PROTO", "FRAME", "STOP"):
                raise InputError(f"it has the instruction {code.name}, not lists of cards alone")
        (value,) = stack
    except InputError:
        raise
    except Exception as error:  # damaged files fail in many ways
        raise InputError(f"it is not a pickle, or is damaged: {type(error).__name__}") from None
    return value


def is_decks(path: Path) -> bool:
    """Return whether a file is a pickle that begins with decks."""
    try:
        if not path.is_file():
            return False
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    return head.startswith(b"\x80") and all(role.encode() in head for role in ROLES)


def decks(path: Path) -> list[Record]:
    """Read the decks of a file as records without actions."""
    content = read_content(path, MOST_TEXT)
    with prefixed(str(path)):
        found = literal(content)
        if not isinstance(found, list):
            raise InputError("it is not a list of decks")
        return [_record(number, deck) for number, deck in enumerate(found, 1)]


def _record(number: int, deck: Any) -> Record:
    """Make the record of a deck, in which the landlord's hand lacks the public cards."""
    if not isinstance(deck, dict) or set(deck) != set(ROLES):
        raise InputError(f"deck {number} is not a dict of {', '.join(ROLES)}")
    fields: list[str] = []
    for role in ROLES:
        cards = deck[role]
        if not isinstance(cards, list) or not all(
            isinstance(card, int) and card in CARDS for card in cards
        ):
            raise InputError(f"deck {number}: {role} has other cards than {list(CARDS)}")
        fields.append("".join(CARDS[card] for card in sorted(cards)))
    for card in fields[-1]:
        if card not in fields[0]:
            raise InputError(f"deck {number}: the landlord lacks the public card {shown(card)}")
        fields[0] = fields[0].replace(card, "", 1)
    return Record("doudizhu", {"rules": "douzero"}, (), deal=";".join(fields))


def replay_decks(path: Path) -> Iterator[Replay]:
    """Check every deck of a file; decks count from 1."""
    for number, record in enumerate(decks(path), 1):
        with Replay(number, unit="deck") as found:
            found.replay(record)
        yield found


DECKS = LogReader(
    name="evaluation decks of DouZero", recognises=is_decks, replay=replay_decks, read=decks
)
