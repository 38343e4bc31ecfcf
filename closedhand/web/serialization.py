"""Positions and tables as JSON data for browsers, made from views: they reveal no hidden card.

`seen_by` takes a state, and returns the view of a seat, or all views for a spectator. It returns
the state itself only where all hands are shown: to spectators of open tables, in a study, and after
the end of a game. The functions that describe positions take the views of `seen_by`.
"""

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from closedhand.core.display import Row
from closedhand.core.explanations import kind_of
from closedhand.core.game import Game, State
from closedhand.core.parsing import is_number
from closedhand.web.catalogue import BUDGET
from closedhand.web.table import Table

MOST_LISTED = 3000
"""Most legal actions that are sent; with more, a player types an action or places its cards."""
WATCHING = -1
"""In place of a seat: a spectator, who sees only what every player sees."""
OPEN = -2
"""In place of a seat: a spectator who sees all hands."""
WITHOUT_FILE = re.compile(
    rf"[^\[:]*(?:\[(?:\w+=(?:[0-9.]+|true|false)(?:,|(?=\])))*\])?(?::{BUDGET.pattern})?"
)
"""Matches an agent whose options are numbers and truth values, and whose argument is a budget."""

Views = list[State]
"""Views of one position; only what is the same in all of them is shown."""


def seen_by(game: Game, state: State, seat: int) -> Views:
    """Return the views from which a position may be described to a seat, `WATCHING` or `OPEN`."""
    if seat == OPEN or game.over(state):
        return [state]
    seats = range(game.num_players) if seat == WATCHING else [seat]
    return [game.view(state, each) for each in seats]


@lru_cache(256)
def prepare(game: Game) -> None:
    """Compile the kernels that tables and replays of a game call; slow: call it in a thread."""
    state = game.deal(np.random.default_rng(0))
    for seat in (int(state["player"]), WATCHING, OPEN):
        describe(game, seen_by(game, state, seat), [], legal=True)
    game.play(state, int(game.legal(state)[0]))
    game.returns(state)


def describe(game: Game, views: Views, actors: Sequence[int], legal: bool) -> dict[str, Any]:
    """Describe a position by the views of `seen_by`.

    `actors` are the seats that made the actions of `game.history`, -1 if unknown; in every game it
    is public who acts. With `legal` the play to beat and the legal actions are listed, unless these
    are more than `MOST_LISTED`, or the player sorts the hand into `Game.parts`; `number` counts
    all legal actions. After the end `player` is -1; before it `returns` is None, unless staged.
    """
    view = views[0]
    over = game.over(view)
    scenes = [game.scene(each) for each in views]
    found: dict[str, Any] = {
        "rows": [_row(same) for same in zip(*scenes, strict=True)],
        "moves": _moves(game, views, actors),
        "player": -1 if over else int(view["player"]),
        "over": over,
        "returns": game.returns(view).tolist() if over or game.staged else None,
        "legal": None,
        "number": 0,
        "parts": [],
        "to_beat": None,
    }
    if legal and not over:
        parts = game.parts(view)
        found["parts"] = [part._asdict() for part in parts]
        ids = game.legal(view)
        found["number"] = len(ids)
        if len(ids) <= MOST_LISTED and not parts:
            found["legal"] = [describe_action(game, view, int(action)) for action in ids]
            if any(not action["cards"] for action in found["legal"]):  # the player may pass
                found["to_beat"] = _to_beat(scenes[0], found["moves"])
    return found


def describe_action(game: Game, view: State, action: int) -> dict[str, Any]:
    """Describe an action: its id, text, cards and kind."""
    return {
        "id": action,
        "text": game.text(action, view),
        "cards": list(game.cards(action, view)),
        "kind": kind_of(game, action),
    }


def _to_beat(scene: Sequence[Row], moves: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the latest move whose cards still lie on the table; None if the player leads.

    A legal pass does not imply such a move: in some games the leader may pass too.
    """
    lying = {row.last: row.seat for row in scene if row.last}
    for move in reversed(moves):
        seat = lying.get(tuple(move["cards"]))
        if seat is not None:
            return {**move, "player": seat}
    return None


def _row(rows: Sequence[Row]) -> dict[str, Any]:
    """Describe a row of the scene, given as each of the `Views` shows it; hide what differs."""
    first = rows[0]
    sizes = {len(row.cards) for row in rows}
    # A hidden card is an empty text. Rows of different lengths are cut to the shortest.
    cards = [
        same[0] if len(set(same)) == 1 else ""
        for same in zip(*(row.cards for row in rows), strict=len(sizes) == 1)
    ]
    return {
        "label": first.label,
        "seat": first.seat,
        "role": first.role,
        "cards": cards,
        "note": first.note if len({row.note for row in rows}) == 1 else "",
        "marks": list(first.marks) if len({row.marks for row in rows}) == 1 else [],
    }


def _moves(game: Game, views: Views, actors: Sequence[int]) -> list[dict[str, Any]]:
    """List every action so far with its player, without a text where one of the views hides it."""
    histories = np.array([game.history(view) for view in views])
    acting = views[0].copy()
    moves: list[dict[str, Any]] = []
    for actor, same in zip(actors, histories.T, strict=True):
        known = (same == same[0]).all() and same[0] >= 0  # a view has -1 for a hidden action
        moves.append({"player": actor, "text": None, "cards": [], "kind": ""})
        if known:
            # The text of an action may depend on who acts.
            acting["player"] = actor if actor >= 0 else views[0]["player"]
            moves[-1] |= describe_action(game, acting, int(same[0]))
    return moves


def names_file(agent: str) -> bool:
    """Return whether the text of an agent may name a file: `WITHOUT_FILE` does not match it."""
    return WITHOUT_FILE.fullmatch(agent) is None


def without_files(agent: str, with_files: Collection[str]) -> str:
    """Return the text of an agent, or only the agent's name if the text is among `with_files`."""
    return re.split(r"[\[:]", agent)[0] if agent in with_files else agent


def describe_table(table: Table, seat: int, with_files: Collection[str] = ()) -> dict[str, Any]:
    """Describe a table as a seat or a spectator (`WATCHING`) sees it.

    Of agents in `with_files`, whose texts name files, only the plain name is sent. The reason why
    such an agent has failed is not sent either, as it may name a file.
    """
    game = table.game
    views = seen_by(game, table.state, OPEN if seat == WATCHING and table.open else seat)
    asked = seat >= 0 and table.awaits(seat)
    return {
        "table": table.id,
        "version": table.version,
        "game": game.name,
        "seat": seat,
        "seats": [
            {
                "agent": without_files(holder.agent, with_files),
                "name": holder.name,
                "person": not holder.agent,
                "player": holder.player,
            }
            for holder in table.seats
        ],
        "position": describe(game, views, table.actors, legal=asked),
        "asked": asked,
        "pace": table.pace,
        "open": table.open,
        "trouble": _trouble(table, with_files),
        "deal": table.deal,
        "turn": table.turn,
        "hands": [
            asdict(hand)
            | {"occupants": [without_files(each, with_files) for each in hand.occupants]}
            for hand in table.hands
        ],
        "sides": list(game.sides),
        "options": dict(game.options),
        "remote": not table.is_own,
    }


def _trouble(table: Table, with_files: Collection[str]) -> str:
    for agent in with_files:
        if table.trouble.startswith(f"{agent}: "):
            return f"{without_files(agent, with_files)} has failed"
    return table.trouble


def number_of(value: Any) -> float | None:
    """Return a finite number as a float; else None, as JSON has neither infinities nor NaN."""
    return float(value) if is_number(value) and math.isfinite(value) else None
