"""Replay of UECda server logs under the rules, and conversion between rounds and logs.

A round, `values` by key (`logs.KEYS`), is replayed entry by entry. The player of each entry, the
taxes, the result, the points, the classes and the seats in the log are compared with the replay. A
card that the server lost in the exchange is removed.

A player submits a table of numbers. The official server logs all but 0 as cards, yet reads only 1
and 2 as cards, so a logged play may have counted as a pass. If a round does not replay as logged,
it is replayed with one play as a pass, and is accepted if it then agrees with the log.

That server may also write the end of a round's plays over its exchange. The line is then ignored
with a warning. The cards given back are those with which the round replays as logged.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import prefixed
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import parse_whole
from closedhand.core.reading import first_line
from closedhand.core.records import LogReader, Record, Replay, replay
from closedhand.core.registry import flat_game
from closedhand.core.views import at_action
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import TAXES, loser, winner
from closedhand.games.daihinmin.plays import cards_in
from closedhand.games.daihinmin.state import PLAYERS


def replay_log(path: Path) -> Iterator[Replay]:
    """Replay every round of a log; rounds are counted from 0, as in the log."""
    header: dict[str, str] = {}
    before: dict[str, str] = {}
    points: list[int] | None = None  # before the round, by player; None: not known
    options: dict[str, Any] | None = None
    for number, logged in logs.read_rounds(path, header):
        options = _options(path, header) if options is None else options
        if number == 0:
            points = [0] * PLAYERS
        values, detail = logs.without_stray_exchange(logged)
        if detail:
            warnings.warn(f"{path}, round {number}: {detail}", stacklevel=2)
        due, stated = None, _points_of(values)
        with Replay(number, unit="round", detail=detail) as found:
            names = tuple(header.get(logs.NAMES, "").split())
            found.record = record = logs.round_record(values, names, **options)
            _check_link(flat_game("daihinmin", options), number, values, before)
            found.record = _replayed(record, values)
            found.returns = record.returns
            assert found.returns is not None
            for cards in logs.lost_cards(values).values():
                found.record = None
                found.detail = f"the server lost {logs.cards_text(cards)}, which no record can hold"
            if points is not None:  # else the log begins after the first round
                due = [old + int(got) for old, got in zip(points, found.returns, strict=True)]
            if stated is None or due not in (None, stated):
                wanted = due or f"{PLAYERS} numbers"
                raise InputError(f"the points are {values['points']}, not {wanted}")
        yield found
        # Compare later rounds with the log of this one, so that a mistake is reported once.
        before, points = values, due or stated
    if options is None:
        _options(path, header)  # there are no rounds: check the header


def _points_of(values: Mapping[str, str]) -> list[int] | None:
    """Return the points that a round states, by player; None if it does not state five numbers."""
    with suppress(InputError):
        stated = [parse_whole(each, "points") for each in values.get("points", "").split()]
        if len(stated) == PLAYERS:
            return stated
    return None


def _check_link(
    game: Game, number: int, values: Mapping[str, str], before: Mapping[str, str]
) -> None:
    """Check that seats and classes follow from the round `before`; skip keys that it lacks."""
    seats, classes = before.get("seat", values["seat"]), values["mibun"]
    if values["seat"] != seats and number % game.options["seat_period"]:
        raise InputError(f"the seats change from {seats} to {values['seat']}")
    result = before.get("result", "")
    due = _classes_of(result) if sorted(result) == list("01234") else classes
    if number % game.options["class_period"] == 0:
        due = logs.NO_CLASSES
    drawn = number == 0 and game.options["classes"] == "random"
    if classes != due and not drawn:
        raise InputError(f"the classes are {classes}, not {due}")


def _replayed(record: Record, values: Mapping[str, str]) -> Record:
    """Return a record that replays as logged; add cards given back, or make one play a pass."""
    if values["change_cards"] == logs.UNKNOWN_EXCHANGE:
        return _with_exchange(record, values)
    try:
        replay(record, _checking(values))
        return record
    except InputError:
        start = sum(TAXES) if values["change_cards"] != logs.NO_EXCHANGE else 0
        for number in range(len(record.actions) - 1, start - 1, -1):
            if record.actions[number] != "PASS":
                actions = (*record.actions[:number], "PASS", *record.actions[number + 1 :])
                other = replace(record, actions=actions)
                with suppress(InputError):
                    replay(other, _checking(values))
                    return other
        raise


def _with_exchange(record: Record, values: Mapping[str, str]) -> Record:
    """Return the record with cards given back before its actions, so that it replays as logged."""
    game = flat_game(record.game, record.rules)
    state = _start(game, record)
    if state.leader >= 0:  # under these rules no cards are exchanged
        replay(record, _checking(values))
        return record
    submitted = [set[str]() for _ in range(PLAYERS)]
    for entry in logs.entries(values["play"]):
        cards = game.rules.plays.need[logs.submission(entry[1:])]
        submitted[int(entry[0])] |= set(cards_in(int(cards)))

    def choices(pair: int) -> list[tuple[str, ...]]:
        giver, taker = submitted[winner(state, pair)], submitted[loser(state, pair)]
        held = cards_in(int(state.hands[winner(state, pair)]))
        # First try the cards that the loser of the pair submitted, last those of its winner.
        order = sorted(held, key=lambda card: (card in giver) - (card in taker))
        return [tuple(sorted(cards, key=held.index)) for cards in combinations(order, TAXES[pair])]

    for first, second in product(choices(0), choices(1)):
        found = replace(record, actions=first + second + record.actions)
        with suppress(InputError):
            replay(found, _checking(values))
            return found
    raise InputError("the exchange is not logged, and the plays agree with no cards given back")


def _options(path: Path, header: Mapping[str, str]) -> dict[str, Any]:
    with prefixed(str(path)):
        return logs.options_of(header)


def _checking(values: Mapping[str, str]) -> Callable[[State], None]:
    """Make a function that checks the state before each action, and takes away lost cards."""
    turns = iter(logs.entries(values["play"]))
    known = values["change_cards"] != logs.UNKNOWN_EXCHANGE
    lost = logs.lost_cards(values)

    def check(state: State) -> None:
        if state.leader < 0:
            if known:
                _check_exchange(values, state)
            return
        while lost:
            take_away(state, *lost.popitem())
        player = next(turns, "")[:1]
        if player != str(state.player):
            raise InputError(f"it is the turn of {state.player}, not of {player or 'nobody'}")

    return check


def take_away(state: State, player: int, cards: int) -> None:
    """Remove cards from a hand and from the game."""
    state.hands[player] = np.uint64(int(state.hands[player]) & ~cards)
    state.left[player] = int(state.hands[player]).bit_count()


def _check_exchange(values: Mapping[str, str], state: State) -> None:
    """Check that exactly the taxes and the cards given back for them are exchanged."""
    gifts = {entry[:2]: logs.given_cards(entry[2:]) for entry in logs.gifts(values)}
    for pair, number in enumerate(TAXES):
        giver, taker = loser(state, pair), winner(state, pair)
        tax, back = gifts.pop(f"{giver}{taker}", 0), gifts.pop(f"{taker}{giver}", 0)
        if tax != int(state.taxed[pair]):
            due = logs.cards_text(int(state.taxed[pair]))
            raise InputError(f"{giver} pays {logs.cards_text(tax)}, not {due}")
        if back.bit_count() != number:
            raise InputError(f"{taker} returns {logs.cards_text(back)}, not {number} cards")
    if gifts:
        giver, taker = next(iter(gifts))
        raise InputError(f"{giver} gives nothing to {taker}")


def log_text(records: Iterable[Record]) -> str:
    """Write records of consecutive rounds as a log.

    The first deal may state the number of its round and the points before it. Otherwise the points
    count from 0, and the first round is 0, or 1 if the deal has classes that were not drawn.

    Raises:
        InputError: There is no record; a round is incomplete, illegal or of another match; a log
            cannot hold the rules; or an agent's name is empty.
    """
    records = list(records)
    if not records:
        raise InputError("there is nothing to write: give records of one round or more")
    first = records[0]
    if any(each.game != "daihinmin" or each.rules != first.rules for each in records):
        raise InputError("a log holds rounds of Daihinmin under one set of rules")
    game = flat_game(first.game, first.rules)
    logs.check_loggable(game)
    rounds: list[dict[str, str]] = []
    start, points = 0, np.zeros(PLAYERS, np.int64)
    for place, record in enumerate(records, 1):
        with prefixed(f"record {place}"):
            stated = _stated(game, record)
            if place == 1 and stated is not None:
                start, points[:] = stated
            number = start + len(rounds)
            if stated not in (None, (number, points.tolist())):
                raise InputError(
                    f"it is round {stated[0]} after the points {stated[1]}, not "
                    f"round {number} after {points.tolist()}"
                )
            values = _round_values(record, points)
            drawn = game.options["classes"] == "random"
            if place == 1 and stated is None and values["mibun"] != logs.NO_CLASSES and not drawn:
                start = number = 1  # the classes follow from a round before
            if record.agents != first.agents:
                raise InputError("its agents are not those of the first: a log names them once")
            _check_link(game, number, values, rounds[-1] if rounds else {})
            rounds.append(values)
    game = flat_game(first.game, {**first.rules, "rounds": start + len(rounds)})
    agents = first.agents or tuple(f"player_{player}" for player in range(PLAYERS))
    names = ["_".join(name.split()) for name in agents]
    if not all(names):
        raise InputError(f"a log separates agents' names by spaces: none is empty as in {agents}")
    lines = [logs.round_text(number, values) for number, values in enumerate(rounds, start)]
    total = {logs.TOTAL: rounds[-1]["points"]}
    return "".join([logs.header_text(logs.header(game, names)), *lines, logs.header_text(total)])


def _stated(game: Game, record: Record) -> tuple[int, list[int]] | None:
    """Return the round and the points before it that a deal states; None if it states none."""
    if record.deal is None:
        return None
    state = game.parse_deal(record.deal)
    return (int(state.round_number), state.points.tolist()) if state.round_number else None


def _classes_of(result: str) -> str:
    """Convert a result, the players by class, to the classes by player."""
    return "".join(str(result.index(str(player))) for player in range(PLAYERS))


def _round_values(record: Record, points: np.ndarray) -> dict[str, str]:
    """Return the values of a round by the keys of a log, and add its points to `points`."""
    game = flat_game(record.game, {**record.rules, "rounds": 1})
    state = _start(game, record)
    transcript = logs.Transcript(state)
    for number, text in enumerate(record.actions, 1):
        player, exchanging, action = int(state.player), state.leader < 0, game.parse(text, state)
        with at_action(number, text):
            game.play(state, action)
        if not exchanging:
            transcript.submit(player, action)
        elif state.player != player or state.leader >= 0:
            pair = 0 if player == winner(state, 0) else 1
            transcript.give(player, loser(state, pair), int(state.returned[pair]))
    if not contract.over(game.rules, state):
        raise InputError("the round is not played to its end")
    points += PLAYERS - state.places
    return transcript.values(state.places.tolist(), points.tolist())


def _start(game: Game, record: Record) -> State:
    """Return the state at the start of a record's round, as a game of one round."""
    if record.deal is not None:
        return game.parse_deal(";".join(record.deal.split(";")[: 2 + PLAYERS]))
    if record.rules.get("rounds", 1) > 1:
        raise InputError("a round of a match needs its deal: a seed alone does not determine it")
    return game.deal(np.random.default_rng(record.seed))


UECDA = LogReader(
    name="log of the UECda server",
    suffix=".log",
    recognises=lambda path: logs.LINE.fullmatch(first_line(path)) is not None,
    replay=replay_log,
    text=log_text,
)
