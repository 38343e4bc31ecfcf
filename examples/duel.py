"""Duel: a stock to draw from, moves at the same time, and payoffs after every round.

Cards 0 to 9; each of two players holds two, six are the stock. In a round both lay a card face
down, then turn it up: the player of the higher one gets 1 point from the other. Then both draw a
card, player 0 first, as long as there are cards.

Three patterns of games of one's own, each in a few lines:

- The **order of the stock** is in the state from the start. `hide` blanks it, `redeal` shuffles it.
- A **simultaneous** move is one turn after the other; `hide` blanks the first one meanwhile.
- A game that **pays in stages** is made with `staged=True`, and `returns` adds up what is paid.

    python duel.py

checks the contract. A game that others install is a package such as `kuhn-poker`; for a script
`register_game` is enough.
"""

from typing import NamedTuple

import numpy as np

import closedhand
from closedhand.authoring import Game, InputError, Row, State, kernel, shuffle, validity
from closedhand.testing import check_game

DECK, SEATS = 10, 2
UNKNOWN = -1

STATE = np.dtype(
    (
        np.record,
        [
            ("moves", "i4"),  # number of cards laid so far
            ("player", "i4"),  # seat to act
            ("deck", "i1", DECK),  # as dealt: seats in turn get a card; UNKNOWN in a view
            ("history", "i1", DECK),  # cards laid; UNKNOWN in a view while face down
            ("won", "i1", SEATS),  # rounds won by each player
        ],
    )
)


class Rules(NamedTuple):
    """The rules have no options."""

    kernels = "duel"


@kernel
def deal(rules, state, seed):
    """Shuffle the deck by a seed: hands and stock are parts of the deck."""
    deck = np.arange(DECK)
    shuffle(deck, seed)
    for i in range(DECK):
        state.deck[i] = deck[i]
    begin(state)


@kernel
def begin(state):
    """Set all fields but the deck to the start of the game."""
    for i in range(DECK):
        state.history[i] = 0
    state.won[0] = state.won[1] = 0
    state.moves = state.player = 0


@kernel
def drawn(moves):
    """Return how many cards of the deck are out of the stock when `moves` cards are laid."""
    return min(DECK, 2 * SEATS + moves // SEATS * SEATS)


@kernel
def has_laid(state, card):
    """Return whether a card has been laid; a card face down that a view hides does not count."""
    for i in range(state.moves):
        if state.history[i] == card:
            return True
    return False


@kernel
def legal(rules, state, out):
    """Write the cards in the hand of the player to act, ascending; return how many."""
    n = 0
    for card in range(DECK):
        for i in range(state.player, drawn(state.moves), SEATS):
            if state.deck[i] == card and not has_laid(state, card):
                out[n] = card
                n += 1
    return n


@kernel
def play(rules, state, action):
    """Lay a card; the second one of a round decides it."""
    state.history[state.moves] = action
    state.moves += 1
    state.player = 1 - state.player
    if state.moves % SEATS == 0:
        state.won[0 if state.history[state.moves - 2] > action else 1] += 1


@kernel
def over(rules, state):
    """Return whether all cards are laid."""
    return state.moves == DECK


@kernel
def returns(rules, state, out):
    """Write the points so far, by player."""
    out[0] = state.won[0] - state.won[1]
    out[1] = -out[0]


@kernel
def hide(rules, state, player):
    """Blank the cards that the other player was dealt, the stock, and a card that is face down."""
    for i in range(DECK):
        if i % SEATS != player or i >= drawn(state.moves):
            state.deck[i] = UNKNOWN
    if state.moves % SEATS == 1 and player == 1:
        state.history[state.moves - 1] = UNKNOWN


@kernel
def redeal(rules, view, player, rng):
    """Fill the blanks of a view at random: first the other's laid cards, then the rest.

    A laid card gets a blank place among those that its player had drawn by then. How many these are
    depends on the number of laid cards alone, so that all deals that fit are equally likely.
    """
    other = 1 - player
    for move in range(other, view.moves, SEATS):
        if view.history[move] != UNKNOWN:
            put(view, view.history[move], other, SEATS, drawn(move), rng)
    for card in range(DECK):
        if not is_dealt(view, card):
            put(view, card, 0, 1, DECK, rng)
    if view.moves % SEATS == 1 and player == 1:  # the other's card that is face down
        number = drawn(view.moves) // SEATS - view.moves // SEATS
        chosen = np.int64(rng.random() * number)
        for i in range(other, drawn(view.moves), SEATS):
            if not has_laid(view, view.deck[i]):
                if chosen == 0:
                    view.history[view.moves - 1] = view.deck[i]
                chosen -= 1


@kernel
def put(view, card, first, step, end, rng):
    """Put a card into a blank place of the deck at random: one of `range(first, end, step)`."""
    blank = 0
    for i in range(first, end, step):
        blank += view.deck[i] == UNKNOWN
    chosen = np.int64(rng.random() * blank)
    for i in range(first, end, step):
        if view.deck[i] == UNKNOWN:
            if chosen == 0:
                view.deck[i] = card
            chosen -= 1


@kernel
def is_dealt(view, card):
    """Return whether the place of a card in the deck is known."""
    for i in range(DECK):
        if view.deck[i] == card:
            return True
    return False


@kernel
def observe(rules, state, player, out):
    """Write three planes of ten cards, both numbers of rounds won, and 1 if a card is face down.

    The planes are the observer's hand, its laid cards, and the opponent's cards that are turned up.
    Rounds won are the observer's, then the opponent's.
    """
    for i in range(player, drawn(state.moves), SEATS):
        if not has_laid(state, state.deck[i]):
            out[state.deck[i]] = 1
    for move in range(state.moves):
        if move % SEATS == player:
            out[DECK + state.history[move]] = 1
        elif move < state.moves // SEATS * SEATS:
            out[2 * DECK + state.history[move]] = 1
    out[3 * DECK] = state.won[player]
    out[3 * DECK + 1] = state.won[1 - player]
    out[3 * DECK + 2] = state.moves % SEATS


class Notation:
    """Notation: a card is its digit, a deal the ten cards of the deck."""

    def text(self, action: int, state: State | None = None) -> str:
        """Write a card; one that is face down is `?`."""
        return "?" if action == UNKNOWN else str(action)

    def parse(self, text: str, state: State | None = None) -> int:
        """Parse a card; raises `InputError` for any other text."""
        if text.strip() not in {str(card) for card in range(DECK)}:
            raise InputError(f"{text!r} is not a card from 0 to {DECK - 1}")
        return int(text)

    def deal_text(self, state: State) -> str:
        """Write the deck."""
        return "".join(map(self.text, state.deck))

    def parse_deal(self, text: str) -> State:
        """Parse a deck to the state at its start; raises `InputError` for any other text."""
        if sorted(text.strip()) != [str(card) for card in range(DECK)]:
            raise InputError(f"{text!r} is not a deal: the digits 0 to {DECK - 1} in an order")
        state = np.zeros(1, STATE)[0]
        state.deck[:] = [int(card) for card in text.strip()]
        begin(state)
        return state

    def scene(self, state: State) -> list[Row]:
        """Return a row for each player: the hand, hidden cards as blanks, and the rounds won."""
        rows, dealt = [], drawn(state.moves)
        for seat in range(SEATS):
            own = [card for card in state.deck[seat:dealt:SEATS] if card != UNKNOWN]
            cards = [self.text(card) for card in own if not has_laid(state, card)]
            cards += [""] * (dealt // SEATS - (state.moves + 1 - seat) // SEATS - len(cards))
            active = state.moves < DECK and state.player == seat
            rows.append(Row(f"player_{seat}", tuple(cards), f"won {state.won[seat]}", active))
        return rows


def valid(rules: Rules, state: State, player: int | None = None) -> str:
    """Return why the rules do not allow a state, or a view of `player`; empty if they do."""
    wrong = validity.outside(
        state, {"moves": (0, DECK), "player": (0, 1), "deck": (UNKNOWN, DECK - 1)}
    )
    known = [int(card) for card in state.deck if card != UNKNOWN]
    if wrong or len(set(known)) < len(known):
        return wrong or "the deck holds a card twice"
    if player is not None:
        return validity.unlike_redealt(rules, state, player, lambda full: valid(rules, full))
    start = state.copy()
    begin(start)
    wrong = validity.replay(rules, start, state.history[: state.moves], DECK)
    return wrong or validity.difference(state, start, SEATS)


def make_game() -> Game:
    """Make Duel as a `Game`."""
    rounds = DECK // SEATS
    return Game(
        name="duel",
        options={},
        rules=Rules(),
        dtype=STATE,
        num_players=SEATS,
        num_actions=DECK,
        shapes={"observation": (3, DECK), "won": (SEATS,), "face_down": (1,)},
        roles=("first", "second"),
        sides=(0, 1),
        notation=Notation(),
        payoff_range=(-rounds, rounds),
        max_moves=DECK,
        staged=True,
    )


SPEC = closedhand.GameSpec(
    name="duel",
    title="Duel",
    make="duel:make_game",
    contract=1,
    aec_id="duel/duel-v0",
    gymnasium_id="duel/Duel-v0",
    opponent="random",
)


def main() -> None:
    """Check the contract."""
    closedhand.register_game(SPEC)
    check_game(closedhand.make_game("duel"))
    print("duel keeps the contract")


if __name__ == "__main__":
    main()
