"""Spades: a trick-taking game of four with partners; spades are trumps.

Players 0 and 2 are one side, players 1 and 3 the other. Each player bids a number of tricks in
turn, then player 0 leads. All follow suit if they can; the highest spade wins a trick, else the
highest card of the suit led. Spades may be led once one has been played, or by a player who holds
nothing else. A side that makes the sum of its bids gets 10 points for each trick bid and 1 for each
further one; otherwise it loses 10 for each trick bid. The payoff is the difference of the sides.

The option `ranks` makes the deck smaller: the highest ranks of each suit, as many tricks as ranks.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import factorial
from typing import Annotated, Any, NamedTuple

import numpy as np

from closedhand.authoring import (
    Feature,
    FeatureTable,
    Game,
    InputError,
    Range,
    Row,
    State,
    contract,
    draw_place,
    kernel,
    shuffle,
    validity,
    views,
)

SEATS, SUITS, RANKS = 4, 4, 13
SPADES = 3
DECK = SUITS * RANKS
UNKNOWN = -1
PLAYED = SEATS
"""`holder` of a card: the seat holding it, `PLAYED` plus the seat that played it, or UNKNOWN."""
LONGEST = SEATS + DECK
NAMES = "23456789TJQKA"
SUIT_NAMES = "cdhs"

STATE = np.dtype(
    (
        np.record,
        [
            ("moves", "i4"),  # number of actions so far
            ("player", "i4"),  # seat to act
            ("leader", "i4"),  # seat that leads to the trick
            ("broken", "i4"),  # whether a spade has been played
            ("holder", "i1", DECK),  # see `PLAYED`; UNKNOWN where a view hides it
            ("history", "u1", LONGEST),  # bids, then cards
            ("bids", "i1", SEATS),  # UNKNOWN before the bid
            ("tricks", "i1", SEATS),  # tricks won
            ("voids", "i1", SEATS),  # suits that a seat has shown not to hold, as bits
            ("trick", "i1", SEATS),  # card of each seat in the trick, UNKNOWN for none
        ],
    )
)


class Rules(NamedTuple):
    """The rules: cards are `suit * ranks + rank`, bids are the actions after them.

    Attributes:
        ranks: Number of cards of each suit, and of tricks.
    """

    kernels = "spades.game"

    ranks: int


@kernel
def deal(rules, state, seed):
    """Deal the cards of a seed."""
    deck = np.empty(DECK, np.int8)[: SUITS * rules.ranks]
    for card in range(len(deck)):
        deck[card] = card
    shuffle(deck, seed)
    for i in range(DECK):
        state.holder[i] = 0
    for i in range(len(deck)):
        state.holder[deck[i]] = i % SEATS
    begin(state)


@kernel
def begin(state):
    """Start the auction."""
    for i in range(LONGEST):
        state.history[i] = 0
    for seat in range(SEATS):
        state.bids[seat] = state.trick[seat] = UNKNOWN
        state.tricks[seat] = state.voids[seat] = 0
    state.moves = state.player = state.leader = state.broken = 0


def deals(rules: Rules) -> Iterator[tuple[State, float]]:
    """List all deals with their probabilities.

    Raises:
        InputError: There are more than two ranks, and so 369,600 deals or more.
    """
    if rules.ranks > 2:
        raise InputError(f"spades of {rules.ranks} ranks has too many deals to list")
    cards = range(SUITS * rules.ranks)
    number = factorial(len(cards)) // factorial(rules.ranks) ** SEATS

    def shared(left: frozenset[int], seat: int, holder: dict[int, int]) -> Iterator[dict[int, int]]:
        if seat == SEATS:
            yield holder
            return
        for hand in combinations(sorted(left), rules.ranks):
            yield from shared(left - {*hand}, seat + 1, {**holder, **dict.fromkeys(hand, seat)})

    for holder in shared(frozenset(cards), 0, {}):
        state = np.zeros(1, STATE)[0]
        for card, seat in holder.items():
            state.holder[card] = seat
        begin(state)
        yield state, 1 / number


@kernel
def only_spades(rules, state, seat):
    """Return whether a seat holds spades alone."""
    for card in range(SPADES * rules.ranks):
        if state.holder[card] == seat:
            return False
    return True


@kernel
def legal(rules, state, out):
    """Write the bids 0 to `ranks`, or the cards that may be played; return how many."""
    ranks, seat, n = rules.ranks, state.player, 0
    if state.moves < SEATS:
        for bid in range(ranks + 1):
            out[bid] = SUITS * ranks + bid
        return ranks + 1
    first, last = 0, SUITS * ranks
    if seat == state.leader:
        if not state.broken and not only_spades(rules, state, seat):
            last = SPADES * ranks
    else:
        first = state.trick[state.leader] // ranks * ranks
        last = first + ranks
    for card in range(first, last):
        if state.holder[card] == seat:
            out[n] = card
            n += 1
    if n == 0:  # the seat cannot follow suit
        for card in range(SUITS * ranks):
            if state.holder[card] == seat:
                out[n] = card
                n += 1
    return n


@kernel
def beats(rules, card, best):
    """Return whether a card played later beats the best one of the trick."""
    if card // rules.ranks == best // rules.ranks:
        return card > best
    return card // rules.ranks == SPADES


@kernel
def winner(rules, state):
    """Return the seat that is winning the trick; the leader if nobody has played."""
    best = state.leader
    for i in range(1, SEATS):
        seat = (state.leader + i) % SEATS
        if state.trick[seat] >= 0 and beats(rules, state.trick[seat], state.trick[best]):
            best = seat
    return best


@kernel
def play(rules, state, action):
    """Apply a bid or a card."""
    seat, ranks = state.player, rules.ranks
    state.history[state.moves] = action
    state.moves += 1
    state.player = (seat + 1) % SEATS
    if action >= SUITS * ranks:
        state.bids[seat] = action - SUITS * ranks
        return
    suit = action // ranks
    if seat != state.leader:
        if suit != state.trick[state.leader] // ranks:
            state.voids[seat] |= 1 << (state.trick[state.leader] // ranks)
    elif suit == SPADES and not state.broken:
        state.voids[seat] |= (1 << SPADES) - 1  # it leads spades because it has nothing else
    if suit == SPADES:
        state.broken = 1
    state.trick[seat] = action
    state.holder[action] = PLAYED + seat
    if state.moves % SEATS == 0:
        won = winner(rules, state)
        state.tricks[won] += 1
        state.leader = state.player = won
        for i in range(SEATS):
            state.trick[i] = UNKNOWN


@kernel
def over(rules, state):
    """Return whether all tricks are played."""
    return state.moves == SEATS + SUITS * rules.ranks


@kernel
def score(state, side):
    """Return the points of a side, 0 or 1."""
    bid = np.int64(state.bids[side]) + np.int64(state.bids[side + 2])
    won = np.int64(state.tricks[side]) + np.int64(state.tricks[side + 2])
    return 10 * bid + won - bid if won >= bid else -10 * bid


@kernel
def returns(rules, state, out):
    """Write the difference of the sides' points, by player."""
    points = score(state, 0) - score(state, 1)
    for seat in range(SEATS):
        out[seat] = points if seat % 2 == 0 else -points


@kernel
def hide(rules, state, player):
    """Blank the cards in the other hands, in place."""
    for card in range(SUITS * rules.ranks):
        if state.holder[card] < PLAYED and state.holder[card] != player:
            state.holder[card] = UNKNOWN


@kernel
def redeal(rules, view, player, rng):
    """Deal the unknown cards, in place: all deals that fit the shown voids are equally likely.

    `room` has the number of cards that each other seat lacks. `ways[suit, a, b]` counts the deals
    of a suit and the later ones if the first two of these seats lack a and b. Each suit is then
    divided in proportion to the deals that remain.
    """
    unknown = np.zeros(SUITS, np.int64)
    room = np.zeros(SEATS - 1, np.int64)
    for i in range(SEATS - 1):
        room[i] = rules.ranks
    for card in range(SUITS * rules.ranks):
        if view.holder[card] == UNKNOWN:
            unknown[card // rules.ranks] += 1
        elif view.holder[card] >= PLAYED and view.holder[card] != PLAYED + player:
            room[(view.holder[card] - PLAYED - player - 1) % SEATS] -= 1
    ways = np.zeros((SUITS + 1, RANKS + 1, RANKS + 1), np.float64)
    ways[SUITS, 0, 0] = 1.0
    left = 0
    for i in range(SUITS):
        suit = SUITS - 1 - i
        left += unknown[suit]
        for a in range(room[0] + 1):
            for b in range(room[1] + 1):
                if 0 <= left - a - b <= room[2]:
                    for x in range(min(a, unknown[suit]) + 1):
                        for y in range(min(b, unknown[suit] - x) + 1):
                            ways[suit, a, b] += (
                                divisions(view, player, suit, unknown[suit], x, y)
                                * ways[suit + 1, a - x, b - y]
                            )
    parts = np.zeros(SEATS - 1, np.int64)
    for suit in range(SUITS):
        divide(view, player, suit, unknown[suit], room, ways, rng, parts)
        number = unknown[suit]
        for card in range(suit * rules.ranks, (suit + 1) * rules.ranks):
            if view.holder[card] == UNKNOWN:
                view.holder[card] = (player + 1 + draw_place(parts, number, rng)) % SEATS
                number -= 1


@kernel
def divisions(view, player, suit, number, x, y):
    """Count the ways to deal x, y and the rest of a suit's `number` cards to the other seats.

    These are its unknown cards. Return a float: 0.0 if a seat that has shown a void gets one.
    """
    ways = 1.0
    taken = 0
    for i in range(SEATS - 1):
        part = x if i == 0 else y if i == 1 else number - x - y
        if part > 0 and view.voids[(player + 1 + i) % SEATS] >> suit & 1:
            return 0.0
        for k in range(part):
            taken += 1
            ways *= taken / (k + 1)
    return ways


@kernel
def divide(view, player, suit, number, room, ways, rng, parts):
    """Draw how many unknown cards of a suit the next seats get: write `parts`, lower `room`."""
    a, b = room[0], room[1]
    point = rng.random() * ways[suit, a, b]
    parts[0], parts[1] = min(a, number), min(b, number - min(a, number))
    for x in range(min(a, number) + 1):
        for y in range(min(b, number - x) + 1):
            share = divisions(view, player, suit, number, x, y) * ways[suit + 1, a - x, b - y]
            if share > 0.0 and point >= 0.0:
                parts[0], parts[1] = x, y
            point -= share
    parts[2] = number - parts[0] - parts[1]
    for i in range(SEATS - 1):
        room[i] -= parts[i]


@kernel
def observe(rules, state, player, out):
    """Write nine planes, suits by ranks, and vectors, of seats from the observer on.

    The planes are the observer's hand, the cards that each seat has played, and the card of each
    seat in the trick. The vectors are bids (one more than the bid, 0 before it), tricks won, and
    whether a spade has been played.
    """
    cards = SUITS * rules.ranks
    for card in range(cards):
        if state.holder[card] == player:
            out[card] = 1
        elif state.holder[card] >= PLAYED:
            out[(1 + (state.holder[card] - PLAYED - player) % SEATS) * cards + card] = 1
    for i in range(SEATS):
        seat = (player + i) % SEATS
        if state.trick[seat] >= 0:
            out[(1 + SEATS + i) * cards + state.trick[seat]] = 1
        out[9 * cards + i] = 1 + state.bids[seat]
        out[9 * cards + SEATS + i] = state.tricks[seat]
    out[9 * cards + 2 * SEATS] = state.broken


@kernel
def features(rules, state, player, out):
    """Write the compact observation: by card, then by seat from the observer; see `make_game`."""
    for card in range(SUITS * rules.ranks):
        if state.holder[card] == player:
            out[card] = 1
        elif state.holder[card] >= PLAYED:
            out[card] = 2
    for i in range(SEATS):
        seat = (player + i) % SEATS
        out[SUITS * rules.ranks + i] = 1 + state.trick[seat]
        out[SUITS * rules.ranks + SEATS + i] = 1 + state.bids[seat]
        out[SUITS * rules.ranks + 2 * SEATS + i] = state.tricks[seat]
        out[SUITS * rules.ranks + 3 * SEATS + i] = state.voids[seat]


class Notation:
    """Notation: cards are `As`, bids `bid3`, and a deal is the four hands: `2cAs;…;…;…`."""

    def __init__(self, rules: Rules) -> None:
        """Name the cards and bids of these rules."""
        self._rules = rules
        ranks = NAMES[RANKS - rules.ranks :]
        self.cards = [rank + suit for suit in SUIT_NAMES for rank in ranks]
        self._texts = [*self.cards, *(f"bid{bid}" for bid in range(rules.ranks + 1))]
        self._ids = {text.lower(): action for action, text in enumerate(self._texts)}

    def text(self, action: int, state: State | None = None) -> str:
        """Write an action id."""
        return self._texts[action]

    def parse(self, text: str, state: State | None = None) -> int:
        """Parse an action; raises `InputError` for any other text."""
        found = self._ids.get(text.strip().lower())
        if found is None:
            raise InputError(f"{text!r} is not an action: a card such as As, or bid0 to "
                             f"bid{self._rules.ranks}")  # fmt: skip
        return found

    def hand(self, text: str) -> list[int]:
        """Parse cards to ids; raises `InputError` for other texts or a card given twice."""
        packed = "".join(text.split())
        cards = [self._ids.get(packed[i : i + 2].lower(), DECK) for i in range(0, len(packed), 2)]
        if max(cards, default=0) >= len(self.cards) or len(set(cards)) < len(cards):
            raise InputError(f"{text!r} are not different cards such as AsTd")
        return cards

    def deal_text(self, state: State) -> str:
        """Write the hands at the start; a view shows those of the others as far as known."""
        return ";".join(
            "".join(self.cards[card] for card in range(len(self.cards))
                    if state.holder[card] >= 0 and state.holder[card] % SEATS == seat)
            for seat in range(SEATS)
        )  # fmt: skip

    def parse_deal(self, text: str) -> State:
        """Parse four hands; raises `InputError` if they are not a deal."""
        hands = [self.hand(hand) for hand in text.split(";")]
        if sorted(card for hand in hands for card in hand) != list(range(len(self.cards))) or (
            [len(hand) for hand in hands] != [self._rules.ranks] * SEATS
        ):
            raise InputError(f"{text!r} is not a deal: {SEATS} hands of {self._rules.ranks} cards")
        state = np.zeros(1, STATE)[0]
        for seat, hand in enumerate(hands):
            state.holder[hand] = seat
        begin(state)
        return state

    def scene(self, state: State) -> list[Row]:
        """Return a row for each seat, with its bid and tricks."""
        ended, rows = contract.over(self._rules, state), []
        for seat in range(SEATS):
            cards = [self.cards[c] for c in np.flatnonzero(state.holder[: len(self.cards)] == seat)]
            played = np.count_nonzero(state.holder[: len(self.cards)] == PLAYED + seat)
            cards += [""] * (self._rules.ranks - int(played) - len(cards))
            bid = f"bid {state.bids[seat]}, won {state.tricks[seat]}" * int(state.bids[seat] >= 0)
            last = (self.cards[state.trick[seat]],) if state.trick[seat] >= 0 else ()
            active = not ended and seat == state.player
            rows.append(Row(f"player_{seat}", tuple(cards), bid, active, last))
        return rows

    def cards_of(self, action: int, state: State) -> tuple[str, ...]:
        """Return the card of an action; a bid has none."""
        return (self.cards[action],) if action < len(self.cards) else ()


def valid(rules: Rules, state: Any, player: int | None = None) -> str:
    """Return why the rules do not allow a state, or a view of `player`; empty if they do."""
    cards = SUITS * rules.ranks
    wrong = validity.outside(
        state, {"moves": (0, SEATS + cards), "leader": (0, SEATS - 1), "player": (0, SEATS - 1),
                "holder": (UNKNOWN, PLAYED + SEATS - 1)},
    )  # fmt: skip
    if wrong:
        return wrong
    held = np.bincount(state.holder[:cards] + 1, minlength=1 + 2 * SEATS)[1:]
    if (held[PLAYED:] > rules.ranks).any():
        return "a seat has played too many cards"
    if player is not None:
        if held[player] + held[PLAYED + player] != rules.ranks or (
            held[:SEATS].sum() != held[player]
        ):
            return f"a view of player_{player} shows its whole hand, and no other"
        return validity.unlike_redealt(rules, state, player, lambda full: valid(rules, full))
    if (held[:SEATS] + held[PLAYED:] != rules.ranks).any():
        return f"a seat was not dealt {rules.ranks} cards"
    start = state.copy()
    start.holder[:] = state.holder % SEATS
    start.holder[cards:] = 0
    begin(start)
    wrong = validity.replay(rules, start, state.history[: state.moves], cards + rules.ranks + 1)
    return wrong or validity.difference(state, start, SEATS)


def view_from(game: Game, player: int, hand: str, actions: Iterable[int | str] = ()) -> State:
    """Build the view of a player at a real table.

    Args:
        game: Spades.
        player: Seat of the player.
        hand: Cards that the player holds now.
        actions: All bids and cards so far, of all players, ids or texts.

    Raises:
        InputError: A text that is no card or action, an illegal action, a wrong number of cards,
            or actions that do not fit each other.
    """
    notation: Any = game.notation
    own, listed = notation.hand(views.check_text(hand, "hand")), views.listed(actions)
    # What is legal depends on the hand: the first pass finds the cards that the player has played.
    for _ in range(2):
        state = game.empty(1)[0]
        state.holder[: SUITS * game.rules.ranks] = UNKNOWN
        state.holder[own] = player
        begin(state)
        for number, given in enumerate(listed, 1):
            with views.at_action(number, given):
                action = views.read(game, state, given)
                if action < SUITS * game.rules.ranks and state.holder[action] == UNKNOWN:
                    state.holder[action] = state.player
                views.play(game, state, action)
        own = np.flatnonzero(np.isin(state.holder, (player, PLAYED + player)))
        own = own[own < SUITS * game.rules.ranks]
    if len(own) != game.rules.ranks:
        raise InputError(f"the player was dealt {game.rules.ranks} cards, not {len(own)}")
    if wrong := game.valid(state, player):
        raise InputError(f"the actions do not fit each other: {wrong}")
    return state


def knowledge(game: Game, view: State, player: int) -> tuple[str, list[int], dict[str, Any]]:
    """Return the arguments of `view_from` for a view: the hand, the actions, and nothing else."""
    notation: Any = game.notation
    held = np.flatnonzero(view.holder[: len(notation.cards)] == player)
    return "".join(notation.cards[card] for card in held), game.history(view).tolist(), {}


def make_game(ranks: Annotated[int, Range(1, 13), "cards of each suit, and tricks"] = 13) -> Game:
    """Make Spades as a `Game`."""
    rules, cards = Rules(ranks), SUITS * ranks
    notation = Notation(rules)
    seats = ("you", "left", "partner", "right")
    return Game(
        name="spades",
        options={"ranks": ranks},
        rules=rules,
        dtype=STATE,
        num_players=SEATS,
        num_actions=cards + ranks + 1,
        shapes={"observation": (9, SUITS, ranks), "bids": (SEATS,), "tricks": (SEATS,),
                "broken": (1,)},
        roles=("first side", "second side") * 2,
        sides=(0, 1) * 2,
        notation=notation,
        payoff_range=(-30.0 * ranks, 30.0 * ranks),
        max_moves=SEATS + cards,
        feature_table=FeatureTable(
            Feature("card", notation.cards, "1 in the hand, 2 played", 2),
            Feature("trick", seats, "card of the seat in the trick plus 1", cards),
            Feature("bid", seats, "bid plus 1", 1 + ranks),
            Feature("tricks", seats, "tricks won", ranks),
            Feature("voids", seats, "suits that the seat does not hold, as bits", 15),
        ),
    )  # fmt: skip
