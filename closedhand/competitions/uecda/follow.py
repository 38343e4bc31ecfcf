"""A player's view of a round, updated by the tables of a server.

1. The first table of a round gives classes, seats and the hand, a winner's with the tax received.
2. The player gives back cards; the first table of the tricks shows the hand after the exchange.
3. After each turn the cells of a table show a play. Unchanged or blank cells mean a pass.
4. Before a decision of the player, the view is corrected where the table differs.
5. If passes end a round, the players with cards are ranked at random, by a seed from all hands,
   which a view lacks: the round stays open until `complete` adds the places.

The view equals the record that `hidden.hide` makes from the true state of a game of one round. So
its round number is 0, and its points are those of this round. `closedhand.games.daihinmin.exchange`
defines tax, pair, winner, loser and pick.
"""

from collections.abc import Callable

import numpy as np

from closedhand.competitions.uecda import wire
from closedhand.core.game import Game, InputError, State
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.exchange import (
    TAXES,
    best_cards,
    best_pick,
    can_pick,
    has_exchange,
    loser,
    winner,
)
from closedhand.games.daihinmin.plays import DECK, PASS
from closedhand.games.daihinmin.rules import play
from closedhand.games.daihinmin.state import HIDDEN, LONGEST, NOBODY, PLAYERS
from closedhand.games.daihinmin.tricks import new_trick

DEALT = (11, 11, 11, 10, 10)
"""Numbers of cards dealt, in the order of seats from the daifugo on."""
MOST_LEFT = DEALT[0] + TAXES[0]
"""Most cards in a hand: those of the daifugo before it gives cards back."""
FLAGS, SIZES = 5 * wire.COLUMNS, 6 * wire.COLUMNS
"""Indices of the first flag and of the first hand size among the 120 numbers of a table."""


@kernel
def catch_up(rules, view, seen):
    """Apply the n turns in `seen`, int64 [2 n]: for each the player, then its play or pass.

    Turns after the end of the round, or beyond the longest history, are ignored: a faulty server
    must not make the kernels write out of bounds. A pass ranks nobody: see step 5 of the module.
    """
    for i in range(0, len(seen), 2):
        if view.out < PLAYERS and view.moves < LONGEST:
            view.player = seen[i]
            out, places = view.out, view.places.copy()
            play(rules, view, seen[i + 1])
            if seen[i + 1] == PASS and view.out == PLAYERS:
                view.out = out
                view.places[:] = places
                view.points[:] = 0


@kernel
def settle(rules, view, me, hand, table):
    """Correct a view of `me`, who is to act, where a table of the server states something else.

    `hand`, uint64, is the hand that the table shows; `table`, int64 [120], has all its numbers.
    """
    view.hands[me] = hand
    for player in range(PLAYERS):
        view.left[player] = table[SIZES + player]
    # Flags: 4 `me` leads; 5 eleven back, 6 revolution: one alone reverses the ranks; 7 a lock.
    view.revolution = (table[FLAGS + 5] != 0) != (table[FLAGS + 6] != 0)
    if table[FLAGS + 4] and view.target >= 0:
        new_trick(view, me)
    view.player = me
    if not table[FLAGS + 7]:
        view.lock = 0
    elif not view.lock and view.target >= 0:
        view.lock = rules.plays.suits[view.target]


def complete(view: State, places: np.ndarray) -> None:
    """Write the places of all players, integers [5], into the last view of a round."""
    view.places[:] = places
    view.points[:] = PLAYERS - view.places
    view.out = PLAYERS


class Follower:
    """The view of one player, kept up to date through the rounds of a match.

    An `InputError` refuses tables that are not valid, or that contradict the rules.
    """

    def __init__(self, game: Game, me: int) -> None:
        """Follow a match as player `me`; `game` has one round, and plays, not card sets."""
        self.me = me
        # Up to date at the player's own turns and after `finish`.
        self.view: State = game.empty(1)[0]
        self._game = game
        self._rules = game.rules
        self._seen: list[int] = []  # players and their actions in turn, not yet in the view
        self._lying = wire.NOTHING  # the cells of the target
        self._exchanging = False  # whether the cards given back are not yet known
        self._leading = False  # whether the first trick has begun

    def begin(self, table: bytes) -> int:
        """Begin a round with its first table; return the number of cards to be given back now."""
        status = wire.read_status(table)
        classes = status.classes if any(status.classes) else (-1,) * PLAYERS
        players = list(range(PLAYERS))
        if sorted(status.seats) != players or sorted(classes) not in (players, [-1] * PLAYERS):
            raise InputError("the server's table does not show seats and classes")
        hand = _hand(table)
        self._seen.clear()
        self._lying = wire.NOTHING
        self._leading = False
        view = self.view = self._game.empty(1)[0]
        view.hands[self.me] = hand
        view.places[:] = view.target = NOBODY
        view.classes[:] = classes
        view.seats[:] = status.seats
        view.next[list(status.seats)] = status.seats[1:] + status.seats[:1]
        view.left[:] = _left(table)
        view.leader = NOBODY
        self._exchanging = bool(has_exchange(self._rules, view))
        if self._exchanging:
            self._pay_taxes(view, hand)
        elif status.to_give:
            raise InputError("the server asks for cards, but these rules have no exchange now")
        return status.to_give

    def _pay_taxes(self, view: State, hand: int) -> None:
        """Write the state after the tax into a view, from the player's hand in the table.

        In the table the winner has already received the tax, and the loser has not yet paid it.
        """
        first = view.seats.tolist().index(winner(view, 0))
        view.left[np.roll(view.seats, -first)] = DEALT
        for pair, tax in enumerate(TAXES):
            view.left[winner(view, pair)] += tax
            view.left[loser(view, pair)] -= tax
            if loser(view, pair) == self.me:
                view.taxed[pair] = best_cards(np.uint64(hand), tax)
                view.hands[self.me] = hand & ~int(view.taxed[pair])
        view.player = view.owner = winner(view, 0)

    def give(self, choose: Callable[[State], int], number: int) -> int:
        """Give back `number` cards in the exchange; return their set.

        `choose` gets a view for each card and returns its id; an illegal one becomes `best_pick`.
        """
        view = self.view
        pair = int(view.classes[self.me])
        if not 0 <= pair < len(TAXES) or TAXES[pair] != number:
            raise InputError(f"the server asks for {number} cards of class {pair}")
        view.player = self.me
        if pair == 1:  # the daifugo has given back cards, all unknown
            view.moves = TAXES[0]
            view.history[: TAXES[0]] = HIDDEN
            view.left[winner(view, 0)] -= TAXES[0]
            view.left[loser(view, 0)] += TAXES[0]
        for _ in range(number):
            card = int(choose(view.copy()))
            if not can_pick(view, card):
                card = int(best_pick(view))
            self._pick(pair, 1 << card)
        return int(view.returned[pair])

    def _pick(self, pair: int, cards: int) -> None:
        """Record a set of cards that the winner of a pair gives back."""
        view = self.view
        for card in range(cards.bit_length()):
            if cards >> card & 1:
                view.history[view.moves] = card
                view.moves += 1
        view.returned[pair] |= np.uint64(cards)

    def _end_exchange(self, hand: int) -> None:
        """Infer the cards given back from the first hand that a table of the tricks shows."""
        view = self.view
        before = int(view.hands[self.me])  # after the tax, before cards are given back
        rank = int(view.classes[self.me])
        pair = min(rank, PLAYERS - 1 - rank)  # 2, which is no pair, for class 2, the heimin
        view.returned[:] = 0  # drop the picks of `give`: the server may have moved other cards
        for each, tax in enumerate(TAXES):  # cards of a pair without `me` stay unknown
            start = sum(TAXES[:each])
            view.history[start : start + tax] = HIDDEN
            view.moves = start
            if each == pair:  # the cards that left the player's hand, or came to it
                self._pick(pair, before & ~hand if rank == pair else hand & ~before)
        view.moves = sum(TAXES)
        self._exchanging = False

    def turn(self, table: bytes) -> tuple[int, bool]:
        """Process the table of a turn; return the player to act, and whether that is `me`."""
        player, mine = wire.turn_of(table)
        if not 0 <= player < PLAYERS:
            raise InputError(f"the server's table asks player {player}")
        if not self._leading:
            self._leading = True
            self._lead(table, player)
        if mine:
            if player != self.me:
                raise InputError(f"the server's table asks this client, but as player {player}")
            _left(table)  # checks the sizes before the kernel uses them
            numbers = np.frombuffer(table, ">i4").astype(np.int64)
            settle(self._rules, self.finish(), self.me, np.uint64(_hand(table)), numbers)
        return player, mine

    def _lead(self, table: bytes, leader: int) -> None:
        """Begin the first trick; its first table shows the hands after the exchange."""
        view = self.view
        hand = _hand(table)
        if self._exchanging:
            self._end_exchange(hand)  # reads the hand before, which is replaced below
        view.hands[self.me] = hand
        view.left[:] = _left(table)
        view.leader = leader
        new_trick(view, leader)

    def see(self, player: int, cells: bytes) -> None:
        """Process the cells after a turn: a play, or unchanged or blank cells for a pass."""
        action: int | None = PASS
        if cells not in (self._lying, wire.NOTHING):
            action = wire.read_play(cells)
            self._lying = cells
        if action is None:
            raise InputError("the server's table shows no play of Daihinmin")
        self._seen += (player, action)

    def finish(self) -> State:
        """Apply all turns seen so far and return the view."""
        if self._seen:
            catch_up(self._rules, self.view, np.array(self._seen, np.int64))
            self._seen.clear()
        return self.view


def _left(table: bytes) -> tuple[int, ...]:
    """Read the sizes of all hands; refuse any beyond the bounds that kernels rely on."""
    left = wire.read_status(table).left
    if not all(0 <= number <= MOST_LEFT for number in left):
        raise InputError(f"the server's table has sizes of hands outside 0 to {MOST_LEFT}: {left}")
    return left


def _hand(table: bytes) -> int:
    """Read the hand of the recipient, a set of bits; refuse a table without one."""
    cards = wire.held_cards(table[: wire.CELLS])
    if not cards or cards & ~int(DECK):
        raise InputError("the server's table does not show a hand")
    return cards
