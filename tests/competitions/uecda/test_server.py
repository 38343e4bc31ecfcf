"""The server over real sockets."""

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from support_uecda import (
    GAME,
    LONG,
    START,
    Answer,
    Lowest,
    Match,
    Raw,
    cards_table,
    check_log,
    golden,
)

from closedhand.competitions.uecda import client, wire
from closedhand.competitions.uecda.server import Server
from closedhand.core.game import InputError
from closedhand.games.daihinmin import logs


def not_held(raw: Raw, hand: int) -> bytes:
    """A single that the client does not hold."""
    return cards_table(next(card for card in range(52) if not hand >> card & 1))


FAULTS: dict[str, tuple[Answer, str]] = {
    "silent": (lambda raw, hand: None, "late 3 times"),
    "half a table": (lambda raw, hand: bytes(240), "late 3 times"),
    "a million bytes": (lambda raw, hand: bytes(10**6), "too much"),
    "vanishing": (lambda raw, hand: raw.sock.close(), "disconnected"),
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


def test_the_seed_is_not_in_the_log_of_a_match_that_goes_on(tmp_path: Path) -> None:
    """Others may read the log, and the seed deals the rounds to come."""
    path, texts = tmp_path / "a.log", list[str]()
    server = Server(["random"], 2, seed=123456789, port=0, log=path)
    server.run(lambda rounds: texts.append(path.read_text()))
    assert all("123456789" not in text for text in texts) and len(texts) == 2
    assert check_log(path, 2).header[logs.SEED] == "123456789"


def has_ipv6() -> bool:
    with suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False


@pytest.mark.skipif(not has_ipv6(), reason="the machine has no IPv6")
def test_an_address_of_ipv6_is_a_host_and_a_port() -> None:
    server = Server(["random"], 1, host="::1", port=0)
    host, port = server.address
    assert host == "::1" and port > 0
    server.run()


def closed(sock: socket.socket) -> bool:
    """Whether the other end closes a connection before it says anything."""
    with sock, suppress(ConnectionError):
        return sock.recv(1) == b""
    return True


def test_the_lobby_seats_profiles_only(tmp_path: Path) -> None:
    agents = ["random"] * 3 + ["net"] * 2
    match = Match(tmp_path / "a.log", agents=agents, rounds=1, profile_seconds=1.5)
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
    assert raws[0].sock.recv(1, socket.MSG_PEEK)  # the match has begun
    with pytest.raises(InputError, match="no server"):
        client.Client("random", *match.server.address)
    for raw in raws:
        raw.sock.close()
    match.end()


def test_the_server_speaks_as_recorded() -> None:
    server = Server([Lowest(), "net", *(Lowest() for _ in range(3))], 1, port=0, fallback=Lowest())
    server._start = GAME.parse_deal(START)
    match = ThreadPoolExecutor(1).submit(server.run)
    with socket.create_connection(server.address, LONG) as sock:
        connection = client.Connection(sock)
        for side, data in golden():
            if side == "C":
                sock.sendall(data)
            else:
                assert connection.read(len(data)) == data
    match.result(LONG)
