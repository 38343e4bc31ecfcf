"""Validation of Daihinmin states: the reason why the rules do not allow one.

The current round is replayed from its deal. What the deal and the actions leave open:

- `seats` and `classes` are any order of the players, or there are no classes.
- Any of the players may have been dealt the larger hands.
- `points` are a possible sum over the rounds played so far.
- `seed` is any number but 0, and 0 in a view.
- Players ranked at random after passes have any order: a redealt view does not determine it.
- The joker may stand wherever a legal play has it, also with `actions="card_sets"`.
"""

from typing import Any

import numpy as np

from closedhand.core import bits, validity
from closedhand.games.daihinmin.cards import are_disjoint, best_of, together, without
from closedhand.games.daihinmin.exchange import TAXES, has_exchange, is_complete, loser, winner
from closedhand.games.daihinmin.hidden import held_and_kept, known, payable, unseen
from closedhand.games.daihinmin.notation import dealt, may_stand, points_before
from closedhand.games.daihinmin.plays import PASS, sizes_dealt
from closedhand.games.daihinmin.rules import begin, over
from closedhand.games.daihinmin.seven_ten_rules import number_owned, own_of
from closedhand.games.daihinmin.state import LONGEST, Rules, two_jokers


def valid(rules: Rules, state: np.record, player: int | None = None) -> str:
    """Return why `state`, a view if `player` is given, is invalid; an empty text if it is valid."""
    if wrong := _no_round(rules, state):
        return wrong
    if player is not None:
        return unfit(rules, state, player) or validity.unlike_redealt(
            rules, state, player, lambda full: valid(rules, full)
        )
    if state.seed == 0:
        return "seed is 0, from which nothing can be dealt"
    hands, jokers = dealt(state), 1 + two_jokers(state)
    sizes = sizes_dealt(len(hands), jokers)
    found = sorted(hand.bit_count() for hand in hands)
    if not are_disjoint(hands, jokers) or found != sorted(sizes):
        return f"the cards are not a deck in hands of {sizes}, in any order"
    start = state.copy()
    start.hands[:] = hands
    start.points[:] = points_before(state)
    begin(rules, start)
    if wrong := validity.replay(rules, start, state.history[: state.moves], len(rules.plays.need)):
        return wrong
    if over(rules, start) and start.moves and start.history[start.moves - 1] == PASS:
        left = ranked_by_chance(rules, start)
        start.places[left] = state.places[left]
        start.points[left] = state.points[left]
    start.seed = state.seed
    return validity.difference(state, start, len(state.hands))


def ranked_by_chance(rules: Rules, state: np.record) -> np.ndarray:
    """Return who is left once passes ended the round, bool [n], but for a daifugo who fell."""
    left = state.left > 0
    if rules.options.capital_fall and ((state.left == 0) & (state.places == 0)).any():
        left &= state.classes != 0
    return left


def _no_round(rules: Rules, state: np.record) -> str:
    """Return why the record cannot be a round of the match; an empty text if it can be."""
    last = int(rules.options.rounds) - 1
    everybody = list(range(len(state.hands)))
    bounds = {"moves": (0, LONGEST), "round_number": (0, last), "leader": (-1, everybody[-1])}
    if wrong := validity.outside(state, bounds):
        return wrong
    if sorted(state.seats.tolist()) != everybody:
        return "seats is not an order of the players"
    if sorted(state.classes.tolist()) not in (everybody, [-1] * len(everybody)):
        return "classes is neither an order of the players nor of nobody"
    if over(rules, state) and sorted(state.places.tolist()) != everybody:
        return "places is not an order of the players, and the game is over"
    if not may_stand(points_before(state), int(state.round_number)):
        return f"points are not those of {state.round_number} rounds"
    return ""


def unfit(rules: Rules, view: np.record, player: int) -> str:
    """Return why a record is not a view that `redeal` can fill; an empty text if it is."""
    hands, played = view.hands.tolist(), view.played.tolist()
    everybody = range(len(hands))
    if view.seed or any(hands[other] for other in everybody if other != player):
        return f"a view of player_{player} shows neither the others' hands nor the seed"
    moved = view.taxed.tolist() + view.returned.tolist()  # these are also in `hands` or `played`
    jokers = 1 + two_jokers(view)
    separate = [[*hands, *played], *([cards] for cards in moved)]
    if not all(are_disjoint(cards, jokers) for cards in separate):
        return "the cards are not those of a deck"
    usual = sizes_dealt(len(hands), jokers)
    if sorted(numbers_dealt(rules, view)) != sorted(usual) or min(view.left) < 0:
        return f"left does not agree with hands of {usual} cards, in any order"
    # Give the others the cards that the player knows; `room` then counts their unknown cards.
    view = view.copy()
    hidden = unseen(view, player)
    for other in everybody:
        if other != player:
            view.hands[other] = known(rules, view, player, other)
            hidden = without(view, hidden, view.hands[other])
    room = [int(left) - bits.size(cards) for left, cards in zip(view.left, view.hands, strict=True)]
    # Given cards that no hand can have held would make `redeal` index outside its tables.
    owned = [bits.size(own_of(view, each, view.hands[each])) + room[each] for each in everybody]
    agree = owned == [number_owned(view, each) for each in everybody]
    if min(room) < 0 or room[player] or sum(room) != bits.size(hidden) or not agree:
        return "the cards that the players can hold are not as many as left says"
    for pair in range(len(view.taxed)):
        if has_exchange(rules, view) and player == winner(view, pair):
            payer = int(loser(view, pair))
            if not can_have_paid(rules, view, pair, hidden, room[payer]):
                return f"player_{payer} has better cards than the tax that player_{player} got"
    return ""


def numbers_dealt(rules: Rules, view: np.record) -> list[int]:
    """Return the number of cards dealt to each player, before the exchange."""
    numbers = [int(number_owned(view, player)) for player in range(len(view.hands))]
    if has_exchange(rules, view):
        for pair in range(len(view.taxed)):
            # Until its exchange is complete, a winner owns the tax besides, and a loser lacks it.
            if not is_complete(view, pair):
                numbers[winner(view, pair)] -= TAXES[pair]
                numbers[loser(view, pair)] += TAXES[pair]
    return numbers


def can_have_paid(rules: Rules, view: np.record, pair: int, hidden: Any, number: int) -> bool:
    """Return whether a winner's cards can include a tax no worse than all cards its loser kept.

    Besides its hand in `view` the loser has `number` of the `hidden` cards. Only the lowest of them
    are tried: with these the winner has the most cards that can be the tax.
    """
    held, kept = held_and_kept(view, pair)
    lowest, rest = 0, int(hidden)
    for _ in range(number):
        lowest |= rest & -rest
        rest &= rest - 1
    best = best_of(together(view, kept, lowest))
    return bits.size(np.uint64(payable(rules, held, best))) >= TAXES[pair]
