"""Advice about a hand."""

import numpy as np
import pytest
from support_pools import (
    ALICE,
    GAMES,
    candidates_of,
    dealt,
    every_scoring,
    opponents_of,
    plain_points,
    small_pool,
    strengths,
    win_of,
)

from closedhand.agents.chinese_poker import advise as advising, counter
from closedhand.games.chinese_poker.notation import parse_board, parse_hand
from closedhand.games.chinese_poker.plays import PARTS, names

HAND = parse_hand(ALICE)

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.slow
@every_scoring
def test_advice_is_what_the_pool_says(rules: str) -> None:
    hands, parts, pool = small_pool(rules)
    game = GAMES[rules].rules
    for hand in [HAND, *dealt(40, 34)]:
        others = parts[opponents_of(hand, hands)]
        advice, number = advising.advise(game, pool, hand, 4)
        assert number == len(others)
        assert 1 <= len(advice) <= 4
        for each in advice:
            cards, action = parse_board(each.board)
            assert (cards == hand).all()
            assert action in candidates_of(rules, hand)[0]  # which are legal
            own = strengths(hand, action)
            points = plain_points(rules, own[None], others)[0]
            assert each.points == pytest.approx(points.mean(), abs=1e-12)
            assert each.error == pytest.approx(points.std() / np.sqrt(number), abs=1e-12)
            assert "/".join(part.cards for part in each.parts) == each.board
            for part, name in zip(each.parts, ("back", "middle", "front"), strict=True):
                i = PARTS.index(name)
                assert (part.part, part.name) == (name, names(i)[own[i]])
                assert part.win == pytest.approx((own[i] > others[:, i]).mean())
                assert part.tie == pytest.approx((own[i] == others[:, i]).mean())
        # The best one first, and it is as good as the counter-strategy's.
        ranked = [each.points for each in advice]
        assert ranked == sorted(ranked, reverse=True)
        best = strengths(hand, counter.respond(game, pool, win_of(rules), np.inf, hand))
        found = plain_points(rules, best[None], others).mean()
        assert ranked[0] == pytest.approx(found, abs=4 / len(others) ** 2)
    everything, _ = advising.advise(game, pool, HAND, 100_000)
    assert len(everything) == len(candidates_of(rules, HAND)[0])


def test_the_formula_for_human_play_is_the_expectation_in_percent() -> None:
    # The blog's example: front 40, middle 90, back 10 give E = -0.364 = 2 E+ - 4, not its -0.634.
    assert advising.mental_score(40, 90, 10) == pytest.approx(100 * (4 - 0.364) / 2)
    # Divided by 1000, as printed, it would rate the better chances lower.
    assert advising.mental_score(60, 60, 60) > advising.mental_score(10, 10, 10)
