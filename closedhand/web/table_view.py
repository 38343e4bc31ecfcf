"""A table as JSON data for one browser, at a seat or watching."""

import re
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from closedhand.web.catalogue import BUDGET
from closedhand.web.serialization import OPEN, WATCHING, describe, seen_by
from closedhand.web.table import Table

WITHOUT_FILE = re.compile(
    rf"[^\[:]*(?:\[(?:\w+=(?:[0-9.]+|true|false)(?:,|(?=\])))*\])?(?::{BUDGET.pattern})?"
)
"""Matches an agent whose options are numbers and truth values, and whose argument is a budget."""


def names_file(agent: str) -> bool:
    """Return whether the text of an agent may name a file: `WITHOUT_FILE` does not match it."""
    return WITHOUT_FILE.fullmatch(agent) is None


def without_files(agent: str, with_files: Collection[str]) -> str:
    """Return the text of an agent; only its name if it is among `with_files`."""
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
