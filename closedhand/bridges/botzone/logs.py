"""Match logs of Botzone as records.

A log is an object `{"log": [...]}`, one a line or one a file. Its items are in turn an output of
the judge, `{"output": {"command": "request", "content": {SEAT: REQUEST}}}`, and the answer of the
bot, `{SEAT: {"response": RESPONSE}}`; the last output is `"finish"` with the scores by seat.

The payoffs of a record are ours: the stake, doubled by bombs, the rocket and the spring. The scores
of the platform also hold points for the kinds of plays that a seat made. `play_points` counts them
by the table in the platform's sample program.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from closedhand.bridges.botzone import protocol
from closedhand.core.checks import InputError
from closedhand.core.game import Game, State, shown
from closedhand.core.parsing import OPTIONS, TEXT, check_fields, is_number, list_of, parse_json
from closedhand.core.reading import MOST_TEXT, beyond, filled_lines, first_line, limit
from closedhand.core.records import LogReader, Record, Replay
from closedhand.core.registry import flat_game
from closedhand.games.doudizhu.plays import SHUTTLES, category_of
from closedhand.games.doudizhu.state import SEATS

LOG = re.compile(r'\s*\{\s*"(log|initdata)"\s*:')
MATCH = {"log": list_of(OPTIONS)}
OUTPUT = {"command": TEXT, "content": OPTIONS}
SEAT_NAMES = tuple(map(str, range(SEATS)))

POINTS = {
    "pass": 0, "solo": 1, "pair": 2, "trio": 4, "trio+solo": 4, "trio+pair": 4,
    "solo chain": 6, "pair chain": 6,
    "trio chain": 8, "trio chain+solos": 8, "trio chain+pairs": 8,
    "four+dual solo": 8, "four+dual pair": 8, "bomb": 10, "rocket": 16,
}  # fmt: skip
"""Points of a play by its category, as in the platform's sample program."""
SHUTTLE_POINTS, LONG_SHUTTLE_POINTS = 10, 20
"""Points of a shuttle (consecutive fours) of two fours, and of a longer one."""
POINTS_IN_SCORE = 100  # number of points of plays that make 1 in the platform's score


def play_points(game: Game, state: State) -> list[float]:
    """Return the part of the platform's scores that rewards kinds of plays, by seat."""
    plays = game.rules.plays
    points = [0] * SEATS
    # `words` actions of the auction come first. Then the landlord leads; a pass is a turn, too.
    for turn, action in enumerate(state.history[state.words : state.moves].tolist()):
        category, length = category_of(plays, int(plays.group[action]))
        value = POINTS[category.name]
        if category in SHUTTLES:
            value = SHUTTLE_POINTS if length == 2 else LONG_SHUTTLE_POINTS
        points[(int(state.landlord) + turn) % SEATS] += value
    return [each / POINTS_IN_SCORE for each in points]


def is_botzone(path: Path) -> bool:
    """Return whether a file, possibly compressed by gzip, begins like a match log."""
    line = first_line(path)
    return LOG.match(line) is not None or line == "{"


def matches_in(path: Path) -> Iterator[str]:
    """Yield each match's text: a line, or all lines of the file, `MOST_TEXT` characters at most."""
    whole: list[str] = []
    size = 0
    for number, (_, line) in enumerate(filled_lines(path)):
        if not whole and (number > 0 or line.endswith("}")):
            yield line
            continue
        whole.append(line)
        size += len(line)
        if size > limit(MOST_TEXT):
            raise beyond(path, "the match has", MOST_TEXT)
    if whole:
        yield "\n".join(whole)


class Asked(NamedTuple):
    """A request of the judge to a seat."""

    seat: int
    request: Any
    responses: list[Any]  # one, or none so far


def turns_of(log: list[dict[str, Any]]) -> tuple[list[Asked], list[float] | None]:
    """List the turns of a match log, and the platform's scores by seat, None before the end.

    Raises:
        InputError: The log is malformed, or a bot has not answered.
    """
    turns: list[Asked] = []
    for item in log:
        asked = str(turns[-1].seat) if turns and not turns[-1].responses else None
        if "output" in item:
            output = check_fields(item["output"], "an output of the judge", OUTPUT)
            content = output["content"]
            if output["command"] == "finish":
                scores = [content.get(seat) for seat in SEAT_NAMES]
                if not all(map(is_number, scores)):
                    raise InputError(f"the scores are numbers by seat, not {shown(content)}")
                return turns, scores
            if asked is not None or len(content) != 1 or not set(content) <= set(SEAT_NAMES):
                raise InputError("the judge asks one seat after the other, 0, 1 or 2")
            ((name, request),) = content.items()
            turns.append(Asked(int(name), request, []))
            continue
        answers = {name: each for name, each in item.items() if name in SEAT_NAMES}
        if asked is None or [*answers] != [asked]:
            raise InputError(f"an answer is of the seat that was asked, not of {[*answers]}")
        answer = check_fields(answers[asked], "an answer", {})
        if "response" not in answer:
            raise InputError(f"seat {asked} has not answered: {shown(answer.get('verdict'))}")
        turns[-1].responses.append(answer["response"])
    return turns, None


def record_of(turns: list[Asked]) -> Record:
    """Make the record of a match; the cards of all seats have to be known.

    Raises:
        InputError: A request or a response is malformed, or cards are missing.
    """
    own: dict[int, list[int]] = {}  # cards of each seat
    public: list[int] = []
    landlord: int | None = None
    bidding = False
    moves: list[list[int]] = []  # cards of the plays so far
    texts: list[str] = []  # of all actions, the auction included
    for seat, data, responses in turns:
        if isinstance(data, dict) and "bid" in data:
            request = check_fields(data, "a request of the auction", protocol.AUCTION)
            own[seat] = protocol.check_cards(request["own"], "own")
            bidding = True
            texts += [protocol.bid_text(protocol.check_bid(bid)) for bid in responses]
            continue
        facts = {**protocol.FIRST, **protocol.OTHERS}
        request = check_fields(data, "a request of play", protocol.LATER, facts)
        if "publiccard" in request:
            public = protocol.check_cards(request["publiccard"], "publiccard")
            landlord = request.get("landlord") or 0
            own.setdefault(seat, protocol.check_cards(request.get("own") or [], "own"))
        last = [[], [], *moves][-2:]
        if [*map(sorted, request["history"])] != [*map(sorted, last)]:
            raise InputError(f"the history is {shown(request['history'])}, not {last}")
        moves += map(protocol.check_play, responses)
        texts += map(protocol.play_text, responses)
    missing = [seat for seat in range(SEATS) if seat not in own]
    if missing or landlord is None:
        raise InputError(f"the cards of seat {(missing or [0])[0]} are not in the log")
    hands = [protocol.without(own[seat], public) for seat in range(SEATS)]
    rules = {"rules": "botzone", "bidding": bidding}
    game = flat_game("doudizhu", rules)
    actions = tuple(game.text(game.parse(text)) for text in texts)
    deal = ";".join(map(protocol.text_of, (*hands, public)))
    return Record("doudizhu", rules, actions, deal=deal)


def replay_botzone(path: Path) -> Iterator[Replay]:
    """Replay every match of a file; matches count from 1."""
    for number, text in enumerate(matches_in(path), 1):
        with Replay(number, unit="match") as found:
            match = check_fields(parse_json(text), "a match log", MATCH)
            turns, scores = turns_of(match["log"])
            record = record_of(turns)
            state = found.replay(record)
            if found.returns is not None:
                points = play_points(flat_game(record.game, record.rules), state)
                found.detail = f"points of the sample's table {points}"
                if scores is not None:
                    found.detail += f", scores of the platform {scores}"
            elif scores is not None:
                raise InputError("the match has scores, but the game is not over")
        yield found


BOTZONE = LogReader(name="match log of Botzone", recognises=is_botzone, replay=replay_botzone)
