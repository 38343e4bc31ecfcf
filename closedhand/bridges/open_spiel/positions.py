"""Positions of one of our games for OpenSpiel, kept between walks through the tree.

The deal is chance: either one outcome for each listed deal, or a seed drawn byte by byte.
"""

from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import InputError
from closedhand.core.game import Deal, Game, State
from closedhand.core.optional_imports import needing
from closedhand.core.views import written

with needing():
    import pyspiel

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)

MOST_DEALS = 10_000
"""Most deals that are listed; for a game with more, a seed is drawn."""
FEW = 20
"""Number of deals whose probabilities show whether there are far more than `MOST_DEALS`."""

MOST_KEPT = 200_000  # most positions that are kept for the next walk through the tree
SEED_BYTES = 6
"""Bytes of the seed of a drawn deal: the chance nodes before the first decision."""


def _listed(game: Game) -> list[Deal] | None:
    """List all deals of a game, at most `MOST_DEALS`; None if they are to be drawn."""
    try:
        everything = game.deals()
    except InputError:
        return None
    found = list(islice(everything, FEW))
    if sum(deal.probability for deal in found) < FEW / MOST_DEALS / 10:
        return None  # more than ten times too many: do not list 10,000 to find out
    found += islice(everything, MOST_DEALS + 1 - FEW)
    return found if len(found) <= MOST_DEALS else None


class Node:
    """A position of one of our games, with cached answers; never changed in place."""

    def __init__(self, shared: "Shared", record: State) -> None:
        """Wrap a state, which must not change later; all positions of a game have one `shared`."""
        self.shared = shared
        self.record = record
        self._children: dict[int, Node] = {}
        self._texts: dict[tuple[int, bool], str] = {}

    def __deepcopy__(self, memo: Any) -> "Node":
        return self

    @cached_property
    def player(self) -> int:
        """The seat to act, or `TERMINAL`."""
        is_over = self.shared.game.over(self.record)
        return TERMINAL if is_over else int(self.record["player"])

    @cached_property
    def legal(self) -> list[int]:
        """The legal actions, ascending."""
        return self.shared.game.legal(self.record).tolist()

    @cached_property
    def returns(self) -> list[float]:
        """Payoffs by player; zeros before they are paid."""
        return self.shared.game.returns(self.record).tolist()

    def child(self, action: int) -> "Node":
        """Return the position after an action, kept while there is space for it."""
        found = self._children.get(action)
        if found is None:
            record = self.record.copy()
            self.shared.game.play(record, action)
            found = Node(self.shared, record)
            if self.shared.kept < self.shared.most_kept:
                self.shared.kept += 1
                self._children[action] = found
        return found

    def text(self, player: int, recalls: bool) -> str:
        """Write what a player knows: with all past actions if `recalls`, else the board alone."""
        key = player, recalls
        if key not in self._texts:
            game = self.shared.game
            view = game.view(self.record, player)
            text = f": {_known_text(game, view, player)}" if recalls else f"\n{game.board(view)}"
            self._texts[key] = f"player {player}{text}"
        return self._texts[key]


def _known_text(game: Game, view: State, player: int) -> str:
    """Write a view as text; different views have different texts."""
    try:
        hand, actions, public = game.knowledge(view, player)
    except InputError:  # the game has no notation for this view
        return view.tobytes().hex()
    seen = [written(game.flat, action) for action in actions]
    facts = [f"{name} {value}" for name, value in public.items()]
    return "; ".join([hand, *facts, " ".join(seen)])


class Shared:
    """Data that all positions of a game share."""

    def __init__(self, game: Game, deals: list[Deal] | None) -> None:
        """Prepare the chance nodes: one for listed deals, or `SEED_BYTES` if `deals` is None."""
        self.game = game
        self.deals = deals  # None if they are drawn
        # Number of chance nodes before the first decision, and the outcomes of each node.
        self.chances, self.outcomes = SEED_BYTES, [(byte, 1 / 256) for byte in range(256)]
        # Number of positions kept, and its maximum: 0 if deals are drawn, which no walk repeats.
        self.kept = self.most_kept = 0
        if deals is not None:
            self.chances, self.most_kept = 1, MOST_KEPT
            self.outcomes = [(i, deal.probability) for i, deal in enumerate(deals)]
            self._roots = [Node(self, deal.state) for deal in deals]  # by outcome

    @cached_property
    def of_deal(self) -> dict[str, int]:
        """The chance outcome of each listed deal, by its text."""
        return {self.game.deal_text(deal.state): i for i, deal in enumerate(self.deals or ())}

    def root(self, drawn: list[int]) -> Node:
        """Return the position after the outcomes `drawn`: a deal's number, or a seed's bytes."""
        if self.deals is not None:
            return self._roots[drawn[0]]
        state = self.game.empty(1)[0]
        seed = 1 + int.from_bytes(drawn)  # xorshift, which deals use, cannot start from 0
        contract.deal(self.game.rules, state, np.uint64(seed))
        return Node(self, state)


@lru_cache(maxsize=16)
def shared_of(game: Game) -> Shared:
    """Return the shared data of a game, cached because every unpickled state asks for it."""
    return Shared(game, _listed(game))
