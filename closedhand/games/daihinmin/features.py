"""A player's compact observation: a short vector of small numbers, for networks of dense layers.

Players are in the order of play, starting with the observer. The numbers hold the information of
the planes, with the cards of the trick by rank only. `left` ends at the largest hand of the
exchange, although cards given after sevens may make a hand larger. Unlike the planes, the
numbers also show who led the first trick, the places of those out, and the number of passes.
"""

from collections import namedtuple

import numpy as np

from closedhand.core import bits
from closedhand.core.features import Feature, FeatureTable, labels
from closedhand.core.numba.jit import inlined, kernel
from closedhand.games.daihinmin.exchange import TAXES, seen_in_exchange
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.planes import write_house
from closedhand.games.daihinmin.plays import (
    CARDS,
    FIRST_KAIDAN,
    FIVE,
    NO_JOKER,
    NUM_CARDS,
    RANKS,
    SECOND_BIT,
    SUITS,
    second_joker,
    sizes_dealt,
)
from closedhand.games.daihinmin.seven_ten_rules import due_of, shown_by
from closedhand.games.daihinmin.state import (
    CLASSES,
    MOST_PASSES,
    TITLES,
    Rules,
    by_players,
    titles_of,
    two_jokers,
)

NUM_RANKS = 1 + len(RANKS)
"""Number of ranks of cards; the joker counts as the last rank."""
STRENGTHS = ("_", *RANKS, "^")
"""Ranks of plays: the joker may stand below the 3 and above the 2."""
SINGLE, GROUP, KAIDAN = range(3)

PLACES = ("self", "next", "second", "third", "fourth", "fifth")


def table_of(players: int) -> FeatureTable:
    """Return the features that all games of `players` players have."""
    places = PLACES[:players]
    most_left = sizes_dealt(players)[0] + TAXES[0]  # the daifugo's hand in the exchange
    return FeatureTable(
        Feature("hand", CARDS, "the observer holds the card"),
        Feature("unseen", CARDS, "the observer has not seen the card"),
        Feature("to beat", CARDS, "cards of the play to beat, the joker as itself"),
        Feature("to beat is", ("single", "group", "kaidan"), "kind of the play to beat"),
        Feature("to beat from", STRENGTHS, "its lowest rank; the lone joker is above the 2"),
        Feature("to beat to", STRENGTHS, "its highest rank"),
        Feature("joker rank", STRENGTHS, "the rank that the joker of the play to beat stands for"),
        Feature("joker suit", (*SUITS, "fifth"),
                "its suit, or that it is the fifth card of a group"),
        Feature("played", labels(places, CARDS), "the player has played the card in this round"),
        Feature("trick", labels(places, (*RANKS, "*")),
                "number of cards of the rank that the player has played in this trick", most=4),
        Feature("given", CARDS, "the observer gave the card away in the exchange, if known"),
        Feature("got", CARDS, "the observer got the card in the exchange, if known"),
        Feature("left", labels(places, range(1, most_left + 1)),
                "the player has at least as many cards left"),
        Feature("place", places, "the player is out in this place, 0: is not out", most=players),
        Feature("passed", places, "the player has passed in this trick or is out"),
        Feature("class", labels(places, CLASSES), "the player's class; all 0 without classes"),
        Feature("turn", places, "the player is to act"),
        Feature("owner", places, "the player made the play to beat, or leads"),
        Feature("leader", places, "the player led the first trick, with the three of diamonds"),
        Feature("lock", SUITS, "the lock is on the suit"),
        Feature("revolution", ("",), "the order of the ranks is turned"),
        Feature("lead", ("",), "there is no play to beat, and no exchange"),
        Feature("exchange", ("",), "cards are being exchanged"),
        Feature("passes", ("",), "number of passes since the last play", most=MOST_PASSES),
    )  # fmt: skip


def table(rules: Rules) -> FeatureTable:
    """Return all features of a game: those of `table_of`, and those of its optional rules."""
    places = PLACES[: int(rules.options.players)]
    found = table_of(len(places))
    if rules.has_house:
        found += FeatureTable(
            Feature("jack", ("",), "a jack has turned the order of the ranks until the trick ends"),
            Feature("reversed", ("",), "the order of play is reversed"),
            Feature("fallen", places, "the player was the daifugo and has fallen"),
        )
    if rules.has_gifts:
        found += FeatureTable(
            Feature("due", ("",), "cards that the player to act may still give or discard",
                    most=FIVE),
            Feature("shown", labels(places, CARDS),
                    "the player got the card after a seven and holds it"),
        )  # fmt: skip
    if rules.options.jokers > 1:  # the numbers above describe one joker only
        found += FeatureTable(
            Feature("both jokers", ("hand", "unseen", "to beat", "given", "got"),
                    "both jokers are among the cards"),
            Feature("both jokers played", places,
                    "the player has played both jokers in this round"),
            Feature("both jokers shown", places, "the player got both jokers after sevens"),
            Feature("second joker rank", STRENGTHS,
                    "the rank that the second joker of the play to beat stands for"),
            Feature("second joker suit", (*SUITS, "fifth"),
                    "its suit, or that it is the fifth card of a group"),
        )  # fmt: skip
    return found


Starts = namedtuple(
    "Starts",
    "hand unseen beat beat_is beat_from beat_to joker_rank joker_suit played trick given got left "
    "place passed classes turn owner leader lock revolution lead exchange passes size",
)
"""Index of the first number of each group of `table_of`, in order, and length of the table."""

starts_of = by_players({n: Starts._make((*table_of(n).starts, len(table_of(n)))) for n in TITLES})
"""Function that returns the `Starts` for the players of a state."""


@kernel
def features(rules, state, player, out):
    """Write the compact observation, in the order of `table`, to `out`, which is all zero."""
    at = starts_of(state)
    most = (at.place - at.left) // len(state.hands)  # the most cards left that are shown
    write_cards(out, at.hand, state.hands[player])
    write_cards(out, at.unseen, unseen(state, player))
    given, got = seen_in_exchange(rules, state, player)
    if given:
        write_cards(out, at.given, given)
    if got:
        write_cards(out, at.got, got)
    other = np.int64(player)
    for i in range(len(state.hands)):
        write_cards(out, at.played + NUM_CARDS * i, state.played[other])
        count_ranks(out, at.trick + NUM_RANKS * i, state.trick[other])
        left = min(np.int64(state.left[other]), most)
        out[at.left + most * i : at.left + most * i + left] = 1
        out[at.place + i] = 1 + state.places[other]  # `places`: 0 is first out, -1 is not out
        out[at.passed + i] = (state.passed >> other) & 1
        if state.classes[other] >= 0:
            out[at.classes + len(CLASSES) * i + titles_of(state)[state.classes[other]]] = 1
        out[at.turn + i] = state.player == other
        out[at.owner + i] = state.owner == other and state.leader >= 0
        out[at.leader + i] = state.leader == other
        other = np.int64(state.next[other])
    if state.target >= 0:
        write_target(rules, at, np.int64(state.target), out)
    for suit in range(4):
        out[at.lock + suit] = (state.lock >> suit) & 1
    out[at.revolution] = state.revolution
    out[at.lead] = state.target < 0 and state.leader >= 0
    out[at.exchange] = state.leader < 0
    out[at.passes] = state.passes
    # The numbers that `table` adds for optional rules follow, in its order.
    after = at.size + write_house(rules, state, player, out[at.size :])
    if rules.options.seven_give + rules.options.ten_discard:
        out[after] = due_of(state)
        # `next` is a circle: after the loop above, `other` is the observer again.
        for i in range(len(state.hands)):
            write_cards(out, after + 1 + NUM_CARDS * i, shown_by(state, other))
            other = np.int64(state.next[other])
        after += 1 + NUM_CARDS * len(state.hands)
    if two_jokers(state):
        write_both(rules, state, player, out, after)


@kernel
def write_both(rules, state, player, out, after):
    """Write which sets hold both jokers, and what the second joker to beat stands for."""
    # In the order of `table`: hand, unseen, to beat, given, got; played, by player; shown, by
    # player; rank and suit of the second joker.
    out[after] = has_both(state.hands[player])
    out[after + 1] = has_both(unseen(state, player))
    given, got = seen_in_exchange(rules, state, player)
    out[after + 3] = has_both(given)
    out[after + 4] = has_both(got)
    players, other = len(state.hands), np.int64(player)
    for i in range(players):
        out[after + 5 + i] = has_both(state.played[other])
        out[after + 5 + players + i] = has_both(shown_by(state, other))
        other = np.int64(state.next[other])
    if state.target >= 0:
        out[after + 2] = has_both(rules.plays.need[state.target])
        stands, suit = second_joker(rules.plays, state.target)
        if stands != NO_JOKER:
            after += 5 + 2 * players
            out[after + 1 + stands] = 1
            out[after + len(STRENGTHS) + (bits.lowest(suit) if suit else 4)] = 1


@kernel
def has_both(cards):
    """Return whether a set holds both jokers."""
    return cards & SECOND_BIT != 0


@inlined
def write_cards(out, first, cards):
    """Write to `out`, from index `first` on, 1 for each card in a set and 0 for any other."""
    for card in range(NUM_CARDS):
        out[first + card] = (cards >> np.uint64(card)) & np.uint64(1)


@kernel
def count_ranks(out, first, cards):
    """Add a set's number of cards of each rank to `out` from index `first` on; joker last."""
    while cards:
        out[first + bits.lowest(cards) // 4] += 1
        cards &= cards - np.uint64(1)


@kernel
def write_target(rules, at, play, out):
    """Write the features of the play to beat, except those of a second joker."""
    plays = rules.plays
    write_cards(out, at.beat, plays.need[play])
    family, stands = plays.family[play], np.int64(plays.stands[play])
    # Ranks count from -1, the joker below the 3. A joker without a suit is the fifth card.
    out[at.beat_is + (SINGLE if family == 0 else GROUP if family < FIRST_KAIDAN else KAIDAN)] = 1
    out[at.beat_from + 1 + np.int64(plays.low[play])] = 1
    out[at.beat_to + 1 + np.int64(plays.high[play])] = 1
    if stands != NO_JOKER:
        suit = np.uint64(plays.joker_suit[play])
        out[at.joker_rank + 1 + stands] = 1
        out[at.joker_suit + (bits.lowest(suit) if suit else 4)] = 1
