"""Chinese Poker against its sources: the blog's game, another evaluator, the slow rules."""

import doctest
from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from reference import chinese_poker as reference

from closedhand import Game, InputError, make_game
from closedhand.games import contract
from closedhand.games.chinese_poker import plays, records as notation
from closedhand.games.chinese_poker.plays import ARRANGEMENTS, BACK, CARDS, FRONT, MIDDLE, STRENGTHS
from closedhand.games.chinese_poker.records import (
    board_text,
    cards_text,
    format_record,
    parse_board,
    parse_cards,
    parse_hand,
    parse_record,
)
from closedhand.games.chinese_poker.rules import DRAGON, NATURALS, natural
from closedhand.games.game import State
from closedhand.games.records import parse_line, replay

GAME = make_game("chinese_poker")
SUBSTEPS = make_game("chinese_poker", substeps=True)
TABLES = GAME.rules.tables

ALICE = "AsKs6s5s3s/QhQs8c3c2h/JsJd9h"
BOB = "KcQc6c5c4c/Kd6d5d4d3d/Th9s7s"

# One hand of every kind there is, by ids: 6,175 sets of ranks that are no flush, 1,287 that are.
KINDS = np.array(
    [
        [4 * rank + i % 4 for i, rank in enumerate(ranks)]
        for ranks in combinations_with_replacement(range(13), 5)
        if len(set(ranks)) > 1
    ]
    + [[4 * rank for rank in ranks] for ranks in combinations(range(13), 5)]
)
FRONTS = np.array(list(combinations(range(52), 3)))


def strengths(hands: np.ndarray) -> np.ndarray:
    """The strengths by the tables of hands of five or three ids, int [..., 5] or [..., 3]."""
    size = hands.shape[-1]
    falling = -np.sort(-hands, axis=-1)
    binomial = np.array([[comb(n, k) for k in range(6)] for n in range(52)])
    places = binomial[falling, np.arange(size, 0, -1)].sum(axis=-1)
    return (TABLES.five if size == 5 else TABLES.three)[places]


def strength(cards: str) -> int:
    """The strength by the tables of five or three cards."""
    return int(strengths(np.array(parse_cards(cards))))


def text(cards: Any) -> list[str]:
    """Ids as the reference writes cards."""
    return [CARDS[card] for card in cards]


@cache
def fives() -> list[reference.Strength]:
    """All strengths of five cards by the reference, weakest first."""
    return sorted({reference.five(text(hand)) for hand in KINDS})


@cache
def threes() -> list[reference.Strength]:
    """All strengths of three cards by the reference, weakest first."""
    return sorted({reference.front(text(hand)) for hand in FRONTS})


def as_board(board: str) -> reference.Board:
    """A board as the reference has it."""
    back, middle, front = (tuple(text(parse_cards(part))) for part in board.split("/"))
    return back, middle, front


def set_boards(game: Game, *boards: str) -> State:
    """The end of a game with these boards."""
    state = game.parse_deal(";".join(board.replace("/", "") for board in boards))
    for board in boards:
        game.play(state, game.parse_at(state, board))
    return state


def payoffs(*boards: str, **options: Any) -> list[float]:
    """The returns of a game with these boards."""
    game = make_game("chinese_poker", players=len(boards), **options)
    return game.returns(set_boards(game, *boards)).tolist()


def is_legal(game: Game, board: str) -> bool:
    """Whether the first player, if he has these cards, may set them like this."""
    hand = parse_board(board)[0]
    rest = [card for card in range(52) if card not in hand]
    state = game.parse_deal(f"{cards_text(hand)};{cards_text(rest[:13])}")
    return game.parse_at(state, board) in game.legal(state)


# Strengths.


def test_there_are_6331_and_455_strengths() -> None:
    assert STRENGTHS == (455, 6331, 6331)
    assert set(np.unique(TABLES.five)) == set(range(6331))
    assert set(np.unique(TABLES.three)) == set(range(455))
    by_category = Counter(key[0] for key in plays.keys(5))
    assert [by_category[i] for i in range(9)] == [1277, 2860, 858, 13, 10, 1277, 13, 13, 10]
    by_category = Counter(key[0] for key in plays.keys(3))
    assert [by_category[i] for i in range(4)] == [286, 156, 0, 13]


def test_hands_of_each_category_are_as_many_as_poker_has() -> None:
    categories = np.array([key[0] for key in plays.keys(5)])
    assert len(TABLES.five) == comb(52, 5)
    assert np.bincount(categories[TABLES.five]).tolist() == [
        1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40,
    ]  # fmt: skip
    categories = np.array([key[0] for key in plays.keys(3)])
    assert len(TABLES.three) == comb(52, 3)
    assert np.bincount(categories[TABLES.three]).tolist() == [18304, 3744, 0, 52]


def test_hands_of_each_strength_are_as_many_as_their_suits_and_kickers_allow() -> None:
    number = [4**5 - 4, 6 * 4**3, 6 * 6 * 4, 4 * 66 * 16, 4**5 - 4, 4, 4 * 12 * 6, 48, 4]
    hands = np.bincount(TABLES.five)
    assert hands.tolist() == [number[key[0]] for key in plays.keys(5)]


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        # The highest of a category and the lowest of the next one.
        ("AcKdQcJc9c", "2c2d3c4c5c"),
        ("AcAdKcQcJc", "2c2d3c3d4c"),
        ("AcAdKcKdQc", "2c2d2h3c4c"),
        ("AcAdAhKcQc", "Ac2c3c4c5d"),
        ("TcJcQcKcAd", "2c3c4c5c7c"),
        ("AcKcQcJc9c", "2c2d2h3c3d"),
        ("AcAdAhKcKd", "2c2d2h2s3c"),
        ("AcAdAhAsKc", "Ac2c3c4c5c"),
        ("AcKcQc", "2c2d3c"),
        ("AcAdKc", "2c2d2h"),
        # Within a category.
        ("2c3d4c5c7c", "2c3d4c6c7c"),
        ("2c2d3c4c5c", "2c2d3c4c6c"),
        ("2c2dAcKcQc", "3c3d2c4c5c"),
        ("3c3d2c2dAc", "4c4d2c2d3c"),
        ("2c2d2hAcKc", "3c3d3h2c4c"),
        ("Ac2c3c4c5d", "2c3c4c5c6d"),
        ("2c3c4c5c7c", "2c3c4c6c7c"),
        ("2c2d2hAcAd", "3c3d3h2c2d"),
        ("2c2d2h2sAc", "3c3d3h3s2c"),
        ("Ac2c3c4c5c", "2c3c4c5c6c"),
        ("2c3c4c", "2c3c5c"),
        ("2c2dAc", "3c3d2c"),
    ],
)
def test_strengths_next_to_each_other(weaker: str, stronger: str) -> None:
    assert strength(weaker) + 1 == strength(stronger)


def test_the_ends_of_the_orders() -> None:
    assert strength("2c3d4h5s7c") == 0
    assert strength("TsJsQsKsAs") == 6330
    assert strength("2c3d4h") == 0
    assert strength("AsAhAd") == 454
    names = plays.names(BACK)
    wheel = strength("As2h3d4c5s")
    assert names[wheel - 1 : wheel + 2] == ("AAA-x-y", "5 straight", "6 straight")
    steel_wheel = strength("As2s3s4s5s")
    assert names[steel_wheel - 1 : steel_wheel + 1] == ("AAAA-x", "5 straight flush")
    assert names[-1] == "A straight flush"


def test_around_the_corner_there_is_no_straight() -> None:
    for cards in ("QcKcAc2c3d", "KcAc2c3c4d", "JcQcKcAc2d"):
        assert plays.keys(5)[strength(cards)][0] == plays.HIGH


@pytest.mark.parametrize("part", [FRONT, MIDDLE, BACK])
def test_names_tell_strengths_apart(part: int) -> None:
    assert len(set(plays.names(part))) == STRENGTHS[part]


def test_places_number_all_hands() -> None:
    hands = -np.sort(-FRONTS)
    assert sorted(plays.place_of(TABLES, hand) for hand in hands) == list(range(comb(52, 3)))
    rng = np.random.default_rng(1)
    for _ in range(300):
        hand = -np.sort(-rng.permutation(52)[:5])
        place = plays.place_of(TABLES, hand)
        assert place == sum(comb(int(card), 5 - i) for i, card in enumerate(hand))
        assert TABLES.five[place] == strengths(hand)


def test_strengths_are_the_order_of_the_reference() -> None:
    """All kinds of hands, all fronts, and hands at random."""
    rng = np.random.default_rng(2)
    at_random = rng.permuted(np.tile(np.arange(52), (10_000, 1)), axis=1)[:, :5]
    for hands in (KINDS, at_random):
        ours = strengths(hands).tolist()
        theirs = [reference.five(text(hand)) for hand in hands]
        assert [fives()[number] for number in ours] == theirs
    assert strengths(FRONTS).tolist() == [
        bisect_left(threes(), reference.front(text(hand))) for hand in FRONTS
    ]


def test_the_weakest_middle_of_every_front_is_that_of_the_reference() -> None:
    assert TABLES.floor.tolist() == [bisect_left(fives(), front) for front in threes()]


@pytest.mark.peers
def test_phevaluator_orders_all_kinds_of_hands_alike() -> None:
    """Its 7,462 classes are ours, but for the kickers of trips, full houses and quads."""
    phevaluator = pytest.importorskip("phevaluator")
    evaluate = phevaluator.evaluate_cards
    assert evaluate(*parse_cards("AsKhQd7c2s")) == evaluate("As", "Kh", "Qd", "7c", "2s")
    theirs = np.array([evaluate(*hand) for hand in KINDS.tolist()])
    assert sorted(theirs) == list(range(1, 7463))
    ours = strengths(KINDS)[np.argsort(-theirs)]
    assert (np.diff(ours) >= 0).all()
    same = np.diff(ours) == 0
    assert {plays.keys(5)[number][0] for number in ours[1:][same]} == {
        plays.TRIPS,
        plays.FULL_HOUSE,
        plays.QUADS,
    }


@pytest.mark.peers
def test_phevaluator_has_the_same_winners() -> None:
    """200,000 pairs of hands from one deck: no two meet that only we hold for equal."""
    phevaluator = pytest.importorskip("phevaluator")
    rng = np.random.default_rng(3)
    decks = rng.permuted(np.tile(np.arange(52, dtype=np.int8), (100_000, 1)), axis=1)
    # The second half from five ranks only, where strong hands and ties are frequent.
    few = rng.permuted(np.tile(np.arange(20, dtype=np.int8), (100_000, 1)), axis=1)
    few += 4 * rng.integers(0, 9, (len(few), 1), dtype=np.int8)
    hands = np.concatenate([decks[:, :10], few[:, :10]]).reshape(-1, 5)
    ours = strengths(hands).astype(int).reshape(-1, 2)
    theirs = np.array([phevaluator.evaluate_cards(*hand) for hand in hands.tolist()])
    won = np.sign(ours[:, 0] - ours[:, 1])
    assert (won == np.sign(theirs[1::2] - theirs[::2])).all()
    assert (won == 0).sum() > 1000


# Arrangements.


def test_arrangements_are_all_ways_to_split_thirteen_cards() -> None:
    positions = TABLES.positions.astype(int)
    assert ARRANGEMENTS == GAME.num_actions == len(positions) == 72072
    assert (np.sort(positions) == np.arange(13)).all()
    for part in (positions[:, :5], positions[:, 5:10], positions[:, 10:]):
        assert (np.diff(part) > 0).all()
    assert len(np.unique(positions, axis=0)) == ARRANGEMENTS
    # 56 * back + k, with sets in lexicographic order.
    backs = np.array(list(combinations(range(13), 5)))
    assert (positions[:, :5] == np.repeat(backs, 56, axis=0)).all()
    fronts = positions[:, 10:].reshape(1287, 56, 3) @ [169, 13, 1]
    assert (np.diff(fronts) > 0).all()


@pytest.mark.parametrize(
    "deal",
    [
        "",
        "AsKsQsAhKhQhJcTc9d5d4d3d2c",  # A-K-Q in the front of A-K-Q-J-T and less
        "2c2d2h2s3c3d3h4c5cAcAdKhQs",
    ],
)
def test_legal_arrangements_are_those_of_the_reference(deal: str) -> None:
    state = GAME.deal(np.random.default_rng(4))
    if deal:
        state.hands[0] = parse_hand(deal)
    hand = np.array(text(state.hands[0]))
    cards = hand[TABLES.positions[GAME.legal(state)]].tolist()
    ours = {(tuple(board[:5]), tuple(board[5:10]), tuple(board[10:])) for board in cards}
    assert len(ours) == len(cards)
    theirs = {board for board in reference.boards(hand.tolist()) if reference.legal(board)}
    assert ours == theirs
    assert 1000 < len(ours) < ARRANGEMENTS


def test_what_is_legal_is_what_is_listed() -> None:
    """`is_legal` evaluates one arrangement, `legal` all."""
    rng = np.random.default_rng(5)
    buffer = np.empty(ARRANGEMENTS, np.int32)
    for fouls in (False, True):
        game = make_game("chinese_poker", fouls=fouls)
        state = game.deal(rng)
        listed = set(game.legal(state).tolist())
        for action in [-1, ARRANGEMENTS, *rng.integers(0, ARRANGEMENTS, 1000).tolist()]:
            assert contract.is_legal(game.rules, state, action, buffer) == (action in listed)
        while not game.over(state):
            game.play(state, int(rng.choice(game.legal(state))))
        assert not contract.is_legal(game.rules, state, 0, buffer)


ORDERS = [
    # A front that the middle begins with is weaker; one card more decides the other way.
    ("AsAdKsKd2s/AhKhQhJc9c/AcKcQs", True),
    ("AsAdKsKd2s/AhKhJhTc9c/AcKcQs", False),
    ("KsKdQsQd9s/2c2dAh4h3h/2s2hAc", True),
    ("KsKdQsQd9s/2c2dKhQhJh/2s2hAc", False),
    ("9s9d9h9cAs/3s3d3hQcJd/2s2d2h", True),
    ("9s9d9h9cAs/2s2d2hQcJd/3s3d3h", False),
    # Three cards are no straight and no flush.
    ("7s7d7h4c4d/2s2d5h8cJd/AsKsQs", True),
    # Back and middle, equal ones too.
    ("2s5s7s8sJs/9sTdJhQcKd/AhKhQd", True),
    ("9sTdJhQcKd/2s5s7s8sJs/AhKhQd", False),
    ("9sTdJhQcKd/9dThJcQsKs/2s3d4h", True),
    ("2s3d4h5c6d/As2d3h4c5d/KsQsJd", True),
    ("As2d3h4c5d/2s3d4h5c6d/KsQsJd", False),
    ("AsKsQsJs9s/2h3h4h5h7h/AhKhQh", True),
]


@pytest.mark.parametrize(("board", "ordered"), ORDERS)
def test_boards_in_and_out_of_order(board: str, ordered: bool) -> None:
    assert reference.legal(as_board(board)) == ordered
    assert is_legal(GAME, board) == ordered
    assert is_legal(make_game("chinese_poker", fouls=True), board)


@pytest.mark.parametrize("fouls", [False, True])
def test_every_arrangement_has_one_path_of_substeps(fouls: bool) -> None:
    flat = make_game("chinese_poker", fouls=fouls)
    game = make_game("chinese_poker", fouls=fouls, substeps=True)
    state = flat.deal(np.random.default_rng(6))
    leaves = []
    for back in game.legal(state):
        node = state.copy()
        contract.play(game.rules, node, back)
        assert (node.player, node.moves) == (0, 0)
        fronts = game.legal(node)
        assert len(fronts) > 0, "a dead end"
        for front in fronts:
            leaf = node.copy()
            contract.play(game.rules, leaf, front)
            assert (leaf.player, leaf.moves) == (1, 1)
            leaves.append(int(leaf.history[0]))
    assert leaves == flat.legal(state).tolist()


def test_substeps_are_1343_actions() -> None:
    assert SUBSTEPS.num_actions == 1287 + 56
    state = SUBSTEPS.deal(np.random.default_rng(7))
    assert SUBSTEPS.legal(state).max() < 1287
    with pytest.raises(InputError, match="is not legal for player_0"):
        SUBSTEPS.play(state, 1287)
    SUBSTEPS.play(state, int(SUBSTEPS.legal(state)[0]))
    assert SUBSTEPS.legal(state).min() >= 1287
    with pytest.raises(InputError, match="is not legal for player_0"):
        SUBSTEPS.play(state, 0)


# Scores.


@pytest.mark.parametrize(("rules", "points"), [("4-2", 2), ("1-6", 1)])
def test_the_game_of_the_blog(rules: str, points: int) -> None:
    assert payoffs(ALICE, BOB, rules=rules) == [points, -points]
    assert payoffs(BOB, ALICE, rules=rules) == [-points, points]
    game = make_game("chinese_poker", rules=rules)
    rows = game.scene(set_boards(game, ALICE, BOB))
    assert [row.note for row in rows] == [
        f"AK653 flush / QQ-8-3-2 / JJ-9: {points:+g}",
        f"KQ654 flush / K6543 flush / T-9-7: {-points:+g}",
    ]


POINTS = {
    # Parts won and lost: points under 4-2 and under 1-6.
    (3, 0): (4, 6),
    (2, 0): (3, 2),
    (2, 1): (2, 1),
    (1, 0): (2, 1),
    (1, 1): (0, 0),
    (0, 0): (0, 0),
}


@pytest.mark.parametrize("parts", list(product([1, 0, -1], repeat=3)))
def test_wins_and_ties_of_parts(parts: tuple[int, int, int]) -> None:
    """Boards that differ by a kicker in each part, or by suits alone."""
    boards = []
    for seat, suits in enumerate(("sh", "cd")):
        fields = []
        for part, pairs, kickers in zip(parts, ("AK", "QJ", "6"), ("T9", "87", "54"), strict=True):
            high = part >= 0 if seat == 0 else part <= 0
            cards = [rank + suit for rank in pairs for suit in suits]
            fields.append("".join(cards) + kickers[not high] + suits[0])
        boards.append("/".join(fields))
    won, lost = parts.count(1), parts.count(-1)
    sign = 1 if won >= lost else -1
    for i, rules in enumerate(("4-2", "1-6")):
        points = sign * POINTS[max(won, lost), min(won, lost)][i]
        assert payoffs(*boards, rules=rules) == [points, -points]


def test_straights_flushes_and_pairs_of_the_same_ranks_tie() -> None:
    one = "As2s3s4s6s/9sThJsQhKs/7s7h8s"
    other = "Ac2c3c4c6c/9cTdJcQdKc/7c7d8c"
    assert payoffs(one, other) == [0, 0]
    assert payoffs(one.replace("9s", "As").replace("As2s", "9s2s"), other) == [0, 0]


# Fouls.

PLAIN = "9c9d4c4d3d/Tc8d6c5d2d/7c5c2c"
FOUL = "2s5s7s8sJs/AsAhAdKsKh/QsQhQd"
"""All its parts beat those of `PLAIN`, and its back is weaker than its middle."""
OTHER_FOUL = "6d6h6s3c3s/Td9h8h4h3h/JcJdJh"
"""Its front is stronger than its middle."""


@pytest.mark.parametrize("foul", [FOUL, OTHER_FOUL])
def test_a_foul_is_refused_unless_the_option_says_otherwise(foul: str) -> None:
    deal = f"{foul};{PLAIN}".replace("/", "")
    state = GAME.parse_deal(deal)
    with pytest.raises(InputError, match="is not legal for player_0"):
        GAME.play(state, GAME.parse_at(state, foul))
    game = make_game("chinese_poker", fouls=True)
    assert game.legal(game.parse_deal(deal)).tolist() == list(range(ARRANGEMENTS))
    notes = [row.note for row in game.scene(set_boards(game, foul, PLAIN))]
    assert notes[0].endswith(", a foul: -4")
    assert notes[1] == "99-44-3 / T-8-6-5-2 / 7-5-2: +4"


@pytest.mark.parametrize(("rules", "points"), [("4-2", 4), ("1-6", 6)])
def test_fouls_lose_everything_and_nothing_to_each_other(rules: str, points: int) -> None:
    options = {"rules": rules, "fouls": True}
    assert payoffs(FOUL, PLAIN, **options) == [-points, points]
    assert payoffs(PLAIN, FOUL, **options) == [points, -points]
    assert payoffs(FOUL, OTHER_FOUL, **options) == [0, 0]
    assert payoffs(FOUL, PLAIN, OTHER_FOUL, **options) == [-points, 2 * points, -points]


def test_fouls_earn_no_royalties_but_pay_them() -> None:
    options = {"fouls": True, "royalties": True}
    rich = "9c9d9h9s2c/8c8d8h3c3d/4c4d4h"  # 4 + 2 + 3
    assert payoffs(FOUL, PLAIN, **options) == [-4, 4]
    assert payoffs(FOUL, OTHER_FOUL, **options) == [0, 0]
    assert payoffs(FOUL, rich, **options) == [-4 - 9, 4 + 9]


# Royalties and naturals.

POOR = "Ad9h5d4d3d/Kd8h6c4h2d/Jh7d2h"


@pytest.mark.parametrize(
    ("board", "paid"),
    [
        # Each entry of the table, the back never weaker than the middle.
        ("AsAcAhKsKc/QsQcQhJsTs/8s8c8d", 3),
        ("AsAcAhKsKc/QsQcQdJsJc/8s8cTd", 2),
        ("6s5s4s3s2s/QsQcQdQhJs/AsAcTd", 8 + 5),
        ("QsQcQdQhAs/TsTcTdTh9s/8s8c7h", 8 + 4),
        ("9s8s7s6s5s/Ac5c4c3c2c/KsKcTd", 10 + 5),
        ("QsQcQdQhAs/JsJcJdTs9c/8s8cTd", 4),
        ("As2s3s4s5s/9c8c7c6dQh/4c3h2c", 5),
        ("AsKsQsJsTs/9c8c7c6d5h/4s4c3s", 5),
        # Several, and none.
        ("9s8s7s6s5s/QsQcQdQhJs/TsTcTd", 5 + 8 + 3),
        ("KsKcKhQsQc/JsJcJdTsTc/8s8c8d", 2 + 3),
        ("AsAcAhKsKc/Qs9s8s7s6s/8c8dTd", 0),
        ("AsTs8s7s6s/Ac9c8c7c5c/QdQsKs", 0),
        ("AcKsQsJsTs/9c8s7c6d5h/4c3h3c", 0),
        ("AsAcAhKsQc/JsJcJdTs9s/8s8c7c", 0),
    ],
)
@pytest.mark.parametrize("rules", ["4-2", "1-6"])
def test_royalties(board: str, paid: int, rules: str) -> None:
    """Against a board that earns none; naturals, of which there are none, change nothing."""
    for one, two, sign in ((board, POOR, 1), (POOR, board, -1)):
        plain = payoffs(one, two, rules=rules)
        expected = [plain[0] + sign * paid, plain[1] - sign * paid]
        assert payoffs(one, two, rules=rules, royalties=True) == expected
        assert payoffs(one, two, rules=rules, royalties=True, naturals=True) == expected


def test_royalties_come_from_every_opponent_whoever_wins_the_part() -> None:
    one = "QsQcQdQhAs/9s9cTsThJs/8s8c7h"  # 4 for its back, which loses
    two = "5s4s3s2s6s/KcKhKsAcAh/TcTdJc"  # 5 + 2
    plain = payoffs(one, two, POOR)
    paid = payoffs(one, two, POOR, royalties=True)
    assert payoffs(one, two) == [-4, 4]
    assert np.subtract(paid, plain).tolist() == [4 - 7 + 4, 7 - 4 + 7, -4 - 7]


HANDS = [
    "AdKdQhQdJcTc9h8c4d3c2h2d2c",
    "QcJsJhTsTh9s9d8s8h7s7d6s5h",
    "AsAcKsKh7h6h6c5s5c4s4c3s3d",
    "AhKcQsJdTd9c8d7c6d5d4h3h2s",
]
"""Three flushes, three straights, six pairs and a dragon from one deck."""


def lay(hand: str, ordered: bool = True) -> str:
    """A board of the hand: the first in order, or the first foul."""
    cards = text(parse_hand(hand))
    board = next(board for board in reference.boards(cards) if reference.legal(board) == ordered)
    return "/".join("".join(part) for part in board)


def test_naturals_win_in_their_order() -> None:
    assert [natural(parse_hand(hand)) for hand in HANDS] == [1, 2, 3, 4]
    assert NATURALS == ("none", "three flushes", "three straights", "six pairs", "dragon")
    boards = [lay(hand) for hand in HANDS]
    assert payoffs(*boards, naturals=True) == [-12, -4, 4, 12]
    assert payoffs(*boards, naturals=True, rules="1-6") == [-18, -6, 6, 18]
    assert payoffs(*boards) != [-12, -4, 4, 12]
    fouls = [lay(hand, ordered=False) for hand in HANDS]
    assert payoffs(*fouls, naturals=True, fouls=True) == [-12, -4, 4, 12]
    assert payoffs(*fouls, fouls=True) == [0, 0, 0, 0]


def test_equal_naturals_tie() -> None:
    """Two dragons, one of them in one suit: its straight flushes win nothing."""
    one = "AsKsQsJsTs/9s8s7s6s5s/4s3s2s"
    two = "AcKdQhJcTd/9c8d7h6c5d/4c3d2h"
    assert payoffs(one, two) == [3, -3]  # the fronts tie
    assert payoffs(one, two, naturals=True) == [0, 0]
    assert payoffs(one, two, naturals=True, royalties=True) == [0, 0]


def test_a_natural_beats_all_others_and_no_royalties_are_paid() -> None:
    dragon = lay(HANDS[DRAGON - 1])
    rich = "9s9d9h8s8c/7s7d7h6h6s/5s5c5h"  # 2 + 3, and no natural
    third = "AsAcAdKsJc/QcQdJsJh2h/TsTc4c"
    alone = payoffs(rich, third, royalties=True)
    assert alone == [4 + 5, -4 - 5]
    options = {"naturals": True, "royalties": True}
    assert payoffs(dragon, rich, **options) == [4, -4]
    assert payoffs(dragon, rich, rules="1-6", **options) == [6, -6]
    # Between the other two everything is as ever.
    assert payoffs(dragon, rich, third, **options) == [8, alone[0] - 4, alone[1] - 4]


@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        ("AsKsQsJsTs9s8s7s6s5s4s3s2s", "dragon"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s3h", "none"),
        ("2s2h2d2c3s3h3d3c4s4h4d4cAs", "six pairs"),  # quads are two
        ("2s2h2d3c3s4h4d5c5s6h6d7c7s", "six pairs"),  # with trips in them
        ("2s2h2d4c4s4h6d6c6s8h8dTcTs", "none"),
        ("As2h3d4c5sAh2d3c4s5hAd2c3s", "three straights"),  # the ace below
        ("AsKhQdJcTsAhKdQcJsThAdKcQs", "three straights"),  # and above
        ("AsKhQdJcTsAh2d3c4s5hAd2c3s", "three straights"),
        ("AsKhQdJcTs9h8d7c6s5hAd2c3s", "three straights"),
        ("AsKhQdJcTsAh2d3c4s5hKd2c3s", "none"),  # K-2-3
        ("2s3s4s5s6s7h8h9hThJh4d5d6d", "three straights"),  # flushes as well
        ("2s3s4s5s7s8h9hThJhAh4d5d9d", "three flushes"),
        ("2s3s4s5s7s8h9hThJhAh4d5d9c", "none"),
        ("AsKs9s8s6s5s3s2sAhQhJh9h8h", "three flushes"),  # 8 and 5
        ("AsKsQsJs9s8s6s5s3s2sAhQhJh", "three flushes"),  # 10 and 3
        ("AsKsQsJs9s8s6s5s3sAhQhJhTh", "none"),  # 9 and 4
    ],
)
def test_naturals_one_by_one(hand: str, kind: str) -> None:
    assert NATURALS[natural(parse_hand(hand))] == kind
    assert NATURALS[reference.natural(text(parse_hand(hand)))] == kind


def natural_hand(rng: np.random.Generator) -> list[str]:
    """Thirteen cards that are straights, flushes or pairs, or that lack one card to it."""
    deck = [reference.DECK[card] for card in rng.permutation(52)]
    match rng.integers(3):
        case 0:
            around = "A" + reference.RANKS
            starts = [(int(rng.integers(15 - size)), size) for size in (5, 5, 3)]
            wanted = Counter("".join(around[low : low + size] for low, size in starts))
            hand = [card for card in deck if fill(wanted, card[0])]
        case 1:
            sizes = rng.permutation([(5, 5, 3, 0), (8, 5, 0, 0), (10, 3, 0, 0)][rng.integers(3)])
            wanted = Counter(dict(zip(reference.SUITS, sizes.tolist(), strict=True)))
            hand = [card for card in deck if fill(wanted, card[1])]
        case _:
            pairs = rng.permutation(list(2 * reference.RANKS))[:6].tolist()
            wanted = Counter(pairs + pairs)
            hand = [card for card in deck if fill(wanted, card[0])]
    others = [card for card in deck if card not in hand]
    hand += others[: 13 - len(hand)]
    if rng.random() < 0.5:
        hand[rng.integers(13)] = others[-1]
    return hand


def fill(wanted: Counter[str], what: str) -> bool:
    """Whether one more is wanted, which then no longer is."""
    wanted[what] -= 1
    return wanted[what] >= 0


def test_naturals_are_those_of_the_reference() -> None:
    rng = np.random.default_rng(8)
    seen = Counter()
    for _ in range(200):
        hand = natural_hand(rng)
        kind = reference.natural(hand)
        assert natural(parse_hand("".join(hand))) == kind, hand
        seen[kind] += 1
    assert min(seen[kind] for kind in range(DRAGON)) > 20


def random_hands(rng: np.random.Generator, players: int) -> list[list[str]]:
    """Hands from one deck, three in four of cards that go together: of a suit, of a rank, both."""
    deck = np.arange(52)
    order = (
        rng.random(52),
        deck + rng.normal(0, 2, 52),
        deck % 4 * 13 + rng.normal(0, 6, 52),
        deck % 4 * 13 + deck // 4 + rng.normal(0, 2, 52),
    )[rng.integers(4)]
    cards = np.roll(np.argsort(order), rng.integers(52)).tolist()
    return [text(sorted(cards[13 * i : 13 * i + 13], reverse=True)) for i in range(players)]


def random_board(rng: np.random.Generator, game: Game, hand: list[str]) -> str:
    """A board that the game allows, every other time one with the most royalties of a thousand."""
    ids = np.array(parse_cards("".join(hand)))
    cards = ids[TABLES.positions[rng.integers(ARRANGEMENTS, size=1000)]]
    back, middle, front = map(strengths, (cards[:, :5], cards[:, 5:10], cards[:, 10:]))
    ordered = (back >= middle) & (middle >= TABLES.floor[front])
    tables = (
        (fives(), back, reference.BACK_ROYALTIES),
        (fives(), middle, reference.MIDDLE_ROYALTIES),
        (threes(), front, reference.FRONT_ROYALTIES),
    )
    points = sum(
        np.array([royalties.get(strength[0], 0) for strength in order])[part]
        for order, part, royalties in tables
    )
    if rng.random() < 0.5:
        chosen = np.argmax((1 + points) * ordered)
    else:
        chosen = 0 if game.options["fouls"] else np.argmax(ordered)
    row = cards[chosen]
    return "/".join(map(cards_text, (row[:5], row[5:10], row[10:])))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_payoffs_are_those_of_the_reference(players: int) -> None:
    """Random boards under random options; seats that change places change payoffs."""
    rng = np.random.default_rng(9)
    royalties, kinds, fouls, won = Counter(), Counter(), 0, Counter()
    for _ in range(100):
        options = {
            name: bool(rng.random() < 0.5) for name in ("fouls", "royalties", "naturals")
        } | {"rules": ("4-2", "1-6")[rng.integers(2)]}
        game = make_game("chinese_poker", players=players, **options)
        hands = random_hands(rng, players)
        boards = [random_board(rng, game, hand) for hand in hands]
        found = game.returns(set_boards(game, *boards))
        assert found.tolist() == reference.score([as_board(board) for board in boards], **options)
        assert found.sum() == 0
        order = rng.permutation(players)
        swapped = game.returns(set_boards(game, *(boards[seat] for seat in order)))
        assert swapped.tolist() == found[order].tolist()

        ordered = [board for board in map(as_board, boards) if reference.legal(board)]
        fouls += players - len(ordered)
        for board in ordered:
            for part, strength_of_part in enumerate(reference.strengths(board)):
                royalties[part, strength_of_part[0]] += 1
        if options["naturals"]:
            kinds.update(natural(parse_hand("".join(hand))) for hand in hands)
        won[found[0]] += 1
    # In the reference's order of parts: back, middle, front.
    for entry in ((0, 7), (0, 8), (1, 6), (1, 7), (1, 8), (2, 3)):
        assert royalties[entry] > 0, entry
    assert fouls > 20
    assert len(kinds) > 2
    assert won[0] > 0
    assert len(won) > 8


# Deals, secrets and observations.


def test_all_deals_are_as_likely() -> None:
    game = make_game("chinese_poker", players=4)
    rng = np.random.default_rng(10)
    states = [game.deal(rng) for _ in range(4000)]
    hands = np.array([state.hands for state in states])
    assert (np.diff(hands) < 0).all()
    assert (np.sort(hands.reshape(-1, 52)) == np.arange(52)).all()
    for seat in range(4):
        share = np.bincount(hands[:, seat].ravel(), minlength=52) / len(hands)
        assert abs(share - 1 / 4).max() < 0.03
    # The deuce of diamonds is with the deuce of clubs as often as any other card.
    first, second = ((hands == card).any(axis=2) for card in (0, 1))
    assert second[first].mean() == pytest.approx(12 / 51, abs=0.03)


def test_seats_without_players_have_no_cards() -> None:
    state = GAME.deal(np.random.default_rng(11))
    assert (state.hands[2:] == -1).all()
    assert state.hands[:2].min() >= 0


def test_redeals_are_as_likely_as_deals() -> None:
    """What is hidden is spread over the unseen cards, and set within the rules."""
    game = make_game("chinese_poker", players=3)
    rng = np.random.default_rng(12)
    state = game.deal(rng)
    for _ in range(2):
        game.play(state, int(rng.choice(game.legal(state))))
    view = game.view(state, 1)
    own = view.hands[1].tolist()
    others = [game.redeal(view, 1, rng) for _ in range(3000)]
    hands = np.array([other.hands for other in others])
    assert (hands[:, 1] == own).all()
    assert all(other.history[1] == state.history[1] for other in others)
    for seat in (0, 2):
        share = np.bincount(hands[:, seat].ravel(), minlength=52) / len(hands)
        assert (share[own] == 0).all()
        assert abs(np.delete(share, own) - 1 / 3).max() < 0.05
    for other in others[:200]:
        board = board_text(TABLES, other.hands[0], other.history[0])
        assert reference.legal(as_board(board))
        assert other.history[2] == -1
    assert len({int(other.history[0]) for other in others}) > 2000


@pytest.mark.parametrize("substeps", [False, True])
@pytest.mark.parametrize("players", [2, 3])
def test_how_a_hand_is_set_is_a_secret(substeps: bool, players: int) -> None:
    """After each step of player 0 all others see the same, whatever he has done."""
    game = make_game("chinese_poker", players=players, substeps=substeps)
    rng = np.random.default_rng(13)
    deal = game.deal(rng)
    seen: dict[tuple[int, int], set[bytes]] = {}
    chosen = set()
    for _ in range(20):
        state = deal.copy()
        for step in range(1 + substeps):
            game.play(state, int(rng.choice(game.legal(state))))
            for player in range(1, players):
                view = game.view(state, player)
                planes = game.observe(state, player)
                everything = [
                    game.save(view),
                    *(planes[part].tobytes() for part in game.shapes),
                    repr(game.scene(view)).encode(),
                    game.deal_text(view).encode(),
                ]
                if player == state.player:
                    everything.append(game.legal(state).tobytes())
                seen.setdefault((step, player), set()).add(b"|".join(everything))
        chosen.add(int(state.history[0]))
    assert len(chosen) > 15
    assert all(len(each) == 1 for each in seen.values())


def test_at_the_end_everybody_sees_everything() -> None:
    state = set_boards(GAME, ALICE, BOB)
    for player in range(2):
        assert GAME.save(GAME.view(state, player)) == GAME.save(state)


def plane(cards: str) -> np.ndarray:
    """The plane of these cards."""
    out = np.zeros((4, 13), np.int8)
    for rank, suit in zip(cards[::2], cards[1::2], strict=True):
        out["cdhs".index(suit), "23456789TJQKA".index(rank)] = 1
    return out


THIRD = "AcAdTdTsJc/9c9d8h7h7c/6h5h2d"


def test_observations_in_full() -> None:
    """Three players: own hand and board first, the others' boards only when all are set."""
    game = make_game("chinese_poker", players=3)
    boards = [ALICE, BOB, THIRD]
    hands = [board.replace("/", "") for board in boards]
    state = game.parse_deal(";".join(hands))
    empty = [""] * 3
    for moves in range(4):
        for player in range(3):
            shown = [hands[player]]
            for i in range(3):
                seat = (player + i) % 3
                visible = moves == 3 or (i == 0 and seat < moves)
                shown += boards[seat].split("/") if visible else empty
            seen = game.observe(state, player)
            assert seen["observation"].shape == (10, 4, 13)
            assert seen["observation"].tolist() == [plane(cards).tolist() for cards in shown]
            assert seen["status"].tolist() == [player, 3, moves, 0]
        if moves < 3:
            game.play(state, game.parse_at(state, boards[moves]))


def test_with_substeps_the_back_is_seen_first_and_by_its_owner_only() -> None:
    state = SUBSTEPS.parse_deal(f"{ALICE};{BOB}".replace("/", ""))
    back, middle, front = ALICE.split("/")
    SUBSTEPS.play(state, SUBSTEPS.parse_at(state, back))
    own, other = SUBSTEPS.observe(state, 0), SUBSTEPS.observe(state, 1)
    assert own["status"].tolist() == [0, 2, 0, 1]
    assert other["status"].tolist() == [1, 2, 0, 0]
    expected = [plane(cards).tolist() for cards in (back + middle + front, back, "", "", "")]
    assert own["observation"][:5].tolist() == expected
    assert not own["observation"][5:].any()
    assert not other["observation"][1:].any()
    SUBSTEPS.play(state, SUBSTEPS.parse_at(state, "/" + front))
    own = SUBSTEPS.observe(state, 0)
    assert own["status"].tolist() == [0, 2, 1, 0]
    assert own["observation"][1:4].tolist() == [plane(x).tolist() for x in (back, middle, front)]
    assert not SUBSTEPS.observe(state, 1)["observation"][1:].any()


def test_the_table_shows_cards_that_are_known() -> None:
    state = SUBSTEPS.parse_deal(f"{ALICE};{BOB}".replace("/", ""))
    SUBSTEPS.play(state, SUBSTEPS.parse_at(state, "AsKs6s5s3s"))
    rows = SUBSTEPS.scene(SUBSTEPS.view(state, 0))
    assert "".join(rows[0].cards) == "AsKs6s5s3s QsQhJsJd9h8c3c2h"
    assert (rows[0].active, rows[1].active) == (True, False)
    assert rows[1].cards == ("",) * 13
    SUBSTEPS.play(state, SUBSTEPS.parse_at(state, "/JsJd9h"))
    rows = SUBSTEPS.scene(SUBSTEPS.view(state, 1))
    assert (rows[0].cards, rows[0].note) == (("",) * 13, "has set his hand")
    assert [row.active for row in rows] == [False, True]


# Notation.

decks = st.permutations(range(52))
arrangements = st.integers(0, ARRANGEMENTS - 1)
SEPARATORS = ("", " ", ", ", "\t")


def spelled(cards: list[int], draw: Any) -> str:
    """Cards in any order and in any of the ways to write them."""
    draw.shuffle(cards)
    out = []
    for card in cards:
        rank, suit = CARDS[card]
        rank = draw.choice(["10", "T", "t"] if rank == "T" else [rank, rank.lower()])
        suit = draw.choice([suit, suit.upper(), dict(zip("cdhs", "♣♦♥♠", strict=True))[suit]])
        out.append(rank + suit + draw.choice(SEPARATORS))
    return "".join(out)


@pytest.mark.parametrize(
    "hand",
    [
        "AsTs9s8s7h6h5h4d3d2d2cKcQc",
        "A♠10♠9♠8♠ 7♥6♥5♥ 4♦3♦2♦ 2♣K♣Q♣",
        "as 10s 9S 8s, 7h 6h 5h, 4d 3d 2d, 2c kC qc",
    ],
)
def test_a_hand_can_be_written_in_many_ways(hand: str) -> None:
    assert cards_text(parse_hand(hand)) == "AsKcQcTs9s8s7h6h5h4d3d2d2c"


@settings(max_examples=100, deadline=None)
@given(decks, st.randoms(use_true_random=False))
def test_hands_round_trip(deck: list[int], random: Any) -> None:
    cards = deck[:13]
    assert parse_cards(cards_text(cards)) == cards
    hand = parse_hand(spelled(list(cards), random))
    assert hand.tolist() == sorted(cards, reverse=True)
    assert (parse_hand(cards_text(hand)) == hand).all()


@settings(max_examples=100, deadline=None)
@given(decks, arrangements, st.randoms(use_true_random=False))
def test_boards_and_actions_round_trip(deck: list[int], action: int, random: Any) -> None:
    """A board, the arrangement as cards and as positions, flat and in sub-steps."""
    hands = [sorted(deck[:13], reverse=True), sorted(deck[13:26], reverse=True)]
    deal = ";".join(map(cards_text, hands))
    state = GAME.parse_deal(deal)
    assert GAME.deal_text(state) == deal
    board = GAME.text_at(state, action)
    assert board == board_text(TABLES, hands[0], action)
    cards = [int(hands[0][i]) for i in TABLES.positions[action]]
    assert board == "/".join(map(cards_text, (cards[:5], cards[5:10], cards[10:])))
    hand, arrangement = parse_board(board)
    assert (hand.tolist(), arrangement) == (hands[0], action)
    fields = [spelled(part, random) for part in (cards[:5], cards[5:10], cards[10:])]
    for written in (board, GAME.text(action), "/".join(fields), "/".join(fields[:2])):
        assert GAME.parse_at(state, written) == action
    assert parse_board("/".join(fields))[1] == action

    state = SUBSTEPS.parse_deal(deal)
    back, front = divmod(action, 56)
    front += 1287
    assert SUBSTEPS.text_at(state, back) == board.split("/")[0]
    for written in (board.split("/")[0], fields[0], SUBSTEPS.text(back)):
        assert SUBSTEPS.parse_at(state, written) == back
    contract.play(SUBSTEPS.rules, state, back)
    assert SUBSTEPS.text_at(state, front) == "/" + board.split("/")[2]
    for written in ("/" + fields[2], fields[2], SUBSTEPS.text_at(state, front)):
        assert SUBSTEPS.parse_at(state, written) == front
    assert SUBSTEPS.parse_at(state, SUBSTEPS.text(front)) == front


def test_positions_are_letters() -> None:
    assert GAME.text(0) == "abcde/ijklm/fgh"
    assert GAME.text(ARRANGEMENTS - 1) == "ijklm/abcde/fgh"
    assert GAME.parse("edcba/jihgf/mlk") == GAME.parse("abcde/fghij/klm") == 55
    assert (SUBSTEPS.text(0), SUBSTEPS.text(1286)) == ("abcde", "ijklm")
    assert (SUBSTEPS.text(1287), SUBSTEPS.text(1342)) == ("/abc", "/fgh")


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        ("AsKsQsJsTs9s8s7s6s5s4s3s2s;AhKhQhJhTh9h8h7h6h5h4h3hAs", "As is there twice"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s3s;AhKhQhJhTh9h8h7h6h5h4h3h2h", "3s is there twice"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s;AhKhQhJhTh9h8h7h6h5h4h3h2h", "13 cards, not 12"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s2s;AhKhQhJhTh9h8h7h6h5h4h3h2h2c", "13 cards, not 14"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s2s", "a deal is 2 hands, not 1"),
        (";".join("shd"), "a deal is 2 hands, not 3"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s1s;AhKhQhJhTh9h8h7h6h5h4h3h2h", "'1s' is no card"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s2s;*", "'\\*' is no card"),
        ("AsKsQsJsTs9s8s7s6s5s4s3s2;AhKhQhJhTh9h8h7h6h5h4h3h2h", "'2' is no card"),
    ],
)
def test_bad_deals_are_refused(deal: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        GAME.parse_deal(deal)


@pytest.mark.parametrize(
    ("game", "actions", "message"),
    [
        (GAME, ["AsKs6s5s3s/QhQs8c3c2h/JsJd"], "5, 5 and 3 cards"),
        (GAME, ["AsKs6s5s/QhQs8c3c2h/JsJd9h3s"], "5, 5 and 3 cards"),
        (GAME, ["AsKs6s5s3s"], "5, 5 and 3 cards"),
        (GAME, [""], "5, 5 and 3 cards"),
        (GAME, ["AsKs6s5s3s/QhQs8c3c2h/JsJd9s"], "9s is not in the hand"),
        (GAME, ["AsKs6s5s3s/QhQs8c3c2h/JsJdJd"], "Jd is there twice"),
        (GAME, ["abcde/fghij/kln"], "no card"),
        (GAME, ["abcde/fghij/kll"], "no card"),
        (SUBSTEPS, ["AsKs6s5s"], "a back is five cards"),
        (SUBSTEPS, ["/JsJd9h"], "a back is five cards"),
        (SUBSTEPS, [ALICE], "a back is five cards"),
        (SUBSTEPS, ["AsKs6s5s3s", "/AsJd9h"], "three cards that are not in the back"),
        (SUBSTEPS, ["AsKs6s5s3s", "JsJd"], "three cards that are not in the back"),
        (SUBSTEPS, ["AsKs6s5s3s", "QhQs8c3c2h/JsJd9h"], "three cards that are not in the back"),
        (SUBSTEPS, ["AsKs6s5s3s", "/ThJdJs"], "Th is not in the hand"),
    ],
)
def test_bad_actions_are_refused(game: Game, actions: list[str], message: str) -> None:
    state = game.parse_deal(f"{ALICE};{BOB}".replace("/", ""))
    *before, last = actions
    for action in before:
        game.play(state, game.parse_at(state, action))
    with pytest.raises(InputError, match=message):
        game.parse_at(state, last)


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ("AsKs6s5s3s/QhQs8c3c2h", "back/middle/front"),
        ("AsKs6s5s3s/QhQs8c3c2h/Js/Jd9h", "back/middle/front"),
        ("AsKs6s5s/QhQs8c3c2h/JsJd9h3s", "five cards in the back"),
        ("AsKs6s5s3s/QhQs8c3c2hJs/Jd9h", "five cards in the back"),
        ("AsKs6s5s3/sQhQs8c3c2h/JsJd9h", "no card"),
        ("AsKs6s5s3s/QhQs8c3c2h/JsJd", "13 cards, not 12"),
        ("AsKs6s5s3s/QhQs8c3c2h/JsJdAs", "As is there twice"),
    ],
)
def test_bad_boards_are_refused(board: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_board(board)


@st.composite
def misspelled(draw: Any) -> str:
    """Text of a deal, a board, positions, …, with a few characters changed."""
    line = draw(st.sampled_from([
        ALICE, BOB, f"{ALICE};{BOB}", f"{ALICE};{BOB}".replace("/", ""), "AsKs6s5s3s", "/JsJd9h",
        "abcde/fghij/klm", "abcde", "/fgh", "", "A♠10♠9♠8♠6♠",
    ]))  # fmt: skip
    for _ in range(draw(st.integers(0, 3))):
        at, end = sorted((draw(st.integers(0, len(line))), draw(st.integers(0, len(line)))))
        end = min(end, at + 2)
        new = draw(
            st.text(alphabet="AsKQJT1029hdc♠/;, *abmnzß\n", max_size=2) | st.text(max_size=2)
        )
        line = line[:at] + new + line[end:]
    return line


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=60) | misspelled())
def test_any_text_is_understood_or_an_input_error(line: str) -> None:
    started = SUBSTEPS.parse_deal(f"{ALICE};{BOB}".replace("/", ""))
    SUBSTEPS.play(started, SUBSTEPS.parse_at(started, "AsKs6s5s3s"))
    fresh = GAME.parse_deal(f"{ALICE};{BOB}".replace("/", ""))
    hidden = GAME.view(fresh, 1)
    readers = {
        parse_cards: lambda cards: len(set(cards)) == len(cards),
        parse_hand: lambda hand: (np.diff(hand) < 0).all(),
        parse_board: lambda board: parse_board(board_text(TABLES, *board))[1] == board[1],
        GAME.parse: lambda action: GAME.parse(GAME.text(action)) == action,
        SUBSTEPS.parse: lambda action: SUBSTEPS.parse(SUBSTEPS.text(action)) == action,
        GAME.parse_deal: lambda state: GAME.parse_deal(GAME.deal_text(state)) == state,
        lambda text: parse_record(text, GAME): lambda record: len(record.actions) == 2,
    }
    for state, game in ((fresh, GAME), (hidden, GAME), (fresh, SUBSTEPS), (started, SUBSTEPS)):
        readers[lambda text, state=state, game=game: game.parse_at(state, text)] = (
            lambda action, game=game: 0 <= action < game.num_actions
        )
    for reader, is_sound in readers.items():
        try:
            found = reader(line)
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert is_sound(found)


# Records.


@pytest.mark.parametrize(("rules", "points"), [("4-2", 2), ("1-6", 1)])
@pytest.mark.parametrize("line", [f"{ALICE};{BOB}", f" {ALICE} ; {BOB} ;\n"])
def test_a_line_of_boards_is_a_record(rules: str, points: int, line: str) -> None:
    record = parse_line(line, "chinese_poker", rules=rules)
    game = make_game("chinese_poker", rules=rules)
    assert record == parse_record(line, game)
    assert record.rules == {"rules": rules, "players": 2}
    assert record.actions == (ALICE, BOB)
    state = replay(record)
    assert game.returns(state).tolist() == [points, -points]
    written = format_record(game, state)
    again = replay(parse_line(written, "chinese_poker", rules=rules))
    assert game.save(again) == game.save(state)
    assert set(written) == set(f"{ALICE};{BOB}")


def test_a_record_of_three_boards() -> None:
    record = parse_line(f"{ALICE};{BOB};{THIRD}", "chinese_poker", players=3)
    game = make_game("chinese_poker", players=3)
    state = replay(record)
    boards = [as_board(board) for board in (ALICE, BOB, THIRD)]
    assert game.returns(state).tolist() == reference.score(boards)
    again = replay(parse_record(format_record(game, state), game))
    assert game.save(again) == game.save(state)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (ALICE, "a deal is 2 hands, not 1"),
        (f"{ALICE};{BOB};{THIRD}", "a deal is 2 hands, not 3"),
        (f"{ALICE};{ALICE}", "As is there twice"),
        (f"{ALICE};{BOB[:-2]}", "13 cards, not 12"),
        (f"{ALICE};{BOB[:-2]}As", "As is there twice"),
        (f"{FOUL};{PLAIN}", "action 1, .* is not legal for player_0"),
        ("", "back/middle/front"),
    ],
)
def test_lines_that_are_no_games_are_refused(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        replay(parse_line(line, "chinese_poker"))


def test_a_record_with_fouls_replays_under_the_option() -> None:
    record = parse_line(f"{FOUL};{PLAIN}", "chinese_poker", fouls=True)
    game = make_game("chinese_poker", fouls=True)
    assert game.returns(replay(record)).tolist() == [-4, 4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "2-4"}, "no rules '2-4'; it has 4-2, 1-6"),
        ({"players": 1}, "players are 2 to 4, not 1"),
        ({"players": 5}, "players are 2 to 4, not 5"),
        ({"players": "2"}, "players are 2 to 4, not '2'"),
        ({"players": True}, "players are 2 to 4, not True"),
        ({"fouls": None}, "fouls is True or False, not None"),
        ({"naturals": "yes"}, "naturals is True or False, not 'yes'"),
        ({"jokers": True}, "no option 'jokers'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_game("chinese_poker", **options)


@pytest.mark.parametrize(
    ("name", "good", "bad"), [("players", 2, 2.0), ("players", 3, 3.0), ("fouls", True, 1)]
)
def test_an_option_of_another_type_is_refused_though_it_is_equal(
    name: str, good: Any, bad: Any
) -> None:
    make_game("chinese_poker", **{name: good})
    with pytest.raises(InputError, match=f"{name} .*, not {bad}"):
        make_game("chinese_poker", **{name: bad})


@pytest.mark.parametrize("module", [plays, notation])
def test_examples_in_docstrings_come_out(module: Any) -> None:
    results = doctest.testmod(module)
    assert results.failed == 0
    assert results.attempted > 0
