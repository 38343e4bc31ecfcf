"""Validation of Dou Dizhu states: the reason why the rules do not allow one.

Everything is checked except `seed`, from which the next deal follows if everybody passes in the
auction. It may be any number but 0 in a full state, and must be 0 in a view.
"""

from collections.abc import Sequence

import numpy as np

from closedhand.core import validity
from closedhand.games.doudizhu.auction import MOST_SAID, MOST_WORDS, is_shown
from closedhand.games.doudizhu.rules import begin, third
from closedhand.games.doudizhu.state import LONGEST, SEATS, Rules


def valid(
    rules: Rules,
    state: np.record,
    player: int | None = None,
    factored: object = None,
    steps: Sequence[int] = (),
) -> str:
    """Return the reason why the rules do not allow `state`; see `closedhand.core.contract`.

    An incomplete play consists of `steps` under `factored`, the rules in sub-steps.
    """
    bounds = {
        "moves": (0, LONGEST),
        "landlord": (-1, int(rules.options.players) - 1),
        "words": (0, MOST_SAID),
        "passed": (0, max(int(rules.options.passed_deals) - 1, 0)),
    }
    wrong = validity.outside(state, bounds)
    if wrong:
        return wrong
    if player is not None:
        return _unfit(rules, state, player) or validity.unlike_redealt(
            rules, state, player, lambda full: valid(rules, full, None, factored, steps)
        )
    if state.seed == 0:
        return "seed is 0, from which nothing can be dealt"
    start = state.copy()
    wrong = _take_back(rules, state, start)
    if wrong:
        return wrong
    begin(rules, start)
    start.passed = state.passed
    ids = int(rules.plays.number) + MOST_WORDS
    wrong = validity.replay(rules, start, state.history[: state.moves], ids)
    if steps and not wrong:
        wrong = validity.replay(factored, start, steps, ids, "sub-step")
    return wrong or validity.difference(state, start, SEATS)


def counts(cards: np.uint64) -> np.ndarray:
    """Unpack a hand to the number of cards of each rank, int64 [16]; the last entry is unused."""
    return (cards >> _SHIFTS & np.uint64(15)).astype(np.int64)


_SHIFTS = np.arange(0, 64, 4, dtype=np.uint64)


def _take_back(rules: Rules, state: np.record, start: np.record) -> str:
    """Write the dealt hands into `start`; return why they are not a deal, or an empty text."""
    public = counts(state.public)
    piles = zip(state.hands, state.played, strict=True)
    hands = [counts(held) + counts(played) for held, played in piles]
    if state.landlord >= 0:
        hands[state.landlord] = hands[state.landlord] - public
        if (hands[state.landlord] < 0).any():
            return "the landlord has never had the public cards"
    if (sum(hands) + public != counts(rules.options.deck)).any():
        return "the cards do not make a deck"
    sizes = [int(hand.sum()) for hand in hands]
    if sizes != [rules.options.hand, rules.options.hand, third(rules)]:
        return f"hands of {rules.options.hand} cards are dealt, not of {sizes}"
    for seat, hand in enumerate(hands):
        start.hands[seat] = (hand.astype(np.uint64) << _SHIFTS).sum()
    return ""


def _unfit(rules: Rules, view: np.record, player: int) -> str:
    """Return the reason why a record is not a view that `redeal` can fill, or an empty string."""
    shown = int(view.landlord) if is_shown(rules, view) else player
    if view.seed or any(view.hands[seat] for seat in range(SEATS) if seat not in (player, shown)):
        return f"a view of player_{player} shows neither the others' hands nor the seed"
    played = [counts(cards) for cards in view.played]
    public = counts(view.public)
    unseen = counts(rules.options.deck) - counts(view.hands[player]) - sum(played)
    if (unseen < 0).any():
        return "the cards are more than a deck"
    room = view.left.tolist()
    if min(room) < 0 or room[player] != counts(view.hands[player]).sum():
        return f"left is not what player_{player} holds, or what a hand can hold"
    if view.landlord < 0:
        room[player] = rules.options.public
        if view.public:
            return "public is known before the auction is over"
    else:
        room[player] = 0
        if public.sum() != rules.options.public:
            return f"public holds {public.sum()} cards, not {rules.options.public}"
        if view.landlord != player:
            known = np.maximum(public - played[view.landlord], 0)
            if shown != player:
                held = counts(view.hands[shown])
                if (known > held).any() or held.sum() != room[shown]:
                    return f"the hand that player_{shown} has shown is not what it can hold"
                known = held
            if (known > unseen).any() or known.sum() > room[view.landlord]:
                return "the landlord cannot hold the public cards"
    if sum(room) != unseen.sum():
        return f"{unseen.sum()} cards are unseen, but the hands lack {sum(room)}"
    return ""
