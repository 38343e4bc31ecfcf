"""Validation of Dou Dizhu states: the reason why the rules do not allow one.

All fields are checked, but `seed` may be any number except 0, and is 0 in a view.
"""

from collections.abc import Sequence

import numpy as np

from closedhand.core import validity
from closedhand.games.doudizhu.auction import MOST_SAID, MOST_WORDS, is_shown
from closedhand.games.doudizhu.counts import SHIFTS, by_rank
from closedhand.games.doudizhu.hidden import known_landlord
from closedhand.games.doudizhu.rules import begin, third
from closedhand.games.doudizhu.state import LONGEST, SEATS, Rules


def valid(
    rules: Rules,
    state: np.record,
    player: int | None = None,
    factored: object = None,
    steps: Sequence[int] = (),
) -> str:
    """Return why `state`, a view if `player` is given, is invalid; an empty text if it is valid.

    `steps` are those of a play not yet complete, by `factored`, the rules in sub-steps.
    """
    bounds = {
        "moves": (0, LONGEST),
        "landlord": (-1, int(rules.options.players) - 1),
        "words": (0, MOST_SAID),
        "passed": (0, max(int(rules.options.passed_deals) - 1, 0)),
    }
    if wrong := validity.outside(state, bounds):
        return wrong
    if player is not None:
        return _unfit(rules, state, player) or validity.unlike_redealt(
            rules, state, player, lambda full: valid(rules, full, None, factored, steps)
        )
    if state.seed == 0:
        return "seed is 0, from which nothing can be dealt"
    start = state.copy()
    if wrong := _take_back(rules, state, start):
        return wrong
    begin(rules, start)
    start.passed = state.passed
    ids = int(rules.plays.number) + MOST_WORDS
    wrong = validity.replay(rules, start, state.history[: state.moves], ids)
    if steps and not wrong:
        wrong = validity.replay(factored, start, steps, ids, "sub-step")
    return wrong or validity.difference(state, start, SEATS)


def _take_back(rules: Rules, state: np.record, start: np.record) -> str:
    """Write the dealt hands into `start`; return why they are not a deal, or an empty text."""
    public = by_rank(state.public)
    hands = by_rank(state.hands) + by_rank(state.played)
    if state.landlord >= 0:
        hands[state.landlord] -= public
        if (hands < 0).any():
            return "the landlord has never had the public cards"
    if (hands.sum(axis=0) + public != by_rank(rules.options.deck)).any():
        return "the cards do not make a deck"
    sizes = hands.sum(axis=1).tolist()
    if sizes != [rules.options.hand, rules.options.hand, third(rules)]:
        return f"hands of {rules.options.hand} cards are dealt, not of {sizes}"
    start.hands[:] = (hands.astype(np.uint64) << SHIFTS).sum(axis=1)
    return ""


def _unfit(rules: Rules, view: np.record, player: int) -> str:
    """Return why a record is not a view that `redeal` can fill; an empty text if it is."""
    shown = int(view.landlord) if is_shown(rules, view) else player
    if view.seed or any(view.hands[seat] for seat in range(SEATS) if seat not in (player, shown)):
        return f"a view of player_{player} shows neither the others' hands nor the seed"
    hidden = by_rank(rules.options.deck) - by_rank(view.hands[player])
    hidden -= by_rank(view.played).sum(axis=0)
    room = view.left.tolist()
    room[player] = 0
    if view.landlord < 0:
        room.append(int(rules.options.public))
    elif view.landlord != player:
        known = by_rank(np.uint64(known_landlord(rules, view)))
        hidden -= known
        room[view.landlord] -= int(known.sum())
    if (hidden < 0).any() or min(room) < 0 or hidden.sum() != sum(room):
        return f"the cards that player_{player} does not see are not as many as left says"
    return ""
