"""Work in threads."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import numpy as np
import pytest
from support_pools import GAME, dealt, win_of

from closedhand.agents.chinese_poker import separable
from closedhand.core import threads
from closedhand.core.threads import CHUNK, in_threads, side_by_side


@pytest.mark.parametrize("number", [0, 1, CHUNK, CHUNK + 1, 4 * CHUNK])
def test_threads_do_everything_once(number: int) -> None:
    done, told = np.zeros(number, int), [0]
    in_threads(lambda some: np.add.at(done, some, 1), number, told.append)
    assert (done == 1).all()
    assert told == sorted(told)
    assert number <= CHUNK or told[-1] == number
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda some: 1 // (some.start - CHUNK), 4 * CHUNK)


def test_ctrl_c_waits_until_all_pieces_are_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not within the pool's locks, which would stay shut."""
    given: list[int] = []

    class Pressed(ThreadPoolExecutor):
        def submit(self, *args: Any, **options: Any) -> Any:
            if not given:
                signal.raise_signal(signal.SIGINT)
            given.append(len(given))
            return super().submit(*args, **options)

    monkeypatch.setattr(threads, "ThreadPoolExecutor", Pressed)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            in_threads(lambda some: None, 4 * CHUNK)
    finally:
        signal.signal(signal.SIGINT, before)
    assert given == [0, 1, 2, 3]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_threads_work_after_a_fork() -> None:
    hands = dealt(4 * CHUNK, 37)
    before = separable.arrange(GAME.rules, win_of("4-2"), hands)

    def again() -> None:
        assert (separable.arrange(GAME.rules, win_of("4-2"), hands) == before).all()

    child = multiprocessing.get_context("fork").Process(target=again)
    child.start()
    child.join(30)
    exitcode = child.exitcode
    child.kill()
    assert exitcode == 0  # None: it hangs


class Cut:
    """Work on two items, one a thread, of which the caller's is cut short.

    Attributes:
        done: Whether the other thread has done its item.
    """

    def __init__(self, ended: threading.Event) -> None:
        """Take an event that the other thread waits for, though not forever."""
        self.done = False
        self._begun, self._ended = threading.Event(), ended

    def __call__(self, first: int, last: int) -> None:
        """Do one of the items; the caller's ends once the other has begun."""
        if first == 0:
            assert self._begun.wait(10)
            self.cut()
            return
        self._begun.set()
        self.other()
        self._ended.wait(10)
        sum(range(10**6))
        self.done = True

    def cut(self) -> None:
        """Be cut short."""
        raise ZeroDivisionError

    def other(self) -> None:
        """Begin the other item."""


def test_no_thread_works_on_after_an_error() -> None:
    ended = threading.Event()
    ended.set()
    work = Cut(ended)
    with pytest.raises(ZeroDivisionError):
        side_by_side(work, 2, 2)
    assert work.done


def test_an_error_of_another_thread_is_raised() -> None:
    for _ in range(2):  # the thread lives on
        with pytest.raises(ZeroDivisionError):
            side_by_side(lambda first, last: 1 // (1 - first), 2, 2)


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_waits_for_all_threads(presses: int) -> None:
    ended = threading.Event()

    class Pressed(Cut):
        def cut(self) -> None:
            try:
                for _ in range(presses):
                    signal.raise_signal(signal.SIGINT)
            finally:
                ended.set()

    work = Pressed(ended)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            side_by_side(work, 2, 2)
        assert work.done
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms")
def test_an_alarm_while_waiting_waits_for_all_threads() -> None:
    """A handler of another signal may raise at any time."""

    class Alarmed(Cut):
        def cut(self) -> None:
            pass

        def other(self) -> None:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)

    def alarm(number: int, frame: Any) -> NoReturn:
        ended.set()
        raise TimeoutError

    ended = threading.Event()
    work = Alarmed(ended)
    before = signal.signal(signal.SIGALRM, alarm)
    try:
        with pytest.raises(TimeoutError):
            side_by_side(work, 2, 2)
        assert work.done
    finally:
        signal.signal(signal.SIGALRM, before)
