"""Hands taken apart, against every way to do so."""

from collections import Counter
from functools import cache

import numpy as np
from support_doudizhu import costs_against

from closedhand.agents.doudizhu.decompose import partition
from closedhand.games.doudizhu.counts import DECK, RANKS, one, pack, unpack


def least_cost(hand: str, costs: np.ndarray) -> int:
    """The cost of a hand by trying every chain that starts at its lowest rank, or none."""

    @cache
    def search_from(cards: tuple[int, ...], first: int, kickers: int) -> int:
        if first == 12:
            packed = sum(int(number) << 4 * rank for rank, number in enumerate(cards))
            return int(partition.loose_cost(np.uint64(packed), kickers, costs))
        best = search_from(cards, first + 1, kickers)
        for copies, shortest in ((1, 5), (2, 3), (3, 2)):
            rest = list(cards)
            for rank in range(first, 12):
                if rest[rank] < copies:
                    break
                rest[rank] -= copies
                length = rank - first + 1
                if length >= shortest:
                    more = length if copies == 3 else 0
                    spent = int(costs[partition.CHAIN, rank])
                    best = min(best, spent + search_from(tuple(rest), first, kickers + more))
        return best

    held = Counter(hand)
    return search_from(tuple(held[rank] for rank in RANKS), 0, 0)


def test_a_hand_is_taken_apart_in_the_cheapest_way() -> None:
    nodes = np.empty(partition.MOST_NODES, partition.NODE)
    rng = np.random.default_rng(1)
    chains = 0
    for _ in range(300):
        cards = rng.permutation(list(unpack(int(DECK))))
        hand, costs = "".join(cards[:20]), costs_against("".join(cards[20:]))
        spent, found, rest, _ = partition.partition(pack(hand), costs, nodes)
        assert spent == least_cost(hand, costs)
        found = int(found)
        while found:
            copies, first, length = found & 3, found >> 2 & 15, found >> 6 & 15
            for rank in range(first, first + length):
                rest += np.uint64(copies) * one(rank)
            found >>= partition.CHAIN_BITS
            chains += 1
        assert rest == pack(hand)
    assert chains > 300
