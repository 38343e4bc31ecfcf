"""What is counted of a hand that is taken apart."""

import numpy as np
import pytest
from support_doudizhu import costs_against, position

from closedhand.agents.doudizhu.decompose import features, partition
from closedhand.games.doudizhu.counts import DECK, pack


@pytest.mark.slow
def test_what_is_left_is_counted_in_groups() -> None:
    """A chain, a trio with its kicker, a strong pair and a bomb, against low cards."""
    game, view = position("34567999QQ2222;3JJ;A", player=0)
    view.played[1] = DECK - view.hands[0] - pack("3JJA")
    found = np.empty(features.MOST_FEATURES, np.int64)
    nodes = np.empty(partition.MOST_NODES, partition.NODE)
    n, form, _ = features.take_apart(
        view.hands[0],
        features.inputs_of(game.rules, view),
        costs_against("3JJA"),
        nodes,
        found,
    )
    # The trio finds no kicker that is worth giving away; nothing beats any of the four groups.
    assert (n, form) == (4, min(4, features.MOST_STRONG))
    assert len(set(found[:n])) == n
