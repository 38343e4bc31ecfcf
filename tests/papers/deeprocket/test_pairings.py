"""The roles of the paper's agents."""

from closedhand.core.duplicate import play_chunk
from closedhand.papers.deeprocket import pairings

GAME = pairings.the_game()


def test_roles_are_those_of_a_duplicate_match() -> None:
    duplicate = play_chunk(GAME, ["greedy", "rule"], 3, range(5, 25)).returns
    roles = None, [GAME.sides]
    for table, specs in enumerate((("greedy", "rule"), ("rule", "greedy"))):
        played = play_chunk(GAME, specs, 3, range(5, 25), *roles)
        assert (played.returns[:, 0] == duplicate[:, table]).all()
        assert (played.decisions > 0).all() and (played.seconds > 0).all()
    itself = play_chunk(GAME, ("rule", "rule"), 3, range(5, 25), *roles).returns
    assert (itself[:, 0] != duplicate[:, 0]).any()
