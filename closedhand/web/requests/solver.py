"""What a browser can ask for about small games: strategies, what they lose, and solvers."""

import secrets
from typing import Any

from closedhand.core.game import InputError
from closedhand.core.parsing import OPTIONS, SEED, TEXT
from closedhand.web.connection import Connection, request
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.hints import adviser
from closedhand.web.lobby import bound_game


def _looked_into(visitor: Connection) -> GameExplorer:
    """The small game that a browser looks into.

    Raises:
        InputError: There is none.
    """
    if visitor.small is None:
        raise InputError("no game has been chosen")
    return visitor.small


@request("small", {"game": TEXT, "options": OPTIONS})
async def _small(visitor: Connection, given: dict[str, Any]) -> Any:
    visitor.stop("solve")

    def look_into() -> tuple[GameExplorer, Any]:
        small = GameExplorer(bound_game(given["game"], given["options"]))
        return small, small.told()

    visitor.small, told = await visitor.house.think(look_into)
    return told


@request("strategy", {}, {"by": TEXT, "data": TEXT, "respond": SEED})
async def _strategy(visitor: Connection, given: dict[str, Any]) -> Any:
    """Look at the strategy of an agent or a file, or at a best response to the one so far."""
    small = _looked_into(visitor)
    visitor.stop("solve")

    def look_at() -> Any:
        if given.get("data") is not None:
            small.open(given["data"])
        elif given.get("respond") is not None:
            small.respond(small.game.seat(given["respond"]))
        else:
            small.play(adviser(visitor, small.game, given))
        return small.judged(small.look)

    return await visitor.house.think(look_at)


@request("public", {"state": SEED})
async def _public(visitor: Connection, given: dict[str, Any]) -> Any:
    return await visitor.house.think(_looked_into(visitor).at, given["state"])


@request("solve", {"algorithm": TEXT})
async def _solve(visitor: Connection, given: dict[str, Any]) -> Any:
    visitor.start("solve", _push_solution(visitor, _looked_into(visitor), given["algorithm"]))


async def _push_solution(visitor: Connection, small: GameExplorer, algorithm: str) -> None:
    """Push the judgements of a solver until it is stopped."""
    try:
        steps = small.solve(algorithm, secrets.randbits(31))
        async for small.look, judged in visitor.follow(steps):
            visitor.push({"push": "solved", **judged})
        visitor.push({"push": "solved", "done": True})
    except InputError as error:
        visitor.push({"push": "solved", "error": str(error)})
