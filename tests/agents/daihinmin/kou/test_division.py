"""Hands divided into plays by the rules of kou's paper."""

from typing import Any

import numpy as np
import pytest
from support_daihinmin import foes, position

from closedhand.agents.daihinmin.kou import division
from closedhand.agents.daihinmin.kou.variants import KOU, LETTER, REFINED, Numbers
from closedhand.games.daihinmin.plays import cards_in


def divide(numbers: Numbers, *where: str) -> Any:
    """The plays of a hand in the present order of ranks, and its weakness."""
    view = position(*where)
    parts: Any = np.zeros(division.MOST_PARTS, division.PART)
    n = division.decompose(numbers, foes(view), view.hands[0], parts)
    found = {"".join(cards_in(part["cards"])) for part in parts[:n]}
    return found, division.weakness(numbers, parts, n)


# A hand; its plays by the paper's section 4.1, of `kou`, and with all departures, if they differ.
DIVISIONS = """
3c 4c 5c 9d 9h Jh: 3c4c5c 9d9h Jh
5c 6c 7c 6d 7d Jh: 5c 6c6d 7c7d Jh: 5c 6c6d 7c7d Jh: 5c6c7c 6d 7d Jh
6c 7c 8c 6d 7d Jh: 6c6d 7c7d 8c Jh
4c 5c 6c 7c 4d Jh: 5c6c7c 4c4d Jh: 5c6c7c 4c4d Jh: 4c5c6c7c 4d Jh
Qc Kc Ac 2c 3d: QcKcAc2c 3d: QcKcAc2c 3d: QcKcAc 2c 3d
8c 8d 2c 2d 2h *: 8c 8d 2h 2c2d *
3c 9d 9h Jd Jh: 3c 9d9h Jd Jh: 3c 9d9h JdJh: 3c 9d9h JdJh
"""


@pytest.mark.parametrize("line", DIVISIONS.strip().splitlines())
def test_hands_are_divided_as_the_paper_says(line: str) -> None:
    hand, *plays = line.split(":")
    plays = plays if plays[1:] else plays * 3
    # A K and a 2 are unseen: a J is not strong.
    unseen = "3s 4h Ks 2s"
    for numbers, expected in zip((LETTER, KOU, REFINED), plays, strict=True):
        assert divide(numbers, hand, unseen)[0] == set(expected.split())


@pytest.mark.parametrize("numbers", [LETTER, KOU, REFINED])
def test_a_revolution_reverses_the_ranks(numbers: Numbers) -> None:
    # The ranks 3 K A 2 are 2 5 4 3: the 3s are strongest.
    hand = "3c 3d 2c Ac Kc", "5h 6h", "", "revolution=1"
    assert divide(numbers, *hand)[0] == {"3c4c5c", "2c", "2d"}


def test_weakness_adds_up() -> None:
    unseen = "4d Td Kd Ad 2d *"
    # 3 (1) adds 2, A (69, as the joker is unseen 40) 0 or 1, 2 (99, 70) -1 or 0.
    assert divide(REFINED, "3c Ac 2c", unseen)[1] == 2 + 0 - 1
    assert divide(LETTER, "3c Ac 2c", unseen)[1] == 2 + 1 + 0
    # K (40) 1, 999 (100) -1; the joker -2, or 2 by its strength 1 while the 3s is unseen.
    assert divide(REFINED, "Kc * 9c 9d 9h", "3s 4d Td Ad 2d")[1] == 1 - 2 - 1
    assert divide(LETTER, "Kc * 9c 9d 9h", "3s 4d Td Ad 2d")[1] == 1 + 2 - 1
    # A pair of 2s: -2, or -1 by its strength (100); the single 2 as above.
    assert divide(REFINED, "2c 2d 2h", "4d Td Kd Ad *")[1] == -2 - 1
    assert divide(LETTER, "2c 2d 2h", "4d Td Kd Ad *")[1] == -1 + 0


@pytest.mark.parametrize("to_ace", [0, 1])
@pytest.mark.parametrize("with_groups", [0, 1])
def test_no_hand_has_more_parts_than_there_is_room_for(to_ace: int, with_groups: int) -> None:
    """Also hands that no deal gives; the search adds and removes cards to find more parts."""
    numbers = LETTER._replace(kaidan_to_ace=to_ace, kaidan_with_groups=with_groups)
    against = foes(position("3c", ""))
    parts: Any = np.zeros(64, division.PART)
    rng = np.random.default_rng(to_ace + 2 * with_groups)
    largest = 0
    for _ in range(20):
        hand, most = int(rng.integers(0, 2**53)), 0
        for _ in range(200):
            changed = hand ^ sum(1 << int(card) for card in rng.integers(0, 53, 2))
            n = division.decompose(numbers, against, np.uint64(changed), parts)
            assert sum(int(part["cards"]).bit_count() for part in parts[:n]) == changed.bit_count()
            if n >= most:
                hand, most = changed, n
        largest = max(largest, most)
    assert 17 < largest <= 30 < division.MOST_PARTS
