"""Chances of the hidden cards of every hand, from a view.

1. Draw determinisations of the view: particles weighted by the plays so far if the player is to
   act and the game's playouts have an informed policy, or else uniformly.
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
"""Determinisations from which the chances of cards are counted; fewer if time runs out."""
SECONDS = 2.0
"""Most seconds for weighting determinisations by the plays so far."""


def card_chances(game: Game, view: State, player: int, seed: int) -> dict[str, Any]:
    """Estimate the expected number of each card in every hidden hand, as the module describes."""
    rng = np.random.default_rng(seed)
    how = playouts_of(game)
    deadline = time.perf_counter() + SECONDS
    if how.weighted and int(view["player"]) == player:  # the player of particles acts
        states = Particles(how.game, how.policy, view, DETERMINISATIONS, rng, deadline).states
    else:
        states = [game.redeal(view, player, rng) for _ in range(DETERMINISATIONS)]
    known = game.scene(view)
    hidden = [i for i, row in enumerate(known) if "" in row.cards]  # an empty text is a hidden card
    counts = {i: Counter[str]() for i in hidden}
    for state in states:
        check()
        rows = game.scene(state)
        for i in hidden:
            counts[i].update(card for card in rows[i].cards if card.strip())
    order = _order(game, {card for count in counts.values() for card in count})
    return {
        "cards": order,
        "number": len(states),
        "seats": [
            {
                "seat": known[i].seat,
                "label": known[i].label,
                "chances": [round(counts[i][card] / len(states), 4) for card in order],
            }
            for i in hidden
        ],
    }


def _order(game: Game, cards: set[str]) -> list[str]:
    """Sort cards as hands show them: by their mean place in the hands of 20 random deals."""
    places: dict[str, list[float]] = {card: [] for card in cards}
    rng = np.random.default_rng(0)
    for _ in range(20):
        for row in game.scene(game.deal(rng)):
            for i, card in enumerate(row.cards):
                if card in places:
                    places[card].append(i / len(row.cards))
    mean = {card: sum(found) / max(1, len(found)) for card, found in places.items()}
    return sorted(cards, key=lambda card: (mean[card], card))
