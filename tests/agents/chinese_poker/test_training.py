"""The training of tables."""

from pathlib import Path

import numpy as np
import pytest
from support import interrupt_at
from support_pools import (
    GAME,
    GAMES,
    assert_file_refused,
    candidates_of,
    dealt,
    every_scoring,
    judged,
    opponents_of,
    plain_points,
    small_pool,
    tables_called,
    values_of,
    win_of,
)

from closedhand import Game, InputError, make_game
from closedhand.agents.chinese_poker import pool as pools, separable, training
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, STRENGTHS, names

EVEN = training.even()

pytestmark = pytest.mark.usefixtures("own_cache")


def small_training(method: str, seed: int = 8) -> training.Training:
    return training.Training(GAME, method, hands=550, pool_size=800, seed=seed)


def saved(run: training.Training) -> None:
    """Write the checkpoint of a training in the present folder."""
    kept = training.begin(run.game, run.method, run.seed, Path(), lambda part: None)
    kept.learner = run
    kept.save()


def load(game: Game, method: str, seed: int) -> training.Training:
    """The training in the present folder."""
    run = training.begin(game, method, seed, Path(), lambda part: None)
    run.learner.hands, run.learner.pool_size = 550, 800  # as in `small_training`
    run.resume()
    return run.learner


def alike(*runs: training.Training) -> bool:
    one, two = ([run.win, run.pool_parts, run.cycles] for run in runs)
    return all(np.array_equal(mine, yours) for mine, yours in zip(one, two, strict=True))


def test_a_cycle_of_the_blog_counts_wins_and_ties() -> None:
    """Half the old chances, half the share of hands that a strength beats or equals."""
    run, win = training.Training(GAME, "blog", 500, seed=4), EVEN
    for cycle in range(2):
        rng = pools.generator(pools.Deals.TRAINING, 4, cycle)
        hands = pools.random_hands(rng, 500)[:, 0]
        own = separable.arrange(GAME.rules, win, hands)
        parts = pools.strengths_of(GAME.rules, hands, own)
        run.advance()
        for i, number in enumerate(STRENGTHS):
            share = (parts[:, i, None] <= np.arange(number)).mean(axis=0)
            assert run.tables.win[i, :number] == pytest.approx((win[i, :number] + share) / 2)
        win = run.tables.win
    assert run.cycles == 2


@pytest.mark.slow
def test_the_blogs_training_comes_to_what_the_blog_found() -> None:
    run = training.Training(GAME, "blog", 3_000, seed=5)
    for _ in range(10):
        run.advance()
    for part, name, percent in [
        (FRONT, "A-K-2", 36.3), (FRONT, "QQ-2", 77.7), (MIDDLE, "AA-4-3-2", 27.0),
        (MIDDLE, "9 straight", 83.6), (BACK, "AK432 flush", 60.9), (BACK, "JJJ-xx", 88.2),
    ]:  # fmt: skip
        chance = run.tables.win[part, names(part).index(name)]
        assert chance == pytest.approx(percent / 100, abs=0.05)


@pytest.mark.slow
@every_scoring
def test_fitted_tables_are_better_than_even_ones(rules: str) -> None:
    run = training.Training(GAMES[rules], "fitted", hands=1_200, pool_size=3_000, seed=6)
    told: list[float] = []
    run.progress = told.append
    run.advance()
    assert told == sorted(told) and told[0] > 0 and told[-1] == pytest.approx(1)
    run.advance()
    assert {"rules": rules, "cycles": 2, "pool": 3_000}.items() <= run.tables.about.items()
    pool, hands, game = small_pool(rules)[2], dealt(300, 31), GAMES[rules].rules
    fitted, even = (
        judged(rules, pool, hands, separable.arrange(game, win, hands))[0][:, 2].mean()
        for win in (run.tables.win, EVEN)
    )
    assert fitted < 0.6 * even


def test_the_pool_follows_in_part() -> None:
    """After one cycle about half of its hands are set anew; some of them differ."""
    run = training.Training(GAME, "fitted", hands=600, pool_size=2_000, seed=7)
    run.advance()
    first, win = run.pool_parts, run.tables.win
    run.advance()
    hands = pools.random_hands(pools.generator(pools.Deals.TRAINING_POOL, 7), 2_000)[:, 0]
    anew = pools.strengths_of(GAME.rules, hands, separable.arrange(GAME.rules, win, hands))
    old, new = ((run.pool_parts == parts).all(axis=1) for parts in (first, anew))
    assert (old | new).all()
    differ = (first != anew).any(axis=1)
    assert new[differ].mean() == pytest.approx(0.5, abs=6 / np.sqrt(4 * differ.sum()))


@every_scoring
def test_training_counts_points_against_the_pool(rules: str) -> None:
    hands, strengths, pool = small_pool(rules)
    win, some = win_of(rules), dealt(25, 32)
    parts = np.zeros((25, training.ROOM, 3), np.int16)
    points, numbers = np.zeros((25, training.ROOM)), np.zeros(25, np.int64)
    training.count_points(GAMES[rules].rules, pool, win, some, parts, points, numbers)
    for hand, few, counted, n in zip(some, parts, points, numbers, strict=True):
        known = candidates_of(rules, hand)[1]
        values = values_of(rules, win, known)
        liked = {tuple(row) for row in known[values >= values.max() - training.SLACK].tolist()}
        found = [tuple(row) for row in few[:n].tolist()]
        assert set(found) <= liked
        assert len(set(found)) == n == min(len(liked), training.ROOM)
        assert values_of(rules, win, few[:1])[0] == pytest.approx(values.max())
        others = strengths[opponents_of(hand, hands)]
        means = plain_points(rules, few[:n], others).mean(axis=1)
        assert counted[:n] == pytest.approx(means, abs=4 / len(others))


@every_scoring
def test_training_goes_down_the_gradient(rules: str) -> None:
    """A small step is the slope of the loss, taken numerically."""
    game, rng, n, rate = GAMES[rules].rules, np.random.default_rng(33), 6, 1e-7
    win = 0.1 + 0.8 * tables_called("smooth", rules)
    parts = np.zeros((1, training.ROOM, 3), np.int16)
    parts[0, :n] = rng.integers(100, 103, (n, 3))  # some strengths occur more than once
    points = np.zeros((1, training.ROOM))
    points[0, :n] = 0.1 * rng.random(n)
    weights = np.exp((points[0, :n] - points[0, :n].max()) / training.SHARPNESS)
    weights /= weights.sum()

    def loss(chances: np.ndarray) -> float:
        off = values_of(rules, chances, parts[0, :n]) - points[0, :n]
        return float((weights * (off - weights @ off) ** 2).sum() / 2)

    moved = win.copy()
    training.descend(game, moved, parts, points, np.array([n]), np.array([0]), rate)
    changed = [tuple(place) for place in np.argwhere(moved != win).tolist()]
    assert {(part, int(s)) for part in range(3) for s in parts[0, :n, part]} >= set(changed)
    assert len(changed) > 5
    for place in changed:
        step = np.zeros_like(win)
        step[place] = 1e-5
        slope = (loss(win + step) - loss(win - step)) / 2e-5
        assert (win[place] - moved[place]) / rate == pytest.approx(slope, rel=1e-3, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("before", [0, 1, 2])
@pytest.mark.parametrize("method", training.METHODS)
def test_training_goes_on_as_if_nothing_had_happened(method: str, before: int) -> None:
    whole, half, other = (small_training(method, seed=seed) for seed in (8, 8, 9))
    for _ in range(before):
        half.advance()
    saved(half)
    resumed = load(GAME, method, 8)
    resumed.advance()
    for run in (whole, other):
        for _ in range(before + 1):
            run.advance()
    assert resumed.cycles == before + 1
    assert alike(whole, resumed)
    assert not (whole.tables.win == other.tables.win).all()


@pytest.mark.slow
@pytest.mark.parametrize("cycles", [0, 1])
@pytest.mark.parametrize("after", [0.0, 1.0])
def test_an_interrupted_cycle_changes_nothing(cycles: int, after: float) -> None:
    run, whole = small_training("fitted"), small_training("fitted")
    for _ in range(cycles):
        run.advance(), whole.advance()

    run.progress = interrupt_at(after - 1e-9)
    with pytest.raises(KeyboardInterrupt):
        run.advance()
    run.progress = whole.progress
    assert run.cycles == cycles
    assert alike(run, whole)
    run.advance(), whole.advance()
    assert alike(run, whole)


def test_only_the_same_training_is_resumed() -> None:
    saved(small_training("blog"))
    for game, method, seed, message in [
        (GAME, "fitted", 8, "method blog, not fitted"),
        (GAME, "blog", 9, "seed 8, not 9"),
        (GAMES["1-6"], "blog", 8, "rules 4-2, not 1-6"),
        (make_game("chinese_poker", royalties=True), "blog", 8, "without royalties"),
    ]:
        with pytest.raises(InputError, match=message):
            load(game, method, seed)
    larger = make_game("chinese_poker", players=4, substeps=True)
    assert load(larger, "blog", 8).cycles == 0
    path = Path("training.npz")
    path.write_text("nothing")
    with pytest.raises(InputError, match="not an npz file"):
        load(GAME, "blog", 8)
    separable.save(separable.shipped(), path)
    with pytest.raises(InputError, match="nothing to resume"):
        load(GAME, "blog", 8)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="cannot read"):
        load(GAME, "blog", 8)


@pytest.mark.parametrize(
    ("key", "array"),
    [
        ("win", None), ("cycles", None), ("settings", None), ("pool_parts", None),
        ("win", EVEN[:, :455]), ("win", EVEN * np.nan),
        ("cycles", np.array(-1)),
        *(("pool_parts", np.zeros(n, np.int16)) for n in [(10, 3), (800, 2), 800, ()]),
    ],
)  # fmt: skip
def test_what_is_no_training_is_refused(key: str, array: np.ndarray | None) -> None:
    run = small_training("fitted")
    run.pool_parts, run.cycles = np.zeros((800, 3), np.int16), 1
    saved(run)
    Path("training.npz").rename("t.npz")

    def load_it(path: Path) -> None:
        Path("training.npz").write_bytes(path.read_bytes())
        load(GAME, "fitted", 8)

    assert_file_refused(load_it, key, array)


@pytest.mark.parametrize("option", ["fouls", "royalties", "naturals"])
@pytest.mark.parametrize("method", training.METHODS)
def test_games_that_pay_for_hands_are_not_trained(option: str, method: str) -> None:
    with pytest.raises(InputError, match=f"without {option}"):
        training.Training(make_game("chinese_poker", **{option: True}), method)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InputError, match="no method 'best'; there are fitted, blog"):
        training.Training(make_game("chinese_poker"), "best")
