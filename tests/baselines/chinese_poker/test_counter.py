"""Strategies of Chinese Poker: the separable one, best responses and agents against brute force."""

from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference import chinese_poker as reference
from support import assert_alike_without_compiler

from closedhand import Game, InputError, make_agent, make_game
from closedhand.baselines.chinese_poker import agents, counter, opponents, pool as pools, separable
from closedhand.core import duel
from closedhand.core.threads import CHUNK
from closedhand.games.chinese_poker.notation import cards_text, parse_hand
from closedhand.games.chinese_poker.plays import FRONTS, STRENGTHS
from closedhand.games.chinese_poker.substeps import FIRST_FRONT

RULES = ("4-2", "1-6")
GAMES = {rules: make_game("chinese_poker", rules=rules) for rules in RULES}
GAME = GAMES["4-2"]
SMALL, SIZE = 5_000, 20_000
"""Hands of pools; the first is no multiple of 64."""

ALICE = "AsKs6s5s3sQhQs8c3c2hJsJd9h"
NASTY = [
    parse_hand("AsKhQdJcTs9h8d7c6s5h4d3c2s"),  # the dragon
    parse_hand("AsKsQsJsTs9s8s7s6s5s4s3s2s"),  # with straight flushes only
    parse_hand("AsAhAdAcKsKhKdKcQsQhQdQc2s"),  # three quads
    parse_hand("2s2h2d3s3h3d4s4h4d5s5h5d6s"),  # trips
    parse_hand("2c2d3c3d4c4d5c5d6c6d7c7d8c"),  # six pairs, all parts alike
    parse_hand("AcKcQhQdJhTc9s9h7s6s5s4h2c"),  # very many ways that make sense
]
# Nothing beats 4,935 and 5,075 arrangements of these.
HUGE = [parse_hand(text) for text in ("AsAdKdKcQsJs9h8c7h6d4s3d2c", "AsAdAcKdQhJh9c8d7d6s4h3c2h")]

every_scoring = pytest.mark.parametrize("rules", RULES)


@pytest.fixture(autouse=True)
def keep_the_cache_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


# Brute force; test_chinese_poker.py compares what is legal, and strengths, with the slow rules.


def start_with(hand: np.ndarray) -> Any:
    """The start of a game in which the first player has a hand."""
    rest = [card for card in range(52) if card not in hand]
    return GAME.parse_deal(f"{cards_text(hand)};{cards_text(rest[:13])}")


def options(hand: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ids of the legal arrangements, and the strengths of their parts, [n, 3]."""
    actions = GAME.legal(start_with(hand))
    return actions, pools.strengths_of(GAME.rules, np.tile(hand, (len(actions), 1)), actions)


def strengths(hand: np.ndarray, action: int) -> np.ndarray:
    return pools.strengths_of(GAME.rules, hand[None], np.array([action]))[0]


@cache
def points_by_signs(rules: str) -> np.ndarray:
    """What parts lost (0), tied (1) and won (2) are worth, [3, 3, 3]."""
    signs = product((-1, 0, 1), repeat=3)
    return np.array([reference.points(list(each), rules) for each in signs]).reshape(3, 3, 3)


def plain_points(rules: str, own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The points of arrangements, [n, 3], against others, [m, 3]; [n, m]."""
    signs = np.sign(own[:, None].astype(int) - others.astype(int)) + 1
    return points_by_signs(rules)[signs[..., 0], signs[..., 1], signs[..., 2]]


def expected(rules: str, chances: np.ndarray) -> np.ndarray:
    """The points if parts win by chance, [n, 3]: the sum over all eight outcomes."""
    found = np.zeros(len(chances))
    for wins in product((False, True), repeat=3):
        probability = np.where(wins, chances, 1 - chances).prod(axis=1)
        found += probability * points_by_signs(rules)[tuple(2 * won for won in wins)]
    return found


def values_of(rules: str, win: np.ndarray, parts: np.ndarray) -> np.ndarray:
    return expected(rules, np.stack([win[part, parts[:, part]] for part in range(3)], axis=1))


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


def win_of(rules: str) -> np.ndarray:
    return separable.shipped(rules).win


@cache
def small_pool(rules: str) -> tuple[np.ndarray, np.ndarray, pools.Pool]:
    """Hands, their strengths as the tables of the package set them, and the pool of them."""
    hands, game = dealt(SMALL, 17), GAMES[rules].rules
    parts = pools.set_hands(game, partial(separable.arrange, game, win_of(rules)), hands)
    return hands, parts, pools.build(hands, parts)


def opponents_of(hand: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """The numbers of hands that share no card with a hand, by sets."""
    own = set(hand.tolist())
    return np.array([i for i, other in enumerate(hands.tolist()) if own.isdisjoint(other)], int)


def candidates_of(rules: str, hand: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    actions, parts = np.empty(counter.MOST, np.int32), np.empty((counter.MOST, 3), np.int16)
    n = counter.candidates(GAMES[rules].rules, hand, actions, parts)
    return actions[:n], parts[:n]


def judged(rules: str, pool: pools.Pool, hands: np.ndarray, own: np.ndarray) -> list[np.ndarray]:
    figures, responses = np.empty((len(hands), 4)), np.empty(len(hands), np.int32)
    counter.judge_each(GAMES[rules].rules, pool, hands, own, figures, responses)
    return [figures, responses]


def tables_called(kind: str, rules: str) -> np.ndarray:
    """Those of the package, or random ones that never fall, but have plateaus."""
    if kind == "shipped":
        return win_of(rules)
    rng, win = np.random.default_rng(len(kind)), np.zeros((3, max(STRENGTHS)))
    for part, number in enumerate(STRENGTHS):
        some = {
            "smooth": rng.random(number),
            "steps": rng.integers(0, 4, number) / 3,
            "sure": rng.integers(0, 2, number),
            "zeros": np.zeros(number),
        }[kind]
        win[part, :number] = np.sort(some)
    return win


# The separable strategy.


@every_scoring
@pytest.mark.parametrize("tables", ["shipped", "smooth", "steps", "sure", "zeros"])
def test_the_best_arrangement_is_the_best_of_all(rules: str, tables: str) -> None:
    win = tables_called(tables, rules)
    for hand in [*NASTY, *dealt(20 if tables == "shipped" else 6, 1)]:
        actions, parts = options(hand)
        values = values_of(rules, win, parts)
        action, value = separable.best(GAMES[rules].rules, win, hand)
        assert value == pytest.approx(values.max(), abs=1e-7)
        (own,) = values[actions == action]  # which is legal
        assert own == pytest.approx(values.max(), abs=1e-7)


@every_scoring
@pytest.mark.parametrize("tables", ["shipped", "steps", "zeros"])
def test_of_equal_chances_the_stronger_hand_counts(rules: str, tables: str) -> None:
    """Nothing is equal or better in all parts and better in one, though tables have plateaus."""
    win, hands = tables_called(tables, rules), np.concatenate([NASTY, dealt(300, 36)])
    for hand, action in zip(hands, separable.arrange(GAMES[rules].rules, win, hands), strict=True):
        own, others = strengths(hand, action), candidates_of(rules, hand)[1]
        assert not ((others >= own).all(axis=1) & (others > own).any(axis=1)).any()


@every_scoring
def test_the_formula_sums_over_all_outcomes(rules: str) -> None:
    """And rises with the chances, on which the bound of the search relies."""
    game, rng = GAMES[rules].rules, np.random.default_rng(3)
    low, high = np.sort(rng.random((2, 300, 3)), axis=0)
    chances = np.concatenate([list(product((0.0, 0.5, 1.0), repeat=3)), low, high])
    found = [separable.expectation(game, *row) - 3 - game.scoop for row in chances.tolist()]
    assert found == pytest.approx(expected(rules, chances).tolist(), abs=1e-12)
    assert (expected(rules, low) < expected(rules, high)).all()


def test_many_hands_at_once_and_one_by_one() -> None:
    hands, win = dealt(2 * CHUNK + 80, 4), win_of("4-2")
    actions = separable.arrange(GAME.rules, win, hands)
    assert actions.dtype == np.int32
    assert actions.tolist() == [separable.best(GAME.rules, win, hand)[0] for hand in hands]
    assert len(separable.arrange(GAME.rules, win, hands[:0])) == 0


@every_scoring
def test_the_separable_strategy_is_even_with_itself(rules: str) -> None:
    hands = pools.random_hands(np.random.default_rng(5), 4_000, players=2)
    game = GAMES[rules].rules
    arrange = partial(separable.arrange, game, win_of(rules))
    one, two = (pools.set_hands(game, arrange, hands[:, player].copy()) for player in range(2))
    points = counter.compare(game, one, two)
    assert abs(points.mean()) < 4 * points.std() / np.sqrt(len(points))
    assert points.std() > 1


# Candidates and points.


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
        assert len(parts) == len(found) < counter.MOST
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
    found = np.empty((50, 2))
    counter.totals(game, others, own, found)
    points = plain_points(rules, own, others.T)
    assert (counter.compare(game, own[:, None], others.T) == points).all()
    for i, half in enumerate((points[:, : number // 2], points[:, number // 2 :])):
        mean = half.sum(axis=1) / max(1, half.shape[1])
        assert found[:, i] == pytest.approx(mean, abs=1e-12)


# Best responses.


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
        with pytest.raises(InputError, match="one hand at least"):
            judge(*numbers, np.random.default_rng(0))


# The agents.

every_agent = pytest.mark.parametrize("agent", ["separable", f"counter:{SIZE}", f"rescored:{SIZE}"])


def ends_of(game: Game, agent: str, number: int) -> np.ndarray:
    """The ends of games in which an agent sits at every other seat, beside `random`."""
    rng = np.random.default_rng(1)
    states = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    seats = (np.arange(game.num_players) + np.arange(number)[:, None]) % 2
    duel.play_out(game, states, seats, [make_agent(game, name, 1) for name in (agent, "random")])
    return states


@every_agent
@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"substeps": True},
        {"players": 3, "rules": "1-6", "royalties": True},
        {"players": 4, "fouls": True, "naturals": True, "substeps": True},
    ],
    ids=str,
)
def test_agents_arrange_in_order_and_again(variant: dict[str, Any], agent: str) -> None:
    """Even where fouls are allowed, and in sub-steps as in the flat game."""
    game = make_game("chinese_poker", **variant)
    flat = make_game("chinese_poker", **{**variant, "substeps": False})
    ends = ends_of(game, agent, 30)
    assert all(game.over(state) for state in ends)
    assert (ends["history"] == ends_of(game, agent, 30)["history"]).all()
    player: Any = make_agent(flat, agent)
    for seat in range(game.num_players):
        mine = (seat + np.arange(30)) % 2 == 0
        hands, chosen = ends["hands"][mine, seat].copy(), ends["history"][mine, seat]
        assert player.arrange(hands).tolist() == chosen.tolist()
        views = np.array([start_with(hand) for hand in hands], GAME.dtype)
        assert player.act_batch(views).tolist() == chosen.tolist()
        assert [player.act(view) for view in views] == chosen.tolist()
        assert all(action in GAME.legal(view) for action, view in zip(chosen, views, strict=True))


@every_scoring
def test_agents_take_the_tables_and_the_pool_of_their_rules(rules: str) -> None:
    """`counter` counts everything, `rescored` what tables like."""
    game, tables, hands = GAMES[rules].rules, separable.shipped(rules), dealt(60, 26)
    own: Any = make_agent(GAMES[rules], "separable")
    assert own.arrange(hands).tolist() == separable.arrange(game, tables.win, hands).tolist()
    pool = opponents.pool_of(game, tables, SIZE)
    for name, slack in (("counter", np.inf), ("rescored", agents.SLACK)):
        agent: Any = make_agent(GAMES[rules], f"{name}:{SIZE}")
        assert agent.name == f"{name}:{SIZE}"
        responses = [counter.respond(game, pool, tables.win, slack, hand) for hand in hands]
        assert agent.arrange(hands).tolist() == responses


@every_agent
@pytest.mark.parametrize("fouls", [False, True])
def test_a_front_is_found_for_a_back_that_somebody_else_chose(agent: str, fouls: bool) -> None:
    """The best one by the tables, but where any makes a foul."""
    game = make_game("chinese_poker", substeps=True, fouls=fouls)
    adviser, rng = make_agent(game, agent), np.random.default_rng(3)
    for _ in range(20):
        state = game.deal(rng)
        actions, parts = options(state.hands[0])
        back = int(rng.choice(game.legal(state)))
        game.play(state, back)
        action = adviser.act(game.view(state, 0))
        assert action in game.legal(state)
        likewise = actions // FRONTS == back
        if likewise.any():
            values = values_of("4-2", win_of("4-2"), parts)
            (own,) = values[actions == FRONTS * back + action - FIRST_FRONT]
            assert own == pytest.approx(values[likewise].max(), abs=1e-9)


def test_kernels_work_without_the_compiler() -> None:
    """Of the second hand the best back, the straight flush of the lowest cards, has the last id."""
    assert_alike_without_compiler("""
import numpy as np
from closedhand import make_game
from closedhand.baselines.chinese_poker import counter, pool, separable
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
    print([round(float(figure), 9) for figure in counter.judge(rules, crowd, hand, action)])
assert separable.best(rules, win, hands[1])[0] // 56 == 1286
""")
