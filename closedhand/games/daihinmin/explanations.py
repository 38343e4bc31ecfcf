"""Explanations for people: the notation, reasons of illegal plays, and cards seen and unseen."""

from functools import partial

import numpy as np

from closedhand.core.explanations import Cards, Explanations, first_reason
from closedhand.core.game import Game, State
from closedhand.games.daihinmin.cards import bit, together, without
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.planes import has_gifts
from closedhand.games.daihinmin.plays import (
    FIRST_KAIDAN,
    JOKER,
    NUM_RANKS,
    PASS,
    SHORTEST,
    SUITS,
    cards_in,
    cards_text,
)
from closedhand.games.daihinmin.seven_ten_rules import due_of, shown_by
from closedhand.games.daihinmin.state import Rules
from closedhand.games.daihinmin.tricks import is_number_locked
from closedhand.games.daihinmin.two_jokers import is_pair_of_jokers

CARDS_HELP = """\
Cards are rank and suit, 3 4 5 6 7 8 9 T J Q K A 2 in c d h s; the joker is *.
"""
PLAYS_HELP = """\
A play is its cards: 7d, 5c5h, a kaidan 7s8s9s. The joker follows the card that
it stands for: 5c5h*, 7s8s*9s; _c*3c4c below the 3, Ac2c_c* above the 2. After a
plus it is the fifth card of a group: 5c5d5h5s+*."""
SETS_HELP = """\
A play is its cards: 7d, 5c5h, a kaidan 7s8s9s, with the joker last: 5c*."""
PASS_HELP = """
PASS passes. In the exchange name one card to give; two go from low to high."""

LENGTHS = ("single", "pair", "group of 3", "group of 4", "group of 5")


def _kind(family: int) -> str:
    """Name a family: `pair`, `kaidan of 3`."""
    if family < FIRST_KAIDAN:
        return LENGTHS[family]
    return f"kaidan of {family - FIRST_KAIDAN + SHORTEST}"


KINDS = ("single", "pair", "three of a kind", "four of a kind", "five of a kind", "kaidan")


def kind(game: Game, action: int, compact: bool) -> str:
    """Name the kind of a play; empty for the pass. See `reason` for the arguments."""
    play = int(game.rules.tables.readings[action, 0]) if compact else action
    rules = game.flat.rules
    if play == PASS or play >= len(rules.plays.family):
        return ""
    return KINDS[min(int(rules.plays.family[play]), FIRST_KAIDAN)]


# The reasons: each takes the rules, a state, an illegal action of the flat game and its text.


def exchange_comes_first(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against more than one card in the exchange."""
    is_card = action <= JOKER
    return "this is the exchange: name one card to give" if state.leader < 0 and not is_card else ""


def cards_are_handed_on(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against any other action while cards are given or discarded."""
    if not due_of(state):
        return ""
    held = action <= JOKER and bool(state.hands[state.player] & bit(action))
    return "cards go from low to high" if held else "name one card of yours to hand on, or PASS"


def leader_passes(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a pass without a play to beat."""
    return "you lead: a leader may not pass" if action == PASS else ""


def cards_are_missing(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against cards that are not in the hand."""
    missing = int(without(state, rules.plays.need[action], state.hands[state.player]))
    return f"not in your hand: {cards_text(missing)}" if missing else ""


def cards_are_given_in_order(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a card that cannot be the first, or the second, of two."""
    return "two cards are given from low to high" if state.leader < 0 else ""


def kaidan_is_off(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a kaidan that the options exclude."""
    is_kaidan = rules.plays.family[action] >= FIRST_KAIDAN
    if is_kaidan and not rules.options.kaidan:
        return "this game has no kaidan"
    outside = rules.plays.low[action] < 0 or rules.plays.high[action] >= NUM_RANKS
    if is_kaidan and outside and not rules.options.joker_edges:
        return "in this game the joker stands for no card below the 3 or above the 2"
    return ""


def joker_lies_there(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a play that does not beat the lone joker."""
    if is_pair_of_jokers(rules, state.target):
        return "nothing beats two jokers"
    if state.target != JOKER:
        return ""
    return "only 3s beats the joker" if rules.options.spade_three else "nothing beats the joker"


def play_is_of_another_kind(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a play whose kind or number of cards differs from the one to beat."""
    own, other = int(rules.plays.family[action]), int(rules.plays.family[state.target])
    if own == other:
        return ""
    there = _there(rules, state)
    return f"{text} ({_kind(own)}) cannot beat {there}: it takes a {_kind(other)}"


def suits_are_locked(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a play of other suits than the lock allows."""
    if not state.lock or rules.plays.suits[action] == state.lock or action == JOKER:
        return ""
    suits = "".join(suit for i, suit in enumerate(SUITS) if state.lock >> i & 1)
    return f"the suits are locked: it takes {suits}"


def numbers_are_locked(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a play that beats the other one, but not by the next rank."""
    low, high, target = rules.plays.low, rules.plays.high, int(state.target)
    beats = high[action] < low[target] if state.revolution else low[action] > high[target]
    locked = beats and is_number_locked(rules, state)
    return "the numbers are locked: it takes the next rank" if locked else ""


def play_is_too_low(rules: Rules, state: State, action: int, text: str) -> str:
    """Give the reason against a play whose ranks do not beat those on the table."""
    order = "lower ranks, after the revolution" if state.revolution else "higher ranks"
    return f"{text} does not beat {_there(rules, state)}: it takes {order}"


def _there(rules: Rules, state: State) -> str:
    """Write the play to beat."""
    there = cards_text(rules.plays.need[state.target])
    return f"{there} ({_kind(int(rules.plays.family[state.target]))})"


REASONS = (
    exchange_comes_first,
    cards_are_handed_on,
    leader_passes,
    cards_are_missing,
    cards_are_given_in_order,
    kaidan_is_off,
    joker_lies_there,
    play_is_of_another_kind,
    suits_are_locked,
    numbers_are_locked,
    play_is_too_low,
)


def reason(game: Game, state: State, action: int, compact: bool) -> str:
    """Explain in one line why an action is illegal.

    Args:
        game: The game.
        state: A state of it.
        action: An illegal action.
        compact: Whether actions are sets of cards; the first play of the set is judged.
    """
    play = int(game.rules.tables.readings[action, 0]) if compact else action
    return first_reason(REASONS, game.flat.rules, state, play, game.text(action))


def cards(game: Game, view: State, player: int) -> Cards:
    """Return the cards played or given face up, and the others that are not in the hand."""
    seen, rest = np.uint64(0), unseen(view, player)
    for other in range(game.num_players):
        seen = together(view, seen, view.played[other])
        if other != player:
            seen = together(view, seen, shown_by(view, other))
            rest = without(view, rest, shown_by(view, other))
    return Cards(cards_in(seen), cards_in(rest))


TWO_JOKERS_HELP = """
There are two jokers: 5c5h*5s*, 7s*8s9s*, and ** for the pair that nothing beats."""
HANDING_HELP = """
After a group of 7s or 10s name one card to give or discard, low to high; PASS
ends that."""


EXPLANATIONS = Explanations(
    CARDS_HELP + PLAYS_HELP + PASS_HELP,
    (partial(reason, compact=False),),
    cards,
    partial(kind, compact=False),
)
EXPLANATIONS_COMPACT = Explanations(
    CARDS_HELP + SETS_HELP + PASS_HELP,
    (partial(reason, compact=True),),
    cards,
    partial(kind, compact=True),
)


def explanations_of(rules: Rules, people: Explanations) -> Explanations:
    """Add the explanations of optional rules to those of all games."""
    more = TWO_JOKERS_HELP if rules.options.jokers > 1 else ""
    more += HANDING_HELP if has_gifts(rules.options) else ""
    return people._replace(help=people.help + more)
