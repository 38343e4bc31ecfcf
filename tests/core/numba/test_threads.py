"""Kernels compiled, loaded and dropped on eight threads at once, from an empty cache.

Servers and searches call kernels on threads of their own, so that first calls may come together.
A process does it `ROUNDS` times; one more then loads what the first has left in the cache. The
suite does this once, `make cold` twenty times, a hundred rounds, and the same with a game.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import FUZZ

THREADS, ROUNDS = 8, 5
MODULE = """
import numpy as np
from closedhand.core.numba.jit import kernel

@kernel
def step(values, shift):
    total = 0.0
    for i in range(len(values)):
        values[i] = values[i] * 3 + shift + {number}
        total += values[i] % 7
    return total

@kernel
def both(values, rng):
    return step(values, 1) + step(values[:3], int(rng.random() < 2.0))
"""
START = f"""
import faulthandler, gc, importlib, sys, threading
import numpy as np
faulthandler.enable()
from closedhand import make_agent, make_game
from closedhand.core.numba import notices
notices.announced = True
sys.path.insert(0, sys.argv[1])
barrier = threading.Barrier({THREADS}, timeout=600)
errors, payoffs = [], []

def guarded(number):
    try:
        work(number)
    except BaseException as error:
        barrier.abort()
        errors.append(error)
"""
END = f"""
threads = [threading.Thread(target=guarded, args=(i,)) for i in range({THREADS})]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors, errors
"""
KERNELS = f"""{START}
def plain(values, number):
    def step(part, shift):
        part[:] = part * 3 + shift + number
        return (part % 7).sum()
    return step(values, 1) + step(values[:3], 1)

def call(name):
    number = int(name.rpartition("_")[2])
    module = importlib.import_module(name)
    values, wanted = np.arange(9.0), np.arange(9.0)
    found = module.both(values, np.random.default_rng(0))
    assert found == plain(wanted, number) and (values == wanted).all(), (name, found)

def work(number):
    for turn in range({ROUNDS}):
        barrier.wait()
        call(f"shared_{{turn}}")  # all compile the same
        call(f"own_{{{THREADS} * turn + number}}")  # each its own
        # Nobody holds the module any longer: its code goes while others compile.
        del sys.modules[f"own_{{{THREADS} * turn + number}}"]
        gc.collect()
{END}"""
GAMES = f"""{START}
def work(number):
    barrier.wait()
    game = make_game("uh_leduc", pair=("rank", "card")[number % 2])
    state = game.deal(np.random.default_rng(1))
    agents = [make_agent(game, "random", seat) for seat in range(2)]
    while not game.over(state):
        player = int(state["player"])
        game.play(state, agents[player].act(game.view(state, player)))
    payoffs.append(tuple(game.returns(state)))
{END}
assert len(payoffs) == {THREADS} and len(set(payoffs)) == 1, payoffs
"""


def run(program: str, folder: Path) -> None:
    """Run a program with an empty cache, then with what that has left."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder)],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.returncode == 0, (done.returncode, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(max(1, round(FUZZ))))
def test_threads_compile_load_and_drop_kernels_at_once(attempt: int, tmp_path: Path) -> None:
    for name, most in (("shared", ROUNDS), ("own", ROUNDS * THREADS)):
        for number in range(most):
            (tmp_path / f"{name}_{number}.py").write_text(MODULE.format(number=number))
    run(KERNELS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(max(1, round(FUZZ / 20))))
def test_threads_play_a_game_at_once(attempt: int, tmp_path: Path) -> None:
    run(GAMES, tmp_path)
