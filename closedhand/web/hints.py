"""Push hints to a browser, computed step by step in threads."""

import secrets
from collections.abc import Callable
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.web import advice, catalogue, open_hands
from closedhand.web.card_chances import card_chances
from closedhand.web.connection import Connection


def adviser(connection: Connection, game: Game, by: str) -> str:
    """Wait until hints of a game are prepared; return the agent to ask, by default its adviser."""
    connection.lobby.wait_for(game.name, "hints")
    if not by:
        return catalogue.adviser_of(game)
    return catalogue.check_agent(game, by, connection.lobby.added.get(game.name, ()))


async def push_advice(connection: Connection, game: Game, view: State, by: str, about: int) -> None:
    """Push an agent's choice, then values of the plays in growing precision.

    Every message repeats `about`, the number of the position: the page may have gone on.
    """
    found: dict[str, Any] = {
        "push": "hint", "about": about, "by": by,
        "action": None, "shares": [], "ratings": [], "basis": "", "values": [],
    }  # fmt: skip
    seed = secrets.randbits(31)
    try:
        by = found["by"] = await connection.run_long(adviser, connection, game, by)
        found |= await connection.run_long(advice.suggest, game, view, by, 0)
        connection.push({**found, "done": False})
        steps = advice.values(game, view, found["action"]["id"], seed, by)
        async for some in connection.follow(steps):
            found |= some
            connection.push({**found, "done": False})
    except Exception as error:
        found["error"] = connection.reason(error, f"a hint by {by}")
    connection.push({**found, "done": True})


async def push_card_chances(
    connection: Connection, game: Game, view: State, seat: int, about: int
) -> None:
    """Push the expected number of each card in the hands of the other players."""
    found: dict[str, Any] = {"push": "chances", "about": about}
    arguments = game, view, seat, secrets.randbits(31)
    await _push(connection, found, "chances of cards", "hints", card_chances, *arguments)


async def push_endgame(
    connection: Connection, game: Game, state: State, about: int, seconds: float, seats: int | None
) -> None:
    """Push the exact result of a position with open hands, see `open_hands.solved`."""
    found: dict[str, Any] = {"push": "endgame", "about": about}
    arguments = game, state, seconds, seats
    await _push(connection, found, "an exact result", "endgames", open_hands.solved, *arguments)


async def _push(
    connection: Connection, found: dict[str, Any], what: str, stage: str,
    work: Callable[..., dict[str, Any]], game: Game, state: State, *others: Any,
) -> None:  # fmt: skip
    """Push the result of long work on a state or view, or the reason why there is none."""
    try:
        if game.over(state):
            raise InputError("the game is over")
        await connection.run_long(connection.lobby.wait_for, game.name, stage)
        found |= await connection.run_long(work, game, state, *others)
    except Exception as error:
        found["error"] = connection.reason(error, what)
    connection.push(found)
