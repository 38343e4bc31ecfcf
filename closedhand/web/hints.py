"""Push hints to a browser, computed step by step in threads."""

import secrets
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.web import advice, catalogue
from closedhand.web.connection import Connection


def adviser(connection: Connection, game: Game, given: dict[str, Any]) -> str:
    """Text of the agent that a message asks for a hint. Slow: it imports the agent.

    Raises:
        InputError: There is no such agent, or a browser may not name it.
    """
    by = given.get("by") or catalogue.usual(game.name)
    return catalogue.check_agent(game, by, connection.lobby.added.get(game.name, ()))


async def push_advice(connection: Connection, game: Game, view: State, by: str) -> None:
    """Push an agent's choice, then values of the plays in growing precision."""
    found: dict[str, Any] = {
        "push": "hint", "by": by, "action": None, "shares": [], "ratings": [], "values": []
    }  # fmt: skip
    seed = secrets.randbits(31)
    try:
        found |= await connection.run_long(advice.suggest, game, view, by, 0)
        connection.push({**found, "done": False})
        steps = advice.values(game, view, found["action"]["id"], seed, by)
        async for some in connection.follow(steps):
            found["values"] = some
            connection.push({**found, "done": False})
    except InputError as error:
        found["error"] = str(error)
    except Exception as error:  # an agent may be third-party code, and raise anything
        connection.lobby.log.failed(f"a hint by {by}")
        found["error"] = f"{by}: {type(error).__name__}"
    connection.push({**found, "done": True})


async def push_card_chances(connection: Connection, game: Game, view: State, seat: int) -> None:
    """Push the expected number of each card in the hands of the other players."""
    try:
        if game.over(view):
            raise InputError("the game is over")
        found = await connection.run_long(
            advice.card_chances, game, view, seat, secrets.randbits(31)
        )
        connection.push({"push": "chances", **found})
    except InputError as error:
        connection.push({"push": "chances", "error": str(error)})
