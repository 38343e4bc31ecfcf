"""The server over a real socket: games of persons, anonymous connections, and attacks."""

import asyncio
import json
import logging
import threading
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection, create_server
from typing import Any

import numpy as np
import pytest
from support_web import (
    Wire,
    compile_advice,
    compile_client,
    compile_table,
    serving,
    to_socket,
    wired,
)
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from closedhand import InputError, make_game
from closedhand.core.records import from_state
from closedhand.core.threads import cores
from closedhand.web import advice, lobby, runs, serialization, server
from closedhand.web.connection import MOST_GUEST_MESSAGE
from closedhand.web.guard import BURST, MOST_MESSAGE
from closedhand.web.remote_seat import Address
from closedhand.web.server import MOST_CONNECTIONS, TYPES
from closedhand.web.table import Hand, Seat, Table

PERSON, RANDOM = {"name": "Ann"}, {"agent": "random"}


@pytest.fixture(scope="module")
def port():
    compile_table("uh_leduc")
    with serving() as port:
        yield port


def opened(wire: Wire, game: str = "uh_leduc", seats=(PERSON, RANDOM), **given) -> dict:
    return wire.ask("open", game=game, options={}, seats=list(seats), pace=0.01, **given)


def is_turn(data: dict) -> bool:
    position = data["position"]
    return position["over"] or position["player"] == data["seat"]


def play_hand(wire: Wire, rng: np.random.Generator) -> dict:
    """Play a hand to its end with random actions from the list of those that are legal."""
    while True:
        data = wire.pushed[-1]
        if not is_turn(data):
            data = wire.until(is_turn)
        if data["position"]["over"]:
            return data
        action = rng.choice(data["position"]["legal"])["id"]
        wire.ask("play", version=data["version"], action=int(action))
        if wire.pushed[-1]["version"] == data["version"]:
            wire.until(lambda new, old=data["version"]: new["version"] != old)


def to_decide(wire: Wire) -> int:
    """Wait until a decision is due, in the next hand if this one ends; return the version."""
    while not is_turn(wire.table):
        wire.receive()
    if not wire.table["position"]["over"]:
        return wire.table["version"]
    wire.ask("again", same=False)
    return to_decide(wire)


def test_a_hand_is_played_and_scored(port: int) -> None:
    with wired(port) as wire:
        answer = opened(wire)
        assert wire.ask("join", table=answer["table"], token=answer["tokens"][0])["seat"] == 0
        end = play_hand(wire, np.random.default_rng(0))
        assert sum(end["position"]["returns"]) == 0
        assert [hand["returns"] for hand in end["hands"]] == [end["position"]["returns"]]
        record = json.loads(wire.ask("record"))
        assert record["agents"] == ["Ann", "random"]
        wire.ask("again", same=True)
        wire.until(lambda data: data["deal"] == 0 and data["turn"] == 1)
        moved = wire.pushed[-1]
        assert moved["seat"] == 1
        assert moved["seats"][1]["name"] == "Ann"
        assert moved["links"]["tokens"][1] == answer["tokens"][0]
        shown = [row["cards"] for row in moved["position"]["rows"] if row["seat"] >= 0]
        assert [row == [""] for row in shown] == [True, False]


def test_undo_stops_where_a_hand_was_played_on(port: int) -> None:
    game = make_game("uh_leduc")
    state = game.playout(game.deal(np.random.default_rng(0)), np.random.default_rng(0))
    with wired(port) as wire:
        wire.ask("replay", record=from_state(game, state, ["a", "b"]).to_json())
        answer = wire.ask("playon", ply=1, seats=[PERSON, PERSON])
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        assert "nothing to undo" in wire.refused("undo")


def test_a_guest_can_be_named(port: int) -> None:
    with wired(port) as ann, wired(port) as bob:
        answer = opened(ann, seats=[PERSON, {"name": ""}])
        bob.ask("join", table=answer["table"], token=answer["tokens"][1])
        bob.ask("name", name="  Bob ")
        assert bob.table["seats"][1]["name"] == "Bob"
        bob.ask("join", table=answer["table"], token=answer["watch"])
        assert "only watching" in bob.refused("name", name="Eve")


def test_a_hint_is_about_the_position_that_was_asked_about(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hint that is still computed when the table changes never arrives."""
    begun, released = threading.Event(), threading.Event()

    def suggest(*_: Any) -> Any:
        begun.set()
        released.wait(60)
        raise InputError("no hint")

    monkeypatch.setattr(advice, "suggest", suggest)
    with wired(port) as wire:
        answer = opened(wire)
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        version = to_decide(wire)
        assert "changed" in wire.refused("hint", version=version + 1)
        wire.ask("hint", version=version, by="random")
        assert begun.wait(60)
        legal = wire.table["position"]["legal"]
        wire.ask("play", version=version, action=legal[-1]["id"])
        released.set()
        version = to_decide(wire)
        wire.ask("hint", version=version, by="random")
        hint = wire.until(lambda data: data["push"] == "hint" and data["done"])
        assert hint["about"] == version
        assert [each["about"] for each in wire.pushed if each["push"] == "hint"] == [hint["about"]]


def test_options_decide_how_many_play(port: int) -> None:
    with wired(port) as wire:
        for options, players in (({}, 3), ({"rules": "two_players"}, 2)):
            assert wire.ask("players", game="doudizhu", options=options) == players
        assert wire.ask("players", game="daihinmin", options={"players": "4"}) == 4
        assert "rules" in wire.refused("players", game="doudizhu", options={"rules": "none"})


def test_cards_that_are_no_play_are_explained(port: int) -> None:
    compile_table("doudizhu")
    with wired(port) as wire:
        answer = opened(wire, "doudizhu", [PERSON, RANDOM, RANDOM], deal=DEAL)
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        version = wire.table["version"]
        for cards, reason in (("3", ""), ("34", "form no play"), ("AAA", "not in your hand")):
            assert reason in wire.ask("why", version=version, cards=list(cards))
        assert "at most" in wire.refused("why", version=version, cards=["3"] * 100)


DEAL = "334566789JJQQKASB;34456789TTKAAA222;345577889TTJQQKK2;69J"


def test_two_people_see_their_own_cards(port: int) -> None:
    seats = [PERSON, {"name": "Bob"}]
    with wired(port) as ann, wired(port) as bob, wired(port) as eve:
        answer = opened(ann, seats=seats)
        for wire, token in (
            (ann, answer["tokens"][0]),
            (bob, answer["tokens"][1]),
            (eve, answer["watch"]),
        ):
            wire.ask("join", table=answer["table"], token=token)
        shown = [
            [row["cards"] for row in wire.pushed[-1]["position"]["rows"] if row["seat"] >= 0]
            for wire in (ann, bob, eve)
        ]
        assert [[row != [""] for row in rows] for rows in shown] == [
            [True, False],
            [False, True],
            [False, False],
        ]
        version = ann.pushed[-1]["version"]
        assert "not your turn" in bob.refused("play", version=version, action=1)
        assert "only watching" in eve.refused("play", version=version, action=1)
        legal = ann.pushed[-1]["position"]["legal"]
        ann.ask("play", version=version, action=legal[-1]["id"])
        assert bob.until(is_turn)["position"]["legal"]
        assert "changed" in ann.refused("play", version=version, action=legal[-1]["id"])


def test_illegal_plays_are_refused(port: int) -> None:
    compile_table("doudizhu")
    with wired(port) as wire:
        answer = opened(wire, "doudizhu", [PERSON, RANDOM, RANDOM])
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        version = wire.pushed[-1]["version"]
        for given in (
            {"action": 10**6},
            {"action": 12654},
            {"text": "33334444"},
            {"text": "?"},
            {},
        ):
            assert wire.refused("play", version=version, **given)
        assert wire.pushed[-1]["version"] == version


def test_tables_survive_a_restart(tmp_path: Path) -> None:
    compile_table("doudizhu")
    with serving(tmp_path) as port, wired(port) as wire:
        answer = opened(wire, "doudizhu", [PERSON, RANDOM, RANDOM])
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        data = wire.pushed[-1]
        wire.ask("play", version=data["version"], action=data["position"]["legal"][0]["id"])
        before = wire.until(is_turn)["position"]
    (tmp_path / "broken.json").write_text("{")
    with serving(tmp_path) as port, wired(port) as wire:
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        after = wire.pushed[-1]["position"]
        assert after == before
        assert [each["table"] for each in wire.ask("tables")] == [answer["table"]]
        wire.ask("drop", table=answer["table"])
        assert wire.pushed[-1] == {"push": "closed"}
    assert not list(tmp_path.glob(f"{answer['table']}*"))


def test_an_agent_that_cannot_play_ends_no_server(port: int) -> None:
    with wired(port) as wire:
        assert "no agent" in wire.refused(
            "open", game="uh_leduc", options={}, seats=[PERSON, {"agent": "strategy:x"}]
        )
        assert opened(wire)["table"]


@pytest.mark.parametrize(
    "message",
    [
        "", "{", "[]", "1", "null", '"x"', "{}", '{"do": 1}', '{"do": "nothing"}',
        '{"do": "open"}', '{"do": "open", "game": 1, "options": {}, "seats": []}',
        '{"do": "open", "game": "uh_leduc", "options": {}, "seats": []}',
        '{"do": "open", "game": "uh_leduc", "options": {"x": 1}, "seats": []}',
        '{"do": "open", "game": "../../etc", "options": {}, "seats": []}',
        '{"do": "join", "table": "../../etc/passwd", "token": ""}',
        '{"do": "play", "version": 0}', '{"do": "undo"}', '{"do": "hint"}', '{"do": "chances"}',
        '{"do": "drop", "table": "x", "n": "y"}', "[" * 10_000, '{"do": "join", "do": "join"}',
        '{"do": "pace", "seconds": 1e999}', '{"do": "pace", "seconds": NaN}',
        '{"do": "study", "data": "", "self": 1}',
        '{"do": "analyse", "game": "uh_leduc", "options": {}, "player": 0, "hand": "K",'
        ' "actions": "", "public": {"self": 1}}',
    ],
)  # fmt: skip
def test_malformed_messages_are_answered_or_refused(port: int, message: str) -> None:
    with wired(port) as wire:
        wire.socket.send(message)
        data = wire.receive()
        assert "error" in data or data.get("ok") is None
        assert "the server failed" not in data.get("error", "")
        assert wire.ask("tables") is not None


def test_what_json_cannot_hold_is_an_error(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "everything_in", lambda *_: {"results": [float("inf")]})
    with wired(port) as wire:
        assert "failed" in wire.refused("runs")
        assert wire.ask("tables") is not None


def test_a_foreign_origin_gets_no_socket(port: int) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {}):
        with (
            pytest.raises(InvalidStatus),
            connect(f"ws://127.0.0.1:{port}/ws", additional_headers=headers),
        ):
            pass


def test_too_large_and_too_many_messages_end_the_connection(port: int) -> None:
    with wired(port) as wire, pytest.raises(ConnectionClosed):
        wire.socket.send("x" * (MOST_MESSAGE + 1))
        wire.receive()
    with wired(port) as wire, pytest.raises(ConnectionClosed):
        for _ in range(int(BURST) + 50):
            wire.socket.send("{}")
        while True:
            wire.receive()
    with wired(port) as wire:
        assert wire.ask("tables") is not None


def test_binary_messages_end_the_connection(port: int) -> None:
    with wired(port) as wire, pytest.raises(ConnectionClosed):
        wire.socket.send(b"\x00")
        wire.receive()


def test_a_token_is_demanded() -> None:
    with serving(token="secret") as port:
        with wired(port, "secret") as owner, wired(port, "wrong") as guest:
            assert owner.owner
            assert not guest.owner
            for request in ("tables", "drop", "open"):
                assert "one table only" in guest.refused(request)
            answer = opened(owner)
            assert guest.refused("join", table=answer["table"], token="wrong")
            joined = guest.ask("join", table=answer["table"], token=answer["tokens"][0])
            assert "tokens" not in joined
        with to_socket(port) as socket, pytest.raises(ConnectionClosed):
            socket.send('{"do": "tables", "n": 1}')
            socket.recv(timeout=60)


def test_files_are_named_to_the_owner_alone() -> None:
    """Neither where agents are listed, nor at a table, nor in the record of a hand.

    Nor in the reason why an agent has failed.
    """
    secret = "learned:/home/owner/runs/best"
    with (
        serving(token="secret", uh_leduc=[secret]) as port,
        wired(port, "secret") as owner,
        wired(port, "wrong") as outsider,
    ):
        assert secret in [each["text"] for each in owner.ask("agents", game="uh_leduc")]
        listed = outsider.ask("agents", game="uh_leduc")
        assert "random" in [each["text"] for each in listed]
        assert "/home" not in json.dumps(listed)
    game = make_game("uh_leduc")
    seats = [Seat(name="Ann", token="a"), Seat(agent=secret)]
    table = Table("t", game, seats, game.deal(np.random.default_rng(1)), seed=1)
    table.hands = [Hand([0.0, 0.0], [0, 1], [seat.occupant for seat in seats], 1, 0)]
    assert json.dumps(serialization.describe_table(table, 0)).count("/home") == 2
    described = serialization.describe_table(table, 0, [secret])
    assert "/home" not in json.dumps(described)
    assert [seat["agent"] for seat in described["seats"]] == ["", "learned"]
    assert serialization.without_files("learned:other", [secret]) == "learned:other"
    table.seats = seats[::-1]  # the agent is to act
    table.trouble = f"{secret}: cannot read /home/owner/runs/best/learner.npz"
    assert serialization.describe_table(table, 1)["trouble"] == table.trouble
    assert serialization.describe_table(table, 1, [secret])["trouble"] == "learned has failed"


def test_long_messages_of_guests_are_refused() -> None:
    with (
        serving(token="secret") as port,
        wired(port, "wrong") as guest,
        wired(port, "secret") as own,
    ):
        refusals = (guest, "at most 10,000 characters"), (own, "you have joined no table")
        for wire, reason in refusals:
            message = {"do": "play", "version": 0, "text": "x" * MOST_GUEST_MESSAGE}
            wire.socket.send(json.dumps(message))
            assert reason in wire.receive()["error"]
        assert "one table only" in guest.refused("tables")


def test_the_secret_of_a_seat_opens_no_other_table(port: int) -> None:
    with wired(port) as wire:
        answer = [opened(wire) for _ in range(2)]
        for token in (answer[0]["tokens"][0], answer[0]["watch"], "", "x" * 1000):
            assert "not valid" in wire.refused("join", table=answer[1]["table"], token=token)


def test_a_seat_at_a_silent_server_is_given_up() -> None:
    compile_client()
    with create_server(("127.0.0.1", 0)) as silent:
        address = Address("daihinmin", {}, *silent.getsockname())
        with serving(servers=[address]) as port, wired(port) as wire:
            assert "no seat is taken" in wire.refused("leave_seat", server=0)
            for _ in range(2):
                wire.ask("take_seat", server=0, seat=PERSON)
                silent.settimeout(60)
                with silent.accept()[0] as client:
                    client.settimeout(60)
                    assert client.recv(1)
                    assert wire.ask("servers")[0]["waiting"]
                    wire.ask("leave_seat", server=0)
                    answer = wire.ask("servers")[0]
                    assert (answer["waiting"], answer["trouble"]) == (False, "you have left")
                    while client.recv(1000):  # until the other end is closed
                        pass
            assert "no seat is taken" in wire.refused("leave_seat", server=0)


@pytest.mark.slow
def test_more_connections_than_there_may_be(caplog: pytest.LogCaptureFixture) -> None:
    """A player is still answered, and the log gets one line."""
    with (
        serving() as port,
        wired(port) as wire,
        caplog.at_level(logging.WARNING),
    ):
        opened(wire)
        let_in = 0
        for _ in range(2):
            let_in += asyncio.run(knock(port, AT_ONCE))
            assert wire.ask("tables")
    assert 0 < let_in <= 2 * MOST_CONNECTIONS
    assert len(caplog.records) == 1


def test_anonymous_connections_do_not_lock_out_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 3)
    with serving(token="secret") as port, ExitStack() as stack:
        guests = [stack.enter_context(wired(port, "wrong")) for _ in range(3)]
        owner = stack.enter_context(wired(port, "secret"))
        assert owner.owner and owner.ask("tables") == []
        with pytest.raises(ConnectionClosed):
            guests[0].receive()
        assert guests[1].refused("tables")
        others = [stack.enter_context(wired(port, "secret")) for _ in range(2)]
        with pytest.raises(InvalidStatus):
            to_socket(port)
        assert all(each.ask("tables") == [] for each in (owner, *others))


def test_silent_connections_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_OPEN", 3)
    with serving() as port, ExitStack() as stack:
        address = ("127.0.0.1", port)
        silent = [stack.enter_context(create_connection(address, 60)) for _ in range(3)]
        assert silent[0].recv(1) == b""
        silent[1].sendall(b"GET / HT")
        assert request(port, "/")[0] == 200
        assert silent[1].recv(1) == b""


def test_silent_connections_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SILENT_SECONDS", 0.01)
    with serving() as port, wired(port) as wire:
        with create_connection(("127.0.0.1", port), 60) as silent:
            assert silent.recv(1) == b""
        assert wire.ask("tables") == []


UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n"


@pytest.mark.parametrize(
    ("first", "answers", "then"),
    [
        ("GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n", True, "G"),
        (f"POST /ws HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}\r\n", False, ""),
        (f"GET /{'x' * 20_000} HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}\r\n", False, ""),
        ("GET /ws HTTP/1.1\r\nHost: localhost\r\n" + 300 * UPGRADE + "\r\n", False, ""),
    ],
    ids=["half a second request", "no upgrade", "a long path", "many fields"],
)
def test_connections_that_do_not_go_on_end(
    first: str, answers: bool, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SILENT_SECONDS", 0.2)
    with serving() as port, create_connection(("127.0.0.1", port), 60) as client:
        client.sendall(first.encode())
        if answers:
            assert client.recv(1000)
        client.sendall(then.encode())
        with suppress(ConnectionResetError):
            while client.recv(1000):
                pass
        assert request(port, "/")[0] == 200


def test_who_does_not_read_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even where much is left to be sent before the connection is closed."""
    monkeypatch.setattr(server, "SILENT_SECONDS", 0.2)
    held: list[server.Socket] = []
    made = server.Socket.connection_made

    def make(self: server.Socket, transport: Any) -> None:
        held.append(self)
        made(self, transport)

    monkeypatch.setattr(server.Socket, "connection_made", make)
    with serving(token="secret") as port, create_connection(("127.0.0.1", port), 60) as client:
        client.sendall(upgrade(port).encode())
        assert b" 101 " in client.recv(1000)
        [socket] = held
        loop, gone = socket.loop, threading.Event()
        monkeypatch.setattr(socket, "connection_lost", lambda error: gone.set())
        loop.call_soon_threadsafe(socket.transport.write, bytes(10**8))
        loop.call_soon_threadsafe(socket.transport.close)
        assert gone.wait(60)


AT_ONCE = 3 * MOST_CONNECTIONS


def upgrade(port: int) -> str:
    """The request for a WebSocket."""
    return (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        f"{UPGRADE}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )


async def knock(port: int, number: int) -> int:
    """Open silent connections all at once; return the number of those accepted."""
    head = upgrade(port)

    async def one() -> tuple[asyncio.StreamWriter, bool]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode())
        with suppress(OSError):
            return writer, b" 101 " in await reader.readline()
        return writer, False

    found = await asyncio.gather(*(one() for _ in range(number)))
    for writer, _ in found:
        writer.close()
    return sum(let_in for _, let_in in found)


def request(
    port: int, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str]]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        response.read()
    return response.status, {name.lower(): value for name, value in response.getheaders()}


def test_files_and_headers(port: int) -> None:
    for path in ("/", *(f"/{name}" for name in TYPES)):
        status, headers = request(port, path)
        assert status == 200
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


@pytest.mark.parametrize("method", ["HEAD", "POST", "OPTIONS", "ANY"])
def test_every_method_is_checked_and_answered_with_the_headers(port: int, method: str) -> None:
    for host, status in (("localhost", 200 if method == "HEAD" else 405), ("evil.example", 421)):
        found, headers = request(port, "/", method, Host=host)
        assert found == status and "content-security-policy" in headers


def test_the_page_is_compressed_for_browsers_that_take_it(port: int) -> None:
    _, whole = request(port, "/app.js")
    _, packed = request(port, "/app.js", **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in whole and packed["content-encoding"] == "gzip"
    assert int(packed["content-length"]) < int(whole["content-length"]) / 2


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/%2e%2e/server.py", "/static/app.js", "/server.py", "//etc/passwd"],
)
def test_no_path_of_the_disk(port: int, path: str) -> None:
    assert request(port, path)[0] == 404


def test_a_foreign_host_is_logged_once(port: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "closedhand.web"):
        assert {request(port, "/", Host="evil.example")[0] for _ in range(20)} == {421}
    assert len(caplog.records) <= 1


@pytest.mark.parametrize("message", [
    {"do": "open", "game": "uh_leduc", "options": {}, "seats": [PERSON, RANDOM]},
    {"do": "analyse", "game": "uh_leduc", "options": {}, "player": 0, "hand": "K", "actions": ""},
], ids=lambda message: message["do"])  # fmt: skip
def test_nobody_waits_for_the_compiler_of_another(
    port: int, monkeypatch: pytest.MonkeyPatch, message: dict
) -> None:
    """Compilations on more threads than there are cores do not delay other requests."""
    released = threading.Event()
    monkeypatch.setattr(lobby, "prepare", lambda game: released.wait(60))
    with ExitStack() as stack:
        waiting = [stack.enter_context(wired(port)) for _ in range(2 * cores())]
        other = stack.enter_context(wired(port))
        for wire in waiting:
            wire.socket.send(json.dumps({**message, "n": 9}))
        assert other.ask("agents", game="uh_leduc")
        assert not released.is_set()
        released.set()
        for wire in waiting:
            while wire.receive().get("re") != 9:
                pass


def test_a_browser_keeps_one_thread_busy(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser occupies one thread however often it asks for hints: an agent is not stopped."""
    running, most, answered = list[int](), list[int](), threading.Event()

    def suggest(*_: Any) -> Any:
        running.append(1)
        most.append(len(running))
        answered.wait(60)
        running.pop()
        raise InputError("no hint")

    monkeypatch.setattr(advice, "suggest", suggest)
    with wired(port) as wire:
        answer = opened(wire)
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        if not is_turn(wire.pushed[-1]):
            wire.until(is_turn)
        for _ in range(20):
            wire.ask("hint", by="random", version=wire.table["version"])
        assert wire.ask("tables")
        answered.set()
        assert wire.until(lambda data: data["push"] == "hint" and data["done"])["error"]
    assert set(most) == {1}


@pytest.mark.slow
def test_hints_do_not_block_the_page(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a search thinks, other requests are answered."""
    compile_advice("uh_leduc", "random")
    monkeypatch.setattr(advice, "LONGEST", 0.5)
    with wired(port) as wire:
        answer = opened(wire)
        wire.ask("join", table=answer["table"], token=answer["tokens"][0])
        if not is_turn(wire.pushed[-1]):
            wire.until(is_turn)
        before = len(wire.pushed)  # the hint may come before the answer to the other request
        wire.ask("hint", by="random", version=wire.table["version"])
        assert wire.ask("tables")
        found = wire.until(lambda data: data["push"] == "hint" and data["done"], before)
        assert "error" not in found
        assert found["action"]["text"] in {value["text"] for value in found["values"]}
        wire.ask("chances", version=wire.table["version"])
        seats = wire.until(lambda data: data["push"] == "chances")["seats"]
        assert make_game("uh_leduc").num_players - 1 <= len(seats)
