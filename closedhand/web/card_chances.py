"""Chances of the hidden cards of every hand, from a view.

1. Draw determinisations of the view. They are particles (`closedhand.search.particles`) if the
   player of the view is to act and the game has playouts of its own, else random deals.
2. Count each card in every hidden hand.
"""

import time
from collections import Counter
from typing import Any

import numpy as np

from closedhand.core.game import Game, State
from closedhand.search.particles import Particles
from closedhand.search.stopping import check
from closedhand.web.advice import playouts_of

DETERMINISATIONS = 400
"""Number of determinisations; of particles there are fewer if time runs out."""
SECONDS = 2.0
"""Most seconds for drawing particles."""


def card_chances(game: Game, view: State, player: int, seed: int) -> dict[str, Any]:
    """Estimate the expected number of each card in every hidden hand.

    Returns:
        `cards`, in the order of hands; the `number` of determinisations; and for each hidden hand
        in `seats` its `seat`, `label` and `chances`, the mean number of each card.
    """
    rng = np.random.default_rng(seed)
    how = playouts_of(game)
    deadline = time.perf_counter() + SECONDS
    if how.weighted and int(view["player"]) == player:  # as particles require
        states = Particles(how.game, how.policy, view, DETERMINISATIONS, rng, deadline).states
    else:
        states = [game.redeal(view, player, rng) for _ in range(DETERMINISATIONS)]
    known = game.scene(view)
    # An empty text is a hidden card.
    counts = {i: Counter[str]() for i, row in enumerate(known) if "" in row.cards}
    for state in states:
        check()
        rows = game.scene(state)
        for i, count in counts.items():
            count.update(card for card in rows[i].cards if card.strip())
    order = _order(game, {card for count in counts.values() for card in count})
    return {
        "cards": order,
        "number": len(states),
        "seats": [
            {
                "seat": known[i].seat,
                "label": known[i].label,
                "chances": [round(count[card] / len(states), 4) for card in order],
            }
            for i, count in counts.items()
        ],
    }


def _order(game: Game, cards: set[str]) -> list[str]:
    """Sort cards by their mean position, as a share of the hand, in the hands of 20 deals."""
    places: dict[str, list[float]] = {card: [] for card in cards}
    rng = np.random.default_rng(0)
    for _ in range(20):
        for row in game.scene(game.deal(rng)):
            for i, card in enumerate(row.cards):
                if card in places:
                    places[card].append(i / len(row.cards))
    mean = {card: sum(found) / max(1, len(found)) for card, found in places.items()}
    return sorted(cards, key=lambda card: (mean[card], card))
