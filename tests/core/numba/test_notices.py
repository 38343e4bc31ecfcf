"""A first compilation is announced once, for our own kernels; others notice nothing."""

from pathlib import Path

import pytest
from support import run_program

FIRST_STEP = """
import closedhand, pettingzoo
env = pettingzoo.make("aec", "closedhand/leduc-v0")
env.reset(seed=1)
observation, *_ = env.last()
env.step(int(observation["action_mask"].argmax()))
env.last()
"""


@pytest.mark.slow
def test_a_cold_start_says_what_it_does_and_a_warm_one_nothing(tmp_path: Path) -> None:
    cold = run_program(FIRST_STEP, NUMBA_CACHE_DIR=str(tmp_path))
    assert cold.returncode == 0, cold.stderr
    assert "closedhand: compiling kernels of closedhand.games.leduc" in cold.stderr
    assert "`closedhand compile`" in cold.stderr
    assert len(cold.stderr.splitlines()) == 1
    warm = run_program(FIRST_STEP, NUMBA_CACHE_DIR=str(tmp_path))
    assert (warm.returncode, warm.stderr) == (0, "")


OTHERS = """
import closedhand, numba
typed = {}
exec("def anonymous(x): return x + 1", typed)
print(numba.njit(typed["anonymous"])(1))
@numba.njit
def named(x):
    return x + 2
print(named(1))
"""


def test_functions_of_others_are_compiled_without_a_word_even_those_without_a_module() -> None:
    done = run_program(OTHERS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n3\n", "")
