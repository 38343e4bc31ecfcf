"""The strengths of plays by the formulas of kou's paper."""

import pytest
from support_daihinmin import GAME, foes, position

from closedhand.agents.daihinmin.kou.strength import has_strongest, strength_of
from closedhand.agents.daihinmin.kou.variants import LETTER, REFINED

# A play, what is unseen, fields of the view, the strength by the paper's section 4.2, and that of
# all departures where it differs.
STRENGTHS = """
Qc: Kc Ac Ad 2s: : 100 - 3 * 30
Qc: Kc Ac Ad *: : 100 - 3 * 30: 100 - 2 * 30 - 1
2c: Kc 2s *: : 70: 99
9c: Tc Jc Qc Kc Ac: : 1
9c: Tc Jc 8c 7c: revolution=1: 100 - 2 * 30
8c: 9c 2c *: : 101
*: 3s 2c: : 1
*: 3d 2c: : 100
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: : 100 - 4 - 9 - 15
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s *: : 100 - 4 - 9 - 15 - 4: 100 - 4 - 9 - 15 - 1
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: out=1: 100 - 9 - 15 - 24
TcTd: Kc Kd Ac Ad Ah: out=2: 100 - 2 * 30: 100 - 15 - 24
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: out=3: 100 - 3 * 30
TcTd: Jc Kc Kd *: out=3: 100 - 2 * 30: 100 - 30 - 1
TcTdTh: Kc Kd Ac Ad Ah 2c 2d 2h 2s: : 100 - 4 - 9
3c4c5c: 5d 6d 7d 8d 9d: : 100 - 2
3c4c5c: 5d 6d 7d 8d 9d: out=3: 100 - 2 * 4: 100 - 2 * 15
3c4c5c: 6d 7d 9d *: : 100 - 2
3c4c5c: 6d 7d 9d *: out=2: 100 - 2 * 3: 100 - 2
3c3d: 2c 2d 2h: left=1: 100
"""


@pytest.mark.parametrize("line", STRENGTHS.strip().splitlines())
def test_strengths_are_those_of_the_paper(line: str) -> None:
    play, unseen, fields, expected, *tuned = line.split(":")
    view = position("4h", unseen, "", fields)
    for numbers, value in ((LETTER, expected), (REFINED, (tuned or [expected])[0])):
        assert strength_of(GAME.rules, numbers, foes(view), GAME.parse(play)) == eval(value)


def test_under_a_lock_only_its_suits_count() -> None:
    view, jack = position("Jc Kc", "Qd Qh Kd Ac 2d 2h"), GAME.parse("Jc")
    assert strength_of(GAME.rules, LETTER, foes(view), jack) == 1
    assert strength_of(GAME.rules, LETTER, foes(view, lock=1), jack) == 70


# A hand, what is unseen, a play, whether the player has the strongest play under its lock, to
# the letter and with all departures.
STRONGEST = """
Jc Kc: Qc Kd 2h: Jc: 1 1
Jc Kc: Ac: Jc: 0 0
Jc Kc: Qc *: Jc: 0 1
Jc *: Qc 2c: Jc: 1 0
9c9d Kc Kd: Ac Ah Qc Qd: 9c9d: 1 1
9c9d Kc Kd: Ac Ad: 9c9d: 0 0
9c9d Kc Kd: Ac *: 9c9d: 0 1
3c4c5c 9c Tc Jc: 6c 7c 8c: 3c4c5c: 1 1
3c4c5c: 6c 7c 8c: 3c4c5c: 0 0
"""


@pytest.mark.parametrize("line", STRONGEST.strip().splitlines())
def test_a_lock_is_for_whoever_has_the_strongest_play(line: str) -> None:
    hand, unseen, play, expected = line.split(":")
    view, action = position(hand, unseen), GAME.parse(play.strip())
    suits = int(GAME.rules.plays.suits[action])
    for numbers, value in zip((LETTER, REFINED), expected.split(), strict=True):
        found = has_strongest(GAME.rules, numbers, view.hands[0], action, foes(view, lock=suits))
        assert bool(found) == (value == "1")
