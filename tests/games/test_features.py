"""The compact observations of all games, said again in plain Python from views and notation."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from reference.doudizhu import CATEGORIES, PASS, Reference, cards
from support import each_variant, examples, positions
from support_doudizhu import as_tuple

from closedhand import Game, make_game
from closedhand.core.game import State
from closedhand.games.doudizhu.plays import PRESETS

Numbers = dict[str, int]


def at_least(name: str, held: Counter[str], ranks: str) -> Iterator[tuple[str, int]]:
    for rank in ranks:
        for number in range(1, 5):
            yield f"{name} {rank} {number}", held[rank] >= number


def counts(name: str, held: Any, ranks: Any) -> Iterator[tuple[str, int]]:
    yield from ((f"{name} {rank}", Counter(held)[rank]) for rank in ranks)


def one_hot(name: str, chosen: Any, labels: Any) -> Iterator[tuple[str, int]]:
    yield from ((f"{name} {label}", int(label == chosen)) for label in labels)


def rank_letters(packed: Any) -> str:
    return "".join(r * (int(packed) >> 4 * i & 15) for i, r in enumerate("3456789TJQKA2SB"))


def of_doudizhu(game: Game, view: State, player: int) -> Numbers:
    ranks, places = "3456789TJQKA2SB", ("self", "down", "up")
    flat, numbers = game.flat, {}
    actions = flat.history(view).tolist()
    talk = talk_of(game, actions)
    seats, landlord = talk.players, talk.landlord
    bids, doubled = talk.told(player)
    moves = []  # (seat, play)
    for turn, action in enumerate(actions[len(talk.words) :]):
        moves.append(((landlord + turn) % seats, as_tuple(flat, action)))
    played = {seat: Counter[str]() for seat in range(3)}
    for seat, play in moves:
        played[seat] += Counter(cards(play))
    hand = Counter(rank_letters(view.hands[player]))
    whole = PRESETS[game.options["rules"]].deck
    dealt = {seat: whole.hand + whole.public * (seat == landlord) for seat in range(seats)}
    left = {seat: dealt[seat] - played[seat].total() for seat in range(seats)}
    public = Counter[str]()
    if landlord is not None:
        public = Counter(rank_letters(view.public)) - played[landlord]
    deck = Counter(whole.cards)
    unseen = deck - hand - played[0] - played[1] - played[2]
    shown = Counter(rank_letters(view.hands[landlord])) if talk.shown else Counter[str]()
    if player != landlord:
        unseen -= shown if talk.shown else public
    for name, held in (("hand", hand), ("unseen", unseen)):
        numbers |= dict(at_least(name, held, ranks[:13]))
        numbers |= dict(counts(name, held, "SB"))
    numbers |= dict(counts("public", public, ranks))
    role = None if landlord is None else (player - landlord) % seats
    numbers |= {
        f"role {name}": int(role == i)
        for i, name in enumerate(["landlord", "down peasant", "up peasant"])
    }
    numbers["bombs"] = sum(play[0] in ("bomb", "rocket") for _, play in moves)
    made = [(seat, play) for seat, play in moves if play != PASS]
    owner = made[-1][0] if made else landlord
    passed = [PASS] * (seats - 1)
    target = made[-1][1] if made and [play for _, play in moves[1 - seats :]] != passed else PASS
    for i, place in enumerate(places):
        if i == seats:  # in a game of two nobody sits there
            about = (name for name in game.feature_names if f" {place}" in name)
            numbers |= {name: 0 for name in about if not name.startswith("role")}
            continue
        seat = (player + i) % seats
        numbers |= dict(counts(f"played {place}", played[seat], ranks))
        numbers |= {f"left {place} {n}": int(left[seat] >= n) for n in range(1, 21)}
        numbers[f"bid {place}"] = bids[i]
        numbers[f"plays {place}"] = sum(who == seat for who, _ in made)
        numbers[f"turn {place}"] = int(view.player == seat)
        numbers[f"owner {place}"] = int(owner == seat)
    kinds = [*CATEGORIES, "rocket"]
    numbers |= dict(counts("to beat", cards(target), ranks))
    numbers |= dict(counts("to beat main", target[1], ranks))
    numbers |= dict(one_hot("to beat is", target[0], kinds))
    latest: list[Any] = [play for _, play in reversed(moves)]
    for i, play in enumerate((latest + [None] * 15)[:15]):
        numbers |= dict(counts(f"move {i + 1}", cards(play) if play else (), ranks))
        numbers[f"move {i + 1} pass"] = int(play == PASS)
    if game.flat is not game:
        picking = view.player == player and view.group >= 0
        main = flat.text(int(game.rules.flat.plays.groups[view.group].first)) if picking else ""
        kind, ranks_of_main, _ = as_tuple(flat, flat.parse(main)) if picking else PASS
        copies, _, _, each, unit = CATEGORIES[kind] if picking else (0, 0, 0, 0, 0)
        picked = Counter(rank_letters(view.picked))
        rest = hand - Counter(ranks_of_main * copies) - picked if picking else ()
        numbers |= dict(counts("main", ranks_of_main, ranks))
        numbers |= dict(one_hot("main is", kind, kinds))
        numbers |= dict(counts("picked", picked, ranks))
        numbers |= dict(counts("rest", rest, ranks))
        to_pick = each * len(ranks_of_main) - picked.total() // unit if picking else 0
        numbers |= {"to pick solos": to_pick * (unit == 1), "to pick pairs": to_pick * (unit == 2)}
    if game.options["doubling"] or game.options["open_hand"]:
        silent = [0] * 3 if not game.options["doubling"] else doubled + [0] * (3 - seats)
        numbers |= {f"doubled {place}": said for place, said in zip(places, silent, strict=True)}
        numbers |= {"open": int(talk.shown)} | dict(counts("shown", shown, ranks))
    return numbers


def talk_of(game: Game, actions: list[int]) -> Reference:
    """What was said before the landlord led; the cards play no part in it."""
    names = ("bidding", "robbing", "doubling", "open_hand")
    talk = Reference(";;;", game.options["rules"], **{name: game.options[name] for name in names})
    for action in actions:
        if talk.offered:
            talk.play(as_tuple(game.flat, action))
    return talk


def of_leduc(game: Game, view: State, player: int) -> Numbers:
    kinds = ["HJ", "SJ", "HQ", "SQ", "HK", "SK", "HA", "SA"]
    longest, first_raise, second_raise = 3, 3, 3
    if game.name == "leduc":
        kinds, longest, first_raise, second_raise = kinds[:6], 4, 2, 4
    bets, seat, phase = [1, 1], 0, 1
    actions: dict[tuple[int, int], str] = {}
    turn = 0
    for action in game.history(view):
        word = game.text(int(action))
        turn += 1
        actions[phase, turn] = word
        if word == "raise":
            bets[seat] = max(bets) + (first_raise if phase == 1 else second_raise)
        if word == "call":
            bets[seat] = max(bets)
        closes = word == "call" or (word == "check" and seat == 1)
        seat = 1 - seat
        if closes and phase == 1:
            phase, turn, seat = 2, 0, 0
    numbers = {f"seat {name}": int(i == player) for i, name in enumerate("ST")}
    numbers |= {"phase 2": int(phase == 2)}
    numbers |= {"bet self": bets[player], "bet opponent": bets[1 - player]}
    numbers |= dict(one_hot("card", kinds[view.cards[player]], kinds))
    numbers |= dict(one_hot("flop", kinds[view.cards[2]] if phase == 2 else None, kinds))
    for place in product((1, 2), range(1, longest + 1)):
        name = f"action {place[0]} {place[1]}"
        numbers |= dict(one_hot(name, actions.get(place), ["fold", "check", "call", "raise"]))
    return numbers


def of_chinese_poker(game: Game, view: State, player: int) -> Numbers:
    ranks, suits = "23456789TJQKA", "cdhs"
    hand = [ranks[card // 4] + suits[card % 4] for card in view.hands[player].tolist()]
    numbers = dict(counts("hand", hand, [rank + suit for rank in ranks for suit in suits]))
    numbers |= dict(counts("rank", "".join(hand), ranks)) | dict(
        counts("suit", "".join(hand), suits)
    )
    for i, card in enumerate(hand):
        numbers |= dict(counts(f"position {i + 1}", card, ranks + suits))
    parts = {"back": "", "middle": "", "front": ""}
    if view.history[player] >= 0:
        board = game.flat.text(int(view.history[player]), _at(view, player))
        parts = dict(zip(parts, board.split("/"), strict=True))
    elif view.backs[player] >= 0:
        parts["back"] = game.text(int(view.backs[player]), _at(view, player)).split("/")[0]
    for name, text in parts.items():
        numbers |= {f"{name} {i + 1}": int(card in text) for i, card in enumerate(hand)}
    numbers |= dict(one_hot("seat", player, range(4)))
    return numbers | {"players": game.num_players, "set": int(view.moves)}


def _at(view: State, player: int) -> State:
    """The view as that of the player to act, for notation in the player's own cards."""
    turned = view.copy()
    turned.player = player
    return turned


def card_texts(packed: Any) -> list[str]:
    deck = [rank + suit for rank in "3456789TJQKA2" for suit in "cdhs"] + ["*", "*"]
    return [card for i, card in enumerate(deck) if int(packed) >> i & 1]


def once(cards: list[str]) -> list[str]:
    """One joker in place of two."""
    return [*dict.fromkeys(cards)]


def of_daihinmin(game: Game, view: State, player: int) -> Numbers:
    """The table as the record has it; cards, plays and orders are said again."""
    ranks, suits = "3456789TJQKA2", "cdhs"
    deck = [rank + suit for rank in ranks for suit in suits] + ["*"]
    around = [int(seat) for seat in view.seats]
    players = game.num_players
    picks = 2 if players == 3 else 3
    exchanged = picks if game.options["exchange"] and view.classes[0] >= 0 else 0
    made = [game.flat.text(action) for action in game.flat.history(view).tolist()[exchanged:]]
    turned = sum("6" in text for text in made) % 2 == 1 and game.options["six_reverse"]
    if turned:
        around.reverse()
    at = around.index(player)
    order = around[at:] + around[:at]
    places = ("self", "next", "second", "third", "fourth", "fifth")[:players]
    hand = card_texts(view.hands[player])
    seen = hand + [card for seat in range(players) for card in card_texts(view.played[seat])]
    jokers = game.options["jokers"] or 1
    left = {card: (jokers if card == "*" else 1) - seen.count(card) for card in deck}
    numbers = dict(counts("hand", once(hand), deck))
    numbers |= {f"unseen {card}": int(left[card] > 0) for card in deck}
    text = game.flat.text(int(view.target)) if view.target >= 0 else ""
    numbers |= daihinmin_target(text)
    classes = ("daifugo", "fugo", "heimin", "hinmin", "daihinmin")
    most = {3: 20, 4: 16, 5: 13, 6: 11}[players]
    held = {
        3: ("daifugo", "heimin", "daihinmin"),
        4: ("daifugo", "fugo", "hinmin", "daihinmin"),
        5: classes,
        6: ("daifugo", "fugo", "heimin", "heimin", "hinmin", "daihinmin"),
    }[players]
    for place, seat in zip(places, order, strict=True):
        numbers |= dict(counts(f"played {place}", once(card_texts(view.played[seat])), deck))
        trick = "".join(card[0] for card in card_texts(view.trick[seat]))
        numbers |= dict(counts(f"trick {place}", trick, ranks + "*"))
        numbers |= {f"left {place} {n}": int(view.left[seat] >= n) for n in range(1, most + 1)}
        numbers[f"place {place}"] = int(view.places[seat]) + 1
        numbers[f"passed {place}"] = int(view.passed) >> seat & 1
        own = held[view.classes[seat]] if view.classes[seat] >= 0 else None
        numbers |= dict(one_hot(f"class {place}", own, classes))
        numbers[f"turn {place}"] = int(view.player == seat)
        numbers[f"owner {place}"] = int(view.leader >= 0 and view.owner == seat)
        numbers[f"leader {place}"] = int(view.leader == seat)
    given: list[str] = []
    got: list[str] = []
    if game.options["exchange"] and view.classes[0] >= 0:
        own, done = held[view.classes[player]], int(view.moves) >= 2
        pair = {"daifugo": 0, "daihinmin": 0, "fugo": 1, "hinmin": 1}.get(own)
        if own in ("daifugo", "fugo"):
            given = card_texts(view.returned[pair])
        elif own != "heimin":
            given = card_texts(view.taxed[pair])
            finished = int(view.moves) >= (2 if pair == 0 else 3)
            got = card_texts(view.returned[pair]) if finished else []
        assert done or pair != 1 or not got
    numbers |= dict(counts("given", once(given), deck)) | dict(counts("got", once(got), deck))
    numbers |= {f"lock {suit}": int(view.lock) >> i & 1 for i, suit in enumerate(suits)}
    numbers["revolution"] = int(view.revolution)
    numbers["lead"] = int(view.target < 0 and view.leader >= 0)
    numbers["exchange"] = int(view.leader < 0)
    numbers["passes"] = int(view.passes)
    if any(game.options[name] for name in ("jack_back", "six_reverse", "capital_fall")):
        table = sum(len(card_texts(cards)) for cards in view.trick)
        last = [text for text in made if text != "PASS"]
        back = False
        while table > 0:
            text = last.pop()
            table -= len(cells_of(text.removesuffix("+*"))) + ("+" in text)
            back |= "J" in text
        numbers["jack"] = int(back and game.options["jack_back"])
        numbers["reversed"] = int(turned)
        for place, seat in zip(places, order, strict=True):
            daifugo = view.classes[seat] == 0 and int(view.out) < players
            early = view.places[seat] >= 0 and view.left[seat] > 0
            numbers[f"fallen {place}"] = int(daifugo and early)
    if game.options["seven_give"] or game.options["ten_discard"]:
        numbers["due"] = int(view.due)
        for place, seat in zip(places, order, strict=True):
            numbers |= dict(counts(f"shown {place}", once(card_texts(view.shown[seat])), deck))
    if jokers == 2:
        target = game.flat.text(int(view.target)) if view.target >= 0 else ""
        stars = {"hand": hand.count("*"), "unseen": left["*"], "to beat": target.count("*")}
        stars |= {"given": given.count("*"), "got": got.count("*")}
        for place, seat in zip(places, order, strict=True):
            stars[f"played {place}"] = card_texts(view.played[seat]).count("*")
            shown = view.shown[seat] if game.options["seven_give"] else 0
            stars[f"shown {place}"] = card_texts(shown).count("*")
        numbers |= {f"both jokers {name}": int(number == 2) for name, number in stars.items()}
        second = daihinmin_jokers(target)[1:]
        ranked, suited = second[0] if second else (None, None)
        numbers |= dict(one_hot("second joker rank", ranked, "_3456789TJQKA2^"))
        numbers |= dict(one_hot("second joker suit", suited, [*suits, "fifth"]))
    return numbers


def daihinmin_target(text: str) -> Numbers:
    """The play to beat, from its notation: see `reference.daihinmin`."""
    ranks, suits = "_3456789TJQKA2^", "cdhs"
    deck = [rank + suit for rank in ranks[1:-1] for suit in suits] + ["*"]
    fifth = text.endswith("+*")
    cells = cells_of(text.removesuffix("+*"))
    used = ["*" if cell.endswith("*") else cell for cell in cells] + ["*"] * fifth
    numbers = dict(counts("to beat", once(used), deck))
    letters = [cell[0] for cell in cells]
    same = len(set(letters)) == 1
    kind = "" if not cells else "single" if len(cells) == 1 else "group" if same else "kaidan"
    numbers |= dict(one_hot("to beat is", kind, ["single", "group", "kaidan"]))
    places = places_of(cells)
    for name, i in (("to beat from", 0), ("to beat to", -1)):
        numbers |= dict(one_hot(name, places[i] if places else None, ranks))
    rank, suit = (*daihinmin_jokers(text), (None, None))[0]
    numbers |= dict(one_hot("joker rank", rank, ranks))
    return numbers | dict(one_hot("joker suit", suit, [*suits, "fifth"]))


def places_of(cells: list[str]) -> list[str]:
    """The ranks of the cells: a kaidan ends one rank above its last card but one."""
    places = ["^" if cell[0] == "*" else cell[0] for cell in cells]
    if places[1:] and places[-1] == "_":
        places[-1] = "^"
    return places


def daihinmin_jokers(text: str) -> list[tuple[str, str]]:
    """The ranks and suits that the jokers of a play stand for."""
    cells = cells_of(text.removesuffix("+*"))
    places = places_of(cells)
    if not text.strip("*"):
        return []
    found = [(p, cell[1]) for p, cell in zip(places, cells, strict=True) if cell[-1] == "*"]
    return found + [(places[0], "fifth")] * text.endswith("+*")


def cells_of(text: str) -> list[str]:
    """The cells of a play: a card each, with a star after the one that the joker stands for."""
    if not text.strip("*"):
        return list(text)
    cells: list[str] = []
    for letter in text:
        if letter == "*" or letter in "cdhs":
            cells[-1] += letter
        else:
            cells.append(letter)
    return cells


ORACLES: dict[str, Callable[[Game, State, int], Numbers]] = {
    "doudizhu": of_doudizhu,
    "leduc": of_leduc,
    "uh_leduc": of_leduc,
    "chinese_poker": of_chinese_poker,
    "daihinmin": of_daihinmin,
}


@pytest.mark.parametrize("variant", each_variant())
def test_features_are_what_views_and_notation_say(variant: tuple[str, dict[str, Any]]) -> None:
    """Number by number and name by name, for every seat, at every position of some games."""
    name, options = variant
    game = make_game(name, **options)
    rng = np.random.default_rng(31)
    for state in positions(game, seed=30, games=examples(2)):
        player = int(rng.integers(game.num_players))
        expected = ORACLES[name](game, game.view(state, player), player)
        told = dict(zip(game.feature_names, game.features(state, player).tolist(), strict=True))
        assert told == expected


def test_plays_under_way_are_told_to_their_player_alone() -> None:
    """Random games rarely pick kickers: here every play that can have some has them."""
    game = make_game("doudizhu", substeps=True)
    rng = np.random.default_rng(5)
    met = 0
    for _ in range(examples(12)):
        state = game.deal(rng)
        while not game.over(state):
            legal = game.legal(state)
            kickered = [a for a in legal if a < 308 and game.rules.flat.plays.groups[a].kickers]
            game.play(state, int(rng.choice(kickered or legal)))
            if state.group < 0:
                continue
            met += 1
            for player in range(3):
                view = game.view(state, player)
                told = dict(zip(game.feature_names, game.features(state, player), strict=True))
                assert told == of_doudizhu(game, view, player)
    assert met > 20


def test_targets_of_every_play_of_daihinmin() -> None:
    """The play to beat is told apart from all others, and as its notation says."""
    game = make_game("daihinmin")
    state = game.deal(np.random.default_rng(0))
    while state.leader < 0:
        game.play(state, int(game.legal(state)[0]))
    seen = set()
    for action in range(game.num_actions - 1):
        state.target = action
        told = dict(zip(game.feature_names, game.features(state, 0).tolist(), strict=True))
        expected = daihinmin_target(game.text(action))
        assert {name: told[name] for name in expected} == expected, game.text(action)
        seen.add(tuple(expected.values()))
    assert len(seen) == game.num_actions - 1
