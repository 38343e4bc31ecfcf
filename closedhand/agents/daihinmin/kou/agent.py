"""The agent `kou`: the heuristics of UECda-2014's light champion.

The agent follows section 4 of the paper:

1. Divide the hand into plays (`division.py`), and rate how likely each is to end its trick
   (`strength.py`). A play with a strength of `threshold` or more is **strong**; a hand with at most
   one play that is not strong has a **winning form**.
2. As a leader, make a strong play that leaves a winning form; otherwise the play with the highest
   priority, the lowest ranks first.
3. As a follower, make a strong play that leaves a winning form; otherwise the lowest play that does
   not weaken the hand; otherwise the strong play that weakens it least, unless that is held back.
4. A play that starts a lock has at least the strength `sure` if the player then has the strongest
   play under the lock.

Some sentences of the paper contradict each other or make its own results impossible. There `kou`
departs from the literal reading by the parameters in `variants.DEPARTURES`; without any one of them
it makes less than 4.1 points a round among four `default`. `kou[letter=1]` is the literal reading:
it leads the highest rank of its weak plays and follows with the strongest play. Each parameter
(`variants.Numbers`) is an option, such as `kou[winning=0]`.

Where the paper is silent:

- A play that empties the hand is made.
- After a revolution the remaining hand is evaluated in the new order of ranks.
- Players who passed, or hold too few cards, cannot answer; under a lock only its suits count.
- Cards are given away in the exchange by the weakness of the remaining hand, their ranks, and
  surcharges for the 8, A, K and 3.

`numbers` and `foes` are as in `division.py`, and `parts` is scratch space, `PART` [MOST_PARTS].
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.daihinmin.gifts import MOST_GIFTS, choose_gift, list_gifts
from closedhand.agents.daihinmin.kou import division, strength, variants
from closedhand.agents.daihinmin.kou.division import MOST_PARTS, PART
from closedhand.agents.daihinmin.kou.variants import Numbers
from closedhand.agents.daihinmin.limits import check_one_joker
from closedhand.core import bits
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.core.options import takes
from closedhand.games.daihinmin.cards import bit, ranks_between
from closedhand.games.daihinmin.exchange import TAXES, pair_in_exchange, picks
from closedhand.games.daihinmin.legality import legal
from closedhand.games.daihinmin.plays import EIGHT, FIRST_KAIDAN, JOKER, NUM_RANKS, PASS
from closedhand.games.daihinmin.seven_ten_rules import due_of

NEVER = 10**6
"""Price of a play that is held back, above all other prices."""
WINNING, STRONGEST, WEAK, STRONG = -(10**5), -(5 * 10**4), -(10**4), -(10**3)
"""Base prices to follow, by class: plays that leave a winning form; strong plays, chosen by their
strength; plays that do not weaken the hand; strong plays, chosen by the weakness that they leave.
Prices within a class differ by less than the gaps between classes."""


class Policy(NamedTuple):
    """Policy of the agent `kou`."""

    kernels = "closedhand.agents.daihinmin.kou.agent"

    numbers: Numbers


@kernel
def decide(policy, rules, view, ids):
    """Choose the action of the player to act."""
    numbers, hand = policy.numbers, view.hands[view.player]
    parts = np.empty(MOST_PARTS, PART)
    if view.leader < 0:
        return choose_pick(rules, numbers, view, hand, parts)
    if due_of(view) > 0:
        return choose_gift(view)
    n = legal(rules, view, ids)
    for i in range(n):
        if rules.plays.need[ids[i]] == hand:
            return np.int64(ids[i])
    if n == 1:
        return np.int64(ids[0])
    if not numbers.any_play:
        n = keep_divided(rules, numbers, view, hand, ids, n, parts)
    if view.target < 0:
        return lead(rules, numbers, view, hand, ids[:n], parts)
    return follow(rules, numbers, view, hand, ids[:n], parts)


@kernel
def keep_divided(rules, numbers, view, hand, ids, n, parts):
    """Move the pass and the plays of the hand's division to the front of `ids`; return how many."""
    foes = strength.foes_of(rules, view, np.int64(view.revolution), 0, 0)
    total, kept = division.decompose(numbers, foes, hand, parts), 0
    for i in range(n):
        is_part = ids[i] == PASS
        for k in range(total):
            is_part |= rules.plays.need[ids[i]] == strength.turned(parts[k].cards, foes.revolution)
        if is_part:
            ids[kept] = ids[i]
            kept += 1
    return kept


@kernel
def lead(rules, numbers, view, hand, ids, parts):
    """Choose the play to lead with among `ids`."""
    foes = strength.foes_of(rules, view, np.int64(view.revolution), 0, 0)
    if numbers.lead == 0 and numbers.winning:
        winning = lead_to_win(rules, numbers, view, hand, foes, ids, parts)
        if winning >= 0:
            return winning
    n = division.decompose(numbers, foes, hand, parts)
    best, highest = 0, -NEVER
    for i in range(n):
        rated = priority_of(numbers, foes, parts[i])
        if rated > highest:
            best, highest = i, rated
    cards = strength.turned(parts[best].cards, foes.revolution)
    for play in ids:
        if rules.plays.need[play] == cards:
            return np.int64(play)
    return np.int64(ids[0])


@kernel
def lead_to_win(rules, numbers, view, hand, foes, ids, parts):
    """Find the weakest strong play that leaves a winning form; -1 if there is none."""
    best, least = -1, NEVER
    for play in ids:
        if play == PASS:
            continue
        value = strength.strength_of(rules, numbers, foes, play)
        if value < numbers.threshold:
            continue
        n = division.divide_rest(rules, numbers, view, hand, play, parts)
        price = 100 * value + n
        if division.count_below(parts, n, numbers.threshold) <= 1 and price < least:
            best, least = np.int64(play), price
    return best


@kernel
def priority_of(numbers, foes, part):
    """Return the priority to lead a play of the division, a `PART`."""
    if numbers.lead == variants.WEAKEST:
        return -100 * part.strength - part.low
    if numbers.lead == variants.WEAKEST_SINGLE:
        return -part.low - (100 if part.family > 0 else 0)
    return priority(numbers, foes, part.family, part.low, part.high, part.strength)


@kernel
def priority(numbers, foes, family, low, high, value):
    """Return 10 times the paper's priority of a play to lead, plus a tie-break by family.

    `low` and `high` are the play's `strength.turned_ranks`, and `value` is its strength.
    """
    tie = min(family, FIRST_KAIDAN)
    if family >= FIRST_KAIDAN and low <= foes.eight and foes.eight <= high:
        return 10 * numbers.lead_eight_kaidan + tie
    if low == NUM_RANKS:
        return 10 * numbers.lead_joker
    if value >= numbers.threshold:
        return 10 * (numbers.lead_strong - value) + tie
    place = NUM_RANKS - low if numbers.weakest_first else low + 1
    return 10 * (numbers.lead_weak + numbers.lead_rank * place) + tie


@kernel
def follow(rules, numbers, view, hand, ids, parts):
    """Choose the play to follow with among `ids`, or the pass."""
    if view.owner == view.player and strength.count_waiting(view) == 0:
        return PASS  # the trick is the player's own, and nobody else can answer
    foes = strength.foes_of(rules, view, np.int64(view.revolution), 0, 0)
    n = division.decompose(numbers, foes, hand, parts)
    weakness = division.weakness(numbers, parts, n)
    best, least = PASS, NEVER
    for play in ids:
        if play != PASS:
            price = price_to_follow(rules, numbers, view, hand, n, weakness, play, parts)
            if price < least:
                best, least = np.int64(play), price
    return best


@kernel
def price_to_follow(rules, numbers, view, hand, plays, weakness, play, parts):
    """Return the price of following with a play, by class (see `WINNING`); `NEVER` to hold it back.

    `hand`, the number of `plays` in its division and its `weakness` are those before the play.
    """
    value = strength_to_follow(rules, numbers, view, hand, play)
    if value < 0:
        return NEVER
    n = division.divide_rest(rules, numbers, view, hand, play, parts)
    is_strong = value >= numbers.threshold
    if numbers.winning and is_strong and division.count_below(parts, n, numbers.threshold) <= 1:
        return WINNING + 100 * n - value
    low, high = strength.turned_ranks(rules, view.revolution, play)
    family = np.int64(rules.plays.family[play])
    if not numbers.reserve:
        if n >= plays:
            return NEVER
        if numbers.weak_first:
            return (STRONG if is_strong else WEAK) + low
        if is_strong:
            return STRONGEST - value
    else:
        then = division.weakness(numbers, parts, n)  # weakness after the play
        rise = then - weakness
        if is_strong and rise < numbers.hold_rise and then < numbers.hold_weakness:
            return STRONG + 10 * then if numbers.weak_first else STRONGEST - value
        if rise > 0 or (is_strong and not numbers.weak_first):
            return NEVER
        if numbers.weak_first:
            return WEAK + 100 * then + low
    foes = strength.foes_of(rules, view, np.int64(view.revolution), 0, 0)
    return WEAK - priority(numbers, foes, family, low, high, value)


@kernel
def strength_to_follow(rules, numbers, view, hand, play):
    """Return the strength of a following play; -1 if it is not made because it starts a lock."""
    if view.target == JOKER:
        return numbers.eight  # the 3 of spades, which ends the trick
    foes = strength.foes_after(rules, view, play)
    value = strength.strength_of(rules, numbers, foes, play)
    if not strength.starts_lock(rules, view, play):
        return value
    if numbers.lock < 0:
        return -1
    if numbers.lock > 0 or strength.has_strongest(rules, numbers, hand, play, foes):
        return max(value, numbers.sure)
    if numbers.unwanted_lock > 0 or (numbers.unwanted_lock == 0 and value >= numbers.threshold):
        return value
    return -1


@kernel
def choose_pick(rules, numbers, view, hand, parts):
    """Choose the next card to give back, at the lowest price, without 2s and joker if possible."""
    pair = pair_in_exchange(view)
    foes = strength.foes_of(rules, view, 0, 0, 0)
    chosen = view.returned[pair]
    # Another agent may have chosen the first of two cards; the second has to be above it.
    allowed = picks(view, hand) if chosen else hand
    cards = allowed & ranks_between(0, NUM_RANKS - 2)
    if bits.size(cards) < (1 if chosen else TAXES[pair]):
        cards = allowed
    best, least = np.int64(-1), np.int64(0)
    gifts = np.empty((MOST_GIFTS, 2), np.int64)
    for i in range(list_gifts(cards, chosen, TAXES[pair], gifts)):
        first, second = gifts[i, 0], gifts[i, 1]
        n = division.decompose(numbers, foes, hand & ~bit(first) & ~bit(second), parts)
        price = numbers.give_weakness * division.weakness(numbers, parts, n)
        price += price_to_give(numbers, first)
        price += price_to_give(numbers, second) if second != first else 0
        if best < 0 or price < least:
            best, least = second if chosen else first, price
    return best


@kernel
def price_to_give(numbers, card):
    """Return the price of giving a card away: its rank and a surcharge."""
    rank = card // 4
    if rank == EIGHT:
        return rank + numbers.give_eight
    if rank == NUM_RANKS - 2:
        return rank + numbers.give_ace
    if rank == NUM_RANKS - 3:
        return rank + numbers.give_king
    return rank + numbers.give_three if rank == 0 else rank


@takes(variants.OPTIONS)
@described(Traits(microseconds=16, steady=True))
def make_kou(game: Game, seed: int, argument: str | None, **numbers: int) -> PlayAgent:
    """Make the agent `kou`, with variants as argument and `Numbers` as options.

    Raises:
        InputError: A variant or a parameter is refused, or there are two jokers.
    """
    check_one_joker(game, "kou")
    name = str(AgentSpec("kou", numbers, argument))
    return PlayAgent(game, name, Policy(variants.parse(argument, **numbers)))
