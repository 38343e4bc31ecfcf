"""Views of Chinese Poker built from what a player at a real table knows."""

from collections.abc import Iterable
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.core.views import at_action, check_text, is_unseen, listed, play, read
from closedhand.games.chinese_poker import notation
from closedhand.games.chinese_poker.plays import HAND
from closedhand.games.chinese_poker.state import DECK, UNSET


def view_from(game: Game, player: int, hand: str, actions: Iterable[int | str] = ()) -> State:
    """Build the view of a player from the player's knowledge.

    Args:
        game: Chinese Poker, also in sub-steps, but a back without its front cannot be given.
        player: Seat of the player.
        hand: The thirteen cards dealt to the player.
        actions: Actions so far, in the order of the seats. The player's own arrangement is an id,
            positions (`abcde/fghij/klm`) or a board in cards. Another player's is `?` (or a
            negative id) while it is hidden; when all hands are set, it is the board in cards.

    Raises:
        InputError: Something that is not a card or not a board, an illegal arrangement, a duplicate
            card, a missing arrangement of the player's own, or a board hidden after all are set.

    Examples:
        >>> from closedhand import make_game
        >>> game = make_game("chinese_poker")
        >>> view = view_from(game, 1, "AsKs6s5s3sQhQs8c3c2hJsJd9h", ["?"])
        >>> int(view.moves), int(view.player)
        (1, 1)
    """
    flat = game.flat
    given = listed(actions)
    hands = {int(player): notation.cards_text(notation.parse_hand(check_text(hand, "hand")))}
    for number, (seat, action) in enumerate(zip(range(flat.num_players), given, strict=False), 1):
        if seat != player and not is_unseen(action):
            with at_action(number, action):
                hands[seat] = notation.cards_text(_shown_hand(seat, action))
                notation.parse_cards("".join(hands.values()))  # no card is in two hands
    state = flat.parse_deal(_deal_with(flat, hands))
    for number, action in enumerate(given, 1):
        with at_action(number, action):
            hidden = is_unseen(action) and not flat.over(state) and state.player != player
            # A secret arrangement is replaced by any legal one, which the view hides.
            play(flat, state, int(flat.legal(state)[0]) if hidden else read(flat, state, action))
    if flat.over(state) and len(hands) < flat.num_players:
        raise InputError("all hands are set: give the boards of all players, in cards")
    return flat.view(state, player)


def knowledge(game: Game, view: State, player: int) -> tuple[str, list[int | str], dict[str, Any]]:
    """Return the arguments of `view_from` for a view: hand, actions, and an empty dict.

    Raises:
        InputError: A player has chosen a back, but no front, in sub-steps, or has set a hand before
            a player of an earlier seat.
    """
    if ((view.backs == UNSET) != (view.history == UNSET)).any():
        raise InputError("a player has chosen a back but no front: view_from takes whole boards")
    if (view.history[: view.moves] == UNSET).any():
        raise InputError(
            "hands were not set in the order of the seats, in which view_from takes them"
        )
    actions: list[int | str] = []
    for seat, action in enumerate(view.history[: view.moves].tolist()):
        if seat != player and action >= 0:
            actions.append(notation.board_text(game.flat.rules.tables, view.hands[seat], action))
        else:  # the player's own, or `HIDDEN`, which is negative, before all hands are set
            actions.append(action)
    return notation.cards_text(view.hands[player]), actions, {}


def _shown_hand(seat: int, action: Any) -> Any:
    """Parse the board of another player to its cards, ids high to low, int8 [13]."""
    if not isinstance(action, str) or min(sum(notation.letters_in(action), [0])) >= 0:
        raise InputError(f"the cards of player_{seat} are not known: give the board in cards, or ?")
    return notation.parse_board(action.strip())[0]


def _deal_with(game: Game, hands: dict[int, str]) -> str:
    """Write a deal that gives some seats their hands, and the others any of the cards left."""
    known = notation.parse_cards("".join(hands.values()))
    left = [card for card in range(DECK) if card not in known]
    starts = range(0, len(left), HAND)
    others = (notation.cards_text(left[start : start + HAND]) for start in starts)
    return ";".join(hands.get(seat) or next(others) for seat in range(game.num_players))
