"""Chinese Poker's arrangements, points and pools by plain means."""

from collections.abc import Callable
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference import chinese_poker as reference

from closedhand import InputError, make_game
from closedhand.agents.chinese_poker import counter, pool as pools, separable
from closedhand.games.chinese_poker.notation import cards_text, parse_hand
from closedhand.games.chinese_poker.plays import STRENGTHS

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

every_scoring = pytest.mark.parametrize("rules", RULES)


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
    return counter.candidates(GAMES[rules].rules, hand)


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


def assert_file_refused(read: Callable[[Path], object], key: str, array: np.ndarray | None) -> None:
    read(Path("t.npz"))
    with np.load("t.npz") as data:
        changed = {**data, key: array}
    np.savez("t.npz", **{key: value for key, value in changed.items() if value is not None})
    with pytest.raises(InputError) as error:
        read(Path("t.npz"))
    assert "\n" not in str(error.value)
