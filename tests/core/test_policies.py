"""Rules and policies of one name and form: each is compiled for itself."""

import pickle
from typing import NamedTuple

import numpy as np
import support_policy_first
import support_policy_last

from closedhand import make_game
from closedhand.agents.agent import KernelAgent
from closedhand.core import batch
from closedhand.core.numba.jit import with_distinct_name


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


def test_classes_of_one_name_are_told_apart() -> None:
    def make() -> type:
        class Numbers(NamedTuple):
            one: int

        return Numbers

    names = {type(with_distinct_name(cls(1))).__name__ for cls in (make(), make(), make())}
    assert len(names) == 3
    nested = with_distinct_name(support_policy_first.Extreme(support_policy_last.Extreme(2)))
    assert type(nested).__name__ == "support_policy_first.Extreme"
    assert type(nested.number).__name__ == "support_policy_last.Extreme"
    assert pickle.loads(pickle.dumps(nested)) == nested
    assert with_distinct_name(7) == 7
