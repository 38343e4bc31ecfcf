"""Requests of a player about the position: hints, chances of cards, and why a choice is illegal."""

from typing import Any

from closedhand.core.explanations import reason_against
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import NATURAL, TEXT, list_of
from closedhand.core.registry import load, spec_of
from closedhand.web import advice
from closedhand.web.connection import Connection, request
from closedhand.web.hints import push_advice, push_card_chances

MOST_CHOSEN = 60
"""Most cards of a choice that is explained."""


@request("try", {"version": NATURAL, "text": TEXT}, for_owner=False)
async def _try(connection: Connection, given: dict[str, Any]) -> Any:
    """Check an arrangement of the hand: return its note and whether it is legal."""
    table = connection.seated()
    game, view = _position(connection, given)
    if not table.awaits(connection.seat):
        raise InputError("it is not your turn")
    action = game.parse(given["text"], view)
    legal = action in game.legal(view)
    if legal:
        game.play(view, action)
    rows = [row for row in game.scene(view) if row.seat == connection.seat]
    return {"legal": legal, "note": rows[0].note if rows else ""}


@request("odds", {"parts": list_of(TEXT)}, for_owner=False)
async def _odds(connection: Connection, given: dict[str, Any]) -> Any:
    """Return the odds of the complete parts of a hand that is being arranged; None for others."""
    table = connection.seated()
    game, view = table.game, table.game.view(table.state, connection.seat)
    ref = spec_of(game.name).odds
    if ref is None:
        return []
    advice.check_view(game, view, connection.seat)
    found = await connection.lobby.in_thread(lambda: load(ref)(game, view, given["parts"]))
    return [each and each._asdict() for each in found]


@request("hint", {"version": NATURAL}, {"by": TEXT}, for_owner=False)
async def _hint(connection: Connection, given: dict[str, Any]) -> Any:
    game, view = _position(connection, given)
    advice.check_view(game, view, connection.seat)
    work = push_advice(connection, game, view, given.get("by") or "", given["version"])
    connection.start("hint", work)


@request("chances", {"version": NATURAL}, for_owner=False)
async def _card_chances(connection: Connection, given: dict[str, Any]) -> Any:
    game, view = _position(connection, given)
    work = push_card_chances(connection, game, view, connection.seat, given["version"])
    connection.start("chances", work)


def _position(connection: Connection, given: dict[str, Any]) -> tuple[Game, State]:
    """Return the game, and the view of the connection's seat at the version of a message."""
    table = connection.seated()
    if given["version"] != table.version:
        raise InputError("the table has changed")
    return table.game, table.game.view(table.state, connection.seat)


@request("why", {"version": NATURAL, "cards": list_of(TEXT)}, for_owner=False)
async def _why(connection: Connection, given: dict[str, Any]) -> Any:
    """Say why some cards are no legal play; an empty text if they are one."""
    game, view = _position(connection, given)
    cards = given["cards"]
    if len(cards) > MOST_CHOSEN:
        raise InputError(f"at most {MOST_CHOSEN} cards are chosen")
    return await connection.lobby.in_thread(reason_against, game, view, cards)
