"""Bid modules of Dou Dizhu: scores of hands, and the bids that follow from them.

The DeepRocket paper (section 4.1) says only what its module considers: "control cards (like A, 2,
and jokers) and tidiness (that means less sets combined by cards)". There are three modules here, by
kind:

- `control`: control points alone.
- `logic`: the paper's two factors, control points minus the groups that wait for a lead.
- `fitted`: a logistic model of the probability that the landlord wins with these 17 cards, and the
  probability above which each bid pays.

`network.py` replaces the logistic model by a network, and `value_net/bidding.py` by the values of
the agent `value-net`. All bid in the same way:

1. Compute the score of the hand: points or a probability.
2. Make the highest bid above those so far whose threshold the score reaches, or pass. A threshold
   of `fitted` depends on the seat and on the highest bid so far.

At the stake s the landlord wins or loses 2s and each peasant s, doubled for each bomb. If all pass,
the value is 0: the cards are dealt again, or the game ends. A landlord who wins a share p of the
games, with average multipliers of m in wins and l in losses, gets 2s(pm - (1 - p)l). Therefore:

- After two passes the choice is between being the landlord and a new deal: a bid pays if
  p > l / (l + m). As the points grow with the stake, the bid is 3.
- After a bid, a pass is worth the points of a peasant against a strong landlord: less than 0. A
  hand that would lose less than that as the landlord makes the lowest higher bid; a hand that would
  gain bids 3.
- Before the first bid, a pass is worth the points of a peasant in the games that follow. A bid of 3
  ends the auction. A bid of 1 or 2 wins the auction only if nobody bids higher: both other hands
  are then weaker than usual, and an outbid player has lost nothing. Such a bid therefore pays at
  lower probabilities than a bid of 3.
- A hand wins less often against a player who bids, and more often against one who passes. The
  model's probability ignores this; the thresholds of each seat and highest bid account for it
  (`fitting.py`).

With the objective `win` the stake does not matter; the modules bid as for points.

Words other than bids use the same scores with their own thresholds, `LEAST`. These are not fitted:
they are near the scores at which a word would pay if the words of others carried no information.
"""

import math
from collections.abc import Callable

import numpy as np

from closedhand.agents.doudizhu.decompose import partition
from closedhand.core.agents import Agent, act_batch, policy_or_choices, spent_by
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.auction import CALL, ROB, is_opening, pass_id, words_to_come
from closedhand.games.doudizhu.counts import at_least, count, size
from closedhand.games.doudizhu.plays import ACE, BIG_JOKER, PASS_GROUP, SMALL_JOKER, TWO
from closedhand.games.doudizhu.state import Rules
from closedhand.games.doudizhu.substeps import FIRST_BID

KINGS = ACE - 1

CONTROL_FROM = np.array([6, 8, 10])
"""The least control points for a bid of 1, 2 and 3."""
LOGIC_FROM = np.array([0, 1, 3])
"""The least control points minus waiting groups for a bid of 1, 2 and 3. Of a few choices these
gained the agent `decompose` the most points against bids by `control`."""

HALF = 5
WHOLE = 10
"""Costs of a group that counts half and of one that counts in full. Both exceed `partition.SPARE`,
so that such solos and pairs can be kickers."""

WAITING = np.full((partition.ROWS, 15), WHOLE, np.int64)
"""Costs of groups for `waiting`: bombs, the rocket, solos from 2, pairs from A and trios from K
upwards do not wait, and a solo A counts half. Trios take weak solos and pairs as kickers."""
WAITING[[0, partition.BOMB, partition.ROCKET]] = 0
WAITING[partition.SOLO, ACE], WAITING[partition.SOLO, TWO:] = HALF, 0
WAITING[partition.PAIR, ACE:] = 0
WAITING[partition.TRIO, KINGS:] = 0

FEATURES = ("one", "B", "S", "rocket", "twos", "aces", "kings", "bombs", "waiting")
"""Features of the fitted model: a constant; whether the hand has the big joker, the small joker,
both; its numbers of 2s, aces, kings, bombs, and waiting groups."""
WEIGHTS = np.array([-0.677, 1.311, 0.742, 0.149, 0.391, 0.158, 0.122, 0.648, -0.237])
"""Weights of the features, for the log-odds of a win. Fitted by `closedhand train bids --agent
decompose --games 180000 --seed 0`, with the rules `deeprocket`; standard errors 0.029 for the
constant, 0.004 for the waiting groups, 0.006 to 0.027 for the others."""
THRESHOLDS = np.array([  # highest bid so far: none, 1, 2
    [[0.30, 0.40, 0.56], [0.50, 0.50, 0.50], [0.50, 0.50, 0.50]],  # first seat
    [[0.30, 0.30, 0.45], [0.36, 0.36, 0.60], [0.56, 0.56, 0.56]],  # second seat
    [[0.32, 0.32, 0.32], [0.34, 0.34, 0.34], [0.45, 0.45, 0.45]],  # third seat
])  # fmt: skip
"""The least win probability for a bid of 1, 2 or 3, [seat, highest bid so far, bid - 1], from the
same fit; 0.5 for impossible situations, such as a bid before the first seat's."""

KINDS = ("control", "logic", "fitted")
CONTROL, LOGIC, FITTED = range(3)
BIDS_FROM = np.stack(np.broadcast_arrays(CONTROL_FROM, LOGIC_FROM, THRESHOLDS))
"""The least score for a bid, [kind, seat, highest bid so far, bid - 1]."""

CALLING, ROBBING, DOUBLING, SHOWING = range(4)
LEAST = np.array([[8, 9, 14, 20], [1, 2, 8, 14], [0.4, 0.45, 0.6, 0.9]])
"""The least score, [kind, word], at which a module calls, robs, doubles and shows."""
VALUE = "value"
NET = "net"
ALL_KINDS = ", ".join((*KINDS, VALUE, NET, f"{NET}=FILE"))
"""All kinds, for messages, with those of `value_net/bidding.py` and `network.py`."""


@kernel
def control(hand):
    """Add up control points: rocket 8, else B 4 or S 3; bomb 6, else each 2 two and each A one."""
    jokers = 4 * count(hand, BIG_JOKER) + 3 * count(hand, SMALL_JOKER)
    points = 8 if jokers == 7 else jokers
    points += 6 * size(at_least(hand, 4))
    points += 2 * count(hand, TWO) if count(hand, TWO) < 4 else 0
    points += count(hand, ACE) if count(hand, ACE) < 4 else 0
    return points


@kernel
def waiting(hand):
    """Count the groups that wait for a lead in a hand's cheapest partition, a solo A as 1/2."""
    nodes = np.empty(partition.MOST_NODES, partition.NODE)
    return partition.partition(hand, WAITING, nodes)[0] / WHOLE


@kernel
def write_features(hand, out):
    """Write the `FEATURES` of a packed hand into `out`, float64 [9]."""
    out[0] = 1
    out[1] = count(hand, BIG_JOKER)
    out[2] = count(hand, SMALL_JOKER)
    out[3] = out[1] * out[2]
    out[4] = count(hand, TWO)
    out[5] = count(hand, ACE)
    out[6] = count(hand, KINGS)
    out[7] = size(at_least(hand, 4))
    out[8] = waiting(hand)


@kernel
def landlord_wins(hand):
    """Predict the win probability of a landlord who holds 17 cards, packed, and gets three more."""
    features = np.empty(len(WEIGHTS))
    write_features(hand, features)
    odds = 0.0
    for i in range(len(WEIGHTS)):
        odds += features[i] * WEIGHTS[i]
    return 1 / (1 + math.exp(-odds))


@kernel
def score(kind, hand):
    """Score a packed hand by the module `KINDS[kind]`: points, or a probability by `fitted`."""
    if kind == FITTED:
        return landlord_wins(hand)
    points = np.float64(control(hand))
    return points - waiting(hand) if kind == LOGIC else points


@kernel
def bid_with(kind, worth, rules, view):
    """Choose the action of a bid module, an id without sub-steps, before cards are played.

    `kind` is an index into `KINDS`, and `worth` the `score` of the hand.
    """
    if view.landlord >= 0 or rules.options.robbing:
        return say_with(kind, worth, rules, view)
    for bid in range(3, view.stake, -1):
        if worth >= BIDS_FROM[kind, view.words, view.stake, bid - 1]:  # `words` is the seat
            return pass_id(rules) + bid
    return pass_id(rules)


@kernel
def say_with(kind, worth, rules, view):
    """Choose a word other than a bid: call, rob, double or show if the hand is worth it."""
    if view.landlord < 0:
        what, word = (CALLING, CALL) if view.stake == 0 else (ROBBING, ROB)
    elif rules.options.show_word > 0 and words_to_come(rules, view) == 1:
        what, word = SHOWING, rules.options.show_word
    else:
        what, word = DOUBLING, rules.options.double_word
    return pass_id(rules) + (word if worth >= LEAST[kind, what] else 0)


@kernel
def choose_bid(rules, view):
    """Choose the word of `fitted`, by which most agents bid: an action id without sub-steps."""
    return bid_with(FITTED, landlord_wins(view.hands[view.player]), rules, view)


def openings(rules: Rules, views: np.ndarray) -> np.ndarray:
    """Mark the views in which a word is to be said, bool [n]."""
    if not rules.has_opening:
        return views["landlord"] < 0
    return np.array([bool(is_opening(rules, view)) for view in np.rec.array(views)], bool)


@kernel
def score_all(kind, views, worths):
    """Score the hand of the player to act in each view; write to `worths`, float64 [n]."""
    for i in range(len(views)):
        worths[i] = score(kind, views[i].hands[views[i].player])


@kernel
def bid_worths(kind, worths, rules, views, actions):
    """Write `bid_with` for each view to `actions`, int32 [n]; `worths`, [n], are the scores."""
    for i in range(len(views)):
        actions[i] = bid_with(kind, worths[i], rules, views[i])


class BiddingAgent(BatchAgent):
    """Agent that bids by a module, one of `KINDS`, and plays as another agent.

    Raises:
        InputError: The game has no bidding, or the kind is unknown.
    """

    def __init__(self, game: Game, kind: str, player: Agent) -> None:
        if not game.options["bidding"]:
            raise InputError("the agent bids is for games with bidding: --option bidding=true")
        if kind not in KINDS:
            raise InputError(f"no bid module {kind!r}; there are {ALL_KINDS}")
        super().__init__(game, f"bids:{kind}:{player.name}")
        self._kind = KINDS.index(kind)
        self._player = player

    @property
    def spent(self) -> np.ndarray:
        """Cost of the playing agent's searches, float64 [4] (`closedhand.core.agents.SPENT`)."""
        return spent_by([self._player])[0]

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, int32 [n], for each view, states [n]."""
        actions = np.empty(len(views), np.int32)
        auction = openings(self.game.flat.rules, views)
        if auction.any():
            actions[auction] = self._bids(views[auction])
        if not auction.all():
            actions[~auction] = act_batch(self._player, views[~auction])
        return actions

    @property
    def probabilities(self) -> Callable[[np.ndarray], np.ndarray]:
        """Policy (see `Agent`); raises an `AttributeError` if the playing agent has none."""
        if not hasattr(self._player, "probabilities"):
            raise AttributeError("the playing agent has no probabilities")
        return self._probabilities

    def _probabilities(self, views: np.ndarray) -> np.ndarray:
        shares = np.zeros((len(views), self.game.num_actions))
        auction = openings(self.game.flat.rules, views)
        if auction.any():
            shares[auction, self._bids(views[auction])] = 1.0
        if not auction.all():
            shares[~auction] = policy_or_choices(self.game, self._player, views[~auction])
        return shares

    def _bids(self, views: np.ndarray) -> np.ndarray:
        rules = self.game.flat.rules
        worths, actions = np.empty(len(views)), np.empty(len(views), np.int32)
        score_all(self._kind, views, worths)
        auction = np.flatnonzero(views["landlord"] < 0)
        if len(auction):  # words after the auction keep the module's scores
            worths[auction] = self._worths(rules, views[auction], worths[auction])
        bid_worths(self._kind, worths, rules, views, actions)
        if self.game.options["substeps"]:
            words = actions - pass_id(rules)
            actions = np.where(words > 0, FIRST_BID + words - 1, PASS_GROUP).astype(np.int32)
        return actions

    def _worths(self, rules: Rules, views: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """Return scores to bid by in auctions, float64 [n]; by default the module's, `scores`."""
        return scores
