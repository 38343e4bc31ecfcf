"""The tables of plays: their numbers are those of the sources."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.games.doudizhu import plays

TABLE_3 = [15, 36, 13, 52, 13, 45, 13, 38, 13, 30, 13, 13, 13, 1, 1]


@pytest.mark.parametrize(
    ("preset", "number"),
    [("deeprocket", 12655), ("rlcard", 27472), ("openspiel", 26054), ("douzero", 29985)],
)
def test_numbers_of_plays(preset: str, number: int) -> None:
    table = plays.build(preset)
    assert table.number == number
    categories = table.families["category"][table.groups["family"]]
    assert np.bincount(categories).tolist() == TABLE_3
    assert sum(TABLE_3) == 309


def test_action_spaces() -> None:
    sizes = {
        (rules, substeps): make_game("doudizhu", rules=rules, substeps=substeps).num_actions
        for rules in plays.PRESETS
        for substeps in (False, True)
    }
    assert sizes == {
        ("deeprocket", False): 12655,
        ("deeprocket", True): 337,
        ("rlcard", False): 27472,
        ("rlcard", True): 337,
        ("openspiel", False): 26057,  # with its three bids
        ("openspiel", True): 340,
        ("douzero", False): 29985,
        ("douzero", True): 337,
        ("mini", False): 12655,
        ("mini", True): 337,
        ("tiny", False): 12655,
        ("tiny", True): 337,
        ("two_players", False): 12657,  # with its two words, to call and to rob
        ("two_players", True): 339,
    }


@pytest.mark.parametrize("preset", ["deeprocket", "douzero"])
def test_cards_name_their_play(preset: str) -> None:
    table = plays.build(preset)
    assert len(set(table.need[: table.number].tolist())) == table.number
