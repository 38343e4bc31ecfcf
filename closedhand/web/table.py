"""A table: its seats, and the hands that are played there one after another.

A hand is stored as its deal and its actions. An undo replays these actions, and so does the first
visit to a saved table after a restart of the server.
"""

import asyncio
import base64
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from closedhand.core.agents import Agent
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import (
    NATURAL,
    NUMBER,
    OPTIONS,
    TEXT,
    TRUTH,
    Kind,
    check_fields,
    list_of,
)
from closedhand.core.records import Record, from_state, stated_options
from closedhand.core.registry import make_game
from closedhand.web.guard import is_secret
from closedhand.web.uploads import decoded

MOST_HANDS = 200
"""Maximum number of hands whose results a table keeps, the latest."""
PLAIN = ("actions", "first", "open", "pace", "watch", "deal", "turn", "seed", "changed")
"""Attributes of a table that are saved as they are."""
PACE, SLOWEST = 0.7, 60.0
"""Default and maximum seconds between actions of agents: people must be able to follow."""


def pace_of(seconds: float) -> float:
    """Clip the seconds between actions of agents to 0 … `SLOWEST`."""
    return min(SLOWEST, max(0.0, float(seconds)))


@dataclass
class Seat:
    """The player at a seat."""

    agent: str = ""  # text of the agent; empty for a person
    name: str = ""
    token: str = ""  # secret of the person's link; empty for an agent
    player: int = 0  # number of this player at the table: the seat at first, before any rotation

    @property
    def occupant(self) -> str:
        """The agent or the name of the person, as shown to others."""
        return self.agent or self.name or "person"


@dataclass
class Hand:
    """Result of a hand: payoffs and players by seat, and `Table.deal` and `turn` of that hand."""

    returns: list[float]
    players: list[int]  # `Seat.player`, as names may be equal, or change
    occupants: list[str]
    deal: int
    turn: int = 0


@dataclass
class Table:
    """A table and its present hand.

    Attributes:
        pace: Seconds between actions of agents. 0: without a pause if a person plays; if only
            agents play, the table is paused, and each request `step` plays one action.
        turn: Number of seats by which the players have been rotated on this deal. It goes on after
            a full round, so that `deal` and `turn` name one hand.
    """

    is_own: ClassVar[bool] = True
    """Whether this server deals and runs the agents; False for a seat at a remote server."""

    id: str  # name in links and of its file
    game: Game  # its actions are whole plays
    seats: list[Seat]
    start: State  # at the deal of this hand
    actions: list[int] = field(default_factory=list[int])  # since `start`
    first: int = 0  # number of `actions` with which the table was opened; an undo keeps them
    open: bool = False  # whether spectators see all hands
    pace: float = PACE
    watch: str = ""  # secret of the link for spectators
    hands: list[Hand] = field(default_factory=list[Hand])
    deal: int = 0  # number of this hand's deal
    turn: int = 0
    seed: int = 0  # of the deals and the agents
    state: State = field(init=False)
    actors: list[int] = field(init=False)  # seat that made each action of the history
    version: int = 0  # counts changes of the game; a play names the version that it answers
    trouble: str = ""  # error that stops the hand; empty: none
    agents: dict[int, Agent] = field(default_factory=dict[int, Agent])  # by seat, once made
    changed: float = field(default_factory=time.time)  # last change, in seconds since 1970
    listeners: set[Callable[[], None]] = field(default_factory=set[Callable[[], None]])
    # The agents play in `task`. `stepping`: their next action is played even if paused. `woken` is
    # set when the table changes or steps: the pause before an action is then computed anew.
    task: asyncio.Task[None] | None = None
    stepping: bool = False
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Play the actions so far; refuse illegal ones."""
        self._replay()

    def _replay(self) -> None:
        self.state, self.actors = self.start.copy(), []
        for action in self.actions:
            self._apply(action)

    def _apply(self, action: int) -> None:
        """Play a legal action; keep `actors` at the length of `game.history`."""
        actor, before = int(self.state["player"]), len(self.game.history(self.state))
        self.game.play(self.state, action)
        # The history begins anew with each deal: of the next round, or after all have passed.
        grew = len(self.game.history(self.state)) > before
        self.actors = [*self.actors, actor] if grew else []

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return self.game.over(self.state)

    @property
    def persons(self) -> list[int]:
        """Numbers of the seats of persons."""
        return [number for number, seat in enumerate(self.seats) if not seat.agent]

    def awaits(self, seat: int) -> bool:
        """Return whether the player at a seat is to decide now."""
        return not self.over and int(self.state["player"]) == seat

    def seat_of(self, token: str) -> int | None:
        """Return the seat of a secret; -1 for the secret of spectators, None for a wrong one."""
        for number, seat in enumerate(self.seats):
            if seat.token and is_secret(seat.token, token):
                return number
        return -1 if self.watch and is_secret(self.watch, token) else None

    def links(self) -> dict[str, Any]:
        """Return the secrets of the seats, empty for agents, and that of spectators."""
        return {"tokens": [seat.token for seat in self.seats], "watch": self.watch}

    def play(self, action: int) -> None:
        """Apply an action of the player to act; store the result at the end of the hand."""
        self._apply(action)
        self.actions.append(action)
        self.version += 1
        if self.over:
            self.score()

    def score(self) -> None:
        """Store the result of the hand, which is over."""
        returns: list[float] = self.game.returns(self.state).tolist()
        players = [seat.player for seat in self.seats]
        occupants = [seat.occupant for seat in self.seats]
        hand = Hand(returns, players, occupants, self.deal, self.turn)
        self.hands = [*self.hands, hand][-MOST_HANDS:]

    def undo(self, seat: int) -> None:
        """Go back to the last decision of a seat.

        Raises:
            InputError: The seat has decided nothing at this table; another person has acted since;
                or this person is not the only one, and has seen more since.
        """
        was_over = self.over
        state, last, since = self.start.copy(), -1, list[int]()
        before = state
        for number, action in enumerate(self.actions):
            player = int(state["player"])
            if player == seat and number >= self.first:
                last, since, before = number, [], state.copy()
            else:
                since.append(player)
            self.game.play(state, action)
        if last < 0:
            raise InputError("there is nothing to undo: this is your first decision")
        if any(not self.seats[player].agent for player in since):
            raise InputError("another person has played since")
        knows_more = since or was_over or shows_more(self.game, before, state, seat)
        if knows_more and len(self.persons) > 1:
            raise InputError("you have seen more since, and are not the only person who plays")
        if was_over:
            self.hands = self.hands[:-1]
        self.actions = self.actions[:last]
        self._restart()

    def again(self, same: bool) -> None:
        """Begin another hand; if `same`, this one again with the players rotated by one seat."""
        if same:
            self.seats = [self.seats[-1], *self.seats[:-1]]
            self.turn += 1
        else:
            self.deal += 1
            self.turn = self.first = 0
            self.start = self.game.deal(np.random.default_rng((self.seed, self.deal)))
        self.actions = self.actions[: self.first]
        self.agents = {}
        self._restart()

    def _restart(self) -> None:
        self.version += 1
        self.trouble = ""
        self._replay()

    def close(self) -> None:
        """Stop the agents: the table is closed."""
        if self.task is not None:
            self.task.cancel()

    def record(self) -> Record:
        """Return the record of this hand; refuse actions that no record can hold."""
        return from_state(self.game, self.state, [seat.occupant for seat in self.seats])

    def saved(self) -> dict[str, Any]:
        """Return the table as JSON data, for `restored`."""
        return {
            "game": self.game.name,
            "rules": stated_options(self.game),
            "start": base64.b64encode(self.game.save(self.start)).decode(),
            "seats": [asdict(seat) for seat in self.seats],
            "hands": [asdict(hand) for hand in self.hands],
            **{name: getattr(self, name) for name in PLAIN},
        }


def shows_more(game: Game, before: State, after: State, seat: int) -> bool:
    """Return whether a player sees cards in `after` but not in `before`, except its own plays."""

    def seen(state: State) -> tuple[Counter[str], Counter[str]]:
        own, others = Counter[str](), Counter[str]()
        for row in game.scene(game.view(state, seat)):
            (own if row.seat == seat else others).update(filter(str.strip, row.cards))  # open ones
            others.update(row.last)
        return own, others

    (had, known), (has, knows) = seen(before), seen(after)
    return bool(((has - had) + (knows - known)).keys() - (had - has).keys())


SAVED = {
    "game": TEXT, "rules": OPTIONS, "start": TEXT, "actions": list_of(NATURAL), "first": NATURAL,
    "seats": list_of(OPTIONS), "open": TRUTH, "pace": NUMBER, "watch": TEXT,
    "hands": list_of(OPTIONS), "deal": NATURAL, "turn": NATURAL, "seed": NATURAL, "changed": NUMBER,
}  # fmt: skip
SAVED_SEAT = {"agent": TEXT, "name": TEXT, "token": TEXT, "player": NATURAL}
SAVED_HAND = {
    "returns": list_of(NUMBER), "players": list_of(NATURAL), "occupants": list_of(TEXT),
    "deal": NATURAL, "turn": NATURAL,
}  # fmt: skip


def check_saved(data: Any) -> dict[str, Any]:
    """Check data of `Table.saved`; return it, with only known fields in seats and hands."""
    data = check_fields(data, "a table", SAVED)
    seats = [_only(each, "a seat", SAVED_SEAT) for each in data["seats"]]
    hands = [_only(each, "a hand", SAVED_HAND) for each in data["hands"]]
    numbers = list(range(len(seats)))
    for players in ([seat["player"] for seat in seats], *(hand["players"] for hand in hands)):
        if sorted(players) != numbers:
            raise InputError(f"the players are {numbers} in some order, not {players}")
    for hand in hands:
        if not len(hand["returns"]) == len(hand["occupants"]) == len(seats):
            raise InputError(f"a hand of {len(seats)} players has as many returns and occupants")
    return {**data, "seats": seats, "hands": hands}


def _only(data: Any, name: str, fields: dict[str, Kind]) -> dict[str, Any]:
    check_fields(data, name, fields)
    return {key: data[key] for key in fields}


def restored(id: str, data: Any) -> Table:
    """Restore a table from the data of `Table.saved`, or refuse them."""
    data = check_saved(data)
    game = make_game(data["game"], **data["rules"]).flat
    start = game.load(decoded(data["start"], "the deal"))
    seats = [Seat(**each) for each in data["seats"]]
    hands = [Hand(**each) for each in data["hands"]]
    if len(seats) != game.num_players:
        raise InputError(f"a table of {game.name} has {game.num_players} seats, not {len(seats)}")
    if data["first"] > len(data["actions"]):
        raise InputError(f"{data['first']} of {len(data['actions'])} actions cannot be the first")
    return Table(id, game, seats, start, hands=hands, **{name: data[name] for name in PLAIN})
