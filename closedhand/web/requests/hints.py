"""Requests of a player about the position: hints, chances of cards, and why a choice is illegal."""

import secrets
from collections.abc import Callable
from typing import Any

from closedhand.core.explanations import reason_against
from closedhand.core.game import Game, InputError, State
from closedhand.core.registry import load, spec_of
from closedhand.web import advice, catalogue, open_hands
from closedhand.web.connection import Connection
from closedhand.web.requests import request

MOST_CHOSEN = 60


@request("try", for_owner=False)
async def _try_arrangement(connection: Connection, version: int, text: str) -> Any:
    """Preview an arrangement of the hand (`text`, an action) in a game with `Game.parts`.

    Return whether it is `legal`, and as `note` the names of its parts. `version` is the table's
    version that the browser shows.
    """
    game, view = _position(connection, version)
    if not connection.seated().awaits(connection.seat):
        raise InputError("it is not your turn")
    action = game.parse(text, view)
    legal = action in game.legal(view)
    if legal:
        game.play(view, action)  # after this the row's note names the arrangement
    rows = [row for row in game.scene(view) if row.seat == connection.seat]
    return {"legal": legal, "note": rows[0].note if rows else ""}


@request("odds", for_owner=False)
async def _odds(connection: Connection, parts: list[str]) -> Any:
    """Return the odds of each part, None if the part is incomplete; [] in games without odds."""
    game, view = _position(connection)
    ref = spec_of(game.name).odds
    if ref is None:
        return []
    advice.check_view(game, view, connection.seat)
    found = await connection.lobby.in_thread(lambda: load(ref)(game, view, parts))
    return [each and each._asdict() for each in found]


@request("hint", for_owner=False)
async def _hint(connection: Connection, version: int, by: str = "") -> None:
    game, view = _position(connection, version)
    advice.check_view(game, view, connection.seat)
    connection.start("hint", push_advice(connection, game, view, by, version))


@request("chances", for_owner=False)
async def _card_chances(connection: Connection, version: int) -> None:
    game, view = _position(connection, version)
    start_card_chances(connection, game, view, connection.seat, version)


def _position(connection: Connection, version: int | None = None) -> tuple[Game, State]:
    table = connection.seated(version)
    return table.game, table.game.view(table.state, connection.seat)


@request("why", for_owner=False)
async def _why(connection: Connection, version: int, cards: list[str]) -> Any:
    """Return `reason_against` some cards: why they are no legal play, or an empty text."""
    game, view = _position(connection, version)
    if len(cards) > MOST_CHOSEN:
        raise InputError(f"at most {MOST_CHOSEN} cards are chosen")
    return await connection.lobby.in_thread(reason_against, game, view, cards)


def adviser(connection: Connection, game: Game, by: str) -> str:
    """Wait until hints are prepared; return the agent's text `by`, the adviser's if it is empty."""
    connection.lobby.preparation.wait(game.name, "hints")
    if not by:
        return catalogue.adviser_of(game)
    return catalogue.check_agent(game, by, connection.lobby.added.get(game.name, ()))


async def push_advice(connection: Connection, game: Game, view: State, by: str, about: int) -> None:
    """Push the results of `advice.suggest`, then of `advice.values`; `done` marks the last push.

    Each push has `about`, the version, ply or number of the position: the page may have moved on.
    """
    found: dict[str, Any] = {
        "push": "hint", "about": about, "by": by,
        "action": None, "shares": [], "ratings": [], "basis": "", "unit": "points", "values": [],
    }  # fmt: skip
    seed = secrets.randbits(31)
    try:
        by = found["by"] = await connection.run_long(adviser, connection, game, by)
        found |= await connection.run_long(advice.suggest, game, view, by)
        connection.push({**found, "done": False})
        steps = advice.values(game, view, found["action"]["id"], seed, by)
        async for some in connection.follow(steps):
            found |= some
            connection.push({**found, "done": False})
    except Exception as error:
        found["error"] = connection.reason(error, f"a hint by {by}")
    connection.push({**found, "done": True})


def start_card_chances(
    connection: Connection, game: Game, view: State, seat: int, about: int
) -> None:
    """Start to push `advice.card_chances`, the expected number of each card in hidden hands."""
    how = "chances", "chances of cards", "hints", about
    work = advice.card_chances, game, view, seat, secrets.randbits(31)
    connection.start("chances", _push(connection, *how, *work))


def start_endgame(
    connection: Connection, game: Game, state: State, about: int, seconds: float,
    seats: int | None = None,
) -> None:  # fmt: skip
    """Start to push the exact result of a position with open hands, see `open_hands.solved`."""
    how = "endgame", "an exact result", "endgames", about
    work = open_hands.solved, game, state, seconds, seats
    connection.start("endgame", _push(connection, *how, *work))


async def _push(
    connection: Connection, name: str, what: str, stage: str, about: int,
    work: Callable[..., dict[str, Any]], game: Game, state: State, *others: Any,
) -> None:  # fmt: skip
    """Push the result of `work` on a position once `stage` is prepared, or why `what` failed."""
    found: dict[str, Any] = {"push": name, "about": about}
    try:
        if game.over(state):
            raise InputError("the game is over")
        await connection.run_long(connection.lobby.preparation.wait, game.name, stage)
        found |= await connection.run_long(work, game, state, *others)
    except Exception as error:
        found["error"] = connection.reason(error, what)
    connection.push(found)
