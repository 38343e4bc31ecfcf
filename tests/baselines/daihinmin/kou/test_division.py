"""Hands divided into plays by the rules of kou's paper."""

from typing import Any

import numpy as np
import pytest
from support_daihinmin import foes, position

from closedhand.baselines.daihinmin.kou import division
from closedhand.baselines.daihinmin.kou.variants import Numbers
from closedhand.games.daihinmin.notation import cards_in


def divide(*where: str) -> Any:
    """The plays of a hand in the present order of ranks, and its weakness."""
    view = position(*where)
    parts: Any = np.zeros(division.MOST_PARTS, division.PART)
    n = division.decompose(Numbers(), foes(view), view.hands[0], parts)
    found = {"".join(cards_in(part["cards"])) for part in parts[:n]}
    return found, division.weakness(Numbers(), parts, n)


# A hand, its plays (6c 7c 8c pair all but for the 8).
DIVISIONS = """
3c 4c 5c 9d 9h Jh: 3c4c5c 9d9h Jh
6c 7c 8c 6d 7d Jh: 6c6d 7c7d 8c Jh
5c 6c 7c 6d 7d Jh: 5c6c7c 6d 7d Jh
Qc Kc Ac 2c 3d: QcKcAc 2c 3d
8c 8d 2c 2d 2h *: 8c 8d 2h 2c2d *
"""


@pytest.mark.parametrize("line", DIVISIONS.strip().splitlines())
def test_hands_are_divided_as_the_paper_says(line: str) -> None:
    hand, plays = line.split(":")
    assert divide(hand, "3s 4d 2s")[0] == set(plays.split())
    # Under revolution the ranks 3 K A 2 are 2 5 4 3 to kou: the 3s are strongest.
    assert divide("3c 3d 2c Ac Kc", "5h 6h", "", "revolution=1")[0] == {"3c4c5c", "2c", "2d"}


def test_weakness_adds_up() -> None:
    # 3 (1) adds 2, A (69) 0, 2 (99) -1; K (39) 1, the joker -2, 999 (100) -1.
    assert divide("3c Ac 2c", "4d Td Kd Ad 2d *")[1] == 2 + 0 - 1
    assert divide("Kc * 9c 9d 9h", "3s 4d Td Ad 2d")[1] == 1 - 2 - 1
