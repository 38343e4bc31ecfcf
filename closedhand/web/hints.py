"""Advice on the way to a browser: computed step by step in threads, and pushed."""

import secrets
from typing import Any

from closedhand.core.game import Game, InputError, State
from closedhand.web import advice, catalogue
from closedhand.web.connection import Connection


def adviser(visitor: Connection, game: Game, given: dict[str, Any]) -> str:
    """The agent that a message asks for advice; importing it takes a while.

    Raises:
        InputError: There is no such agent, or a browser may not name it.
    """
    by = given.get("by") or catalogue.usual(game.name)
    return catalogue.check_agent(game, by, visitor.house.added.get(game.name, ()))


async def push_advice(visitor: Connection, game: Game, view: State, by: str) -> None:
    """Push what an agent would do, then what the plays are worth, better and better."""
    found: dict[str, Any] = {
        "push": "hint", "by": by, "action": None, "shares": [], "ratings": [], "values": []
    }  # fmt: skip
    seed = secrets.randbits(31)
    try:
        found |= await visitor.advise(advice.suggest, game, view, by, 0)
        visitor.push({**found, "done": False})
        steps = advice.values(game, view, found["action"]["id"], seed, by)
        async for some in visitor.follow(steps):
            found["values"] = some
            visitor.push({**found, "done": False})
    except InputError as error:
        found["error"] = str(error)
    except Exception as error:  # an agent is anybody's code
        visitor.house.complaints.failed(f"a hint by {by}")
        found["error"] = f"{by}: {type(error).__name__}"
    visitor.push({**found, "done": True})


async def push_worlds(visitor: Connection, game: Game, view: State, seat: int) -> None:
    """Push how many of each card the other players may be expected to hold."""
    try:
        if game.over(view):
            raise InputError("the game is over")
        found = await visitor.advise(advice.worlds, game, view, seat, secrets.randbits(31))
        visitor.push({"push": "worlds", **found})
    except InputError as error:
        visitor.push({"push": "worlds", "error": str(error)})
