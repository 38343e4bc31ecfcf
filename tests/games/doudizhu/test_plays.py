"""The tables of plays: their numbers are those of the sources."""

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.games.doudizhu import plays

TABLE_3 = [15, 36, 13, 52, 13, 45, 13, 38, 13, 30, 13, 13, 13, 1, 1]
ADDED = {"four+dual solo": 21, "four+dual pair": 11, "bomb": 38}
"""Shuttles of `botzone` by category: main groups."""


@pytest.mark.parametrize(
    ("preset", "number"),
    [("deeprocket", 12655), ("rlcard", 27472), ("openspiel", 26054), ("douzero", 29985)],
)
def test_numbers_of_plays(preset: str, number: int) -> None:
    table = plays.build(preset)
    assert table.number == number
    assert not table.shuttles
    # Each group has as many ids as there are plays of it.
    sizes = table.groups["end"] - table.groups["first"]
    plays_of = np.bincount(table.group[:number], minlength=len(sizes))
    assert (plays_of == sizes).all()
    categories = table.families["category"][table.groups["family"][: plays.GROUPS]]
    assert np.bincount(categories).tolist() == TABLE_3
    assert sum(TABLE_3) == plays.GROUPS


def test_botzone_adds_plays_to_those_of_the_paper() -> None:
    """21,669: 38 shuttles alone, 20,735 with kickers, 883 planes and 13 fours with both jokers."""
    paper, table = plays.build("deeprocket"), plays.build("botzone")
    ours, theirs = (set(t.need[: t.number].tolist()) for t in (paper, table))
    assert table.number == 34_324 and ours < theirs and len(theirs - ours) == 21_669
    added = np.array(
        [p for p, need in enumerate(table.need[: table.number].tolist()) if need not in ours]
    )
    groups = table.group[added]
    kickers = table.groups["kickers"][groups] > 0
    shuttles = groups > plays.PASS_GROUP
    copies = table.families["copies"][table.groups["family"][groups]]
    assert [
        int((shuttles & ~kickers).sum()),
        int((shuttles & kickers).sum()),
        int((~shuttles & (copies == 3)).sum()),
        int((~shuttles & (copies == 4)).sum()),
    ] == [38, 20_735, 883, 13]
    assert table.groups["first"][plays.PASS_GROUP] == table.number - 1
    found = np.bincount(table.families["category"][table.groups["family"]]).tolist()
    names = [category.name for category in plays.CATEGORIES]
    assert found == [n + ADDED.get(name, 0) for n, name in zip(TABLE_3, names, strict=True)]
    # The groups of the paper, and what beats them, are those of all presets.
    for name in ("need", "family", "ranks", "kickers", "unit"):
        assert (table.groups[name] == paper.groups[name])[: plays.GROUPS].all()
    assert (table.families == paper.families)[: plays.FAMILIES].all()


def test_action_spaces() -> None:
    sizes = {
        (rules, substeps): make_game("doudizhu", rules=rules, substeps=substeps).num_actions
        for rules in plays.PRESETS
        for substeps in (False, True)
        if not (substeps and rules == "botzone")
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
        ("botzone", False): 34327,  # with its three bids
        ("mini", False): 12655,
        ("mini", True): 337,
        ("tiny", False): 12655,
        ("tiny", True): 337,
        ("two_players", False): 12657,  # with its two words, to call and to rob
        ("two_players", True): 339,
    }


def test_shuttles_have_no_substeps() -> None:
    with pytest.raises(InputError, match="substeps have no main groups for shuttles"):
        make_game("doudizhu", rules="botzone", substeps=True)
    with pytest.raises(InputError, match="the first seat plays if all pass"):
        make_game("doudizhu", rules="botzone", passed_deals=2)


@pytest.mark.parametrize("preset", ["deeprocket", "douzero", "botzone"])
def test_cards_name_their_play(preset: str) -> None:
    table = plays.build(preset)
    assert len(set(table.need[: table.number].tolist())) == table.number
