"""Advice on a hand of Chinese Poker: its best arrangements against a pool of opponents."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from closedhand.agents.chinese_poker import counter
from closedhand.agents.chinese_poker.pool import Pool
from closedhand.core.display import Odds, Row
from closedhand.games.chinese_poker.notation import board, board_text, cards_text
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, PARTS, names
from closedhand.games.chinese_poker.state import Rules

ORDER = (BACK, MIDDLE, FRONT)


@dataclass(frozen=True)
class PartAdvice:
    """One part of an arrangement, `back`, `middle` or `front`.

    It has its cards, `AsKs6s5s3s`, the name of its poker hand, `AK653 flush`, and the fractions of
    wins and ties, 0 to 1.
    """

    part: str
    cards: str
    name: str
    win: float
    tie: float


@dataclass(frozen=True)
class Advice:
    """One arrangement of a hand: back, middle and front, also as `AsKs6s5s3s/QhQs8c3c2h/JsJd9h`.

    It has the expected points against one opponent, and their standard error.
    """

    board: str
    points: float
    error: float
    parts: tuple[PartAdvice, ...]

    @property
    def formula(self) -> str:
        """Write out the blog's formula for human play, with wins in whole percent."""
        back, middle, front = (round(100 * part.win) for part in self.parts)
        value = mental_score(front, middle, back)
        return f"{front} + {middle} + {back} + products = {value:.0f}"


def mental_score(front: float, middle: float, back: float) -> float:
    """Compute the blog's formula for human play: 100 E+, from chances in percent.

    The blog divides the product of all three by 1000, an error for 10000.
    """
    pairs = front * middle + front * back + middle * back
    return front + middle + back + pairs / 100 - 2 * front * middle * back / 10_000


def advise(rules: Rules, pool: Pool, hand: np.ndarray, number: int) -> tuple[list[Advice], int]:
    """Find the best arrangements of a hand, int8 [13], best first, and the number of opponents.

    The points of the first arrangement are biased slightly upwards, as it is chosen and measured on
    the same opponents. At most `number` arrangements are found.
    """
    actions, parts = counter.candidates(rules, hand)
    others = counter.gather(pool, hand)
    means = np.empty((len(actions), 2))
    counter.totals(rules, others, parts, means)
    best = np.argsort(-means.mean(axis=1), kind="stable")[:number]
    advice = [_advice(rules, hand, int(actions[i]), parts[i], others) for i in best]
    return advice, others.shape[1]


def _advice(
    rules: Rules, hand: np.ndarray, action: int, own: np.ndarray, others: np.ndarray
) -> Advice:
    points = counter.compare(rules, own, others.T)
    cards = dict(zip(ORDER, board(rules.tables, hand, action), strict=True))
    return Advice(
        board_text(rules.tables, hand, action),
        float(points.mean()),
        float(points.std() / np.sqrt(len(points))),
        tuple(
            PartAdvice(
                PARTS[part], cards_text(cards[part]), *odds_of(part, own[part], others[part])
            )
            for part in ORDER
        ),
    )


def odds_of(part: int, strength: int, others: np.ndarray) -> Odds:
    """Compute the odds of a part against those of opponents, by their strengths, int16 [n]."""
    won, tied = others < strength, others == strength
    return Odds(names(part)[strength], float(won.mean()), float(tied.mean()))


def summary(hand: np.ndarray, advice: list[Advice], opponents: int) -> dict[str, Any]:
    """Convert advice to JSON values."""
    return {
        "hand": cards_text(hand),
        "opponents": opponents,
        "arrangements": [{**asdict(each), "formula": each.formula} for each in advice],
    }


def rows(advice: Advice) -> list[Row]:
    """Convert an arrangement to rows of a picture: back, middle, front, and its points."""
    drawn = [
        Row(
            part.part,
            tuple(part.cards[i : i + 2] for i in range(0, len(part.cards), 2)),
            f"{part.name}, wins {part.win:.1%}" + (f", ties {part.tie:.1%}" if part.tie else ""),
        )
        for part in advice.parts
    ]
    return [*drawn, Row(f"{advice.points:+.3f} points expected", ())]
