"""The features of the pattern policy against a plain restatement, and sums of differences."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from support_daihinmin import EXCHANGE, TABLE, wild

from closedhand import Game, make_game
from closedhand.agents.daihinmin.policy import critic, pattern_policy, patterns as p
from closedhand.agents.daihinmin.policy.shared import answers, options, seen_cards_of
from closedhand.agents.daihinmin.policy.situation import situation_of
from closedhand.core.game import State
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.notation import parse_cards
from closedhand.games.daihinmin.plays import EIGHT, FIRST_KAIDAN, JOKER, PASS, SPADE_THREE

Cards = set[int]


def cards_of(bits: Any) -> Cards:
    return {card for card in range(53) if int(bits) >> card & 1}


def order(revolution: int) -> list[int]:
    """The ranks by slot."""
    ranks = [rank for rank in range(13) if rank != EIGHT]
    return [*(ranks[::-1] if revolution else ranks), EIGHT]


def counts(cards: Cards, revolution: int) -> dict[int, int]:
    """The number of cards of each slot that has any."""
    slots = Counter(13 if card == JOKER else order(revolution).index(card // 4) for card in cards)
    return dict(slots)


def unseen(state: State) -> Cards:
    played = set[int]().union(*(cards_of(cards) for cards in state.played))
    return set(range(53)) - played - cards_of(state.hands[state.player])


def size_class(left: int) -> int:
    return [0, 0, 1, 2, 3, 4, 4][left] if left < 7 else 5


def runs(cards: Cards) -> list[tuple[int, int, int]]:
    """The longest runs of three or more: suit, lowest rank, highest rank."""
    found = []
    for suit in range(4):
        have = [4 * rank + suit in cards - {JOKER} for rank in range(13)] + [False]
        for low in range(13):
            if have[low] and not (low and have[low - 1]):
                high = have.index(False, low) - 1
                found += [(suit, low, high)] if high - low >= 2 else []
    return found


def form(own: Cards, others: Cards, revolution: int) -> tuple[int, int]:
    """Numbers of weak and strong sets: all runs are one weak set; joker and 8s are strong."""
    in_runs = {4 * rank + suit for suit, low, high in runs(own) for rank in range(low, high + 1)}
    weak, strong = int(bool(in_runs)), int(JOKER in own)
    for rank in range(13):
        size = sum(card // 4 == rank for card in own - in_runs - {JOKER})
        have = [r for r in range(13) if sum(c // 4 == r for c in others - {JOKER}) >= size]
        above = any(r < rank if revolution else r > rank for r in have)
        if size and (rank == EIGHT or not above):
            strong += 1
        elif size:
            weak += 1
    return min(weak, 6), min(strong, 4)


def pairs(own: dict[int, int], first: int) -> Counter[int]:
    ones = sorted(4 * slot + number - 1 for slot, number in own.items())
    return Counter(first + one * 56 + other for one, other in combinations(ones, 2))


def ranks(own: dict[int, int], others: dict[int, int], first: int) -> Counter[int]:
    return Counter(
        first + (4 * slot + number - 1) * 5 + others.get(slot, 0) for slot, number in own.items()
    )


def plain(own: dict[int, int], first: int) -> Counter[int]:
    return Counter(first + 4 * slot + number - 1 for slot, number in own.items())


def answering(play: int, others: Cards, lock: int, revolution: int) -> int:
    """Number of ranks, or kaidan, of the others that beat a play, at most 6."""
    if play == JOKER:
        return int(SPADE_THREE in others)
    cards = {c for c in others - {JOKER} if not lock or lock >> c % 4 & 1}
    low, high, length = (int(TABLE[name][play]) for name in ("low", "high", "length"))
    cards = {c for c in cards if (c // 4 < low if revolution else c // 4 > high)}
    joker = int(JOKER in others)
    if TABLE.family[play] < 4:
        return min(
            6, sum(sum(c // 4 == r for c in cards) > TABLE.family[play] for r in range(13)) + joker
        )
    if TABLE.family[play] < FIRST_KAIDAN:
        return min(6, joker)
    steps = range(length - joker)
    return min(6, sum(all(4 * k + c in cards for k in steps) for c in range(52)))


def features(game: Game, state: State, action: int, number: int) -> Counter[int]:
    """The features of an action, each with its sign, as the sections of `patterns` say."""
    player, revolution = int(state.player), int(state.revolution)
    hand, others = cards_of(state.hands[player]), unseen(state)
    left = len(hand)
    stage = sum(left > most for most in (2, 4, 7))
    early, follow = int(left > 5), int(state.target >= 0)
    live = [i for i in range(5) if i != player and state.places[i] < 0]
    after = [int(state.next[player])]
    while len(after) < 5:
        after.append(int(state.next[after[-1]]))
    active = [i for i in after if i in live and not state.passed >> i & 1]
    least = size_class(min((int(state.left[i]) for i in live), default=20))
    players = 3 - int(state.out)
    owner = size_class(int(state.left[state.owner]))
    own, away = counts(hand, revolution), counts(others, revolution)
    kind_of = lambda play: (  # noqa: E731
        min(int(TABLE.family[play]), 3)
        if TABLE.family[play] < FIRST_KAIDAN
        else min(int(TABLE.family[play]) - 1, 6)
    )

    def slot_of(play: int) -> int:
        rank = int(TABLE.high[play] if revolution else TABLE.low[play])
        return 13 if play == JOKER else order(revolution).index(min(max(rank, 0), 12))

    if action == PASS:
        kind, slot = kind_of(state.target), slot_of(state.target)
        target = kind * 14 + slot
        weak, strong = form(hand, others, revolution)
        mine = int(state.owner == player)
        found = plain(own, p.PASS_REST + (target * 2 + early) * 56)
        found += plain(away, p.PASS_OTHERS + (target * 2 + early) * 56)
        found[p.PASSING + (target * 4 + stage) * 2 + int(state.lock > 0)] += 1
        found[p.PASS_SIZES + (size_class(left) * 6 + owner) * 6 + least] += 1
        found[p.PASS_FORM + (kind * 7 + weak) * 5 + strong] += 1
        found[p.PASS_TABLE + (len(active) * 4 + players) * 2 + mine] += 1
        found[p.CHOICE + min(max(number - 2, 0), 3) * 4 + stage] += 1
        return found
    rest = hand - cards_of(TABLE.need[action])
    kind, slot = kind_of(action), slot_of(action)
    play = (follow * 7 + kind) * 14 + slot
    starts = follow and TABLE.suits[action] == TABLE.suits[state.target] and action != JOKER
    lock = 0 if action == JOKER else int(state.lock) or (int(TABLE.suits[action]) if starts else 0)
    locked = 0 if not lock else 2 if state.lock else 1
    then = revolution ^ int(TABLE.revolts[action])
    beating = answering(action, others, lock, then)
    most = max((int(state.left[i]) for i in active), default=0)
    if most < TABLE.length[action] or state.target == JOKER:
        beating = 0
    sure = int(beating == 0 or TABLE.eight[action])
    way = sure * 2 + follow
    own_then, away_then = counts(rest, then), counts(others, then)
    found = Counter[int]()
    first = p.RANK + (way * 4 + stage) * 280
    found.update(ranks(own_then, away_then, first))
    found.subtract(ranks(own, away, first))
    first = p.PAIR + (sure * 2 + early) * 3136
    found.update(pairs(own_then, first))
    found.subtract(pairs(own, first))
    found.update(plain(own_then, p.REST + (play * 2 + early) * 56))
    found.update(plain(away, p.OTHERS + (play * 2 + early) * 56))
    for s, size in own_then.items():
        beats = sum(n >= size for other, n in away_then.items() if s < 12 and other > s)
        if s != 13:
            found[p.SETS + (way * 4 + stage) * 32 + (size - 1) * 8 + min(beats, 7)] += 1
    for _, low, high in runs(rest):
        lowest = order(then).index(high if then else low)
        found[p.LEFT_RUN + (sure * 4 + min(high - low - 2, 3)) * 14 + lowest] += 1
    if TABLE.family[action] < FIRST_KAIDAN and action != JOKER:
        first = p.SUIT + (((follow + locked) * 3 + min(kind, 2)) * 14 + slot) * 28
        for whose, cards in enumerate((rest, others)):
            for card in cards - {JOKER}:
                if TABLE.suits[action] >> card % 4 & 1:
                    found[first + order(revolution).index(card // 4) * 2 + whose] += 1
    weak, strong = form(rest, others, then)
    found[p.LEFT_SIZE + (play * 6 + size_class(len(rest))) * 6 + least] += 1
    following = size_class(int(state.left[active[0]])) if active else 5
    found[p.NEXT + play * 6 + following] += 1
    found[p.TABLE + (play * 5 + len(active)) * 4 + players] += 1
    found[p.BEATERS + (((follow * 7 + kind) * 7 + beating) * 3 + locked) * 4 + stage] += 1
    found[p.FORM + (((way * 7 + weak) * 5 + strong) * 6 + least) * 4 + players] += 1
    found[p.PLAY_FORM + (play * 7 + weak) * 5 + strong] += 1
    if follow:
        found[p.OWNER + (kind * 14 + slot) * 6 + owner] += 1
        found[p.OVER_OWN + kind] += int(state.owner == player)
    if JOKER in cards_of(TABLE.need[action]):
        found[p.WITH_JOKER + (kind * 4 + stage) * 2 + int(SPADE_THREE in others)] += 1
    if TABLE.eight[action]:
        found[p.WITH_EIGHT + (follow * 7 + kind) * 4 + stage] += 1
    if then != revolution:
        found[p.TURNING + (form(rest, others, revolution)[0] * 7 + weak) * 5 + strong] += 1
    if kind < 4 and action != JOKER:
        behind = min(counts(rest, revolution).get(slot, 0), 3)
        found[p.SPLIT + ((follow * 14 + slot) * 4 + own[slot] - 1) * 4 + behind] += 1
        in_runs = {4 * r + suit for suit, low, high in runs(hand) for r in range(low, high + 1)}
        torn = in_runs & cards_of(TABLE.need[action])
        found[p.TORN + (follow * 4 + kind) * 14 + slot] += int(bool(torn))
    return found


def gift_features(state: State, card: int) -> Counter[int]:
    pair = int(state.moves >= 2)
    whole = cards_of(state.hands[state.player])
    hand = whole - cards_of(state.returned[pair])
    rest = hand - {card}
    own = counts(hand, 0)
    slot = 13 if card == JOKER else order(0).index(card // 4)
    weak, strong = form(rest, unseen(state), 0)
    in_runs = {4 * r + suit for suit, low, high in runs(whole) for r in range(low, high + 1)}
    found = pairs(counts(rest, 0), p.GIFT_PAIR)
    found.subtract(pairs(own, p.GIFT_PAIR))
    found[p.GIFT + pair * 53 + card] += 1
    found[p.GIFT_RANK + (pair * 14 + slot) * 4 + own[slot] - 1] += 1
    found[p.GIFT_FORM + weak * 5 + strong] += 1
    found[p.GIFT_TORN + int(card in in_runs)] += 1
    return found


def expected_features(game: Game, state: State, action: int, number: int) -> Counter[int]:
    if state.leader < 0:
        return gift_features(state, action)
    return features(game, state, action, number)


@kernel
def described(rules, state, action, number, out):
    if state.leader < 0:
        return p.describe_gift(state, seen_cards_of(state), action, out)
    return p.describe(rules, state, situation_of(rules, state), action, number, out)


def nonzero(found: Counter[int]) -> dict[int, int]:
    return {feature: number for feature, number in found.items() if number}


@pytest.mark.slow
def test_features_are_those_of_a_plain_restatement() -> None:
    """Also the joker, revolutions, locks and the exchange; differences add up to full sums."""
    game = make_game("daihinmin", **EXCHANGE)
    out = np.zeros((2, p.MOST_FEATURES), np.int32)
    rng = np.random.default_rng(1)
    seen, turned = set[int](), 0
    for state in wild(game, 1, 6):
        actions = game.legal(state).tolist()
        idle = state.leader >= 0 and state.target < 0
        actions = [each for each in actions if not (idle and each == PASS)]
        turned += int(state.revolution)
        for action in rng.permutation(actions)[:3].tolist():
            numbers = described(game.rules, state, action, len(actions), out)
            expected = expected_features(game, state, action, len(actions))
            assert max(numbers) < p.MOST_FEATURES
            found = Counter(out[0, : numbers[0]].tolist())
            found.subtract(out[1, : numbers[1]].tolist())
            assert nonzero(found) == nonzero(expected), game.text(action, state)
            assert min(found) >= 0 and max(found) < p.FEATURES
            seen.update(found)
    assert turned > 20 and len(seen) > 1000


def test_no_run_beats_five_of_a_rank() -> None:
    game, run = make_game("daihinmin"), np.uint64(parse_cards("9cTcJcQcKcAc"))
    five = next(play for play in range(PASS) if game.rules.plays.family[play] == FIRST_KAIDAN - 1)
    assert answers(game.rules, run, five, 0) == 0


def test_logits_are_sums_over_whole_hands() -> None:
    """What is summed by differences is the difference of sums over whole hands."""
    game = make_game("daihinmin", **EXCHANGE)
    weights = np.random.default_rng(4).normal(size=p.FEATURES).astype(np.float32)
    policy = pattern_policy.policy_of(weights)
    for state in wild(game, 4, 1):
        ids = game.legal(state).astype(np.int32)
        n = options(game.rules, state, ids)
        logits = pattern_policy.logits_of(policy, game.rules, state, ids, n)
        for action, logit in list(zip(ids[:n].tolist(), logits, strict=True))[:2]:
            found = expected_features(game, state, action, n)
            expected = sum(number * float(weights[feature]) for feature, number in found.items())
            assert abs(logit - expected) < 1e-4


def test_the_critic_has_few_features_of_its_own() -> None:
    game = make_game("daihinmin", **EXCHANGE)
    out = np.zeros(critic.MOST_REASONS, np.int32)
    for state in wild(game, 3, 2):
        number = critic.reasons(game.rules, state, out)
        assert 3 <= number < critic.MOST_REASONS
        assert len(set(out[:number].tolist())) == number
        assert out[:number].min() >= p.FEATURES and out[:number].max() < critic.WEIGHTS
