"""Rule's tactics."""

import pytest
from support_doudizhu import choice, position, tactics

from closedhand import InputError, make_agent


@tactics(
    # Leads the group that holds the lowest card.
    ("3456789TTA2;5;6", "", 0, 0, "3456789T"),
    ("3334449;5;6", "", 0, 0, "333444"),
    ("3333449;5;6", "", 0, 0, "3333"),
    ("334455A;5;6", "", 0, 0, "334455"),
    ("33445A;5;6", "", 0, 0, "33"),
    ("222A;5;6", "", 0, 0, "A"),
    ("SB;5;6", "", 0, 0, "SB"),
    # Follows with the lowest play of the category.
    ("4TTTQ;5;6", "333", 2, 0, "TTT"),
    ("456TTTQ;5;6", "3334", 2, 0, "TTT4"),
    ("45;9;6", "3", 2, 0, "4"),
    # Neither beats its partner nor what it cannot beat.
    ("33;45A;QK", "T", 2, 1, "PASS"),
    ("4;5;6", "T", 2, 0, "PASS"),
)
def test_rule_plays(hands: str, target: str, owner: int, player: int, play: str) -> None:
    assert choice("rule", hands, target, owner, player) == play


@tactics(
    # Follows its partner in kind, with the lowest play, but does not spend a bomb on it.
    ("33;45A;QK", "T", 2, 1, "A"),
    ("33;44A;QK", "TT", 2, 1, "PASS"),
    ("33;4444A;QK", "TT", 2, 1, "PASS"),
    ("33;45A;QK", "T", 0, 1, "A"),
    ("44;5;6", "33", 2, 0, "44"),
)
def test_rule_that_beats_its_partner_plays(
    hands: str, target: str, owner: int, player: int, play: str
) -> None:
    assert choice("rule[partner=beat]", hands, target, owner, player) == play


def test_rule_follows_a_shuttle_in_kind() -> None:
    """The bombs that beat it, too, have lower ids."""
    game, view = position("66667777;5;8", "44445555", rules="botzone", bidding=False)
    assert game.text(make_agent(game, "rule").act(view)) == "66667777"


def test_rules_of_both_kinds_have_names_of_their_own() -> None:
    names = ["rule", "rule[partner=spare]", "rule[partner=beat]"]
    found = [make_agent("doudizhu", name).name for name in names]
    assert found == ["rule", "rule", "rule[partner=beat]"]
    with pytest.raises(InputError, match="partner is spare or beat, not 'eat'"):
        make_agent("doudizhu", "rule[partner=eat]")
