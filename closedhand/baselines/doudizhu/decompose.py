"""The agent `decompose`: takes hands apart, and weighs what each play leaves and what it does.

Of every main group that may be played the kickers are chosen that leave the hand which is cheapest
to play out (`partition.py`). Then a sum of weights decides: every play has a handful of
**features**, indices into one vector of weights: what it is, who is to beat, how many groups that
others may hold beat it, what the hand that it leaves falls apart into and how many of these groups
are strong, whether an enemy or the partner is about to play out. The weights are tuned in duplicate
self-play (`tuning.py`). A softmax over the same sums is the fast policy of playouts.
"""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.baselines.doudizhu.agent import PlayAgent
from closedhand.baselines.doudizhu.bidding import choose_bid
from closedhand.baselines.doudizhu.endgame import longest_first, winner
from closedhand.baselines.doudizhu.partition import (
    CHAIN_BITS,
    CHAINABLE,
    JOKERS,
    MOST_NODES,
    NODE,
    ROWS,
    SPARE,
    partition,
    set_costs,
)
from closedhand.baselines.self_play import draw, exponentials, read_weights, shipped_weights
from closedhand.games import bits
from closedhand.games.cards import DECK, NIBBLE, at_least, contains
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.plays import BOMB
from closedhand.games.doudizhu.rules import SEATS
from closedhand.games.game import Game, State
from closedhand.games.kernel import kernel
from closedhand.games.records import flat_game
from closedhand.search.exact import UNKNOWN, WON
from closedhand.search.playout import playout

KINDS = 8
"""Solo, pair, trio, a chain of each, bomb, rocket: kickers do not count."""
KIND = np.array([0, 3, 1, 4, 2, 5, 2, 5, 2, 5, 2, 2, 6, 7])
"""The kind of each category but the pass; four with kickers counts as a trio."""
CATEGORIES = 14
MODES = 9
"""Role (landlord, down peasant, up peasant) and, changing faster, to lead, to beat an enemy, to
beat the partner."""
RANKS = 15
LEFTS = 7
"""Cards left to a player: 1, 2, 3, 4, up to 6, up to 9, more."""
STAGES = 4
"""Cards left to the player himself: up to 4, 8, 13, more."""
RIVALS = 8
"""Groups of the others that beat one: 0, 1, …, 6, more."""
MOST_WEAK, MOST_STRONG = 6, 3
FORMS = (MOST_WEAK + 1) * (MOST_STRONG + 1)
"""Of a hand: how many of its groups others can beat, and how many they cannot."""
TURNS = 10
"""Groups of a hand, at most nine are told apart."""
GAINS = 24
"""How much cheaper to play out a hand became: -7 or less, …, 16 or more."""
SHAPES = 3
"""Solo, pair, anything else."""

# Where the features of each sort begin.
PLAY = 0  # mode, category, rank, stage
RIVALED = PLAY + MODES * CATEGORIES * RANKS * STAGES  # mode, kind, rivals, least enemy
LEAVING = RIVALED + MODES * KINDS * RIVALS * LEFTS  # mode, has it rivals, form, least enemy
GAIN = LEAVING + MODES * 2 * FORMS * LEFTS  # mode, gain
REMAINING = GAIN + MODES * GAINS  # mode, has it rivals, turns, least enemy
GROUPS = REMAINING + MODES * 2 * TURNS * LEFTS  # role, kind, rivals: of each group that is left
THREAT = GROUPS + 3 * KINDS * RIVALS  # mode, shape, rank, least enemy up to 4
FEEDING = THREAT + MODES * SHAPES * RANKS * 4  # mode, shape, rank, partner up to 4
RAISE = FEEDING + MODES * SHAPES * RANKS * 4  # mode, shape, ranks above the target
TABLED = RAISE + MODES * SHAPES * RANKS  # mode, shape, left to the next and to the last player
BOMBING = TABLED + MODES * SHAPES * LEFTS * LEFTS  # mode, turns, least enemy
PASSING = BOMBING + MODES * TURNS * LEFTS  # mode, category and rank to beat
PASSING_LEFT = PASSING + MODES * CATEGORIES * RANKS  # mode, kind to beat, left to its owner
PASSING_FORM = PASSING_LEFT + MODES * KINDS * LEFTS  # mode, form, left to the owner
PASSING_TURNS = PASSING_FORM + MODES * FORMS * LEFTS  # mode, turns, left to the owner
PASSING_TABLED = PASSING_TURNS + MODES * TURNS * LEFTS  # mode, left to the next and to the last
FEATURES = PASSING_TABLED + MODES * LEFTS * LEFTS
MOST_FEATURES = 10 + 20
"""Of one play: ten, and one for each group of what it leaves."""

FLATTENING = 0.5
"""Exponent of the likelihood of a world's plays."""
LEAST_LOGARITHM = -5.0
"""Of the likelihood of one play."""

CANDIDATES = 160
"""More main groups than 20 cards can hold, and the pass."""

TABLE = np.dtype((np.record, [("weights", "f4", FEATURES)]))


class Policy(NamedTuple):
    """The policy of playouts.

    Attributes:
        table: The weights of the features, a record of `TABLE`.
        sampled: Whether plays are drawn by softmax; otherwise the greatest sum is chosen.
    """

    kernels = "closedhand.baselines.doudizhu.decompose"

    table: np.record
    sampled: bool


class Sight(NamedTuple):
    """What the features of all plays of a state have in common.

    Attributes:
        mode: See `MODES`.
        role: 0 landlord, 1 down peasant, 2 up peasant.
        enemy: The least number of cards that an enemy holds.
        partner: The number of cards that the partner holds.
        owner: The number of cards of who made the play to beat.
        most: The greatest number of cards that another player holds.
        tabled: The classes of the numbers of cards of the next and of the last player.
        others: All their cards, packed.
    """

    mode: Any
    role: Any
    enemy: Any
    partner: Any
    owner: Any
    most: Any
    tabled: Any
    others: np.uint64


@kernel
def cards_of_others(state):
    """The cards that the others of the player to act hold, all together, packed."""
    played = state.played[0] + state.played[1] + state.played[2]
    return DECK - state.hands[state.player] - played


@kernel
def look(state):
    """What there is to see from the place of the player to act."""
    player = np.int64(state.player)
    landlord = np.int64(state.landlord)
    role = (player - landlord) % SEATS
    enemy, partner, most = 20, 20, 0
    for i in range(1, SEATS):
        seat = (player + i) % SEATS
        left = np.int64(state.left[seat])
        most = max(most, left)
        if role == 0 or seat == landlord:
            enemy = min(enemy, left)
        else:
            partner = left
    mode = 3 * role
    owner = 0
    if state.target >= 0:
        mode += 2 if role > 0 and state.owner != landlord else 1
        owner = np.int64(state.left[state.owner])
    following, last = (player + 1) % SEATS, (player + 2) % SEATS
    tabled = left_class(state.left[following]) * LEFTS + left_class(state.left[last])
    return Sight(mode, role, enemy, partner, owner, most, tabled, cards_of_others(state))


@kernel
def left_class(cards):
    """The class of a number of cards left."""
    if cards <= 4:
        return max(np.int64(cards), 1) - 1
    if cards <= 6:
        return 4
    return 5 if cards <= 9 else 6


@kernel
def rivals(copies, first, length, seen):
    """The class of the number of groups that others may hold and that beat one of the same kind."""
    if copies * length > seen.most:
        return 0
    ranks = at_least(seen.others, copies)
    if length > 1:
        ranks &= CHAINABLE
        found = ranks
        for i in range(1, length):
            found &= ranks >> np.uint64(4 * i)
        ranks = found
    return min(bits.size(ranks >> np.uint64(4 * first) >> np.uint64(4)), RIVALS - 1)


@kernel
def take_apart(hand, seen, costs, nodes, features):
    """Take a hand apart; write the features of its groups.

    Returns:
        How many groups there are, the form of the hand, what it costs.
    """
    spent, chains, hand, kickers = partition(hand, costs, nodes)
    base = GROUPS + seen.role * KINDS * RIVALS
    n, strong = 0, 0
    while chains:
        copies = np.int64(chains & np.uint64(3))
        first = np.int64(chains >> np.uint64(2) & NIBBLE)
        length = np.int64(chains >> np.uint64(6) & NIBBLE)
        number = rivals(copies, first, length, seen)
        strong += 1 if number == 0 else 0
        features[n] = base + (2 + copies) * RIVALS + number
        n += 1
        chains >>= np.uint64(CHAIN_BITS)
    if contains(hand, JOKERS):
        hand -= JOKERS
        features[n] = base + 7 * RIVALS
        n += 1
        strong += 1
    kickers += bits.size(at_least(hand, 3) ^ at_least(hand, 4))
    rank = 0
    while hand:
        cards = np.int64(hand & NIBBLE)
        if cards == 4:
            features[n] = base + 6 * RIVALS
            n += 1
            strong += 1
        elif cards > 0:
            if cards < 3 and kickers > 0 and costs[cards - 1, rank] > SPARE:
                kickers -= 1
            else:
                number = rivals(cards, rank, 1, seen)
                strong += 1 if number == 0 else 0
                features[n] = base + (cards - 1) * RIVALS + number
                n += 1
        hand >>= np.uint64(4)
        rank += 1
    form = min(n - strong, MOST_WEAK) * (MOST_STRONG + 1) + min(strong, MOST_STRONG)
    return n, form, spent


@kernel
def list_plays(rules, state, ids, costs, nodes, plays):
    """Write a flat play of every main group that may be played, the pass last; return how many.

    Its kickers are those that leave the cheapest hand; at equal costs the lowest ones.
    """
    hand = state.hands[state.player]
    n = 0
    for i in range(flat.legal_groups(rules, state, ids)):
        group = rules.plays.groups[ids[i]]
        best, least = -1, 10_000
        if group.kickers == 0:
            best = np.int64(group.first)
        else:
            for play in range(group.first, group.end):
                if contains(hand, rules.plays.need[play]):
                    spent = partition(hand - rules.plays.need[play], costs, nodes)[0]
                    if spent < least:
                        best, least = np.int64(play), spent
        if best >= 0:
            plays[n] = best
            n += 1
    if state.target >= 0:
        plays[n] = flat.pass_id(rules)
        n += 1
    return n


@kernel
def describe(rules, state, seen, play, keep, costs, nodes, features):
    """Write the features of a play; return how many there are.

    Args:
        rules: Of the game.
        state: The player to act is the one who plays.
        seen: What `look` says of it.
        play: A flat play, or the pass.
        keep: What his hand costs to play out.
        costs: See `partition`.
        nodes: See `partition`.
        features: int64 [MOST_FEATURES].
    """
    plays = rules.plays
    hand = state.hands[state.player]
    mode = seen.mode
    if play == flat.pass_id(rules):
        g = np.int64(plays.group[state.target])
        family = plays.families[plays.groups[g].family]
        category = np.int64(family.category)
        rank = np.int64(family.rank) + g - np.int64(family.first)
        owner = left_class(seen.owner)
        n, form, _ = take_apart(hand, seen, costs, nodes, features)
        turns = min(n, TURNS - 1)
        features[n] = PASSING + (mode * CATEGORIES + category) * RANKS + rank
        features[n + 1] = PASSING_LEFT + (mode * KINDS + KIND[category]) * LEFTS + owner
        features[n + 2] = PASSING_FORM + (mode * FORMS + form) * LEFTS + owner
        features[n + 3] = PASSING_TURNS + (mode * TURNS + turns) * LEFTS + owner
        features[n + 4] = PASSING_TABLED + mode * LEFTS * LEFTS + seen.tabled
        return n + 5
    g = np.int64(plays.group[play])
    group = plays.groups[g]
    family = plays.families[group.family]
    category = np.int64(family.category)
    rank = np.int64(family.rank) + g - np.int64(family.first)
    kind = KIND[category]
    shape = min(kind, 2)
    length = np.int64(family.length)
    enemy = left_class(seen.enemy)
    beating = rivals(np.int64(family.copies), rank, length, seen) if group.family < BOMB else 0
    own = np.int64(state.left[state.player])
    stage = 0 if own <= 4 else (1 if own <= 8 else (2 if own <= 13 else 3))
    n, form, spent = take_apart(hand - plays.need[play], seen, costs, nodes, features)
    turns = min(n, TURNS - 1)
    gain = min(max(keep - spent, -7), GAINS - 8) + 7
    surely = 1 if beating == 0 else 0
    features[n] = PLAY + ((mode * CATEGORIES + category) * RANKS + rank) * STAGES + stage
    features[n + 1] = RIVALED + ((mode * KINDS + kind) * RIVALS + beating) * LEFTS + enemy
    features[n + 2] = LEAVING + ((mode * 2 + surely) * FORMS + form) * LEFTS + enemy
    features[n + 3] = GAIN + mode * GAINS + gain
    features[n + 4] = REMAINING + ((mode * 2 + surely) * TURNS + turns) * LEFTS + enemy
    features[n + 5] = THREAT + ((mode * SHAPES + shape) * RANKS + rank) * 4 + min(enemy, 3)
    features[n + 6] = TABLED + (mode * SHAPES + shape) * LEFTS * LEFTS + seen.tabled
    n += 7
    if seen.role > 0:
        partner = min(left_class(seen.partner), 3)
        features[n] = FEEDING + ((mode * SHAPES + shape) * RANKS + rank) * 4 + partner
        n += 1
    if group.family >= BOMB:
        features[n] = BOMBING + (mode * TURNS + turns) * LEFTS + enemy
        n += 1
    elif state.target >= 0:
        jump = g - np.int64(plays.group[state.target])
        features[n] = RAISE + (mode * SHAPES + shape) * RANKS + min(jump, RANKS - 1)
        n += 1
    return n


@kernel
def settled(rules, state, plays, n):
    """Which of `n` plays is made without a thought: the only one, or one that ends the hand."""
    if n == 1:
        return 0
    for k in range(n):
        if rules.plays.need[plays[k]] == state.hands[state.player]:
            return k
    return -1


@kernel
def weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers):
    """Write the sum of the weights of each play, and the features that it is the sum of.

    Where `features` has room for one play only, the next one is written over it.
    """
    seen = look(state)
    keep = partition(state.hands[state.player], costs, nodes)[0]
    for k in range(n):
        row = features[k % len(features)]
        numbers[k] = describe(rules, state, seen, plays[k], keep, costs, nodes, row)
        total = 0.0
        for f in range(numbers[k]):
            total += policy.table.weights[row[f]]
        sums[k] = total


@kernel
def consider(policy, rules, state, ids, plays, sums):
    """Write the plays that come into question and the sum of the weights of each.

    Returns:
        How many there are; and which is made without a thought, -1 if none: then sums are valid.
    """
    nodes = np.empty(MOST_NODES, NODE)
    costs = np.empty((ROWS, 15), np.int64)
    set_costs(cards_of_others(state), costs)
    n = list_plays(rules, state, ids, costs, nodes, plays)
    k = settled(rules, state, plays, n)
    if k < 0:
        features = np.empty((1, MOST_FEATURES), np.int64)
        numbers = np.empty(n, np.int64)
        weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers)
    return n, k


@kernel
def choose(policy, rules, state, rng, ids):
    """A play of the policy; one that ends the hand if there is one."""
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    n, k = consider(policy, rules, state, ids, plays, sums)
    if k < 0 and policy.sampled:
        k = draw(sums, n, exponentials(sums, n), rng)
    elif k < 0:
        k = np.argmax(sums[:n])
    return plays[k]


@kernel
def evaluate(policy, rules, state, player, rng, ids):
    """What a full state is worth if a game is won or lost: told exactly when few cards remain."""
    known = winner(policy, rules, state, player)
    if known == UNKNOWN:
        return playout(policy, rules, state, player, rng, ids)
    return 1.0 if known == WON else -1.0


@kernel
def worthwhile(policy, rules, state, out):
    """All legal actions, in an order that ends exact searches early."""
    return longest_first(rules, state, out)


@kernel
def plausibility(policy, rules, state, player, ids):
    """How likely the others would have played as they did.

    The likelihood is flattened: nobody plays just as the policy does.
    """
    if state.landlord < 0:
        return 1.0
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    logarithm = 0.0
    moves = np.int64(state.moves)
    flat.rewind(state)
    while state.moves < moves:
        action = np.int64(state.history[state.moves])
        if state.player != player:
            n, k = consider(policy, rules, state, ids, plays, sums)
            logarithm += log_likelihood(rules, plays, sums, n, k, action)
        flat.play(rules, state, action)
    return np.exp(FLATTENING * logarithm)


@kernel
def log_likelihood(rules, plays, sums, n, settled, action):
    """The logarithm of how likely the main group of an action is, of what `consider` wrote."""
    if settled >= 0:
        return 0.0 if n == 1 or plays[settled] == action else LEAST_LOGARITHM
    group = rules.plays.group[action]
    total = exponentials(sums, n)
    for k in range(n):
        if rules.plays.group[plays[k]] == group:
            return max(np.log(sums[k] / total), LEAST_LOGARITHM)
    return LEAST_LOGARITHM


@kernel
def decide_all(policy, rules, views, ids, actions):
    """Write the play with the greatest sum of weights, or a bid, for every view."""
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    for i in range(len(views)):
        if views[i].landlord < 0:
            actions[i] = choose_bid(rules, views[i])
        else:
            n, k = consider(policy, rules, views[i], ids, plays, sums)
            actions[i] = plays[np.argmax(sums[:n]) if k < 0 else k]


def policy_of(weights: np.ndarray, sampled: bool = True) -> Policy:
    """The policy with these weights, [FEATURES]."""
    table = np.zeros(1, TABLE)[0]
    table.weights[:] = weights
    return Policy(table, sampled)


def load(path: str | None) -> np.ndarray:
    """The weights of a file that `closedhand train` saved, or of the package; float32 [FEATURES].

    Raises:
        InputError: The file cannot be read, or holds other weights.
    """
    if path is None:
        return shipped_weights("doudizhu_decompose", FEATURES)
    return read_weights(Path(path), FEATURES)


class DecomposeAgent(PlayAgent):
    """The strongest player without search."""

    def __init__(self, game: Game, name: str, weights: np.ndarray) -> None:
        """Play `game`, Dou Dizhu with any options, by weights, [FEATURES]."""
        policy = policy_of(weights, sampled=False)
        super().__init__(game, name, partial(decide_all, policy))
        self._policy = policy

    def preferences(self, view: State) -> dict[str, float]:
        """The probability of each play by the policy of playouts, the greatest first."""
        rules = self._rules
        plays, sums = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
        n, k = consider(self._policy, rules, view, self._ids, plays, sums)
        shares = sums[:n] if k < 0 else np.where(np.arange(n) == k, 0.0, -np.inf)
        shares = np.exp(shares - shares.max())
        texts = flat_game(self.game.name, self.game.options).text
        order = np.argsort(-shares, kind="stable")
        return {texts(int(plays[i])): float(shares[i] / shares.sum()) for i in order}


def make(game: Game, seed: int, argument: str | None) -> DecomposeAgent:
    """The agent `decompose`, or `decompose:PATH` with weights that `closedhand train` saved.

    Raises:
        InputError: No weights there.
    """
    name = f"decompose:{argument}" if argument else "decompose"
    return DecomposeAgent(game, name, load(argument))
