"""A pool of arranged hands: what the opponents of a hand hold, and how they set it.

Given a hand, those hands of a pool that share no card with it are a sample of exactly what an
opponent may hold: about one in 78. A bit for every card and hand of the pool finds them quickly.
"""

from typing import NamedTuple

import numpy as np

from closedhand.games.chinese_poker.plays import HAND, PARTS
from closedhand.games.chinese_poker.rules import DECK, Rules, evaluate, take
from closedhand.games.kernel import kernel

WORD = 64
BLOCK = 512
"""Words that are looked at together: they stay in the nearest cache."""


class Pool(NamedTuple):
    """Arranged hands.

    Attributes:
        parts: Strengths, int16 [n, 4], by part (front, middle, back); the fourth is not used.
        holds: Uint64 [52, n / 64]: bit i of word w says whether hand 64 w + i holds the card.
    """

    parts: np.ndarray
    holds: np.ndarray

    def __len__(self) -> int:
        return len(self.parts)


@kernel
def deal_hands(rng, hands):
    """Deal `hands`, int8 [n, players, 13]: for each n from a full deck; cards high to low."""
    deck = np.arange(DECK)
    cards = np.empty(HAND, np.int64)
    for i in range(len(hands)):
        for k in range(hands.shape[1] * HAND):
            j = k + np.int64(rng.random() * (DECK - k))
            deck[k], deck[j] = deck[j], deck[k]
        for player in range(hands.shape[1]):
            cards[:] = deck[player * HAND : (player + 1) * HAND]
            take(cards, hands[i, player])


def random_hands(rng: np.random.Generator, number: int, players: int = 1) -> np.ndarray:
    """Random hands, int8 [number, players, 13], the players' from one deck; cards high to low."""
    hands = np.empty((number, players, HAND), np.int8)
    deal_hands(rng, hands)
    return hands


@kernel
def fill(rules, hands, arrangements, parts, holds):
    """Write strengths and holdings of arranged hands; as many as fill whole words."""
    strengths = np.empty(len(PARTS), np.int64)
    for i in range(len(hands)):
        evaluate(rules, hands[i], arrangements[i], strengths)
        for part in range(len(PARTS)):
            parts[i, part] = strengths[part]
        bit = np.uint64(1) << np.uint64(i % WORD)
        for card in hands[i]:
            holds[card, i // WORD] |= bit


def build(rules: Rules, hands: np.ndarray, arrangements: np.ndarray) -> Pool:
    """The pool of arranged hands.

    Args:
        rules: Of the game.
        hands: Int8 [n, 13].
        arrangements: Of each, integers [n].
    """
    parts = np.zeros((len(hands), 4), np.int16)
    # Hands that only fill up the last word hold every card: they are nobody's opponents.
    words = -(-len(hands) // WORD)
    holds = np.zeros((DECK, words), np.uint64)
    if len(hands) % WORD:
        holds[:, -1] = ~np.uint64(0) << np.uint64(len(hands) % WORD)
    fill(rules, hands, arrangements, parts, holds)
    return Pool(parts, holds)


@kernel
def opponents(pool, hand, found):
    """Write the numbers of the pool's hands that share no card with `hand`; return how many."""
    holds = pool.holds
    taken = np.empty(BLOCK, np.uint64)
    n = 0
    for start in range(0, holds.shape[1], BLOCK):
        size = min(BLOCK, holds.shape[1] - start)
        taken[:] = 0
        for card in hand:
            for word in range(size):
                taken[word] |= holds[card, start + word]
        for word in range(size):
            free = ~taken[word]
            while free:
                rest = free & (free - np.uint64(1))
                # The place of the lowest bit is the number of zeros below it.
                found[n] = WORD * (start + word) + ones((free ^ rest) - np.uint64(1))
                n += 1
                free = rest
    return n


@kernel
def ones(bits):
    """How many bits of a uint64 are set; compiles to one instruction."""
    number = 0
    while bits:
        bits &= bits - np.uint64(1)
        number += 1
    return number
