"""Push hints to a browser, computed step by step in threads."""

import secrets
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.web import advice, catalogue, open_hands
from closedhand.web.card_chances import card_chances
from closedhand.web.connection import Connection


def adviser(connection: Connection, game: Game, by: str) -> str:
    """Choose the agent that a browser asks for a hint, or the first that can give one.

    Slow: it waits for the preparation of the game and imports the agent.

    Args:
        connection: The connection of the browser.
        game: The game.
        by: Text of the agent; it may be empty.

    Raises:
        InputError: There is no such agent, or a browser may not name it.
    """
    connection.lobby.wait_for(game.name, "hints")
    if not by:
        return catalogue.adviser_of(game)
    return catalogue.check_agent(game, by, connection.lobby.added.get(game.name, ()))


async def push_advice(connection: Connection, game: Game, view: State, by: str, about: int) -> None:
    """Push an agent's choice, then values of the plays in growing precision.

    Args:
        connection: The connection.
        game: The game.
        view: View of the player to act.
        by: Text of the agent, see `adviser`.
        about: Number of the position, which every message repeats: the page may have gone on.
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
    found: dict[str, Any]
    try:
        if game.over(view):
            raise InputError("the game is over")
        await connection.run_long(connection.lobby.wait_for, game.name, "hints")
        found = await connection.run_long(card_chances, game, view, seat, secrets.randbits(31))
    except Exception as error:
        found = {"error": connection.reason(error, "chances of cards")}
    connection.push({"push": "chances", "about": about, **found})


async def push_endgame(
    connection: Connection, game: Game, state: State, about: int, seconds: float, seats: int | None
) -> None:
    """Push the exact result of a position with open hands, see `open_hands.solved`."""
    found: dict[str, Any]
    try:
        await connection.run_long(connection.lobby.wait_for, game.name, "endgames")
        found = await connection.run_long(open_hands.solved, game, state, seconds, seats)
    except Exception as error:
        found = {"error": connection.reason(error, "an exact result")}
    connection.push({"push": "endgame", "about": about, **found})
