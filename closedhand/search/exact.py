"""Open hands, solved exactly: the payoffs of all plays if both sides play perfectly, for any game.

1. Bound the payoff of each play for the player to act, at first by the range of the game's payoffs.
2. Choose a payoff between the bounds of a play. For every play whose bounds include this payoff,
   ask whether the player can force it (`alpha_beta.py`).
3. Narrow the bounds to payoffs of ends that the searches met, and repeat step 2 until the bounds of
   every play meet or time runs out.
4. By the same questions find the line: the best play, and perfect play of all after it.

The player to act and its team maximise its payoff, all others minimise it. Perfect information is
assumed: a line may use cards that no player of a real table could know.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import InputError, integers, shown, whole_number
from closedhand.core.game import Game
from closedhand.core.numba.jit import Floats, Ids, Policy, State, with_distinct_name
from closedhand.core.registry import GAMES, load
from closedhand.search.alpha_beta import (
    DEPTH,
    GREATEST,
    KEPT,
    LEAST,
    LOST,
    UNKNOWN,
    VISITED,
    WON,
    copy_table,
    outcome,
    position_key,
    search,
    worthwhile,
)
from closedhand.search.playout import Uniform
from closedhand.search.stopping import check

SLICE = 50_000
"""Positions searched between two looks at the clock."""
SMALLEST = 2**16
"""Size of a new table, in positions; it grows while it fills."""
PLACE = 16
"""Bytes of a position in a table."""
DEEPEST = 400
"""Maximum number of actions of a line that is searched."""
SECONDS, MEMORY = 60.0, 2**30
"""Limits of a search by default: seconds, and bytes of its tables."""


class Endgames(NamedTuple):
    """Functions of a game for open hands, see `closedhand.core.registry.GameSpec.endgames`.

    Attributes:
        place: Function `(game, hands, turn, beat, by) -> State`, as the function `place` below.
        game: Function that returns the game whose payoffs count, with the same states.
        policy: Policy with `worthwhile` and `position_key`, see `closedhand.search.alpha_beta`.
        teams: Function `(game, state) -> team of each seat`, where teams form during the game;
            None: they are the game's sides.
    """

    place: Callable[[Game, Sequence[str], int, str | None, int | None], State]
    game: Callable[[Game], Game]
    policy: Policy
    teams: Callable[[Game, State], Sequence[int]] | None = None


@dataclass(frozen=True)
class Play:
    """A play of the player to act: its id in `Game.flat`, its notation, and bounds of its payoff.

    The player can force `low` and cannot exceed `high`; they are equal if the play is solved.
    """

    action: int
    text: str
    low: float
    high: float


@dataclass(frozen=True)
class Endgame:
    """The solution of a position, as far as the limits allowed.

    Attributes:
        player: Player to act, whose payoffs these are.
        plays: All legal plays; the best ones come first.
        line: Players and actions: the best play and, if solved, the perfect play found in time.
        positions: Number of positions visited.
    """

    player: int
    plays: tuple[Play, ...]
    line: tuple[tuple[int, str], ...]
    seconds: float
    positions: int

    @property
    def low(self) -> float:
        """Payoff that the player to act can force."""
        return max(play.low for play in self.plays)

    @property
    def high(self) -> float:
        """Payoff that the player to act cannot exceed."""
        return max(play.high for play in self.plays)

    @property
    def value(self) -> float | None:
        """Payoff of the player if all play perfectly; None if it is unknown."""
        return self.low if self.low == self.high else None


def place(
    game: Game, hands: Sequence[str], turn: int = 0, beat: str | None = None, by: int | None = None
) -> State:
    """Build a full state from open hands, in a game whose spec has `endgames`.

    `hands` are the cards of the seats, in the game's notation, and `turn` is the seat to act.
    `beat` is the action to be beaten; None: there is none. `by` is the seat that made it; None: the
    seat before `turn`.

    Raises:
        InputError: The game builds no such states, or none from these arguments.
    """
    means = _means_of(game)
    if means is None:
        raise InputError(f"{game.name} builds no positions from hands: give a deal and its actions")
    seat = whole_number(turn, "turn is a seat, which")
    if isinstance(hands, str):
        raise InputError(f"hands are a list of texts, one for each seat, not {shown(hands)}")
    if not 0 <= seat < len(hands):
        raise InputError(f"turn is a seat with a hand, 0 to {len(hands) - 1}, not {seat}")
    return means.place(game.flat, hands, seat, beat, by)


def endgame(
    game: Game,
    state: State,
    *,
    teams: Sequence[int] | None = None,
    seconds: float = SECONDS,
    memory: int = MEMORY,
) -> Endgame:
    """Solve a position in which nothing is hidden.

    Args:
        game: The game; the result has actions of its form without sub-steps, `Game.flat`.
        state: A full state, such as `place` makes; a view gives wrong payoffs.
        teams: Team of each seat; None: as `teams_of` returns.
        seconds: Seconds after which the search ends.
        memory: Maximum number of bytes of the search's tables of positions.

    Raises:
        InputError: The game is over, the state is of another game, players act at the same time, or
            `teams` has not one whole number for each seat.

    Examples:
        >>> from closedhand import make_game
        >>> from closedhand.search import exact
        >>> game = make_game("doudizhu")
        >>> found = exact.endgame(game, exact.place(game, ["33S", "4QB"]))
        >>> found.value, [(play.text, play.low) for play in found.plays]
        (1.0, [('33', 1.0), ('3', -1.0), ('S', -1.0)])
    """
    means = _means_of(game)
    game, paid = game.flat, paying(game)
    if game.simultaneous:
        raise InputError(f"players of {game.name} act at the same time: there is no line to search")
    if game.over(state):
        raise InputError("the game is over")
    if teams is None:
        sides = teams_of(game, state)
    else:
        sides = tuple(integers("teams", teams, game.num_players, "seat").tolist())
    policy = means.policy if means else Uniform()
    with np.errstate(over="ignore"):  # without the compiler, hashes overflow with a warning
        searching = _Search(paid, policy, state, sides, seconds, memory)
        plays = searching.values(state)
        line = searching.line(state, plays[0])
    spent = time.monotonic() - searching.start
    return Endgame(searching.player, tuple(plays), line, spent, searching.positions)


def paying(game: Game) -> Game:
    """Return the game whose payoffs a search maximises, with states and actions of `game.flat`."""
    means = _means_of(game)
    return means.game(game.flat) if means else game.flat


def teams_of(game: Game, state: State) -> tuple[int, ...]:
    """Return the team of each seat: its side, unless teams form during the game."""
    means = _means_of(game)
    return tuple(means.teams(game, state) if means and means.teams else game.sides)


def _means_of(game: Game) -> Endgames | None:
    spec = GAMES.get(game.name)
    return None if spec is None or spec.endgames is None else load(spec.endgames)


class _Table(NamedTuple):
    """Decided positions, and the numbers that their searches record."""

    places: Ids  # uint64 [size, 2], see `alpha_beta.search`
    seen: Floats  # float64 [4], see `alpha_beta.LEAST`


class _Search:
    """The searches of one position, and their limits."""

    def __init__(
        self,
        game: Game,
        policy: Policy,
        state: State,
        sides: Sequence[int],
        seconds: float,
        memory: int,
    ) -> None:
        self.game = game
        self.policy = with_distinct_name(policy)
        self.player = int(state["player"])
        own = sides[self.player]
        self.friends = sum(1 << seat for seat, side in enumerate(sides) if side == own)
        self.memory = memory
        self.positions = 0
        levels = min(game.max_moves, DEEPEST) + 1
        self.states = game.empty(levels)
        self.actions = np.empty((levels, game.num_actions), np.int32)
        self.keys = np.zeros((levels, 2), np.uint64)
        self.tables: dict[float, _Table] = {}
        _, second = position_key(self.policy, game.rules, state)
        # Size of a new table; 0, no table, if the policy has no keys or memory is short.
        self.smallest = SMALLEST if second and memory >= SMALLEST * PLACE else 0
        # Kernels are compiled or loaded before the clock starts.
        self.states[0] = state
        nothing = _Table(np.zeros((self.smallest, 2), np.uint64), np.zeros(4))
        self.ask(np.zeros((3, levels), np.int64), 0.0, 0, nothing)
        outcome(0.0, 0.0, nothing.seen)
        self.after(state, int(game.legal(state)[0]))
        worthwhile(self.policy, game.rules, state, self.actions[0])
        self.start = time.monotonic()
        self.end = self.start + seconds

    def after(self, state: State, action: int) -> State:
        child = state.copy()
        self.game.play(child, action)
        return child

    def table_of(self, least: float) -> _Table:
        """Return the table for a bound `least`; before a third one is made, discard both others."""
        if least not in self.tables:
            if len(self.tables) > 1:
                self.tables.clear()
            seen = np.array([np.inf, -np.inf, 0.0, 0.0])
            self.tables[least] = _Table(np.zeros((self.smallest, 2), np.uint64), seen)
        return self.tables[least]

    def grow(self, least: float) -> _Table:
        """Return the table for `least`; if half full, try to enlarge it, even in others' place."""
        table = self.tables[least]
        size = 4 * len(table.places)
        if 2 * table.seen[KEPT] < len(table.places) or not size:
            return table
        others = sum(len(each.places) for each in self.tables.values()) * PLACE
        if others + size * PLACE > self.memory:
            if len(self.tables) == 1 or (size + len(table.places)) * PLACE > self.memory:
                return table
            self.tables = {least: table}
        try:
            larger = np.zeros((size, 2), np.uint64)
        except MemoryError:  # the limit is above what the machine has
            return table
        copy_table(table.places, larger)
        self.tables[least] = _Table(larger, table.seen)
        return self.tables[least]

    def decide(self, state: State, least: float) -> int:
        """Decide whether the player forces `least` or more in a state: `WON`, `LOST`, `UNKNOWN`."""
        table = self.table_of(least)
        self.states[0] = state
        stack = np.zeros((3, len(self.states)), np.int64)
        while time.monotonic() < self.end:
            check()
            value = self.ask(stack, least, SLICE, table)
            if value != UNKNOWN or stack[DEPTH, 0] + 1 == len(self.states):
                return value
            table = self.grow(least)
        return UNKNOWN

    def ask(self, stack: Ids, least: float, nodes: int, table: _Table) -> int:
        """Continue a search for at most `nodes` positions; its root may be the end of a game."""
        payoff = contract.payoff(self.game.rules, self.states[0], self.player)
        if not np.isnan(payoff):
            return outcome(payoff, least, table.seen)
        before = table.seen[VISITED]
        value, _ = search(
            self.policy, self.game.rules, self.states, self.actions, stack, self.player,
            self.friends, least, nodes, table.places, self.keys, table.seen,
        )  # fmt: skip
        self.positions += int(table.seen[VISITED] - before)
        return int(value)

    def seen(self, least: float, number: int) -> float:
        """Return entry `number` of a bound's `seen`; NaN: no table, or `grow` discarded it."""
        return self.tables[least].seen[number] if least in self.tables else math.nan

    def keeps(self, state: State, value: float, answer: int) -> bool:
        """Return whether the player provably forces `value` (`WON`) or gets no more (`LOST`)."""
        # A search with the bound `own` answers this. The comments are for `WON`; for `LOST`, `sign`
        # reverses all comparisons. No search is needed if `value` is `end`, the limit of payoffs.
        low, high = self.game.payoff_range
        sign, end, own, number = 1, low, value, LEAST
        if answer == LOST:  # nothing above it can be forced
            sign, end, own, number = -1, high, float(np.nextafter(value, np.inf)), GREATEST
        if sign * value <= sign * end:
            return True
        # First try the other bounds, whose tables are filled. A lower one answers too if its least
        # payoff that counted as won, entry `number` of `seen`, reaches `value`.
        for least in [*self.tables, own]:
            answers = sign * self.seen(least, number) >= sign * value
            if sign * least > sign * own or (least != own and not answers):
                continue
            if self.decide(state, least) != answer:
                return False
            if sign * self.seen(least, number) >= sign * value:
                return True
        return False

    def line(self, state: State, best: Play) -> tuple[tuple[int, str], ...]:
        """Return `best`, then, if its payoff is known, perfect play of all while there is time."""
        line = [(self.player, best.text)]
        state = self.after(state, best.action)
        ids = np.empty(self.game.num_actions, np.int32)
        while best.low == best.high and not self.game.over(state):
            answer = WON if self.friends >> int(state["player"]) & 1 else LOST
            number = worthwhile(self.policy, self.game.rules, state, ids)
            for action in ids[:number].tolist():
                child = self.after(state, action)
                if number == 1 or self.keeps(child, best.low, answer):
                    line.append((int(state["player"]), self.game.text(action, state)))
                    state = child
                    break
            else:
                break
        return tuple(line)

    def values(self, state: State) -> list[Play]:
        """Find the payoffs of all legal plays; the best come first."""
        ids = np.empty(self.game.num_actions, np.int32)
        listed = ids[: worthwhile(self.policy, self.game.rules, state, ids)].tolist()
        legal = self.game.legal(state).tolist()
        order = [*listed, *(action for action in legal if action not in listed)]
        children = [self.after(state, action) for action in order]
        bounds = [list(self.game.payoff_range) for _ in order]
        open_plays = set(range(len(order)))
        while open_plays:
            first = min(open_plays)
            low, high = bounds[first]
            middle = (low + high) / 2
            least = middle if middle > low else high  # neighbouring floats have no middle
            asked = [i for i in sorted(open_plays) if bounds[i][0] < least <= bounds[i][1]]
            for i in asked:
                found = self.decide(children[i], least)
                if found == UNKNOWN:
                    open_plays.discard(i)
                elif found == WON:
                    bounds[i][0] = max(bounds[i][0], self.seen(least, LEAST))
                else:
                    bounds[i][1] = min(bounds[i][1], self.seen(least, GREATEST))
                if bounds[i][0] >= bounds[i][1]:
                    open_plays.discard(i)
        plays = [
            Play(action, self.game.text(action, state), float(low), float(high))
            for action, (low, high) in zip(order, bounds, strict=True)
        ]
        return sorted(plays, key=lambda play: (-play.low, -play.high))
