"""Explanations for people: the notation, reasons of illegal actions, and cards seen and unseen."""

from closedhand.core.explanations import Cards, Explanations
from closedhand.core.game import Game, State
from closedhand.games.leduc.plays import CALL, CHECK, FOLD, RAISE, VARIANTS
from closedhand.games.leduc.state import FLOP, UNKNOWN

HELP = "Actions are fold, check, call and raise."

REASONS = {
    FOLD: ("there is no bet to fold to: check or raise", "this bet cannot be folded to"),
    CHECK: ("a player who has bet only the ante raises or folds", "there is a bet: call or fold"),
    CALL: ("there is no bet to call", "this bet cannot be called"),
    RAISE: ("this phase allows no raise", "this bet may not be raised again: call or fold"),
}
"""Reasons by illegal action: for a player who faces no bet, then for one who does."""


def reason(game: Game, state: State, action: int) -> str:
    """Explain why an action of the player to act is illegal."""
    bets = game.rules.tables.nodes[state.node].bets
    return REASONS[action][int(bets[state.player] < bets[1 - state.player])]


def cards(game: Game, view: State, player: int) -> Cards:
    """List a revealed flop as seen; as unseen all cards but this and the player's own."""
    kinds, left = tuple(VARIANTS["uh"].deck), game.rules.tables.copies.tolist()
    for place in (player, FLOP):
        if view.cards[place] != UNKNOWN:
            left[view.cards[place]] -= 1
    seen = [kinds[view.cards[FLOP]]] if view.cards[FLOP] != UNKNOWN else []
    unseen = [kind for kind, number in zip(kinds, left, strict=True) for _ in range(number)]
    return Cards(seen, unseen)


EXPLANATIONS = Explanations(HELP, reason, cards)
