"""Chinese Poker: our vector env beside a loop over the fastest public evaluator, and our search.

No package on PyPI plays closed-hand Chinese Poker: what stands beside our env is the loop that one
would write with phevaluator, whose evaluation of five cards is compiled. Every function returns a
rate per second of CPU time on one core, as in `doudizhu`.
"""

from bisect import bisect_left
from functools import lru_cache

import numpy as np

from closedhand import make_game
from closedhand.agents.chinese_poker import counter, pool, separable
from closedhand.arena import speed
from closedhand.arena.speed import rate
from closedhand.core import contract
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.games.chinese_poker import plays
from closedhand.games.chinese_poker.rules import strengths


def vector_hands(seconds: float) -> float:
    """Measure hands a second of the VectorEnv, 1,024 games: dealt, set at random in sub-steps."""
    from closedhand.envs.vector import GameVectorEnv

    env = GameVectorEnv(
        "chinese_poker", num_envs=1024, substeps=True, autoreset_mode="SameStep", reward="seats"
    )
    # Two steps set a hand.
    return speed.vector_steps(env, seconds) / 2


@kernel
def _random_games(rules, states, rng, ids, points):
    """Deal a game in each state, set every hand at random until it is in order, and score."""
    for i in range(len(states)):
        contract.deal(rules, states[i], seed_in_kernel(rng))
        while not contract.over(rules, states[i]):
            action = np.int64(rng.random() * plays.ARRANGEMENTS)
            if contract.is_legal(rules, states[i], action, ids):
                contract.play(rules, states[i], action)
        contract.returns(rules, states[i], points)


def kernel_hands(seconds: float) -> float:
    """Measure hands a second in a kernel: dealt, set at random as the loop does, scored."""
    game = make_game("chinese_poker")
    rng = np.random.default_rng(0)
    states, points = game.empty(1000), np.zeros(2)
    ids = np.empty(0, np.int32)  # this game tells what is legal without a list

    def work() -> int:
        _random_games(game.rules, states, rng, ids, points)
        return 2 * len(states)

    return rate(work, seconds)


@lru_cache
def _floors() -> dict[tuple[int, ...], int]:
    """Map every front to the weakest middle that it allows, as phevaluator ranks: 1 is the best."""
    from phevaluator import evaluate_cards

    suits = "cdhsc"
    ranks = []
    for key in plays.keys(5):
        category, *main = key
        if category > plays.TRIPS:
            break
        counts = {plays.PAIR: [2], plays.TWO_PAIR: [2, 2], plays.TRIPS: [3]}.get(category, [])
        others = [rank for rank in range(13) if rank not in main]
        cards = [rank for rank, n in zip(main, counts + [1] * 5, strict=False) for _ in range(n)]
        cards += others[: 5 - len(cards)]
        ranks.append(
            evaluate_cards(*(plays.RANKS[r] + s for r, s in zip(cards, suits, strict=True)))
        )
    return {
        key: ranks[min(bisect_left(plays.keys(5), key), len(ranks) - 1)] for key in plays.keys(3)
    }


def phevaluator_hands(seconds: float) -> float:
    """Measure hands a second of a loop: shuffle, split at random until in order, compare."""
    from phevaluator import evaluate_cards

    rng = np.random.default_rng(0)
    deck = np.array(plays.CARDS)
    fronts = {
        frozenset(cards): plays.key(tuple(plays.RANKS.index(card[0]) for card in cards), False)
        for cards in _threes()
    }
    floors = _floors()

    def set_hand(hand: list[str]) -> tuple[int, int, tuple[int, ...]]:
        while True:
            order = [hand[i] for i in rng.permutation(13)]
            back, middle = evaluate_cards(*order[:5]), evaluate_cards(*order[5:10])
            front = fronts[frozenset(order[10:])]
            if back <= middle <= floors[front]:
                return back, middle, front

    def work() -> int:
        for _ in range(100):
            cards = list(deck[rng.permutation(52)[:26]])
            one, two = set_hand(cards[:13]), set_hand(cards[13:])
            won = (one[0] < two[0]) - (one[0] > two[0]) + (one[1] < two[1]) - (one[1] > two[1])
            won += (one[2] > two[2]) - (one[2] < two[2])
            won += (won > 0) - (won < 0)
        return 200

    return rate(work, seconds)


def _threes() -> list[tuple[str, str, str]]:
    from itertools import combinations

    return list(combinations(plays.CARDS, 3))


def arrangements(seconds: float) -> float:
    """Measure hands a second that the separable strategy sets."""
    rules, win = make_game("chinese_poker").rules, separable.shipped().win
    hands = pool.random_hands(np.random.default_rng(0), 500)[:, 0]
    actions = np.empty(len(hands), np.int32)

    def work() -> int:
        separable.best_of_each(rules, win, hands, actions)
        return len(hands)

    return rate(work, seconds)


def best_responses(seconds: float) -> float:
    """Measure best responses a second against a pool of 800,000 hands: 10,200 opponents each."""
    rules, win = make_game("chinese_poker").rules, separable.shipped().win
    opponents = _pool()
    hands = pool.random_hands(np.random.default_rng(0), 100)[:, 0]
    actions = np.empty(len(hands), np.int32)

    def work() -> int:
        counter.respond_to_each(rules, opponents, win, np.inf, hands, actions)
        return len(hands)

    return rate(work, seconds)


@lru_cache
def _pool() -> pool.Pool:
    rules, win = make_game("chinese_poker").rules, separable.shipped().win
    hands = pool.random_hands(np.random.default_rng(1), 800_000)[:, 0]
    return pool.build(
        hands, pool.set_hands(rules, lambda some: separable.arrange(rules, win, some), hands)
    )


@kernel
def _evaluate_all(rules, hands, fives, threes):
    for i in range(len(hands)):
        strengths(rules, hands[i], fives, threes)


def evaluations(seconds: float) -> float:
    """Measure evaluations a second of five and three cards, all 1,573 of a hand of thirteen."""
    rules = make_game("chinese_poker").rules
    hands = pool.random_hands(np.random.default_rng(0), 1000)[:, 0]
    fives, threes = np.empty(plays.FIVES, np.int16), np.empty(plays.THREES, np.int16)

    def work() -> int:
        _evaluate_all(rules, hands, fives, threes)
        return len(hands) * (plays.FIVES + plays.THREES)

    return rate(work, seconds)


RATIOS = (
    (
        "Chinese Poker: hands dealt, set at random and scored, in a kernel",
        kernel_hands,
        "hands/s",
        "a loop over `phevaluator`",
        phevaluator_hands,
        None,
    ),
    (
        "the same by the VectorEnv, 1,024 games, sub-steps, planes and masks",
        vector_hands,
        "hands/s",
        "a loop over `phevaluator`",
        phevaluator_hands,
        None,
    ),
)
"""As in `doudizhu`."""

RATES = (
    ("Chinese Poker: hands set by the separable strategy", arrangements, "hands/s"),
    ("best responses to 10,200 opponents", best_responses, "hands/s"),
    ("hands of five and three cards evaluated", evaluations, "hands/s"),
)
