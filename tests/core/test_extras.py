"""Libraries of extras that are not installed."""

import sys

import pytest

from closedhand import InputError
from closedhand.core.extras import needing


def test_the_extra_of_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with (
        pytest.raises(InputError, match=r"the module scipy is missing .*'closedhand\[solve\]'"),
        needing("solve"),
    ):
        import scipy  # noqa: F401


def test_the_extra_of_an_old_library_is_named() -> None:
    with (
        pytest.raises(InputError, match=r"the module numpy is missing or too old"),
        needing("solve"),
    ):
        from numpy import no_such_function  # type: ignore[attr-defined] # noqa: F401


def test_a_mistake_of_our_own_is_no_missing_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"closedhand\.nonsense"), needing("train"):
        import closedhand.nonsense  # type: ignore[import-not-found] # noqa: F401
