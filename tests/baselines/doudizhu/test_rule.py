"""Rule's tactics."""

from support_doudizhu import choice, tactics


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
