"""Explanations for people: the notation, reasons of illegal plays, and cards seen and unseen."""

from typing import NamedTuple

import numpy as np

from closedhand.core.explanations import Cards, Explanations, first_reason
from closedhand.core.game import Game, State
from closedhand.games.doudizhu.auction import is_opening, is_shown, pass_id, words_to_come
from closedhand.games.doudizhu.counts import RANKS, unpack
from closedhand.games.doudizhu.plays import (
    BOMB,
    CATEGORIES,
    GROUPS,
    PASS_FAMILY,
    PASS_GROUP,
    ROCKET,
)
from closedhand.games.doudizhu.state import Rules
from closedhand.games.doudizhu.substeps import FIRST_BID

CARDS_HELP = """\
Cards are ranks, 3 4 5 6 7 8 9 T J Q K A 2, and the jokers S (small) and B (big).
"""
PLAYS_HELP = """\
A play is its cards in any order: 7, 44, 34567, 3334, 33344456, the rocket SB."""
SUBSTEPS_HELP = """\
A play without kickers is its cards: 7, 44, 34567. For one with kickers choose
the main cards first, with a ? for each card to add (333+?, 333+??), then kicker
by kicker, low to high: +4 or +44."""
PASS_HELP = """
PASS passes. In an auction BID1, BID2 and BID3 bid, and PASS does not."""
CLAIMS_HELP = """
PASS passes. CALL asks to be the landlord, ROB takes that over and doubles the
stake, and PASS does not."""
WORDS_HELP = {
    "DOUBLE": """
DOUBLE doubles what you play for, PASS does not.""",
    "SHOW": """
The landlord's SHOW lays all cards open and doubles the stake, PASS does not.""",
}


class Claim(NamedTuple):
    """An illegal action, with the parts that reasons look at.

    Attributes:
        text: Its notation.
        word: A word as its id less that of the pass, 0 for the pass, -1 for a play.
        group: Main group of a play.
        need: Cards that it needs, packed; in sub-steps the main cards.
    """

    text: str
    word: int
    group: int
    need: np.uint64


def bids_come_first(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against a play of cards during the auction."""
    in_auction = state.landlord < 0 and claim.word < 0
    return "the auction comes first: bid or PASS" if in_auction else ""


def nobody_has_called(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against a robbery before the call, or a second call."""
    if state.landlord >= 0 or not rules.options.robbing:
        return ""
    return "nobody has called: CALL or PASS" if state.stake == 0 else "somebody has: ROB or PASS"


def bid_is_topped(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against a bid that is not above the highest."""
    return f"the bid is {state.stake} already: bid more, or PASS" if state.landlord < 0 else ""


def word_comes_first(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against cards while players say if they double or show their cards."""
    if not is_opening(rules, state):
        return ""
    showing = rules.options.show_word and words_to_come(rules, state) == 1
    question = "show your cards: SHOW" if showing else "double: DOUBLE"
    return f"say first whether you {question} or PASS"


def auction_is_over(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against a word while cards are played."""
    return "the auction is over" if claim.word > 0 else ""


def leader_passes(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against a pass without a play to beat."""
    return "you lead: a leader may not pass" if claim.word == 0 else ""


def cards_are_missing(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against cards that are not in the hand."""
    hand = int(state.hands[state.player])
    missing = "".join(
        rank * max(0, (int(claim.need) >> 4 * i & 15) - (hand >> 4 * i & 15))
        for i, rank in enumerate(RANKS)
    )
    return f"not in your hand: {missing}" if missing else ""


def kickers_are_missing(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against main cards that could be played if the hand had kickers."""
    return "your hand has no kickers for it" if state.target < 0 else ""


def play_is_too_low(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against a play of the kind to beat, or a bomb, that does not beat it."""
    cards, target, family = _target(rules, state)
    own = rules.plays.groups[claim.group]
    if own.family not in (family, BOMB) or claim.group > target:
        return ""
    return f"{claim.text} does not beat {cards}: {_beating(rules, target, family)}"


def play_is_of_another_kind(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against a play whose kind or length differs from the one to beat."""
    cards, target, family = _target(rules, state)
    if rules.plays.groups[claim.group].family == family:
        return ""
    kinds = _kind(rules, claim.group), _kind(rules, target)
    return f"{claim.text} ({kinds[0]}) cannot beat {cards} ({kinds[1]}): " + _beating(
        rules, target, family
    )


def kickers_do_not_beat(rules: Rules, state: State, claim: Claim) -> str:
    """Give the reason against main cards that beat the play only with other kickers."""
    return f"{claim.text} does not beat {_target(rules, state)[0]} with the kickers in your hand"


REASONS = (
    bids_come_first,
    nobody_has_called,
    bid_is_topped,
    word_comes_first,
    auction_is_over,
    leader_passes,
    cards_are_missing,
    kickers_are_missing,
    play_is_too_low,
    play_is_of_another_kind,
    kickers_do_not_beat,
)


def _kind(rules: Rules, group: int) -> str:
    """Name a main group: `pair`, `solo chain of 5`, `shuttle of 2`."""
    index = int(rules.plays.groups[group].family)
    family = rules.plays.families[index]
    name = CATEGORIES[int(family.category)].name
    if index > PASS_FAMILY:
        return f"{SHUTTLE_KINDS[name]} of {family.length}"
    return f"{name} of {family.length}" if "chain" in name else name


def _target(rules: Rules, state: State) -> tuple[str, int, int]:
    """Return the cards, group and family of the play to beat."""
    group = int(rules.plays.group[state.target])
    cards = unpack(rules.plays.need[state.target])
    return cards, group, int(rules.plays.groups[group].family)


def _beating(rules: Rules, group: int, family: int) -> str:
    """Describe the plays that beat one: `it takes a higher pair, a bomb or the rocket`."""
    if family == ROCKET:
        return "nothing does"
    others = " or the rocket" if family == BOMB else ", a bomb or the rocket"
    return f"it takes a higher {_kind(rules, group)}{others}"


KINDS = {
    "solo": "single",
    "solo chain": "chain",
    "pair": "pair",
    "pair chain": "chain of pairs",
    "trio": "three of a kind",
    "trio chain": "plane",
    "trio+solo": "three with a single",
    "trio chain+solos": "plane with wings",
    "trio+pair": "three with a pair",
    "trio chain+pairs": "plane with wings",
    "four+dual solo": "four with two singles",
    "four+dual pair": "four with two pairs",
    "bomb": "bomb",
    "rocket": "rocket",
}
"""The names that players give the categories."""
SHUTTLE_KINDS = {
    "bomb": "shuttle",
    "four+dual solo": "shuttle with singles",
    "four+dual pair": "shuttle with pairs",
}
"""The names of chains of fours, by the category of a single four."""


def kind(game: Game, action: int) -> str:
    """Name the kind of a play of the flat game; empty for the pass and other words."""
    plays = game.rules.plays
    if action >= pass_id(game.rules):
        return ""
    index = int(plays.groups[int(plays.group[action])].family)
    names = SHUTTLE_KINDS if index > PASS_FAMILY else KINDS
    return names.get(CATEGORIES[int(plays.families[index].category)].name, "")


def flat_reason(game: Game, state: State, action: int) -> str:
    """Explain why an action of the flat game is illegal."""
    plays, passing = game.rules.plays, pass_id(game.rules)
    word = max(-1, action - passing)
    place = min(action, passing)
    claim = Claim(game.text(action), word, int(plays.group[place]), plays.need[place])
    return first_reason(REASONS, game.rules, state, claim)


def kicker_is_due(game: Game, state: State, action: int) -> str:
    """Give the reason against main groups and passes while kickers are chosen."""
    is_kicker = GROUPS <= action < FIRST_BID
    return "choose a kicker now, such as +4 or +44" if state.group >= 0 and not is_kicker else ""


def kicker_does_not_fit(game: Game, state: State, action: int) -> str:
    """Give the reason against a kicker without a main group, or one with which no play goes on."""
    if not GROUPS <= action < FIRST_BID:
        return ""
    if state.group < 0:
        return "a kicker comes after the main cards: choose these first"
    return "no play goes on with this kicker: kickers are in your hand, and go from low to high"


def substep_reason(game: Game, state: State, action: int) -> str:
    """Explain why a main group, a pass or a word is illegal."""
    rules, word = game.rules.flat, action - FIRST_BID + 1
    if word <= 0:
        word = 0 if action == PASS_GROUP else -1
    group = min(action, PASS_GROUP)
    claim = Claim(game.text(action), word, group, rules.plays.groups[group].need)
    return first_reason(REASONS, rules, state, claim)


def cards(game: Game, view: State, player: int) -> Cards:
    """Return the cards played or shown, and the others that are not in the hand."""
    rules = game.flat.rules
    seen = sum(map(int, view.played))
    if is_shown(rules, view) and view.landlord != player:
        seen += int(view.hands[view.landlord])
    return Cards(
        [*unpack(seen)], [*unpack(int(rules.options.deck) - seen - int(view.hands[player]))]
    )


def explanations_of(words: tuple[str, ...], substeps: bool = False) -> Explanations:
    """Return the explanations of a game with some words."""
    passing = CLAIMS_HELP if "CALL" in words else PASS_HELP
    said = "".join(text for word, text in WORDS_HELP.items() if word in words)
    plays = SUBSTEPS_HELP if substeps else PLAYS_HELP
    reasons = (kicker_is_due, kicker_does_not_fit, substep_reason) if substeps else (flat_reason,)
    named = None if substeps else kind
    return Explanations(CARDS_HELP + plays + passing + said, reasons, cards, named)
