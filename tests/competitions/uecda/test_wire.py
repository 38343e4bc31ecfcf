"""The cells of the protocol's tables."""

import numpy as np
from support_uecda import GAME, Lowest

from closedhand.competitions.uecda import client, wire
from closedhand.competitions.uecda.table import warm_up_table
from closedhand.games.daihinmin import plays


def test_cells_follow_the_protocol() -> None:
    every = range(plays.NUM_ACTIONS)
    assert [wire.read_play(wire.play_cells(play)) for play in every] == list(every)
    for play, cells in (
        ("_c*3c4c", {(3, 0): 2, (3, 1): 1, (3, 2): 1}),
        ("Ks*As2s", {(0, 11): 2, (0, 12): 1, (0, 13): 1}),
        ("2c2d2h2s+*", {(0, 13): 1, (1, 13): 1, (2, 13): 1, (3, 13): 1, (4, 13): 2}),
    ):
        numbers = np.frombuffer(wire.play_cells(GAME.parse(play)), ">i4").reshape(5, 15)
        assert {(int(r), int(c)): int(numbers[r, c]) for r, c in np.argwhere(numbers)} == cells
    for place in range(60):
        lone = (bytes(4 * place + 3) + b"\2").ljust(wire.CELLS, b"\0")
        assert wire.read_play(lone) == plays.JOKER
        assert wire.held_cards(lone) == int(plays.JOKER_BIT)


def test_tables_are_read_back() -> None:
    for cards in (0, int(plays.DECK), 1 << 52, 0x123456789ABC):
        assert wire.held_cards(wire.hand_cells(cards)) == cards
    for garbage in (b"\xff" * wire.CELLS, b"\0\0\0\3".ljust(wire.CELLS, b"\0")):
        assert wire.read_play(garbage) is None is wire.held_cards(garbage)
    assert wire.read_profile(wire.profile("a name with ü")) == "a_name_wi"
    assert wire.read_profile(wire.profile("")) == "_"
    assert wire.read_profile(bytes(wire.TABLE)) is None
    rows = np.frombuffer(wire.profile("x" * 40), ">i4").reshape(-1, 15)
    assert rows[1].tolist() == [ord("x")] * 14 + [0] and not rows[2:].any()
    foreign = rows[:2].copy()
    foreign[1] = [ord("a"), 127, 128, 2**31 - 1, -1, *[0] * 10]
    assert wire.read_profile(foreign.tobytes().ljust(wire.TABLE, b"\0")) == "a____"
    status = wire.Status(1, 2, 1, 4, 1, 0, 1, 1, (1, 2, 3, 4, 5), (4, 3, 2, 1, 0), (2, 0, 1, 4, 3))
    table = wire.hand_cells(7) + status.pack()
    assert wire.read_status(table) == status and wire.turn_of(table) == (4, True)
    whole = status._replace(margin=bytes(range(28)), last_row=bytes(range(60)))
    assert wire.read_status(wire.NOTHING + whole.pack()) == whole


def cells_with(*places: tuple[int, int, int]) -> bytes:
    numbers = np.zeros((wire.ROWS, wire.COLUMNS), ">i4")
    for row, column, value in places:
        numbers[row, column] = value
    return numbers.tobytes()


def test_what_means_nothing_is_told_from_cards() -> None:
    for value, shows in ((1, True), (2, True), (3, False), (-1, False), (2**31 - 1, False)):
        for row, column in ((0, 0), (2, 7), (4, 14)):
            assert wire.shows_cards(cells_with((row, column, value))) is shows
        assert not wire.shows_cards(cells_with((5, 0, value)))
    written = cells_with((5, 7, 1), (5, 8, 5), (5, 13, -1), (5, 14, 7), (6, 0, 2))
    assert np.frombuffer(wire.margin_of(written), ">i4").tolist() == [5, 0, 0, 0, 0, 0, 7]
    assert wire.margin_of(wire.BLANK) == wire.NO_MARGIN


def test_the_table_of_plays_is_built_ahead_of_the_first_turn() -> None:
    for warm_up in (lambda: warm_up_table(GAME), lambda: client.warm_up(GAME, Lowest())):
        wire._plays_by_cells.cache_clear()
        warm_up()
        assert wire._plays_by_cells.cache_info().currsize == 1
