"""Samples of self-play for the network of `value-net`.

1. Play a game. All seats take the action of the greatest value, or at times a random one
   (`EXPLORATION`).
2. Write a sample of a decision, unless a play is the only one or empties the hand: inputs, target.
3. Go back from the end. The target of a decision mixes the result of the game with the network's
   values of the same player's later decisions (an eligibility trace, Watkins' Q(lambda), 1989).
   These values vary less with luck than the result does.
4. A random choice ends the trace of the decisions before it.
"""

import numpy as np

from closedhand.agents.doudizhu.decompose.features import MOST_FEATURES
from closedhand.agents.doudizhu.value_net import features
from closedhand.agents.doudizhu.value_net.agent import make_space, rate, role_of
from closedhand.agents.doudizhu.value_net.network import ROLES, probability
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.state import LONGEST

EXPLORATION = 0.01
"""Share of random choices."""
TRACE = 0.9
"""Weight of the target of the player's next decision; the value of that decision has the rest."""
MOST_DOUBLINGS = 3
"""Greatest number of bombs that double the points of a target. Games with more are rare, and their
points would outweigh all others."""

SAMPLE = record_type(
    [
        ("inputs", "u2", features.MOST_INPUTS),  # of the position, the hand left, and the play
        ("features", "u2", MOST_FEATURES),  # of `decompose`
        ("prior", "f4"),  # sum of `decompose`, less that of the best play
        ("target", "f4"),  # probability to win, or points
        ("role", "u1"),  # see `role_of`
        ("known", "u1"),  # number of inputs
        ("number", "u1"),  # number of features
    ]
)


@kernel
def play_games(policy, rules, win, games, rng, ids, states, samples):
    """Play games and write samples while there is space; return the number of each.

    With `win` the values are log-odds to win, otherwise points. `states` is scratch space for one
    state; the output is `samples`, `SAMPLE` [room].
    """
    state = states[0]
    space = make_space()
    ahead, explored = np.empty(LONGEST), np.empty(LONGEST, np.bool_)
    n = 0
    for game in range(games):
        if n + LONGEST > len(samples):
            return game, n
        flat.deal(rules, state, seed_in_kernel(rng))
        first = n
        while not flat.over(rules, state):
            candidates, k, known = rate(policy, rules, state, ids, space)
            if k < 0:
                k = np.argmax(space.values[:candidates])
                value = space.values[k]
                ahead[n - first] = probability(value) if win else value
                explored[n - first] = rng.random() < EXPLORATION
                if explored[n - first]:
                    k = np.int64(rng.random() * candidates)
                    while space.values[k] == -np.inf:
                        k = np.int64(rng.random() * candidates)
                write_sample(rules, state, space, known, k, samples[n])
                n += 1
            flat.play(rules, state, space.plays[k])
        set_targets(state, win, ahead, explored, samples[first:n])
    return games, n


@kernel
def write_sample(rules, state, space, known, k, sample):
    """Write a sample, except its target, for candidate `k`; `state` is the one before its play.

    `space` has the results of `rate`, and `known` is the number of inputs of the position.
    """
    play = space.plays[k]
    for i in range(known):
        sample.inputs[i] = space.position[i]
    left = state.hands[state.player] - rules.plays.need[play]
    n = features.write_cards(left, features.HAND, sample.inputs, known)
    sample.inputs[n] = features.PLAY + features.known_group(rules, play)
    sample.known = n + 1
    sample.number = space.numbers[k]
    for i in range(space.numbers[k]):
        sample.features[i] = space.features[k, i]
    sample.prior = space.priors[k]
    sample.role = role_of(state)


@kernel
def set_targets(state, win, ahead, explored, samples):
    """Write the targets of the samples of a finished game, given in the order of play.

    `ahead` has the expected result of the best choice at each sample, float64, and `explored`
    whether the choice was random, bool.
    """
    landlord_won = state.left[state.landlord] == 0
    points = 1.0 if win else 2.0 ** min(np.int64(state.bombs), MOST_DOUBLINGS)  # per peasant
    loss = 0.0 if win else -points
    targets = np.empty(ROLES)  # of the next sample of each role, going back from the end
    for role in range(ROLES):
        targets[role] = points if landlord_won == (role == 0) else loss
    for i in range(len(samples) - 1, -1, -1):
        role = samples[i].role
        samples[i].target = targets[role]
        if explored[i]:
            targets[role] = ahead[i]
        else:
            targets[role] = TRACE * targets[role] + (1.0 - TRACE) * ahead[i]
