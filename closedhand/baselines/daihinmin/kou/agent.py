"""The agent `kou`: the heuristics of UECda-2014's light champion, as described in its paper.

It divides its hand into plays (`division.py`) and estimates how likely each is to end its trick
(`strength.py`). It leads its weakest ranks first and follows where this does not weaken its hand,
until all but one of its plays are strong; then it plays the strong ones. Where the paper is silent,
or kou's descendant differs from it, these choices play best:

- A play that leaves a **winning form** is preferred to all others. Every legal play is considered,
  so the joker may complete a set. After a revolution the remaining hand is evaluated in the new
  order of ranks.
- The strongest card is kept out of groups only if it is strong; no kaidan includes the 2.
- A strong play is held back if it weakens the hand by two or more. It is also held back if four or
  more plays with a weakness of five or more remain, unless it is an 8 and all others are singles,
  or at most one player can answer. A play that does not weaken the hand is preferred to a strong
  one that does.
- Over its own trick, when nobody can answer, it sheds plays that are not strong.
- Players who passed, or hold too few cards, cannot answer; under a lock only its suits count.
- Weak leads are ordered by "20 + 2 rank" counted from the strongest, as "usually the weakest will
  be played".
- It wants to lock with a set against two or more opponents, and with a single if it holds the
  suit's top card. A play that starts an unwanted lock keeps its own strength. That such a play
  "will not be played" at all, unless it ends the trick anyway, is `unwanted_lock=0`: this makes kou
  weaker than lock+, unlike in the paper.
"""

from typing import NamedTuple

import numpy as np

from closedhand.baselines.agent import KernelAgent
from closedhand.baselines.daihinmin.agent import kernel_agent
from closedhand.baselines.daihinmin.gifts import MOST_GIFTS, list_gifts
from closedhand.baselines.daihinmin.kou.division import (
    MOST_PARTS,
    PART,
    count_below,
    decompose,
    divide_rest,
    has_sets,
    weakness,
)
from closedhand.baselines.daihinmin.kou.strength import (
    foes_of,
    locked,
    starts_lock,
    strength_of,
    turned,
    turned_ranks,
)
from closedhand.baselines.daihinmin.kou.variants import (
    OPTIONS,
    WEAKEST,
    WEAKEST_SINGLE,
    Numbers,
    parse,
)
from closedhand.core import bits
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.game import Game
from closedhand.core.kernel import kernel
from closedhand.core.options import takes
from closedhand.games.daihinmin.cards import bit, of_suits, ranks_between
from closedhand.games.daihinmin.exchange import TAXES, pair_in_exchange, picks
from closedhand.games.daihinmin.legality import legal
from closedhand.games.daihinmin.plays import (
    EIGHT,
    FIRST_KAIDAN,
    JOKER,
    JOKER_BIT,
    NUM_RANKS,
    PASS,
)
from closedhand.games.daihinmin.state import PLAYERS

NEVER = 10**6
"""Price of a play that is not made."""
WINNING, WEAK, STRONG = -(10**5), -(10**4), -(10**3)
"""Prices of plays that follow and win, do not weaken the hand, or end the trick."""


class Hand(NamedTuple):
    """A hand before a play.

    Attributes:
        cards: Cards of the hand.
        plays: Number of plays that it divides into.
        weakness: Weakness of the hand.
    """

    cards: np.uint64
    plays: int
    weakness: int


@kernel
def choose(rules, numbers, view, ids):
    """The action of the player to act."""
    parts = np.empty(MOST_PARTS, PART)
    hand = view.hands[view.player]
    if view.leader < 0:
        return choose_pick(rules, numbers, view, hand, parts)
    n = legal(rules, view, ids)
    for i in range(n):
        if rules.plays.need[ids[i]] == hand:
            return np.int64(ids[i])
    if n == 1:
        return np.int64(ids[0])
    if view.target < 0:
        return lead(rules, numbers, view, hand, ids[:n], parts)
    return follow(rules, numbers, view, hand, ids[:n], parts)


# Leading a trick


@kernel
def lead(rules, numbers, view, hand, ids, parts):
    """The play to lead with, among those of `ids`."""
    foes = foes_of(rules, view, np.int64(view.revolution), 0)
    if numbers.lead == 0:
        winning = lead_to_win(rules, numbers, view, hand, foes, ids, parts)
        if winning >= 0:
            return winning
    n = decompose(numbers, foes, hand, parts)
    best, highest = 0, -NEVER
    for i in range(n):
        priority = priority_of(numbers, foes, parts[i])
        if priority > highest:
            best, highest = i, priority
    cards = turned(parts[best].cards, foes.revolution)
    for play in ids:
        if rules.plays.need[play] == cards:
            return np.int64(play)
    return np.int64(ids[0])


@kernel
def lead_to_win(rules, numbers, view, hand, foes, ids, parts):
    """Weakest of the strong plays that leave a winning form; -1 if there is none."""
    best, least = -1, NEVER
    for play in ids:
        if play == PASS:
            continue
        value = strength_of(rules, numbers, foes, play)
        if value < numbers.threshold:
            continue
        n = divide_rest(rules, numbers, view, hand, play, parts)
        price = 100 * value + n
        if count_below(parts, n, numbers.threshold) <= 1 and price < least:
            best, least = np.int64(play), price
    return best


@kernel
def priority_of(numbers, foes, part):
    """Priority of a play to lead: the paper's times 10; ties are broken by the larger set."""
    if numbers.lead == WEAKEST:
        return -100 * part.strength - part.low
    if numbers.lead == WEAKEST_SINGLE:
        return -part.low - (100 if part.family > 0 else 0)
    tie = min(part.family, FIRST_KAIDAN)
    if part.family >= FIRST_KAIDAN and part.low <= foes.eight and foes.eight <= part.high:
        return 10 * numbers.lead_eight_kaidan + tie
    if part.low == NUM_RANKS:
        return 10 * numbers.lead_joker
    if part.strength >= numbers.threshold:
        return 10 * (numbers.lead_strong - part.strength) + tie
    return 10 * (numbers.lead_weak + numbers.lead_rank * (NUM_RANKS - part.low)) + tie


# Following


@kernel
def follow(rules, numbers, view, hand, ids, parts):
    """The play to follow with, among those of `ids`, or the pass."""
    n = decompose(numbers, foes_of(rules, view, np.int64(view.revolution), 0), hand, parts)
    before = Hand(hand, n, weakness(numbers, parts, n))
    best, least = PASS, NEVER
    for play in ids:
        if play != PASS:
            if view.owner == view.player and count_waiting(view) == 0:
                price = price_to_lay_off(rules, numbers, view, before, play, parts)
            else:
                price = price_to_follow(rules, numbers, view, before, play, parts)
            if price < least:
                best, least = np.int64(play), price
    return best


@kernel
def count_waiting(view):
    """Number of other players who can still answer in this trick."""
    return PLAYERS - bits.size(np.uint64(view.passed | 1 << view.player))


@kernel
def price_to_lay_off(rules, numbers, view, before, play, parts):
    """Price of a play over the player's own trick, which nobody can answer."""
    foes = foes_of(rules, view, np.int64(view.revolution), 0)
    with_joker = rules.plays.need[play] & JOKER_BIT != 0
    if with_joker or strength_of(rules, numbers, foes, play) >= numbers.threshold:
        return NEVER
    n = divide_rest(rules, numbers, view, before.cards, play, parts)
    return 100 * weakness(numbers, parts, n) + 10 * n if n < before.plays else NEVER


@kernel
def price_to_follow(rules, numbers, view, before, play, parts):
    """Price of following with a play; `NEVER` if it is held back."""
    value = strength_to_follow(rules, numbers, view, before.cards, play)
    if value < 0:
        return NEVER
    n = divide_rest(rules, numbers, view, before.cards, play, parts)
    is_strong = value >= numbers.threshold
    if is_strong and count_below(parts, n, numbers.threshold) <= 1:
        return WINNING + 100 * n - value
    with_joker = rules.plays.need[play] & JOKER_BIT != 0
    rank = turned_ranks(rules, view.revolution, play)[0]
    if not numbers.reserve:
        if n >= before.plays or (with_joker and not is_strong):
            return NEVER
        return (STRONG if is_strong else WEAK) + rank
    then = weakness(numbers, parts, n)
    few = count_waiting(view) <= 1
    if is_strong and then - before.weakness < numbers.hold_rise:
        is_last_eight = rules.plays.eight[play] and not has_sets(parts, n)
        is_weak = n >= numbers.hold_plays and then >= numbers.hold_weakness
        if few or is_last_eight or not is_weak:
            return STRONG + 10 * then
    if with_joker or then > before.weakness:
        return NEVER
    is_kept = numbers.keep_from <= value and value <= numbers.keep_to
    if is_kept and rules.plays.family[play] == 0 and then >= numbers.keep_weakness and not few:
        return NEVER
    return WEAK + 100 * then + rank


@kernel
def strength_to_follow(rules, numbers, view, hand, play):
    """Strength of a play that follows; -1 if an unwanted lock rules it out."""
    if view.target == JOKER:
        return numbers.eight
    lock = 0 if play == JOKER else np.int64(view.lock)
    starts = starts_lock(rules, view, play)
    if starts:
        lock = np.int64(rules.plays.suits[play])
    foes = locked(foes_of(rules, view, np.int64(view.revolution), np.int64(view.passed)), lock)
    value = strength_of(rules, numbers, foes, play)
    if not starts:
        return value
    if numbers.lock < 0:
        return -1
    if numbers.lock > 0 or wants_lock(rules, view, hand, play, foes, lock):
        return max(value, numbers.sure)
    return value if value >= numbers.threshold or numbers.unwanted_lock else -1


@kernel
def wants_lock(rules, view, hand, play, foes, lock):
    """Whether to start a lock: a set against two or more, a single if holding the top card."""
    if rules.plays.family[play] > 0:
        return foes.finished <= PLAYERS - 3
    own = turned(hand & of_suits(lock), foes.revolution)
    return foes.cards == 0 or bits.highest(own) > bits.highest(foes.cards)


# The exchange


@kernel
def choose_pick(rules, numbers, view, hand, parts):
    """Next card to give in the exchange, out of those with the lowest price."""
    pair = pair_in_exchange(view)
    foes = foes_of(rules, view, 0, 0)
    chosen = view.returned[pair]
    # The first of two cards may be another player's choice: the second is above it in any case.
    allowed = picks(view, hand) if chosen else hand
    cards = allowed & ranks_between(0, NUM_RANKS - 2)
    if bits.size(cards) < (1 if chosen else TAXES[pair]):
        cards = allowed
    best_first, best_second, least = np.int64(-1), np.int64(-1), np.int64(0)
    gifts = np.empty((MOST_GIFTS, 2), np.int64)
    for i in range(list_gifts(cards, chosen, TAXES[pair], gifts)):
        first, second = gifts[i, 0], gifts[i, 1]
        n = decompose(numbers, foes, hand & ~bit(first) & ~bit(second), parts)
        price = numbers.give_weakness * weakness(numbers, parts, n)
        price += price_to_give(numbers, first)
        price += price_to_give(numbers, second) if second != first else 0
        if best_first < 0 or price < least:
            best_first, best_second, least = first, second, price
    return best_second if chosen else best_first


@kernel
def price_to_give(numbers, card):
    """Price of giving a card away, without that of the weakness of the remaining hand."""
    rank = card // 4
    if rank == EIGHT:
        return rank + numbers.give_eight
    if rank == NUM_RANKS - 2:
        return rank + numbers.give_ace
    if rank == NUM_RANKS - 3:
        return rank + numbers.give_king
    return rank + numbers.give_three if rank == 0 else rank


class Policy(NamedTuple):
    """The policy.

    Attributes:
        numbers: Its parameters.
    """

    kernels = "closedhand.baselines.daihinmin.kou.agent"

    numbers: Numbers


@kernel
def decide(policy, rules, view, ids):
    """The action of the player to act."""
    return np.int64(choose(rules, policy.numbers, view, ids))


@takes(OPTIONS)
@described(Traits(microseconds=16))
def make_kou(game: Game, seed: int, argument: str | None, **numbers: int) -> KernelAgent:
    """The agent `kou`, with variants as argument and `Numbers` as options; it needs no seed.

    Raises:
        InputError: The argument is no variant, or an option is no parameter of kou.
    """
    name = str(AgentSpec("kou", numbers, argument))
    return kernel_agent(game, name, Policy(parse(argument, **numbers)))
