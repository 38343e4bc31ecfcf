"""A browser test that fails reports what its pages showed."""

from collections.abc import Generator
from typing import Any

import pytest


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
