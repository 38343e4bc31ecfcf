"""Every constant size of an array that kernels write to stands in research/bounds.md."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import closedhand

# Modules of networks have sizes, too.
pytest.importorskip("torch")

HOME = Path(closedhand.__file__).parent
PAGE = HOME.parent / "research" / "bounds.md"
ROOMS = ("agents", "core", "envs", "games", "learning", "search", "solvers")
MAKERS = {"empty": 0, "zeros": 0, "ones": 0, "full": 0, "empty_states": 1}
"""Functions that make arrays, each with the place of the size among its arguments."""
ROW = re.compile(r"^\| `([\w.]+) (\w+)` \| (\d+) \| .+ \| (exact|guard|proof)\b(.*) \|$", re.M)


@cache
def tree_of(module: str) -> ast.Module:
    path = HOME.parent.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text("utf-8"))


def origin(module: str, name: str) -> tuple[str, str]:
    """The module that defines a constant, and its name there."""
    for node in tree_of(module).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                if (each.asname or each.name) == name:
                    return origin(node.module, each.name)
    return module, name


def of_module(module: str, node: ast.expr) -> str:
    """The module that a name stands for, as in `partition.ROWS`."""
    assert isinstance(node, ast.Name)
    return ".".join(origin(module, node.id))


def sizes(tree: ast.Module) -> Iterator[ast.expr]:
    """Sizes of arrays made in kernels, of scratch space made for them, and of fields of records."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            maker = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if maker in MAKERS and len(node.args) > MAKERS[maker]:
                yield node.args[MAKERS[maker]]
            elif maker == "record_type":
                fields = [each for each in ast.walk(node) if isinstance(each, ast.Tuple)]
                yield from (each.elts[2] for each in fields if len(each.elts) == 3)


def constants() -> dict[tuple[str, str], int]:
    """The constants among the sizes, with their values."""
    found = {}
    for room in ROOMS:
        for path in sorted((HOME / room).rglob("*.py")):
            module = ".".join(path.relative_to(HOME.parent).with_suffix("").parts)
            makes_kernels = "closedhand.core.numba.jit import" in path.read_text("utf-8")
            for size in sizes(tree_of(module)) if makes_kernels else ():
                for node in ast.walk(size):
                    if isinstance(node, ast.Name) and node.id.isupper():
                        where, name = origin(module, node.id)
                    elif isinstance(node, ast.Attribute) and node.attr.isupper():
                        where, name = origin(of_module(module, node.value), node.attr)
                    else:
                        continue
                    value: Any = getattr(importlib.import_module(where), name)
                    found[where.partition(".")[2], name] = value
    return {key: value if isinstance(value, int) else len(value) for key, value in found.items()}


def test_every_constant_size_has_its_reason() -> None:
    rows = {(row[1], row[2]): int(row[3]) for row in ROW.finditer(PAGE.read_text("utf-8"))}
    assert rows == constants()


def test_a_proof_names_a_test_that_exists() -> None:
    for module, name, _, kind, rest in ROW.findall(PAGE.read_text("utf-8")):
        named = re.findall(r"`(tests/[\w/.]+)`", rest)
        assert named or kind != "proof", (module, name)
        assert all((HOME.parent / path).exists() for path in named), (module, name)
