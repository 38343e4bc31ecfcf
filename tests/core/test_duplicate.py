"""The tables of a duplicate deal."""

from closedhand.core import duplicate


def test_two_sides_make_two_tables() -> None:
    assert duplicate.tables((0, 1, 1)) == [(0, 1, 1), (1, 0, 0)]


def test_each_agent_is_alone_once_at_every_seat_of_a_game_without_sides() -> None:
    tables = duplicate.tables((0, 1, 2, 3))
    assert len(set(tables)) == 8
    for agent in (0, 1):
        alone = [table.index(agent) for table in tables if table.count(agent) == 1]
        assert sorted(alone) == [0, 1, 2, 3]
