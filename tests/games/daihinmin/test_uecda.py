"""The competition's protocol: tables, server and clients over real sockets, logs."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import DATA
from typer.testing import CliRunner

from closedhand import make_game
from closedhand.cli import app
from closedhand.core import records
from closedhand.core.game import InputError, State
from closedhand.games.daihinmin import logs, plays
from closedhand.games.daihinmin.exchange import loser, pair_in_exchange, winner
from closedhand.games.daihinmin.legality import can_play
from closedhand.games.daihinmin.uecda import client, wire
from closedhand.games.daihinmin.uecda.server import Server
from closedhand.games.daihinmin.uecda.table import Result

GAME = make_game("daihinmin")
LONG = 30.0


class Lowest:
    """Plays the lowest legal id; keeps the views that it saw."""

    name = "lowest"

    def __init__(self) -> None:
        self.views: list[State] = []

    def act(self, view: State) -> int:
        self.views.append(view)
        return int(GAME.legal(view)[0])


class Match:
    """A match in another thread, by default of one client against random players."""

    def __init__(self, log: Path, **settings: Any) -> None:
        usual = {"agents": ["random"] * 4 + ["net"], "fallback": "random", "seconds": LONG}
        self.log = log
        self.notes: list[str] = []
        self.server = Server(**{**usual, **settings}, port=0, log=log, note=self.notes.append)
        self._result = ThreadPoolExecutor(1).submit(self.server.run)

    def end(self) -> Result:
        return self._result.result(LONG)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.server.address, LONG)


class Raw:
    """A client by hand: it answers every question with what a function makes of the table."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.connection = client.Connection(sock)
        self.questions = 0
        self.hands: list[list[int]] = []
        self.connection.send(wire.profile("raw"))
        self.me = self.connection.number()

    def play(self, answer: "Answer") -> None:
        """Play until the match or the connection ends."""
        with suppress(EOFError, OSError), self.sock:
            while True:
                table = self.connection.table()
                status = wire.read_status(table)
                if status.exchange:
                    self.hands.append([])
                self.hands[-1].append(wire.held_cards(table[: wire.CELLS]) or 0)
                if status.my_turn or status.to_give:
                    self.questions += 1
                    data = answer(self, self.hands[-1][-1])
                    if data is not None:
                        self.sock.sendall(data)
                if status.my_turn:
                    self.connection.read(4)
                if not status.exchange:
                    self.connection.table()
                    if self.connection.number() == wire.MATCH_OVER:
                        return


Answer = Callable[[Raw, int], bytes | None]


def cards_table(play: int) -> bytes:
    return wire.play_cells(play).ljust(wire.TABLE, b"\0")


def check_log(path: Path, rounds: int) -> logs.Log:
    """Every round of a log replays to its result, and the log is written as it was read."""
    log = logs.read(path)
    assert len(log.rounds) == rounds and logs.log_text(log) == path.read_text()
    for values in log.rounds:
        records.replay(logs.round_record(values, log.names, **log.options))
    assert log.header[logs.TOTAL] == log.rounds[-1]["points"]
    return log


def test_cells_follow_the_protocol() -> None:
    every = range(plays.NUM_ACTIONS)
    assert [wire.read_play(wire.play_cells(play)) for play in every] == list(every)
    for play, cells in (
        ("_c*3c4c", {(3, 0): 2, (3, 1): 1, (3, 2): 1}),
        ("Ks*As2s", {(0, 11): 2, (0, 12): 1, (0, 13): 1}),
        ("2c2d2h2s+*", {(0, 13): 1, (1, 13): 1, (2, 13): 1, (3, 13): 1, (4, 13): 2}),
    ):
        numbers = np.frombuffer(wire.play_cells(GAME.parse(play)), ">i4").reshape(5, 15)
        assert {(int(r), int(c)): int(numbers[r, c]) for r, c in np.argwhere(numbers)} == cells
    for place in range(60):
        lone = (bytes(4 * place + 3) + b"\2").ljust(wire.CELLS, b"\0")
        assert wire.read_play(lone) == plays.JOKER
        assert wire.held_cards(lone) == int(plays.JOKER_BIT)


def test_tables_are_read_back() -> None:
    for cards in (0, int(plays.DECK), 1 << 52, 0x123456789ABC):
        assert wire.held_cards(wire.hand_cells(cards)) == cards
    for garbage in (b"\xff" * wire.CELLS, b"\0\0\0\3".ljust(wire.CELLS, b"\0")):
        assert wire.read_play(garbage) is None is wire.held_cards(garbage)
    assert wire.read_profile(wire.profile("a name with ü")) == "a_name_wi"
    assert wire.read_profile(wire.profile("")) == "_"
    assert wire.read_profile(bytes(wire.TABLE)) is None
    status = wire.Status(1, 2, 1, 4, 1, 0, 1, 1, (1, 2, 3, 4, 5), (4, 3, 2, 1, 0), (2, 0, 1, 4, 3))
    table = wire.hand_cells(7) + status.pack()
    assert wire.read_status(table) == status and wire.turn_of(table) == (4, True)


# Matches


def test_five_clients_know_what_the_rules_let_them_know(tmp_path: Path) -> None:
    """Their views are those of the true states, byte for byte."""
    match = Match(tmp_path / "a.log", agents=["net"], rounds=12, seed=3)

    def join(number: int) -> tuple[client.Result, Iterator[State]]:
        agent = Lowest()
        return client.Client(agent, *match.server.address).play(), iter(agent.views)

    with ThreadPoolExecutor(5) as pool:
        joined = {result.player: (result, views) for result, views in pool.map(join, range(5))}
    outcome = match.end()
    for values in check_log(match.log, 12).rounds:
        record = logs.round_record(values)
        state = GAME.parse_deal(record.deal or "")
        for action in record.actions:
            view, true = next(joined[int(state.player)][1]), GAME.view(state, int(state.player))
            assert view.tobytes() == true.tobytes(), (view, true)
            GAME.play(state, GAME.parse(action))
    assert not any(list(rest) for _, rest in joined.values())
    assert outcome.points == tuple(joined[player][0].points for player in range(5))
    assert all(result.complete and not result.rejected for result, _ in joined.values())
    assert outcome.late == outcome.illegal == (0,) * 5 and outcome.gone == ("",) * 5


def test_a_client_plays_as_its_agent_would_at_the_server(tmp_path: Path) -> None:
    """And a seeded match gives the same log again, under any rules."""
    options = {"kaidan": False, "joker_edges": False, "classes": "random"}
    seeds = np.random.default_rng((5, 1)).integers(2**31, size=5)
    net = Match(tmp_path / "net.log", rounds=6, seed=5, **options)
    client.Client("random", *net.server.address, seed=int(seeds[4]), **options).play()
    own = Match(tmp_path / "own.log", agents=["random"], rounds=6, seed=5, **options)
    assert net.end().points == own.end().points
    log, other = check_log(own.log, 6), check_log(net.log, 6)
    assert log.rounds == other.rounds
    assert log.header | {logs.TIME_END: ""} == other.header | {logs.TIME_END: ""}
    assert log.header["RULE_KAIDAN"] == "NO" and log.options["joker_edges"] is False
    assert log.rounds[0]["mibun"] != logs.NO_CLASSES


def not_held(raw: Raw, hand: int) -> bytes:
    """A single that the client does not hold."""
    return cards_table(next(card for card in range(52) if not hand >> card & 1))


FAULTS: dict[str, tuple[Answer, str]] = {
    "silent": (lambda raw, hand: None, "late 3 times"),
    "half a table": (lambda raw, hand: bytes(240), "late 3 times"),
    "a million bytes": (lambda raw, hand: bytes(10**6), "too much"),
    "vanishing": (lambda raw, hand: raw.sock.close(), "is gone"),
    "garbage": (lambda raw, hand: os.urandom(wire.TABLE), ""),
    "cards not held": (not_held, ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_client_harms_nobody_else(fault: str, tmp_path: Path) -> None:
    answer, reason = FAULTS[fault]
    match = Match(tmp_path / "a.log", rounds=4, seconds=0.05 if "late" in reason else LONG)
    raw = Raw(match.connect())
    raw.play(answer)
    result = match.end()
    assert result.gone[:4] == ("",) * 4
    assert reason in result.gone[raw.me] and bool(reason) == bool(result.gone[raw.me])
    assert reason or result.illegal[raw.me] > 0
    assert not reason or "random plays on as player_4" in match.notes[-1]
    log = check_log(match.log, 4)
    for values, hands in zip(log.rounds, raw.hands, strict=False):
        # It sees no cards but those it is dealt, or gets in the exchange.
        own = logs.cards_of(values["palyer_cards"].split()[raw.me])
        for gift in logs.entries(values["change_cards"].replace(logs.NO_EXCHANGE, "")):
            own |= logs.cards_of(gift[2:]) if gift[1] == str(raw.me) else 0
        assert all(hand and not hand & ~own for hand in hands)
        if not reason:
            # What can be written is in the log although it was a pass.
            entries = [e for e in logs.entries(values["play"]) if e[0] == str(raw.me)]
            assert {len(entry) for entry in entries} == {3 if answer is not_held else 1}


def test_a_late_answer_is_not_taken_for_the_next_one(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", seconds=1.0, rounds=1, seed=1)
    sent: list[int] = []

    def answer(raw: Raw, hand: int) -> bytes:
        # Different singles, most of them illegal: each shows in the log.
        own = [card for card in range(53) if hand >> card & 1]
        sent.append(own[raw.questions % len(own)])
        time.sleep(1.3 if raw.questions == 1 else 0)
        return cards_table(sent[-1])

    raw = Raw(match.connect())
    raw.play(answer)
    result = match.end()
    entries = logs.entries(check_log(match.log, 1).rounds[0]["play"])
    assert result.late[raw.me] == 1 and not result.gone[raw.me]
    own = [entry[1:] for entry in entries if entry[0] == str(raw.me)]
    assert own == ["", *map(logs.play_text, sent[1:])]


def closed(sock: socket.socket) -> bool:
    """Whether the other end closes a connection before it says anything."""
    with sock, suppress(ConnectionError):
        return sock.recv(1) == b""
    return True


def test_the_lobby_seats_profiles_only(tmp_path: Path) -> None:
    agents = ["random"] * 3 + ["net"] * 2
    match = Match(tmp_path / "a.log", agents=agents, rounds=1, profile_seconds=0.3)
    silent, wrong = match.connect(), match.connect()
    wrong.sendall(bytes(wire.TABLE))
    Raw(match.connect()).sock.close()
    assert closed(silent) and closed(wrong)
    while "player_3 is free again" not in match.notes[-1]:
        time.sleep(0.005)
    crowd = [match.connect() for _ in range(8)]
    raws = [Raw(match.connect()) for _ in range(2)]
    assert [raw.me for raw in raws] == [3, 4]
    assert all(closed(sock) for sock in crowd)
    with pytest.raises(InputError, match="no server"):
        client.Client("random", *match.server.address)
    for raw in raws:
        raw.sock.close()
    match.end()


# Recorded: `S` is what the server says, `C` what the client does; tables without their zeros.

GOLDEN = DATA / "uecda_exchange.txt"
START = (
    "20413;41302;4c4s6h7c8c9hJdJhAs2s*;4d5d5s7h8h8sTcJcKdKs;3h3s5h7s9cThJsQcKcAc2c;"
    "3d5c6c6s7d9dTdQdQh2d2h;3c4h6d8d9sTsQsKhAdAh"
)


def golden() -> Iterator[tuple[str, bytes]]:
    for line in GOLDEN.read_text().splitlines():
        side, kind, *cells = line.split()
        table = np.zeros((8, 15), ">i4")
        for cell in cells:
            row, column, value = map(int, re.split("[.=]", cell))
            table[row, column] = value
        yield side, table.tobytes() if kind == "table" else wire.NUMBER.pack(int(kind))


def test_the_server_speaks_as_recorded() -> None:
    server = Server([Lowest(), "net", *(Lowest() for _ in range(3))], 1, port=0, fallback=Lowest())
    start = GAME.parse_deal(START)
    match = ThreadPoolExecutor(1).submit(server.run, start=start)
    with socket.create_connection(server.address, LONG) as sock:
        connection = client.Connection(sock)
        for side, data in golden():
            if side == "C":
                sock.sendall(data)
            else:
                assert connection.read(len(data)) == data
    match.result(LONG)


def test_the_client_speaks_as_recorded() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"".join(data for side, data in golden() if side == "S"))
        theirs.shutdown(socket.SHUT_WR)
        client.play_match(ours, client.round_game(), Lowest(), "golden")
        ours.close()
        sent = b"".join(iter(lambda: theirs.recv(65536), b""))
    assert sent == b"".join(data for side, data in golden() if side == "C")


def test_a_log_is_written_as_the_official_server_does() -> None:
    illegal = 0
    for values in check_log(DATA / "uecda.log", 25).rounds:
        record = logs.round_record(values)
        state = GAME.parse_deal(record.deal or "")
        transcript = logs.Transcript(state)
        for action in map(GAME.parse, record.actions):
            pair = pair_in_exchange(state)
            if pair == 2:
                transcript.submit(int(state.player), action)
                illegal += not can_play(GAME.rules, state, action)
            GAME.play(state, action)
            if pair != pair_in_exchange(state):
                players = winner(state, pair), loser(state, pair)
                transcript.give(*players, int(state.returned[pair]))
        points = [int(each) for each in values["points"].split()]
        # A lone joker may lie anywhere.
        values = {**values, "play": re.sub("(?<= [0-4])[KLMN].(?=EE)", "Kx", values["play"])}
        assert transcript.values(state.places.tolist(), points) == values
    assert illegal == 1


# Commands

SERVE = ["serve", "daihinmin", "--fallback", "random", "--port"]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_serve_reports_a_match(tmp_path: Path) -> None:
    common = [*SERVE, "0", "--agents", "random", "--rounds", "3", "--log", str(tmp_path / "a.log")]
    result = run(*common)
    assert result.exit_code == 0 and "a.log" in result.stdout, result.output
    data = json.loads(run(*common, "--json").stdout)
    assert (data["rounds"], data["interrupted"], sum(data["points"])) == (3, False, 45)
    check_log(tmp_path / "a.log", 3)


def test_join_plays_a_match(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", rounds=2)
    where = ["--port", str(match.server.address[1]), "--name", "x"]
    result = run("join", "daihinmin", "--agent", "random", *where, "--json")
    data = json.loads(result.stdout)
    assert data["complete"] and data["points"] == match.end().points[4] and data["rounds"] == 2
    assert check_log(match.log, 2).names[4] == "x"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "doudizhu"], "doudizhu offers nothing to serve"),
        ([*SERVE, "0", "--agents", "net,net"], "five, not 2"),
        ([*SERVE, "0", "--agents", "nobody"], "no agent 'nobody'"),
        ([*SERVE, "0", "--option", "illegal=error"], "leave out illegal"),
        ([*SERVE, "0", "--option", "compact=true"], "leave compact off"),
        ([*SERVE, "0", "--host", "203.0.113.1"], "cannot listen at 203.0.113.1"),
        ([*SERVE, "BUSY"], "cannot listen at"),
        ([*SERVE, "0", "--agents", "random", "--log", "/dev/null/x"], "cannot write"),
        (["join", "daihinmin", "--agent", "random", "--port", "1"], "no server at"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        result = run(*(port if argument == "BUSY" else argument for argument in arguments))
    assert result.exit_code == 2
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


def test_an_interrupted_match_has_a_complete_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    program = [sys.executable, "-c", "from closedhand.cli import main; main()", *SERVE, "0"]
    program += ["--agents", "random", "--rounds", "1000000", "--log", str(path)]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not path.exists() or path.stat().st_size < 5000:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == 130
    check_log(path, len(logs.read(path).rounds))
