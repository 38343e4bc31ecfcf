"""Explanations for people: the notation, reasons of illegal boards, and cards seen and unseen."""

from closedhand.core.explanations import Cards, Explanations
from closedhand.core.game import Game, State
from closedhand.games.chinese_poker.plays import CARDS, FIVES
from closedhand.games.chinese_poker.state import UNKNOWN, UNSET

CARDS_HELP = """\
Cards are rank and suit: 2 3 4 5 6 7 8 9 T J Q K A in c d h s, such as As or Td.
The positions of your hand are also letters, from a, its highest card, to m.
"""
HELP = """\
A board is back/middle/front, 5, 5 and 3 cards: AsKs6s5s3s/QhQs8c3c2h/JsJd9h or
abcde/fghij/klm; the front may be left out. The back must be at least as strong
as the middle, and that as the front."""
HELP_SUBSTEPS = """\
Choose the back first, five cards: AsKs6s5s3s or abcde; then the front, three:
JsJd9h, or /fgh by the letters of the eight cards left. The back must be at
least as strong as the middle, and that as the front."""


def reason(game: Game, state: State, action: int) -> str:
    """Explain why an arrangement is illegal, and name its back, middle and front."""
    board = game.notation.describe(state.hands[state.player], action)  # pyright: ignore
    return f"the back must be at least the middle, and that at least the front: {board}"


def substep_reason(game: Game, state: State, action: int) -> str:
    """Explain why a back or a front is illegal: it is not due, or the board would be a foul."""
    set_already, is_back = state.backs[state.player] != UNSET, action < FIVES
    if set_already == is_back:
        due = "three cards of the front" if set_already else "five cards of the back"
        return f"choose the {due} now"
    if is_back:
        return "no middle and front are weaker than this back"
    return "this front is stronger than the middle, or that than the back"


def cards(game: Game, view: State, player: int) -> Cards:
    """List as seen the others' shown cards, as unseen all neither shown nor in the own hand."""
    shown = {int(card) for seat, hand in enumerate(view.hands) if seat != player for card in hand}
    seen = sorted(shown - {UNKNOWN})
    own = {int(card) for card in view.hands[player]}
    unseen = [card for card in range(len(CARDS)) if card not in own and card not in shown]
    return Cards([CARDS[card] for card in seen], [CARDS[card] for card in unseen])


EXPLANATIONS = Explanations(CARDS_HELP + HELP, reason, cards)
EXPLANATIONS_SUBSTEPS = Explanations(CARDS_HELP + HELP_SUBSTEPS, substep_reason, cards)
