"""The face for authors: complete, light, and all that the examples of games and agents import."""

import ast
from pathlib import Path

import pytest
from support import run_program

import closedhand
from closedhand import authoring

EXAMPLES = Path(closedhand.__file__).parents[1] / "examples"

FACES = {"closedhand", "closedhand.authoring", "closedhand.testing"}
"""The modules whose names are promised to authors."""

FILES = [
    *(
        path.relative_to(EXAMPLES)
        for package in ("kuhn-poker", "spades")
        for path in sorted((EXAMPLES / package).rglob("*.py"))
    ),
    Path("flat_monte_carlo.py"),
]

LIGHT = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"gymnasium", "pettingzoo", "typer", "rich", "torch"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
import numba, numpy  # which import others
before = set(sys.modules)
import closedhand.authoring
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(new - {"numba", "numpy", *sys.stdlib_module_names}))
"""


def imported(path: Path) -> set[str]:
    """The modules of this package that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return {name for name in found if name.partition(".")[0] == "closedhand"}


@pytest.mark.parametrize("file", FILES, ids=str)
def test_games_and_agents_of_the_examples_import_nothing_else(file: Path) -> None:
    assert imported(EXAMPLES / file) <= FACES


def test_an_agent_that_plays_a_match_itself_imports_the_arena_too() -> None:
    assert imported(EXAMPLES / "foreign_agent.py") == FACES - {"closedhand.testing"} | {
        "closedhand.arena"
    }


def test_every_name_is_there_and_explained() -> None:
    assert authoring.__doc__ is not None
    for name in authoring.__all__:
        assert hasattr(authoring, name)
        assert f"`{name}`" in authoring.__doc__, f"{name} is not explained"
    public = {name for name in vars(authoring) if not name.startswith("_")}
    assert public == set(authoring.__all__)


def test_it_stands_on_numpy_and_numba_alone() -> None:
    done = run_program(LIGHT)
    assert (done.returncode, done.stdout) == (0, "['closedhand']\n"), done.stderr
