"""The kernels of Dou Dizhu against the slow statement of the rules, step by step."""

import numpy as np
import pytest
from reference.doudizhu import Reference
from support_doudizhu import as_tuple

from closedhand import make_game
from closedhand.games.doudizhu.counts import RANKS as RANK_LETTERS


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel"])
def test_random_games_agree_step_by_step(rules: str) -> None:
    """Legal actions at every step, planes of all seats at some, returns at the end."""
    game = make_game("doudizhu", rules=rules, bidding=False, spring=True)
    rng = np.random.default_rng(20)
    for _ in range(12):
        state = game.deal(rng)
        reference = Reference(game.deal_text(state), rules, spring=True)
        while not game.over(state):
            ours = {as_tuple(game, int(action)): int(action) for action in game.legal(state)}
            assert set(ours) == reference.legal()
            assert state.player == reference.player
            if rng.random() < 0.2:
                for seat in range(3):
                    planes = game.observe(state, seat)["observation"]
                    assert {tuple(cell) for cell in np.argwhere(planes)} == reference.planes(seat)
            # Plays with kickers are rare in random games: prefer them.
            chosen = max(ours, key=lambda play: (len(play[2]) * (rng.random() < 0.5), rng.random()))
            game.play(state, ours[chosen])
            reference.play(chosen)
        assert reference.over()
        assert game.returns(state).tolist() == reference.returns()


@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel"])
def test_large_hands_hold_the_same_plays(rules: str) -> None:
    """Hands of twenty cards from few ranks: chains with kickers of every kind."""
    game = make_game("doudizhu", rules=rules, bidding=False)
    rng = np.random.default_rng(21)
    for _ in range(10):
        low = int(rng.integers(0, 8))
        ranks = RANK_LETTERS[low : low + 6] + "SB"
        deck = [rank for rank in ranks for _ in range(1 if rank in "SB" else 4)]
        hand = "".join(rng.permutation(deck)[:20])
        rest = list(RANK_LETTERS[:13] * 4 + "SB")
        for card in hand:
            rest.remove(card)
        others = "".join(rest)
        deal = ";".join([hand[:17], others[:17], others[17:], hand[17:]])
        state = game.parse_deal(deal)
        ours = {as_tuple(game, int(action)) for action in game.legal(state)}
        assert ours == Reference(deal, rules).legal()
