"""Kuhn poker (H. W. Kuhn, 1950): three cards, two players, one bet.

Each player antes 1 chip and holds one card of J, Q and K; the third card stays unseen. Player 0
passes or bets 1 chip, then player 1 passes or bets. If player 0 passed and player 1 bet, player 0
acts once more. A pass after a bet is a fold. Otherwise the higher card wins: 1 chip if both have
passed, 2 after a bet and a call. The value of the game for player 0 is -1/18 chips.
"""

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Literal, NamedTuple

import numpy as np

from closedhand.authoring import Game, InputError, Row, State, contract, kernel, shuffle

CARDS = ("J", "Q", "K")
ACTIONS = PASS, BET = 0, 1
NAMES = ("pass", "bet")
SEATS = 2
LONGEST = 3
UNKNOWN = -1

STATE = np.dtype(
    (
        np.record,
        [
            ("cards", "i4", SEATS),  # by player; UNKNOWN where a view hides it
            ("history", "i4", LONGEST),  # actions so far
            ("moves", "i4"),  # number of actions so far
            ("player", "i4"),  # player to act
        ],
    )
)


class Rules(NamedTuple):
    """Empty, as there are no tables or options; it names the module with the rules."""

    kernels = "kuhn_poker.game"


@kernel
def deal(rules, state, seed):
    """Deal the cards of a seed, and set up the initial state."""
    deck = np.arange(len(CARDS))
    shuffle(deck, seed)
    for seat in range(SEATS):
        state.cards[seat] = deck[seat]
    for move in range(LONGEST):
        state.history[move] = 0
    state.moves = 0
    state.player = 0


def deals(rules: Rules) -> Iterator[tuple[State, float]]:
    """All deals with their probabilities: what solvers need beside the contract."""
    for cards in permutations(range(len(CARDS)), SEATS):
        state = np.zeros(1, STATE)[0]
        state.cards[:] = cards
        yield state, 1 / 6


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending: always both."""
    out[0] = PASS
    out[1] = BET
    return 2


@kernel
def play(rules, state, action):
    """Apply an action and pass the turn to the other player."""
    state.history[state.moves] = action
    state.moves += 1
    state.player = 1 - state.player


@kernel
def over(rules, state):
    """Return whether the game is over: both have acted, and no bet is unanswered."""
    if state.moves == 2:
        return state.history[0] == BET or state.history[1] == PASS
    return state.moves == LONGEST


@kernel
def returns(rules, state, out):
    """Write the payoffs by player: the player who did not fold wins, or the higher card."""
    last, before = state.history[state.moves - 1], state.history[state.moves - 2]
    stake = 2 if last == BET else 1
    if last == PASS and before == BET:
        winner = state.moves % 2  # the other player made the last action: a fold
    else:
        winner = 0 if state.cards[0] > state.cards[1] else 1
    out[winner] = stake
    out[1 - winner] = -stake


@kernel
def hide(rules, state, player):
    """Blank the other player's card, in place."""
    state.cards[1 - player] = UNKNOWN


@kernel
def redeal(rules, view, player, rng):
    """Give the other player, in place, one of the two cards that `player` does not hold."""
    view.cards[1 - player] = (view.cards[player] + 1 + np.int64(rng.random() * 2)) % len(CARDS)


@kernel
def observe(rules, state, player, out):
    """Write a binary plane, 4 x 3, and the observer's seat.

    Row 0 of the plane shows the observer's card in the columns J, Q, K; each further row shows one
    action of the game in the columns pass and bet.
    """
    out[state.cards[player]] = 1
    for move in range(state.moves):
        out[len(CARDS) * (1 + move) + state.history[move]] = 1
    out[len(CARDS) * (1 + LONGEST)] = player


SHAPES = {"observation": (1 + LONGEST, len(CARDS)), "seat": (1,)}


class Notation:
    """Notation: actions are `pass` and `bet`, a deal is the two cards, such as `KJ`."""

    def text(self, action: int, state: State | None = None) -> str:
        """Return the notation of an action id."""
        return NAMES[action]

    def parse(self, text: str, state: State | None = None) -> int:
        """Return the action id of a text; raise `InputError` if it is not an action."""
        if text.strip().lower() not in NAMES:
            raise InputError(f"{text!r} is not an action: actions are {' and '.join(NAMES)}")
        return NAMES.index(text.strip().lower())

    def deal_text(self, state: State) -> str:
        """Return the cards of player 0 and player 1."""
        return "".join("?" if card == UNKNOWN else CARDS[card] for card in state.cards)

    def parse_deal(self, text: str) -> State:
        """Return the initial state of a deal; raise `InputError` if it is not a deal."""
        cards = [CARDS.index(card) for card in text.strip().upper() if card in CARDS]
        if len(set(cards)) != SEATS or len(text.strip()) != SEATS:
            raise InputError(f"{text!r} is not a deal: a deal is two different cards of {CARDS}")
        state = np.zeros(1, STATE)[0]
        state.cards[:] = cards
        return state

    def scene(self, state: State) -> list[Row]:
        """Return the rows of the table: one for each player, with its actions."""
        ended = contract.over(Rules(), state)
        rows = []
        for seat, card in enumerate(state.cards):
            done = [NAMES[action] for action in state.history[seat : state.moves : SEATS]]
            shown = "" if card == UNKNOWN else CARDS[card]
            active = not ended and seat == state.player
            rows.append(Row(f"player_{seat}", (shown,), " ".join(done), active))
        return rows


def valid(rules: Rules, state: State, player: int | None = None) -> str:
    """Return why the rules do not allow a state, or a view of `player`; empty if they do."""
    known = [card for card in state.cards if card != UNKNOWN]
    if any(card not in range(len(CARDS)) for card in known) or len(set(known)) < len(known):
        return "the cards are not two different ones"
    if len(known) < SEATS and (player is None or state.cards[player] == UNKNOWN):
        return "a card is not known"
    if not 0 <= state.moves <= LONGEST:
        return f"{state.moves} actions are not 0 to {LONGEST}"
    if any(action not in ACTIONS for action in state.history[: state.moves]):
        return "an action is neither pass nor bet"
    for moves in range(state.moves):
        earlier = state.copy()
        earlier.moves = moves
        if contract.over(rules, earlier):
            return "the game was over before its last action"
    return "" if state.player == state.moves % 2 else "the wrong player is to act"


def view_from(game: Game, player: int, hand: str, actions: Iterable[int | str] = ()) -> State:
    """Return the view of a player at a real table.

    Args:
        game: Kuhn poker.
        player: Seat of the player.
        hand: Card of the player: `J`, `Q` or `K`.
        actions: Actions so far, as ids or texts.

    Raises:
        InputError: No such card or action, or more actions than the game has.
    """
    if hand not in CARDS:
        raise InputError(f"{hand!r} is not a card: cards are {', '.join(CARDS)}")
    view = game.empty(1)[0]
    view.cards[:] = UNKNOWN
    view.cards[player] = CARDS.index(hand)
    for action in actions:
        game.play(view, game.parse(action) if isinstance(action, str) else action)
    return view


def knowledge(game: Game, view: State, player: int) -> tuple[str, list[int], dict[str, str]]:
    """Return the arguments of `view_from` for a view: the card, the actions, and nothing else."""
    return CARDS[view.cards[player]], game.history(view).tolist(), {}


def make_game(rules: Literal["standard"] = "standard") -> Game:
    """Kuhn poker as a `Game`; its only option has one value."""
    return Game(
        name="kuhn",
        options={"rules": rules},
        rules=Rules(),
        dtype=STATE,
        num_players=SEATS,
        num_actions=len(ACTIONS),
        shapes=SHAPES,
        roles=("first", "second"),
        sides=(0, 1),
        notation=Notation(),
        payoff_range=(-2.0, 2.0),
        max_moves=LONGEST,
        payoff_sum=0.0,
        unit="chips",
    )
