"""The house: all tables, their folder, and the threads in which agents think."""

import asyncio
import json
import logging
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from closedhand.core.agents import make_agent
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError, State
from closedhand.core.reading import load_json
from closedhand.core.registry import make_game
from closedhand.core.threads import cores
from closedhand.web.catalogue import check_agent, substep_options
from closedhand.web.guard import RateLimitedLog
from closedhand.web.remote_seat import Address, RemoteSeat, Stay
from closedhand.web.serialization import OPEN, WATCHING, describe, prepare, seen_by
from closedhand.web.table import PACE, Chair, Table, check_saved, pace_of, restored

LOG = logging.getLogger("closedhand.web")

MOST_TABLES = 1000
"""Most tables of a house."""
MOST_NAME = 40
"""Most characters in the name of a person."""
SEED_BITS = 128
"""Bits of a seed that nobody can find by trying, however well the hand that it dealt is known."""
MOST_THINKING = 16
"""Threads for the page, and for hints and the like: more than cores, as one that waits for the
compiler of another game does not run, and must not keep a page waiting that needs no compiler."""

T = TypeVar("T")


class Lobby:
    """All tables of a server.

    Attributes:
        folder: Where tables are kept; None: nowhere.
        tables: The tables by id.
        added: Texts of agents that the command line allows, by game.
        runs: Folder of the results of matches.
        servers: Servers of competitions at which a seat may be taken.
        stays: The last seat that was taken at each of them.
        complaints: What the log is told.
    """

    def __init__(
        self,
        folder: Path | None,
        added: Mapping[str, Sequence[str]] = {},
        runs: Path | None = None,
        servers: Sequence[Address] = (),
    ) -> None:
        """Open the house; the tables of its folder are there.

        Args:
            folder: A folder that nobody else writes to; None: tables end with the server.
            added: Texts of agents that may be seated besides those of the catalogue, by game.
            runs: Folder of results to show; None: none are shown.
            servers: Servers of competitions at which a seat may be taken.
        """
        self.runs = runs
        self.servers = servers
        self.stays: dict[int, Stay] = {}
        self.complaints = RateLimitedLog()
        self.folder = folder
        self.added = added
        self.tables: dict[str, Table] = {}
        self._agents = ThreadPoolExecutor(max(2, cores()), "agents")
        self._others = ThreadPoolExecutor(max(MOST_THINKING, cores()), "others")
        self._advisers = ThreadPoolExecutor(max(MOST_THINKING, cores()), "advisers")
        self._driven: dict[str, asyncio.Task[None]] = {}
        self._listeners: dict[str, set[Callable[[], None]]] = {}
        # They are set up again when somebody comes to them: that may compile their game.
        self._kept = {path.stem: path for path in folder.glob("*.json")} if folder else {}

    def close(self) -> None:
        """Let no thread begin anything more."""
        for table in self.tables.values():
            if isinstance(table, RemoteSeat):
                table.close()
        for task in self._driven.values():
            task.cancel()
        for pool in (self._agents, self._others, self._advisers):
            pool.shutdown(wait=False, cancel_futures=True)

    async def think(self, work: Callable[..., T], *arguments: Any) -> T:
        """Call a function that is soon done in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._others, work, *arguments)

    def advise(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call a function in a thread of those for long work, which keeps no page waiting."""
        return self._advisers.submit(work, *arguments)

    async def find(self, id: str) -> Table | None:
        """The table of an id; None if there is none."""
        path = self._kept.get(id)
        if id not in self.tables and path is not None:
            table = await self.think(_restored, path)
            # Meanwhile it may have been closed, or set up for somebody else.
            if self._kept.pop(id, None) is not None and table is not None:
                self.tables[id] = table
                self.drive(table)
        return self.tables.get(id)

    def listed(self) -> list[dict[str, Any]]:
        """What is known of every table without setting it up."""
        shown = [table.saved() | {"table": table.id} for table in self.tables.values()]
        for id, path in list(self._kept.items()):
            try:
                shown.append(check_saved(load_json(path)) | {"table": id})
            except InputError as error:
                LOG.warning("no table: %s", error)
                del self._kept[id]
        return shown

    def listen(self, table: str, tell: Callable[[], None]) -> Callable[[], None]:
        """Have a function called after every change of a table; returns how to end that."""
        listeners = self._listeners.setdefault(table, set())
        listeners.add(tell)
        return lambda: listeners.discard(tell)

    async def open(
        self,
        name: str,
        options: Mapping[str, Any],
        chairs: Sequence[Mapping[str, Any]],
        *,
        seed: int | None = None,
        deal: str | None = None,
        actions: Sequence[int] = (),
        pace: float = PACE,
        hands_open: bool = False,
    ) -> Table:
        """Open a table.

        Args:
            name: Name of the game.
            options: Its options.
            chairs: For each seat `{"agent": text}` or `{"name": name of a person}`.
            seed: Seed of the deals; None: a random one.
            deal: The first deal, in the game's notation.
            actions: Actions of the first hand so far.
            pace: Seconds between actions of agents.
            hands_open: Whether those who watch see all hands; only where no person plays.

        Raises:
            InputError: Something of this is not possible.
        """
        if len(self.tables) + len(self._kept) >= MOST_TABLES:
            raise InputError(f"there are {MOST_TABLES} tables: close some of them")
        table = await self.think(
            self._set_up, name, options, chairs, seed, deal, actions, pace, hands_open
        )
        self.tables[table.id] = table
        self.changed(table)
        return table

    def _set_up(
        self,
        name: str,
        options: Mapping[str, Any],
        chairs: Sequence[Mapping[str, Any]],
        seed: int | None,
        deal: str | None,
        actions: Sequence[int],
        pace: float,
        hands_open: bool,
    ) -> Table:
        """The table that `open` opens, in a thread: agents are imported, and a game compiled."""
        game = bound_game(name, options)
        if len(chairs) != game.num_players:
            raise InputError(f"{name} has {game.num_players} seats, not {len(chairs)}")
        seats = [self._chair(game, each) for each in chairs]
        seed = secrets.randbits(SEED_BITS) if seed is None else seed
        start = game.parse_deal(deal) if deal else game.deal(np.random.default_rng((seed, 0)))
        has_persons = any(not chair.agent for chair in seats)
        return Table(
            secrets.token_urlsafe(9), game, seats, start, list(actions),
            open=hands_open and not has_persons, pace=pace_of(pace),
            watch=secrets.token_urlsafe(12), seed=seed,
        )  # fmt: skip

    def _chair(self, game: Game, given: Mapping[str, Any]) -> Chair:
        agent, name = given.get("agent"), given.get("name")
        if isinstance(agent, str) and agent:
            return Chair(agent=check_agent(game, agent, self.added.get(game.name, ())))
        if not isinstance(name, str):
            raise InputError("a seat has an agent, or the name of a person")
        return Chair(name=name.strip()[:MOST_NAME] or "?", token=secrets.token_urlsafe(12))

    def take_seat(self, index: int, chair: Mapping[str, Any]) -> Stay:
        """Take a seat at one of the `servers`; the table is there when the match begins.

        Raises:
            InputError: There is no such server, or a seat there is taken.
        """
        if not 0 <= index < len(self.servers):
            raise InputError("there is no such server")
        before, address = self.stays.get(index), self.servers[index]
        if before is not None and not before.end:
            raise InputError(f"a seat at {address} is taken")
        game = make_game(address.game, **address.options).flat

        def opened(table: RemoteSeat) -> None:
            self.tables[table.id] = table

        stay = Stay(address, self._chair(game, chair), opened, lambda table: self._tell(table.id))
        self.stays[index] = stay
        stay.start()
        return stay

    def drop(self, id: str) -> None:
        """Close a table for good."""
        table = self.tables.pop(id, None)
        if isinstance(table, RemoteSeat):
            table.close()
        if table is None and self._kept.pop(id, None) is None:
            return
        task = self._driven.pop(id, None)
        if task:
            task.cancel()
        if self.folder:
            (self.folder / f"{id}.json").unlink(missing_ok=True)
        self._tell(id)

    def _tell(self, id: str) -> None:
        for tell in list(self._listeners.get(id, ())):
            tell()

    def changed(self, table: Table) -> None:
        """Keep a changed table, tell those who see it, and let its agents go on."""
        self._keep(table)
        self.drive(table)

    def _keep(self, table: Table) -> None:
        if self.folder and table.is_own and table.id in self.tables:
            try:
                path = self.folder / f"{table.id}.json"
                write_atomically(path, json.dumps(table.saved()), private=True)  # with all secrets
            except InputError as error:
                LOG.warning("%s", error)
        self._tell(table.id)

    def drive(self, table: Table, step: bool = False) -> None:
        """Let the agents of a table play until it is a person's turn.

        Args:
            table: The table.
            step: Whether to play one action although the table stands still.
        """
        running = self._driven.get(table.id)
        is_idle = running is None or running.done()
        if is_idle and table.is_own and _goes_on(table, step):
            self._driven[table.id] = asyncio.ensure_future(self._play_agents(table, step))

    async def _play_agents(self, table: Table, step: bool) -> None:
        """Let the agents of a table play; with `step` one action, unless it has a pace by then."""
        while _goes_on(table, step):
            version, seat = table.version, int(table.state["player"])
            loop = asyncio.get_running_loop()
            begun = loop.time()
            try:
                action = await loop.run_in_executor(self._agents, _decide, table, seat, version)
                if action is None or table.version != version:
                    continue
                waited = loop.time() - begun
                if not step:
                    await asyncio.sleep(max(0.0, table.pace - waited))
                if table.version != version:
                    continue
                table.play(action)
                table.trouble = ""
            except InputError as error:
                table.trouble = f"{table.chairs[seat].agent}: {error}"
            except Exception as error:  # an agent is anybody's code
                self.complaints.failed(f"the agent {table.chairs[seat].agent}")
                table.trouble = f"{table.chairs[seat].agent}: {type(error).__name__}"
            self._keep(table)
            step = False
            if table.trouble:
                return


def _goes_on(table: Table, step: bool) -> bool:
    """Whether it is the turn of an agent, and it may play."""
    return not table.over and bool(table.chair.agent and (table.pace > 0 or step or table.persons))


def _restored(path: Path) -> Table | None:
    try:
        table = restored(path.stem, load_json(path))
        prepare(table.game)
        return table
    except InputError as error:
        LOG.warning("no table: %s", error)
        return None


def bound_game(name: str, options: Mapping[str, Any]) -> Game:
    """The game of a table, compiled: its actions are whole plays.

    Raises:
        InputError: An unknown game or option.
    """
    forms = substep_options(name)
    game = make_game(name, **{k: v for k, v in options.items() if k not in forms}).flat
    prepare(game)
    return game


def _decide(table: Table, seat: int, version: int) -> int | None:
    """The action of an agent, in a thread; None if the table has changed."""
    view: State = table.game.view(table.state, seat)
    agent = table.agents.get(seat)
    if agent is None:
        seed = (table.seed * 31 + table.deal * 7 + seat) % 2**31
        agent = make_agent(table.game, table.chairs[seat].agent, seed)
        if table.version == version:
            table.agents[seat] = agent
    return int(agent.act(view)) if table.version == version else None


def called(agent: str, with_files_of: Collection[str]) -> str:
    """The text of an agent, but only its name if it is one of those that name files."""
    return agent.partition(":")[0] if agent in with_files_of else agent


def told(table: Table, seat: int, with_files_of: Collection[str] = ()) -> dict[str, Any]:
    """What a browser is told of a table.

    Args:
        table: The table.
        seat: Seat of the person who is told; `WATCHING` for others.
        with_files_of: Texts of agents that name files, of which only the agent's name is told.
    """
    game = table.game
    # All is laid open at the end of a hand.
    sees_all = table.over or (seat == WATCHING and table.open)
    views = seen_by(game, table.state, OPEN if sees_all else seat)
    asked = seat >= 0 and table.awaits(seat)
    return {
        "table": table.id,
        "version": table.version,
        "game": game.name,
        "seat": seat,
        "chairs": [
            {
                "agent": called(chair.agent, with_files_of),
                "name": chair.name,
                "person": not chair.agent,
            }
            for chair in table.chairs
        ],
        "position": describe(game, views, table.actors, legal=asked),
        "asked": asked,
        "pace": table.pace,
        "open": table.open,
        "trouble": table.trouble,
        "deal": table.deal,
        "turn": table.turn,
        "hands": [
            {
                "returns": h.returns,
                "sitters": [called(each, with_files_of) for each in h.sitters],
                "deal": h.deal,
                "turn": h.turn,
            }
            for h in table.hands
        ],
        "roles": list(game.roles),
        "sides": list(game.sides),
        "options": {key: value for key, value in game.options.items()},
        "away": not table.is_own,
    }
