"""Views of Dou Dizhu built from what a player at a real table knows."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from closedhand.core.checks import whole_number
from closedhand.core.game import Game, InputError, State
from closedhand.core.views import at_action, check_text, listed, play, read
from closedhand.games.doudizhu.auction import is_shown
from closedhand.games.doudizhu.counts import RANKS, contains, pack, size, unpack
from closedhand.games.doudizhu.hidden import known_public
from closedhand.games.doudizhu.rules import begin
from closedhand.games.doudizhu.state import Rules


def view_from(
    game: Game,
    player: int,
    hand: str,
    actions: Iterable[int | str] = (),
    *,
    public: str | None = None,
    shown: str | None = None,
    passed: int = 0,
) -> State:
    """Build the view of a player from the player's knowledge.

    Args:
        game: Dou Dizhu, also in sub-steps; the view has no incomplete play.
        player: Seat of the player. Without bidding 0 is the landlord, 1 the down peasant and 2 the
            up peasant.
        hand: The cards that the player holds now, as ranks in any order: `3345TTJQKA22SB`.
        actions: All actions since the last deal, of all players, bids and other words of
            `auction.py` included: ids or notation without sub-steps (`3334`, `PASS`, `BID2`).
        public: The public cards, once there is a landlord.
        shown: The landlord's hand now, if another player is the landlord and has shown it.
        passed: Number of earlier deals in which all passed; 0 with `passed_deals=0`.

    Raises:
        InputError: A text that is no card or no action, an illegal action, too many or too few
            cards, public or shown cards that the landlord cannot have, or a fact that is missing or
            not known yet.

    Examples:
        >>> from closedhand import make_game
        >>> game = make_game("doudizhu")
        >>> view = view_from(game, 1, "3456789TTJJQKA22S", ["44"], public="4TB")
        >>> [game.text(action) for action in game.legal(view)]
        ['TT', 'JJ', '22', 'PASS']
    """
    flat = game.flat
    held = _packed(hand, "hand")
    state = flat.empty(1)[0]
    if public is not None:
        state.public = _packed(public, "public")
        number = size(state.public)
        if number != flat.rules.options.public:
            raise InputError(f"there are {flat.rules.options.public} public cards, not {number}")
    begin(flat.rules, state)
    most = max(int(flat.rules.options.passed_deals) - 1, 0)
    state.passed = whole_number(passed, "passed, the number of passed deals,", 0, most)
    _check_cards(flat.rules, state, player, held)
    for number, given in enumerate(listed(actions), 1):
        with at_action(number, given):
            action = read(flat, state, given)
            _hand_out(flat.rules, state, action)
            play(flat, state, action)
            _check_cards(flat.rules, state, player, held)
    if state.landlord >= 0 and public is None:
        raise InputError("there is a landlord: give the public cards")
    if state.landlord < 0 and public is not None:
        raise InputError("the public cards are not shown before there is a landlord")
    if size(held) != state.left[player]:
        raise InputError(f"player_{player} holds {state.left[player]} cards now, not {size(held)}")
    if player == state.landlord and not contains(held, np.uint64(known_public(state))):
        raise InputError(f"the public cards {unpack(state.public)} are neither held nor played")
    state.hands[player] = held
    _show(flat.rules, state, player, shown)
    return flat.view(state, player)


def knowledge(game: Game, view: State, player: int) -> tuple[str, list[int], dict[str, Any]]:
    """Return the arguments of `view_from` for a view: hand, actions, and keyword arguments.

    Raises:
        InputError: The player has begun a play in sub-steps.
    """
    if view.group >= 0:
        raise InputError("a play in sub-steps is under way: view_from takes complete plays only")
    public: dict[str, Any] = {"public": unpack(view.public)} if view.landlord >= 0 else {}
    if view.passed:
        public["passed"] = int(view.passed)
    if is_shown(game.flat.rules, view) and view.landlord != player:
        public["shown"] = unpack(view.hands[view.landlord])
    return unpack(view.hands[player]), game.history(view).tolist(), public


def _packed(cards: Any, name: str) -> np.uint64:
    return pack("".join(check_text(cards, name).split()).upper(), name)


def _show(rules: Rules, state: State, player: int, shown: str | None) -> None:
    """Set the landlord's hand to `shown`, if the landlord is another player who has shown it."""
    landlord = int(state.landlord)
    if not is_shown(rules, state) or landlord == player:
        if shown is not None:
            raise InputError("shown: no other player has shown cards")
        return
    if shown is None:
        raise InputError("shown: the landlord has shown all cards: give those held now")
    cards, left = _packed(shown, "shown"), state.left[landlord]
    if size(cards) != left:
        raise InputError(f"shown: the landlord holds {left} cards now, not {size(cards)}")
    if not contains(cards, np.uint64(known_public(state))):
        raise InputError(f"the public cards {unpack(state.public)} are neither shown nor played")
    _check_deck(rules, int(state.hands[player]) + sum(map(int, state.played)) + int(cards), "shown")
    state.hands[landlord] = cards


def _hand_out(rules: Rules, state: State, action: int) -> None:
    """Set the hidden hand of the player to act to the cards of its play alone."""
    if action >= rules.plays.number:
        return  # a word
    cards, left = rules.plays.need[action], state.left[state.player]
    if size(cards) > left:
        raise InputError(f"player_{state.player} has only {left} cards left")
    state.hands[state.player] = cards


def _check_cards(rules: Rules, state: State, player: int, held: np.uint64) -> None:
    """Check that the deck has the cards played, the public ones, and `held`, those of `player`."""
    # Before there is a landlord no public card is known.
    sure = np.uint64(0 if player == state.landlord else known_public(state))
    _check_deck(rules, int(held) + sum(map(int, state.played)) + int(sure), "public")
    left = state.left[state.landlord]
    if size(sure) > left:
        raise InputError(f"the landlord has {left} cards left, too few for {unpack(sure)}")


def _check_deck(rules: Rules, total: int, others: str) -> None:
    """Check that the deck has the packed cards `total`: held, played or, in the error, `others`."""
    deck = int(rules.options.deck)
    for i, rank in enumerate(RANKS):
        number, most = total >> 4 * i & 15, deck >> 4 * i & 15
        if number > most:
            raise InputError(
                f"{number} cards {rank} are held, played or {others}: more than the deck holds"
            )
