"""The strengths of plays by the formulas of kou's paper."""

import pytest
from support_daihinmin import GAME, foes, position

from closedhand.baselines.daihinmin.kou.strength import strength_of
from closedhand.baselines.daihinmin.kou.variants import Numbers

# A play, what is unseen, fields of the view, the strength.
STRENGTHS = """
Qc: Kc Ac Ad 2s *: : 100 - 3 * 30 - 1
2c: Kc 2s *: : 99
9c: Tc Jc Qc Kc Ac: : 1
9c: Tc Jc 8c 7c: revolution=1: 100 - 2 * 30
8c: 9c 2c *: : 101
*: 3s 2c: : 1
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: : 100 - 4 - 9 - 15
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s *: : 100 - 4 - 9 - 15 - 1
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: out=1: 100 - 9 - 15 - 24
TcTd: Jc Kc Kd Ac Ad Ah 2c 2d 2h 2s: out=3: 100 - 3 * 30
TcTdTh: Kc Kd Ac Ad Ah 2c 2d 2h 2s: : 100 - 4 - 9
3c4c5c: 5d 6d 7d 8d 9d: : 100 - 2
3c4c5c: 5d 6d 7d 8d 9d: out=3: 100 - 2 * 15
3c4c5c: 6d 7d 9d *: : 100 - 2
3c3d: 2c 2d 2h: left=1: 100
"""


@pytest.mark.parametrize("line", STRENGTHS.strip().splitlines())
def test_strengths_are_those_of_the_paper(line: str) -> None:
    play, unseen, fields, expected = line.split(":")
    view = position("4h", unseen, "", fields)
    assert strength_of(GAME.rules, Numbers(), foes(view), GAME.parse(play)) == eval(expected)


def test_under_a_lock_only_its_suits_count() -> None:
    view, jack = position("Jc Kc", "Qd Qh Kd Ac 2d 2h"), GAME.parse("Jc")
    assert strength_of(GAME.rules, Numbers(), foes(view), jack) == 1
    assert strength_of(GAME.rules, Numbers(), foes(view, lock=1), jack) == 70
