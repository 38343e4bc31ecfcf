"""Clients over real sockets."""

import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from support_uecda import (
    GAME,
    Lowest,
    Match,
    check_log,
    decisions,
    golden,
    play_as_client,
    read_log,
)

from closedhand.competitions.uecda import client, wire
from closedhand.competitions.uecda.follow import Follower
from closedhand.core import records
from closedhand.core.agents import Agent, make_agent
from closedhand.core.game import State
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.plays import PASS


def test_five_clients_know_what_the_rules_let_them_know(tmp_path: Path) -> None:
    """The views of clients equal those of the true states, byte for byte."""
    match = Match(tmp_path / "a.log", agents=["net"], rounds=12, seed=3)

    def join(number: int) -> tuple[client.Result, Iterator[State]]:
        agent = Lowest()
        return client.Client(agent, *match.server.address).play(), iter(agent.views)

    with ThreadPoolExecutor(5) as pool:
        joined = {result.player: (result, views) for result, views in pool.map(join, range(5))}
    outcome = match.end()
    for player, true in decisions(check_log(match.log, 12)):
        view = next(joined[player][1])
        assert view.tobytes() == true.tobytes(), (view, true)
    assert not any(list(rest) for _, rest in joined.values())
    assert outcome.points == tuple(joined[player][0].points for player in range(5))
    assert all(result.complete and not result.rejected for result, _ in joined.values())
    assert outcome.late == outcome.illegal == (0,) * 5 and outcome.gone == ("",) * 5
    assert [sum(own) for own in zip(*outcome.gains, strict=True)] == list(outcome.points)
    for player, (result, _) in joined.items():
        assert 0 < outcome.decisions[player] == result.decisions
        assert result.seconds > 0 and outcome.seconds[player] > 0


def test_a_client_plays_as_its_agent_would_at_the_server(tmp_path: Path) -> None:
    """A match with the same seed gives the same log, under any rules."""
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


def test_another_agent_loads_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the server's clock starts; the agent that plays keeps its random numbers."""
    warmed: list[Agent] = []
    monkeypatch.setattr(client, "warm_up", lambda game, agent: warmed.append(agent))
    for given in (Lowest(), "default"):
        with socket.create_server(("127.0.0.1", 0)) as server:
            player = client.Client(given, *server.getsockname())
            player._sock.close()
        assert warmed.pop() is not player._agent


def test_the_client_speaks_as_recorded() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"".join(data for side, data in golden() if side == "S"))
        theirs.shutdown(socket.SHUT_WR)
        play_as_client(ours, Lowest())
        ours.close()
        sent = b"".join(iter(lambda: theirs.recv(65536), b""))
    assert sent == b"".join(data for side, data in golden() if side == "C")


def test_messages_are_read_however_the_network_cuts_them() -> None:
    """Messages are read whole and in order, however their bytes arrive."""
    stream = bytes(range(30))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        connection = client.Connection(ours)
        read = []
        for part in (stream[:5], stream[5:12], stream[12:13], stream[13:]):
            theirs.sendall(part)
            if len(part) > 1:
                read.append(connection.read(4))
        assert b"".join([*read, connection.read(18)]) == stream


def test_refused_plays_are_counted() -> None:
    """A result counts the plays that the server refused, also in a match cut short."""
    said = list(golden())
    first = said.index(("S", wire.ACCEPTED))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        heard = [data for side, data in said[:first] if side == "S"]
        theirs.sendall(b"".join([*heard, wire.REJECTED]))
        theirs.shutdown(socket.SHUT_WR)
        result = play_as_client(ours, Lowest())
    # A card given back is no decision in tricks.
    assert (result.decisions, result.rejected, result.complete) == (1, 1, False)


def test_an_error_of_the_agent_is_no_lost_connection() -> None:
    """An agent may have connections of its own."""

    class Refused(Lowest):
        def act(self, view: State) -> int:
            raise ConnectionRefusedError("no model there")

    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"".join(data for side, data in golden() if side == "S"))
        with pytest.raises(ConnectionRefusedError, match="no model there"):
            play_as_client(ours, Refused())


def test_a_connection_that_fails_ends_the_match() -> None:
    """Also one that the server resets."""
    linger = struct.pack("ii", 1, 0)  # closing then resets the connection
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = socket.create_connection(server.getsockname())
        theirs, _ = server.accept()
        theirs.sendall(b"".join([data for side, data in golden() if side == "S"][:2]))

        class Resetting(Lowest):
            def act(self, view: State) -> int:
                theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                theirs.close()
                return super().act(view)

        with ours:
            result = play_as_client(ours, Resetting())
    assert (result.rounds, result.complete) == (0, False)


def test_an_agent_learns_from_round_to_round(tmp_path: Path) -> None:
    """`policy-search` recognises `default` players, both as a client and as an agent."""
    name = "policy-search[threads=1]:64"
    player = make_agent(client.match_game(), name)
    own = make_agent(client.match_game(), name)
    agents = [own, *["default"] * 3, "net"]
    match = Match(tmp_path / "a.log", agents=agents, rounds=4, seed=1)
    client.Client(player, *match.server.address).play()
    match.end()
    for agent, me in ((player, 4), (own, 0)):
        memory = agent._memories[me]
        assert memory.seen["round_number"] == 3 and memory.seen["points"].sum() == 45
        assert (memory.odds[1:4] > 0).all()


def test_a_round_whose_end_was_not_seen_begins_another_match() -> None:
    seen: list[State] = []
    agent = Lowest()
    game = client.round_game()
    follower = Follower(game, 0)
    follower.view.classes[:] = -1  # the next round has none
    with socket.socket() as sock:
        connection = client.Connection(sock)
    playing = client.Match(connection, follower, agent, lambda view, *_: seen.append(view))
    rng = np.random.default_rng(0)
    for number in (0, 1, 0):
        state = game.deal(rng)
        view = game.view(state, int(state.player))
        playing.act(view)
        assert seen[-1].tobytes() == view.tobytes()
        assert agent.views[-1]["round_number"] == number
        assert agent.views[-1]["points"].sum() == 15 * number
        if number == 0:
            while not game.over(state):
                game.play(state, game.sample(rng, state))
        playing.count(state)


class Passing(Lowest):
    """Always passes, and records its views."""

    def act(self, view: State) -> int:
        self.views.append(view)
        return PASS


@pytest.mark.parametrize("limit", [20, 10])
def test_places_after_passes_are_those_that_the_server_states(limit: int, tmp_path: Path) -> None:
    """Who is left is ranked by all hands. The next classes show it, but not after a reset.

    A client need not know after how many passes a round ends.
    """
    agent, ended = Passing(), list[State]()
    match = Match(
        tmp_path / "a.log", agents=["net", *(Passing() for _ in range(4))], fallback=agent,
        rounds=5, seed=5, class_period=3, pass_limit=limit,
    )  # fmt: skip

    def watch(view: State, me: int, player: int) -> None:
        if GAME.over(view):
            assert (me, player) == (0, -1)
            ended.append(view)

    result = client.Client(agent, *match.server.address, watch=watch).play()
    gains, stated = match.end().gains, (0, 1, 3)
    assert result.places == [5 - gains[number][0] for number in stated]
    assert result.complete and result.rounds == 5
    assert [tuple(view["points"].tolist()) for view in ended] == [gains[i] for i in stated]
    # After the reset the agent begins another match.
    known = [(0, (0,) * 5), (1, gains[0]), (2, tuple(map(sum, zip(*gains[:2], strict=True))))]
    played = [(int(v["round_number"]), tuple(v["points"].tolist())) for v in agent.views]
    assert [each for each, _ in groupby(played)] == [*known, known[0], (1, gains[3])]
    if limit == GAME.options["pass_limit"]:
        rounds = read_log(match.log).rounds
        for number, view in zip(stated, ended, strict=True):
            true = records.replay(logs.round_record(rounds[number]))
            assert view.tobytes() == GAME.view(true, 0).tobytes()


@pytest.mark.parametrize("wrong", [-2, PASS + 1, 10**6])
def test_an_action_that_is_no_play_is_a_pass(wrong: int) -> None:
    class Wrong(Passing):
        def act(self, view: State) -> int:
            self.views.append(view)
            return wrong

    agent = Wrong()
    match = Match(None, agents=["net", *(Passing() for _ in range(4))], fallback=agent, rounds=1)
    result = client.Client(agent, *match.server.address).play()
    assert result.complete and result.rejected == result.decisions == 4
    assert not any(match.end().illegal)
