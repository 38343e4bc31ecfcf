"""What a game is stands on NumPy and Numba alone: no environment, no command line."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import closedhand

PACKAGE = Path(closedhand.__file__).parent

ALLOWED = {"closedhand", "numba", "llvmlite", "numpy", *sys.stdlib_module_names}

BLOCKED = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"gymnasium", "pettingzoo", "typer", "rich"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
"""

WITHOUT = (
    BLOCKED
    + """
import numpy as np
from closedhand import make_agent, make_game
from closedhand.core import batch

game = make_game("uh_leduc")
rng = np.random.default_rng(1)
states = batch.deal(game, range(20))
agent = make_agent(game, "random")
while batch.running(game, states).any():
    observations, masks = batch.observe(game, states)
    actions = batch.sample(game, states, rng)
    assert masks[actions >= 0, actions[actions >= 0]].all()
    batch.step(game, states, actions)
agent.act(game.view(game.deal(rng), 0))
print(len(batch.returns(game, states)))
try:
    import closedhand.envs.aec
except ModuleNotFoundError as error:
    print(error.name)
"""
)

OWN_GAME = (
    BLOCKED
    + """
import dataclasses, closedhand
spec = dataclasses.replace(closedhand.GAMES["leduc"], name="mine")
closedhand.register_game(spec)
print("mine" in closedhand.GAMES)
"""
)

LISTED = """
import sys
from closedhand import GAMES
from closedhand.core.optional_imports import EXTRAS
from closedhand.web import catalogue

print("policy-net" in [agent["text"] for game in GAMES for agent in catalogue.agents(game)])
print(*EXTRAS.keys() & sys.modules.keys() - {"scipy"})  # Numba imports that one
"""


def run(program: str) -> str:
    """The output of a program in a new process."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_games_are_played_without_gymnasium_and_the_command_line() -> None:
    """Envs alone miss what is not there, by the usual error."""
    count, missing = run(WITHOUT).split()
    assert count == "20"
    assert missing in ("gymnasium", "pettingzoo")


def test_games_are_registered_without_gymnasium() -> None:
    assert run(OWN_GAME) == "True\n"


def test_agents_are_listed_without_the_libraries_that_they_play_with() -> None:
    """PyTorch alone takes as long to import as everything else until the first card."""
    assert run(LISTED) == "True\n\n"


def test_core_and_games_import_numpy_and_numba_only() -> None:
    """Not even within functions; the import contracts in pyproject.toml name the usual suspects."""
    found = {
        (path.relative_to(PACKAGE).as_posix(), name.partition(".")[0])
        for room in ("core", "games")
        for path in (PACKAGE / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in imported(node)
    }
    # What compiles for a GPU is imported where that is asked for, and needs the extra `gpu`.
    # A lock is for commands that write files.
    inside = {("core/numba/gpu/compiler.py", "numba_cuda"), ("core/files.py", "filelock")}
    assert {pair for pair in found if pair[1] not in ALLOWED} == inside


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []
