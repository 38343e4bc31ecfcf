"""The rules of Chinese Poker: the blog's game, another evaluator, the rules stated slowly."""

from bisect import bisect_left
from collections import Counter
from itertools import combinations, combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np
import pytest
from reference import chinese_poker as reference
from support_boards import (
    ALICE,
    BOB,
    FOUL,
    GAME,
    OTHER_FOUL,
    PLAIN,
    TABLES,
    THIRD,
    as_board,
    set_boards,
    start,
    text,
)

from closedhand import InputError, make_game
from closedhand.core import contract
from closedhand.games.chinese_poker import plays
from closedhand.games.chinese_poker.notation import board_text, cards_text, parse_cards, parse_hand
from closedhand.games.chinese_poker.plays import ARRANGEMENTS, BACK, CARDS, FRONT, MIDDLE
from closedhand.games.chinese_poker.rules import DRAGON, natural

# One hand of every kind there is, by ids: 6,175 sets of ranks that are no flush, 1,287 that are.
KINDS = np.array(
    [
        [4 * rank + i % 4 for i, rank in enumerate(ranks)]
        for ranks in combinations_with_replacement(range(13), 5)
        if len(set(ranks)) > 1
    ]
    + [[4 * rank for rank in ranks] for ranks in combinations(range(13), 5)]
)

NATURALS = ("none", "three flushes", "three straights", "six pairs", "dragon")
FRONTS = np.array(list(combinations(range(52), 3)))


def strengths(hands: np.ndarray) -> np.ndarray:
    """The strengths by the tables of hands of five or three ids, int [..., 5] or [..., 3]."""
    size = hands.shape[-1]
    binomial = np.array([[comb(n, k) for k in range(6)] for n in range(52)])
    places = binomial[-np.sort(-hands), np.arange(size, 0, -1)].sum(axis=-1)
    return (TABLES.five if size == 5 else TABLES.three)[places]


def payoffs(*boards: str, **options: Any) -> list[float]:
    game = make_game("chinese_poker", players=len(boards), **options)
    return game.returns(set_boards(game, *boards)).tolist()


# Strengths.


def test_strengths_and_hands_are_as_many_as_poker_has() -> None:
    """By category; within one, every strength has equally many hands."""
    kinds = [1277, 2860, 858, 13, 10, 1277, 13, 13, 10], [286, 156, 0, 13]
    fives = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert plays.STRENGTHS == (455, 6331, 6331) == (sum(kinds[1]), sum(kinds[0]), sum(kinds[0]))
    for size, table, kind, hands in (
        (5, TABLES.five, kinds[0], fives),
        (3, TABLES.three, kinds[1], [18304, 3744, 0, 52]),
    ):
        category = np.array([key[0] for key in plays.keys(size)])
        assert np.bincount(category).tolist() == kind
        assert np.bincount(category[table]).tolist() == hands
        each = np.bincount(table)
        assert (each * np.array(kind)[category] == np.array(hands)[category]).all()


def test_strengths_are_the_order_of_the_reference() -> None:
    """All kinds of hands, hands at random, all fronts, and the weakest middle of each front."""
    rng = np.random.default_rng(2)
    at_random = rng.permuted(np.tile(np.arange(52), (10_000, 1)), axis=1)[:, :5]
    fives = sorted({reference.five(text(hand)) for hand in KINDS})
    for hands in (KINDS, at_random):
        theirs = [reference.five(text(hand)) for hand in hands]
        assert [fives[number] for number in strengths(hands)] == theirs
    theirs = [reference.front(text(hand)) for hand in FRONTS]
    threes = sorted(set(theirs))
    assert [threes[number] for number in strengths(FRONTS)] == theirs
    assert TABLES.floor.tolist() == [bisect_left(fives, front) for front in threes]


@pytest.mark.peers
def test_phevaluator_orders_all_kinds_of_hands_alike() -> None:
    """Its 7,462 classes are ours, but for the kickers of trips, full houses and quads."""
    evaluate = pytest.importorskip("phevaluator").evaluate_cards
    assert evaluate(*parse_cards("AsKhQd7c2s")) == evaluate("As", "Kh", "Qd", "7c", "2s")
    theirs = np.array([evaluate(*hand) for hand in KINDS.tolist()])
    assert sorted(theirs) == list(range(1, 7463))
    ours = strengths(KINDS)[np.argsort(-theirs)]
    assert (np.diff(ours) >= 0).all()
    same = ours[1:][np.diff(ours) == 0]
    coarse = {plays.TRIPS, plays.FULL_HOUSE, plays.QUADS}
    assert {plays.keys(5)[number][0] for number in same} == coarse


@pytest.mark.slow
@pytest.mark.peers
def test_phevaluator_has_the_same_winners() -> None:
    """200,000 pairs of hands from one deck: no two meet that only we hold for equal."""
    evaluate = pytest.importorskip("phevaluator").evaluate_cards
    rng = np.random.default_rng(3)
    decks = rng.permuted(np.tile(np.arange(52, dtype=np.int8), (100_000, 1)), axis=1)
    # The second half from five ranks only, where strong hands and ties are frequent.
    few = rng.permuted(np.tile(np.arange(20, dtype=np.int8), (100_000, 1)), axis=1)
    few += 4 * rng.integers(0, 9, (len(few), 1), dtype=np.int8)
    hands = np.concatenate([decks[:, :10], few[:, :10]]).reshape(-1, 5)
    ours = strengths(hands).astype(int).reshape(-1, 2)
    theirs = np.array([evaluate(*hand) for hand in hands.tolist()])
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
    # 56 * back + k, with sets in lexicographic order.
    backs = np.array(list(combinations(range(13), 5)))
    assert (positions[:, :5] == np.repeat(backs, 56, axis=0)).all()
    assert (np.diff(positions[:, 10:].reshape(1287, 56, 3) @ [169, 13, 1]) > 0).all()


# The second hand has A-K-Q in the front of A-K-Q-J-T and less.
@pytest.mark.slow
@pytest.mark.parametrize("hand", ["", "AsKsQsAhKhQhJcTc9d5d4d3d2c", "2c2d2h2s3c3d3h4c5cAcAdKhQs"])
def test_legal_arrangements_are_those_of_the_reference(hand: str) -> None:
    state = GAME.deal(np.random.default_rng(4))
    state.hands[0] = parse_hand(hand) if hand else state.hands[0]
    cards = np.array(text(state.hands[0]))
    rows = cards[TABLES.positions[GAME.legal(state)]].tolist()
    ours = {(tuple(row[:5]), tuple(row[5:10]), tuple(row[10:])) for row in rows}
    theirs = {board for board in reference.boards(cards.tolist()) if reference.legal(board)}
    assert ours == theirs
    assert 1000 < len(ours) == len(rows) < ARRANGEMENTS


@pytest.mark.parametrize("fouls", [False, True])
@pytest.mark.parametrize("substeps", [False, True])
def test_what_is_legal_is_what_is_listed(fouls: bool, substeps: bool) -> None:
    """`is_legal` evaluates one action, `legal` all."""
    game = make_game("chinese_poker", fouls=fouls, substeps=substeps)
    rng = np.random.default_rng(5)
    buffer = np.empty(game.num_actions, np.int32)
    state = game.deal(rng)
    edges = [-1, 0, 1286, 1287, game.num_actions - 1, game.num_actions]
    while not game.over(state):
        listed = set(game.legal(state).tolist())
        for action in [*edges, *rng.integers(0, game.num_actions, 1000).tolist()]:
            assert contract.is_legal(game.rules, state, action, buffer) == (action in listed)
        game.play(state, int(rng.choice(list(listed))))
    assert not contract.is_legal(game.rules, state, 0, buffer)


@pytest.mark.parametrize(
    ("board", "ordered"),
    [
        (FOUL, False),
        (OTHER_FOUL, False),
        # A front that the middle begins with is weaker; one card more decides the other way.
        ("AsAdKsKd2s/AhKhQhJc9c/AcKcQs", True),
        ("AsAdKsKd2s/AhKhJhTc9c/AcKcQs", False),
        ("KsKdQsQd9s/2c2dKhQhJh/2s2hAc", False),
        # Three cards are no straight and no flush; parts may be equal; an ace is below the deuce.
        ("7s7d7h4c4d/2s2d5h8cJd/AsKsQs", True),
        ("9sTdJhQcKd/9dThJcQsKs/2s3d4h", True),
        ("As2d3h4c5d/2s3d4h5c6d/KsQsJd", False),
    ],
)
def test_fouls_are_refused_unless_the_option_says_otherwise(board: str, ordered: bool) -> None:
    rest = [card for card in range(52) if CARDS[card] not in board]
    state = start(GAME, board, cards_text(rest[:13]))
    action = GAME.parse(board, state)
    assert (action in GAME.legal(state)) == reference.legal(as_board(board)) == ordered
    if not ordered:
        with pytest.raises(InputError, match="is not legal for player_0"):
            GAME.play(state, action)
    game = make_game("chinese_poker", fouls=True)
    assert game.legal(state).tolist() == list(range(ARRANGEMENTS))


@pytest.mark.slow
@pytest.mark.parametrize("fouls", [False, True])
def test_every_arrangement_has_one_path_of_substeps(fouls: bool) -> None:
    flat = make_game("chinese_poker", fouls=fouls)
    game = make_game("chinese_poker", fouls=fouls, substeps=True)
    assert game.num_actions == 1287 + 56
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


# Scores.


def test_the_game_of_the_blog() -> None:
    for rules, points in (("4-2", 2), ("1-6", 1)):
        assert payoffs(ALICE, BOB, rules=rules) == [points, -points]
        assert payoffs(BOB, ALICE, rules=rules) == [-points, points]


@pytest.mark.parametrize("parts", list(product([1, 0, -1], repeat=3)))
def test_wins_and_ties_of_parts(parts: tuple[int, int, int]) -> None:
    """Boards that differ by a kicker in each part, or by suits alone."""
    boards, kickers = [], ("T9", "87", "54")
    for (a, b), sign in (("sh", 1), ("cd", -1)):
        x, y, z = (pair[sign * part < 0] for pair, part in zip(kickers, parts, strict=True))
        boards.append(f"A{a}A{b}K{a}K{b}{x}{a}/Q{a}Q{b}J{a}J{b}{y}{a}/6{a}6{b}{z}{a}")
    won, lost = parts.count(1), parts.count(-1)
    sign = 1 if won >= lost else -1
    # Parts won and lost: points under 4-2 and under 1-6.
    points = {(3, 0): (4, 6), (2, 0): (3, 2), (2, 1): (2, 1), (1, 0): (2, 1)}
    for i, rules in enumerate(("4-2", "1-6")):
        expected = sign * points.get((max(won, lost), min(won, lost)), (0, 0))[i]
        assert payoffs(*boards, rules=rules) == [expected, -expected]


def test_fouls_lose_everything_tie_with_fouls_and_earn_no_royalties() -> None:
    for rules, points in (("4-2", 4), ("1-6", 6)):
        found = payoffs(FOUL, PLAIN, OTHER_FOUL, fouls=True, rules=rules)
        assert found == [-points, 2 * points, -points]
    rich = "9c9d9h9s2c/8c8d8h3c3d/4c4d4h"  # 4 + 2 + 3
    for other, points in ((PLAIN, 4), (OTHER_FOUL, 0), (rich, 4 + 9)):
        assert payoffs(FOUL, other, fouls=True, royalties=True) == [-points, points]


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
        # Several, and none.
        ("9s8s7s6s5s/QsQcQdQhJs/TsTcTd", 5 + 8 + 3),
        ("AsTs8s7s6s/Ac9c8c7c5c/QdQsKs", 0),
    ],
)
def test_royalties(board: str, paid: int) -> None:
    """Against a board that earns none."""
    for boards, sign in (((board, POOR), 1), ((POOR, board), -1)):
        more = np.subtract(payoffs(*boards, royalties=True), payoffs(*boards))
        assert more.tolist() == [sign * paid, -sign * paid]


def test_royalties_come_from_every_opponent_whoever_wins_the_part() -> None:
    one = "QsQcQdQhAs/9s9cTsThJs/8s8c7h"  # 4 for its back, which loses
    two = "5s4s3s2s6s/KcKhKsAcAh/TcTdJc"  # 5 + 2
    assert payoffs(one, two) == [-4, 4]
    more = np.subtract(payoffs(one, two, POOR, royalties=True), payoffs(one, two, POOR))
    assert more.tolist() == [4 - 7 + 4, 7 - 4 + 7, -4 - 7]


# Naturals. Three flushes, three straights, six pairs and a dragon are from one deck.


HANDS = [
    "AdKdQhQdJcTc9h8c4d3c2h2d2c",
    "QcJsJhTsTh9s9d8s8h7s7d6s5h",
    "AsAcKsKh7h6h6c5s5c4s4c3s3d",
    "AhKcQsJdTd9c8d7c6d5d4h3h2s",
]


def lay(hand: str, ordered: bool = True) -> str:
    """A board of the hand: the first in order, or the first foul."""
    boards = reference.boards(text(parse_hand(hand)))
    board = next(board for board in boards if reference.legal(board) == ordered)
    return "/".join("".join(part) for part in board)


def test_naturals_win_in_their_order_fouls_or_not() -> None:
    for rules, points in (("4-2", [-12, -4, 4, 12]), ("1-6", [-18, -6, 6, 18])):
        for fouls in (False, True):
            boards = [lay(hand, ordered=not fouls) for hand in HANDS]
            assert payoffs(*boards, fouls=fouls, rules=rules, naturals=True) == points
            assert payoffs(*boards, fouls=fouls, rules=rules) != points


def test_naturals_count_instead_of_all_else() -> None:
    # Two dragons, one of them in one suit: its straight flushes win nothing.
    dragons = "AsKsQsJsTs/9s8s7s6s5s/4s3s2s", "AcKdQhJcTd/9c8d7h6c5d/4c3d2h"
    options = {"naturals": True, "royalties": True}
    assert payoffs(*dragons) == [3, -3]  # the fronts tie
    assert payoffs(*dragons, **options) == [0, 0]
    dragon = lay(HANDS[DRAGON - 1])
    rich = "9s9d9h8s8c/7s7d7h6h6s/5s5c5h"  # 2 + 3, and no natural
    third = "AsAcAdKsJc/QcQdJsJh2h/TsTc4c"
    assert payoffs(rich, third, royalties=True) == [4 + 5, -4 - 5]
    assert payoffs(dragon, rich, rules="1-6", **options) == [6, -6]
    # Between the other two everything is as ever.
    assert payoffs(dragon, rich, third, **options) == [4 + 4, 9 - 4, -9 - 4]


@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        *zip(HANDS, ("three flushes", "three straights", "six pairs", "dragon"), strict=True),
        ("AsKsQsJsTs9s8s7s6s5s4s3s3h", "none"),
        ("2s2h2d2c3s3h3d3c4s4h4d4cAs", "six pairs"),  # quads are two
        ("2s2h2d3c3s4h4d5c5s6h6d7c7s", "six pairs"),  # with trips in them
        ("2s2h2d4c4s4h6d6c6s8h8dTcTs", "none"),
        ("As2h3d4c5sAh2d3c4s5hAd2c3s", "three straights"),  # the ace below
        ("AsKhQdJcTsAh2d3c4s5hKd2c3s", "none"),  # K-2-3
        ("2s3s4s5s6s7h8h9hThJh4d5d6d", "three straights"),  # flushes as well
        ("AsKs9s8s6s5s3s2sAhQhJh9h8h", "three flushes"),  # 8 and 5
        ("AsKsQsJs9s8s6s5s3sAhQhJhTh", "none"),  # 9 and 4
    ],
)
def test_naturals_one_by_one(hand: str, kind: str) -> None:
    assert NATURALS[natural(parse_hand(hand))] == kind
    assert NATURALS[reference.natural(text(parse_hand(hand)))] == kind


def natural_hand(rng: np.random.Generator) -> list[str]:
    """Thirteen cards that are straights, flushes or pairs, or that lack one card to it."""
    kind = int(rng.integers(3))
    if kind == 0:
        around = "A" + reference.RANKS
        wanted = "".join(around[rng.integers(15 - size) :][:size] for size in (5, 5, 3))
    elif kind == 1:
        sizes = rng.permutation([(5, 5, 3, 0), (8, 5, 0, 0), (10, 3, 0, 0)][rng.integers(3)])
        wanted = "".join(suit * size for suit, size in zip("cdhs", sizes, strict=True))
    else:
        wanted = 2 * "".join(rng.permutation(list(2 * reference.RANKS))[:6])
    left, hand, others = Counter(wanted), [], []
    for card in rng.permutation(reference.DECK).tolist():
        left[card[kind == 1]] -= 1
        (hand if left[card[kind == 1]] >= 0 else others).append(card)
    hand = (hand + others)[:13]
    if rng.random() < 0.5:
        hand[rng.integers(13)] = others[-1]
    return hand


@pytest.mark.slow
def test_naturals_are_those_of_the_reference() -> None:
    rng = np.random.default_rng(8)
    seen = Counter()
    for _ in range(200):
        hand = natural_hand(rng)
        kind = reference.natural(hand)
        assert natural(parse_hand("".join(hand))) == kind, hand
        seen[kind] += 1
    assert min(seen[kind] for kind in range(DRAGON)) > 20


def random_hands(rng: np.random.Generator, players: int) -> np.ndarray:
    """Hands from one deck, three in four of cards that go together: of a suit, of a rank, both."""
    deck = np.arange(52)
    by_suit = deck % 4 * 13
    noise, order = ((99, 0), (2, deck), (6, by_suit), (1, by_suit + deck // 4))[rng.integers(4)]
    cards = np.argsort(order + rng.normal(0, noise, 52))
    return np.roll(cards, rng.integers(52)).reshape(4, 13)[:players]


def random_board(rng: np.random.Generator, hand: np.ndarray, fouls: bool) -> str:
    """A board of the hand, every other time the one with the most royalties of 3,000."""
    cards = hand[TABLES.positions[rng.integers(ARRANGEMENTS, size=3000)]]
    back, middle, front = map(strengths, (cards[:, :5], cards[:, 5:10], cards[:, 10:]))
    ordered = (back >= middle) & (middle >= TABLES.floor[front])
    points = TABLES.royalties[[[BACK], [MIDDLE], [FRONT]], [back, middle, front]].sum(axis=0)
    greedy = rng.integers(2)
    chosen = 0 if fouls and not greedy else np.argmax((1 + points * greedy) * ordered)
    return "/".join(map(cards_text, np.split(cards[chosen], [5, 10])))


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_payoffs_are_those_of_the_reference(players: int) -> None:
    """Random boards under random options; seats that change places change payoffs."""
    rng = np.random.default_rng(9)
    seen, kinds, fouls, won = set(), set(), 0, set()
    for _ in range(100):
        options = {name: bool(rng.random() < 0.5) for name in ("fouls", "royalties", "naturals")}
        options["rules"] = ("4-2", "1-6")[rng.integers(2)]
        game = make_game("chinese_poker", players=players, **options)
        hands = random_hands(rng, players)
        boards = [random_board(rng, hand, options["fouls"]) for hand in hands]
        found = game.returns(set_boards(game, *boards))
        assert found.tolist() == reference.score([as_board(board) for board in boards], **options)
        order = rng.permutation(players)
        swapped = game.returns(set_boards(game, *(boards[seat] for seat in order)))
        assert swapped.tolist() == found[order].tolist()

        for board in map(as_board, boards):
            fouls += not reference.legal(board)
            if reference.legal(board):
                seen |= {(part, each[0]) for part, each in enumerate(reference.strengths(board))}
        if options["naturals"]:
            kinds |= {natural(parse_hand(cards_text(hand))) for hand in hands}
        won.add(found[0])
    # The royalties, in the reference's order of parts: back, middle, front.
    assert seen >= {(0, 7), (0, 8), (1, 6), (1, 7), (1, 8), (2, 3)}
    assert (fouls > 20, len(kinds) > 2, 0 in won, len(won) > 8) == (True,) * 4


# Deals, secrets and observations.


def test_all_deals_are_as_likely() -> None:
    game = make_game("chinese_poker", players=4)
    rng = np.random.default_rng(10)
    hands = np.array([game.deal(rng).hands for _ in range(4000)])
    assert (np.diff(hands) < 0).all()
    assert (np.sort(hands.reshape(-1, 52)) == np.arange(52)).all()
    held = (hands[..., None] == np.arange(52)).any(axis=2)
    assert abs(held.mean(axis=0) - 1 / 4).max() < 0.03
    # The deuce of diamonds is with the deuce of clubs as often as any other card.
    assert held[..., 1][held[..., 0]].mean() == pytest.approx(12 / 51, abs=0.03)
    assert (GAME.deal(rng).hands[2:] == -1).all()


def test_redeals_are_as_likely_as_deals() -> None:
    """What is hidden is spread over the unseen cards, and set within the rules."""
    game = make_game("chinese_poker", players=3)
    rng = np.random.default_rng(12)
    state = game.deal(rng)
    for _ in range(2):
        game.play(state, int(rng.choice(game.legal(state))))
    view = game.view(state, 1)
    others = [game.redeal(view, 1, rng) for _ in range(3000)]
    held = (np.array([each.hands for each in others])[..., None] == np.arange(52)).any(axis=2)
    own = held[0, 1]
    assert np.flatnonzero(own).tolist() == sorted(state.hands[1])
    assert (held[:, 1] == own).all()
    for seat in (0, 2):
        assert abs(held[:, seat].mean(axis=0) - ~own / 3).max() < 0.05
    history = np.array([each.history for each in others])
    assert (history[:, 1:3] == [state.history[1], -1]).all()
    assert len(set(history[:, 0])) > 2000
    for each in others[:200]:
        assert reference.legal(as_board(board_text(TABLES, each.hands[0], each.history[0])))


@pytest.mark.parametrize("substeps", [False, True])
@pytest.mark.parametrize("players", [2, 3])
def test_how_a_hand_is_set_is_a_secret(substeps: bool, players: int) -> None:
    """After each step of player 0 all others see the same, whatever he has done."""
    game = make_game("chinese_poker", players=players, substeps=substeps)
    rng = np.random.default_rng(13)
    deal = game.deal(rng)
    seen, chosen = set(), set()
    for _ in range(20):
        state = deal.copy()
        for step in range(1 + substeps):
            game.play(state, int(rng.choice(game.legal(state))))
            for player in range(1, players):
                planes = game.observe(state, player)
                everything = [planes[part].tobytes() for part in game.shapes]
                if player == state.player:
                    everything.append(game.legal(state).tobytes())
                seen.add((step, player, game.save(game.view(state, player)), *everything))
        chosen.add(int(state.history[0]))
    assert len(chosen) > 15
    assert len(seen) == (1 + substeps) * (players - 1)


def planes_of(*parts: str) -> list[list[list[int]]]:
    """A plane, [4, 13], for each of these sets of cards."""
    ranks, suits = reference.RANKS, reference.SUITS
    return [[[rank + suit in part for rank in ranks] for suit in suits] for part in parts]


@pytest.mark.parametrize("substeps", [False, True])
def test_observations_in_full(substeps: bool) -> None:
    """Own hand, back, middle and front as far as they are set; at the end the others' boards."""
    game = make_game("chinese_poker", players=3, substeps=substeps)
    boards = [ALICE, BOB, THIRD]
    state = start(game, *boards)
    shown = [["", "", ""] for _ in boards]
    for seat, board in enumerate(boards):
        back, middle, front = board.split("/")
        for step, action in enumerate([back, "/" + front] if substeps else [board]):
            game.play(state, game.parse(action, state))
            chosen = substeps and step == 0
            shown[seat] = [back, "", ""] if chosen else [back, middle, front]
            for player in range(3):
                others = shown[player + 1 :] + shown[:player]
                others = [*others[0], *others[1]] if game.over(state) else [""] * 6
                seen = game.observe(state, player)
                expected = planes_of(boards[player], *shown[player], *others)
                assert seen["observation"].tolist() == expected
                moves = seat + (not chosen)
                assert seen["status"].tolist() == [player, 3, moves, chosen and player == seat]
    for player in range(3):
        assert game.save(game.view(state, player)) == game.save(state)


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0), (0, 1, 2)])
def test_hands_may_be_set_in_any_order(order: tuple[int, ...]) -> None:
    """Nobody sees another's hand before all are set: each state on the way is one of the game."""
    game = make_game("chinese_poker", players=3)
    state = game.deal(np.random.default_rng(2))
    chosen = {}
    for seat in order:
        state["player"] = seat
        chosen[seat] = int(game.legal(state)[0])
        game.play(state, chosen[seat])
        assert game.over(state) or state.player not in chosen
        assert game.valid(state) == ""
    assert state.history[:3].tolist() == [chosen[seat] for seat in range(3)]


@pytest.mark.parametrize("substeps", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_is_as_long_as_it_says(players: int, substeps: bool) -> None:
    """A back and a front of each player in sub-steps, a board of each otherwise."""
    game = make_game("chinese_poker", players=players, substeps=substeps)
    state, rng = game.deal(np.random.default_rng(1)), np.random.default_rng(2)
    actions = 0
    while not game.over(state):
        game.play(state, game.sample(rng, state))
        actions += 1
    assert actions == game.max_moves == players * (1 + substeps)
