"""Views of Leduc built from what a player at a real table knows."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.core.views import at_action, check_text, listed, play, read
from closedhand.games.leduc.notation import CARDS, Notation, card_text
from closedhand.games.leduc.state import FLOP, SEATS, revealed


def view_from(
    game: Game,
    player: int,
    hand: str,
    actions: Iterable[int | str] = (),
    *,
    flop: str | None = None,
) -> State:
    """Build the view of a player from the player's knowledge.

    Args:
        game: A member of the Leduc family.
        player: Seat of the player: 0 is S, 1 is T.
        hand: Card of the player, such as `SK`.
        actions: All actions so far, of both players: ids, or `fold`, `check`, `call`, `raise`.
        flop: The public card, once it is revealed.

    Raises:
        InputError: A text that is no card or no action, an illegal action, cards that the deck does
            not hold together, or a flop that is missing or given too early.

    Examples:
        >>> from closedhand import make_game
        >>> game = make_game("uh_leduc")
        >>> view = view_from(game, 1, "HQ", ["check"])
        >>> [game.text(action) for action in game.legal(view)]
        ['check', 'raise']
    """
    notation = Notation(game.rules)
    cards = {int(player): notation.card(check_text(hand, "hand"))}
    if flop is not None:
        cards[FLOP] = notation.card(check_text(flop, "flop"))
    # `parse_deal` below refuses cards that the deck does not hold together.
    deck = game.rules.tables.deck[: game.rules.tables.cards].tolist()
    others = (Counter(deck) - Counter(cards.values())).elements()
    held = [cards[place] if place in cards else next(others) for place in range(SEATS + 1)]
    state = game.parse_deal(";".join(CARDS[card] for card in held))
    for number, given in enumerate(listed(actions), 1):
        with at_action(number, given):
            play(game, state, read(game, state, given))
    if revealed(game.rules, state) and flop is None:
        raise InputError("the second phase has begun: give the flop")
    if flop is not None and not revealed(game.rules, state):
        raise InputError("the flop is not revealed before the second phase")
    return game.view(state, player)


def knowledge(game: Game, view: State, player: int) -> tuple[str, list[int], dict[str, Any]]:
    """Return the arguments of `view_from` for a view: hand, actions, and keyword arguments."""
    public = {"flop": card_text(view.cards[FLOP])} if revealed(game.rules, view) else {}
    return card_text(view.cards[player]), game.history(view).tolist(), public
