"""Views of Daihinmin, and determinisations consistent with a view.

A player knows its own cards, all cards played, the cards given face up after sevens, and the number
of cards in every hand. Daihinmin and hinmin know the tax that they paid and the cards that they got
back. Daifugo and fugo know the cards that they gave back, but not which of their cards were the
tax. All players know who held the three of diamonds when the first trick was led. `exchange.py`
defines pairs, winners and losers.
"""

import numpy as np

from closedhand.core import bits
from closedhand.core.cards import draw_place, total
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.games.daihinmin.cards import added, alike, best_of, bit, deck_of, removed
from closedhand.games.daihinmin.exchange import (
    TAXES,
    best_cards,
    has_exchange,
    is_complete,
    loser,
    winner,
)
from closedhand.games.daihinmin.plays import BOTH, DIAMOND_THREE, JOKER
from closedhand.games.daihinmin.seven_ten_rules import gone_from, own_of, shown_by
from closedhand.games.daihinmin.state import HIDDEN, MOST, two_jokers

CANDIDATES = 8
"""Number of determinisations of the unseen cards from which one is drawn by weight."""


@kernel
def hide(rules, state, player):
    """Turn `state` into the view of `player`: hidden sets and `seed` to 0, picks to `HIDDEN`."""
    for other in range(len(state.hands)):
        if other != player:
            state.hands[other] = np.uint64(0)
    state.seed = np.uint64(0)
    if has_exchange(rules, state):
        first = 0
        for pair in range(len(state.taxed)):
            taking, giving = winner(state, pair), loser(state, pair)
            if player != giving:
                state.taxed[pair] = np.uint64(0)
            if player != taking and not (player == giving and is_complete(state, pair)):
                state.returned[pair] = np.uint64(0)
                for move in range(first, min(first + TAXES[pair], state.moves)):
                    state.history[move] = HIDDEN
            first += TAXES[pair]


@kernel
def unseen(state, player):
    """Return all cards neither in the hand of `player` nor played, also those `known` to it."""
    cards = removed(state, deck_of(state), state.hands[player])
    for other in range(len(state.hands)):
        cards = removed(state, cards, state.played[other])
    return cards


@kernel
def known(rules, state, player, other):
    """Return the cards that `player` knows to be in the hand of `other`."""
    cards = np.uint64(0)
    if has_exchange(rules, state):
        for pair in range(len(state.taxed)):
            taking, giving = winner(state, pair), loser(state, pair)
            if player == taking and other == giving and is_complete(state, pair):
                cards |= state.returned[pair]
            elif player == giving and other == taking:
                cards |= removed(state, state.taxed[pair], state.returned[pair])
    if other == state.leader:
        cards |= bit(DIAMOND_THREE)
    return added(state, removed(state, cards, gone_from(state, other)), shown_by(state, other))


@kernel
def redeal(rules, view, player, rng):
    """Turn the view of `player` into a random full state that is consistent with it.

    All deals and exchanges consistent with the view are equally likely. This is only approximate if
    other players have completed an exchange: one of `CANDIDATES` determinisations is then drawn,
    each weighted by the number of exchanges that lead to it. Two jokers are alike, but in these
    numbers a joker paid as tax counts as better than one kept.
    """
    room = np.zeros(MOST, np.int64)[: len(view.hands)]
    hidden = unseen(view, player)
    for other in range(len(view.hands)):
        if other != player:
            view.hands[other] = known(rules, view, player, other)
            hidden = removed(view, hidden, view.hands[other])
            room[other] = view.left[other] - bits.size(view.hands[other])
    exchange = has_exchange(rules, view)
    if exchange:
        for pair in range(len(view.taxed)):
            taking, giving = winner(view, pair), loser(view, pair)
            if player == taking:
                dealt = deal_taxed(rules, view, pair, hidden, room[giving], rng)
                hidden = removed(view, hidden, dealt)
                room[giving] = 0
            elif player != giving and not is_complete(view, pair):
                # Deal the hands as before the tax: `draw_exchange` then takes it from the payer.
                room[giving] += TAXES[pair]
                room[taking] -= TAXES[pair]
    deal_likely(rules, view, player, hidden, room, rng)
    if exchange:
        draw_exchanges(rules, view, player, rng)
    view.seed = seed_in_kernel(rng)


@kernel
def draw_exchanges(rules, view, player, rng):
    """Draw what `player` does not know of the exchanges, given all hands; complete the history."""
    for pair in range(len(view.taxed)):
        # A winner's tax has been drawn with the payer's hand, by `deal_taxed`.
        if player != winner(view, pair):
            draw_exchange(rules, view, pair, player == loser(view, pair), rng)
    move = 0
    for pair in range(len(view.taxed)):
        cards = view.returned[pair]
        while cards and move < view.moves:
            view.history[move] = min(bits.lowest(cards), JOKER)  # both jokers have one action id
            cards &= cards - np.uint64(1)
            move += 1


@kernel
def deal_likely(rules, view, player, hidden, room, rng):
    """Deal `hidden`, a set, to `view.hands`, `room[other]` cards each (int64 [players], unchanged).

    Weighted reservoir sampling: each new deal replaces the chosen one with probability weight /
    total; see `exchange_weight`. No weight is 0: the cards given back may always be the tax itself.
    """
    candidates = 1
    if has_exchange(rules, view):
        for pair in range(len(view.taxed)):
            if player not in (winner(view, pair), loser(view, pair)) and is_complete(view, pair):
                candidates = CANDIDATES
    # Made once, with a constant length: on a GPU they are on the stack of a thread.
    hands, chosen = np.empty(MOST, np.uint64), np.empty(MOST, np.uint64)
    rooms = np.zeros(MOST, np.int64)
    for other in range(len(view.hands)):
        chosen[other] = view.hands[other]
    if two_jokers(view) and hidden & BOTH == bit(JOKER):
        # A hand may contain the other joker already, as card 52: deal this one as card 53, so that
        # `|=` keeps both. Below, `alike` turns it back into card 52 in a hand without the other.
        hidden ^= BOTH
    weights = 0.0
    for _ in range(candidates):
        for other in range(len(view.hands)):
            hands[other], rooms[other] = view.hands[other], room[other]
        deal_rest(hands, hidden, rooms, rng)
        if two_jokers(view):
            for other in range(len(view.hands)):
                hands[other] = alike(hands[other])
        weight = exchange_weight(rules, view, player, hands) if candidates > 1 else 1.0
        weights += weight
        if rng.random() * weights < weight:
            for other in range(len(view.hands)):
                chosen[other] = hands[other]
    for other in range(len(view.hands)):
        view.hands[other] = chosen[other]


@kernel
def deal_rest(hands, hidden, room, rng):
    """Deal the cards of `hidden` at random to `hands`, `room[player]` to each; zero `room`."""
    left = total(room)
    while hidden:
        taker = draw_place(room, left, rng)
        left -= 1
        hands[taker] |= hidden & (~hidden + np.uint64(1))  # the lowest bit
        hidden &= hidden - np.uint64(1)


@kernel
def deal_taxed(rules, view, pair, hidden, number, rng):
    """Deal `number` cards of `hidden` to the observer's payer, return these, and draw the tax.

    The payer kept no card better than one it paid, and the whole tax was in the observer's hand.
    So the best card that the payer kept determines the number of possible taxes. That card is drawn
    first, weighted by the number of taxes and of hands that go with it. The other cards are drawn
    from those below it, and the tax from the observer's cards above it.
    """
    tax = TAXES[pair]
    held, kept = held_and_kept(view, pair)
    best = best_of(kept)
    below = hidden & ~above(best)
    total = ways_to_pay(rules, held, best, tax) * ways(rules, bits.size(below), number)
    drawn = -1  # the best card kept is `best`, a card that the observer knows
    candidates = hidden & above(best) if number > 0 else np.uint64(0)
    while candidates:
        card = bits.lowest(candidates)
        candidates &= candidates - np.uint64(1)
        weight = ways_to_pay(rules, held, card, tax)
        # `above(card - 1)` is `card` and all better ones: the others come from below `card`.
        weight *= ways(rules, bits.size(hidden & ~above(card - 1)), number - 1)
        total += weight
        if rng.random() * total < weight:
            drawn = card
    if drawn < 0:
        dealt = draw_some(below, number, rng)
    else:
        dealt = bit(drawn) | draw_some(hidden & ~above(drawn - 1), number - 1, rng)
    dealt = alike(dealt)
    giving = loser(view, pair)
    view.hands[giving] = added(view, view.hands[giving], dealt)
    draw_tax(rules, view, pair, held, max(best, drawn), rng)
    return dealt


@kernel
def held_and_kept(view, pair):
    """Return what a winner owned (`own_of`) before it gave cards back, and what its loser kept."""
    taking, giving = winner(view, pair), loser(view, pair)
    held = own_of(view, taking, view.hands[taking])
    kept = own_of(view, giving, view.hands[giving])
    if is_complete(view, pair):
        held = added(view, held, view.returned[pair])
        kept = removed(view, kept, view.returned[pair])
    return held, kept


@kernel
def draw_tax(rules, view, pair, held, best, rng):
    """Draw the tax, into `taxed`, from the winner's cards `held` that are better than `best`."""
    view.taxed[pair] = alike(draw_some(payable(rules, held, best), TAXES[pair], rng))


@kernel
def ways(rules, cards, number):
    """Return the number of ways to choose `number` of `cards` cards; 0 if `number` is negative."""
    return rules.plays.binomial[cards, number] if number >= 0 else 0.0


@kernel
def ways_to_pay(rules, held, best, tax):
    """Return the number of sets of `tax` cards of `held` that are all better than card `best`."""
    number = ways(rules, bits.size(payable(rules, held, best)), tax)
    # A payer of one of two jokers could have paid either, so each counts as half a way.
    return number / 2 if two_jokers(rules.plays) and best >= JOKER else number


@kernel
def payable(rules, cards, best):
    """Return the `cards` that a payer whose best kept card is `best` can have paid."""
    if two_jokers(rules.plays) and best >= JOKER:  # only the other joker
        return cards & BOTH
    return cards & above(best)


@kernel
def above(card):
    """Return a mask of the cards that are better for taxes than `card`; -1: of all cards."""
    return ~(bit(card + 1) - np.uint64(1))


@kernel
def draw_some(cards, number, rng):
    """Draw a random subset of `number` cards, at most all (Knuth, TAOCP 2, algorithm S)."""
    chosen = np.uint64(0)
    left = bits.size(cards)
    while number > 0:
        lowest = cards & (~cards + np.uint64(1))
        if rng.random() * left < number:
            chosen |= lowest
            number -= 1
        left -= 1
        cards &= ~lowest
    return chosen


@kernel
def draw_exchange(rules, view, pair, paid, rng):
    """Draw what a pair's exchange hides from its loser (`paid`) or from a player outside it."""
    taking, giving = winner(view, pair), loser(view, pair)
    if is_complete(view, pair):
        if not paid:
            draw_complete_exchange(rules, view, pair, rng)
        return
    if not paid:
        view.taxed[pair] = best_cards(view.hands[giving], TAXES[pair])
        view.hands[giving] = removed(view, view.hands[giving], view.taxed[pair])
        view.hands[taking] = added(view, view.hands[taking], view.taxed[pair])
    # The daifugo has chosen one of two cards, in ascending order: not its highest one.
    if pair == 0 and view.moves == 1:
        choices = view.hands[taking] & ~bit(bits.highest(view.hands[taking]))
        view.returned[pair] = draw_some(choices, 1, rng)


@kernel
def draw_complete_exchange(rules, view, pair, rng):
    """Draw a pair's tax and the cards given back, uniformly from all that lead to the two hands."""
    tax = TAXES[pair]
    taking, giving = winner(view, pair), loser(view, pair)
    held = own_of(view, taking, view.hands[taking])
    got = own_of(view, giving, view.hands[giving])
    # Draw `same` in proportion to `ways_of_exchange`, then uniformly one of these exchanges.
    total, drawn = 0.0, 0
    for same in range(tax + 1):
        weight = ways_of_exchange(rules, held, got, tax, same)
        total += weight
        if rng.random() * total < weight:
            drawn = same
    top = best_cards(got, drawn)
    best = bits.highest(removed(view, got, top))
    below = got & ~above(best - 1)
    view.returned[pair] = top | draw_some(below, tax - drawn, rng)
    draw_tax(rules, view, pair, added(view, held, top), best, rng)


@kernel
def ways_of_exchange(rules, held, got, tax, same):
    """Count the exchanges in which exactly the loser's best `same` cards were given back.

    The loser kept its next best card from its own hand, so all of the tax is better than it, and
    the remaining cards given back are below it. Every exchange has one such number `same`. `held`
    and `got` are the hands of the winner and the loser after the exchange.
    """
    top = best_cards(got, same)
    best = bits.highest(removed(rules.plays, got, top))
    paid = bits.size(payable(rules, added(rules.plays, held, top), best))
    return ways(rules, bits.size(got) - same - 1, tax - same) * ways(rules, paid, tax)


@kernel
def exchange_weight(rules, view, player, hands):
    """Count the ways that exchanges without `player` can have led to `hands`, uint64 by player."""
    weight = 1.0
    for pair in range(len(view.taxed)):
        taking, giving = winner(view, pair), loser(view, pair)
        if player not in (taking, giving) and is_complete(view, pair):
            held = own_of(view, taking, hands[taking])
            got = own_of(view, giving, hands[giving])
            total = 0.0
            for same in range(TAXES[pair] + 1):
                total += ways_of_exchange(rules, held, got, TAXES[pair], same)
            weight *= total
    return weight


@kernel
def deal_weight(rules, state, player):
    """Count the exchanges, unknown to `player`, that lead to the hands of a full state, as a float.

    A loser knows all of its pair's exchange, a winner all but the tax, others nothing. The
    exchange must be over. `redeal` draws determinisations about in proportion to this number.
    """
    if not has_exchange(rules, state):
        return 1.0
    weight = exchange_weight(rules, state, player, state.hands)
    for pair in range(len(state.taxed)):
        if player == winner(state, pair):
            held, kept = held_and_kept(state, pair)
            weight *= ways_to_pay(rules, held, best_of(kept), TAXES[pair])
    return weight


@kernel
def draw_exchanges_again(rules, state, player, rng):
    """Draw what `player` does not know of the exchanges, after the others' hands have changed."""
    if has_exchange(rules, state):
        for pair in range(len(state.taxed)):
            if player == winner(state, pair):
                held, kept = held_and_kept(state, pair)
                draw_tax(rules, state, pair, held, best_of(kept), rng)
        draw_exchanges(rules, state, player, rng)
