"""Starting the server."""

import logging
import socket
import threading
import tomllib
import webbrowser
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from queue import SimpleQueue

import pytest
import uvicorn
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support_cli import run

from closedhand.core.game import InputError
from closedhand.web.guard import RateLimitedLog
from closedhand.web.remote_seat import parse_address
from closedhand.web.server import listen

ROOT = Path(__file__).parents[2]


def test_a_browser_may_come_before_the_server_is_ready() -> None:
    """The browser opens before the server is ready, and waits."""
    with (
        listen("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname(), timeout=30),
    ):
        pass


def test_the_server_does_not_wait_for_a_browser_in_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    callers = SimpleQueue[threading.Thread]()

    async def serve(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        for each in sockets:
            each.close()

    monkeypatch.setattr(webbrowser, "open", lambda _: callers.put(threading.current_thread()))
    monkeypatch.setattr(uvicorn.Server, "serve", serve)
    assert run("web", "--port", "0", "--folder", str(tmp_path)).exit_code == 0
    assert callers.get(timeout=60) is not threading.current_thread()
    assert not logging.getLogger("uvicorn.error").filters


def test_a_port_in_use_is_refused() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(InputError, match=f"^cannot listen at '127.0.0.1', port {port}: [^(]*$"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["", "[::1]", "a..b", "é..b", "é" * 70])
def test_names_that_no_host_can_have_are_refused(host: str) -> None:
    with pytest.raises(InputError, match="cannot listen"):
        listen(host, 0)


def test_the_extra_is_small() -> None:
    """Packages that `pip install closedhand[web]` adds to the base ones."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = project["dependencies"]
    added = _needed([*own, *project["optional-dependencies"]["web"]]) - _needed(own)
    assert {"starlette", "uvicorn", "websockets"} <= added
    sizes = [
        Path(file.locate()).stat().st_size
        for name in added
        for file in distribution(name).files or ()
        if Path(file.locate()).is_file()
    ]
    assert sum(sizes) < 15e6


def _needed(texts: Iterable[str], extra: str = "") -> set[str]:
    """Names of required packages, and of those that they require."""
    found: set[str] = set()
    for need in map(Requirement, texts):
        name = canonicalize_name(need.name)
        if need.marker is None or need.marker.evaluate({"extra": extra}):
            requires = distribution(name).requires or ()
            found |= {name}.union(*(_needed(requires, each) for each in ("", *need.extras)))
    return found


def test_servers_of_competitions() -> None:
    found = parse_address("daihinmin[joker_edges=no]:localhost:42485")
    assert (found.game, found.host, found.port) == ("daihinmin", "localhost", 42485)
    assert found.options == {"joker_edges": "no"}
    for text in ("daihinmin:[::1]:42485", "daihinmin:::1:42485"):
        found = parse_address(text)
        assert (found.host, str(found)) == ("::1", "daihinmin, [::1]:42485")


@pytest.mark.parametrize(
    "text",
    ["", "daihinmin", "daihinmin:", "daihinmin:x", "daihinmin::1", "daihinmin:h:0", "nothing:h:1",
     "daihinmin:h:x", "daihinmin:h:99999", "leduc:h:1", "daihinmin[x=1]:h:1", "daihinmin[:h:1",
     "daihinmin[players=4]:h:1", "daihinmin[actions=card_sets]:h:1", "daihinmin:[]:1"],
)  # fmt: skip
def test_what_is_no_server_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_address(text)


def test_refusals_of_uvicorn_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.Logger("uvicorn.error")
    log.addHandler(caplog.handler)
    log.addFilter(RateLimitedLog().admits)
    with caplog.at_level(logging.WARNING):
        for _ in range(100):
            log.warning("Invalid HTTP request received.")
            try:
                b"\xff".decode()
            except UnicodeDecodeError:
                log.exception("Invalid UTF-8 sequence received from client.")
        log.error("Exception in ASGI application")
    [refused, failed] = caplog.records
    assert "Invalid HTTP request" in refused.getMessage() and not refused.exc_info
    assert failed.getMessage() == "Exception in ASGI application"
