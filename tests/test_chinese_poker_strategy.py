"""Strategies of Chinese Poker: brute force agrees, self-play is even, files and commands work."""

import json
import re
from functools import cache, partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import assert_alike_without_compiler
from reference import chinese_poker as reference
from typer.testing import CliRunner, Result

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import advise as advising, match
from closedhand.arena.reproduce import chinese_poker as reproduction
from closedhand.baselines.chinese_poker import (
    counter,
    pool as pools,
    responders,
    separable,
    training,
)
from closedhand.cli import app
from closedhand.games.chinese_poker import plays
from closedhand.games.chinese_poker.plays import (
    ARRANGEMENTS,
    BACK,
    CARDS,
    FRONT,
    MIDDLE,
    PARTS,
    STRENGTHS,
    names,
)
from closedhand.games.chinese_poker.records import cards_text, parse_board, parse_hand

RULES = ("4-2", "1-6")
GAMES = {rules: make_game("chinese_poker", rules=rules) for rules in RULES}
GAME = GAMES["4-2"]
SUBSTEPS = make_game("chinese_poker", substeps=True)
SMALL = 5_000
"""Hands of a pool, which is no multiple of 64."""
SIZE = 20_000

ALICE = "AsKs6s5s3sQhQs8c3c2hJsJd9h"
NASTY = [
    "AsKhQdJcTs9h8d7c6s5h4d3c2s",  # the dragon
    "AsKsQsJsTs9s8s7s6s5s4s3s2s",  # with straight flushes only
    "AsAhAdAcKsKhKdKcQsQhQdQc2s",  # three quads
    "2s2h2d3s3h3d4s4h4d5s5h5d6s",  # trips
    "2c2d3c3d4c4d5c5d6c6d7c7d8c",  # six pairs, all parts alike
    "AcKcQhQdJhTc9s9h7s6s5s4h2c",  # very many ways that make sense
    "AsAhKsKhQsQhJsJhTsTh9s9h8s",
    ALICE,
]

MANY = ["AsAdKdKcQsJs9h8c7h6d4s3d2c", "AsAdAcKdQhJh9c8d7d6s4h3c2h"]
"""Nothing beats 4,935 and 5,075 arrangements of these; found by climbing."""

every_scoring = pytest.mark.parametrize("rules", RULES)


@pytest.fixture(autouse=True)
def keep_the_cache_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written to the home folder; relative paths lie in a temporary one."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


# Brute force: all arrangements of a hand by the slow rules.


@cache
def sets_of_arrangements() -> tuple[np.ndarray, ...]:
    """The numbers of the sets of positions in back, middle and front of all arrangements."""
    fives = {chosen: i for i, chosen in enumerate(combinations(range(13), 5))}
    threes = {chosen: i for i, chosen in enumerate(combinations(range(13), 3))}
    found = []
    for back in fives:
        others = [i for i in range(13) if i not in back]
        for front in combinations(others, 3):
            middle = tuple(i for i in others if i not in front)
            found.append((fives[back], fives[middle], threes[front]))
    return tuple(np.array(found).T)


@cache
def all_legal(hand: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The ids of the legal arrangements, and the strengths of their parts, [n, 3]."""
    cards = [CARDS[card] for card in hand]
    fives = [reference.five(chosen) for chosen in combinations(cards, 5)]
    threes = [reference.front(chosen) for chosen in combinations(cards, 3)]
    order = {strength: i for i, strength in enumerate(sorted({*fives, *threes}))}
    backs, middles, fronts = sets_of_arrangements()
    of_five = np.array([order[strength] for strength in fives])
    of_three = np.array([order[strength] for strength in threes])
    legal = (of_five[backs] >= of_five[middles]) & (of_five[middles] >= of_three[fronts])
    numbers = [{key: i for i, key in enumerate(plays.keys(size))} for size in (3, 5)]
    five = np.array([numbers[1][strength] for strength in fives])
    three = np.array([numbers[0][strength] for strength in threes])
    parts = np.stack([three[fronts], five[middles], five[backs]], axis=1)
    return np.flatnonzero(legal), parts[legal]


def options(hand: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return all_legal(tuple(hand.tolist()))


def parts_of(hand: np.ndarray, action: int) -> np.ndarray:
    """The strengths of a legal arrangement."""
    actions, parts = options(hand)
    (place,) = np.flatnonzero(actions == action)
    return parts[place]


def points_by_signs(rules: str) -> np.ndarray:
    """What parts won (2), tied (1) and lost (0) are worth, [3, 3, 3]."""
    found = np.zeros((3, 3, 3), int)
    for signs in product((-1, 0, 1), repeat=3):
        found[tuple(sign + 1 for sign in signs)] = reference.points(list(signs), rules)
    return found


def plain_points(rules: str, own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The points of arrangements, [n, 3], against others, [m, 3]; [n, m]."""
    signs = np.sign(own[:, None].astype(int) - others.astype(int)) + 1
    return points_by_signs(rules)[signs[..., 0], signs[..., 1], signs[..., 2]]


def expected(rules: str, chances: np.ndarray) -> np.ndarray:
    """The expected points if parts, [n, 3], win by chance: the sum over all eight outcomes."""
    found = np.zeros(len(chances))
    for wins in product((False, True), repeat=3):
        probability = np.where(wins, chances, 1 - chances).prod(axis=1)
        found += probability * reference.points([1 if won else -1 for won in wins], rules)
    return found


def chances_of(win: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return np.stack([win[part, parts[:, part]] for part in range(3)], axis=1)


def pareto(parts: np.ndarray) -> set[tuple[int, ...]]:
    """The strengths that no other ones equal or beat in all parts."""
    rows = np.unique(parts, axis=0)[::-1]
    found = set()
    while len(rows):
        found.add(tuple(rows[0].tolist()))
        rows = rows[(rows > rows[0]).any(axis=1)]
    return found


def dealt(number: int, seed: int) -> np.ndarray:
    return pools.random_hands(np.random.default_rng(seed), number)[:, 0]


def nasty() -> list[np.ndarray]:
    return [parse_hand(text) for text in NASTY]


@cache
def small_pool(rules: str) -> tuple[np.ndarray, np.ndarray, pools.Pool]:
    """Hands, their strengths as the tables of the package set them, and the pool of them."""
    hands = dealt(SMALL, 17)
    game, win = GAMES[rules].rules, separable.shipped().win
    parts = pools.strengths_of(game, hands, separable.arrange(game, win, hands))
    return hands, parts, pools.build(hands, parts)


def opponents_of(hand: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """The numbers of hands that share no card with a hand, by sets."""
    own = set(hand.tolist())
    return np.array([i for i, other in enumerate(hands.tolist()) if own.isdisjoint(other)], int)


def candidates_of(rules: str, hand: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    actions = np.empty(counter.MOST, np.int32)
    parts = np.empty((counter.MOST, 3), np.int16)
    n = counter.candidates(GAMES[rules].rules, hand, actions, parts)
    return actions[:n], parts[:n]


def monotone(kind: str) -> np.ndarray:
    """Random tables that never fall."""
    rng = np.random.default_rng(len(kind))
    win = np.zeros((3, max(STRENGTHS)))
    for part, number in enumerate(STRENGTHS):
        some = {
            "smooth": rng.random(number),
            "steps": rng.integers(0, 4, number) / 3,
            "alike": 0.4 + 1e-7 * rng.random(number),
            "sure": rng.integers(0, 2, number).astype(float),
            "zeros": np.zeros(number),
            "ones": np.ones(number),
        }[kind]
        win[part, :number] = np.sort(some)
    return separable.Tables(win).win


# The separable strategy.


@every_scoring
@pytest.mark.parametrize(
    "tables", ["shipped", "even", "smooth", "steps", "alike", "sure", "zeros", "ones"]
)
def test_the_best_arrangement_is_the_best_of_all(rules: str, tables: str) -> None:
    known = {"shipped": lambda: separable.shipped().win, "even": training.even}
    win = known[tables]() if tables in known else monotone(tables)
    for hand in [*nasty(), *dealt(30 if tables in known else 10, 1)]:
        actions, parts = options(hand)
        values = expected(rules, chances_of(win, parts))
        action, value = separable.best(GAMES[rules].rules, win, hand)
        assert value == pytest.approx(values.max(), abs=1e-12)
        (own,) = values[actions == action]  # which is legal
        assert own == pytest.approx(values.max(), abs=1e-12)


@every_scoring
def test_the_slow_rules_have_the_same_arrangements(rules: str) -> None:
    """What brute force here looks through is what the game allows, with the same strengths."""
    game = GAMES[rules]
    for hand in [*nasty()[:4], *dealt(3, 2)]:
        rest = [card for card in range(52) if card not in hand]
        state = game.parse_deal(f"{cards_text(hand)};{cards_text(rest[:13])}")
        actions, parts = options(hand)
        assert (game.legal(state) == actions).all()
        hands = np.repeat(hand[None], len(actions), axis=0)
        assert (pools.strengths_of(game.rules, hands, actions) == parts).all()


@every_scoring
def test_the_formula_sums_over_all_outcomes(rules: str) -> None:
    game = GAMES[rules].rules
    corners = np.array(list(product((0.0, 0.5, 1.0), repeat=3)))
    chances = np.concatenate([corners, np.random.default_rng(0).random((200, 3))])
    found = [counter.expectation(game, *row) - 3 - game.scoop for row in chances.tolist()]
    assert found == pytest.approx(expected(rules, chances).tolist(), abs=1e-12)


def test_the_blogs_formula_and_its_example() -> None:
    """The blog adds -0.2 + 0.8 - 0.8 + 0.418 - 0.582 up to -0.634, which is -0.364."""
    for f, m, b in np.random.default_rng(1).random((50, 3)).tolist():
        more = f + m + b + f * m + f * b + m * b - 2 * f * m * b
        assert counter.expectation(GAME.rules, f, m, b) == pytest.approx(2 * more)
    found = counter.expectation(GAME.rules, 0.4, 0.9, 0.1) - 4
    assert found == pytest.approx(-0.2 + 0.8 - 0.8 + 0.418 - 0.582)
    assert found == pytest.approx(-0.364)


@every_scoring
def test_better_chances_are_worth_more(rules: str) -> None:
    """On which the bound of the search relies."""
    rng = np.random.default_rng(3)
    low, high = np.sort(rng.random((2, 300, 3)), axis=0)
    assert (expected(rules, low) < expected(rules, high)).all()


def test_many_hands_at_once_and_one_by_one() -> None:
    hands = dealt(1_100, 4)  # three pieces of work
    win = separable.shipped().win
    actions = separable.arrange(GAME.rules, win, hands)
    assert actions.dtype == np.int32
    assert actions.tolist() == [separable.best(GAME.rules, win, hand)[0] for hand in hands]
    assert len(separable.arrange(GAME.rules, win, hands[:0])) == 0


def test_the_separable_strategy_is_even_with_itself() -> None:
    """As it is a fair game: by 4,000 deals, within four standard errors."""
    hands = pools.random_hands(np.random.default_rng(5), 4_000, players=2)
    win = separable.shipped().win
    one, two = (
        pools.strengths_of(GAME.rules, some, separable.arrange(GAME.rules, win, some))
        for some in (np.ascontiguousarray(hands[:, player]) for player in range(2))
    )
    points = reproduction.compare(one, two)
    assert abs(points.mean()) < 4 * points.std() / np.sqrt(len(points))
    assert points.std() > 1


@every_scoring
@pytest.mark.parametrize("agents", [["separable"] * 2, [f"rescored:{SMALL}"] * 2])
def test_duplicate_deals_with_oneself_bring_nothing(rules: str, agents: list[str]) -> None:
    returns = match.play(GAMES[rules], agents, 40, seed=6).pairs[0].returns
    assert returns.shape == (40, 2, 2)
    assert (returns[:, 0, 0] + returns[:, 1, 1] == 0).all()
    assert returns.any()


@pytest.mark.parametrize("substeps", [False, True])
def test_separable_beats_random(substeps: bool) -> None:
    game = make_game("chinese_poker", substeps=substeps)
    returns = match.play(game, ["separable", "random"], 200, seed=7).pairs[0].returns
    assert (returns[:, 0, 0] + returns[:, 1, 1]).mean() / 2 > 1


# The pool.


@pytest.mark.parametrize("number", [1, 63, 64, 65, 128, 1_000, 64 * 512, 64 * 513 + 7])
def test_opponents_are_the_hands_that_share_no_card(number: int) -> None:
    hands = dealt(number, number)
    pool = pools.build(hands, np.zeros((number, 3), np.int16))
    found = np.empty(number, np.uint32)
    for hand in [*dealt(5, 8), *hands[-2:], parse_hand(NASTY[1])]:
        n = pools.opponents(pool, hand, found)
        assert found[:n].tolist() == opponents_of(hand, hands).tolist()


def test_opponents_of_a_hand_of_a_small_pool() -> None:
    """All others, and nobody: what fills up the last word is no hand."""
    deck = [np.arange(start, start + 13, dtype=np.int8)[::-1] for start in range(0, 52, 13)]
    hands = np.array(deck)
    parts = np.arange(12, dtype=np.int16).reshape(4, 3)
    pool = pools.build(hands, parts)
    for i, hand in enumerate(hands):
        assert counter.gather(pool, hand).T.tolist() == np.delete(parts, i, axis=0).tolist()
    across = np.arange(0, 52, 4, dtype=np.int8)[::-1].copy()
    assert counter.gather(pool, across).shape == (3, 0)


def test_one_in_78_hands_is_an_opponent_and_all_are_alike() -> None:
    """Opponents hold each of the 39 other cards equally often."""
    hands = dealt(200_000, 9)
    pool = pools.build(hands, np.zeros((len(hands), 3), np.int16))
    hand, found = parse_hand(ALICE), np.empty(len(hands), np.uint32)
    n = pools.opponents(pool, hand, found)
    assert n / len(hands) == pytest.approx(0.01279, rel=0.08)
    counts = np.bincount(hands[found[:n]].ravel(), minlength=52)
    assert not counts[hand].any()
    others = np.delete(counts, hand)
    assert abs(others / n - 1 / 3).max() < 5 * np.sqrt(2 / 9 / n)
    assert ((others - n / 3) ** 2 / (n * 2 / 9)).sum() < 38 + 6 * np.sqrt(2 * 38)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_random_hands_are_deals(players: int) -> None:
    hands = pools.random_hands(np.random.default_rng(10), 300, players)
    assert (hands.shape, hands.dtype) == ((300, players, 13), np.int8)
    assert hands.min() >= 0 and hands.max() < 52
    assert (np.diff(hands, axis=2) < 0).all()
    assert all(len(np.unique(deal)) == 13 * players for deal in hands)
    again = pools.random_hands(np.random.default_rng(10), 300, players)
    assert (hands == again).all()
    assert (hands != pools.random_hands(np.random.default_rng(11), 300, players)).any()


def test_random_hands_hold_every_card_equally_often() -> None:
    hands = pools.random_hands(np.random.default_rng(12), 20_000, players=2)
    for player in range(2):
        holds = (hands[:, player, :, None] == np.arange(52)).any(axis=1)
        counts = holds.sum(axis=0)
        spread = (counts - 5_000) ** 2 / (20_000 * 3 / 16) * 51 / 52
        assert spread.sum() < 51 + 6 * np.sqrt(2 * 51)
        both = (holds.T.astype(int) @ holds)[np.triu_indices(52, 1)] / 20_000
        assert abs(both - 1 / 17).max() < 6 * np.sqrt(1 / 17 / 20_000)


@every_scoring
def test_a_dealt_pool_is_arranged(rules: str) -> None:
    game, win = GAMES[rules].rules, separable.shipped().win
    arrange, told = partial(separable.arrange, game, win), []
    pool = pools.deal(game, arrange, 700, np.random.default_rng(13), told.append)
    hands = dealt(700, 13)
    parts = pools.strengths_of(game, hands, arrange(hands))
    assert (pool.parts == parts.T).all()
    assert (pool.holds == pools.build(hands, parts).holds).all()
    assert told[-1] == 700


# Candidates and points.


def test_candidates_are_legal_and_hold_all_that_nothing_beats() -> None:
    for hand in [*nasty(), *map(parse_hand, MANY), *dealt(12, 14)]:
        actions, parts = candidates_of("4-2", hand)
        legal, strengths = options(hand)
        places = np.searchsorted(legal, actions)
        assert (legal[places] == actions).all()
        assert (strengths[places] == parts).all()
        best = pareto(strengths)
        found = [tuple(row) for row in parts.tolist()]
        assert best <= set(found)
        assert len(found) == len(set(found)) < counter.MOST


@every_scoring
def test_points_are_those_of_the_game(rules: str) -> None:
    """Of random deals, each player's arrangement a good one or any one."""
    game = GAMES[rules]
    rng = np.random.default_rng(16)
    for deal in range(60):
        state = game.deal(rng)
        hands, own = state.hands[:2].copy(), []
        for player in range(2):
            actions, _ = candidates_of(rules, hands[player])
            legal = actions if (deal + player) % 3 else game.legal(state)
            own.append(int(rng.choice(legal)))
            game.play(state, own[-1])
        one, two = pools.strengths_of(game.rules, hands, np.array(own))
        points = counter.points(game.rules, one, *two[:, None])
        assert [points, -points] == game.returns(state).tolist()
        assert points == plain_points(rules, one[None], two[None]).item()
        if rules == "4-2":
            assert reproduction.compare(one[None], two[None]).tolist() == [points]


@every_scoring
def test_equal_boards_tie(rules: str) -> None:
    """The same boards in other suits."""
    game, board = GAMES[rules], "AsKs9s5s3s/QhQs8c7c2h/JsJh4c"
    part = 2 if rules == "4-2" else 1
    weaker, stronger = board.replace("7c", "6c"), board.replace("4c", "5d")
    for changed, won in ((board, 0), (weaker, part), (stronger, -part)):
        other = changed.translate(str.maketrans("shdc", "dchs"))
        (one, mine), (two, theirs) = parse_board(board), parse_board(other)
        state = game.parse_deal(f"{cards_text(one)};{cards_text(two)}")
        for action in (mine, theirs):
            game.play(state, action)
        own, their = pools.strengths_of(game.rules, np.array([one, two]), np.array([mine, theirs]))
        points = counter.points(game.rules, own, *their[:, None])
        assert [points, -points] == game.returns(state).tolist()
        assert points == won


@every_scoring
@pytest.mark.parametrize("number", [2, 3, 64, 101])
def test_totals_are_means_over_both_halves(rules: str, number: int) -> None:
    """With many ties, and odd numbers of opponents."""
    rng = np.random.default_rng(number)
    others = rng.integers(0, 4, (3, number)).astype(np.int16)
    own = rng.integers(0, 4, (50, 3)).astype(np.int16)
    found = np.empty((50, 2))
    counter.totals(GAMES[rules].rules, others, own, found)
    points = plain_points(rules, own, others.T)
    half = number // 2
    assert found[:, 0] == pytest.approx(points[:, :half].mean(axis=1), abs=1e-12)
    assert found[:, 1] == pytest.approx(points[:, half:].mean(axis=1), abs=1e-12)
    assert counter.points(GAMES[rules].rules, own[0], *others) == points[0].sum()


# Best responses.


@every_scoring
def test_the_best_response_has_most_points_of_all_arrangements(rules: str) -> None:
    """Whether the number of opponents is even or odd."""
    hands, parts, pool = small_pool(rules)
    win = training.even()  # which does not matter: nothing is left out
    numbers = set()
    for hand in [*nasty(), *dealt(30, 18)]:
        others = parts[opponents_of(hand, hands)]
        numbers.add(len(others) % 2)
        _, strengths = options(hand)
        totals = plain_points(rules, np.array(sorted(pareto(strengths))), others).sum(axis=1)
        action = counter.respond(GAMES[rules].rules, pool, win, np.inf, hand)
        own = plain_points(rules, parts_of(hand, action)[None], others).sum()
        assert own == totals.max()
    assert numbers == {0, 1}


def test_no_arrangement_does_better_than_those_that_nothing_beats() -> None:
    hands, parts, _ = small_pool("4-2")
    for hand in dealt(5, 19):
        others = parts[opponents_of(hand, hands)]
        strengths = np.unique(options(hand)[1], axis=0)
        totals = plain_points("4-2", strengths, others).sum(axis=1)
        best = plain_points("4-2", np.array(sorted(pareto(strengths))), others).sum(axis=1)
        assert totals.max() == best.max()


@every_scoring
@pytest.mark.parametrize("slack", [0.0, 0.1, 0.5])
def test_what_tables_do_not_like_is_left_out(rules: str, slack: float) -> None:
    hands, parts, pool = small_pool(rules)
    win = separable.shipped().win
    for hand in dealt(20, 20):
        actions, strengths = candidates_of(rules, hand)
        values = expected(rules, chances_of(win, strengths))
        liked = values >= values.max() - slack - 1e-9
        others = parts[opponents_of(hand, hands)]
        means = plain_points(rules, strengths, others).mean(axis=1)
        action = counter.respond(GAMES[rules].rules, pool, win, slack, hand)
        assert action in actions[liked]
        assert means[actions == action].item() >= means[liked].max() - 4 / len(others) ** 2
        if slack == 0:
            best = separable.best(GAMES[rules].rules, win, hand)[1]
            assert values[actions == action].item() == pytest.approx(best, abs=1e-9)


def judged(
    rules: str, hands: np.ndarray, own: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    figures, responses = np.empty((len(hands), 4)), np.empty(len(hands), np.int32)
    pool = small_pool(rules)[2]
    counter.judge_each(GAMES[rules].rules, pool, hands, own, figures, responses)
    return figures, responses


@every_scoring
def test_judgements_are_what_they_say(rules: str) -> None:
    """Value, gains on other and on the same opponents, by plain means."""
    hands, parts, _ = small_pool(rules)
    game, win = GAMES[rules].rules, separable.shipped().win
    some = dealt(60, 21)
    own = separable.arrange(game, win, some)
    figures, responses = judged(rules, some, own)
    for hand, action, figure, response in zip(some, own, figures, responses, strict=True):
        actions, strengths = candidates_of(rules, hand)
        others = parts[opponents_of(hand, hands)]
        assert figure[3] == len(others)
        points = plain_points(rules, strengths, others)
        mine = plain_points(rules, parts_of(hand, action)[None], others)[0]
        half = len(others) // 2
        ways = [(slice(half), slice(half, None)), (slice(half, None), slice(half))]
        held_out = [
            points[points[:, chosen].mean(axis=1).argmax(), left].mean() - mine[left].mean()
            for chosen, left in ways
        ]
        assert figure[1] == pytest.approx(np.mean(held_out), abs=1e-12)
        if len(others) % 2 == 0:
            assert figure[0] == pytest.approx(mine.mean(), abs=1e-12)
            means = points.mean(axis=1)
            assert figure[2] == pytest.approx(means.max() - mine.mean(), abs=1e-12)
            assert means[actions == response].item() == pytest.approx(means.max(), abs=1e-12)


@every_scoring
def test_a_best_response_gains_something_and_less_on_other_opponents(rules: str) -> None:
    game = GAMES[rules].rules
    some = dealt(300, 22)
    figures, _ = judged(rules, some, separable.arrange(game, separable.shipped().win, some))
    assert (figures[:, 2] >= -1e-12).all()
    assert (figures[:, 1] <= figures[:, 2] + 1e-12).all()
    assert figures[:, 2].mean() > 0
    # Any legal arrangement: there is always one that is no worse in any part.
    rng = np.random.default_rng(23)
    own = np.array([rng.choice(options(hand)[0]) for hand in some[:40]], np.int32)
    worse, _ = judged(rules, some[:40], own)
    assert (worse[:, 2] >= -1e-12).all()
    assert worse[:, 2].mean() > 10 * figures[:, 2].mean()
    assert worse[:, 1].mean() > 0.5


@every_scoring
def test_nothing_is_gained_over_a_best_response(rules: str) -> None:
    pool = small_pool(rules)[2]
    agent = counter.Responder(GAMES[rules], pool, training.even(), np.inf, "best")
    some = dealt(600, 24)
    own = agent.arrange(some)
    figures, responses = judged(rules, some, own)
    assert (figures[:, 2] == 0).all()
    assert (figures[:, 1] <= 1e-12).all()
    assert (responses == own).all()


def test_a_strategy_is_judged_on_a_pool_of_its_own() -> None:
    game, win = GAME.rules, separable.shipped().win
    arrange, told = partial(separable.arrange, game, win), []

    def judgement(progress: Any = lambda done: None) -> counter.Judgement:
        return counter.judge_strategy(
            game, arrange, 600, 3_000, np.random.default_rng(25), progress
        )  # fmt: skip

    found = judgement(told.append)
    assert found == judgement()
    assert told == sorted(told) and told[-1] == 3_600
    rng = np.random.default_rng(25)
    pool = pools.deal(game, arrange, 3_000, rng)
    hands = pools.random_hands(rng, 600)[:, 0]
    responses = np.empty(600, np.int32)
    counter.respond_to_each(game, pool, win, np.inf, hands, responses)
    alike = [
        (parts_of(hand, one) == parts_of(hand, two)).all()
        for hand, one, two in zip(hands[:50], arrange(hands[:50]), responses[:50], strict=True)
    ]
    assert found.hands == 600
    assert found.opponents == pytest.approx(3_000 * 0.01279, rel=0.05)
    assert found.identical == pytest.approx(np.mean(alike), abs=0.25)
    ours, theirs = (pools.strengths_of(game, hands, own) for own in (arrange(hands), responses))
    assert found.identical == pytest.approx((ours == theirs).all(axis=1).mean(), abs=0.01)
    assert found.held_out < found.in_sample
    assert abs(found.value) < 0.5


# The agents.

VARIANTS: list[dict[str, Any]] = [
    {},
    {"substeps": True},
    {"players": 3, "rules": "1-6", "royalties": True},
    {"players": 4, "fouls": True, "naturals": True, "substeps": True},
]
AGENTS = ["separable", f"counter:{SIZE}", f"rescored:{SIZE}"]

every_agent = pytest.mark.parametrize("agent", AGENTS)


def games_of(game: Game, agent: str, number: int, seed: int = 0) -> np.ndarray:
    """The ends of games in which an agent sits at every other seat, beside `random`."""
    rng = np.random.default_rng(seed)
    states = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    seats = (np.arange(game.num_players) + np.arange(number)[:, None]) % 2
    players = [make_agent(game, name, seed) for name in (agent, "random")]
    match.play_out(game, states, seats, players)
    return states


@every_agent
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_agents_play_legal_games_again_and_again(variant: dict[str, Any], agent: str) -> None:
    """Illegal actions raise; in order even where fouls are allowed."""
    game = make_game("chinese_poker", **variant)
    one, two = (games_of(game, agent, 30, seed=1) for _ in range(2))
    assert all(game.over(state) for state in one)
    assert (one["history"] == two["history"]).all()
    assert make_agent(game, agent).name == agent
    plain = GAMES[game.options["rules"]]
    for i, state in enumerate(one):
        for seat in range(game.num_players):
            if (seat + i) % 2 == 0:
                start = alone(plain, state["hands"][seat])
                assert state["history"][seat] in plain.legal(start)


def alone(game: Game, hand: np.ndarray) -> Any:
    """The start of a game in which the first player has a hand."""
    rest = [card for card in range(52) if card not in hand]
    return game.parse_deal(f"{cards_text(hand)};{cards_text(rest[:13])}")


@every_agent
def test_substeps_come_to_the_flat_arrangements(agent: str) -> None:
    def played(game: Game) -> np.ndarray:
        rng = np.random.default_rng(2)
        states = np.array([game.deal(rng) for _ in range(50)], game.dtype)
        match.play_out(game, states, np.zeros((50, 2), int), [make_agent(game, agent)])
        return states["history"]

    assert (played(GAME) == played(SUBSTEPS)).all()


@every_agent
def test_a_front_is_found_for_a_back_that_somebody_else_chose(agent: str) -> None:
    adviser = make_agent(SUBSTEPS, agent)
    rng = np.random.default_rng(3)
    for _ in range(40):
        state = SUBSTEPS.deal(rng)
        SUBSTEPS.play(state, int(rng.choice(SUBSTEPS.legal(state))))
        view = SUBSTEPS.view(state, 0)
        assert adviser.act(view) in SUBSTEPS.legal(view)


def test_single_decisions_and_batches_agree() -> None:
    rng = np.random.default_rng(4)
    views = [GAME.view(GAME.deal(rng), 0) for _ in range(20)]
    for name in AGENTS:
        agent: Any = make_agent(GAME, name)
        actions = agent.act_batch(np.array(views, GAME.dtype))
        assert actions.dtype == np.int32
        assert [agent.act(view) for view in views] == actions.tolist()


def test_agents_do_what_their_parts_do() -> None:
    """`counter` counts everything, `rescored` what tables like, on the same pool."""
    pool, win = responders.pool_of(GAME.rules, separable.shipped(), SIZE), separable.shipped().win
    hands = dealt(60, 26)
    for name, slack in (("counter", np.inf), ("rescored", responders.SLACK)):
        agent: Any = make_agent(GAME, f"{name}:{SIZE}")
        expected = [counter.respond(GAME.rules, pool, win, slack, hand) for hand in hands]
        assert agent.arrange(hands).tolist() == expected


def test_counter_and_rescored_beat_the_strategy_that_they_respond_to() -> None:
    """On the deals of a pool that they have not seen: they lose nothing that can be measured."""
    game, win = GAME.rules, separable.shipped().win
    hands = dealt(400, 27)
    own = separable.arrange(game, win, hands)
    for name in (f"counter:{SIZE}", f"rescored:{SIZE}"):
        agent: Any = make_agent(GAME, name)
        figures, _ = judged("4-2", hands, agent.arrange(hands))
        before, _ = judged("4-2", hands, own)
        gain = figures[:, 0] - before[:, 0]
        assert gain.mean() > -0.03


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("separable:none.npz", "cannot read none.npz"),
        ("separable:.", "cannot read"),
        ("counter:none.npz", "cannot read none.npz"),
        ("rescored:none.npz", "cannot read none.npz"),
        ("counter:4999", "5,000 hands at least, not 4,999"),
        ("rescored:0", "5,000 hands at least, not 0"),
        ("counter:-1", "cannot read -1"),
        ("counter:1e6", "cannot read 1e6"),
        ("separable:5000", "cannot read 5000"),
        ("separable:text.npz", "text.npz holds no tables"),
        ("counter:text.npz", "text.npz holds no tables"),
        ("rescored:text.npz", "text.npz holds no tables"),
    ],
)
def test_agents_refuse_what_they_cannot_use(agent: str, message: str) -> None:
    Path("text.npz").write_text("nothing")
    with pytest.raises(InputError, match=re.escape(message)) as error:
        make_agent(GAME, agent)
    assert "\n" not in str(error.value)


def test_agents_play_by_tables_of_ones_own() -> None:
    separable.save(separable.Tables(training.even()), Path("even.npz"))
    hands = dealt(40, 28)
    agent: Any = make_agent(GAME, "separable:even.npz")
    assert agent.name == "separable:even.npz"
    even = separable.arrange(GAME.rules, training.even(), hands)
    assert agent.arrange(hands).tolist() == even.tolist()
    assert (even != separable.arrange(GAME.rules, separable.shipped().win, hands)).any()


def test_without_an_argument_the_pool_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    assert responders.POOL_SIZE >= 1_000_000
    monkeypatch.setattr(responders, "POOL_SIZE", SMALL)
    for name in ("counter", "rescored"):
        agent: Any = make_agent(GAME, name)
        assert (agent.name, agent.pool.parts.shape) == (name, (3, SMALL))


# Tables.


def test_tables_survive_files() -> None:
    tables = separable.Tables(monotone("smooth"), {"method": "none", "seed": 3})
    separable.save(tables, Path("folder/t.npz"))
    other = separable.load(Path("folder/t.npz"))
    assert (other.win == tables.win).all()
    assert other.about == tables.about
    with np.load("folder/t.npz") as data:
        assert {key: len(data[key]) for key in PARTS} == dict(zip(PARTS, STRENGTHS, strict=True))
    assert [path.name for path in Path("folder").iterdir()] == ["t.npz"]


def test_the_tables_of_the_package_are_in_order() -> None:
    tables = separable.shipped()
    assert tables.win.shape == (3, 6331)
    assert {"method", "rules", "cycles", "hands", "seed", "version"} <= set(tables.about)
    assert tables.about["rules"] == "4-2"
    for part, number in enumerate(STRENGTHS):
        assert tables.win[part, number - 1] - tables.win[part, 0] > 0.5


def changed_keys(changes: Any) -> str:
    return "-".join(changes)


def spoilt(**changes: Any) -> dict[str, Any]:
    """What a file of tables holds, changed; None is left out."""
    even = training.even()
    arrays: dict[str, Any] = {
        part: even[i, : STRENGTHS[i]] for i, part in enumerate(PARTS)
    }  # fmt: skip
    arrays |= {"about": np.array("{}"), **changes}
    return {key: value for key, value in arrays.items() if value is not None}


FRONTS = training.even()[FRONT, :455]


@pytest.mark.parametrize(
    "changes",
    [
        {"front": FRONTS[::-1]},
        {"front": FRONTS * 2},
        {"front": FRONTS - 0.5},
        {"front": FRONTS * np.nan},
        {"front": FRONTS[:-1]},
        {"front": np.concatenate([FRONTS, [1.0]])},
        {"front": np.array(0.5)},
        {"front": np.array([0.5])},
        {"front": FRONTS[None]},
        {"front": np.array(["a"] * 455)},
        {"front": np.array([None] * 455)},
        {"front": None},
        {"back": np.where(np.arange(6331) == 4_000, 0.0, training.even()[BACK])},
        {"about": None},
        {"about": np.array("{")},
    ],
    ids=changed_keys,
)
def test_bad_tables_are_refused(changes: dict[str, Any]) -> None:
    np.savez("t.npz", **spoilt(**changes))
    for agent in ("separable:t.npz", "counter:t.npz"):
        with pytest.raises(InputError) as error:
            make_agent(GAME, agent)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "win",
    [
        np.zeros((3, 6330)),
        np.zeros((2, 6331)),
        np.zeros(6331),
        np.zeros((3, 6331), np.float32),
        np.full((3, 6331), 1.1),
        np.full((3, 6331), -0.1),
        np.full((3, 6331), np.nan),
        training.even()[:, ::-1],
    ],
    ids=lambda win: f"{win.shape}-{win.dtype}",
)
def test_tables_are_checked(win: np.ndarray) -> None:
    with pytest.raises(InputError):
        separable.Tables(win)


def test_damaged_files_are_input_errors() -> None:
    """Whatever byte is wrong: the file is refused, or still holds tables."""
    path = Path("t.npz")
    separable.save(separable.Tables(training.even(), {"seed": 0}), path)
    whole, rng, refused = path.read_bytes(), np.random.default_rng(29), 0
    for i in range(100):
        data = bytearray(whole)
        for place in rng.integers(len(data), size=3):
            data[place] ^= 1 << rng.integers(8)
        path.write_bytes(data[: rng.integers(len(data)) if i % 5 == 4 else None])
        try:
            separable.load(path)
        except InputError:
            refused += 1
    assert refused > 70


# The cache of pools.


def files_in_cache(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache").rglob("*pool*"))


def same(one: pools.Pool, two: pools.Pool) -> bool:
    return bool((one.parts == two.parts).all() and (one.holds == two.holds).all())


@pytest.fixture
def no_pools(monkeypatch: pytest.MonkeyPatch) -> dict[str, pools.Pool]:
    """As in a new process."""
    found: dict[str, pools.Pool] = {}
    monkeypatch.setattr(responders, "_POOLS", found)
    return found


def test_a_pool_is_set_once(
    tmp_path: Path,
    no_pools: dict[str, pools.Pool],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    set_now = responders.pool_of(GAME.rules, separable.shipped(), SMALL)
    assert "setting a pool of 5,000 hands, once" in capsys.readouterr().err
    assert responders.pool_of(GAME.rules, separable.shipped(), SMALL) is set_now
    (path,) = files_in_cache(tmp_path)
    assert path.parent == tmp_path / "cache" / "closedhand" == responders.cache_folder()
    no_pools.clear()
    with monkeypatch.context() as patched:
        patched.setattr(responders, "arrange", lambda *_: 1 / 0)
        read = responders.pool_of(GAME.rules, separable.shipped(), SMALL)
    assert read is not set_now
    assert same(read, set_now)
    out, err = capsys.readouterr()
    assert out == err == ""
    hands = dealt(20, 30)
    assert counter.Responder(GAME, read, training.even(), np.inf, "a").arrange(hands).tolist() == (
        counter.Responder(GAME, set_now, training.even(), np.inf, "b").arrange(hands).tolist()
    )
    assert files_in_cache(tmp_path) == [path]


def test_pools_of_other_rules_tables_and_sizes_are_others(
    tmp_path: Path, no_pools: dict[str, pools.Pool]
) -> None:
    even = separable.Tables(training.even())
    found = [
        responders.pool_of(GAME.rules, separable.shipped(), SMALL),
        responders.pool_of(GAMES["1-6"].rules, separable.shipped(), SMALL),
        responders.pool_of(GAME.rules, even, SMALL),
        responders.pool_of(GAME.rules, separable.shipped(), SMALL + 1),
    ]
    assert len(files_in_cache(tmp_path)) == len(no_pools) == 4
    assert not any((found[0].parts == other.parts).all() for other in found[1:3])
    assert (found[0].holds == found[2].holds).all()
    # What is paid for hands changes no pool.
    paying = make_game("chinese_poker", royalties=True, players=4, naturals=True)
    assert responders.pool_of(paying.rules, separable.shipped(), SMALL) is found[0]


@pytest.mark.parametrize("damage", ["long", "odd", "folder"])
def test_a_damaged_pool_is_set_anew(
    damage: str, tmp_path: Path, no_pools: dict[str, pools.Pool]
) -> None:
    first = responders.pool_of(GAME.rules, separable.shipped(), SMALL)
    (path,) = files_in_cache(tmp_path)
    whole = path.read_bytes()
    changed = {"long": whole + b"123456", "odd": whole[:-1]}
    if damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(changed[damage])
    no_pools.clear()
    assert same(responders.pool_of(GAME.rules, separable.shipped(), SMALL), first)
    assert damage == "folder" or path.read_bytes() == whole


def test_without_a_cache_folder_the_pool_is_set_all_the_same(
    no_pools: dict[str, pools.Pool],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = responders.pool_of(GAME.rules, separable.shipped(), SMALL)
    Path("file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("file").absolute()))
    no_pools.clear()
    capsys.readouterr()
    assert same(responders.pool_of(GAME.rules, separable.shipped(), SMALL), first)
    out, err = capsys.readouterr()
    assert out == ""
    assert "set anew next time" in err
    assert Path("file").read_text() == "no folder"


# Training.


def test_a_cycle_of_the_blog_counts_wins_and_ties() -> None:
    """Half the old chances, half the share of hands that a strength beats or equals."""
    run = training.Training(GAME, "blog", 500, seed=4)
    win = training.even()
    for cycle in range(2):
        hands = pools.random_hands(np.random.default_rng((4, cycle)), 500)[:, 0]
        own = separable.arrange(GAME.rules, win, hands)
        parts = pools.strengths_of(GAME.rules, hands, own)
        shares = [
            (part[:, None] <= np.arange(number)).mean(axis=0)
            for part, number in zip(parts.T, STRENGTHS, strict=True)
        ]
        run.cycle()
        for i, (share, number) in enumerate(zip(shares, STRENGTHS, strict=True)):
            assert run.tables.win[i, :number] == pytest.approx((win[i, :number] + share) / 2)
        win = run.tables.win
    assert run.cycles == 2


def test_the_blogs_training_comes_to_what_the_blog_found() -> None:
    run = training.Training(GAME, "blog", 3_000, seed=5)
    for _ in range(10):
        run.cycle()
    win = run.tables.win

    def chance(part: int, name: str) -> float:
        return float(win[part, names(part).index(name)])

    assert chance(FRONT, "AA-2") > 0.85
    assert chance(MIDDLE, "222-xx") > 0.97
    assert chance(BACK, "A-K-Q-J-9") < 0.02
    for part, name, percent in [
        (FRONT, "A-K-2", 36.3), (FRONT, "QQ-2", 77.7), (MIDDLE, "AA-4-3-2", 27.0),
        (MIDDLE, "9 straight", 83.6), (BACK, "AK432 flush", 60.9), (BACK, "JJJ-xx", 88.2),
    ]:  # fmt: skip
        assert chance(part, name) == pytest.approx(percent / 100, abs=0.05)


@every_scoring
def test_fitted_tables_rise_and_are_better_than_even_ones(rules: str) -> None:
    run = training.Training(GAMES[rules], "fitted", hands=1_200, pool_size=3_000, seed=6)
    told: list[float] = []
    run.cycle(told.append)
    assert told == sorted(told) and told[0] > 0 and told[-1] == pytest.approx(1)
    assert run.cycles == 1
    run.cycle()
    tables = run.tables  # which checks them
    assert tables.about["method"] == "fitted"
    assert (tables.about["rules"], tables.about["cycles"]) == (rules, 2)
    assert tables.about["pool"] == 3_000
    hands = dealt(300, 31)
    gains = []
    for win in (tables.win, training.even()):
        figures, _ = judged(rules, hands, separable.arrange(GAMES[rules].rules, win, hands))
        gains.append(figures[:, 2].mean())
    assert gains[0] < 0.6 * gains[1]


def test_the_pool_follows_in_part() -> None:
    """After one cycle about half of its hands are set anew; some of them differ."""
    run = training.Training(GAME, "fitted", hands=600, pool_size=2_000, seed=7)
    run.cycle()
    first = run.pool_parts
    assert first is not None
    win = run.tables.win
    run.cycle()
    assert run.pool_parts is not None
    hands = pools.random_hands(np.random.default_rng((7, training.POOL)), 2_000)[:, 0]
    anew = pools.strengths_of(GAME.rules, hands, separable.arrange(GAME.rules, win, hands))
    old = (run.pool_parts == first).all(axis=1)
    new = (run.pool_parts == anew).all(axis=1)
    assert (old | new).all()
    differ = (first != anew).any(axis=1)
    assert new[differ].mean() == pytest.approx(0.5, abs=6 / np.sqrt(4 * differ.sum()))


@every_scoring
def test_training_counts_points_against_the_pool(rules: str) -> None:
    hands, strengths, pool = small_pool(rules)
    win, some = separable.shipped().win, dealt(25, 32)
    parts = np.zeros((25, training.ROOM, 3), np.int16)
    points, numbers = np.zeros((25, training.ROOM)), np.zeros(25, np.int64)
    training.count_points(GAMES[rules].rules, pool, win, some, parts, points, numbers)
    for i, hand in enumerate(some):
        others, n = strengths[opponents_of(hand, hands)], numbers[i]
        _, known = candidates_of(rules, hand)
        values = expected(rules, chances_of(win, known))
        liked = {tuple(row) for row in known[values >= values.max() - training.SLACK].tolist()}
        found = {tuple(row) for row in parts[i, :n].tolist()}
        assert found <= liked
        assert len(found) == min(len(liked), training.ROOM)
        assert tuple(known[values.argmax()].tolist()) in found
        means = plain_points(rules, parts[i, :n], others).mean(axis=1)
        assert points[i, :n] == pytest.approx(means, abs=4 / len(others))


@every_scoring
def test_training_goes_down_the_gradient(rules: str) -> None:
    """A small step is the slope of the loss, taken numerically."""
    game, rng = GAMES[rules].rules, np.random.default_rng(33)
    win = 0.1 + 0.8 * monotone("smooth")
    n = 6
    parts = np.zeros((1, training.ROOM, 3), np.int16)
    parts[0, :n] = rng.integers(100, 103, (n, 3))  # some strengths occur more than once
    points = np.zeros((1, training.ROOM))
    points[0, :n] = 0.1 * rng.random(n)
    weights = np.exp((points[0, :n] - points[0, :n].max()) / training.SHARPNESS)
    weights /= weights.sum()

    def loss(chances: np.ndarray) -> float:
        off = expected(rules, chances_of(chances, parts[0, :n])) - points[0, :n]
        return float((weights * (off - weights @ off) ** 2).sum() / 2)

    moved, rate = win.copy(), 1e-7
    training.descend(game, moved, parts, points, np.array([n]), np.array([0]), rate)
    changed = [tuple(place) for place in np.argwhere(moved != win).tolist()]
    assert {(part, int(s)) for part in range(3) for s in parts[0, :n, part]} >= set(changed)
    assert len(changed) > 5
    for place in changed:
        more, less = win.copy(), win.copy()
        more[place] += 1e-5
        less[place] -= 1e-5
        slope = (loss(more) - loss(less)) / 2e-5
        assert (win[place] - moved[place]) / rate == pytest.approx(slope, rel=1e-3, abs=1e-6)


def small_training(method: str, rules: str = "4-2", seed: int = 8) -> training.Training:
    return training.Training(GAMES[rules], method, hands=550, pool_size=800, seed=seed)


def alike(one: training.Training, two: training.Training) -> bool:
    pools_alike = (one.pool_parts is None) == (two.pool_parts is None)
    if one.pool_parts is not None and two.pool_parts is not None:
        pools_alike = bool((one.pool_parts == two.pool_parts).all())
    return (
        pools_alike
        and (one.tables.win == two.tables.win).all()
        and one.tables.about == two.tables.about
    )


@pytest.mark.parametrize("before", [0, 1, 2])
@pytest.mark.parametrize("method", training.METHODS)
def test_training_goes_on_as_if_nothing_had_happened(method: str, before: int) -> None:
    whole, half = small_training(method), small_training(method)
    for _ in range(before):
        half.cycle()
    training.save(half, Path("t.npz"))
    resumed = training.load(Path("t.npz"), GAME, method, 8)
    for run, cycles in ((whole, before + 1), (resumed, 1)):
        for _ in range(cycles):
            run.cycle()
    assert resumed.cycles == before + 1
    assert alike(whole, resumed)


def test_seeds_make_trainings() -> None:
    runs = [small_training("blog", seed=seed) for seed in (1, 1, 2)]
    for each in runs:
        each.cycle()
    assert alike(runs[0], runs[1])
    assert not alike(runs[0], runs[2])


def test_only_the_same_training_is_resumed() -> None:
    path = Path("t.npz")
    run = small_training("blog")
    run.cycle()
    training.save(run, path)
    for game, method, seed, message in [
        (GAME, "fitted", 8, "method blog, not fitted"),
        (GAME, "blog", 9, "seed 8, not 9"),
        (GAMES["1-6"], "blog", 8, "rules 4-2, not 1-6"),
    ]:
        with pytest.raises(InputError, match=message):
            training.load(path, game, method, seed)
    # What does not change the scoring does not matter.
    paying = make_game("chinese_poker", royalties=True, substeps=True)
    assert training.load(path, paying, "blog", 8).cycles == 1
    with pytest.raises(InputError, match="cannot read"):
        training.load(Path("none.npz"), GAME, "blog", 8)


def changed_training(**changes: Any) -> None:
    run = small_training("fitted")
    run.cycle()
    training.save(run, Path("t.npz"))
    with np.load("t.npz") as data:
        arrays = {**data, **changes}
    np.savez("t.npz", **{key: value for key, value in arrays.items() if value is not None})


@pytest.mark.parametrize(
    "changes",
    [
        {"win": None},
        {"cycles": None},
        {"rules": None},
        {"pool_parts": None},
        {"win": np.zeros((3, 455))},
        {"win": np.full((3, 6331), np.nan)},
        {"pool_parts": np.zeros((10, 3), np.int16)},
    ],
    ids=changed_keys,
)
def test_what_is_no_training_is_refused(changes: dict[str, Any]) -> None:
    changed_training(**changes)
    with pytest.raises(InputError) as error:
        training.load(Path("t.npz"), GAME, "fitted", 8)
    assert "\n" not in str(error.value)


def test_other_files_are_no_training() -> None:
    Path("text.npz").write_text("nothing")
    separable.save(separable.shipped(), Path("tables.npz"))
    for name in ("text.npz", "tables.npz"):
        with pytest.raises(InputError, match="no training that can be continued"):
            training.load(Path(name), GAME, "blog", 0)


@pytest.mark.parametrize("cycles", [0, 1])
@pytest.mark.parametrize("after", [0.0, 1.0])
def test_an_interrupted_cycle_changes_nothing(cycles: int, after: float) -> None:
    run, whole = small_training("fitted"), small_training("fitted")
    for each in (run, whole):
        for _ in range(cycles):
            each.cycle()

    def interrupt(part: float) -> None:
        if part >= after - 1e-9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.cycle(interrupt)
    assert run.cycles == cycles
    assert alike(run, whole)
    for each in (run, whole):
        each.cycle()
    assert alike(run, whole)


def test_kernels_work_without_the_compiler() -> None:
    assert_alike_without_compiler("""
import numpy as np
from closedhand import make_game
from closedhand.baselines.chinese_poker import counter, pool, separable
rules, win = make_game("chinese_poker").rules, separable.shipped().win
hands = pool.random_hands(np.random.default_rng(1), 330)[:, 0]
print([int(separable.best(rules, win, hand)[0]) for hand in hands[:8]])
rng = np.random.default_rng(2)
crowd = pool.build(hands, rng.integers(0, 450, (330, 3)).astype(np.int16))
hand = hands[0]
action, value = separable.best(rules, win, hand)
print(action, round(value, 9))
print(counter.gather(crowd, hand).tolist(), counter.respond(rules, crowd, win, 0.3, hand))
print([round(float(figure), 9) for figure in counter.judge(rules, crowd, hand, action)])
""")


# Advice.


@every_scoring
def test_advice_is_what_the_pool_says(rules: str) -> None:
    hands, parts, pool = small_pool(rules)
    game = GAMES[rules].rules
    for hand in [parse_hand(ALICE), *dealt(40, 34)]:
        others = parts[opponents_of(hand, hands)]
        advice, number = advising.advise(game, pool, hand, 4)
        assert number == len(others)
        assert 1 <= len(advice) <= 4
        for each in advice:
            cards, action = parse_board(each.board)
            assert (cards == hand).all()
            own = parts_of(hand, action)  # which is legal
            points = plain_points(rules, own[None], others)[0]
            assert each.points == pytest.approx(points.mean(), abs=1e-12)
            assert each.error == pytest.approx(points.std() / np.sqrt(number), abs=1e-12)
            assert [part.part for part in each.parts] == ["back", "middle", "front"]
            assert "/".join(part.cards for part in each.parts) == each.board
            for part in each.parts:
                i = PARTS.index(part.part)
                assert part.name == names(i)[own[i]]
                assert part.win == pytest.approx((own[i] > others[:, i]).mean())
                assert part.tie == pytest.approx((own[i] == others[:, i]).mean())
                assert 0 <= part.win <= part.win + part.tie <= 1 + 1e-12
        # The best one first, and it is the counter-strategy's.
        ranked = [each.points for each in advice]
        assert ranked == sorted(ranked, reverse=True)
        action = counter.respond(game, pool, separable.shipped().win, np.inf, hand)
        assert parse_board(advice[0].board)[1] == action


def test_there_is_no_more_advice_than_there_are_candidates() -> None:
    hand = parse_hand(NASTY[1])
    advice, _ = advising.advise(GAME.rules, small_pool("4-2")[2], hand, 100_000)
    assert len(advice) == len(candidates_of("4-2", hand)[0])


ADVISE = ("advise", "chinese-poker", ALICE, "--opponents", str(SIZE))


def test_advice_as_json_alone_on_stdout() -> None:
    result = run(*ADVISE, "--json", "--top", "5")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("\n") == 1
    data = json.loads(result.stdout)
    assert data["hand"] == cards_text(parse_hand(ALICE))
    assert data["opponents"] == pytest.approx(SIZE * 0.01279, rel=0.3)
    assert len(data["arrangements"]) == 5
    pool = responders.pool_of(GAME.rules, separable.shipped(), SIZE)
    advice, number = advising.advise(GAME.rules, pool, parse_hand(ALICE), 5)
    assert data == json.loads(json.dumps(advising.summary(parse_hand(ALICE), advice, number)))
    agent: Any = make_agent(GAME, f"counter:{SIZE}")
    chosen = int(agent.arrange(parse_hand(ALICE)[None])[0])
    assert parse_board(data["arrangements"][0]["board"])[1] == chosen


def test_advice_as_text() -> None:
    result = run(*ADVISE)
    assert result.exit_code == 0, result.output
    for word in ("1. ", "2. ", "3. ", "back", "middle", "front", "wins", "ties", "opponents"):
        assert word in result.stdout
    assert "4. " not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_advice_as_a_picture() -> None:
    pytest.importorskip("PIL")
    result = run(*ADVISE, "--picture", "pictures/hand.png")
    assert result.exit_code == 0, result.output
    assert Path("pictures/hand.png").read_bytes().startswith(b"\x89PNG")
    assert "saved pictures/hand.png" in result.stdout
    advice = advising.advise(GAME.rules, small_pool("4-2")[2], parse_hand(ALICE), 1)[0][0]
    rows = advising.rows(advice)
    assert "/".join("".join(row.cards) for row in rows[:3]) == advice.board


def test_advice_by_other_rules_and_tables() -> None:
    separable.save(separable.Tables(training.even()), Path("even.npz"))
    small = ("--opponents", str(SMALL), "--json")
    results = [
        run("advise", "chinese_poker", "♠A ".join(["", ""]) + ALICE, *small),
        run("advise", "chinese-poker", ALICE, *small),
        run("advise", "chinese-poker", ALICE, *small, "--rules", "1-6"),
        run("advise", "chinese-poker", ALICE, *small, "--tables", "even.npz"),
    ]
    assert results[0].exit_code == 2  # a card too many
    points = []
    for result in results[1:]:
        assert result.exit_code == 0, result.output
        points.append(json.loads(result.stdout)["arrangements"][0]["points"])
    assert len(set(points)) == 3


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["chinese-poker", ALICE[:-2]], "13 cards, not 12"),
        (["chinese-poker", ALICE + "2c"], "13 cards, not 14"),
        (["chinese-poker", ALICE[:-2] + "As"], "As is there twice"),
        (["chinese-poker", "rubbish"], "no card"),
        (["chinese-poker", ""], "13 cards, not 0"),
        (["doudizhu", ALICE], "not doudizhu"),
        (["chess", ALICE], "not chess"),
        (["chinese-poker", ALICE, "--rules", "2-4"], "no rules '2-4'"),
        (["chinese-poker", ALICE, "--opponents", "4999"], "5,000 hands at least"),
        (["chinese-poker", ALICE, "--opponents", "0"], "5,000 hands at least"),
        (["chinese-poker", ALICE, "--opponents", "-1"], "5,000 hands at least"),
        (["chinese-poker", ALICE, "--tables", "none.npz"], "cannot read none.npz"),
        (["chinese-poker", ALICE, "--tables", "file"], "file holds no tables"),
        (
            ["chinese-poker", ALICE, "--opponents", str(SIZE), "--picture", "file/x.png"],
            "cannot write file/x.png",
        ),
    ],
)
def test_bad_questions_are_one_line_and_exit_code_2(
    arguments: list[str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responders, "POOL_SIZE", SIZE)
    responders.pool_of(GAME.rules, separable.shipped(), SIZE)
    Path("file").write_text("nothing")
    result = run("advise", *arguments)
    assert result.exit_code == 2, result.output
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0
    assert result.stdout == ""


# The commands `train` and `reproduce`.

TRAIN = ("train", "chinese-poker", "--out", "x", "--minutes", "0.001")


@pytest.fixture
def small_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    small = partial(training.Training, hands=550, pool_size=800)
    monkeypatch.setattr(training, "Training", small)


def cycles_of(method: str, seed: int = 0) -> int:
    return training.load(Path("x/training.npz"), GAME, method, seed).cycles


@pytest.mark.usefixtures("small_cycles")
@pytest.mark.parametrize("method", training.METHODS)
def test_the_command_trains_and_goes_on(method: str) -> None:
    arguments = (*TRAIN, "--algorithm", method)
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    assert "agent separable:x/tables.npz" in result.stdout
    first = cycles_of(method)
    assert first >= 1
    tables = separable.load(Path("x/tables.npz"))
    assert (tables.about["method"], tables.about["cycles"]) == (method, first)
    # At least one cycle again, however little time.
    result = run(*TRAIN[:-1], "1e-9", "--algorithm", method, "--restart")
    assert result.exit_code == 0, result.output
    assert cycles_of(method) == 1
    result = run(*arguments)
    assert "going on after 1 cycles" in result.stderr
    assert cycles_of(method) > 1
    assert make_agent(GAME, "separable:x/tables.npz").name == "separable:x/tables.npz"


@pytest.mark.usefixtures("small_cycles")
def test_the_command_trains_by_fitting_unless_told() -> None:
    assert run(*TRAIN).exit_code == 0
    assert separable.load(Path("x/tables.npz")).about["method"] == "fitted"
    other = run(*TRAIN, "--algorithm", "blog")
    assert other.exit_code == 2
    assert "method fitted, not blog" in other.stderr
    other = run(*TRAIN, "--seed", "3")
    assert other.exit_code == 2
    assert "seed 0, not 3" in other.stderr
    other = run(*TRAIN, "--rules", "1-6")
    assert other.exit_code == 2
    assert "rules 4-2, not 1-6" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--out", "x", "--algorithm", "magic"], "no algorithm 'magic'"),
        (["--out", "x", "--algorithm", "ppo"], "no algorithm 'ppo'"),
        (["--out", "x", "--opponents", "random"], "no opponents"),
        (["--out", "x", "--minutes", "0"], "larger than 0"),
        (["--out", "x", "--rules", "2-4"], "no rules '2-4'"),
        (["--out", "file"], "cannot make the folder file"),
        (["--out", "damaged"], "no training that can be continued"),
    ],
)
def test_bad_orders_are_one_line_and_exit_code_2(arguments: list[str], reason: str) -> None:
    Path("file").write_text("not a folder")
    Path("damaged").mkdir()
    Path("damaged/training.npz").write_text("nothing")
    result = run("train", "chinese-poker", *arguments)
    assert result.exit_code == 2, result.output
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0
    assert result.stdout == ""


@pytest.mark.usefixtures("small_cycles")
@pytest.mark.parametrize("done", [0, 1])
def test_ctrl_c_keeps_whole_cycles(done: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cycle = training.Training.func.cycle  # type: ignore[attr-defined]

    def interrupted(self: Any, progress: Any) -> None:
        if self.cycles == done:
            raise KeyboardInterrupt
        cycle(self, progress)

    monkeypatch.setattr(training.Training.func, "cycle", interrupted)  # type: ignore[attr-defined]
    result = run("train", "chinese-poker", "--out", "x", "--minutes", "5")
    assert result.exit_code == 130
    assert Path("x/tables.npz").exists() == bool(done)
    assert ("the same command goes on" if done else "nothing is saved") in result.stderr
    if done:
        assert cycles_of("fitted") == done


REPRODUCE = ("reproduce", "chinese-poker", "--hands", "200", "--pools", "2", "--out", "r")


def test_the_blog_is_reproduced_in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """All parts, the report and JSON; what is done is not done again."""
    monkeypatch.setattr(reproduction, "POOL_SIZE", SMALL)
    monkeypatch.setattr(responders, "POOL_SIZE", SMALL)
    monkeypatch.setattr(reproduction, "HANDS_A_CYCLE", 1_000)
    result = run(*REPRODUCE)
    assert result.exit_code == 0, result.output
    report = Path("r/report.md").read_text()
    assert report.strip() in result.stdout
    rows = [line for line in report.splitlines() if re.match(r"\| (front|middle|back) \|", line)]
    assert len(rows) == len(reproduction.blog_ranges()) == 55
    for label in reproduction.STRATEGIES.values():
        assert len(re.findall(rf"^\| {re.escape(label)} \|.* to .*\|$", report, re.M)) == 1
    judged_parts = {f"{name}-{i}" for name in reproduction.STRATEGIES for i in (1, 2)}
    kept = {path.stem: path.read_bytes() for path in Path("r").glob("*.json")}
    assert set(kept) == {"ranges", "match", *judged_parts}

    # A part that is gone is done again, from tables that are not trained again.
    Path("r/match.json").unlink()
    monkeypatch.setattr(reproduction, "ranges", lambda *_: 1 / 0)
    monkeypatch.setattr(reproduction.counter, "judge_strategy", lambda *_: 1 / 0)
    result = run(*REPRODUCE, "--json")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert set(data) == {*kept, "judgements"}
    again = json.loads(Path("r/match.json").read_text())["result"]
    before = json.loads(kept.pop("match"))["result"]
    again.pop("seconds"), before.pop("seconds")
    assert again == before
    assert all(Path(f"r/{name}.json").read_bytes() == text for name, text in kept.items())

    played = data["match"]
    assert played["hands"] == 400
    assert 200 < played["identical"] <= 400
    assert abs(played["points"]) < 5 * played["error"] + 0.05
    assert reproduction.worst_range(data["ranges"]["ranges"]) < 8
    assert set(data["ranges"]["alice"]) == {"back", "middle", "front"}
    for part, percent in reproduction.BLOG_ALICE.items():
        assert data["ranges"]["alice"][part] == pytest.approx(percent, abs=6)
    for row in data["judgements"]:
        assert (row["pools"], row["hands"]) == (2, 200)
        assert row["held_out"] <= row["in_sample"]
        low, high = row["in_sample_interval"]
        assert low <= row["in_sample"] <= high
        assert row["in_sample"] >= 0


def test_intervals_are_students() -> None:
    """Of the means over pools; t is 12.706 for two of them."""
    pool = {"hands": 10, "seconds": 1.0, "opponents": 5.0, "identical": 0.5, "held_out": 0.25}
    results = {
        f"{name}-{i}": {**pool, "in_sample": float(i)}
        for name in reproduction.STRATEGIES
        for i in (1, 2)
    }
    for row in reproduction.judgements({"ranges": {}, "match": {}, **results}):
        assert (row["hands"], row["seconds"], row["in_sample"]) == (20, 2.0, 1.5)
        assert row["in_sample_interval"] == pytest.approx([1.5 - 6.3531, 1.5 + 6.3531], abs=1e-3)
        assert row["held_out_interval"] == pytest.approx([0.25, 0.25])
    one = {key: value for key, value in results.items() if key.endswith("-1")}
    assert [row["in_sample_interval"] for row in reproduction.judgements(one)] == [None] * 3


def test_points_of_the_match_are_those_of_the_rules() -> None:
    rng = np.random.default_rng(35)
    one, two = rng.integers(0, 3, (2, 200, 3)).astype(np.int16)
    expected_points = plain_points("4-2", one, two).diagonal()
    assert reproduction.compare(one, two).tolist() == expected_points.tolist()
    assert ARRANGEMENTS == 72_072
