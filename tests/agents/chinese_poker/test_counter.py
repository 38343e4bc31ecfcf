"""Candidates and best responses against brute force."""

from functools import partial

import numpy as np
import pytest
from support import assert_alike_without_compiler
from support_pools import (
    GAME,
    GAMES,
    NASTY,
    candidates_of,
    dealt,
    every_scoring,
    judged,
    opponents_of,
    options,
    plain_points,
    small_pool,
    strengths,
    tables_called,
    values_of,
    win_of,
)

from closedhand import InputError
from closedhand.agents.chinese_poker import agents, counter, pool as pools, separable
from closedhand.games.chinese_poker.notation import parse_hand
from closedhand.games.chinese_poker.rules import FOUL

# Nothing beats 4,935 and 5,075 arrangements of these.
HUGE = [parse_hand(text) for text in ("AsAdKdKcQsJs9h8c7h6d4s3d2c", "AsAdAcKdQhJh9c8d7d6s4h3c2h")]

pytestmark = pytest.mark.usefixtures("own_cache")


def pareto(parts: np.ndarray) -> set[tuple[int, ...]]:
    """The strengths that no other ones equal or beat in all parts."""
    rows = np.unique(parts, axis=0)[::-1]
    found = set()
    while len(rows):
        found.add(tuple(rows[0].tolist()))
        rows = rows[(rows > rows[0]).any(axis=1)]
    return found


# Candidates and points.


@pytest.mark.slow
@pytest.mark.parametrize("hands", [NASTY, HUGE, dealt(12, 14)], ids=["nasty", "huge", "dealt"])
def test_candidates_are_legal_and_hold_all_that_nothing_beats(hands: list[np.ndarray]) -> None:
    for hand in hands:
        actions, parts = candidates_of("4-2", hand)
        legal, of_legal = options(hand)
        places = np.searchsorted(legal, actions)
        assert (legal[places] == actions).all()
        assert (of_legal[places] == parts).all()
        found = set(map(tuple, parts.tolist()))
        assert pareto(of_legal) <= found
        assert len(parts) == len(found) <= counter.MOST
        if hands is HUGE:
            assert len(found) > 4_900


@every_scoring
def test_points_are_those_of_the_game(rules: str) -> None:
    """Of random deals, each player's arrangement a good one or any one."""
    game, rng = GAMES[rules], np.random.default_rng(16)
    for deal in range(60):
        state = game.deal(rng)
        hands, own = state.hands[:2].copy(), []
        for player in range(2):
            good = candidates_of(rules, hands[player])[0]
            own.append(int(rng.choice(good if (deal + player) % 3 else game.legal(state))))
            game.play(state, own[-1])
        one, two = pools.strengths_of(game.rules, hands, np.array(own))
        points = counter.points(game.rules, one, *two[:, None])
        assert [points, -points] == game.returns(state).tolist()
        assert points == counter.compare(game.rules, one, two)


@every_scoring
@pytest.mark.parametrize("number", [0, 1, 2, 3, 64, 101])
def test_totals_are_means_over_both_halves(rules: str, number: int) -> None:
    """With many ties, and odd numbers of opponents."""
    rng, game = np.random.default_rng(number), GAMES[rules].rules
    others = rng.integers(0, 4, (3, number)).astype(np.int16)
    own = rng.integers(0, 4, (50, 3)).astype(np.int16)
    found = counter.totals(game, others, own)
    points = plain_points(rules, own, others.T)
    assert (counter.compare(game, own[:, None], others.T) == points).all()
    for i, half in enumerate((points[:, : number // 2], points[:, number // 2 :])):
        mean = half.sum(axis=1) / max(1, half.shape[1])
        assert found[:, i] == pytest.approx(mean, abs=1e-12)


# Best responses.


@pytest.mark.slow
@every_scoring
def test_the_best_response_has_most_points_of_all_arrangements(rules: str) -> None:
    """By any tables, as nothing is left out, be the number of opponents even or odd."""
    hands, parts, pool = small_pool(rules)
    win, numbers = tables_called("smooth", rules), set()
    for hand in [*NASTY, *dealt(6, 18)]:
        others = parts[opponents_of(hand, hands)]
        numbers.add(len(others) % 2)
        totals = plain_points(rules, np.unique(options(hand)[1], axis=0), others).sum(axis=1)
        action = counter.respond(GAMES[rules].rules, pool, win, np.inf, hand)
        own = plain_points(rules, strengths(hand, action)[None], others).sum()
        assert totals.max() - own <= 4 * (len(others) % 2)  # of which the halves are not alike
    assert numbers == {0, 1}


@every_scoring
@pytest.mark.parametrize("slack", [0.0, 0.1, 0.5])
def test_what_tables_do_not_like_is_left_out(rules: str, slack: float) -> None:
    hands, parts, pool = small_pool(rules)
    game, win = GAMES[rules].rules, win_of(rules)
    for hand in dealt(20, 20):
        actions, of_actions = candidates_of(rules, hand)
        values = values_of(rules, win, of_actions)
        few = counter.promising(game, win, slack, of_actions)
        liked = np.flatnonzero(values >= values.max() - slack - 1e-9)
        assert sorted(few.tolist()) == liked.tolist()
        assert (np.diff(values[few]) <= 1e-9).all()
        others = parts[opponents_of(hand, hands)]
        means = plain_points(rules, of_actions, others).mean(axis=1)
        (own,) = np.flatnonzero(actions == counter.respond(game, pool, win, slack, hand))
        assert own in liked
        assert means[own] >= means[liked].max() - 4 / len(others) ** 2


@pytest.mark.slow
@every_scoring
def test_judgements_are_what_they_say(rules: str) -> None:
    """Value, gains on other and on the same opponents, by plain means."""
    hands, parts, pool = small_pool(rules)
    some, rng = dealt(80, 21), np.random.default_rng(23)
    own = separable.arrange(GAMES[rules].rules, win_of(rules), some)
    own[40:] = [rng.choice(options(hand)[0]) for hand in some[40:]]
    figures, responses = judged(rules, pool, some, own)
    for hand, action, figure, response in zip(some, own, figures, responses, strict=True):
        actions, of_actions = candidates_of(rules, hand)
        others = parts[opponents_of(hand, hands)]
        points = plain_points(rules, of_actions, others)
        mine = plain_points(rules, strengths(hand, action)[None], others)[0]
        half = len(others) // 2
        sides = (slice(half), slice(half, None))
        means, values = ([all_[..., side].mean(-1) for side in sides] for all_ in (points, mine))
        held_out = [means[1 - k][means[k].argmax()] - values[1 - k] for k in range(2)]
        best, value = np.mean(means, axis=0), np.mean(values)
        found = [value, np.mean(held_out), best.max() - value, len(others)]
        assert figure == pytest.approx(found, abs=1e-12)
        assert best[actions == response].item() == pytest.approx(best.max(), abs=1e-12)
    # Of any arrangements a best response gains more than of the strategy's.
    assert 0 < 10 * figures[:40, 2].mean() < figures[40:, 2].mean()
    assert (figures[:, 2] >= np.maximum(0, figures[:, 1]) - 1e-12).all()


@every_scoring
def test_nothing_is_gained_over_a_best_response(rules: str) -> None:
    pool, some = small_pool(rules)[2], dealt(600, 24)
    tables = separable.Tables(tables_called("smooth", rules))
    own = agents.Responder(GAMES[rules], tables, pool, np.inf, "best").arrange(some)
    figures, _ = judged(rules, pool, some, own)
    assert (figures[:, 2] == 0).all()
    assert (figures[:, 1] <= 1e-12).all()


@pytest.mark.slow
def test_a_strategy_is_judged_on_a_pool_of_its_own() -> None:
    game, told = GAME.rules, []
    arrange = partial(separable.arrange, game, win_of("4-2"))
    judge = partial(counter.judge_strategy, game, arrange)
    found = judge(600, 3_000, np.random.default_rng(25), told.append)
    assert found == judge(600, 3_000, np.random.default_rng(25))
    assert told == sorted(told) and told[-1] == 3_600
    rng = np.random.default_rng(25)
    crowd, hands = (pools.random_hands(rng, number)[:, 0] for number in (3_000, 600))
    pool = pools.build(crowd, pools.set_hands(game, arrange, crowd))
    figures, responses = judged("4-2", pool, hands, arrange(hands))
    means = found.value, found.held_out, found.in_sample, found.opponents
    assert means == pytest.approx(figures.mean(axis=0))
    ours, theirs = (pools.strengths_of(game, hands, own) for own in (arrange(hands), responses))
    assert found.identical == (ours == theirs).all(axis=1).mean() > 0.3
    assert found.hands == 600
    for numbers in ((0, 3_000), (600, 0)):
        with pytest.raises(InputError, match="at least one hand"):
            judge(*numbers, np.random.default_rng(0))


def test_hands_with_too_few_opponents_are_not_judged() -> None:
    arrange = partial(separable.arrange, GAME.rules, win_of("4-2"))
    judge = partial(counter.judge_strategy, GAME.rules, arrange)
    found = judge(100, 200, np.random.default_rng(26))
    rng = np.random.default_rng(26)
    crowd, hands = (pools.random_hands(rng, number)[:, 0] for number in (200, 100))
    pool = pools.build(crowd, pools.set_hands(GAME.rules, arrange, crowd))
    figures, _ = judged("4-2", pool, hands, arrange(hands))
    figures = figures[figures[:, 3] >= 2]
    assert 0 < len(figures) == found.hands < 100
    means = found.value, found.held_out, found.in_sample, found.opponents
    assert means == pytest.approx(figures.mean(axis=0))
    with pytest.raises(InputError, match="no hand has two opponents in a pool of 1: make it"):
        judge(100, 1, np.random.default_rng(26))


def test_fouls_lose_all_parts() -> None:
    rules, some = GAME.rules, dealt(200, 27)
    first = np.zeros(len(some), np.int32)  # the best five cards behind, the worst in the middle
    fouls = (pools.strengths_of(rules, some, first) == FOUL).all(axis=1)
    assert 0 < fouls.sum() < len(some)
    figures, _ = judged("4-2", small_pool("4-2")[2], some, first)
    assert (figures[fouls, 0] == -(3 + rules.scoop)).all()


@pytest.mark.parametrize("arrangements", [[0], [0.5] * 9, [-1] * 9, [10**6] * 9])
def test_what_is_no_arrangement_is_refused(arrangements: list[float]) -> None:
    with pytest.raises(InputError, match="arrangements are"):
        rng = np.random.default_rng(0)
        counter.judge_strategy(GAME.rules, lambda hands: np.array(arrangements), 9, 9, rng)


@pytest.mark.slow
def test_kernels_work_without_the_compiler() -> None:
    """Of the second hand the best back, the straight flush of the lowest cards, has the last id."""
    assert_alike_without_compiler("""
import numpy as np
from closedhand import make_game
from closedhand.agents.chinese_poker import counter, pool, separable
from closedhand.games.chinese_poker.notation import parse_hand
rules, win = make_game("chinese_poker").rules, separable.shipped().win
hands = pool.random_hands(np.random.default_rng(1), 330)[:, 0]
hands[1] = parse_hand("AsAhKsKhQdQh9c9d6s5s4s3s2s")
parts = np.random.default_rng(2).integers(0, 450, (330, 3)).astype(np.int16)
crowd = pool.build(hands, parts)
for hand in hands[:3]:
    action, value = separable.best(rules, win, hand)
    print(action, round(value, 9), separable.best_front(rules, win, hand, action // 56))
    print(counter.gather(crowd, hand).tolist(), counter.respond(rules, crowd, win, 0.3, hand))
    figures = np.empty(4)
    print(counter.judge(rules, crowd, hand, action, figures), figures.round(9).tolist())
assert separable.best(rules, win, hands[1])[0] // 56 == 1286
""")
