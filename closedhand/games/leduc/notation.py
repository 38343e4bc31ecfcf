"""The notation of the Leduc family: actions, deals, game records, and the states of the slides.

An action is `fold`, `check`, `call` or `raise`. A deal is three cards, `SK;HQ;SA`: S's card, T's
card and the flop. A record is a deal followed by all actions, such as
`SK;HQ;SA;check raise call raise raise call`.

The course slides write what a player knows as `(s1,1,4,SK,*)`: S is to act in phase 1, the bets are
1 and 4, the card of S is SK, and the flop is not revealed. An end is `WL7`, a showdown at 7, or
`PS4`: S wins 4 because T folded.
"""

import re
from typing import NamedTuple

import numpy as np

from closedhand.core.display import Row
from closedhand.core.game import Game, InputError, State
from closedhand.core.records import Record, stated_options
from closedhand.games.leduc.explanations import EXPLANATIONS
from closedhand.games.leduc.plays import ACTIONS, KINDS, VARIANTS, graph, name
from closedhand.games.leduc.rules import (
    FLOP,
    SEATS,
    STATE,
    UNKNOWN,
    Rules,
    S,
    T,
    begin,
    over,
    revealed,
)

CARDS = tuple(VARIANTS["uh"].deck)
"""The text of every kind of card, by id; the standard deck is the first six."""

assert len(CARDS) == KINDS and CARDS[:6] == tuple(VARIANTS["standard"].deck)

HIDDEN = "*"
"""A card that is not revealed."""


def card_text(card: int) -> str:
    """Write a kind of card, `*` for `UNKNOWN`."""
    return HIDDEN if card == UNKNOWN else CARDS[card]


class SlideState(NamedTuple):
    """The knowledge of the player to act in the slides' notation, which `str` prints.

    The slides' tuple omits the betting history: several histories can share it.

    Attributes:
        turn: Player and phase, `s1`, `t1`, `s2` or `t2`.
        bets: Bets of S and T, in chips.
        card: The player's card, or `*` where it is left out, as the slides do in `(s2,1,1,C)`.
        flop: The flop, or `*` while it is not revealed.
    """

    turn: str
    bets: tuple[int, int]
    card: str
    flop: str

    @property
    def name(self) -> str:
        """The state without its cards, as `plays.graph` names it."""
        return f"{self.turn},{self.bets[S]},{self.bets[T]}"

    def __str__(self) -> str:
        return f"({self.name},{self.card},{self.flop})"


class SlideEnd(NamedTuple):
    """The end of a game, in the slides' notation, which `str` prints.

    Attributes:
        kind: `WL` for a showdown, `PS` or `PT` if S or T wins by a fold.
        chips: Chips won by the winner.
    """

    kind: str
    chips: int

    def __str__(self) -> str:
        return f"{self.kind}{self.chips}"


TURN = re.compile(r"\(([st][12]),([1-9]\d?),([1-9]\d?),(?:(\w+|\*),)?(\w+|\*)\)", re.ASCII)
END = re.compile(r"(WL|PS|PT)([1-9]\d?)", re.ASCII)


class Notation:
    """Text of actions, deals and states under the rules of one member of the family."""

    explanations = EXPLANATIONS

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.cards = CARDS[: rules.tables.kinds]

    def text(self, action: int, state: State | None = None) -> str:
        """The notation of an action id."""
        return ACTIONS[action]

    def parse(self, text: str, state: State | None = None) -> int:
        """The action id of a notation.

        Raises:
            InputError: The text is not an action.
        """
        try:
            return ACTIONS.index(text.strip().lower())
        except ValueError:
            raise InputError(
                f"{text!r} is not an action: actions are {', '.join(ACTIONS)}"
            ) from None

    def card(self, text: str) -> int:
        """Parse a card to its kind.

        Raises:
            InputError: The deck has no such card.
        """
        try:
            return self.cards.index(text.strip().upper())
        except ValueError:
            raise InputError(f"{text!r} is not a card: cards are {', '.join(self.cards)}") from None

    def deal_text(self, state: State) -> str:
        """Write the cards of S and T, and the flop; `*` for a card that a view hides."""
        return ";".join(map(card_text, state.cards))

    def parse_deal(self, text: str) -> State:
        """Parse a deal to the state at its start.

        Raises:
            InputError: The text does not name three cards that the deck can deal together.
        """
        fields = text.strip().rstrip(";").split(";")
        if len(fields) != SEATS + 1:
            raise InputError(
                f"a deal is three cards, those of S and T and the flop, not {len(fields)}"
            )
        state = np.zeros(1, STATE)[0]
        state.cards[:] = [self.card(field) for field in fields]
        for kind, number in zip(*np.unique(state.cards, return_counts=True), strict=True):
            if number > self.rules.tables.copies[kind]:
                raise InputError(f"the deck does not hold {number} cards {CARDS[kind]}")
        begin(state)
        return state

    def scene(self, state: State) -> list[Row]:
        """Return the table: S, T and the flop."""
        node = self.rules.tables.nodes[state.node]
        running = not over(self.rules, state)
        rows = []
        for seat in range(SEATS):
            rows.append(
                Row(
                    f"player_{seat} {'ST'[seat]}",
                    (self._shown(state.cards[seat]),),
                    f"bets {node['bets'][seat]}",
                    active=bool(running and seat == state.player),
                    player=seat,
                    role="ST"[seat],
                    marks=(f"bets {node['bets'][seat]}",),
                )
            )
        flop = (self._shown(state.cards[FLOP] if revealed(self.rules, state) else UNKNOWN),)
        actions = " ".join(ACTIONS[action] for action in state.history[: state.moves])
        ended = "" if running else f" = {name(node)}"
        return [*rows, Row("flop", flop, actions + ended)]

    def _shown(self, card: int) -> str:
        return CARDS[card] if card != UNKNOWN else ""


def state_text(game: Game, state: State) -> str:
    """Write a state as on the slides: the knowledge of the player to act, or the end of the game.

    In a view of the other player the card is `*`.

    Examples:
        >>> from closedhand import make_game
        >>> game = make_game("uh_leduc")
        >>> state = game.parse_deal("SK;HQ;SA")
        >>> game.play(state, game.parse("check"))
        >>> state_text(game, state)
        '(t1,1,1,HQ,*)'
    """
    node = game.rules.tables.nodes[state.node]
    if over(game.rules, state):
        return name(node)
    flop = card_text(state.cards[FLOP]) if revealed(game.rules, state) else HIDDEN
    return f"({name(node)},{card_text(state.cards[state.player])},{flop})"


def parse_state(game: Game, text: str) -> SlideState | SlideEnd:
    """Parse a state or end in the slides' notation; spaces are ignored.

    Raises:
        InputError: The text is malformed, or the game has no such state, end or card.
    """
    notation = Notation(game.rules)
    states = graph(game.rules.tables)
    compact = re.sub(r"\s", "", text)
    if match := TURN.fullmatch(compact):
        turn, own, other, card, flop = match.groups()
        if flop != HIDDEN:
            flop = CARDS[notation.card(flop)]
        card = HIDDEN if card in (None, HIDDEN) else CARDS[notation.card(card)]
        state = SlideState(turn, (int(own), int(other)), card, flop)
        if state.name not in states:
            raise InputError(f"{game.name} has no state {state.name}")
        if (flop == HIDDEN) != (turn[1] == "1"):
            raise InputError(f"{text!r}: the flop is {HIDDEN} in phase 1, and a card in phase 2")
        if card == flop != HIDDEN and game.rules.tables.copies[notation.card(card)] < 2:
            raise InputError(f"{text!r}: the deck holds one {flop} only")
        return state
    if match := END.fullmatch(compact):
        ends = {end for edges in states.values() for end in edges.values()} - set(states)
        if compact not in ends:
            raise InputError(f"{game.name} has no end {compact}")
        return SlideEnd(match[1], int(match[2]))
    raise InputError(f"{text!r} is neither a state such as (s1,1,4,SK,*) nor an end such as WL7")


def parse_record(line: str, game: Game) -> Record:
    """Parse a record of the form `card;card;flop;actions`.

    Raises:
        InputError: No such deal or action.
    """
    *cards, actions = f"{line.strip()};;".split(";", SEATS + 1)
    deal = ";".join(cards)
    game.parse_deal(deal)
    actions = actions.rstrip("; ")
    texts = tuple(game.text(game.parse(action)) for action in actions.split())
    return Record(game.name, stated_options(game), texts, deal=deal)


def format_record(game: Game, state: State) -> str:
    """Write the one-line record of a game."""
    actions = " ".join(game.text(action) for action in state.history[: state.moves])
    return f"{game.deal_text(state)};{actions}"
