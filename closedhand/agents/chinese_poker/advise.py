"""Advice on a hand of Chinese Poker: arrangements and odds of parts against a pool of opponents."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from closedhand.agents.chinese_poker import counter
from closedhand.agents.chinese_poker.agents import tables_for
from closedhand.agents.chinese_poker.pool import Pool, pool_of
from closedhand.core.display import Odds, Row
from closedhand.core.game import Game, InputError, State
from closedhand.games.chinese_poker.notation import board, board_text, cards_text, parse_cards
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, PARTS, SIZES, names, place_of
from closedhand.games.chinese_poker.state import Rules

ORDER = (BACK, MIDDLE, FRONT)
POOL_SIZE = 1 << 18
"""Hands in the pool for odds. About 3,400 share no card with a hand: standard errors below 1%."""


@dataclass(frozen=True)
class PartAdvice:
    """A part of an arrangement, with its odds."""

    part: str  # `back`, `middle` or `front`
    cards: str  # such as `AsKs6s5s3s`
    name: str  # name of the poker hand, such as `AK653 flush`
    win: float  # share of the opponents whose part is weaker, 0 to 1
    tie: float  # share of the opponents whose part is equal


@dataclass(frozen=True)
class Advice:
    """An arrangement of a hand, with its odds."""

    board: str  # such as `AsKs6s5s3s/QhQs8c3c2h/JsJd9h`
    points: float  # expected points against one opponent
    error: float  # standard error of the points
    parts: tuple[PartAdvice, ...]  # back, middle and front

    @property
    def formula(self) -> str:
        """The blog's formula for human play as text, by chances in whole percent."""
        back, middle, front = (round(100 * part.win) for part in self.parts)
        value = mental_score(front, middle, back)
        return f"{front} + {middle} + {back} + products = {value:.0f}"


def mental_score(front: float, middle: float, back: float) -> float:
    """Compute the blog's formula for people, 100 E+ (`separable.py`), from chances in percent."""
    # The blog divides the product of all three by 1000, an error for 10000.
    pairs = front * middle + front * back + middle * back
    return front + middle + back + pairs / 100 - 2 * front * middle * back / 10_000


def advise(rules: Rules, pool: Pool, hand: np.ndarray, number: int) -> tuple[list[Advice], int]:
    """Find the best arrangements of a hand, at most `number`, best first; count its opponents, too.

    A hand is int8 [13], cards high to low, here and in `summary`. The points of the first
    arrangement are biased slightly upwards, as it is chosen and measured on the same opponents.
    """
    actions, parts = counter.candidates(rules, hand)
    others = counter.gather(pool, hand)
    means = counter.totals(rules, others, parts).mean(axis=1)
    best = np.argsort(-means, kind="stable")[:number]
    advice = [_advice(rules, hand, int(actions[i]), parts[i], others) for i in best]
    return advice, others.shape[1]


def _advice(
    rules: Rules, hand: np.ndarray, action: int, own: np.ndarray, others: np.ndarray
) -> Advice:
    """Rate an arrangement of the strengths `own`, [3], against the opponents' `others`, [3, n]."""
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
    """Compute the odds of `strength` in `part`, an index of `PARTS`; `others` are strengths [n]."""
    won, tied = others < strength, others == strength
    return Odds(names(part)[strength], float(won.mean()), float(tied.mean()))


def summary(hand: np.ndarray, advice: list[Advice], opponents: int) -> dict[str, Any]:
    """Convert the results of `advise` to JSON values."""
    return {
        "hand": cards_text(hand),
        "opponents": opponents,
        "arrangements": [{**asdict(each), "formula": each.formula} for each in advice],
    }


def rows(advice: Advice) -> list[Row]:
    """Convert an arrangement to rows of a picture: back, middle, front, and the points."""
    drawn = [
        Row(
            part.part,
            tuple(part.cards[i : i + 2] for i in range(0, len(part.cards), 2)),
            f"{part.name}, wins {part.win:.1%}" + (f", ties {part.tie:.1%}" if part.tie else ""),
        )
        for part in advice.parts
    ]
    return [*drawn, Row(f"{advice.points:+.3f} points expected", ())]


def odds(game: Game, view: State, parts: Sequence[str]) -> list[Odds | None]:
    """Compute the odds of the parts of a hand against opponents who play as `separable` does.

    `parts` are the cards placed so far in back, middle and front, as texts. The odds of a part that
    lacks cards are None. The first call makes the pool of opponents, which takes some seconds.

    Raises:
        InputError: The number of parts is not three, a part has too many cards, or the cards are
            not distinct cards of the hand.
    """
    hand = np.sort(view["hands"][view["player"]])[::-1]
    if len(parts) != len(ORDER):
        raise InputError(f"a hand has {len(ORDER)} parts, not {len(parts)}")
    if not set(parse_cards("".join(parts))) <= set(hand.tolist()):
        raise InputError("the parts are not of the cards of the hand")
    placed = {part: parse_cards(text) for part, text in zip(ORDER, parts, strict=True)}
    for part, cards in placed.items():
        if len(cards) > SIZES[part]:
            raise InputError(f"a part has at most {SIZES[part]} cards, not {len(cards)}")
    if all(len(cards) < SIZES[part] for part, cards in placed.items()):
        return [None] * len(ORDER)
    pool = pool_of(game.flat.rules, tables_for(game, None), POOL_SIZE)
    others = counter.gather(pool, hand)
    return [_of_part(game, part, placed[part], others[part]) for part in ORDER]


def _of_part(game: Game, part: int, cards: list[int], others: np.ndarray) -> Odds | None:
    if len(cards) < SIZES[part]:
        return None
    tables = game.flat.rules.tables
    table = tables.three if part == FRONT else tables.five
    strength = int(table[place_of(tables, np.array(sorted(cards, reverse=True)))])
    return odds_of(part, strength, others)
