"""`Game`: the interface of one game under one set of rules."""

import math
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from itertools import accumulate, chain, islice, pairwise
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from closedhand.core import contract, state_kernels, validity
from closedhand.core.checks import (
    INTEGERS as INTEGERS,
    InputError as InputError,
    check_text,
    generator,
    id_or_illegal,
    shown as shown,
    whole_number,
)
from closedhand.core.display import Part, Row, board
from closedhand.core.features import FeatureTable
from closedhand.core.numba.fast_call import Crossing
from closedhand.core.numba.jit import State, draw_seed, with_distinct_name
from closedhand.core.status import ILLEGAL
from closedhand.core.text import showable

MAGIC = b"clhd"
HEADER = struct.Struct("<4sHH")
"""Header of a saved state: `MAGIC`, number of its layout, and `Game._mark`."""


class Knowledge(NamedTuple):
    """The knowledge of a player at a real table: the arguments of `Game.view_from`.

    Attributes:
        hand: Cards that the player holds now, in the game's notation.
        actions: Actions since the last deal, in order: texts, or flat ids, negative if unseen.
        public: Further facts that the player knows, by name (`Game.facts`).
    """

    hand: str
    actions: list[int | str]
    public: dict[str, Any]


class Deal(NamedTuple):
    """One of all deals of a game: its initial state and its probability."""

    state: State
    probability: float


class Notation(Protocol):
    """Notation of a game's actions, deals and tables; see the methods of `Game` of these names.

    Three members are optional: `cards_of(action, state)`, see `Game.cards`; `parts_of(state)`, see
    `Game.parts`; and `explanations`, see `closedhand.core.explanations`.
    """

    def text(self, action: int, state: State | None = None) -> str:
        """Write the text of an action."""
        ...

    def parse(self, text: str, state: State | None = None) -> int:
        """Parse the text of an action to its id; raise an `InputError` for any other text."""
        ...

    def deal_text(self, state: State) -> str:
        """Write the deal that a state started from."""
        ...

    def parse_deal(self, text: str) -> State:
        """Parse a deal to the state at its start; raise an `InputError` for any other text."""
        ...

    def scene(self, state: State) -> list[Row]:
        """Return the table as rows of cards."""
        ...


@dataclass(frozen=True, eq=False)
class Game:
    """The rules of a game, bound to a preset and its options.

    States are records of `dtype`; methods keep no reference to them. To work on many states at
    once, use `closedhand.core.batch`, or write a kernel that calls the functions of
    `closedhand.core.contract` with `game.rules`.

    All methods raise an `InputError` if an argument is not what its name says: a state, seat or
    action of the game, a text, a generator. Only `valid`, `load` and `redeal` check whether the
    rules allow a state: the check takes longer than the other methods.

    Attributes:
        name: Name for `make_game`.
        options: All options of `make_game`, with defaults; `rules`, if any, is a preset's name.
        rules: Tables and options for kernels, a NamedTuple.
        dtype: Data type of a state. Every state has the fields `player`, the seat to act; `moves`,
            the number of actions of `flat` since the last deal; and `history`, their ids, in order
            unless `simultaneous`, negative where a view hides them.
        num_players: Number of seats, up to `contract.MAX_PLAYERS`.
        num_actions: Number of actions; ids are `0 <= id < num_actions`.
        shapes: Name and shape of each part of an observation (int8), in order.
        roles: Role that each seat plays; seats of one side may share a name.
        sides: Side that each seat plays for; seats of one side win and lose together.
        notation: Texts of actions and deals, and rows of tables.
        payoff_range: Least and greatest payoff that a player can get.
        max_moves: Maximum number of actions in a game, or in one deal if redeals have no limit.
        payoff_sum: Sum of the payoffs of all players at the end of every game; None: it varies.
        simultaneous: Whether the players act at the same time. A copy of a state with `player` set
            to another player who has not acted yet is then the position of that player.
        lenient: Whether an illegal action counts as another, such as a pass; else it is refused.
        staged: Whether payoffs are paid in stages: `returns` accumulates during the game, and
            rewards are its increments. Otherwise everything is paid at the end.
        rounds: Number of rounds of an episode; only staged games have more than one.
        unit: Unit of payoffs, in the plural, for titles.
        layout: Number of the layout of saved states.
        feature_table: Table of the compact observation; None: it is the same as the observation.
        flat_form: The game with whole plays as actions; None: actions of this game are whole plays.
        substep_options: Options that turn this game into one in sub-steps; empty if there are none.
    """

    name: str
    options: Mapping[str, Any]
    rules: Any = field(repr=False)
    dtype: np.dtype = field(repr=False)
    num_players: int
    num_actions: int
    shapes: Mapping[str, tuple[int, ...]]
    roles: tuple[str, ...]
    sides: tuple[int, ...]
    notation: Notation = field(repr=False)
    payoff_range: tuple[float, float]
    max_moves: int
    payoff_sum: float | None = 0.0
    simultaneous: bool = False
    lenient: bool = False
    staged: bool = False
    rounds: int = 1
    unit: str = "points"
    layout: int = 1
    feature_table: FeatureTable | None = field(default=None, repr=False)
    flat_form: "Game | None" = field(default=None, repr=False)
    substep_options: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    def __post_init__(self) -> None:
        with_distinct_name(self.rules)
        if not 1 <= self.num_players <= contract.MAX_PLAYERS:
            raise InputError(
                f"{self.name} has {self.num_players} players, not 1 to {contract.MAX_PLAYERS}"
            )
        for name in ("player", "moves", "history"):
            if name not in (self.dtype.names or ()):
                raise InputError(f"states of {self.name} lack the field {name!r}")

    def __copy__(self) -> Self:
        return self  # it never changes

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    @property
    def flat(self) -> "Game":
        """The game whose actions are whole plays: `flat_form`, or else this game."""
        return self.flat_form or self

    @property
    def zero_sum(self) -> bool:
        """Whether the payoffs of every game add up to 0."""
        return self.payoff_sum == 0

    @cached_property
    def observation_size(self) -> int:
        """Number of entries in an observation, over all parts."""
        return sum(math.prod(shape) for shape in self.shapes.values())

    @property
    def can_lose(self) -> bool:
        """Whether some payoff is below 0; a win rate means nothing in a game without losses."""
        return self.payoff_range[0] < 0

    @property
    def is_win_or_loss(self) -> bool:
        """Whether payoffs go from -1 to 1, so that a mean payoff m is a win rate of (1 + m) / 2."""
        return self.payoff_range == (-1.0, 1.0)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the numbers of the compact observation, in order."""
        if self.feature_table is not None:
            return self.feature_table.names
        return tuple(
            f"{name} {', '.join(map(str, place))}"
            for name, shape in self.shapes.items()
            for place in np.ndindex(*shape)
        )

    @cached_property
    def feature_size(self) -> int:
        """Number of entries in a compact observation."""
        return self.observation_size if self.feature_table is None else len(self.feature_table)

    @cached_property
    def _layout(self) -> list[tuple[str, slice, tuple[int, ...]]]:
        """Name of each part, its slice of a whole observation, and its shape."""
        ends = accumulate(map(math.prod, self.shapes.values()), initial=0)
        places = (slice(start, end) for start, end in pairwise(ends))
        return list(zip(self.shapes, places, self.shapes.values(), strict=True))

    def empty(self, number: int) -> np.ndarray:
        """Create a batch of blank states, an array of `dtype` [number]."""
        return np.zeros(whole_number(number, "a number of states", 0), self.dtype)

    def deal(self, rng: np.random.Generator) -> State:
        """Deal a new game, shuffled with `rng`."""
        state = self.empty(1)[0]
        self._crossing(state_kernels.deal, state, draw_seed(generator(rng)))
        return state

    def deals(self) -> Iterator[Deal]:
        """Iterate over all deals of the game with their probabilities.

        Deals that no player can ever distinguish may be merged.

        Raises:
            InputError: The game does not list its deals, or not under these rules.
        """
        function, rules = contract.plain_function(self.rules, "deals")
        if function is None:
            raise InputError(f"{self.name} does not list its deals: its module has no deals(rules)")
        deals: Iterator[tuple[State, Any]] = iter(function(rules))
        # A generator raises its error at its first deal: draw that one in this call.
        first: list[tuple[State, Any]] = list(islice(deals, 1))
        return (Deal(state, float(share)) for state, share in chain(first, deals))

    def legal(self, state: State) -> NDArray[np.int32]:
        """Return the legal action ids of `state.player`, ascending; the game must not be over."""
        self._check(state)
        out = np.empty(self.num_actions, np.int32)
        return out[: self._crossing(state_kernels.legal, state, out)].copy()

    def play(self, state: State, action: int) -> None:
        """Apply an action to `state`.

        Raises:
            InputError: The game is over, the action is refused, or the state is read-only.
        """
        self._check(state)
        if not state.flags.writeable:
            raise InputError("this state cannot be changed: play in a copy of it")
        number = id_or_illegal(whole_number(action), self.num_actions)
        ids = np.empty(self.num_actions, np.int32)
        if self._crossing(state_kernels.play, state, number, ids) == ILLEGAL:
            over = self.over(state)
            why = "the game is over" if over else explain_illegal(self, state, whole_number(action))
            raise InputError(why)

    def sample(self, rng: np.random.Generator, state: State) -> int:
        """Draw a uniformly random legal action of `state.player`; refuse a game that is over."""
        if self.over(state):
            raise InputError("the game is over")
        return int(generator(rng).choice(self.legal(state)))

    def playout(self, state: State, rng: np.random.Generator) -> State:
        """Play a copy of `state` to its end with uniformly random actions; return the end."""
        self._check(state)
        end = state.copy()
        ids = np.empty(self.num_actions, np.int32)
        contract.random_playout(self.rules, end, generator(rng), ids)
        return end

    def text(self, action: int, state: State | None = None) -> str:
        """Write an action; given a state, in the shorter notation for `state.player`, if any."""
        number = whole_number(action)
        if not 0 <= number < self.num_actions:
            last = self.num_actions - 1
            raise InputError(f"{self.name} has no action {shown(action)}: actions are 0 to {last}")
        if state is not None:
            self._check(state)
        return self.notation.text(number, state)

    def parse(self, text: str, state: State | None = None) -> int:
        """Parse an action's text to its id; given a state, also a text that is valid only there."""
        if state is not None:
            self._check(state)
        return self.notation.parse(check_text(text, "an action"), state)

    def deal_text(self, state: State) -> str:
        """Write the text of the last deal before a state, which may be at any point of a game."""
        self._check(state)
        return self.notation.deal_text(state)

    def parse_deal(self, text: str) -> State:
        """Parse a deal to the state at its start."""
        return self.notation.parse_deal(check_text(text, "a deal"))

    def scene(self, state: State) -> list[Row]:
        """Return the table as rows of cards; hidden cards of a view are face down."""
        self._check(state)
        return self.notation.scene(state)

    def cards(self, action: int, state: State) -> tuple[str, ...]:
        """List the cards that an action of `state.player` takes from the hand, as in the scene.

        People choose actions by these cards. Without `cards_of` in the notation there are none.
        """
        self.text(action, state)
        cards_of = getattr(self.notation, "cards_of", None)
        return () if cards_of is None else tuple(cards_of(int(action), state))

    def parts(self, state: State) -> tuple[Part, ...]:
        """List the parts into which the player to act sorts the hand; empty in most games.

        If the notation has `parts_of(state)`, people place cards instead of choosing an action.
        """
        self._check(state)
        parts_of = getattr(self.notation, "parts_of", None)
        return () if parts_of is None else tuple(parts_of(state))

    def board(self, state: State) -> str:
        """Write the table as text."""
        return board(self.scene(state))

    def show(self, state: State) -> None:
        """Print the table."""
        print(showable(self.board(state), sys.stdout))

    def history(self, state: State) -> NDArray[np.int64]:
        """Return the actions since the last deal: flat ids, int64 [moves]; negative if hidden."""
        self._check(state)
        return state["history"][: state["moves"]].astype(np.int64)

    def over(self, state: State) -> bool:
        """Return whether the game has ended."""
        self._check(state)
        return bool(self._crossing(state_kernels.over, state))

    def returns(self, state: State) -> NDArray[np.float64]:
        """Return the payoffs by player, float64 [num_players]; zeros before they are paid.

        `state` is a full state: the payoffs may depend on cards that a view hides.
        """
        self._check(state)
        out = np.zeros(self.num_players)
        if self.staged or self.over(state):
            self._crossing(state_kernels.returns, state, out)
        return out

    def view(self, state: State, player: int) -> State:
        """Copy `state`, and blank everything that `player` cannot know."""
        self._check(state)
        view = state.copy()
        self._crossing(state_kernels.hide, view, self.seat(player))
        return view

    def key(self, state: State, player: int) -> bytes:
        """Return a key of the information set of `player`: equal bytes for equal knowledge."""
        return self.view(state, player).tobytes()

    def view_from(
        self, player: int, hand: str, actions: Iterable[int | str] = (), **public: Any
    ) -> State:
        """Build a view from the knowledge of a player at a real table.

        `hand`, `actions` and `public` are as in `Knowledge`; `?` also stands for an action that the
        player has not seen. `view_from` in the game's module explains the facts in `public`.

        Raises:
            InputError: No such player or fact, inconsistent facts, or the game builds no views.
        """
        build = self._table_function("view_from")
        player = self.seat(player)
        self.check_facts(public)
        return build(self, player, hand, actions, **public)

    @property
    def facts(self) -> tuple[str, ...]:
        """Names of the facts that `view_from` takes besides hand and actions."""
        build, _ = contract.plain_function(self.rules, "view_from")
        parameters = signature(build).parameters.values() if build else ()
        return tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)

    def check_facts(self, names: Iterable[str]) -> None:
        """Refuse a name that is not one of `facts`."""
        build, _ = contract.plain_function(self.rules, "view_from")
        for name in names:
            if name not in self.facts:
                if build and name in signature(build).parameters:
                    raise InputError(f"{name!r} of view_from of {self.name} is no fact: facts are "
                                     "keyword-only parameters, written after `*`")  # fmt: skip
                known = ", ".join(self.facts) or "none"
                raise InputError(f"view_from of {self.name} takes no {name!r}; it takes {known}")

    def knowledge(self, state: State, player: int) -> Knowledge:
        """Return the knowledge of a player: the arguments of `view_from` for the player's view.

        The state is a full one, or a view of the player.

        Raises:
            InputError: No such player, the game builds no views, or a play in sub-steps has begun.
        """
        knowledge = self._table_function("knowledge")
        return Knowledge(*knowledge(self, self.view(state, player), self.seat(player)))

    def _table_function(self, name: str) -> Any:
        function, _ = contract.plain_function(self.rules, name)
        if function is None:
            raise InputError(f"{self.name} builds no views from what a player knows")
        return function

    def redeal(self, view: State, player: int, rng: np.random.Generator) -> State:
        """Draw a determinisation: a random full state consistent with the view of `player`."""
        self._check(view)
        seat, rng = self.seat(player), generator(rng)
        # The kernel trusts the view: with a wrong one it would write out of bounds.
        known = seat, view.tobytes()
        if self._redealt.get("view") != known:
            if wrong := self.valid(view, seat):
                raise InputError(f"that is no view of {self.name}'s player {seat}: {wrong}")
            self._redealt["view"] = known
        state = view.copy()
        self._crossing(state_kernels.redeal, state, seat, rng)
        return state

    @cached_property
    def _redealt(self) -> dict[str, tuple[int, bytes]]:
        """The last view that `redeal` has checked, since a search redeals the same one often."""
        return {}

    def observe(self, state: State, player: int) -> dict[str, np.ndarray]:
        """Return the observation of `player`: an int8 array for each part of `shapes`, by name."""
        self._check(state)
        out = np.empty(self.observation_size, np.int8)
        self._crossing(state_kernels.look, state, self.seat(player), False, out)
        return self.split(out)

    def features(self, state: State, player: int) -> NDArray[np.int8]:
        """Return the compact observation of `player`, int8 [feature_size]; see `feature_names`."""
        self._check(state)
        out = np.empty(self.feature_size, np.int8)
        self._crossing(state_kernels.look, state, self.seat(player), True, out)
        return out

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Cut flat observations, int8 [..., observation_size], into parts by name; copy nothing."""
        is_array = isinstance(observation, np.ndarray)  # pyright: ignore[reportUnnecessaryIsInstance]
        if not is_array or observation.shape[-1:] != (self.observation_size,):
            raise InputError(f"an observation of {self.name} has {self.observation_size} entries")
        batch, dtype = observation.shape[:-1], observation.dtype
        if observation.strides == (1,):  # one observation, as in each step of an env: faster
            return {
                name: np.ndarray(shape, dtype, observation, where.start)
                for name, where, shape in self._layout
            }
        return {
            name: observation[..., where].reshape(batch + shape)
            for name, where, shape in self._layout
        }

    def seat(self, player: Any, name: str = "player") -> int:
        """Return the number of a seat; refuse any other object. `name` is for the message."""
        number = whole_number(player, f"{name} is a seat, which")
        if not 0 <= number < self.num_players:
            raise InputError(f"{name} is a seat of {self.name}, 0 to {self.num_players - 1}, not "
                             f"{shown(player)}")  # fmt: skip
        return number

    @cached_property
    def _crossing(self) -> Crossing:
        return Crossing(self.rules, self.dtype)

    def _check(self, state: Any) -> None:
        if not isinstance(state, np.record) or state.dtype != self.dtype:
            raise InputError(f"{shown(state)} is not a state of {self.name}")

    def valid(self, state: Any, player: int | None = None) -> str:
        """Return the reason why the rules do not allow a state; an empty text if they allow it.

        `state`, any object, must be a full state or, given a `player`, a view of this player. An
        allowed state is safe for every kernel. The default check is `validity.generic`.
        """
        seat = None if player is None else self.seat(player)
        if getattr(state, "dtype", None) != self.dtype or np.ndim(state) != 0:
            return f"it is not a record of {self.name}"
        record = self.empty(1)
        record[0] = state
        own, rules = contract.plain_function(self.rules, "valid")
        if own is not None:
            return own(rules, record[0], seat)
        return validity.generic(self, record[0], seat)

    def save(self, state: State) -> bytes:
        """Return the bytes of a state or view, for `load`: `HEADER`, then the record."""
        self._check(state)
        return HEADER.pack(MAGIC, self.layout, self._mark) + state.tobytes()

    @property
    def _mark(self) -> int:
        """16 bits that distinguish the game from others, whose states may have the same fields."""
        return zlib.crc32(self.name.encode()) % 65_535 + 1

    def load(self, data: bytes, player: int | None = None) -> State:
        """Restore a state, or the view of `player`, from the bytes of `save`.

        Raises:
            InputError: No such player, another layout, or bytes of no valid state of this game.
        """
        if not isinstance(data, bytes | bytearray):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"a state is loaded from bytes, not from {shown(data)}")
        size = self.dtype.itemsize
        if len(data) < HEADER.size or data[: len(MAGIC)] != MAGIC:
            raise InputError(f"{len(data)} bytes are not a state of {self.name}: it takes "
                             f"{HEADER.size + size}")  # fmt: skip
        (_, layout, mark), data = HEADER.unpack_from(data), data[HEADER.size :]
        if mark != self._mark:
            raise InputError(f"the state is one of another game, not of {self.name}")
        if layout != self.layout:
            raise InputError(f"the state has layout {layout}, but {self.name} has "
                             f"layout {self.layout}")  # fmt: skip
        if len(data) != size:
            raise InputError(f"{len(data)} bytes after the header are not a state of {self.name}: "
                             f"it takes {size}")  # fmt: skip
        state = np.frombuffer(bytearray(data), self.dtype)[0]
        reason = self.valid(state, player)
        if reason:
            raise InputError(f"not a valid state of {self.name}: {reason}")
        return state


def explain_illegal(game: Game, state: State, action: int) -> str:
    """Explain in one line that an action is not legal now, or that a number is no action id."""
    if not 0 <= action < game.num_actions:
        return f"action {shown(action)} is not one of the {game.num_actions} actions of {game.name}"
    text = game.text(action, state)
    return f"action {action} ({text}) is not legal for player_{state['player']} now"
