"""Requests about small games: strategies, their losses, and solvers."""

import secrets
from typing import Any

from closedhand.core.game import InputError
from closedhand.web.connection import Connection
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.requests import Fields, request
from closedhand.web.requests.hints import adviser


def _explored(connection: Connection) -> GameExplorer:
    if connection.explorer is None:
        raise InputError("no game has been chosen")
    return connection.explorer


@request("small")
async def _small(connection: Connection, game: str, options: Fields) -> Any:
    connection.stop("solve")
    lobby = connection.lobby
    explorer = await lobby.in_thread(lambda: GameExplorer(lobby.bind(game, options)))
    description = await lobby.in_thread(explorer.describe)
    connection.explorer = explorer  # not before: the page shows the former game after an error
    return description


@request("strategy")
async def _strategy(
    connection: Connection, by: str = "", data: str | None = None, respond: int | None = None
) -> Any:
    explorer = _explored(connection)
    connection.stop("solve")

    def show() -> Any:
        if data is not None:
            explorer.open(data)
        elif respond is not None:
            explorer.respond(explorer.game.seat(respond))
        else:
            explorer.play(adviser(connection, explorer.game, by))
        return explorer.judged(explorer.profile)

    return await connection.lobby.in_thread(show)


@request("public")
async def _public(connection: Connection, state: int) -> Any:
    return await connection.lobby.in_thread(_explored(connection).at, state)


@request("solve")
async def _solve(connection: Connection, algorithm: str) -> None:
    connection.start("solve", _push_solution(connection, _explored(connection), algorithm))


async def _push_solution(connection: Connection, explorer: GameExplorer, algorithm: str) -> None:
    """Push the evaluations of a solver, and at its end `done` or an error."""
    try:
        steps = explorer.solve(algorithm, secrets.randbits(31))
        async for explorer.profile, judged in connection.follow(steps):
            connection.push({"push": "solved", **judged})
        connection.push({"push": "solved", "done": True})
    except Exception as error:
        connection.push({"push": "solved", "error": connection.reason(error, algorithm)})
