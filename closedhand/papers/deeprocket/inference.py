"""Section 6 of the DeepRocket paper: the landlord's inference about the kings.

"Landlord played out “3” at first, and has one “K” in hand. Down Peasant chose “PASS”, and Up
Peasant played out “K”. Human expert deduces the maximum probability of “K” distribution is Down
Peasant has two “K”." Here particles, as in the agent `search`, estimate the probability.
"""

from math import comb
from typing import Any

import numpy as np

from closedhand.agents.doudizhu.decompose.agent import load, policy_of
from closedhand.agents.doudizhu.search.styles import Styles
from closedhand.core.game import Game, State
from closedhand.core.statistics import student
from closedhand.games.doudizhu.counts import RANKS, count
from closedhand.papers.deeprocket.pairings import the_game
from closedhand.search.particles import Particles

KING = RANKS.index("K")
PLAYS = ("3", "pass", "K")
"""Plays of the landlord, the down peasant and the up peasant."""
LANDLORD, DOWN, UP = range(3)
HANDS = 100
PARTICLES = 256  # for each of the landlord's hands
COUNTED = comb(17, 2) / comb(33, 2)
"""Probability that the down peasant, with 17 of the 33 unseen cards, holds both remaining kings,
without regard to the plays."""


def infer(seed: int = 0, hands: int = HANDS) -> dict[str, Any]:
    """Estimate the probability that the down peasant holds both remaining kings.

    Returns:
        `counted`: the probability from the number of cards alone; `inferred`: the mean over the
        landlord's hands, with its 95% interval, from particles weighted by the plays; `raised`: the
        share of hands in which the particles' probability is above `counted`; and `hands`.
    """
    game = the_game()
    rng = np.random.default_rng((seed, 0x6C))
    # The opponent model of the agent `search`; 0: no seat is known to play like `rule`.
    policy = Styles(policy_of(load(None), sampled=False), 0, knows_rule=True)
    found = np.empty(hands)
    for i in range(hands):
        particles = Particles(game, policy, _view(game, rng), PARTICLES, rng).states
        found[i] = np.mean([count(hand, KING) == 2 for hand in particles["hands"][:, DOWN]])
    [inferred] = student(found[:, None])
    return {
        "counted": COUNTED,
        "inferred": inferred,
        "raised": float((found > COUNTED).mean()),
        "hands": hands,
    }


def _view(game: Game, rng: np.random.Generator) -> State:
    """Deal a view of a landlord with one king, who led a 3 and saw a pass and a king."""
    while True:
        state = game.deal(rng)
        hands = state["hands"]
        kings, threes = count(hands[LANDLORD], KING), count(hands[LANDLORD], 0)
        if kings == 1 and threes and count(hands[UP], KING):
            for text in PLAYS:
                game.play(state, game.parse(text))
            return game.view(state, LANDLORD)


def report(found: dict[str, Any]) -> list[str]:
    """Write the result of `infer` as lines of Markdown."""
    mean, low, high = found["inferred"]
    return [
        "The landlord, who has one K, leads a 3; the down peasant passes, the up peasant plays K.",
        "The probability that the down peasant holds both other kings is",
        f"{found['counted']:.1%} by the number of cards, and {mean:.1%} ({low:.1%} to",
        f"{high:.1%}) by the particles of `search`, which are weighted by the plays. It is raised",
        f"in {found['raised']:.0%} of {found['hands']} hands of the landlord.",
    ]
