"""The separable strategy against brute force, and its tables."""

from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from support_pools import (
    GAME,
    GAMES,
    NASTY,
    RULES,
    assert_file_refused,
    candidates_of,
    dealt,
    every_scoring,
    expected,
    judged,
    options,
    small_pool,
    strengths,
    tables_called,
    values_of,
    win_of,
)

from closedhand import InputError
from closedhand.agents.chinese_poker import counter, pool as pools, separable, training
from closedhand.core.threads import CHUNK
from closedhand.games.chinese_poker.plays import FRONT

pytestmark = pytest.mark.usefixtures("own_cache")


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


EVEN = training.even()


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
    assert_file_refused(separable.load, key, array)


def test_tables_are_checked() -> None:
    for win in (EVEN[:, ::-1], EVEN[:, 1:], EVEN[:2], EVEN[0], EVEN.astype(np.float32), EVEN + 0.1):
        with pytest.raises(InputError):
            separable.Tables(win)


def test_damaged_files_are_input_errors() -> None:
    """Whatever byte is wrong: the file is refused, or still holds tables."""
    path, rng, refused = Path("t.npz"), np.random.default_rng(29), 0
    separable.save(separable.Tables(training.even(), {"seed": 0}), path)
    whole = path.read_bytes()
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


def test_tables_are_listed() -> None:
    every, some = (separable.csv_text(separable.shipped(), step) for step in (0, 1.0))
    assert every.endswith("\n") and every.startswith("part,hand,percent\n")
    assert set(some.splitlines()) < set(every.splitlines())
    rows, sparse = ([line.split(",") for line in text.splitlines()[1:]] for text in (every, some))
    assert [part for part, _, _ in rows] == ["front"] * 455 + ["middle"] * 6331 + ["back"] * 6331
    for one, two in pairwise(sparse):
        assert one[0] != two[0] or float(two[2]) - float(one[2]) >= 0.99  # of rounded percent


def test_whole_percents_are_tables() -> None:
    rounded = separable.whole_percents(separable.shipped()).win
    assert np.abs(rounded - separable.shipped().win).max() <= 0.005 + 1e-12
    assert np.abs(np.round(100 * rounded) - 100 * rounded).max() < 1e-9
