"""Requests about small games: strategies, their losses, and solvers."""

import secrets
from typing import Any

from closedhand.core.game import InputError
from closedhand.core.parsing import NATURAL, OPTIONS, TEXT
from closedhand.web.connection import Connection, request
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.lobby import bound_game
from closedhand.web.requests.hints import adviser


def _explored(connection: Connection) -> GameExplorer:
    """Return the small game that a browser analyses."""
    if connection.explorer is None:
        raise InputError("no game has been chosen")
    return connection.explorer


@request("small", {"game": TEXT, "options": OPTIONS})
async def _small(connection: Connection, given: dict[str, Any]) -> Any:
    connection.stop("solve")
    explorer = await connection.lobby.in_thread(
        lambda: GameExplorer(bound_game(given["game"], given["options"]))
    )
    description = await connection.lobby.in_thread(explorer.describe)
    connection.explorer = explorer  # not before: the page shows the former game after an error
    return description


@request("strategy", {}, {"by": TEXT, "data": TEXT, "respond": NATURAL})
async def _strategy(connection: Connection, given: dict[str, Any]) -> Any:
    """Show the strategy of an agent or a file, or a best response to the current one."""
    explorer = _explored(connection)
    connection.stop("solve")

    def show() -> Any:
        if given.get("data") is not None:
            explorer.open(given["data"])
        elif given.get("respond") is not None:
            explorer.respond(explorer.game.seat(given["respond"]))
        else:
            explorer.play(adviser(connection, explorer.game, given.get("by") or ""))
        return explorer.judged(explorer.profile)

    return await connection.lobby.in_thread(show)


@request("public", {"state": NATURAL})
async def _public(connection: Connection, given: dict[str, Any]) -> Any:
    return await connection.lobby.in_thread(_explored(connection).at, given["state"])


@request("solve", {"algorithm": TEXT})
async def _solve(connection: Connection, given: dict[str, Any]) -> Any:
    connection.start("solve", _push_solution(connection, _explored(connection), given["algorithm"]))


async def _push_solution(connection: Connection, explorer: GameExplorer, algorithm: str) -> None:
    """Push the evaluations of a solver until it is stopped."""
    try:
        steps = explorer.solve(algorithm, secrets.randbits(31))
        async for explorer.profile, judged in connection.follow(steps):
            connection.push({"push": "solved", **judged})
        connection.push({"push": "solved", "done": True})
    except Exception as error:
        connection.push({"push": "solved", "error": connection.reason(error, algorithm)})
