"""The lobby: all tables of a server, their folder, and the threads for agents and hints."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from closedhand.core.agents import make_agent
from closedhand.core.files import remove, write_atomically
from closedhand.core.game import Game, InputError, State
from closedhand.core.reading import load_json
from closedhand.core.registry import flat_game
from closedhand.core.threads import cores
from closedhand.web.catalogue import check_agent, opponent_of
from closedhand.web.guard import LOG, RateLimitedLog
from closedhand.web.past_hands import PastHands
from closedhand.web.preparation import Preparation
from closedhand.web.remote_seat import Address, RemoteMatch
from closedhand.web.serialization import prepare
from closedhand.web.table import PACE, Seat, Table, check_saved, pace_of, restored

MOST_TABLES = 1000
PAST_HANDS = "hands.jsonl"
"""File of the hands of persons, in the folder of the tables."""
MOST_NAME = 40
"""Most characters in the name of a person."""
SEED_BITS = 128
"""Bits of a random seed: too many to find the seed by search from the hands that it dealt."""
FEWEST_THREADS = 16
"""Minimum number of threads for the page, and for hints; the number of cores if that is larger. A
thread that waits for the compiler of a game uses no core, and must not delay other requests."""

T = TypeVar("T")


class Lobby:
    """All tables of a server."""

    def __init__(
        self,
        folder: Path,
        added: Mapping[str, Sequence[str]] = {},
        runs: Path | None = None,
        servers: Sequence[Address] = (),
        preparation: Preparation | None = None,
    ) -> None:
        """Open the lobby with the tables saved in a folder, to which no other server writes.

        `added` are agents that may be seated besides those of the catalogue, by game; `runs` is a
        folder of results to show; `servers` are those of competitions. Without a preparation games
        are prepared at their first use.
        """
        self.preparation = preparation or Preparation((), None)
        self.runs = runs
        self.servers = servers
        self.remote_matches: dict[int, RemoteMatch] = {}  # the latest at each server, by index
        self.log = RateLimitedLog()
        self.folder = folder
        self.past = PastHands(folder / PAST_HANDS)
        self.added = {game: tuple(texts) for game, texts in added.items()}
        self.tables: dict[str, Table] = {}  # by id; a saved table enters when it is restored
        self._agents = ThreadPoolExecutor(max(2, cores()), "agents")
        self._others = ThreadPoolExecutor(max(FEWEST_THREADS, cores()), "others")
        # For long work, apart from that of the page.
        self.advisers = ThreadPoolExecutor(max(FEWEST_THREADS, cores()), "advisers")
        # Tables are restored on the first visit, as that may compile their game.
        self._saved = {path.stem: path for path in folder.glob("*.json")}

    def close(self) -> None:
        """End the preparation, close all tables and cancel all work that has not begun."""
        self.preparation.close()
        for table in self.tables.values():
            table.close()
        for pool in (self._agents, self._others, self.advisers):
            pool.shutdown(wait=False, cancel_futures=True)

    def bind(self, name: str, options: Mapping[str, Any]) -> Game:
        """Make and compile a game of whole plays after its preparation; slow: use a thread."""
        self.preparation.wait(name)
        game = flat_game(name, options)
        prepare(game)
        return game

    async def in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Call a short function in a thread and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._others, work, *arguments)

    async def find(self, id: str) -> Table | None:
        """Return the table of an id, restored if need be; None if it is missing or damaged."""
        path = self._saved.get(id)
        if id not in self.tables and path is not None:
            table = await self.in_thread(_restored, path)
            # During the restoring, another request may have closed or restored it.
            if self._saved.pop(id, None) is not None and table is not None:
                self.tables[id] = table
                self.drive(table)
        return self.tables.get(id)

    @property
    def ids(self) -> set[str]:
        """Ids of all tables, restored or not: the names of their files."""
        return {*self.tables, *self._saved}

    def listed(self) -> list[dict[str, Any]]:
        """Return the saved form of every table, with its id as `table`, restoring none."""
        shown = [table.saved() | {"table": table.id} for table in self.tables.values()]
        for id, path in list(self._saved.items()):
            try:
                shown.append(check_saved(load_json(path)) | {"table": id})
            except InputError as error:
                LOG.warning("the table %s is left out: %s", id, error)
                del self._saved[id]
        return shown

    async def open(
        self,
        name: str,
        options: Mapping[str, Any],
        seats: Sequence[Mapping[str, Any]],
        *,
        seed: int | None = None,
        deal: str | None = None,
        actions: Sequence[int] = (),
        pace: float = PACE,
        hands_open: bool = False,
    ) -> Table:
        """Open a table.

        Each of the `seats` is `{"agent": text}`, `{"level": level of an agent}`, or `{"name": name
        of a person}`; a name may be empty. Without a seed the deals are random. The first hand
        begins with `deal`, in the game's notation, and `actions`, ids of whole plays. Spectators
        see all hands if `hands_open` and no person plays.

        Raises:
            InputError: An argument is not valid for the game, or there are too many tables.
        """
        if len(self.ids) >= MOST_TABLES:
            raise InputError(f"there are {MOST_TABLES} tables: close some of them")
        seed = secrets.randbits(SEED_BITS) if seed is None else seed

        def set_up() -> Table:  # in a thread: it imports agents and compiles the game
            game = self.bind(name, options)
            if len(seats) != game.num_players:
                raise InputError(f"{name} has {game.num_players} seats, not {len(seats)}")
            players = [
                replace(self._seat(game, each), player=number) for number, each in enumerate(seats)
            ]
            # An agent with files that cannot be made is refused now, not at its first move.
            with_files = self.added.get(game.name, ())
            for agent in {seat.agent for seat in players}.intersection(with_files):
                make_agent(game, agent)
            start = game.parse_deal(deal) if deal else game.deal(np.random.default_rng((seed, 0)))
            has_persons = any(not seat.agent for seat in players)
            return Table(
                secrets.token_urlsafe(9), game, players, start, list(actions), first=len(actions),
                open=hands_open and not has_persons, pace=pace_of(pace),
                watch=secrets.token_urlsafe(12), seed=seed,
            )  # fmt: skip

        table = await self.in_thread(set_up)
        self.tables[table.id] = table
        self.changed(table)
        return table

    def _seat(self, game: Game, given: Mapping[str, Any]) -> Seat:
        agent, name, level = given.get("agent"), given.get("name"), given.get("level")
        if isinstance(level, str):
            return Seat(agent=opponent_of(game, level))
        if isinstance(agent, str) and agent:
            return Seat(agent=check_agent(game, agent, self.added.get(game.name, ())))
        if not isinstance(name, str):
            raise InputError("a seat has an agent, a level, or the name of a person")
        return Seat(name=short_name(name), token=secrets.token_urlsafe(12))

    def take_seat(self, index: int, seat: Mapping[str, Any]) -> RemoteMatch:
        """Take a seat at `servers[index]`, unless one is held; the match's table opens later."""
        if not 0 <= index < len(self.servers):
            raise InputError("there is no such server")
        before, address = self.remote_matches.get(index), self.servers[index]
        if before is not None and not before.end:
            raise InputError(f"a seat at {address} is taken")
        game = flat_game(address.game, address.options)
        match = RemoteMatch(
            address,
            self._seat(game, seat),
            bind=self.bind,
            opened=lambda table: self.tables.update({table.id: table}),
            changed=self._notify,
        )
        self.remote_matches[index] = match
        match.start()
        return match

    def drop(self, id: str) -> None:
        """Close a table for good; a table whose file cannot be removed stays (`WriteError`)."""
        if id not in self.ids:
            return
        remove(self.folder / f"{id}.json")
        table = self.tables.pop(id, None)
        self._saved.pop(id, None)
        if table is not None:
            table.close()
            self._notify(table)

    def end(self, table: Table) -> None:
        """Add the hand of a table to the past hands, if it is over and was dealt here."""
        if table.over and table.is_own:
            self.past.add(table)

    def _notify(self, table: Table) -> None:
        for listener in list(table.listeners):  # a listener may remove itself
            try:
                listener()
            except Exception:  # the view of one browser must not end the games of others
                self.log.failed("a push")

    def changed(self, table: Table) -> None:
        """Persist a changed table, notify its listeners, and resume its agents."""
        self._persist(table)
        self.drive(table)

    def _persist(self, table: Table) -> None:
        """Save a changed table, unless it is at a remote server; notify its listeners."""
        table.changed = time.time()
        if table.is_own and table.id in self.tables:
            try:
                path = self.folder / f"{table.id}.json"
                # Private: the file holds the secret links and all hands.
                write_atomically(path, json.dumps(table.saved()), private=True)
            except InputError as error:
                LOG.warning("%s", error)
        self._notify(table)

    def drive(self, table: Table, step: bool = False) -> None:
        """Let the agents play until a person's turn; with `step` one action even if paused."""
        if step and table.is_own:
            table.stepping = _awaits_agent(table)
        if table.task is not None and not table.task.done():
            table.woken.set()
        elif table.is_own and _goes_on(table):
            table.task = asyncio.ensure_future(self._play_agents(table))

    async def _play_agents(self, table: Table) -> None:
        """Let agents play while the table goes on; a step ends after an action or a failure."""
        while _goes_on(table):
            version, seat = table.version, int(table.state["player"])
            loop = asyncio.get_running_loop()
            begun = loop.time()
            try:
                action = await loop.run_in_executor(self._agents, _decide, table, seat, version)
                if action is None or table.version != version:
                    continue
                await self._pause(table, begun)
                if table.version != version or not _goes_on(table):
                    continue
                table.play(action)
                self.end(table)
                table.trouble = ""
            except Exception as error:  # an agent may be third-party code, and raise anything
                agent, reason = table.seats[seat].agent, str(error)
                if not isinstance(error, InputError):
                    self.log.failed(f"the agent {agent}")
                    reason = type(error).__name__
                if table.version == version:  # else the table has left the position of the error
                    table.trouble = f"{agent}: {reason}"
            self._persist(table)
            table.stepping = False
            if table.trouble:
                return
        table.stepping = False

    async def _pause(self, table: Table, begun: float) -> None:
        """Wait until a table's pace has passed since `begun`, or for a step or a new position."""
        loop, version = asyncio.get_running_loop(), table.version
        while table.version == version and _goes_on(table) and not table.stepping:
            left = begun + table.pace - loop.time()
            if left <= 0:
                return
            table.woken.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(table.woken.wait(), left)


def short_name(text: str) -> str:
    """Return the name of a person, as a table keeps it; it may be empty."""
    return text.strip()[:MOST_NAME]


def _awaits_agent(table: Table) -> bool:
    return not table.over and bool(table.seats[int(table.state["player"])].agent)


def _goes_on(table: Table) -> bool:
    """Return whether an agent is to act at a table that is not paused."""
    is_running = table.pace > 0 or table.stepping or bool(table.persons)
    return is_running and _awaits_agent(table)


def _restored(path: Path) -> Table | None:
    try:
        table = restored(path.stem, load_json(path))
        prepare(table.game)
        return table
    except InputError as error:
        LOG.warning("the table %s is left out: %s", path.stem, error)
        return None


def _decide(table: Table, seat: int, version: int) -> int | None:
    """Ask an agent for its action, in a thread; None if the table has changed meanwhile."""
    view: State = table.game.view(table.state, seat)
    agent = table.agents.get(seat)
    if agent is None:
        # A different seed for each deal and seat, within the 31 bits that every agent accepts.
        seed = (table.seed * 31 + table.deal * 7 + seat) % 2**31
        agent = make_agent(table.game, table.seats[seat].agent, seed)
        if table.version == version:
            table.agents[seat] = agent
    return int(agent.act(view)) if table.version == version else None
