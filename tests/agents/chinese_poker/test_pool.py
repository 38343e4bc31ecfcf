"""Pools of hands, and random hands."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from support_pools import GAME, NASTY, dealt, opponents_of

from closedhand.agents.chinese_poker import counter, pool as pools, separable, training

EVEN = training.even()


@pytest.mark.slow
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


@pytest.mark.slow
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
