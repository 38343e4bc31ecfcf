"""Chinese Poker's tables and training, pools of opponents and their cache, and work in threads."""

import multiprocessing
import os
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from baselines.chinese_poker.test_counter import (
    GAME,
    GAMES,
    NASTY,
    RULES,
    SMALL,
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
from closedhand.baselines.chinese_poker import (
    counter,
    opponents,
    pool as pools,
    separable,
    training,
)
from closedhand.core.threads import CHUNK, in_threads
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, STRENGTHS, names

EVEN = training.even()


@pytest.fixture(autouse=True)
def keep_the_cache_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(opponents, "_POOLS", {})
    monkeypatch.chdir(tmp_path)


# Tables.


def test_tables_survive_files() -> None:
    tables = separable.Tables(tables_called("smooth", "4-2"), {"method": "none", "seed": 3})
    separable.save(tables, Path("folder/t.npz"))
    other = separable.load(Path("folder/t.npz"))
    assert (other.win == tables.win).all()
    assert other.about == tables.about
    assert [path.name for path in Path("folder").iterdir()] == ["t.npz"]


@every_scoring
def test_the_tables_of_the_package_are_best_for_their_rules(rules: str) -> None:
    about = separable.shipped(rules).about
    assert {"method", "rules", "cycles", "hands", "seed", "version"} <= set(about)
    assert about["rules"] == rules
    pool, hands, game = small_pool(rules)[2], dealt(1_000, 31), GAMES[rules].rules
    gains = {
        by: judged(rules, pool, hands, separable.arrange(game, win, hands))[0][:, 2].mean()
        for by, win in [*((each, win_of(each)) for each in RULES), ("even", EVEN)]
    }
    assert min(gains, key=gains.__getitem__) == rules


def assert_refused(load: Callable[[Path], object], key: str, array: np.ndarray | None) -> None:
    load(Path("t.npz"))
    with np.load("t.npz") as data:
        changed = {**data, key: array}
    np.savez("t.npz", **{key: value for key, value in changed.items() if value is not None})
    with pytest.raises(InputError) as error:
        load(Path("t.npz"))
    assert "\n" not in str(error.value)


FRONTS = EVEN[FRONT, :455]


@pytest.mark.parametrize(
    ("key", "array"),
    [
        *(("front", each) for each in (
            FRONTS[::-1], FRONTS * 2, FRONTS - 0.5, FRONTS * np.nan, FRONTS[:-1], FRONTS[None],
            np.append(FRONTS, 1.0), np.array(0.5), np.array(["a"] * 455), np.array([None] * 455),
        )),
        ("front", None), ("about", None), ("about", np.array("{")),
    ],
)  # fmt: skip
def test_bad_tables_are_refused(key: str, array: np.ndarray | None) -> None:
    separable.save(separable.Tables(EVEN), Path("t.npz"))
    assert_refused(separable.load, key, array)


def test_tables_are_checked() -> None:
    for win in (EVEN[:, ::-1], EVEN[:, 1:], EVEN[:2], EVEN[0], EVEN.astype(np.float32), EVEN + 0.1):
        with pytest.raises(InputError):
            separable.Tables(win)


# Threads.


@pytest.mark.parametrize("number", [0, 1, CHUNK, CHUNK + 1, 4 * CHUNK])
def test_threads_do_everything_once(number: int) -> None:
    done, told = np.zeros(number, int), [0]
    in_threads(lambda some: np.add.at(done, some, 1), number, told.append)
    assert (done == 1).all()
    assert told == sorted(told)
    assert number <= CHUNK or told[-1] == number
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda some: 1 // (some.start - CHUNK), 4 * CHUNK)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_threads_work_after_a_fork() -> None:
    hands = dealt(4 * CHUNK, 37)
    before = separable.arrange(GAME.rules, win_of("4-2"), hands)

    def again() -> None:
        assert (separable.arrange(GAME.rules, win_of("4-2"), hands) == before).all()

    child = multiprocessing.get_context("fork").Process(target=again)
    child.start()
    child.join(30)
    exitcode = child.exitcode
    child.kill()
    assert exitcode == 0  # None: it hangs


# Pools.


@pytest.mark.parametrize("number", [1, 63, 64, 65, 1_000, 64 * 512, 64 * 513 + 7])
def test_opponents_are_the_hands_that_share_no_card(number: int) -> None:
    hands = dealt(number, number)
    pool = pools.build(hands, np.arange(3 * number).astype(np.int16).reshape(number, 3))
    assert (pool.parts.dtype, pool.parts.shape) == (np.int16, (3, number))
    found = np.empty(number, np.uint32)
    for hand in [*dealt(5, 8), *hands[-2:], *NASTY[:2]]:
        n = pools.opponents(pool, hand, found)
        assert found[:n].tolist() == opponents_of(hand, hands).tolist()
        assert (counter.gather(pool, hand) == pool.parts[:, found[:n]]).all()


@pytest.mark.parametrize("players", [1, 2, 4])
def test_random_hands_are_fair_deals(players: int) -> None:
    number = 20_000
    hands = pools.random_hands(np.random.default_rng(10), number, players)
    assert (hands.shape, hands.dtype) == ((number, players, 13), np.int8)
    assert (np.diff(hands, axis=2) < 0).all()
    assert all(len(np.unique(deal)) == 13 * players for deal in hands[:300])
    for player in range(players):
        holds = (hands[:, player, :, None] == np.arange(52)).any(axis=1)
        spread = (holds.sum(axis=0) - number / 4) ** 2 / (number * 3 / 16) * 51 / 52
        assert spread.sum() < 51 + 6 * np.sqrt(2 * 51)
        both = (holds.T.astype(int) @ holds)[np.triu_indices(52, 1)] / number
        assert abs(both - 1 / 17).max() < 6 * np.sqrt(1 / 17 / number)


def test_every_use_has_random_numbers_of_its_own() -> None:
    seeds = [(), *product((0, 1)), *product((0, 1), repeat=2)]
    every = [(use, *each) for use in pools.Deals for each in seeds]
    first = [pools.generator(*each).random() for each in every]
    assert len(set(first)) == len(every) == 7 * len(pools.Deals)
    assert first == [pools.generator(*each).random() for each in every]


def test_a_pool_is_set_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "BATCH", 256)
    told, hands = [], dealt(700, 13)
    arrange = partial(separable.arrange, GAME.rules, EVEN)
    parts = pools.set_hands(GAME.rules, arrange, hands, told.append)
    assert (parts == pools.strengths_of(GAME.rules, hands, arrange(hands))).all()
    assert told == [256, 512, 700]


# The pool that all share, and its cache.


def test_a_pool_is_set_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pool_of = partial(opponents.pool_of, GAME.rules, separable.shipped(), SMALL)
    first, told = pool_of(), []
    assert "setting a pool of 5,000 hands, once" in capsys.readouterr().err
    assert pool_of() is first
    (path,) = (tmp_path / "cache" / "closedhand").iterdir()
    opponents._POOLS.clear()  # as in a new process
    with monkeypatch.context() as patched:
        patched.setattr(opponents, "arrange", lambda *_: 1 / 0)
        read = pool_of()
    assert read is not first
    assert (read.parts == first.parts).all() and (read.holds == first.holds).all()
    path.unlink()
    opponents._POOLS.clear()
    assert (pool_of(told.append).parts == first.parts).all()
    assert told[-1] == SMALL
    assert capsys.readouterr() == ("", "")


def test_pools_of_other_rules_tables_and_sizes_are_others() -> None:
    tables, even = separable.shipped(), separable.Tables(EVEN)
    found = [
        opponents.pool_of(GAME.rules, tables, SMALL),
        opponents.pool_of(GAMES["1-6"].rules, tables, SMALL),
        opponents.pool_of(GAME.rules, even, SMALL),
        opponents.pool_of(GAME.rules, tables, SMALL + 1),
    ]
    assert len(list(opponents.cache_folder().iterdir())) == 4
    assert not any((found[0].parts == other.parts).all() for other in found[1:3])
    assert (found[0].holds == found[2].holds).all()
    # What is paid for hands changes no pool.
    paying = make_game("chinese_poker", royalties=True, players=4, naturals=True)
    assert opponents.pool_of(paying.rules, tables, SMALL) is found[0]
    for size in (-1, 0, 4_999, 50_000_001, 99_999_999_999):
        with pytest.raises(InputError, match=f"5,000 to 50,000,000 hands, not {size:,}"):
            opponents.pool_of(GAME.rules, tables, size)


@pytest.mark.parametrize("damage", ["long", "short", "empty", "bit", "folder", "no cache"])
def test_a_damaged_pool_is_set_anew(
    damage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = opponents.pool_of(GAME.rules, separable.shipped(), SMALL)
    (path,) = opponents.cache_folder().iterdir()
    whole = path.read_bytes()
    flipped = whole[:100] + bytes([whole[100] ^ 1]) + whole[101:]
    damaged = {"long": whole + b"123456", "short": whole[:-1], "empty": b"", "bit": flipped}
    path.write_bytes(damaged.get(damage, whole))
    if damage == "folder":
        path.unlink()
        path.mkdir()
    elif damage == "no cache":
        monkeypatch.setenv("XDG_CACHE_HOME", str(path))
    opponents._POOLS.clear()
    capsys.readouterr()
    again = opponents.pool_of(GAME.rules, separable.shipped(), SMALL)
    assert (again.parts == first.parts).all()
    assert path.is_dir() or path.read_bytes() == whole
    out, err = capsys.readouterr()
    assert out == ""
    assert ("set anew next time" in err) == (damage not in damaged)


# Training.


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
        run.cycle()
        for i, number in enumerate(STRENGTHS):
            share = (parts[:, i, None] <= np.arange(number)).mean(axis=0)
            assert run.tables.win[i, :number] == pytest.approx((win[i, :number] + share) / 2)
        win = run.tables.win
    assert run.cycles == 2


def test_the_blogs_training_comes_to_what_the_blog_found() -> None:
    run = training.Training(GAME, "blog", 3_000, seed=5)
    for _ in range(10):
        run.cycle()
    for part, name, percent in [
        (FRONT, "A-K-2", 36.3), (FRONT, "QQ-2", 77.7), (MIDDLE, "AA-4-3-2", 27.0),
        (MIDDLE, "9 straight", 83.6), (BACK, "AK432 flush", 60.9), (BACK, "JJJ-xx", 88.2),
    ]:  # fmt: skip
        chance = run.tables.win[part, names(part).index(name)]
        assert chance == pytest.approx(percent / 100, abs=0.05)


@every_scoring
def test_fitted_tables_are_better_than_even_ones(rules: str) -> None:
    run = training.Training(GAMES[rules], "fitted", hands=1_200, pool_size=3_000, seed=6)
    told: list[float] = []
    run.cycle(told.append)
    assert told == sorted(told) and told[0] > 0 and told[-1] == pytest.approx(1)
    run.cycle()
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
    run.cycle()
    first, win = run.pool_parts, run.tables.win
    run.cycle()
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


@pytest.mark.parametrize("before", [0, 1, 2])
@pytest.mark.parametrize("method", training.METHODS)
def test_training_goes_on_as_if_nothing_had_happened(method: str, before: int) -> None:
    whole, half, other = (small_training(method, seed=seed) for seed in (8, 8, 9))
    for _ in range(before):
        half.cycle()
    saved(half)
    resumed = load(GAME, method, 8)
    resumed.cycle()
    for run in (whole, other):
        for _ in range(before + 1):
            run.cycle()
    assert resumed.cycles == before + 1
    assert alike(whole, resumed)
    assert not (whole.tables.win == other.tables.win).all()


@pytest.mark.parametrize("cycles", [0, 1])
@pytest.mark.parametrize("after", [0.0, 1.0])
def test_an_interrupted_cycle_changes_nothing(cycles: int, after: float) -> None:
    run, whole = small_training("fitted"), small_training("fitted")
    for _ in range(cycles):
        run.cycle(), whole.cycle()

    def interrupt(part: float) -> None:
        if part >= after - 1e-9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.cycle(interrupt)
    assert run.cycles == cycles
    assert alike(run, whole)
    run.cycle(), whole.cycle()
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
    with pytest.raises(InputError, match="no npz file"):
        load(GAME, "blog", 8)
    separable.save(separable.shipped(), path)
    with pytest.raises(InputError, match="nothing that can be continued"):
        load(GAME, "blog", 8)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match="cannot read"):
        load(GAME, "blog", 8)


@pytest.mark.parametrize(
    ("key", "array"),
    [
        ("win", None), ("cycles", None), ("settings", None), ("pool_parts", None),
        ("win", EVEN[:, :455]), ("win", EVEN * np.nan), ("pool_size", np.array(900)),
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

    assert_refused(load_it, key, array)


@pytest.mark.parametrize("option", ["fouls", "royalties", "naturals"])
@pytest.mark.parametrize("method", training.METHODS)
def test_games_that_pay_for_hands_are_not_trained(option: str, method: str) -> None:
    with pytest.raises(InputError, match=f"without {option}"):
        training.Training(make_game("chinese_poker", **{option: True}), method)
