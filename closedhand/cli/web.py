"""The command `web`: the server of the web page."""

import secrets
import threading
import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from closedhand.cli.common import make_folder, note
from closedhand.core.agents import traits_of
from closedhand.core.game import InputError
from closedhand.core.optional_imports import require
from closedhand.core.registry import GAMES, make_game


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
    from closedhand.web import server
    from closedhand.web.guard import Guard, is_local, is_origin
    from closedhand.web.lobby import Lobby
    from closedhand.web.preparation import Preparation
    from closedhand.web.remote_seat import parse_address

    added: dict[str, list[str]] = {}
    for text in agent or ():
        game, equals, name = text.partition("=")
        if not equals:
            raise InputError(f"--agent is GAME=AGENT, not {text!r}")
        game = game.replace("-", "_")
        traits_of(make_game(game).flat, name)  # refuses an unknown one
        added.setdefault(game, []).append(name)
    for each in origin or ():
        if not is_origin(each):
            raise InputError(f"an origin is http://NAME or https://NAME, not {each!r}")
    if token is None:
        token = "" if is_local(host) and not origin else secrets.token_urlsafe(16)
    elif not token:
        raise InputError("the token is empty; leave the option out for a random one")
    servers = [parse_address(each) for each in join or ()]
    make_folder(folder, {})  # no file would be replaced: a table gets a new name
    listener = server.listen(host, port)
    shown = host if ":" not in host else f"[{host}]"
    link = f"http://{shown}:{listener.getsockname()[1]}/"
    link += f"#/?token={quote(token, safe='')}" if token else ""
    preparation = Preparation(list(GAMES), folder / "compiled.txt")
    lobby = Lobby(folder, added, runs, servers, preparation)
    note(f"the table is at {link}; Ctrl-C ends it")
    if browser:
        # In a thread: a browser of the terminal does not return before it has been closed.
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    server.run(lobby, Guard(host, origin or ()), token, listener)
