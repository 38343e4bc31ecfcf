"""Ctrl-C at safe points: one that comes while a block begins or ends leaves nothing behind."""

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from closedhand.core import interrupt


@pytest.fixture(autouse=True)
def default_handler() -> Iterator[None]:
    """Python's own handler in each test; what a failed one leaves is taken away."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    interrupt._present = None


@pytest.mark.parametrize(("call", "presses"), [(1, 1), (2, 2)])
@pytest.mark.parametrize("block", [interrupt.deferred, interrupt.postponed])
def test_ctrl_c_while_a_block_begins_or_ends_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, block: Callable[[], Any], call: int, presses: int
) -> None:
    """As `signal.signal` handles a Ctrl-C that came just before."""
    change, calls = signal.signal, [0]

    def pressed(number: int, handler: Any) -> Any:
        calls[0] += 1
        for _ in range(presses if calls[0] == call else 0):
            signal.raise_signal(signal.SIGINT)
        return change(number, handler)

    with monkeypatch.context() as patch:
        patch.setattr(interrupt.signal, "signal", pressed)
        with pytest.raises(KeyboardInterrupt), block():
            pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert interrupt._present is None


def test_a_second_press_acts_at_once_in_a_block_within_a_block() -> None:
    reached = False
    with pytest.raises(KeyboardInterrupt), interrupt.deferred(), interrupt.postponed():
        signal.raise_signal(signal.SIGINT)
        reached = True
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it went on")
    assert reached


def test_a_handler_that_is_not_pythons_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    for block in (interrupt.deferred, interrupt.postponed):
        with block():
            pass
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGINT) is before
