"""The agent `value-net`: plays the action of the greatest value by its network.

1. List the candidates of `decompose` (`decompose/agent.py`), one play for each main group.
2. Make a play that wins at once, or the only one, without the network.
3. Leave out candidates that `decompose` rates much lower than the best (`FURTHEST`), and all but
   its best `MOST_EVALUATED`.
4. Add up the first layer's rows for the position and the hand once. For each candidate replace the
   rows of the inputs that it changes, and compute its value (`network.py`).
5. Play the candidate of the greatest value.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.agent import RatingAgent
from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.decompose.agent import CANDIDATES, list_plays, weigh
from closedhand.agents.doudizhu.decompose.features import MOST_FEATURES
from closedhand.agents.doudizhu.decompose.partition import MOST_NODES, NODE, ROWS
from closedhand.agents.doudizhu.limits import check_three
from closedhand.agents.doudizhu.value_net import features, files, network
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.auction import is_opening
from closedhand.games.doudizhu.state import SEATS

FURTHEST = -0.96
"""A play is evaluated only if `Policy.share` times its `Space.priors` is at least this number.
With the share of the objective `win`, 0.06, a play may be 16 below the best one by `decompose`."""
MOST_EVALUATED = 8
"""Maximum number of plays to evaluate, the best ones by `decompose`; more if the last ones tie."""


class Policy(NamedTuple):
    """The policy that plays the action of the greatest value."""

    kernels = "closedhand.agents.doudizhu.value_net.agent"

    prior: decompose.Policy
    net: network.Rounded
    share: float  # factor of the sum of `decompose` in a value


class Space(NamedTuple):
    """Scratch space of a decision, and the results of `rate`; shapes are in `make_space`."""

    plays: np.ndarray  # the candidates
    values: np.ndarray  # their values; -inf if not evaluated
    priors: np.ndarray  # their sums of `decompose`, less the greatest one
    features: np.ndarray  # their features of `decompose`
    numbers: np.ndarray  # the number of these features
    position: np.ndarray  # the inputs of the position
    changed: np.ndarray  # inputs of a hand, then changes
    common: np.ndarray  # sums of the rows for the position and the hand before the play
    of_inputs: np.ndarray  # sums of the rows of inputs for a play
    of_plays: np.ndarray  # sums of the rows of features for a play
    outputs: np.ndarray  # see `whole_head`
    nodes: np.ndarray  # see `partition`
    costs: np.ndarray  # see `partition`


@kernel
def make_space():
    """Allocate the scratch space of `rate`."""
    return Space(
        np.empty(CANDIDATES, np.int64),
        np.empty(CANDIDATES),
        np.empty(CANDIDATES),
        np.empty((CANDIDATES, MOST_FEATURES), np.int64),
        np.empty(CANDIDATES, np.int64),
        np.empty(features.MOST_POSITION, np.int64),
        np.empty(2 * features.MOST_HAND, np.int64),
        np.empty(network.UNITS, np.int16),
        np.empty(network.UNITS, np.int16),
        np.empty(network.NARROW, np.int16),
        np.empty(network.UNITS, np.int16),
        np.empty(MOST_NODES, NODE),
        np.empty((ROWS, 15), np.int64),
    )


@kernel
def role_of(state):
    """Return the role of the player to act: 0 landlord, 1 down peasant, 2 up peasant."""
    return (np.int64(state.player) - np.int64(state.landlord)) % SEATS


@kernel
def better(priors, i):
    """Count the candidates that `decompose` rates higher than candidate `i`."""
    number = 0
    for prior in priors:  # a loop counts faster than a sort: there are few candidates
        number += prior > priors[i]
    return number


@kernel
def rate(policy, rules, state, ids, space):
    """Write the candidate plays and their values into `space`.

    Returns:
        The number of candidates, the index of the one to play without evaluation, and the number
        of inputs of the position. With an index of -1 all results are valid, and a value of -inf
        marks a play that is not evaluated; with any other index only `plays` is valid.
    """
    n, k = list_plays(rules, state, ids, space.costs, space.nodes, space.plays)
    if k >= 0:
        return n, k, 0
    weigh(
        policy.prior, rules, state, space.plays, n, space.costs, space.nodes, space.priors,
        space.features, space.numbers,
    )  # fmt: skip
    role = role_of(state)
    rows, hand = policy.net.inputs[role], state.hands[state.player]
    common, of_inputs, of_plays = space.common, space.of_inputs, space.of_plays
    known = features.describe_position(rules, state, space.position)
    # `round_rows` has scaled the rows so that a sum with one row of every sort (`features.SORTS`)
    # fits int16. A candidate replaces inputs by others of their sorts, so every sum below fits.
    common[:] = 0
    network.add_rows(rows, space.position, 0, known, common)
    held = features.write_cards(hand, features.HAND, space.changed, 0)
    network.add_rows(rows, space.changed, 0, held, common)
    priors = space.priors[:n]
    priors -= priors.max()
    for i in range(n):
        if policy.share * priors[i] < FURTHEST or (
            n > MOST_EVALUATED and better(priors, i) >= MOST_EVALUATED
        ):
            space.values[i] = -np.inf
            continue
        play = space.plays[i]
        group = features.PLAY + features.known_group(rules, play)
        for u in range(network.UNITS):
            of_inputs[u] = common[u] + rows[group, u]
        ended, changed = features.describe_change(hand, rules.plays.need[play], space.changed)
        network.subtract_rows(rows, space.changed, 0, ended, of_inputs)
        network.add_rows(rows, space.changed, ended, changed, of_inputs)
        of_plays[:] = 0
        network.add_rows(policy.net.plays, space.features[i], 0, space.numbers[i], of_plays)
        space.values[i] = (
            network.whole_head(policy.net, role, of_inputs, of_plays, space.outputs)
            + policy.share * priors[i]
        )
    return n, k, known


@kernel
def decide(policy, rules, view, ids):
    """Choose the play of the greatest value, or a bid."""
    if is_opening(rules, view):
        return np.int64(choose_bid(rules, view))
    space = make_space()
    n, k, _ = rate(policy, rules, view, ids, space)
    return space.plays[np.argmax(space.values[:n]) if k < 0 else k]


def policy_of(net: network.Net, objective: str) -> Policy:
    """Make the policy of a network trained for `objective`."""
    prior = decompose.policy_of(decompose.load(None), sampled=False)
    return Policy(prior, network.rounded(net), files.SHARES[objective])


class ValueNetAgent(RatingAgent):
    """Agent that plays by a network and the objective of its training, `win` or `score`."""

    def __init__(self, game: Game, name: str, net: network.Net, objective: str) -> None:
        super().__init__(game, name, policy_of(net, objective))

    def rate_plays(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List one play for each main group, and its value: 0 if chosen without the network."""
        space = make_space()
        n, k, _ = rate(self.whole, self.game.flat.rules, view, self._ids, space)
        if k >= 0:
            space.values[:n] = np.where(np.arange(n) == k, 0.0, -np.inf)
        return space.plays[:n], space.values[:n]


@described(
    lambda game, argument: Traits(files.files_of(argument), microseconds=9),
    plays=(files.NAME, "value-net:{}"),
)
def make_value_net(game: Game, seed: int, argument: str | None) -> ValueNetAgent:
    """Make the agent `value-net`, or `value-net:PATH` with a file or folder of `closedhand train`.

    Raises:
        InputError: There is no network of this kind at the path, or the game has two players.
    """
    check_three(game, "value-net")
    net, about = files.load(argument, game.options["objective"])
    name = str(AgentSpec("value-net", argument=argument))
    return ValueNetAgent(game, name, net, about["objective"])
