"""The competition's protocol: tables, server and clients over real sockets, logs."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from closedhand import make_game
from closedhand.cli import app
from closedhand.games import contract, records
from closedhand.games.daihinmin import logs, plays, rules
from closedhand.games.game import InputError, State
from closedhand.uecda import client, wire
from closedhand.uecda.server import Server
from closedhand.uecda.table import Result

DATA = Path(__file__).parent / "data"
AGENTS = ["random", "random", "random", "random", "net"]
GAME = make_game("daihinmin")
LONG = 30.0
Answer = Callable[["Raw", bytes], bytes | None]


class Lowest:
    """Plays the lowest legal id; keeps the views that it saw."""

    name = "lowest"

    def __init__(self) -> None:
        self.views: list[State] = []

    def act(self, view: State) -> int:
        self.views.append(view)
        return int(GAME.legal(view)[0])


class Match:
    """A match in another thread."""

    def __init__(self, log: Path, **settings: Any) -> None:
        settings = {"agents": AGENTS, "port": 0, "fallback": "random", "seconds": LONG} | settings
        self.notes: list[str] = []
        self.server = Server(**settings, note=self.notes.append)
        self.log = log
        self.results: list[Result] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.results.append(self.server.run(self.log))

    def end(self) -> Result:
        self._thread.join(LONG)
        assert self.results, "the match does not end"
        return self.results[0]

    def connect(self) -> socket.socket:
        return socket.create_connection(self.server.address, LONG)

    def await_note(self, text: str) -> None:
        deadline = time.monotonic() + LONG
        while not any(text in note for note in self.notes):
            assert time.monotonic() < deadline, self.notes
            time.sleep(0.005)


class Raw:
    """A client by hand: it answers every question with what a function makes of the table."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(LONG)
        self.sock = sock
        self.connection = client.Connection(sock)
        self.questions = 0
        self.hands: list[bytes] = []
        self.connection.send(wire.profile("raw"))
        self.me = self.connection.number()

    def play(self, answer: Answer) -> None:
        """Play until the match or the connection ends."""
        with suppress(EOFError, OSError), self.sock:
            end = wire.ROUND_OVER
            while end != wire.MATCH_OVER:
                end = self._round(answer)

    def _round(self, answer: Answer) -> int:
        while True:
            table = self._hand()
            status = wire.read_status(table)
            if status.exchange and status.to_give:
                self.connection.send(answer(self, table) or b"")
            if status.exchange:
                continue
            if status.my_turn:
                self.questions += 1
                data = answer(self, table)
                if data is not None:
                    self.sock.sendall(data)
                self.connection.read(4)
            self.connection.table()
            end = self.connection.number()
            if end != wire.GOES_ON:
                return end

    def _hand(self) -> bytes:
        self.hands.append(self.connection.table())
        return self.hands[-1]


def closed(sock: socket.socket) -> bool:
    """Whether the other end closes a connection before it says anything."""
    with sock:
        try:
            return sock.recv(1) == b""
        except ConnectionError:
            return True


def table_of(cells: bytes) -> bytes:
    return cells.ljust(wire.TABLE, b"\0")


def check_log(path: Path, rounds: int) -> logs.Log:
    """Every round of a log replays to its result."""
    log = logs.read(path)
    assert len(log.rounds) == rounds
    for values in log.rounds:
        records.replay(logs.round_record(values, log.names, **log.options))
    assert logs.log_text(log) == path.read_text()
    assert log.header[logs.TOTAL] == (log.rounds[-1]["points"] if log.rounds else "0 0 0 0 0")
    return log


def without_times(path: Path) -> str:
    return re.sub(r"%TIME_END%.*", "", path.read_text())


# Tables


def test_every_play_is_cells_and_back() -> None:
    assert [wire.read_play(wire.play_cells(play)) for play in range(plays.NUM_ACTIONS)] == list(
        range(plays.NUM_ACTIONS)
    )
    assert len({wire.play_cells(play) for play in range(plays.NUM_ACTIONS)}) == plays.NUM_ACTIONS


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("column", [0, 5, 14])
def test_a_lone_joker_lies_anywhere(row: int, column: int) -> None:
    cells = bytearray(wire.CELLS)
    cells[4 * (15 * row + column) + 3] = 2
    assert wire.read_play(bytes(cells)) == plays.JOKER
    assert wire.held_cards(bytes(cells)) == int(plays.JOKER_BIT)


def test_cells_follow_the_protocol() -> None:
    """S3 is at row 0, column 1; the joker below a kaidan of clubs at row 3, column 0."""
    numbers = np.frombuffer(wire.play_cells(GAME.parse("_c*3c4c")), ">i4").reshape(5, 15)
    assert numbers[3, :4].tolist() == [2, 1, 1, 0] and numbers.sum() == 4
    numbers = np.frombuffer(wire.hand_cells(1 << rules.SPADE_THREE | 1 << 52), ">i4").reshape(5, 15)
    assert numbers[0, 1] == 1 and numbers[4, 1] == 2 and numbers.sum() == 3
    numbers = np.frombuffer(wire.play_cells(GAME.parse("2c2d2h2s+*")), ">i4").reshape(5, 15)
    assert numbers[4, 13] == 2 and numbers.sum() == 6


@pytest.mark.parametrize("cells", [b"\xff" * wire.CELLS, b"\0\0\0\x03".ljust(wire.CELLS, b"\0")])
def test_garbage_is_no_play(cells: bytes) -> None:
    assert wire.read_play(cells) is None
    assert wire.held_cards(cells) is None


def test_hands_profiles_and_flags_are_read_back() -> None:
    for cards in (0, int(plays.DECK), 1 << 52, 0x123456789ABC):
        assert wire.held_cards(wire.hand_cells(cards)) == cards
    assert wire.read_profile(wire.profile("a name with ü")) == "a_name_wi"
    assert wire.read_profile(wire.profile("")) == "_"
    assert wire.read_profile(bytes(wire.TABLE)) is None
    status = wire.Status(1, 2, 1, 4, 1, 0, 1, 1, (1, 2, 3, 4, 5), (4, 3, 2, 1, 0), (2, 0, 1, 4, 3))
    table = wire.hand_cells(7) + status.pack()
    assert len(table) == wire.TABLE
    assert wire.read_status(table) == status and wire.turn_of(table) == (4, True)


# Matches


def test_five_clients_know_what_the_rules_let_them_know(tmp_path: Path) -> None:
    """Their views are those of the true states, byte for byte."""
    match = Match(tmp_path / "a.log", agents=["net"], rounds=12, seed=3)
    agents = [Lowest() for _ in range(5)]
    results: dict[int, tuple[Lowest, client.Result]] = {}

    def join(agent: Lowest) -> None:
        result = client.Client(agent, *match.server.address).play()
        results[result.player] = agent, result

    threads = [threading.Thread(target=join, args=(agent,), daemon=True) for agent in agents]
    for thread in threads:
        thread.start()
    outcome = match.end()
    for thread in threads:
        thread.join(LONG)
    log = check_log(match.log, 12)
    views = {player: iter(agent.views) for player, (agent, _) in results.items()}
    for values in log.rounds:
        record = logs.round_record(values)
        state = GAME.parse_deal(record.deal or "")
        for action in record.actions:
            player = int(state.player)
            view = next(views[player])
            true = GAME.view(state, player)
            different = [name for name in rules.STATE.names or () if (view[name] != true[name]).any()]
            assert view.tobytes() == true.tobytes(), different
            GAME.play(state, GAME.parse(action))
    assert not any(list(rest) for rest in views.values())
    assert outcome.points == tuple(results[player][1].points for player in range(5))
    assert all(result.complete and not result.rejected for _, result in results.values())
    assert outcome.late == outcome.illegal == (0,) * 5 and outcome.gone == ("",) * 5


def test_a_client_plays_as_its_agent_would_at_the_server(tmp_path: Path) -> None:
    seeds = np.random.default_rng((5, 1)).integers(2**31, size=5)
    match = Match(tmp_path / "net.log", rounds=6, seed=5)
    client.Client("random", *match.server.address, seed=int(seeds[4])).play()
    match.end()
    Match(tmp_path / "own.log", agents=["random"], rounds=6, seed=5).end()
    assert without_times(tmp_path / "net.log") == without_times(tmp_path / "own.log")


def test_a_seeded_match_gives_the_same_log(tmp_path: Path) -> None:
    for name in "ab":
        options = {"kaidan": False, "joker_edges": False, "classes": "random"}
        Match(tmp_path / name, agents=["random"], rounds=5, seed=2, **options).end()
    assert without_times(tmp_path / "a") == without_times(tmp_path / "b")
    log = check_log(tmp_path / "a", 5)
    assert log.header["RULE_KAIDAN"] == "NO" and log.options["joker_edges"] is False
    assert log.rounds[0]["mibun"] != logs.NO_CLASSES


def not_held(raw: Raw, table: bytes) -> bytes:
    """A single that the client does not hold."""
    held = wire.held_cards(table[: wire.CELLS]) or 0
    return table_of(wire.play_cells(next(card for card in range(52) if not held >> card & 1)))


def all_cards(raw: Raw, table: bytes) -> bytes:
    return table[: wire.CELLS].ljust(wire.TABLE, b"\0")


FAULTS: dict[str, tuple[Answer, str]] = {
    "silent": (lambda raw, table: None, "late 3 times"),
    "half a table": (lambda raw, table: bytes(240), "late 3 times"),
    "a million bytes": (lambda raw, table: bytes(10**6), "too much"),
    "vanishing": (lambda raw, table: raw.sock.close(), "is gone"),
    "garbage": (lambda raw, table: os.urandom(wire.TABLE), ""),
    "no play": (all_cards, ""),
    "cards not held": (not_held, ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_client_harms_nobody_else(fault: str, tmp_path: Path) -> None:
    answer, reason = FAULTS[fault]
    match = Match(tmp_path / "a.log", rounds=4, seconds=0.05 if "late" in reason else LONG)
    raw = Raw(match.connect())
    raw.play(answer)
    result = match.end()
    check_log(match.log, 4)
    assert reason in result.gone[raw.me] and bool(reason) == bool(result.gone[raw.me])
    assert all(not gone for gone in result.gone[: raw.me])
    assert (result.illegal[raw.me] > 0) == (fault in ("garbage", "no play", "cards not held"))
    if reason:
        assert any("random plays on as player_4" in note for note in match.notes)


def test_a_client_sees_its_own_cards_only(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", rounds=5)
    raw = Raw(match.connect())
    raw.play(lambda raw, table: bytes(wire.TABLE))
    match.end()
    own = {logs.cards_of(v["palyer_cards"].split()[raw.me]) for v in check_log(match.log, 5).rounds}
    seen = {wire.held_cards(table[: wire.CELLS]) for table in raw.hands}
    # It only passes: so it holds the hand it was dealt, and another one behind the exchange.
    assert own <= seen and len(seen) <= 2 * len(own) + 4
    for cards in seen:
        assert any((cards or 0) & ~hand < 1 << 53 and (cards or 0) & hand for hand in own)


def test_a_late_answer_is_not_taken_for_the_next_one(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", seconds=1.0, rounds=1, seed=1)
    raw = Raw(match.connect())
    sent: list[int] = []

    def answer(raw: Raw, table: bytes) -> bytes:
        held = wire.held_cards(table[: wire.CELLS]) or 1
        # Different singles, most of them illegal: each shows in the log.
        sent.append([c for c in range(53) if held >> c & 1][raw.questions % held.bit_count()])
        time.sleep(1.3 if raw.questions == 1 else 0)
        return table_of(wire.play_cells(sent[-1]))

    raw.play(answer)
    result = match.end()
    (values,) = check_log(match.log, 1).rounds
    logged = [e[1:] for e in logs.entries(values["play"]) if e[0] == str(raw.me)]
    assert result.late[raw.me] == 1 and not result.gone[raw.me]
    assert logged == ["", *map(logs.play_text, sent[1:])]


def test_the_lobby_takes_profiles_only(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", agents=["random"] * 3 + ["net"] * 2, profile_seconds=0.3)
    silent, wrong = match.connect(), match.connect()
    wrong.sendall(bytes(wire.TABLE))
    first = Raw(match.connect())
    first.sock.close()
    match.await_note("player_3 is free again")
    assert closed(silent) and closed(wrong)
    crowd = [match.connect() for _ in range(8)]
    raws = [Raw(match.connect()) for _ in range(2)]
    assert [raw.me for raw in raws] == [3, 4]
    assert all(closed(sock) for sock in crowd)
    with pytest.raises(InputError, match="no server"):
        client.Client("random", *match.server.address)
    for raw in raws:
        raw.sock.close()
    match.end()


def test_the_log_shows_illegal_submissions(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", rounds=2)
    raw = Raw(match.connect())
    raw.play(not_held)
    assert match.end().illegal[raw.me] > 0
    log = check_log(match.log, 2)
    entries = [e for v in log.rounds for e in logs.entries(v["play"]) if e[0] == str(raw.me)]
    assert entries and all(len(entry) == 3 for entry in entries)


# A recorded exchange of bytes: `S` from the server, `C` from the client, tables without zeros.

GOLDEN = DATA / "uecda_exchange.txt"
START = (
    "20413;41302;4c4s6h7c8c9hJdJhAs2s*;4d5d5s7h8h8sTcJcKdKs;3h3s5h7s9cThJsQcKcAc2c;"
    "3d5c6c6s7d9dTdQdQh2d2h;3c4h6d8d9sTsQsKhAdAh"
)


def golden() -> Iterator[tuple[str, bytes]]:
    for line in GOLDEN.read_text().splitlines():
        side, kind, *cells = line.split()
        if kind == "number":
            yield side, wire.NUMBER.pack(int(cells[0]))
            continue
        table = np.zeros((wire.ROWS, wire.COLUMNS), ">i4")
        for cell in cells:
            row, column, value = map(int, re.split("[.=]", cell))
            table[row, column] = value
        yield side, table.tobytes()


def golden_line(side: str, data: bytes) -> str:
    numbers = np.frombuffer(data, ">i4")
    if len(numbers) == 1:
        return f"{side} number {numbers[0]}"
    cells = (f"{i // wire.COLUMNS}.{i % wire.COLUMNS}={numbers[i]}" for i in numbers.nonzero()[0])
    return " ".join([side, "table", *cells])


def test_the_server_speaks_as_recorded(tmp_path: Path) -> None:
    game = make_game("daihinmin")
    server = Server([Lowest(), "net", *(Lowest() for _ in range(3))], 1, port=0, fallback=Lowest())
    start = game.parse_deal(START)
    thread = threading.Thread(target=server.run, kwargs={"start": start}, daemon=True)
    thread.start()
    lines = []
    with socket.create_connection(server.address, LONG) as sock:
        connection = client.Connection(sock)
        for side, data in golden():
            if side == "C":
                sock.sendall(data)
            else:
                data = connection.read(len(data))
            lines.append(golden_line(side, data))
    assert lines == GOLDEN.read_text().splitlines()
    thread.join(LONG)


def test_the_client_speaks_as_recorded() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"".join(data for side, data in golden() if side == "S"))
        theirs.shutdown(socket.SHUT_WR)
        client.play_match(ours, client.round_game(), Lowest(), "golden")
        ours.close()
        sent = b"".join(iter(lambda: theirs.recv(65536), b""))
    assert sent == b"".join(data for side, data in golden() if side == "C")


# Logs


def test_a_log_is_written_as_the_official_server_does() -> None:
    path = DATA / "uecda.log"
    log = check_log(path, 25)
    illegal = 0
    for values in log.rounds:
        record = logs.round_record(values)
        state = GAME.parse_deal(record.deal or "")
        transcript = logs.Transcript(state)
        actions = [GAME.parse(action) for action in record.actions]
        for action in actions:
            before = rules.pair_in_exchange(state)
            if state.leader >= 0:
                transcript.submit(int(state.player), action)
                illegal += not contract.is_legal(GAME.rules, state, action, np.empty(2422, np.int32))
            GAME.play(state, action)
            if before < 2 and rules.pair_in_exchange(state) != before:
                pair = rules.winner(state, before), rules.loser(state, before)
                transcript.give(*pair, int(state.returned[before]))
        points = [int(each) for each in values["points"].split()]
        written = transcript.values(state.places.tolist(), points)
        # A lone joker may lie anywhere.
        values = {**values, "play": re.sub(r"(?<= [0-4])[KLMN].(?=EE)", "Kx", values["play"])}
        assert written == values
    assert illegal == 1


# Commands


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_serve_reports_a_match(tmp_path: Path) -> None:
    agents = "random,random,random,random,random"
    common = ["serve", "daihinmin", "--agents", agents, "--rounds", "3", "--port", "0"]
    result = run(*common, "--fallback", "random", "--log", str(tmp_path / "a.log"))
    assert result.exit_code == 0 and "a.log" in result.stdout, result.output
    check_log(tmp_path / "a.log", 3)
    data = json.loads(run(*common, "--fallback", "random", "--json").stdout)
    assert (data["rounds"], data["interrupted"], sum(data["points"])) == (3, False, 45)


def test_join_plays_a_match(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", rounds=2)
    port = str(match.server.address[1])
    result = run("join", "daihinmin", "--agent", "random", "--port", port, "--name", "x", "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["complete"] and data["points"] == match.end().points[4] and data["rounds"] == 2
    assert check_log(match.log, 2).names[4] == "x"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "doudizhu"], "not of doudizhu"),
        (["serve", "daihinmin", "--agents", "net,net"], "five, not 2"),
        (["serve", "daihinmin", "--agents", "nobody"], "no agent 'nobody'"),
        (["serve", "daihinmin", "--option", "illegal=error"], "leave out illegal"),
        (["serve", "daihinmin", "--option", "compact=true"], "leave compact off"),
        (["serve", "daihinmin", "--host", "203.0.113.1"], "cannot listen at 203.0.113.1"),
        (["serve", "daihinmin", "--port", "BUSY", "--fallback", "random"], "cannot listen at"),
        (["join", "daihinmin", "--agent", "random", "--port", "1"], "no server at"),
        (["join", "daihinmin", "--agent", "nobody"], "no agent 'nobody'"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        result = run(*(port if argument == "BUSY" else argument for argument in arguments))
    assert result.exit_code == 2
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


@contextmanager
def command(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    program = [sys.executable, "-c", "from closedhand.cli import main; main()", *arguments]
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_an_interrupted_match_has_a_complete_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    common = ["serve", "daihinmin", "--agents", "random", "--fallback", "random", "--port", "0"]
    with command(*common, "--rounds", "1000000", "--log", str(path)) as process:
        deadline = time.monotonic() + 2 * LONG
        while not path.exists() or path.stat().st_size < 5000:
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == 130
    check_log(path, len(logs.read(path).rounds))
