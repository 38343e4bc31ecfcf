"""The rules of closed-hand Chinese Poker again, slow and plain, for tests of the fast ones.

Nothing here is shared with the package: cards are text ("As", "Td"), strengths are tuples, and a
board is its three parts, (back, middle, front).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = [rank + suit for rank in RANKS for suit in SUITS]
HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

# What the winner of more parts gets in addition (4-2), or the winner of all of them (1-6).
BONUS = {"4-2": 1, "1-6": 3}
FRONT_ROYALTIES = {TRIPS: 3}
MIDDLE_ROYALTIES = {FULL_HOUSE: 2, QUADS: 8, STRAIGHT_FLUSH: 10}
BACK_ROYALTIES = {QUADS: 4, STRAIGHT_FLUSH: 5}

NO_NATURAL, THREE_FLUSHES, THREE_STRAIGHTS, SIX_PAIRS, DRAGON = range(5)

Part = tuple[str, ...]
Board = tuple[Part, Part, Part]
Strength = tuple[int, ...]


def is_flush(cards: Sequence[str]) -> bool:
    """Whether all the cards, three or five, are of one suit."""
    return len({card[1] for card in cards}) == 1


def is_straight(cards: Sequence[str]) -> bool:
    """Whether the ranks, three or five, follow each other, the ace as the lowest or highest."""
    around = "A" + RANKS
    runs = [set(around[i : i + len(cards)]) for i in range(len(around) - len(cards) + 1)]
    return {card[0] for card in cards} in runs


def by_count(cards: Sequence[str]) -> tuple[list[int], list[int]]:
    """The different ranks and how often each is there: most frequent first, then highest first."""
    counts = Counter(RANKS.index(card[0]) for card in cards)
    ranks = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    return ranks, [counts[rank] for rank in ranks]


def five(cards: Sequence[str]) -> Strength:
    """The strength of a back or middle: its category, then the ranks that tell it from others."""
    assert len(set(cards)) == 5
    ranks, counts = by_count(cards)
    if is_straight(cards):
        top = RANKS.index("5") if {card[0] for card in cards} == set("A2345") else ranks[0]
        return (STRAIGHT_FLUSH if is_flush(cards) else STRAIGHT, top)
    if is_flush(cards):
        return (FLUSH, *ranks)
    if counts == [4, 1]:
        return (QUADS, ranks[0])
    if counts == [3, 2]:
        return (FULL_HOUSE, ranks[0])
    if counts == [3, 1, 1]:
        return (TRIPS, ranks[0])
    if counts == [2, 2, 1]:
        return (TWO_PAIR, *ranks)
    if counts == [2, 1, 1, 1]:
        return (PAIR, *ranks)
    return (HIGH, *ranks)


def front(cards: Sequence[str]) -> Strength:
    """The strength of a front, where straights and flushes are nothing."""
    assert len(set(cards)) == 3
    ranks, counts = by_count(cards)
    if counts == [3]:
        return (TRIPS, ranks[0])
    if counts == [2, 1]:
        return (PAIR, *ranks)
    return (HIGH, *ranks)


def strengths(board: Board) -> tuple[Strength, Strength, Strength]:
    """The strengths of back, middle and front."""
    return five(board[0]), five(board[1]), front(board[2])


def legal(board: Board) -> bool:
    """Whether the board is no foul."""
    back, middle, front_ = strengths(board)
    return back >= middle >= front_


def splits(cards: Sequence[str], size: int) -> Iterator[tuple[Part, Part]]:
    """All ways to take `size` cards: those taken and those left."""
    for taken in combinations(cards, size):
        yield taken, tuple(card for card in cards if card not in taken)


def boards(hand: Sequence[str]) -> Iterator[Board]:
    """All 72,072 boards of a hand, fouls too."""
    assert len(hand) == len(set(hand)) == 13
    for back, others in splits(hand, 5):
        for middle, front_ in splits(others, 5):
            yield back, middle, front_


def natural(hand: Sequence[str]) -> int:
    """The highest natural of the hand, 0 for none."""
    assert len(hand) == len(set(hand)) == 13

    def three(good: Callable[[Sequence[str]], bool]) -> bool:
        """Whether some board is good in all its parts."""
        return any(
            good(middle) and good(front_)
            for back, others in splits(hand, 5)
            if good(back)
            for middle, front_ in splits(others, 5)
        )

    counts = Counter(card[0] for card in hand)
    if len(counts) == 13:
        return DRAGON
    if sum(count // 2 for count in counts.values()) == 6:
        return SIX_PAIRS
    if three(is_straight):
        return THREE_STRAIGHTS
    if three(is_flush):
        return THREE_FLUSHES
    return NO_NATURAL


def compare(board: Board, other: Board) -> list[int]:
    """Part by part, 1 where `board` wins, -1 where it loses, 0 for a tie."""
    if legal(board) != legal(other):
        return [1, 1, 1] if legal(board) else [-1, -1, -1]
    if not legal(board):
        return [0, 0, 0]
    pairs = zip(strengths(board), strengths(other), strict=True)
    return [(own > theirs) - (own < theirs) for own, theirs in pairs]


def points(parts: list[int], rules: str) -> int:
    """What the parts are worth, with the bonus."""
    won, lost = parts.count(1), parts.count(-1)
    if rules == "4-2":
        ahead, behind = won > lost, lost > won
    else:
        ahead, behind = won == 3, lost == 3
    return won - lost + BONUS[rules] * (ahead - behind)


def royalty(board: Board) -> int:
    """What every opponent pays for the board itself."""
    if not legal(board):
        return 0
    back, middle, front_ = strengths(board)
    return (
        BACK_ROYALTIES.get(back[0], 0)
        + MIDDLE_ROYALTIES.get(middle[0], 0)
        + FRONT_ROYALTIES.get(front_[0], 0)
    )


def score(
    boards: Sequence[Board],
    rules: str = "4-2",
    fouls: bool = False,
    royalties: bool = False,
    naturals: bool = False,
) -> list[float]:
    """Every player's payoff.

    Raises:
        ValueError: a board is a foul, and the rules know none.
    """
    if not fouls and not all(legal(board) for board in boards):
        raise ValueError("a board is illegal: it needs back >= middle >= front")
    kinds = [0] * len(boards)
    if naturals:
        kinds = [natural([card for part in board for card in part]) for board in boards]
    payoffs = [0.0] * len(boards)
    for i, j in combinations(range(len(boards)), 2):
        if kinds[i] or kinds[j]:
            sign = (kinds[i] > kinds[j]) - (kinds[i] < kinds[j])
            won = points([sign] * 3, rules)
        else:
            won = points(compare(boards[i], boards[j]), rules)
            if royalties:
                won += royalty(boards[i]) - royalty(boards[j])
        payoffs[i] += won
        payoffs[j] -= won
    return payoffs
