"""Reader of logs of the FujiGokoro family of programs.

1. A round stands between `/*` and `*/`, on one line or several; a line `player` with five names may
   come before it.
2. Its fields are `class` and `seat` by player, the hands `dealt`, the cards `changed` by each
   player, the hands after the exchange (`original`), the plays in order of turn (`play`), and the
   class that each player gets (`result`).
3. A play is its suits, `-` and its ranks (`ds-q`, `s-456`), then in parentheses the suit or rank
   that the joker stands for (`ch-a(c)`, `h-678(7)`). `jk` or `jo` is the lone joker, `p` a pass.
   A number in brackets after any of these is a time.

The player of a play is not written: it follows from the rules. Any other text raises an
`InputError`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from closedhand.core.game import InputError, State
from closedhand.core.reading import filled_lines, first_line
from closedhand.core.records import LogReader, Record, Replay
from closedhand.games.daihinmin import logs, plays
from closedhand.games.daihinmin.exchange import TAXES, loser
from closedhand.games.daihinmin.notation import permutation
from closedhand.games.daihinmin.plays import PASS, cards_in, cards_text
from closedhand.games.daihinmin.state import PLAYERS

BEGIN, END, NAMES = "/*", "*/", "player"
FIELDS = ("game", "score", "class", "seat", "dealt", "changed", "original", "play", "result")
HAND = re.compile(r"\{([^{}]*)\}")
NEEDED = ("class", "seat", "dealt", "changed", "play", "result")
JOKERS = ("jk", "jo")
PLAY = re.compile(r"([cdhs]+)-([3-9tjqka2]+)(?:\(([cdhs3-9tjqka2])\))?")
TIME = re.compile(r"\[\d+\]$")
MOST_TOKENS = 10_000
"""Maximum number of words in a round; the longest possible round has less than a quarter."""

Fields = dict[str, list[str]]


def read_rounds(path: Path) -> Iterator[tuple[tuple[str, ...], Fields]]:
    """Read the players' names and the words of each field, one round at a time.

    Raises:
        InputError: The file cannot be read, or has text outside rounds, or a round without end.
    """
    names: tuple[str, ...] = ()
    fields: Fields | None = None  # of the round that has begun
    words: list[str] = []
    size = 0
    for number, line in filled_lines(path):
        tokens = line.split()
        if fields is None and tokens[0] == NAMES:
            names = tuple(tokens[1:])
            continue
        for token in tokens:
            size += 1
            if fields is None and token == BEGIN:
                fields, words, size = {}, [], 0
            elif fields is None or token == BEGIN or size > MOST_TOKENS:
                raise InputError(f"{path}, line {number}: {token[:20]!r} is not part of a round")
            elif token == END:
                yield names, fields
                fields = None
            elif token in FIELDS:
                words = fields[token] = []
            else:
                words.append(token)
    if fields is not None:
        raise InputError(f"{path}: the last round has no {END}")


def hands_of(words: list[str], name: str) -> list[int]:
    """Parse five hands, each in braces, to sets of cards; `name` is for messages."""
    text = " ".join(words)
    hands = HAND.findall(text)
    if len(hands) != PLAYERS or HAND.sub("", text).strip():
        raise InputError(f"{name} is not five times cards in braces")
    cards = [
        [logs.HELD_JOKER if card in JOKERS else card.upper() for card in hand.split()]
        for hand in hands
    ]
    return [logs.cards_of("".join(each)) for each in cards]


def play_of(text: str) -> int:
    """Parse a play to its id; a time after the play is ignored."""
    text = TIME.sub("", text)
    if text == "p":
        return PASS
    if text in JOKERS:
        return plays.JOKER
    match = PLAY.fullmatch(text)
    if match is not None:
        suits, ranks, joker = (part.upper() for part in match.groups(""))
        # The joker stands for the card of this suit in a group, of this rank in a kaidan.
        cards = [
            (logs.JOKER_SUITS[logs.SUITS.index(suit)] if joker in (suit, rank) else suit) + rank
            for suit in suits
            for rank in ranks
        ]
        action = logs.submission("".join(cards))
        if action != PASS:
            return action
    raise InputError(f"{text!r} is not a play: plays are ds-q, s-456, ch-a(c), jk or p")


def round_record(fields: Fields, names: tuple[str, ...] = ()) -> Record:
    """Convert a round to a record without replaying it; five `names` are its agents."""
    for name in NEEDED:
        if name not in fields:
            raise InputError(f"there is no {name!r}")
    classes, seats, result = (
        permutation("".join(fields[name]), name) for name in ("class", "seat", "result")
    )
    changed = hands_of(fields["changed"], "changed")
    order = [str(seats.index(seat)) for seat in range(PLAYERS)]  # `seats` is by player
    ranked = "".join(map(str, classes)) if any(changed) else "-"  # `-`: no exchange
    hands = [cards_text(hand) for hand in hands_of(fields["dealt"], "dealt")]
    actions: list[str] = []
    if any(changed):
        for pair in range(len(TAXES)):  # the winner of exchange pair i has class i
            actions += cards_in(changed[classes.index(pair)])  # taxes are forced: no actions
    actions += [plays.texts()[play_of(text)] for text in fields["play"]]
    agents = names if len(names) == PLAYERS else None
    returns = tuple(float(PLAYERS - place) for place in result)
    deal = ";".join(["".join(order), ranked, *hands])
    return Record("daihinmin", {}, tuple(actions), deal=deal, agents=agents, returns=returns)


def _checking(fields: Fields) -> Callable[[State], None]:
    """Make a function of states that checks taxes in the exchange and, once after it, all hands."""
    changed, original = hands_of(fields["changed"], "changed"), fields.get("original")

    def check(state: State) -> None:
        nonlocal original
        if state.leader < 0:
            for pair in range(len(TAXES)):
                player, due = int(loser(state, pair)), int(state.taxed[pair])
                if changed[player] != due:
                    paid = cards_text(changed[player])
                    raise InputError(f"{player} pays {paid}, not {cards_text(due)}")
        elif original is not None:
            for player, cards in enumerate(hands_of(original, "original")):
                if cards != int(state.hands[player]):
                    held = cards_text(state.hands[player])
                    raise InputError(f"after the exchange {player} holds {held}")
            original = None

    return check


def replay_fuji(path: Path) -> Iterator[Replay]:
    """Replay every round of a log; rounds count from 1."""
    for number, (names, fields) in enumerate(read_rounds(path), 1):
        with Replay(number, unit="round") as found:
            found.replay(round_record(fields, names), _checking(fields))
        yield found


FUJI = LogReader(
    name="log of the FujiGokoro family of programs",
    recognises=lambda path: first_line(path).split()[:1] in ([BEGIN], [NAMES]),
    replay=replay_fuji,
)
