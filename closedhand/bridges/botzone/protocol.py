"""Requests and responses of Botzone's Dou Dizhu, and our views.

Cards are numbers: `number // 4` is the rank from 3 to 2, and 52 and 53 are the jokers. A bot gets
all requests to its seat and its own responses to all but the last:

- in the auction `{"own": cards, "bid": bids before}`, answered by 0 or a higher bid up to 3;
- then `{"own", "publiccard", "landlord", "pos", "finalbid", "history"}`, later `{"history"}` alone.
  `history` has the cards of the last two turns, none for a pass. The answer is the cards of a play.
  FightTheLandlord has no `bid` and no `finalbid`.

A *word* is a bid or a pass in the auction. The requests omit the words between the bot's own and
the highest bid: `view_of` takes these words as passes. A *packed* hand or play is a uint64 of the
number of cards of each rank (`games.doudizhu.counts`). An `InputError` refuses what is malformed or
breaks the rules.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from closedhand.core.checks import InputError, shown, whole_number
from closedhand.core.game import Game, State
from closedhand.core.parsing import NATURAL, check_fields, list_of
from closedhand.games.doudizhu.auction import pass_id
from closedhand.games.doudizhu.counts import DECK, RANKS, by_rank, pack
from closedhand.games.doudizhu.state import SEATS
from closedhand.games.doudizhu.views import view_from

SUITS = 4
SMALL_JOKER = 52
CARDS = 54
MOST_BID = 3
MOVES = list_of(list_of(NATURAL))
AUCTION = {"own": list_of(NATURAL), "bid": list_of(NATURAL)}
FIRST = {"own": list_of(NATURAL), "publiccard": list_of(NATURAL), "history": MOVES}
OTHERS = {"landlord": NATURAL, "pos": NATURAL, "finalbid": NATURAL}
LATER = {"history": MOVES}


def check_game(game: Game) -> None:
    """Check that Botzone has a game: Dou Dizhu, whole plays, 54 cards, no option that it lacks."""
    if game.name != "doudizhu":
        raise InputError(f"Botzone's bots play doudizhu here, not {game.name}")
    if game.flat is not game:
        raise InputError("Botzone's bots play whole plays: use the game without sub-steps")
    for option in ("robbing", "doubling", "open_hand"):
        if game.options[option]:
            raise InputError(f"Botzone has no {option}: leave it out")
    if int(game.rules.options.deck) != int(DECK):
        raise InputError(f"Botzone plays with 54 cards: not rules={game.options['rules']}")


def rank_of(card: int) -> int:
    """Return the rank of a card's number, as an index into `RANKS`."""
    return card // SUITS if card < SMALL_JOKER else len(RANKS) - CARDS + card


def text_of(cards: Iterable[int]) -> str:
    """Write cards as ranks, low to high; an empty text for none."""
    return "".join(RANKS[rank] for rank in sorted(map(rank_of, cards)))


def play_text(cards: Sequence[int]) -> str:
    """Write the cards of a play, or `PASS` for none."""
    return text_of(cards) or "PASS"


def bid_text(bid: int) -> str:
    """Write a bid, or `PASS` for 0."""
    return f"BID{bid}" if bid else "PASS"


def check_cards(cards: Sequence[int], name: str) -> list[int]:
    """Check that numbers are different cards, and return them."""
    if any(card >= CARDS for card in cards) or len(set(cards)) < len(cards):
        raise InputError(f"{name}: cards are different numbers from 0 to 53, not {shown(cards)}")
    return list(cards)


def check_bid(response: Any) -> int:
    """Check that a response is a bid, and return it."""
    return whole_number(response, "a bid", 0, MOST_BID)


def check_play(response: Any) -> list[int]:
    """Check that a response is a list of cards, and return them."""
    if not list_of(NATURAL).holds(response):
        raise InputError(f"a play is a list of cards, not {shown(response)}")
    return check_cards(response, "a play")


def pick(cards: Iterable[int], packed: np.uint64) -> list[int]:
    """Pick the cards of a packed hand, low to high: in each rank the first ones of `cards`."""
    left = by_rank(packed)
    picked: list[int] = []
    for card in sorted(cards, key=rank_of):
        if left[rank_of(card)]:
            left[rank_of(card)] -= 1
            picked.append(card)
    return picked


def without(cards: Iterable[int], gone: Sequence[int]) -> list[int]:
    """List the cards that are not among `gone`."""
    return [card for card in cards if card not in gone]


def words_of(bids: Sequence[int], landlord: int, final: int) -> list[int]:
    """Complete the first words of an auction, `bids`, by passes and `final`, the landlord's bid."""
    words = list(bids)
    while len(words) < SEATS and max(words, default=0) < MOST_BID:
        words.append(final if len(words) == landlord else 0)
    raised = [bid for bid in words if bid]
    rises = raised == sorted(set(raised)) and max(words) <= MOST_BID
    # Without a bid seat 0 is the landlord.
    won = words.index(final) if final in words else -1  # seat of the highest bid
    if not rises or max(words) != final or landlord != (won if final else 0):
        raise InputError(
            f"no auction that begins with {list(bids)} ends with {final} by seat {landlord}"
        )
    return words


def view_of(
    game: Game, requests: Sequence[Any], responses: Sequence[Any]
) -> tuple[State, list[int]]:
    """Build the view of a bot from all requests to it and its responses to all but the last.

    Return the view, and the numbers of the cards in the bot's hand, ascending.
    """
    if not requests:
        raise InputError("there is no request to answer")
    asked, due = len(requests), len(requests) - 1
    if len(responses) != due:
        raise InputError(f"{asked} requests come with {due} responses, not {len(responses)}")
    bids: list[int] = []
    if isinstance(requests[0], dict) and "bid" in requests[0]:
        request = check_fields(requests[0], "a request of the auction", AUCTION)
        own, bids = check_cards(request["own"], "own"), request["bid"]
        if not game.options["bidding"]:
            raise InputError("the requests have an auction: use the option bidding=true")
        if len(requests) == 1:
            view = view_from(game, len(bids), text_of(own), map(bid_text, bids))
            return view, sorted(own)
        bids = [*bids, check_bid(responses[0])]
        requests, responses = requests[1:], responses[1:]
    return _in_play(game, requests, responses, bids)


def _in_play(
    game: Game, requests: Sequence[Any], responses: Sequence[Any], bids: Sequence[int]
) -> tuple[State, list[int]]:
    """Build the result of `view_of` for a bot that is asked for a play."""
    first = check_fields(requests[0], "the first request of play", FIRST, OTHERS)
    public = check_cards(first["publiccard"], "publiccard")
    own = check_cards(first["own"], "own")
    landlord, seat = first.get("landlord") or 0, first.get("pos")
    if seat is None:  # seat 0 has the public cards; only seat 2's first history begins with a lead
        following = 1 if not any(first["history"][:1]) else 2
        seat = 0 if set(public) <= set(own) else following
    if max(landlord, seat) >= SEATS:
        raise InputError(f"seats are 0, 1 and 2, not {max(landlord, seat)}")
    final = first.get("finalbid")
    if (final is not None) != game.options["bidding"]:
        has = "an" if final is not None else "no"
        used = str(final is not None).lower()
        raise InputError(f"the requests have {has} auction: use the option bidding={used}")
    turn = (seat - landlord) % SEATS  # also the number of plays before the seat's first one
    # Without an auction our seats are counted from the landlord.
    player = turn if final is None else seat
    actions = [] if final is None else [*map(bid_text, words_of(bids, landlord, final))]
    held = [*own, *without(public, own)] if turn == 0 else own
    for number, request in enumerate(requests):
        moves = check_fields(request, "a request of play", LATER)["history"]
        if len(moves) != SEATS - 1:
            raise InputError(f"a history has two plays, not {len(moves)}")
        new = moves[SEATS - 1 - turn :] if number == 0 else moves
        actions += [play_text(check_cards(cards, "history")) for cards in new]
        if number < len(responses):
            cards = answered_cards(responses[number], held)
            held = without(held, cards)
            actions.append(play_text(cards))
    view = view_from(game, player, text_of(held), actions, public=text_of(public))
    if view.player != player:
        raise InputError(f"it is the turn of seat {int(view.player)}, not of {player}")
    return view, sorted(held)


def answered_cards(response: Any, held: Sequence[int]) -> list[int]:
    """Check that a response is a list of cards in the hand, and return them."""
    cards = check_play(response)
    if missing := sorted(set(cards) - set(held)):
        raise InputError(f"the cards {missing} are not in the hand")
    return cards


def response_of(game: Game, view: State, action: int, held: Sequence[int]) -> int | list[int]:
    """Convert an action to a response: a bid, or cards of the hand."""
    if view.landlord < 0:
        return int(action - pass_id(game.rules))
    return pick(held, game.rules.plays.need[action])


def action_of(game: Game, view: State, response: Any, held: Sequence[int]) -> int:
    """Convert a response to an action; refuse one that is not legal."""
    legal = game.legal(view)
    if view.landlord < 0:
        text = bid_text(check_bid(response))
        found = legal[legal == game.parse(text)]
    else:
        cards = answered_cards(response, held)
        text = play_text(cards)
        # Compare cards: with some rules the text of one play is the cards of another.
        found = legal[game.rules.plays.need[legal] == pack(text_of(cards))]
    if not len(found):
        raise InputError(f"{text} is not legal now")
    return int(found[0])


def dialogue_of(game: Game, view: State) -> tuple[list[dict[str, Any]], list[Any], list[int]]:
    """Write the requests to the player to act, as the platform would have sent them.

    Return the requests, the player's responses to all but the last, and its cards, ascending.
    Suits do not matter: the player's cards have the lowest numbers of each rank, the public cards
    the next ones. If another seat is the landlord, its plays use the public cards first.
    """
    seat, landlord, spoken = int(view.player), int(view.landlord), int(view.words)
    history = view.history[: view.moves].tolist()
    started = view.hands[seat] + view.played[seat]  # packed: the hand before the first play
    if seat == landlord:
        started -= view.public
    own = pick(range(CARDS), started)
    words = [action - pass_id(game.rules) for action in history[:spoken]]
    requests: list[dict[str, Any]] = []
    responses: list[Any] = []
    if game.options["bidding"] and (landlord < 0 or seat < len(words)):
        requests.append({"own": own, "bid": words[:seat]})
        responses += words[seat : seat + 1]
    if landlord < 0:
        return requests, responses, own
    public = pick(without(range(CARDS), own), view.public)
    held = [*own, *public] if seat == landlord else list(own)
    others = [*public, *without(range(CARDS), [*own, *public])]
    moves: list[list[int]] = []
    for number, action in enumerate(history[spoken:]):
        player = (landlord + number) % SEATS
        pool = held if player == seat else others
        if player not in (seat, landlord):
            pool = without(others, public)
        moves.append(pick(pool, game.rules.plays.need[action]))
        held, others = (without(cards, moves[-1]) for cards in (held, others))
    facts: dict[str, Any] = {"own": own, "publiccard": public, "landlord": landlord, "pos": seat}
    if game.options["bidding"]:
        facts["finalbid"] = int(max(words))
    for turn in range((seat - landlord) % SEATS, len(moves) + 1, SEATS):
        last = [moves[k] if k >= 0 else [] for k in (turn - 2, turn - 1)]
        requests.append({**facts, "history": last})
        responses += moves[turn : turn + 1]
        facts = {}
    return requests, responses, sorted(held)
