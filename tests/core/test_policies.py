"""Policies of agents: each is compiled for itself."""

import numpy as np
import support_policy_first
import support_policy_last

from closedhand import make_game
from closedhand.baselines.agent import KernelAgent
from closedhand.core import batch


def test_policies_of_one_name_and_form_are_not_confused() -> None:
    game = make_game("leduc")
    states = batch.deal(game, range(20))
    masks = batch.legal_masks(game, states)
    first, last = (
        KernelAgent(game, "extreme", module.Extreme(1)).act_batch(states)
        for module in (support_policy_first, support_policy_last)
    )
    assert (first == masks.argmax(axis=1)).all()
    assert (last == game.num_actions - 1 - np.flip(masks, axis=1).argmax(axis=1)).all()
    assert (first != last).all()
