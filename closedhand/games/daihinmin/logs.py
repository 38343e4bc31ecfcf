"""Logs of the UECda server: reading and writing.

A log consists of lines `%NNNNN%KEY% value`: a header (with `-----` for the number), then for each
round the classes, the seats, the hands before the exchange, the exchange, the plays, the result and
the points so far.

A card is its suit (S H D C), then its rank; `J3` is the joker. A joker in a play is written as K,
L, M or N for the suits S H D C, or as J for the fifth card of a group, followed by the rank that it
stands for. An `x` in place of the rank stands for the place below the 3 or above the 2, or marks a
lone joker. All submissions are logged; those that form no play count as passes. Any other text
raises an `InputError`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import check_fields, parse_json, parse_whole
from closedhand.core.reading import filled_lines
from closedhand.core.records import Record
from closedhand.core.registry import make_game
from closedhand.games.daihinmin import plays
from closedhand.games.daihinmin.game import OPTIONS
from closedhand.games.daihinmin.notation import dealt, permutation
from closedhand.games.daihinmin.plays import JOKER, NO_JOKER, PASS, cards_in
from closedhand.games.daihinmin.state import PLAYERS

SUITS = "CDHS"
JOKER_SUITS = "NMLK"
"""Letters of a joker's suit, in the order of `plays.SUITS`."""
HELD_JOKER = "J3"
HELD = {
    **{SUITS[s] + rank: 4 * r + s for s in (3, 2, 1, 0) for r, rank in enumerate(plays.RANKS)},
    HELD_JOKER: JOKER,
}
"""Ids of held cards, in the order in which a log lists them: by suit, the joker last."""
FIFTH = "J"
NO_CLASSES = "22222"
KEYS = ("mibun", "seat", "palyer_cards", "change_cards", "play", "result", "points")
"""Keys of a round, in order and in the server's spelling."""
NO_EXCHANGE = "NULL"
UNKNOWN_EXCHANGE = ""
"""Text in place of a line that `without_stray_exchange` removes from a round with classes."""
EXCHANGED = re.compile(r"([0-4][0-4][^E ]*EE ?)+")
"""An exchange: its entries begin with giver and receiver, those of plays with one player."""
SUBMITTED = re.compile(f"(?:[{SUITS}{JOKER_SUITS}{FIFTH}][{plays.RANKS}x])*")
"""Cards of a submission, whether they form a play or not."""
LINE = re.compile(r"%(-----|\d{5,9})%(\w+)%(.*)", re.ASCII)
MOST_HEADER = 1000

NAMES = "palyer_name"
SEATING, RANDOM = "RULE_SEKIGAE", "RAND_TYPE"
YES_NO = ("YES", "NO")
HEADER = {
    RANDOM: "1",
    "RULE_KAKUMEI": "revolution",
    "RULE_SHIBARI": "lock",
    "RULE_KINSOKU": "forbidden_finish",
    "RULE_KAIDAN": "kaidan",
    "RULE_CHANGE": "exchange",
    "RULE_5TOBI": "five_skip",
    "RULE_6REVERS": "six_reverse",
    "RULE_8GIRI": "eight_stop",
    "RULE_11BACK": "jack_back",
    SEATING: "YES",
    "RULE_SEKIGAE_NUM": "seat_period",
    "GAME_NUMBER": "rounds",
    "FLASH_MIBUN_NUMBER": "class_period",
}
"""The header lines after the names, in order: an option of the game, or a fixed value."""
OTHER_OPTIONS = "OPTIONS"
"""Line of our server alone: further, non-default options as JSON."""
TIME_END, TOTAL, SEED = "TIME_END", "TOTAL_POINT", "SEED"
"""Keys of the lines at the end, which `read_rounds` puts into the header. `SEED` is a line of our
server alone; in the header of a running match it would reveal the rounds to come."""
NEVER = 10**6
"""The option `seat_period` if seats are never shuffled: no match has more rounds."""


def rules_of(values: Mapping[str, str]) -> dict[str, Any]:
    """Convert values by keys of `HEADER` to options of `make_game`, the number of rounds included.

    Raises:
        InputError: A key or its value is not known, or sets a rule that is not supported.
    """
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key not in HEADER:
            raise InputError(f"there is no key {key}")
        name = HEADER[key]
        option: Any = next((each for each in OPTIONS if each.name == name), None)
        if option and not isinstance(option.default, bool):
            found[name] = parse_whole(value, key, option.least, option.most)
        elif key != RANDOM and value not in YES_NO:
            raise InputError(f"{key} is YES or NO, not {value!r}")
        elif option:
            found[name] = value == "YES"
    if values.get(SEATING) == "NO":
        found["seat_period"] = NEVER
    return found


def options_of(header: Mapping[str, str]) -> dict[str, Any]:
    """Return options of `make_game` for a single round; refuse an invalid header."""
    found = rules_of({key: header[key] for key in HEADER if key in header})
    others = check_fields(parse_json(header.get(OTHER_OPTIONS, "{}")), OTHER_OPTIONS, {})
    check_competition(make_game("daihinmin", **{**found, **others}))
    return found | others | {"rounds": 1}


def read_rounds(path: Path, header: dict[str, str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Read the number of each round of a log and its values by key, one round at a time.

    The first round may have any number; the others follow it one by one. The lines of the header
    are added to `header`, those at the end of the log last.

    Raises:
        InputError: The file cannot be read, or a line is not that of a log.
    """
    values: dict[str, str] = {}
    current = -1
    for number, line in filled_lines(path):
        match, at = LINE.fullmatch(line), f"{path}, line {number}"
        if match is None:
            raise InputError(f"{at}: the line does not have the form %NNNNN%KEY% value")
        where, key, value = match.groups()
        if where == "-----":
            header[key] = value.strip()
            if len(header) > MOST_HEADER:
                raise InputError(f"{at}: a header of more than {MOST_HEADER} keys")
            continue
        if key == KEYS[0]:
            if values:
                yield current, values
            current = int(where) if current < 0 else current + 1
            values = {}
        if int(where) != current:
            raise InputError(f"{at}: round {where} is out of order")
        if key in KEYS:
            values[key] = value.strip()
    if values:
        yield current, values


def cards_of(text: str) -> int:
    """Parse held cards, written without separators, to a set."""
    cards = 0
    for pair in _pairs(text):
        if pair not in HELD:
            raise InputError(f"{pair!r} is not a card of a log")
        cards |= 1 << HELD[pair]
    return cards


@cache
def play_text(play: int) -> str:
    """Write a play as in logs, by rank, then suit S H D C; a lone joker is `Kx`, a pass empty."""
    table = plays.build()
    if play == PASS:
        return ""
    if play == JOKER:
        return JOKER_SUITS[-1] + "x"
    stands, joker_suit = int(table.stands[play]), int(table.joker_suit[play])
    cards = [(c // 4, -(c % 4), SUITS[c % 4]) for c in range(JOKER) if table.need[play] >> c & 1]
    if stands != NO_JOKER:
        suit = joker_suit.bit_length() - 1
        cards.append((stands, -suit, JOKER_SUITS[suit]) if joker_suit else (stands, 1, FIFTH))
    return "".join(
        letter + (plays.RANKS[rank] if 0 <= rank < plays.NUM_RANKS else "x")
        for rank, _, letter in sorted(cards)
    )


@cache
def _ids() -> dict[tuple[str, ...], int]:
    """Map the sorted cards of every play, in the notation of logs, to its id."""
    ids = {_sorted_pairs(play_text(play)): play for play in range(PASS)}
    # A lone joker may be submitted in the place of any card, or with `x` as its rank.
    return ids | {(suit + rank,): JOKER for suit in JOKER_SUITS for rank in plays.RANKS + "x"}


def _pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def _sorted_pairs(text: str) -> tuple[str, ...]:
    return tuple(sorted(_pairs(text)))


def submission(text: str) -> int:
    """Parse a submission to the id of a play; the pass for cards that form none."""
    if not SUBMITTED.fullmatch(text):
        raise InputError(f"{text!r} is not a play of a log")
    return _ids().get(_sorted_pairs(text), PASS)


def given_cards(text: str) -> int:
    """Parse the cards given in the exchange to a set; the joker may be written as in a play."""
    pairs, jokers = _pairs(text), JOKER_SUITS + FIFTH
    written = (HELD_JOKER if len(pair) == 2 and pair[0] in jokers else pair for pair in pairs)
    return cards_of("".join(written))


def lost_cards(values: Mapping[str, str]) -> dict[int, int]:
    """Return the cards that the server lost in the exchange, by the player who had them.

    If a player gives the joker, written as a card that the player also holds, the official server
    takes both cards and passes on the joker alone.
    """
    lost: dict[int, int] = {}
    hands = [cards_of(hand) for hand in values["palyer_cards"].split()]
    for entry in gifts(values):
        hands[int(entry[1])] |= given_cards(entry[2:])
        hands[int(entry[0])] &= ~given_cards(entry[2:])
    for entry in gifts(values):
        giver = int(entry[0])
        for letter, rank in _sorted_pairs(entry[2:]):
            if letter in JOKER_SUITS and rank in plays.RANKS:
                card = 1 << 4 * plays.RANKS.index(rank) + JOKER_SUITS.index(letter)
                if hands[giver] & card:
                    lost[giver] = lost.get(giver, 0) | card
    return lost


def entries(text: str) -> list[str]:
    """Split an exchange or the plays into entries, without the `EE` that ends each."""
    *parts, rest = text.split("EE")
    if rest.strip():
        raise InputError("an entry does not end in EE")
    return [part.strip() for part in parts]


def gifts(values: Mapping[str, str]) -> list[str]:
    """Split the exchange of a round, if it has one, into entries."""
    return entries("" if values["change_cards"] == NO_EXCHANGE else values["change_cards"])


def without_stray_exchange(values: dict[str, str]) -> tuple[dict[str, str], str]:
    """Replace an exchange line that holds no exchange; return the values, and a warning or "".

    If the plays of a round are too long, the official server writes their end over this line. The
    value becomes `NO_EXCHANGE` in a round without classes, otherwise `UNKNOWN_EXCHANGE`.
    """
    text, classes = values.get("change_cards", NO_EXCHANGE), values.get("mibun")
    if text == NO_EXCHANGE:
        return values, ""
    if classes == NO_CLASSES:
        warning = "the change_cards line is ignored: a round without classes has no exchange"
        return values | {"change_cards": NO_EXCHANGE}, warning
    if EXCHANGED.fullmatch(text) or not text.endswith("EE"):
        return values, ""
    warning = "the change_cards line is ignored: it holds no exchange"
    return values | {"change_cards": UNKNOWN_EXCHANGE}, warning


def check_form(values: Mapping[str, str]) -> None:
    """Check that a round has all keys and five hands, and that its entries name players."""
    for key in KEYS:
        if key not in values:
            raise InputError(f"there is no {key}")
    permutation(values["result"], "the result")
    if values["mibun"] != NO_CLASSES:
        permutation(values["mibun"], "the classes")
    if (hands := len(values["palyer_cards"].split())) != PLAYERS:
        raise InputError(f"there are {hands} hands, not {PLAYERS}")
    players = tuple("01234")
    for entry in gifts(values) + entries(values["play"]):
        if entry[:1] not in players:
            raise InputError(f"the entry {entry!r} is of no player")
    for entry in gifts(values):
        if entry[1:2] not in players:
            raise InputError(f"the entry {entry!r} gives cards to no player")


def round_record(values: Mapping[str, str], names: tuple[str, ...] = (), **options: Any) -> Record:
    """Convert a round of a log to the record of a one-round game, with the points of this round."""
    check_form(values)
    classes = values["mibun"]
    fields = [values["seat"], "-" if classes == NO_CLASSES else classes]
    fields += [plays.cards_text(cards_of(hand)) for hand in values["palyer_cards"].split()]
    actions: list[str] = []
    for rank in ("0", "1"):
        for entry in gifts(values):
            if classes[int(entry[0])] == rank:
                actions += cards_in(given_cards(entry[2:]))
    actions += [plays.texts()[submission(entry[1:])] for entry in entries(values["play"])]
    points = tuple(float(PLAYERS - values["result"].index(str(p))) for p in range(PLAYERS))
    deal, agents = ";".join(fields), names or None
    return Record("daihinmin", options, tuple(actions), deal=deal, agents=agents, returns=points)


def check_competition(game: Game) -> None:
    """Check that a game has the five players and the one joker of the competition."""
    if game.num_players != PLAYERS:
        raise InputError(f"the competition has five players: leave out players={game.num_players}")
    if game.flat.rules.options.jokers > 1:
        raise InputError("the competition has one joker: leave out jokers=2")


def check_loggable(game: Game) -> None:
    """Check that a log can hold all events under the rules of a game."""
    check_competition(game)
    if game.flat.rules.has_gifts:
        raise InputError("a log has no place for cards that are given or discarded after plays")


def header(game: Game, names: Sequence[str]) -> dict[str, str]:
    """Make the header of a match; see `check_loggable` for the errors."""
    check_loggable(game)
    lines = {NAMES: " ".join(names)}
    for key, value in HEADER.items():
        option = game.options.get(value, value)
        lines[key] = ("NO", "YES")[option] if isinstance(option, bool) else str(option)
    others = {
        name: value
        for name, value in game.options.items()
        if name not in HEADER.values() and value != OPTIONS[name].default
    }
    if others:
        lines[OTHER_OPTIONS] = json.dumps(others, separators=(",", ":"))
    return lines


def header_text(header: Mapping[str, str]) -> str:
    """Write values by key as lines of the header or of the end of a log."""
    return "".join(f"%-----%{key}% {value}\n" for key, value in header.items())


def round_text(number: int, values: Mapping[str, str]) -> str:
    """Write the lines of round `number`, counted from 0, spaced as the server writes them."""
    text = ""
    for key in KEYS:
        value = values[key]
        if key == "palyer_cards":
            value += " "
        elif key == "play" or (key == "change_cards" and value != NO_EXCHANGE):
            value = " " + value
        text += f"%{number:05d}%{key}% {value}\n"
    return text


def cards_text(cards: int) -> str:
    """Write a set of held cards, in the order of `HELD`."""
    return "".join(text for text, card in HELD.items() if cards >> card & 1)


class Transcript:
    """Recorder of a round, as values of a log by key."""

    def __init__(self, state: State) -> None:
        """Begin a round in its first state, before any card is given back in the exchange."""
        classes = state.classes.tolist()
        self._values = {
            "mibun": "".join(map(str, classes)) if classes[0] >= 0 else NO_CLASSES,
            "seat": "".join(map(str, state.seats)),
            "palyer_cards": " ".join(map(cards_text, dealt(state))),
        }
        self._gifts: list[str] = []
        self._plays: list[str] = []
        if state.leader < 0:
            for pair in range(2):
                giver, taker = classes.index(PLAYERS - 1 - pair), classes.index(pair)
                self.give(giver, taker, int(state.taxed[pair]))

    def give(self, giver: int, taker: int, cards: int) -> None:
        """Record that a player gave cards to another one."""
        self._gifts.append(f"{giver}{taker}{cards_text(cards)}EE")

    def submit(self, player: int, play: int) -> None:
        """Record that a player submitted a play, legal or not, or a pass."""
        self._plays.append(f"{player}{play_text(play)}EE")

    def values(self, places: Sequence[int], points: Sequence[int]) -> dict[str, str]:
        """Return the values by key; places count from 0, points are those of all rounds so far."""
        return self._values | {
            "change_cards": " ".join(self._gifts) or NO_EXCHANGE,
            "play": " ".join(self._plays),
            "result": "".join(str(places.index(place)) for place in range(PLAYERS)),
            "points": " ".join(map(str, points)),
        }
