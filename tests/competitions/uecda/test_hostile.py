"""Clients that break the protocol or the connection: the match continues without them.

The server's clock stands still but where a test moves it: nothing here waits for time to pass.
"""

import os
import socket
import struct
import tracemalloc
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from support import FUZZ
from support_uecda import GAME, LONG, START, Clock, Log, Match, Raw, cards_table, check_log

from closedhand.competitions.uecda import client, wire
from closedhand.competitions.uecda.remote_players import (
    MOST_LATE,
    MOST_WAITING,
    Limits,
    RemotePlayer,
)
from closedhand.competitions.uecda.server import Server
from closedhand.competitions.uecda.table import Result
from closedhand.core.game import State
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import TAXES, best_cards
from closedhand.games.daihinmin.plays import PASS

DAIFUGO, FUGO, LAST = 3, 1, 0
SECONDS = 1000.0
"""Time limit by the clock of the tests, which stands still unless moved."""


def start() -> State:
    return GAME.parse_deal(START)


def table(cells: bytes) -> bytes:
    return cells.ljust(wire.TABLE, b"\0")


def hand_table(cards: int) -> bytes:
    return table(wire.hand_cells(cards))


PASSING = table(wire.NOTHING)


def lowest(hand: int, number: int) -> int:
    """The lowest cards of a hand."""
    cards = 0
    for _ in range(number):
        rest = hand & ~cards
        cards |= rest & -rest
    return cards


def match_with(seat: int, log: Path, clock: Clock, **settings: object) -> Match:
    """A match of one round from `START`, or more, with a client in one seat."""
    agents = ["random"] * 5
    agents[seat] = "net"
    usual = {"agents": agents, "rounds": 1, "seconds": SECONDS, "clock": clock}
    return Match(log, start(), **{**usual, **settings})


def given(log: Log, player: int) -> int:
    """The cards that a winner gave back in the first round."""
    for gift in logs.entries(log.rounds[0]["change_cards"]):
        if gift[0] == str(player):
            return logs.cards_of(gift[2:])
    raise AssertionError("no such gift")


# The exchange


def put(row: int, column: int, value: int, cells: bytes = wire.NOTHING) -> bytes:
    numbers = np.frombuffer(cells, ">i4").copy()
    numbers[wire.COLUMNS * row + column] = value
    return numbers.tobytes()


def one_twice(hand: int) -> bytes:
    """A single card, with 2 in its cell."""
    cells = wire.hand_cells(lowest(hand, 1))
    return cells.replace(b"\1", b"\2")


WRONG: dict[str, Callable[[int], bytes]] = {
    "none": lambda hand: wire.NOTHING,
    "too few": lambda hand: wire.hand_cells(lowest(hand, 1)),
    "too many": lambda hand: wire.hand_cells(lowest(hand, 3)),
    "all": wire.hand_cells,
    "one not held": lambda hand: wire.hand_cells(lowest(hand, 1) | lowest(~hand, 1)),
    "none held": lambda hand: wire.hand_cells(lowest(~hand, 2)),
    "a card twice": one_twice,
    "two jokers": lambda hand: put(4, 1, 2, put(0, 0, 2)),
    "a third card": lambda hand: put(0, 14, 1, wire.hand_cells(lowest(hand, 2))),
    "the fifth suit": lambda hand: put(4, 1, 1, wire.hand_cells(lowest(hand, 1))),
    "no numbers of cards": lambda hand: put(0, 1, -1, wire.hand_cells(lowest(hand, 2))),
    "everything": lambda hand: b"\xff" * wire.CELLS,
}


@pytest.mark.parametrize(
    ("wrong", "seat"),
    # One card is not too few for the fugo.
    [*((wrong, DAIFUGO) for wrong in WRONG), *((w, FUGO) for w in WRONG if w != "too few")],
)
def test_wrong_cards_in_the_exchange(wrong: str, seat: int, tmp_path: Path) -> None:
    """The best cards are given in their place, and the client keeps its seat."""
    state = start()
    number = TAXES[int(state.classes[seat])]
    match = match_with(seat, tmp_path / "a.log", Clock())

    def answer(raw: Raw, hand: int) -> bytes:
        return table(WRONG[wrong](hand)) if raw.status.to_give else PASSING

    raw = Raw(match.connect())
    raw.play(answer)
    result = match.end()
    assert result.illegal[seat] == 1 and not sum(result.late)
    assert result.gone == ("",) * 5 and len(match.notes) == 1
    log = check_log(match.log, 1)
    assert given(log, seat) == int(best_cards(state.hands[seat], number))
    # After the exchange it is shown its hand without these cards.
    assert raw.hands[0][1] == int(state.hands[seat]) & ~given(log, seat)


def test_right_cards_in_the_exchange(tmp_path: Path) -> None:
    for seat in (DAIFUGO, FUGO):
        number = TAXES[int(start().classes[seat])]
        match = match_with(seat, tmp_path / f"{seat}.log", Clock())
        Raw(match.connect()).play(
            lambda raw, hand: (
                hand_table(lowest(hand, raw.status.to_give)) if raw.status.to_give else PASSING
            )
        )
        assert sum(match.end().illegal) == 0
        assert given(check_log(match.log, 1), seat) == lowest(int(start().hands[seat]), number)


@pytest.mark.parametrize("seed", range(round(4 * FUZZ)))
def test_random_tables(seed: int, tmp_path: Path) -> None:
    """Whatever a client sends, the log replays, and no client loses its seat."""
    rng = np.random.default_rng(seed)
    legal = [wire.play_cells(play) for play in range(PASS + 1)]

    def answer(raw: Raw, hand: int) -> bytes:
        cells = bytearray(legal[rng.integers(len(legal))] if seed % 2 else wire.hand_cells(hand))
        for _ in range(rng.integers(4)):
            cells[rng.integers(len(cells))] = rng.integers(256) if seed % 3 else rng.integers(3)
        return bytes(cells) + rng.bytes(wire.TABLE - wire.CELLS)

    match = match_with(DAIFUGO, tmp_path / "a.log", Clock(), rounds=5)
    Raw(match.connect()).play(answer)
    result = match.end()
    check_log(match.log, 5)
    assert result.gone == ("",) * 5 and result.illegal[DAIFUGO]
    assert sum(result.illegal) == result.illegal[DAIFUGO]


# Lateness


def late_match(log: Path, late: Callable[[int], bool], **settings: object) -> tuple[Result, Match]:
    """A match with a client that answers some questions late, by their numbers from 1."""
    clock = Clock()
    match = match_with(DAIFUGO, log, clock, **settings)
    owed = b""

    def answer(raw: Raw, hand: int) -> bytes | None:
        nonlocal owed
        if late(raw.questions):
            clock.now += SECONDS
            owed += hand_table(hand)
            return None
        # What is owed comes in the end, and the answer right behind it.
        data, owed = owed, b""
        cards = hand_table(lowest(hand, raw.status.to_give)) if raw.status.to_give else PASSING
        return data + cards

    Raw(match.connect()).play(answer)
    return match.end(), match


def test_only_late_answers_in_a_row_cost_the_seat(tmp_path: Path) -> None:
    pattern = (1, 2, 4, 5, 7, 8, 10)
    result, match = late_match(tmp_path / "a.log", lambda number: number in pattern, rounds=2)
    assert result.late[DAIFUGO] == len(pattern) and not sum(result.illegal)
    assert result.gone == ("",) * 5 and len(match.notes) == 1
    check_log(match.log, 2)


@pytest.mark.parametrize("first", [1, 2, 4])
def test_three_late_answers_in_a_row_cost_the_seat(first: int, tmp_path: Path) -> None:
    result, match = late_match(tmp_path / "a.log", lambda number: number >= first, rounds=3)
    assert result.late[DAIFUGO] == MOST_LATE
    assert result.gone[DAIFUGO] == "was late 3 times in a row"
    assert len(match.notes) == 2 and match.notes[1].startswith("raw was late 3 times in a row: ")
    check_log(match.log, 3)


def test_who_is_late_in_the_exchange_gives_the_best_cards(tmp_path: Path) -> None:
    result, match = late_match(tmp_path / "a.log", lambda number: number == 1)
    assert result.late[DAIFUGO] == 1 and not sum(result.illegal) and not any(result.gone)
    best = int(best_cards(start().hands[DAIFUGO], 2))
    assert given(check_log(match.log, 1), DAIFUGO) == best


@pytest.mark.parametrize("sent", [0, 1, 240, 479])
def test_a_late_answer_is_not_taken_for_the_next_one(sent: int, tmp_path: Path) -> None:
    """A cut answer is late, wherever it is cut and whenever its rest arrives."""
    clock = Clock()
    match = match_with(LAST, tmp_path / "a.log", clock)
    singles: list[int] = []
    rest = b""

    def answer(raw: Raw, hand: int) -> bytes:
        nonlocal rest
        # Different singles, most of them illegal: each shows in the log.
        own = [card for card in range(53) if hand >> card & 1]
        singles.append(own[raw.questions % len(own)])
        whole = cards_table(singles[-1])
        if raw.questions == 2:
            clock.now += SECONDS
            rest = whole[sent:]
            return whole[:sent]
        data, rest = rest + whole, b""
        return data

    raw = Raw(match.connect())
    raw.play(answer)
    result = match.end()
    assert result.late[LAST] == 1 and not any(result.gone) and raw.replies[1] == wire.REJECTED
    entries = logs.entries(check_log(match.log, 1).rounds[0]["play"])
    expected = [logs.play_text(single) for single in singles]
    assert [entry[1:] for entry in entries if entry[0] == str(LAST)] == [
        *expected[:1],
        "",
        *expected[2:],
    ]


def test_what_comes_behind_an_answer_is_no_part_of_it() -> None:
    """Of too many bytes, some sent before the question, the first table after it counts."""
    ours, theirs = socket.socketpair()
    first, second = cards_table(3), cards_table(5)
    with ours, theirs:
        remote = RemotePlayer(ours, "hasty", Limits(SECONDS, clock=Clock()))
        for part, rest, answer in (
            (first[:100], first[100:] + second[:60], first),
            # What had come before the question is discarded.
            (second, b"", second),
        ):
            remote.ask()
            theirs.sendall(part)
            assert remote.answer(lambda rest=rest: theirs.sendall(rest)) == answer
        assert not remote.gone


def test_a_slow_writer_has_no_more_time_than_others(tmp_path: Path) -> None:
    """Bytes that trickle in do not extend the time limit of an answer."""
    clock = Clock()
    match = match_with(LAST, tmp_path / "a.log", clock)
    refused = []

    def answer(raw: Raw, hand: int) -> bytes:
        if raw.questions > 1:
            return PASSING
        before = clock.now
        for i in range(100):
            raw.sock.sendall(PASSING[i : i + 1])
            clock.now += SECONDS / 100
        assert clock.now - before == pytest.approx(SECONDS)
        # The server goes on although bytes have come all the time; then come the others.
        raw.sock.settimeout(LONG)
        refused.append(raw.sock.recv(wire.NUMBER.size, socket.MSG_PEEK | socket.MSG_WAITALL))
        return PASSING[100:]

    Raw(match.connect()).play(answer)
    result = match.end()
    assert refused == [wire.REJECTED]
    assert result.late[LAST] == 1 and not any(result.gone) and not sum(result.illegal)
    check_log(match.log, 1)


def test_who_waits_for_a_slow_client_is_told_meanwhile(tmp_path: Path) -> None:
    """Time passes for a silent client once the other one has received all earlier plays."""
    clock = Clock()
    agents = ["net", *["random"] * 3, "net"]
    match = Match(tmp_path / "a.log", agents=agents, rounds=1, seconds=SECONDS, clock=clock)

    passed = 0

    def see(status: wire.Status) -> None:
        """The time of the silent one passes when the other sees its turn, while it has its seat.

        After that the server goes on at once, and time that passes might be the other's.
        """
        nonlocal passed
        if not status.exchange and status.player == silent.me and passed < MOST_LATE:
            passed += 1
            clock.now += SECONDS

    silent, other = Raw(match.connect()), Raw(match.connect(), see)
    with ThreadPoolExecutor(2) as pool:
        pool.submit(silent.play, lambda raw, hand: None)
        pool.submit(other.play, lambda raw, hand: PASSING)
        result = match.end()
    assert result.gone[silent.me] and not result.gone[other.me] and not result.late[other.me]
    check_log(match.log, 1)


def test_daifugo_and_fugo_share_the_time_of_the_exchange(tmp_path: Path) -> None:
    """Two clients asked at once are late after one time limit."""
    clock = Clock()
    agents = ["random"] * 5
    agents[DAIFUGO] = agents[FUGO] = "net"
    match = match_with(0, tmp_path / "a.log", clock, agents=agents)
    raws = [Raw(match.connect()), Raw(match.connect())]
    asked: list[int] = []

    def answer(raw: Raw, hand: int) -> bytes | None:
        if not raw.status.to_give:
            return PASSING
        asked.append(raw.me)
        if len(asked) == 2:
            clock.now += SECONDS
        return None

    def later(raw: Raw, hand: int) -> bytes | None:
        data = answer(raw, hand)
        return data if data is None or raw.questions > 2 else PASSING + data

    with ThreadPoolExecutor(2) as pool:
        for raw in raws:
            pool.submit(raw.play, later)
        result = match.end()
    assert clock.now == SECONDS and not any(result.gone)
    assert [result.late[player] for player in (DAIFUGO, FUGO)] == [1, 1]


# Connections that break


def reset(sock: socket.socket) -> None:
    """Close a connection with RST."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


BREAKS: dict[str, Callable[[Raw], object]] = {
    "closed": lambda raw: raw.sock.close(),
    "half open": lambda raw: raw.sock.shutdown(socket.SHUT_WR),
    "reset": lambda raw: reset(raw.sock),
    "closed within an answer": lambda raw: (raw.sock.sendall(bytes(7)), raw.sock.close()),
}


@pytest.mark.parametrize("turn", [1, 2, 5])
@pytest.mark.parametrize("fault", BREAKS)
def test_a_broken_connection_costs_the_seat_at_once(fault: str, turn: int, tmp_path: Path) -> None:
    """A disconnected client costs the others no time, and cannot return."""
    match = match_with(DAIFUGO, tmp_path / "a.log", Clock(), rounds=2)

    def answer(raw: Raw, hand: int) -> bytes | None:
        if raw.questions == turn:
            BREAKS[fault](raw)
            with pytest.raises(ConnectionRefusedError):
                match.connect()
            return None
        return hand_table(lowest(hand, raw.status.to_give)) if raw.status.to_give else PASSING

    Raw(match.connect()).play(answer)
    result = match.end()
    assert result.gone == ("", "", "", "disconnected", "") and not sum(result.late)
    assert match.notes == ["raw is player_3", "raw disconnected: random plays on as player_3"]
    check_log(match.log, 2)


def test_a_client_that_reads_nothing_is_not_waited_for_twice() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                ours.send(bytes(10**5))
        remote = RemotePlayer(ours, "deaf", Limits(0.01))
        remote.flush()
        assert not remote.gone  # there was nothing to send
        for _ in range(2):
            remote.queue(wire.BLANK)
            remote.flush()
        assert remote.gone == "does not read"
        # A socket that is closed raises: nothing has been tried again.
        remote.ask()
        assert remote.answer(lambda: None) is None


# The lobby

TWO = ["random"] * 3 + ["net"] * 2


def play_all(match: Match, *raws: Raw) -> Result:
    """Clients that always pass, to the end of a match."""
    with ThreadPoolExecutor(len(raws)) as pool:
        for raw in raws:
            pool.submit(raw.play, lambda raw, hand: PASSING)
        return match.end()


def full_lobby(size: int, **settings: object) -> None:
    """More silent connections than may wait: the oldest make way, and a client gets its seat."""
    match = Match(None, agents=TWO, rounds=1, clock=Clock(), **settings)
    crowd = [match.connect() for _ in range(size + 3)]
    for sock in crowd[:3]:
        assert sock.recv(1) == b""
    raw = Raw(match.connect())
    for sock in crowd[4:]:
        sock.setblocking(False)
        with pytest.raises(BlockingIOError):
            sock.recv(1)
    assert crowd[3].recv(1) == b""
    play_all(match, raw, Raw(match.connect()))
    assert match.notes[2:] == [f"{size + 3} connections without a seat were closed"]
    for sock in crowd:
        sock.close()


def test_silent_connections_make_way() -> None:
    full_lobby(MOST_WAITING)
    full_lobby(2, most_waiting=2)


def test_who_says_more_than_a_profile_gets_no_seat() -> None:
    """Not even the last free one: its data would count as its first answer."""
    match = Match(None, rounds=1, clock=Clock())
    with match.connect() as hasty:
        hasty.sendall(wire.profile("hasty") + b"\0")
        assert client.Connection(hasty).number() == 4 and hasty.recv(1) == b""
        assert not any(play_all(match, Raw(match.connect())).gone)
    assert match.notes == [
        "hasty is player_4",
        "hasty sent data before the match: player_4 is free again",
        "raw is player_4",
    ]


def test_a_profile_has_a_time_limit() -> None:
    clock = Clock()
    match = Match(None, agents=TWO, rounds=1, clock=clock, profile_seconds=SECONDS)
    slow, trickling = match.connect(), match.connect()
    trickling.sendall(wire.profile("raw")[:-1])
    first = Raw(match.connect())
    # The lobby has seen all three; then the time is up, half a profile or none.
    clock.now += SECONDS
    assert slow.recv(1) == b"" == trickling.recv(1)
    assert not any(play_all(match, first, Raw(match.connect())).gone)
    slow.close()
    trickling.close()


def open_files() -> Counter[str]:
    found = Counter[str]()
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the listing
            found[os.readlink(f"/proc/self/fd/{number}")] += 1
    return found


BAD: dict[str, Callable[[socket.socket, np.random.Generator], object]] = {
    "silent": lambda sock, rng: None,
    "closed": lambda sock, rng: sock.close(),
    "reset": lambda sock, rng: reset(sock),
    "half open": lambda sock, rng: sock.shutdown(socket.SHUT_WR),
    "garbage": lambda sock, rng: sock.sendall(rng.bytes(wire.TABLE)),
    "part of a profile": lambda sock, rng: sock.sendall(wire.profile("x")[: rng.integers(480)]),
    "another protocol": lambda sock, rng: sock.sendall(bytes(wire.TABLE)),
    "HTTP": lambda sock, rng: sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20),
    "a flood": lambda sock, rng: sock.sendall(bytes(10**5)),
    "TLS": lambda sock, rng: sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc" + rng.bytes(508)),
    "a seat, then gone": lambda sock, rng: (sock.sendall(wire.profile("x")), sock.close()),
}
"""What a bad connection does once it is open."""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are listed in /proc")
def test_a_match_leaves_no_file_open(tmp_path: Path) -> None:
    """Its log and sockets are closed at its end, while the server object still exists."""
    before = open_files()
    match = Match(tmp_path / "a.log", agents=["random"] * 5, rounds=1)
    match.end()
    assert match.log.exists() and open_files() <= before


def test_an_interrupted_lobby_closes_its_connections() -> None:
    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    server = Server(TWO, 1, port=0, note=interrupt)
    with socket.create_connection(server.address, LONG) as sock:
        sock.sendall(wire.profile("raw"))
        with pytest.raises(KeyboardInterrupt):
            server.run()
        assert sock.recv(1) == b""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_the_lobby_outlives_bad_connections() -> None:
    """A client that has its seat keeps it, and others are seated after them."""
    number = round(200 * FUZZ)
    rng = np.random.default_rng(0)
    match = Match(None, agents=[*["random"] * 2, *["net"] * 3], rounds=1, clock=Clock())
    first = Raw(match.connect())
    before, most = open_files(), 0
    ours: list[socket.socket] = []
    for i in range(number):
        if i == number // 2:
            tracemalloc.start()
        sock = match.connect()
        ours.append(sock)
        with suppress(OSError):  # the server may be quicker
            BAD[list(BAD)[i % len(BAD)]](sock, rng)
        if len(ours) > 2 * MOST_WAITING:
            ours.pop(0).close()
        opened = (open_files() - before).total()
        most = max(most, opened - sum(sock.fileno() >= 0 for sock in ours))
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # What half of them leave behind is less than what the ones waiting may take.
    assert grown < 200_000
    # Its sockets, and a few that it has not looked at yet.
    assert most <= 2 * MOST_WAITING + 10
    result = play_all(match, first, Raw(match.connect()), Raw(match.connect()))
    assert result.names[2:] == ("raw",) * 3 and not any(result.gone)
    for sock in ours:
        sock.close()
    assert open_files() <= before
    assert len(match.notes) <= number + 4
