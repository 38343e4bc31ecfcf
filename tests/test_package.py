"""The package as it is imported, with and without compiled kernels."""

import pytest
from support import run_program


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
    done = run_program(program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


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
    plain = run_program(program, NUMBA_DISABLE_JIT="1")
    compiled = run_program(program)
    assert plain.returncode == 0 and "Warning" not in plain.stderr, plain.stderr
    assert plain.stdout == compiled.stdout
