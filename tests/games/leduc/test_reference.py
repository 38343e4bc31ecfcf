"""The kernels of the Leduc family against the slow statement of the rules, step by step."""

from typing import Any

import numpy as np
import pytest
from reference import leduc
from support import VARIANTS, examples, variant_id
from support_leduc import state_text

from closedhand import make_game


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant",
    [variant for variant in VARIANTS if variant[0] in ("uh_leduc", "leduc")],
    ids=variant_id,
)
def test_random_games_of_leduc_agree_step_by_step(variant: tuple[str, dict[str, Any]]) -> None:
    """Every history of every deal would be 13,348 games; this is a third as many, at random."""
    name, options = variant
    game = make_game(name, **options)
    rng = np.random.default_rng(22)
    for _ in range(examples(4000)):
        state = game.deal(rng)
        reference = leduc.Reference(game.deal_text(state), **game.options)
        while not game.over(state):
            legal = {game.text(int(action)) for action in game.legal(state)}
            assert legal == reference.legal()
            assert state.player == reference.player
            assert state_text(game, state) == reference.text()
            node = game.rules.tables.nodes[state.node]
            assert (node.phase, node.bets.tolist()) == (reference.phase, reference.bets)
            action = sorted(legal)[int(rng.random() * len(legal))]
            game.play(state, game.parse(action))
            reference.play(action)
        assert reference.over()
        assert state_text(game, state) == reference.text()
        assert game.returns(state).tolist() == reference.returns()
