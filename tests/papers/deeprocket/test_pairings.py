"""The roles of the paper's agents."""

from closedhand.arena import match
from closedhand.papers.deeprocket import pairings

GAME = pairings.the_game()


def test_roles_are_those_of_a_duplicate_match() -> None:
    duplicate = match.play_chunk(GAME, ["greedy", "rule"], 3, range(5, 25)).returns
    for table, specs in enumerate((("greedy", "rule"), ("rule", "greedy"))):
        played = pairings.play_roles(GAME, *specs, 3, range(5, 25))
        assert (played.returns[:, 0] == duplicate[:, table]).all()
        assert (played.decisions > 0).all() and (played.seconds > 0).all()
    itself = pairings.play_roles(GAME, "rule", "rule", 3, range(5, 25)).returns
    assert (itself[:, 0] != duplicate[:, 0]).any()
