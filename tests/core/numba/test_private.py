"""What closedhand relies on within Numba is named in one place, and checked when it is imported."""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from support import run_program

import closedhand
from closedhand.core.numba import cache, linking, private

PACKAGE = Path(closedhand.__file__).parent

DAMAGED = """
from numba.core.codegen import JITCPUCodegen
del JITCPUCodegen.set_env
import closedhand
"""


def test_this_version_of_numba_has_all_parts() -> None:
    assert list(private.missing()) == []
    low, high = re.findall(r"[\d.]+", private.VERSIONS)
    number = tuple(map(int, numba.__version__.split(".")[:2]))
    assert tuple(map(int, low.split("."))) <= number < tuple(map(int, high.split(".")))


def test_the_bounds_are_those_of_the_package() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert private.VERSIONS in project["project"]["dependencies"]


def test_a_part_that_is_missing_is_named_in_one_line() -> None:
    done = run_program(DAMAGED)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    part = "numba.core.codegen.JITCPUCodegen.set_env"
    assert last == (
        f"ImportError: closedhand needs {private.VERSIONS}; Numba {numba.__version__} lacks what "
        f"it builds on: {part}"
    )


def test_every_name_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    for found in re.finditer(r" (\w+)", private._NAMES):
        damaged = f"{private._NAMES[: found.end()]}x{private._NAMES[found.end() :]}"
        with monkeypatch.context() as patch:
            patch.setattr(private, "_NAMES", damaged)
            assert len(list(private.missing())) == 1, found[1]


def test_nothing_else_imports_what_numba_keeps_to_itself() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in imported(node)
        if name.startswith(("numba.core", "numba.np", "numba.cpython", "numba.misc"))
    }
    assert {place for place, _ in found} == {"core/numba/private.py"}, found


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports, and what it may import from them."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def overridden() -> Iterator[tuple[type[Any], str]]:
    """Every method and attribute of one of Numba's classes that one of ours replaces."""
    for module in (cache, linking):
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if cls.__module__ != module.__name__:
                continue
            for name in vars(cls):
                owner = next((base for base in cls.__mro__[1:] if name in vars(base)), object)
                if owner.__module__.startswith("numba."):
                    yield cls, name


def test_what_our_classes_override_is_listed() -> None:
    ordinary = {"__module__", "__doc__", "__abstractmethods__", "_abc_impl", "__init__"}
    ordinary |= {"__firstlineno__", "__static_attributes__"}  # Python 3.13
    found = [(cls, name) for cls, name in overridden() if name not in ordinary]
    assert len(found) > 10
    assert [
        (cls, name) for cls, name in found if not re.search(rf" {name}\b", private._NAMES)
    ] == []
