"""The command `web`: the server of the web page."""

from pathlib import Path
from typing import Annotated

import typer

from closedhand.cli.common import make_folder, note
from closedhand.core.game import InputError
from closedhand.core.optional_imports import require


def web(
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8025,
    browser: Annotated[bool, typer.Option("--browser/--no-browser")] = True,
    folder: Path = Path("runs/web"),
    runs: Path = Path("runs"),
    token: str | None = None,
    origin: list[str] | None = None,
    agent: Annotated[list[str] | None, typer.Option(metavar="GAME=AGENT")] = None,
    join: Annotated[list[str] | None, typer.Option(metavar="GAME:HOST:PORT")] = None,
) -> None:
    """Play, watch, replay and analyse games in a browser.

    Example: closedhand web --port 8025

    Options:
        host: Address to listen on.
        port: Port; 0: any free one.
        browser: Whether to open a browser.
        folder: Folder in which the tables are kept.
        runs: Folder of the results of matches that the page shows.
        token: Token that opens the page; by default none on 127.0.0.1 without --origin, else a
            random one.
        origin: Public address of a proxy, https://…; may be repeated.
        agent: A further agent to offer, such as doudizhu=learned:runs/demo; may be repeated.
        join: A server of a competition to play at, such as daihinmin:127.0.0.1:42485; may be
            repeated.
    """
    require("starlette", "uvicorn", "websockets")
    from closedhand.web import serve

    added: dict[str, list[str]] = {}
    for text in agent or ():
        game, equals, name = text.partition("=")
        if not equals:
            raise InputError(f"--agent is GAME=AGENT, not {text!r}")
        added.setdefault(game.replace("-", "_"), []).append(name)
    make_folder(folder, {})  # no file would be replaced: a table gets a new name
    serve.run(host, port, folder, token, origin or (), added, runs, join or (), browser, note)
