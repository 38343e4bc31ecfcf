"""Greedy's bids and tactics."""

import numpy as np
from support_doudizhu import choice, tactics

from closedhand import make_agent, make_game


def test_greedy_bids_on_good_hands_only() -> None:
    game = make_game("doudizhu", bidding=True)
    agent = make_agent(game, "greedy")
    bids = {0: 0, 1: 0, 2: 0, 3: 0}
    rng = np.random.default_rng(0)
    for _ in range(500):
        text = game.text(agent.act(game.deal(rng)))
        bids[0 if text == "PASS" else int(text[-1])] += 1
    assert bids[0] > bids[3] > 10
    assert bids[1] + bids[2] > 10


@tactics(
    # Plays out where it can, with a bomb if it has to.
    ("34567;5;6", "", 0, 0, "34567"),
    ("5555;5;6", "A", 2, 0, "5555"),
    # Nobody can beat the big joker: then the last card.
    ("3B;5;6", "", 0, 0, "B"),
    ("3B;5;6", "4", 2, 0, "B"),
    # No low solo while an enemy holds one card.
    ("34455;7;889", "", 0, 0, "44"),
    ("37K;7;889", "", 0, 0, "K"),
    ("4;55K;9TJ", "", 1, 1, "55"),
    ("3;9TJ;47A", "", 2, 2, "A"),
    # Feeds a partner who holds one card (the paper's cooperation example).
    ("55667788;339TJ2;5", "", 1, 1, "3"),
    # Leaves the trick to its partner.
    ("33345678;6789TT2;4", "A", 2, 1, "PASS"),
    # Does not bomb a low solo of an enemy who is far from playing out.
    ("345677778TQK;3456689TJQ;345689TJQK", "5", 2, 0, "T"),
)
def test_greedy_plays(hands: str, target: str, owner: int, player: int, play: str) -> None:
    assert choice("greedy", hands, target, owner, player) == play
