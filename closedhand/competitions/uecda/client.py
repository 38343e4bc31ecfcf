"""A client: an agent plays at a server of protocol 20070."""

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from closedhand.competitions.uecda import HOST, PORT, wire
from closedhand.competitions.uecda.follow import Follower, complete
from closedhand.core.agents import Agent, make_agent
from closedhand.core.game import Game, InputError, State
from closedhand.core.interrupt import WAIT, deferred
from closedhand.core.registry import make_game
from closedhand.core.text import reason_of
from closedhand.games.daihinmin.exchange import TAXES, loser, winner
from closedhand.games.daihinmin.game import MOST_ROUNDS
from closedhand.games.daihinmin.logs import check_competition
from closedhand.games.daihinmin.plays import PASS
from closedhand.games.daihinmin.state import NOBODY, PLAYERS

Watch = Callable[[State, int, int], None]
"""Callback with a view, its player, and the player who has just acted, or -1 if nobody has."""

CHUNK = 65536
"""Most bytes of one read."""
CONNECT_SECONDS = 10.0


def match_game(rounds: int = MOST_ROUNDS, **options: Any) -> Game:
    """Make the game of a match at a server; refuse options that the protocol does not support.

    By default it has `MOST_ROUNDS` rounds, as a server does not tell a client their number.
    """
    game = make_game("daihinmin", **{**options, "rounds": rounds})
    if game.flat is not game:
        raise InputError("the protocol names plays, not sets of cards: leave actions at plays")
    check_competition(game)
    if game.rules.has_gifts:
        raise InputError(
            "the protocol has no cards given or discarded: leave out seven_give and ten_discard"
        )
    return game


def round_game(**options: Any) -> Game:
    """Make the game of one round of a match at a server; raises the errors of `match_game`."""
    return match_game(**{**options, "rounds": 1})


class Connection:
    """Reader of the numbers and tables that a server sends, in order.

    Methods raise an `EOFError` if the connection was closed or has failed, so that any `OSError`
    comes from the agent. `check` is called at intervals while the server is silent, and may
    raise `KeyboardInterrupt`.
    """

    def __init__(self, sock: socket.socket, check: Callable[[], None] = lambda: None) -> None:
        sock.settimeout(WAIT)  # `recv` then raises a `TimeoutError`, for `check`
        self._sock = sock
        self.check = check
        self._data = b""  # received, but not read yet

    def read(self, size: int) -> bytes:
        """Read the next `size` bytes."""
        while len(self._data) < size:
            try:
                chunk = self._sock.recv(CHUNK)
            except TimeoutError:
                self.check()
                continue
            except OSError:
                raise EOFError from None
            if not chunk:
                raise EOFError
            self._data += chunk
        data, self._data = self._data[:size], self._data[size:]
        return data

    def number(self) -> int:
        """Read the next number, an int32."""
        return wire.NUMBER.unpack(self.read(4))[0]

    def table(self) -> bytes:
        """Read the next table, `wire.TABLE` bytes."""
        return self.read(wire.TABLE)

    def send(self, cells: bytes) -> None:
        """Send cells as a whole table, in one write so that it arrives whole."""
        try:
            self._sock.sendall(cells.ljust(wire.TABLE, b"\0"))
        except OSError:
            raise EOFError from None

    def join(self, name: str) -> int:
        """Join under a name; return this client's player. An `InputError`: no player is free."""
        try:
            self.send(wire.profile(name))
            me = self.number()
        except EOFError:
            why = "the server has closed the connection: it takes no more players"
            raise InputError(why) from None
        if not 0 <= me < PLAYERS:
            raise InputError(f"the server gave player number {me}, not 0 to {PLAYERS - 1}")
        return me


@dataclass
class Result:
    """The result of a match, as a client knows it.

    Attributes:
        player: The client's player, 0 to 4.
        rounds: Number of rounds played.
        places: Places of the player by round, 0 for the first one out. If a round ended by passes
            and the player held cards, its place is left out unless the server states classes next.
        rejected: Number of actions, passes left out, that were no plays or were not accepted.
        decisions: Number of decisions in tricks, as a server counts them.
        seconds: Time of these decisions.
        complete: Whether the server ended the match.
    """

    player: int
    rounds: int = 0
    places: list[int] = field(default_factory=list)
    rejected: int = 0
    decisions: int = 0
    seconds: float = 0.0
    complete: bool = False

    @property
    def points(self) -> int:
        """Points of all rounds with a place."""
        return sum(PLAYERS - place for place in self.places)

    def rank(self, view: State) -> None:
        """Add the player's place in a round, if the last view of the round has it."""
        if view.places[self.player] != NOBODY:
            self.places.append(int(view.places[self.player]))


class Client:
    """An agent connected to a server.

    Attributes:
        game: Game of one round by the rules of the server: that of the views for `watch`.
    """

    def __init__(
        self,
        agent: str | Agent,
        host: str = HOST,
        port: int = PORT,
        name: str | None = None,
        seed: int = 0,
        watch: Watch | None = None,
        **options: Any,
    ) -> None:
        """Connect; call `play` within two seconds, in which our server awaits a profile.

        Args:
            agent: Name of an agent, or an agent for `match_game`.
            host: Address of the server.
            port: Port of the server.
            name: Name of the client at the server; by default that of the agent.
            seed: Seed of an agent that is given by name.
            watch: Called at the beginning of a round, before each of the player's own decisions,
                after every turn, and when the places of a round that ended by passes are known.
            **options: Options of the server's rules.

        Raises:
            InputError: An unknown agent or option, or there is no server at the address.
        """
        self.game = round_game(**options)
        match = match_game(**{**options, "rounds": MOST_ROUNDS})
        self._agent = make_agent(match, agent, seed)
        self._name = name or self._agent.name
        self._watch = watch
        # Warm up before the server's clock starts, by another agent: ours keeps its random numbers.
        warm_up(self.game, make_agent(match, agent if isinstance(agent, str) else "random", seed))
        try:
            self._sock = socket.create_connection((host, port), CONNECT_SECONDS)
        except (OSError, OverflowError, ValueError) as error:  # the latter two: bad host or port
            raise InputError(f"no server at {host}:{port}: {reason_of(error)}") from None

    check = staticmethod(round_game)  # refuses options that no server can use

    def play(self, progress: Callable[[int], None] = lambda rounds: None) -> Result:
        """Play a match, until its end, a disconnection or Ctrl-C; return the result.

        `progress` gets the number of rounds played after each round. An `InputError` says that the
        server refuses the client, or sends tables that are not valid.
        """
        with self._sock as sock, deferred() as check:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(sock, check)
            follower = Follower(self.game, connection.join(self._name))
            return Match(connection, follower, self._agent, self._watch).play(progress)

    def leave(self) -> None:
        """End the match at once, from another thread, as if the server had disconnected."""
        with suppress(OSError):  # the match has already ended
            self._sock.shutdown(socket.SHUT_RDWR)


def warm_up(game: Game, agent: Agent) -> None:
    """Load kernels and networks: let an agent decide in an exchange and in tricks of `game`."""
    wire.read_play(wire.NOTHING)  # builds the table of all plays
    state = round_game(**{**game.options, "classes": "random"}).deal(np.random.default_rng(0))
    status = wire.Status(
        left=tuple(state.left.tolist()),
        classes=tuple(state.classes.tolist()),
        seats=tuple(state.seats.tolist()),
    )
    number = TAXES[0] if game.options["exchange"] else 0
    for me, to_give in (winner(state, 0), number), (loser(state, 0), 0):
        hand = wire.hand_cells(int(state.hands[me]))
        follower = Follower(game, me)
        if follower.begin(hand + status._replace(to_give=to_give).pack()):
            follower.give(agent.act, to_give)
        follower.see(me, wire.NOTHING)
        follower.turn(hand + status._replace(my_turn=1, player=me).pack())
        agent.act(follower.view.copy())


class Match:
    """A match over a connection, in which an agent for whole matches decides.

    The follower has views of single rounds; the agent also gets the round number and the points.
    """

    def __init__(
        self, connection: Connection, follower: Follower, agent: Agent, watch: Watch | None = None
    ) -> None:
        self._result = Result(follower.me)
        self._connection, self._follower = connection, follower
        self._agent, self._watch = agent, watch
        self._rounds = 0  # rounds and points so far, which the agent's views get
        self._points = np.zeros(PLAYERS, np.int64)

    def play(self, progress: Callable[[int], None] = lambda rounds: None) -> Result:
        """Play the match; see `Client.play`."""
        result, last = self._result, None  # `last`: last view of a round that is not counted yet
        with suppress(EOFError, KeyboardInterrupt):
            while not result.complete:
                number = self._follower.begin(self._connection.table())
                if last is not None:
                    self.count(last)
                    last = None
                end = self._play_round(number)
                last = self._follower.finish()
                result.complete = end == wire.MATCH_OVER
                result.rounds += 1
                progress(result.rounds)
        if last is not None:
            result.rank(last)
        return result

    def _play_round(self, number: int) -> int:
        """Play a round, first giving back `number` cards; return `ROUND_OVER` or `MATCH_OVER`."""
        connection, follower, result = self._connection, self._follower, self._result
        self._see(follower.view)
        if number:
            connection.send(wire.hand_cells(follower.give(self.act, number)))
        while True:
            player, mine = follower.turn(connection.table())
            connection.check()
            if mine:
                start = time.perf_counter()
                action = self.act(follower.view)
                result.decisions += 1
                result.seconds += time.perf_counter() - start
                is_play = 0 <= action <= PASS
                connection.send(wire.play_cells(action if is_play else PASS))
                accepted = connection.read(4) == wire.ACCEPTED
                result.rejected += action != PASS and not (is_play and accepted)
            follower.see(player, connection.table()[: wire.CELLS])
            if self._watch:  # otherwise several turns are applied at once, before a decision
                self._watch(follower.finish().copy(), follower.me, player)
            end = connection.number()
            if end != wire.GOES_ON:
                return end

    def _see(self, view: State) -> None:
        if self._watch:
            self._watch(view.copy(), self._follower.me, NOBODY)

    def act(self, view: State) -> int:
        """Return the agent's action in a view of a single round."""
        self._see(view)
        view = view.copy()
        view.round_number = self._rounds
        view.points[:] = self._points
        return int(self._agent.act(view))

    def count(self, view: State) -> None:
        """Add a round to rounds and points, by its last view, when the next round has begun.

        Missing places follow from that one's classes; if still unknown, count from zero again.
        """
        classes = self._follower.view.classes
        if classes[0] >= 0:
            was_open = view.out < PLAYERS
            complete(view, classes)
            if was_open:
                self._see(view)
        if view.out == PLAYERS:
            self._rounds += 1
            self._points += view.points
        else:
            self._rounds = 0
            self._points[:] = 0
        self._result.rank(view)
