"""Q-learning."""

from support_leduc import UH, shares_at, solved

from closedhand.agents.leduc.tree import information_sets
from closedhand.games.leduc.plays import ACTIONS


def test_q_learning_finds_best_responses_to_what_stands_still() -> None:
    """In self-play nothing does; but the last decision of a hand is: never fold a sure win."""
    shares = shares_at(solved(UH, 3_000_000, "q-learning"))
    for place in information_sets(UH):
        if place.state == "(s2,7,10,SA,SA)":
            assert shares[place[:3]][ACTIONS.index("call")] == 1
