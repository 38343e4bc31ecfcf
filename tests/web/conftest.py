"""Pages in a browser; a browser test that fails reports what its pages showed."""

import signal
from collections.abc import Callable, Generator, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support_browser import CHROMIUM, DESKTOP, LIMIT, WAIT
from support_web import serving

from closedhand.web import catalogue, lobby


def shown(page: Any) -> str:
    """The address of a page, and its text with the errors first."""
    try:
        errors = page.locator(".error, .offline").all_inner_texts()
        marked = [f"ERROR: {text}" for text in errors if text]
        return "\n".join([page.url, *marked, page.inner_text("body")])
    except Exception as error:  # the report of a failure must not fail
        return f"{page.url}: {error}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the pages to the report."""
    report = yield
    visit = getattr(item, "funcargs", {}).get("visit")
    if call.when == "call" and report.failed and visit is not None:
        report.sections += [(f"page {i + 1}", shown(p)) for i, p in enumerate(visit.pages)]
    return report


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of results that the page shows."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, runs: Path) -> Iterator[str]:
    catalogue.games()
    with serving(tmp_path_factory.mktemp("tables"), runs=runs) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def out_of_time(*_: Any) -> None:
    pytest.fail(f"no end after {LIMIT:.0f} s")


@pytest.fixture
def deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds of tables count up, so that a test always sees the same deals."""
    seeds = count(1)
    monkeypatch.setattr(lobby.secrets, "randbits", lambda bits: next(seeds))


@pytest.fixture
def visit(chromium: Any, url: str, deals: None) -> Iterator[Callable[..., Any]]:
    """Opens pages, each as a person of its own; nothing may be written to their consoles.

    The time of the test begins with its first page.
    """
    contexts, complaints = [], []
    before = signal.signal(signal.SIGALRM, out_of_time)

    def open_page(path: str = "", **options: Any) -> Any:
        if not contexts:
            # It comes again, as a callback of an event loop may swallow an exception.
            signal.setitimer(signal.ITIMER_REAL, LIMIT, 10.0)
        given = {"viewport": DESKTOP, "color_scheme": "dark", "locale": "en-US", **options}
        contexts.append(chromium.new_context(**given))
        page = contexts[-1].new_page()
        open_page.pages.append(page)  # for the report of a failure
        page.set_default_timeout(WAIT)
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.context.base = url
        page.goto(url + path)
        return page

    open_page.pages = []
    yield open_page
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    for context in contexts:
        context.close()
    assert complaints == []
