"""A server of protocol 20070: a match of five players, each a client or an agent.

`read_config` reads the configuration file of the official server, `tndhms.cfg`. A line is a key and
a value, in letters of either case; a `#` begins a comment. Settings of rules, rounds and the port
are used; those in `WITHOUT_EFFECT` are ignored. Keys and values that the official server does not
know are errors.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.competitions.uecda import HOST, PORT
from closedhand.competitions.uecda.client import match_game, warm_up
from closedhand.competitions.uecda.remote_players import Limits, Lobby, listen
from closedhand.competitions.uecda.table import Result, Seat, Table, warm_up_table
from closedhand.core.agents import Agent, make_agent
from closedhand.core.checks import InputError, check_seed, prefixed
from closedhand.core.files import Log
from closedhand.core.interrupt import deferred
from closedhand.core.parsing import parse_whole
from closedhand.core.reading import filled_lines
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.state import PLAYERS

NET = "net"
"""Text that stands for a client in a list of agents."""
PORT_KEY = "PORT_NUMBER"
WITHOUT_EFFECT = (
    "WINDOW_TYPE", "GRAPH_WINDOW", "CONSOLE_TYPE", "RAND_TYPE", "XPM_DIR_PATH", "FLAG_STATISTICS",
    "FLAG_LOGGER", "FLAG_HIDDEN_NAME", *(f"PLAYER{number}_NAME" for number in range(1, 6)),
)  # fmt: skip
"""Keys for settings that our server lacks, or takes from elsewhere."""


def read_config(path: Path) -> dict[str, Any]:
    """Read from a file options of `make_game`, among them `rounds`, and the server's `port`.

    Only what the file sets is returned; a key's last value counts. An `InputError` names the line.
    """
    values: dict[str, str] = {}
    port: dict[str, int] = {}
    for number, line in filled_lines(path):
        words = line.partition("#")[0].split()
        if not words:
            continue
        key = words[0].upper()
        with prefixed(f"{path}, line {number}"):
            if key in WITHOUT_EFFECT:
                continue
            if len(words) != 2:
                raise InputError(f"{key} has one value, not {len(words) - 1}")
            if key == PORT_KEY:
                port["port"] = parse_whole(words[1], key, most=2**16 - 1)
                continue
            values[key] = words[1].upper()
            logs.rules_of({key: values[key]})
    return {**logs.rules_of(values), **port}


class Server:
    """A server that waits for clients and then plays a match.

    Attributes:
        address: Host and port on which it listens.
        clients: Number of clients expected.
    """

    def __init__(
        self,
        agents: Sequence[str | Agent] = (NET,),
        rounds: int = 1000,
        seed: int = 0,
        host: str = HOST,
        port: int = PORT,
        limits: Limits | None = None,
        fallback: str | Agent = "default",
        log: Path | None = None,
        note: Callable[[str], None] = lambda line: None,
        **options: Any,
    ) -> None:
        """Listen for clients.

        Args:
            agents: One agent for all players, or one for each; `net` is a client.
            rounds: Number of rounds to play.
            seed: Seed of the deals and of the agents' own randomness.
            host: Address to listen on.
            port: Port to listen on; 0 is any free port.
            limits: Limits for clients; by default `Limits()`.
            fallback: Agent that replaces a client that has lost its seat.
            log: New file for the log, begun with the match and complete at the end of every round;
                its last line has the seed.
            note: Callback that receives lines about clients and about refused connections.
            **options: Options of the rules.

        Raises:
            InputError: An agent, an option, the number of agents or the seed is not allowed, the
                port is in use, or the log exists or cannot be written.
        """
        if len(agents) not in (1, PLAYERS):
            raise InputError(f"name one agent for all players or five, not {len(agents)}")
        specs = list(agents) * (PLAYERS // len(agents))
        self._seed = check_seed(seed)
        self._game = match_game(**{**options, "rounds": rounds})
        if not self._game.lenient:
            raise InputError("a server counts illegal actions as passes: leave out illegal=error")
        self.rounds = rounds
        self._start = self._game.deal(np.random.default_rng(self._seed))
        self._names = {spec for spec in (*specs, fallback) if isinstance(spec, str)} - {NET}
        seeds = np.random.default_rng((seed, 1)).integers(2**31, size=PLAYERS)
        self._seats = [
            Seat(make_agent(self._game, fallback if spec == NET else spec, int(own)))
            for spec, own in zip(specs, seeds, strict=True)
        ]
        self._note = note
        limits = limits or Limits()
        self._clock = limits.clock
        self._log = Log(log) if log else None
        self._listener = listen(host, port)
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        clients = [player for player, spec in enumerate(specs) if spec == NET]
        self.clients = len(clients)
        self._lobby = Lobby(self._listener, clients, limits, note)

    def run(self, progress: Callable[[int], None] = lambda rounds: None) -> Result:
        """Wait for the clients and play the match; Ctrl-C ends it.

        `progress` gets the number of rounds played.

        Raises:
            InputError: The log cannot be written.
            KeyboardInterrupt: Interrupted before all clients had connected.
        """
        log = self._log
        try:
            with self._listener:
                # Load kernels and networks now: their time must not count in the match.
                warm_up_table(self._game)
                for name in self._names:
                    warm_up(self._game, make_agent(self._game, name))
                for player, remote in self._lobby.gather().items():
                    self._seats[player].remote = remote
            if log:
                header = logs.header(self._game, [seat.name for seat in self._seats])
                log.write(logs.header_text(header))
            with deferred() as check:
                table = Table(self._game, self._seats, self._start, self._note, check, self._clock)
                return self._play(table, progress)
        finally:
            for seat in self._seats:
                if seat.client:
                    seat.client.leave("was disconnected")

    def _play(self, table: Table, progress: Callable[[int], None]) -> Result:
        log = self._log
        with suppress(KeyboardInterrupt):
            for number in range(self.rounds):
                values = table.play_round()
                if log:
                    log.write(logs.round_text(number, values))
                progress(number + 1)
        result = table.result(self.rounds)
        if log:
            now, points = time.strftime("%Y/%m/%d %H:%M:%S"), " ".join(map(str, result.points))
            end = {logs.TIME_END: now, logs.TOTAL: points, logs.SEED: str(self._seed)}
            log.write(logs.header_text(end))
        return result
