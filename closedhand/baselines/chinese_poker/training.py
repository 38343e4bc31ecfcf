"""Training the tables of the separable strategy.

Each cycle deals hands, sets them by the tables so far and counts how often every strength of every
part would win against that play: a counter-table. The tables then move towards it.

- `blog`, as the blog post did: hands from the full deck, ties count as wins, half and half.
- `fictitious`: the opponent is dealt from the cards that a hand leaves, so that holding a strength
  says what it takes out of the deck; a tie is half a win; cycle k of n weighs k, as in fictitious
  play that forgets its beginnings. Weights of strengths that hardly occur are smoothed by isotonic
  regression.
"""

from dataclasses import dataclass, field

import numpy as np

from closedhand.baselines.chinese_poker.pool import random_hands
from closedhand.baselines.chinese_poker.separable import arrange
from closedhand.games.chinese_poker.plays import (
    BACK,
    FIVES,
    FRONT,
    MIDDLE,
    PARTS,
    STRENGTHS,
    THREES,
)
from closedhand.games.chinese_poker.rules import Rules, evaluate, strengths
from closedhand.games.kernel import kernel


def naive() -> np.ndarray:
    """Tables to start from: a chance to win that rises evenly with the strength."""
    win = np.zeros((len(PARTS), max(STRENGTHS)))
    for part, number in enumerate(STRENGTHS):
        win[part, :number] = (np.arange(number) + 0.5) / number
    return win


@kernel
def count_played(rules, hands, actions, counts):
    """Count the strengths of arranged hands, by part."""
    parts = np.empty(len(PARTS), np.int64)
    for i in range(len(hands)):
        evaluate(rules, hands[i], actions[i], parts)
        for part in range(len(PARTS)):
            counts[part, parts[part]] += 1


@kernel
def count_wins(rules, hands, others, actions, wins, held):
    """For every strength that a hand holds, how often it holds it and beats the other's part.

    `others` are set by `actions`. A tie is half a win. All sets of five cards count in the middle
    and in the back, all sets of three in the front.
    """
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    parts = np.empty(len(PARTS), np.int64)
    for i in range(len(hands)):
        evaluate(rules, others[i], actions[i], parts)
        strengths(rules, hands[i], fives, threes)
        for strength in threes:
            held[FRONT, strength] += 1
            wins[FRONT, strength] += 0.5 + 0.5 * np.sign(strength - parts[FRONT])
        for strength in fives:
            held[BACK, strength] += 1
            wins[MIDDLE, strength] += 0.5 + 0.5 * np.sign(strength - parts[MIDDLE])
            wins[BACK, strength] += 0.5 + 0.5 * np.sign(strength - parts[BACK])


def blog_cycle(rules: Rules, win: np.ndarray, rng: np.random.Generator, hands: int) -> np.ndarray:
    """The counter-table of the blog: chances to win or tie against hands of the full deck."""
    dealt = random_hands(rng, hands)[:, 0]
    counts = np.zeros_like(win)
    count_played(rules, dealt, arrange(rules, win, dealt), counts)
    return np.cumsum(counts, axis=1) / hands


def conditional_cycle(
    rules: Rules, win: np.ndarray, rng: np.random.Generator, hands: int
) -> np.ndarray:
    """The counter-table against hands dealt from the cards that one's own hand leaves."""
    from scipy.optimize import isotonic_regression

    dealt = random_hands(rng, hands, players=2)
    others = np.ascontiguousarray(dealt[:, 1])
    actions = arrange(rules, win, others)
    wins, held = np.zeros_like(win), np.zeros_like(win)
    count_wins(rules, dealt[:, 0], others, actions, wins, held)
    held[MIDDLE] = held[BACK]
    counter = np.zeros_like(win)
    for part, number in enumerate(STRENGTHS):
        seen = held[part, :number] > 0
        chances = wins[part, :number][seen] / held[part, :number][seen]
        smooth = isotonic_regression(chances, weights=held[part, :number][seen]).x
        # A strength that never occurred has the chance of its neighbours.
        counter[part, :number] = np.interp(np.arange(number), np.flatnonzero(seen), smooth)
    return counter


METHODS = {"blog": blog_cycle, "fictitious": conditional_cycle}


@dataclass
class Training:
    """Tables in training.

    Attributes:
        rules: Of the game.
        method: `blog` or `fictitious`.
        hands: Dealt in a cycle.
        seed: Of the deals.
        cycles: Done so far.
        win: Chances to win as they stand.
    """

    rules: Rules
    method: str
    hands: int
    seed: int = 0
    cycles: int = 0
    win: np.ndarray = field(default_factory=naive)

    def cycle(self) -> None:
        """Do one cycle."""
        rng = np.random.default_rng((self.seed, self.cycles))
        counter = METHODS[self.method](self.rules, self.win, rng, self.hands)
        self.cycles += 1
        share = 0.5 if self.method == "blog" else 2 / (self.cycles + 1)
        self.win = np.clip((1 - share) * self.win + share * counter, 0, 1)
