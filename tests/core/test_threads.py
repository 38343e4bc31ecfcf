"""Work in threads."""

import multiprocessing
import os

import numpy as np
import pytest
from support_pools import GAME, dealt, win_of

from closedhand.agents.chinese_poker import separable
from closedhand.core.threads import CHUNK, in_threads


@pytest.mark.parametrize("number", [0, 1, CHUNK, CHUNK + 1, 4 * CHUNK])
def test_threads_do_everything_once(number: int) -> None:
    done, told = np.zeros(number, int), [0]
    in_threads(lambda some: np.add.at(done, some, 1), number, told.append)
    assert (done == 1).all()
    assert told == sorted(told)
    assert number <= CHUNK or told[-1] == number
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda some: 1 // (some.start - CHUNK), 4 * CHUNK)


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
