"""Odds of the parts of a hand during its setting, against hands that an opponent may hold."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from closedhand.agents.chinese_poker import counter, opponents
from closedhand.agents.chinese_poker.advise import ORDER, odds_of
from closedhand.agents.chinese_poker.agents import tables_for
from closedhand.agents.chinese_poker.pool import Pool
from closedhand.core.display import Odds
from closedhand.core.game import Game, InputError, State
from closedhand.games.chinese_poker.notation import parse_cards
from closedhand.games.chinese_poker.plays import FRONT, SIZES, place_of

POOL_SIZE = 1 << 18
"""Hands in the pool: about 3,400 opponents for every hand, standard errors below a percent."""


@lru_cache(8)
def _pool(game: Game, size: int) -> Pool:
    return opponents.pool_of(game.flat.rules, tables_for(game, None), size)


def odds(game: Game, view: State, parts: Sequence[str]) -> list[Odds | None]:
    """Compute the odds of parts of a hand against opponents who set theirs as `separable`.

    The pool of opponents is made once, in some seconds, and then kept. `parts` are the cards of the
    back, the middle and the front so far. The odds are None for a part that lacks cards.

    Raises:
        InputError: The number of parts is not three, or their cards are not distinct cards of the
            hand.
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
    others = counter.gather(_pool(game, POOL_SIZE), hand)
    return [_of_part(game, part, placed[part], others[part]) for part in ORDER]


def _of_part(game: Game, part: int, cards: list[int], others: np.ndarray) -> Odds | None:
    if len(cards) < SIZES[part]:
        return None
    tables = game.flat.rules.tables
    table = tables.three if part == FRONT else tables.five
    strength = int(table[place_of(tables, np.array(sorted(cards, reverse=True)))])
    return odds_of(part, strength, others)
