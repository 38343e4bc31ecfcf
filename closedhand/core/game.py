"""`Game`: one game under one set of rules, as everything above the games sees it."""

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract, validity
from closedhand.core.kernel import draw_seed

State = np.record
"""One NumPy structured record. A batch is an array of them, `state.copy()` is a clone."""


class InputError(ValueError):
    """What the user gave cannot be used; the message is one line that says why."""


BLANK = " "
"""In place of a card in a `Row`: a gap."""


MAGIC = b"clhd"
HEADER = struct.Struct("<4sI")
"""Before a saved state: `MAGIC`, and the version of its layout."""


class Row(NamedTuple):
    """A line of cards in a picture of the table: a seat, or cards that lie in the middle.

    Attributes:
        label: Whose cards they are.
        cards: Text of each card; an empty text is a card seen from behind, `BLANK` none at all.
        note: What else there is to say.
        active: Whether this seat is to act.
    """

    label: str
    cards: tuple[str, ...]
    note: str = ""
    active: bool = False


@dataclass(frozen=True, eq=False)
class Game:
    """The rules of a game, bound to a preset and its options.

    States are records of `dtype`; functions that take one never keep it. For work on many states
    at once, call the functions of `closedhand.core.contract` in a kernel with `game.rules`.

    Attributes:
        name: Name for `make_game`.
        options: All options of `make_game`, defaults included.
        rules: Tables and options for kernels, a NamedTuple.
        dtype: Of a state. Every state has a field `player`, the seat to act.
        num_players: Seats.
        num_actions: Action ids are `0 <= id < num_actions`.
        shapes: Name and shape of each part of an observation (int8), in order.
        roles: What each seat plays as; seats of one side may share a name.
        sides: The side that each seat plays for; seats of one side win and lose together.
        text: Notation of an action id.
        parse: Action id of a notation. Raises `InputError` where it is none.
        say: Notation of an action id at a position, if it is not that of `text`.
        read: Action id of a notation at a position, that of `say` or of `text`.
        simultaneous: Whether the players act at the same time: a copy of a state in which `player`
            is somebody else who has not acted yet is the position as he finds it.
        lenient: Whether actions that are not legal count as a pass; otherwise they are refused.
        staged: Whether payoffs are paid in stages: `returns` grows during the game, and rewards are
            its growth. Otherwise everything is paid at the end.
        deal_text: Notation of the deal that a state, at any point of the game, started from.
        parse_deal: A state at the start of a deal. Raises `InputError`.
        scene: The table as rows of cards; hidden cards of a view are seen from behind.
        layout: Version of `dtype`, which saved states carry.
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
    text: Callable[[int], str] = field(repr=False)
    parse: Callable[[str], int] = field(repr=False)
    deal_text: Callable[[State], str] = field(repr=False)
    parse_deal: Callable[[str], State] = field(repr=False)
    scene: Callable[[State], list[Row]] = field(repr=False)
    say: Callable[[State, int], str] | None = field(default=None, repr=False)
    read: Callable[[State, str], int] | None = field(default=None, repr=False)
    simultaneous: bool = False
    lenient: bool = False
    staged: bool = False
    layout: int = 1

    def __reduce__(self) -> tuple[Any, ...]:
        from closedhand.core.registry import make_game

        return _remake, (make_game, self.name, dict(self.options))

    @cached_property
    def observation_size(self) -> int:
        """Numbers in an observation, all parts together."""
        return sum(math.prod(shape) for shape in self.shapes.values())

    @cached_property
    def _layout(self) -> list[tuple[str, slice, tuple[int, ...]]]:
        """Name, place in a flat observation and shape of each part."""
        layout, start = [], 0
        for name, shape in self.shapes.items():
            end = start + math.prod(shape)
            layout.append((name, slice(start, end), shape))
            start = end
        return layout

    def empty(self, number: int) -> np.ndarray:
        """A batch of blank states, an array of `dtype` [number], to be dealt or copied into."""
        return np.zeros(number, self.dtype)

    def deal(self, rng: np.random.Generator) -> State:
        """A new game, shuffled with `rng`."""
        state = self.empty(1)[0]
        contract.deal(self.rules, state, draw_seed(rng))
        return state

    def legal(self, state: State) -> np.ndarray:
        """The ids of the legal actions of `state.player`, ascending, int32."""
        out = np.empty(self.num_actions, np.int32)
        return out[: contract.legal(self.rules, state, out)].copy()

    def play(self, state: State, action: int) -> None:
        """Apply an action to `state`.

        Raises:
            InputError: The game is over, or the action is not legal now and does not count as a
                pass either.
        """
        if self.over(state):
            raise InputError("the game is over")
        ids = np.empty(self.num_actions, np.int32)
        admitted = contract.admit(self.rules, state, action, ids)
        if admitted < 0:
            known = 0 <= action < self.num_actions
            name = self.text_at(state, action) if known else "no action at all"
            raise InputError(f"action {action} ({name}) is not legal for player_{state.player}")
        contract.play(self.rules, state, admitted)

    def text_at(self, state: State, action: int) -> str:
        """Notation of an action id of `state.player`, in his cards where the game does that."""
        return self.say(state, action) if self.say else self.text(action)

    def parse_at(self, state: State, text: str) -> int:
        """Action id of a notation for `state.player`: that of `text_at` or of `text`.

        Raises:
            InputError: It is no action.
        """
        return self.read(state, text) if self.read else self.parse(text)

    def over(self, state: State) -> bool:
        """Whether the game has ended."""
        return bool(contract.over(self.rules, state))

    def returns(self, state: State) -> np.ndarray:
        """The payoffs by player, float64 [num_players]; before they are paid, zeros."""
        out = np.zeros(self.num_players)
        if self.staged or self.over(state):
            contract.returns(self.rules, state, out)
        return out

    def view(self, state: State, player: int) -> State:
        """A copy of `state` with everything blanked that `player` cannot know.

        Raises:
            InputError: There is no such player.
        """
        view = state.copy()
        contract.hide(self.rules, view, self._seat(player))
        return view

    def redeal(self, view: State, player: int, rng: np.random.Generator) -> State:
        """A random full state that is consistent with what `player` knows (determinisation).

        Raises:
            InputError: There is no such player.
        """
        state = view.copy()
        contract.redeal(self.rules, state, self._seat(player), rng)
        return state

    def observe(self, state: State, player: int) -> dict[str, np.ndarray]:
        """The observation of `player`: a new int8 array for each part of `shapes`.

        Raises:
            InputError: There is no such player.
        """
        out = np.empty(self.observation_size, np.int8)
        contract.observe(self.rules, state, self._seat(player), out)
        return self.split(out)

    def split(self, observation: np.ndarray) -> dict[str, np.ndarray]:
        """Cut flat observations, int8 [..., observation_size], into views by part."""
        lead = observation.shape[:-1]
        return {
            name: observation[..., where].reshape(*lead, *shape)
            for name, where, shape in self._layout
        }

    def _seat(self, player: int) -> int:
        """The number of a player, if there is such a one.

        Raises:
            InputError: There is not.
        """
        if not isinstance(player, int | np.integer) or not 0 <= player < self.num_players:
            raise InputError(f"{player!r} is no player of {self.name}: those are 0 to "
                             f"{self.num_players - 1}")  # fmt: skip
        return int(player)

    def valid(self, state: Any, player: int | None = None) -> str:
        """Why a state is not one that the rules allow, one line; an empty text if it is one.

        What passes is safe for every kernel. The state itself may be anything. A game that defines
        no `valid` is checked as `validity.generic` says.

        Args:
            state: A full state, or a view.
            player: Whose view it is; None of a full state.

        Raises:
            InputError: There is no such player.
        """
        return validity.reason(self, state, None if player is None else self._seat(player))

    def save(self, state: State) -> bytes:
        """The bytes of a state, for `load`: `HEADER`, then the record."""
        return HEADER.pack(MAGIC, self.layout) + state.tobytes()

    def load(self, data: bytes, player: int | None = None) -> State:
        """The state that `save` turned into bytes.

        Args:
            data: The bytes; those of a record alone, as version 0.1.0 wrote them, are of layout 1.
            player: Whose view it is; None of a full state.

        Raises:
            InputError: The bytes are not of a state of this game that the rules allow, or of
                another layout; or there is no such player.
        """
        size, layout = self.dtype.itemsize, 1
        if len(data) != size:
            if len(data) < HEADER.size or data[: len(MAGIC)] != MAGIC:
                raise InputError(f"{len(data)} bytes are no state of {self.name}: that takes "
                                 f"{HEADER.size + size}")  # fmt: skip
            layout, data = HEADER.unpack_from(data)[1], data[HEADER.size :]
        if layout != self.layout:
            raise InputError(f"the state is of layout {layout}, and {self.name} is of "
                             f"layout {self.layout}")  # fmt: skip
        if len(data) != size:
            raise InputError(f"{len(data)} bytes behind the header are no state of {self.name}: "
                             f"that takes {size}")  # fmt: skip
        state = np.frombuffer(bytearray(data), self.dtype)[0]
        reason = self.valid(state, player)
        if reason:
            raise InputError(f"no state of {self.name}: {reason}")
        return state


def _remake(make: Callable[..., Game], name: str, options: dict[str, Any]) -> Game:
    return make(name, **options)


def options_of(
    game: str, presets: Mapping[str, Any], defaults: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """All options of a game: the defaults, what the preset changes of them, and what is given.

    Args:
        game: Name of the game, for messages.
        presets: What each preset changes, by name.
        defaults: Every option and its default; `rules` names the preset.
        given: What the user asks for.

    Raises:
        InputError: An unknown preset or option.
    """
    for name in given:
        if name not in defaults:
            raise InputError(f"{game} has no option {name!r}; it has {', '.join(defaults)}")
    preset = given.get("rules", defaults["rules"])
    if preset not in presets:
        raise InputError(f"{game} has no rules {preset!r}; it has {', '.join(presets)}")
    return {**defaults, **presets[preset], **given}


def explain_illegal(game: Game, state: State, action: int) -> str:
    """One line that says which action is illegal for whom."""
    if not 0 <= action < game.num_actions:
        return f"action {action} is none of the {game.num_actions} actions of {game.name}"
    text = game.text_at(state, action)
    return f"action {action} ({text}) is not legal for player_{state['player']} now"
