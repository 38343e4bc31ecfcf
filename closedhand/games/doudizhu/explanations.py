"""Explanations for people: the notation, reasons of illegal plays, and cards seen and unseen."""

from collections import Counter

import numpy as np

from closedhand.core.explanations import Cards, Explanations
from closedhand.core.game import Game, State
from closedhand.games.doudizhu.auction import is_opening, is_shown, pass_id, words_to_come
from closedhand.games.doudizhu.counts import unpack
from closedhand.games.doudizhu.plays import BOMB, PASS_GROUP, ROCKET, SHUTTLES, category_of
from closedhand.games.doudizhu.state import Rules
from closedhand.games.doudizhu.substeps import FIRST_BID

CARDS_HELP = "Cards are ranks, 3 4 5 6 7 8 9 T J Q K A 2, and the jokers S (small) and B (big).\n"
PLAYS_HELP = "A play is its cards in any order: 7, 44, 34567, 3334, 33344456, the rocket SB."
SUBSTEPS_HELP = """\
A play without kickers is its cards: 7, 44, 34567. For one with kickers choose
the main cards first, with a ? for each card to add (333+?, 333+??), then kicker
by kicker, low to high: +4 or +44."""
PASS_HELP = "\nPASS passes. In an auction BID1, BID2 and BID3 bid, and PASS does not."
CLAIMS_HELP = """
PASS passes. CALL asks to be the landlord, ROB takes that over and doubles the
stake, and PASS does not."""
WORDS_HELP = {
    "DOUBLE": "\nDOUBLE doubles what you play for, PASS does not.",
    "SHOW": "\nThe landlord's SHOW lays all cards open and doubles the stake, PASS does not.",
}


def _kind(rules: Rules, group: int) -> str:
    """Name a main group: `pair`, `solo chain of 5`, `shuttle of 2`."""
    category, length = category_of(rules.plays, group)
    if category in SHUTTLES:
        return f"{category.term} of {length}"
    return f"{category.name} of {length}" if "chain" in category.name else category.name


def kind(game: Game, action: int) -> str:
    """Name the kind of a play, without sub-steps; empty for a pass, a bid or another word."""
    if action >= pass_id(game.rules):
        return ""
    plays = game.rules.plays
    return category_of(plays, int(plays.group[action]))[0].term


def reason(game: Game, state: State, action: int) -> str:
    """Explain why an action is illegal in a game without sub-steps."""
    plays, passing = game.rules.plays, pass_id(game.rules)
    play, word = min(action, passing), max(-1, action - passing)
    text = game.text(action)
    return _reason(game.rules, state, text, word, int(plays.group[play]), plays.need[play])


def substep_reason(game: Game, state: State, action: int) -> str:
    """Explain why a main group, a kicker, a pass or a word is illegal."""
    is_kicker = PASS_GROUP < action < FIRST_BID
    if state.group >= 0 and not is_kicker:
        return "choose a kicker now, such as +4 or +44"
    if is_kicker and state.group < 0:
        return "a kicker comes after the main cards: choose these first"
    if is_kicker:
        return "no play goes on with this kicker: kickers are in your hand, and go from low to high"
    rules, group = game.rules.flat, min(action, PASS_GROUP)
    word = 0 if action == PASS_GROUP else max(-1, action - FIRST_BID + 1)
    return _reason(rules, state, game.text(action), word, group, rules.plays.groups[group].need)


def _reason(rules: Rules, state: State, text: str, word: int, group: int, need: np.uint64) -> str:
    """Explain why a word (such as `BID1`), the pass or a play, written as `text`, is illegal.

    `word` numbers the words from 1, and is 0 for the pass, -1 for a play. `group` is the main group
    of a play, and `need` its packed cards, in sub-steps the main cards alone.
    """
    if state.landlord < 0 and word < 0:
        return "the auction comes first: bid or PASS"
    if state.landlord < 0 and rules.options.robbing:
        return "somebody has: ROB or PASS" if state.stake else "nobody has called: CALL or PASS"
    if state.landlord < 0:
        return f"the bid is {state.stake} already: bid more, or PASS"
    if is_opening(rules, state):
        showing = rules.options.show_word and words_to_come(rules, state) == 1
        question = "show your cards: SHOW" if showing else "double: DOUBLE"
        return f"say first whether you {question} or PASS"
    if word >= 0:
        return "the auction is over" if word else "you lead: a leader may not pass"
    missing = Counter(unpack(need)) - Counter(unpack(state.hands[state.player]))
    if missing:
        return f"not in your hand: {''.join(missing.elements())}"
    if state.target < 0:
        return "your hand has no kickers for it"
    target, cards = int(rules.plays.group[state.target]), unpack(rules.plays.need[state.target])
    own, family = (int(rules.plays.groups[each].family) for each in (group, target))
    others = " or the rocket" if family == BOMB else ", a bomb or the rocket"
    beating = f"it takes a higher {_kind(rules, target)}{others}"
    if family == ROCKET:
        beating = "nothing does"
    if own in (family, BOMB) and group <= target:
        return f"{text} does not beat {cards}: {beating}"
    if own != family:
        kinds = _kind(rules, group), _kind(rules, target)
        return f"{text} ({kinds[0]}) cannot beat {cards} ({kinds[1]}): {beating}"
    return f"{text} does not beat {cards} with the kickers in your hand"


def cards(game: Game, view: State, player: int) -> Cards:
    """List as seen the cards played or shown, and as unseen all others but the player's.

    So a public card that the landlord still holds is unseen, unlike in `hidden.unseen`.
    """
    rules = game.flat.rules
    seen = sum(map(int, view.played))
    if is_shown(rules, view) and view.landlord != player:
        seen += int(view.hands[view.landlord])
    unseen = int(rules.options.deck) - seen - int(view.hands[player])
    return Cards([*unpack(seen)], [*unpack(unseen)])


def explanations_of(words: tuple[str, ...], substeps: bool = False) -> Explanations:
    """Return the explanations of a game by its words, such as `BID1` and `DOUBLE`."""
    plays = SUBSTEPS_HELP if substeps else PLAYS_HELP
    passing = CLAIMS_HELP if "CALL" in words else PASS_HELP
    said = "".join(help for word, help in WORDS_HELP.items() if word in words)
    text = CARDS_HELP + plays + passing + said
    if substeps:
        return Explanations(text, substep_reason, cards)
    return Explanations(text, reason, cards, kind)
