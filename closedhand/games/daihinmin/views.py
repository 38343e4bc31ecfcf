"""Views of Daihinmin built from what a player at a real table knows."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedhand.core import bits
from closedhand.core.checks import integers, whole_number
from closedhand.core.game import Game, InputError, State
from closedhand.core.views import at_action, check_text, is_unseen, listed, play, read
from closedhand.games.daihinmin import exchange, plays, seven_ten_rules as gifts
from closedhand.games.daihinmin.cards import bit, deck_of, together, without
from closedhand.games.daihinmin.hidden import known
from closedhand.games.daihinmin.notation import parse_cards, permutation, points_before
from closedhand.games.daihinmin.state import Rules, two_jokers
from closedhand.games.daihinmin.tricks import new_trick
from closedhand.games.daihinmin.validity import numbers_dealt, ranked_by_chance, unfit


def view_from(
    game: Game,
    player: int,
    hand: str,
    actions: Iterable[int | str] = (),
    *,
    leader: int | None = None,
    dealt: Sequence[int] | None = None,
    seats: str | None = None,
    classes: str = "-",
    paid: str = "",
    round_number: int = 0,
    points: Sequence[int] | None = None,
    places: str | None = None,
) -> State:
    """Build the view of a player in the current round from the player's knowledge.

    The round may be at any point: in the exchange, in its tricks, or over if it is the last one.
    The end of an earlier round is not a state, since the next round is dealt at once.

    Args:
        game: Daihinmin, with plays or with sets of cards as actions.
        player: Number of the player.
        hand: Cards that the player holds now, such as `3c5c5h*`. In the exchange taxes are already
            paid and received. The first card that the daifugo gives back stays in its hand until
            the second one is chosen.
        actions: All actions of the round so far, of all players: ids of plays, or their notation
            (`5c5h*`, `PASS`). In a round with an exchange they begin with the cards given back,
            the daifugo's two in ascending order, then the fugo's, if there is one; `?` or a
            negative id is a card that the player does not know. A player knows its own choices, and
            the cards given back to it once all of them are chosen.
        leader: Player who showed 3d and led the first trick; may be omitted while 3d is in the
            player's own hand.
        dealt: Number of cards dealt to each player, by player, before the exchange; may be omitted
            in a round with classes, where dealing begins with the daifugo.
        seats: Players in seat order, such as `30214`; by default in the order of their numbers.
        classes: Classes by player, from 0 for the daifugo on, such as `30214`; `-` in a round
            without classes. With classes the actions begin with the cards given back.
        paid: Cards that the player paid as tax, as hinmin or daihinmin in a round with an exchange.
        round_number: Number of the round in the match, from 0.
        points: Points before this round, by player; by default 0.
        places: Places by player, from 0 on, such as `30214`: required if passes ended the final
            round, as the players left are then ranked by lot; refused otherwise.

    Raises:
        InputError: Something that is not a card, an action or an order of players, an illegal
            action, a card that occurs twice or that another player must hold, a wrong number of
            cards, a tax that is not the best cards, or a missing fact.

    Examples:
        >>> from closedhand import make_game
        >>> game = make_game("daihinmin")
        >>> hand = "3c4c4h7d8s9sTsKdAh2c"
        >>> view = view_from(game, 2, hand, ["3d", "5h"], leader=0, dealt=(11, 11, 10, 10, 11))
        >>> [game.text(action) for action in game.legal(view)]
        ['7d', '8s', '9s', 'Ts', 'Kd', 'Ah', '2c', 'PASS']
    """
    flat = game.flat
    given = listed(actions)
    held = np.uint64(parse_cards(check_text(hand, "hand"), int(flat.rules.options.jokers)))
    state = _start(flat, seats, classes, dealt, round_number, points)
    _note_tax(flat.rules, state, player, paid)
    _play_all(flat, state, player, held, given, leader)
    _check_hand(flat.rules, state, player, held)
    _rank(flat, state, places)
    state.hands[player] = held
    view = flat.view(state, player)
    if wrong := unfit(flat.rules, view, player):
        raise InputError(wrong)
    return view


def _play_all(
    game: Game, state: State, player: int, held: np.uint64, actions: list[Any], leader: int | None
) -> None:
    """Play the actions so far in a round at its start; check the cards after each of them."""
    sure = np.zeros(game.num_players, np.uint64)
    # With `seven_give` the player may have got any of its cards in the meantime.
    always = gifts.NONE if game.rules.options.seven_give else held
    if state.leader >= 0:
        sure = _lead(game, state, player, held, leader)
    for number, action in enumerate(actions, 1):
        with at_action(number, action):
            if state.leader < 0:
                _pick(game, state, player, held, action, len(actions))
                if state.leader >= 0:
                    sure = _lead(game, state, player, held, leader)
            else:
                chosen = read(game, state, action)
                _hand_out(game.rules, state, chosen)
                play(game, state, chosen)
                _check_cards(state, always, sure)
    if state.leader < 0 and leader is not None:
        raise InputError("nobody leads in the exchange")
    _check_cards(state, held, sure)


def knowledge(game: Game, view: State, player: int) -> tuple[str, list[int], dict[str, Any]]:
    """Return the arguments of `view_from` for a view: hand, actions, and keyword arguments."""
    rules = game.flat.rules
    public: dict[str, Any] = {
        "seats": "".join(map(str, view.seats)),
        "round_number": int(view.round_number),
        "points": points_before(view),
        "dealt": numbers_dealt(rules, view),
    }
    if game.over(view) and view.passes >= rules.options.pass_limit:
        public["places"] = "".join(map(str, view.places))
    held = view.hands[player] & ~gifts.shown_by(view, player)
    if view.leader >= 0 and not held & bit(plays.DIAMOND_THREE):
        public["leader"] = int(view.leader)
    if view.classes[0] >= 0:
        public["classes"] = "".join(map(str, view.classes))
    if exchange.has_exchange(rules, view):
        pairs = range(len(view.taxed))
        paid = [view.taxed[pair] for pair in pairs if player == exchange.loser(view, pair)]
        public["paid"] = "".join(map(plays.cards_text, paid))
    return plays.cards_text(view.hands[player]), game.history(view).tolist(), public


def _start(
    game: Game,
    seats: str | None,
    classes: str,
    dealt: Sequence[int] | None,
    round_number: int,
    points: Sequence[int] | None,
) -> State:
    """Create a round at its start, with placeholders for the cards of all hands."""
    players = range(game.num_players)
    jokers = int(game.rules.options.jokers)
    usual = plays.sizes_dealt(game.num_players, jokers)
    if seats is None:
        seats = "".join(map(str, players))
    order = permutation(check_text(seats, "seats"), "seats", len(players))
    check_text(classes, "classes")
    if dealt is None:
        if classes == "-":
            raise InputError(f"dealt: give the number of cards dealt to each player, as in {usual}")
        first = order.index(permutation(classes, "classes", len(players)).index(0))
        by_player = dict(zip(order[first:] + order[:first], usual, strict=True))
        dealt = [by_player[player] for player in players]
    sizes = integers("numbers of cards dealt", dealt, len(players), "player").tolist()
    if sorted(sizes) != sorted(usual):
        raise InputError(f"dealt: {usual} in any order, not {dealt}")
    ends = np.cumsum([0, *sizes])
    deck = plays.TWO_JOKERS[: ends[-1]]
    hands = ["".join(deck[ends[player] : ends[player + 1]]) for player in players]
    fields = [seats, classes, *hands]
    points = [0] * len(players) if points is None else points
    before = integers("points", points, len(players), "player").tolist()
    if whole_number(round_number, "round_number") != 0 or any(before):
        fields.append(f"{round_number}:{','.join(map(str, before))}")
    return game.parse_deal(";".join(fields))


def _note_tax(rules: Rules, state: State, player: int, paid: str) -> None:
    """Write the tax that the player paid; the taxes of others stay placeholders."""
    cards = np.uint64(parse_cards(check_text(paid, "paid"), int(rules.options.jokers)))
    due = 0
    if exchange.has_exchange(rules, state):
        for pair, tax in enumerate(exchange.TAXES[: len(state.taxed)]):
            if player == exchange.loser(state, pair):
                due = tax
                state.taxed[pair] = cards
    if bits.size(cards) != due:
        raise InputError(f"paid: player_{player} gives {due} cards as tax, not {bits.size(cards)}")


def _pick(
    game: Game, state: State, player: int, held: np.uint64, action: Any, actions: int
) -> None:
    """Apply a pick in the exchange; `actions` is the number of all actions of the round."""
    pair = exchange.pair_in_exchange(state)
    giving, taking = exchange.winner(state, pair), exchange.loser(state, pair)
    is_own = player == giving
    # Whether all cards of this pair are chosen: the fugo chooses only one.
    complete = actions >= exchange.TAXES[0]
    if is_unseen(action) and not is_own and not (player == taking and complete):
        # Take any card: the view does not depend on it. The second one must be above the first.
        card = bits.highest(state.returned[pair]) + 1 if state.returned[pair] else 0
    else:
        card = read(game, state, action)
    # The giver may hold such a card again: it came back after a seven, or is the other joker.
    again = game.rules.options.seven_give and actions > exchange.number_of_picks(state)
    again = again or (two_jokers(state) and card == plays.JOKER)
    if is_own and complete and not again and card < plays.NUM_CARDS and held & bit(card):
        raise InputError(f"{plays.CARDS[card]} was given back, but is in the hand")
    state.hands[giving] = held if is_own and not complete else deck_of(state)
    play(game, state, card)


def _lead(
    game: Game, state: State, player: int, held: np.uint64, leader: int | None
) -> NDArray[np.uint64]:
    """Begin the first trick; return the cards that the player knows in each hand, uint64 [n]."""
    gives = bool(game.rules.options.seven_give)
    if held & bit(plays.DIAMOND_THREE) and not (gives and leader is not None):
        if leader not in (None, player):
            raise InputError(f"player_{player} holds 3d, so player_{leader} did not lead first")
        leader = player
    if leader is None:
        raise InputError("leader: say who showed 3d and led the first trick")
    leader = game.seat(leader, "leader")
    state.leader = leader
    new_trick(state, leader)
    sure = np.zeros(game.num_players, np.uint64)
    for other in range(game.num_players):
        if other != player:
            sure[other] = known(game.rules, state, player, other)
    return sure


def _hand_out(rules: Rules, state: State, action: int) -> None:
    """Set the hidden hand of the player to act to its play, or add the card that it hands over."""
    cards, left = rules.plays.need[action], state.left[state.player]
    if gifts.due_of(state) > 0:
        # After the play the placeholder hand lacks the card given or discarded: add it.
        state.hands[state.player] = together(state, state.hands[state.player], cards)
        return
    if rules.plays.length[action] > left:
        raise InputError(f"player_{state.player} has only {left} cards left")
    state.hands[state.player] = cards


def _check_cards(state: State, held: np.uint64, sure: NDArray[np.uint64]) -> None:
    """Check that the cards played can have been in the hands.

    `held` are the viewer's cards now; `sure` are those it knew in each hand when the tricks began.
    """
    # The cards that others can hold, or that anybody has played.
    rest = without(state, deck_of(state), held)
    for played in state.played:
        if twice := without(state, played, rest):
            cards = plays.cards_text(twice)
            raise InputError(f"{cards} cannot be played twice, or held and played")
        rest = without(state, rest, played)
    for player, cards_before in enumerate(sure):
        kept = without(state, cards_before, gifts.gone_from(state, player))
        if gone := without(state, kept, rest):
            cards = plays.cards_text(gone)
            raise InputError(f"player_{player} must hold {cards}, or have played it")
        if bits.size(kept) > state.left[player]:
            cards = plays.cards_text(kept)
            raise InputError(f"player_{player} has fewer cards left than {cards}")


def _check_hand(rules: Rules, state: State, player: int, held: np.uint64) -> None:
    """Check that a player can hold exactly these cards now."""
    number, left = bits.size(held), state.left[player]
    if number != left:
        raise InputError(f"player_{player} holds {left} cards now, not {number}")
    own = np.uint64(gifts.own_of(state, player, held))
    if player == state.leader and not own & bit(plays.DIAMOND_THREE):
        raise InputError(f"player_{player} led first, but neither holds 3d nor has played it")
    if not exchange.has_exchange(rules, state):
        return
    for pair, tax in enumerate(exchange.TAXES[: len(state.taxed)]):
        if player == exchange.loser(state, pair):
            complete = exchange.is_complete(state, pair)
            returned = state.returned[pair] if complete else np.uint64(0)
            missing = without(state, returned, own)
            if missing:
                raise InputError(f"{plays.cards_text(missing)} is neither held nor played")
            before = together(state, without(state, own, returned), state.taxed[pair])
            if exchange.best_cards(before, tax) != state.taxed[pair]:
                best = plays.cards_text(exchange.best_cards(before, tax))
                raise InputError(f"the tax is the best cards, {best}, not the ones paid")


def _rank(game: Game, state: State, places: str | None) -> None:
    """Set the given places of a round that ended by passes."""
    by_lot = game.over(state) and state.passes >= game.rules.options.pass_limit
    if not by_lot:
        if places is not None:
            raise InputError("places are given only for a last round that passes ended")
        return
    if places is None:
        raise InputError("places: passes ended the round, so give the place of every player")
    found = np.array(permutation(check_text(places, "places"), "places", game.num_players))
    out = ~ranked_by_chance(game.rules, state)
    if (found != state.places)[out].any():
        raise InputError(f"places must follow the order of going out, unlike {places!r}")
    state.points += state.places - found  # a place is worth a point more than the next one
    state.places[:] = found
