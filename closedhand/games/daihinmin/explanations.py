"""Explanations for people: the notation, reasons of illegal plays, and cards seen and unseen."""

import numpy as np

from closedhand.core.explanations import Cards, Explanations
from closedhand.core.game import Game, State
from closedhand.games.daihinmin import plays
from closedhand.games.daihinmin.cards import bit, together, without
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.seven_ten_rules import due_of, shown_by
from closedhand.games.daihinmin.state import Rules
from closedhand.games.daihinmin.tricks import is_number_locked

CARDS_HELP = "Cards are rank and suit, 3 4 5 6 7 8 9 T J Q K A 2 in c d h s; the joker is *.\n"
PLAYS_HELP = """\
A play is its cards: 7d, 5c5h, a kaidan 7s8s9s. The joker follows the card that
it stands for: 5c5h*, 7s8s*9s; _c*3c4c below the 3, Ac2c_c* above the 2. After a
plus it is the fifth card of a group: 5c5d5h5s+*."""
SETS_HELP = "A play is its cards: 7d, 5c5h, a kaidan 7s8s9s, with the joker last: 5c*."
PASS_HELP = "\nPASS passes. In the exchange name one card to give; two go from low to high."
TWO_JOKERS_HELP = """
There are two jokers: 5c5h*5s*, 7s*8s9s*, and ** for the pair that nothing beats."""
HANDING_HELP = """
After a group of 7s or 10s name one card to give or discard, low to high; PASS
ends that."""

LENGTHS = ("single", "pair", "group of 3", "group of 4", "group of 5")
KINDS = ("single", "pair", "three of a kind", "four of a kind", "five of a kind", "kaidan")
"""The names that players give the families; a kaidan has one name at any length."""


def _kind(family: int) -> str:
    """Name a family: `pair`, `kaidan of 3`."""
    if family < plays.FIRST_KAIDAN:
        return LENGTHS[family]
    return f"kaidan of {family - plays.FIRST_KAIDAN + plays.SHORTEST}"


def _play_of(game: Game, action: int) -> int:
    """Return the play of an action; the first one if the action is a set of cards."""
    return int(game.rules.tables.readings[action, 0]) if game.flat_form else action


def kind(game: Game, action: int) -> str:
    """Name the kind of a play; empty for the pass."""
    play = _play_of(game, action)
    family = int(game.flat.rules.plays.family[play])
    return "" if play == plays.PASS else KINDS[min(family, plays.FIRST_KAIDAN)]


def reason(game: Game, state: State, action: int) -> str:
    """Explain why an action is illegal; for a set of cards, why its first play is."""
    rules, play, text = game.flat.rules, _play_of(game, action), game.text(action)
    table, hand, target = rules.plays, state.hands[state.player], int(state.target)
    if state.leader < 0 and play > plays.JOKER:
        return "this is the exchange: name one card to give"
    if due_of(state):
        held = play <= plays.JOKER and hand & bit(play)
        return "cards go from low to high" if held else "name one card of yours to hand on, or PASS"
    if play == plays.PASS:
        return "you lead: a leader may not pass"
    missing = without(state, table.need[play], hand)
    if missing:
        return f"not in your hand: {plays.cards_text(missing)}"
    if state.leader < 0:
        return "two cards are given from low to high"
    low, high, family = table.low[play], table.high[play], int(table.family[play])
    if family >= plays.FIRST_KAIDAN:
        if not rules.options.kaidan:
            return "this game has no kaidan"
        if not rules.options.joker_edges and (low < 0 or high >= plays.NUM_RANKS):
            return "in this game the joker stands for no card below the 3 or above the 2"
    if plays.is_pair_of_jokers(rules, target):
        return "nothing beats two jokers"
    if target == plays.JOKER:
        return "only 3s beats the joker" if rules.options.spade_three else "nothing beats the joker"
    wanted = _kind(int(table.family[target]))
    there = f"{plays.cards_text(table.need[target])} ({wanted})"
    if family != table.family[target]:
        return f"{text} ({_kind(family)}) cannot beat {there}: it takes a {wanted}"
    if state.lock and table.suits[play] != state.lock and play != plays.JOKER:
        suits = "".join(suit for i, suit in enumerate(plays.SUITS) if state.lock >> i & 1)
        return f"the suits are locked: it takes {suits}"
    beats = high < table.low[target] if state.revolution else low > table.high[target]
    if beats and is_number_locked(rules, state):
        return "the numbers are locked: it takes the next rank"
    order = "lower ranks, after the revolution" if state.revolution else "higher ranks"
    return f"{text} does not beat {there}: it takes {order}"


def cards(game: Game, view: State, player: int) -> Cards:
    """List the cards seen, played or given face up, and those unseen, outside the own hand."""
    seen, rest = np.uint64(0), unseen(view, player)
    for other in range(game.num_players):
        seen = together(view, seen, view.played[other])
        if other != player:
            seen = together(view, seen, shown_by(view, other))
            rest = without(view, rest, shown_by(view, other))
    return Cards(plays.cards_in(seen), plays.cards_in(rest))


def explanations_of(rules: Rules, sets: bool = False) -> Explanations:
    """Return the explanations of a game with plays, or with sets of cards, as actions."""
    text = CARDS_HELP + (SETS_HELP if sets else PLAYS_HELP) + PASS_HELP
    text += TWO_JOKERS_HELP if rules.options.jokers > 1 else ""
    text += HANDING_HELP if rules.has_gifts else ""
    return Explanations(text, reason, cards, kind)
