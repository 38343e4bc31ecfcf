"""The package as it is imported, cold and warm, with and without compiled kernels."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FIRST_STEP = """
import closedhand, pettingzoo
env = pettingzoo.make("aec", "closedhand/doudizhu-v0")
env.reset(seed=1)
observation, *_ = env.last()
env.step(int(observation["action_mask"].argmax()))
env.last()
"""


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_import_compiles_nothing_and_leaves_torch_alone() -> None:
    program = """
import sys
import closedhand
from numba.core.dispatcher import Dispatcher
from closedhand.core import contract
from closedhand.games.doudizhu import planes, rules, substeps
for module in (contract, planes, rules, substeps):
    for value in vars(module).values():
        assert not (isinstance(value, Dispatcher) and value.signatures), value
assert not {"torch", "matplotlib", "PIL", "stable_baselines3"} & set(sys.modules)
"""
    done = run(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_a_cold_start_says_what_it_does_and_a_warm_one_nothing(tmp_path: Path) -> None:
    cold = run(FIRST_STEP, NUMBA_CACHE_DIR=str(tmp_path))
    assert cold.returncode == 0, cold.stderr
    assert "closedhand: compiling kernels for their first use" in cold.stderr
    assert len(cold.stderr.splitlines()) == 1
    warm = run(FIRST_STEP, NUMBA_CACHE_DIR=str(tmp_path))
    assert (warm.returncode, warm.stderr) == (0, "")


@pytest.mark.slow
def test_a_cache_may_know_policies_of_other_programs(tmp_path: Path) -> None:
    """Numba's index names the classes of all arguments that a kernel was ever compiled for."""
    (tmp_path / "mine.py").write_text(
        """
from typing import NamedTuple
from closedhand.search.uniform import choose
class Mine(NamedTuple):
    kernels = "mine"
"""
    )
    program = """
import numpy as np
from {module} import {policy}
from closedhand import make_game
from closedhand.search.playout import playout
game = make_game("uh_leduc")
state = game.deal(np.random.default_rng(1))
ids = np.empty(game.num_actions, np.int32)
print(playout({policy}(), game.rules, state, 0, np.random.default_rng(2), ids))
"""
    own = program.format(module="mine", policy="Mine")
    ours = program.format(module="closedhand.search.playout", policy="Uniform")
    cache = str(tmp_path / "cache")
    first = run(own, NUMBA_CACHE_DIR=cache, PYTHONPATH=str(tmp_path))
    assert first.returncode == 0, first.stderr
    second = run(ours, NUMBA_CACHE_DIR=cache)
    assert (second.returncode, second.stdout) == (0, first.stdout), second.stderr


@pytest.mark.slow
def test_everything_works_without_compiled_kernels() -> None:
    """The debugger's door: the same game, played by plain Python functions."""
    program = """
import gymnasium, numpy as np, closedhand
for substeps in (False, True):
    game = closedhand.make_game("doudizhu", substeps=substeps, bidding=True)
    rng = np.random.default_rng(3)
    state = game.deal(rng)
    while not game.over(state):
        player = int(state.player)
        game.observe(state, player)
        view = game.view(state, player)
        assert game.view(game.redeal(view, player, rng), player) == view
        game.play(state, int(rng.choice(game.legal(state))))
    print(game.save(state).hex(), game.returns(state))
for agent in ("random", "rule", "greedy"):
    envs = gymnasium.make_vec("closedhand/DouDizhu-v0", num_envs=2, substeps=True, opponents=agent)
    observation, _ = envs.reset(seed=4)
    for _ in range(6):
        observation, *rest = envs.step(observation["action_mask"].argmax(1))
    print(agent, observation["observation"].sum(), observation["status"])
"""
    plain = run(program, NUMBA_DISABLE_JIT="1")
    compiled = run(program)
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == compiled.stdout
