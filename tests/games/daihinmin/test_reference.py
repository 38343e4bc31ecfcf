"""The kernels of Daihinmin against the slow statement of the rules, step by step."""

from typing import Any

import numpy as np
import pytest
from reference import daihinmin
from support_daihinmin import cards_of

from closedhand import make_game

DAIHINMIN_OPTIONS: list[dict[str, Any]] = [
    {},
    {"classes": "random"},
    {"classes": "random", "overplay": False, "lead_pass": False},
    {"joker_edges": False, "spade_three": False, "pass_limit": 6},
    {"kaidan": False, "lock": False},
    {"eight_stop": False, "revolution": False, "joker_unlocks": False},
]


def few_of_the_same(options: list[str], rng: np.random.Generator) -> str:
    """One of the actions; large plays are rare in random games, and are preferred."""
    return max(options, key=lambda text: (len(text) * (rng.random() < 0.3), rng.random()))


@pytest.mark.slow
@pytest.mark.parametrize("options", DAIHINMIN_OPTIONS, ids=str)
def test_random_rounds_of_daihinmin_agree_step_by_step(options: dict[str, Any]) -> None:
    game = make_game("daihinmin", **options)
    rng = np.random.default_rng(23)
    known = {name: value for name, value in options.items() if name != "classes"}
    for _ in range(12):
        state = game.deal(rng)
        seats, classes, *hands = game.deal_text(state).split(";")
        reference = daihinmin.Reference(
            [cards_of(hand) for hand in hands],
            [int(player) for player in seats],
            None if classes == "-" else [int(each) for each in classes],
            **known,
        )
        try:
            while not game.over(state):
                legal = [game.text(int(action)) for action in game.legal(state)]
                assert state.player == reference.player
                assert set(legal) == reference.legal()
                assert len(legal) == len(set(legal))
                action = few_of_the_same(legal, rng)
                game.play(state, game.parse(action))
                reference.play(action)
        except daihinmin.Stuck:
            assert game.over(state)  # the rest is ranked at random
            continue
        assert reference.over()
        assert state.places.tolist() == reference.places
        assert game.returns(state).tolist() == reference.points()
