"""The planes of the Leduc family."""

import numpy as np
import pytest
from support import positions
from support_leduc import UH, play

from closedhand import make_game


@pytest.mark.slow
@pytest.mark.parametrize("name", ["uh_leduc", "leduc"])
def test_planes_tell_all_information_sets_apart(name: str) -> None:
    """Perfect recall: the same plane means the same own card, flop and history, and the reverse."""
    game = make_game(name)
    plane_of: dict[tuple, bytes] = {}
    for state in positions(game, seed=4, games=3000):
        player = int(state.player)
        if game.over(state):
            continue
        flop = int(state.cards[2]) if game.rules.tables.nodes[state.node].phase == 2 else -1
        known = (int(state.cards[player]), flop, *state.history[: state.moves].tolist())
        plane = game.observe(state, player)["observation"].tobytes()
        assert plane_of.setdefault(known, plane) == plane
    assert len(set(plane_of.values())) == len(plane_of) > 600


def test_an_observation_in_full() -> None:
    state = play(UH, "SK;HQ;SA", "check raise call raise")
    seen = UH.observe(state, 1)
    rows = ["".join(map(str, row)) for row in seen["observation"].tolist()]
    assert rows == [
        "00100000",  # HQ
        "00000001",  # SA
        "01000000",  # check
        "00010000",  # raise
        "00100000",  # call
        "00010000",  # raise
        "00000000",
        "00000000",
    ]
    assert seen["status"].tolist() == [1, 2, 4, 7]


def test_the_second_phase_has_rows_of_its_own() -> None:
    """Also after a short first phase, in the planes as in the compact numbers."""
    state = play(UH, "SK;HQ;SA", "raise call check")
    rows = UH.observe(state, 1)["observation"]
    assert {int(row): int(column) for row, column in np.argwhere(rows[2:])} == {0: 3, 1: 2, 3: 1}
    numbers = dict(zip(UH.feature_names, UH.features(state, 1).tolist(), strict=True))
    taken = [name for name, number in numbers.items() if number and name.startswith("action")]
    assert taken == ["action 1 1 raise", "action 1 2 call", "action 2 1 check"]
    told = {name: number for name, number in numbers.items() if number and name not in taken}
    assert told == {"seat T": 1, "phase 2": 1, "bet self": 4, "bet opponent": 4, "card HQ": 1,
                    "flop SA": 1}  # fmt: skip
