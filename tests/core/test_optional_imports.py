"""What is said of a package that is not installed."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType

import pytest

import closedhand
from closedhand import InputError
from closedhand.core.optional_imports import EXTRAS, needing, require

PACKAGE = Path(closedhand.__file__).parent
PROJECT = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["project"]
BASE = {
    "closedhand",
    "filelock",
    "gymnasium",
    "numba",
    "llvmlite",  # Numba's own
    "numpy",
    "pettingzoo",
    "rich",
    "typer",
    "click",
    "markdown_it",
}


def names(requirements: list[str]) -> set[str]:
    return {each.partition(">")[0].partition("[")[0].strip().lower() for each in requirements}


def test_every_package_that_is_imported_has_an_extra() -> None:
    """In the whole package, within functions too."""
    imported = {
        (alias.name if isinstance(node, ast.Import) else node.module or "").partition(".")[0]
        for path in [*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "benchmarks").rglob("*.py")]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    on_gpu_machines = {"jax", "pgx"}  # peers of `benchmarks/gpu.py`, where they are at hand
    third = imported - BASE - on_gpu_machines - {"benchmarks", *sys.stdlib_module_names}
    assert third <= set(EXTRAS)


def test_extras_install_what_the_table_says() -> None:
    distributions = packages_distributions()
    for module, extra in EXTRAS.items():
        wanted = names(PROJECT["optional-dependencies"][extra])
        found = {name.lower().replace("_", "-") for name in distributions.get(module, ())}
        assert not found or found & wanted, module


@pytest.mark.parametrize("module", EXTRAS)
def test_a_missing_module_is_one_line_with_what_to_type(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    line = (
        f"the module {module} is missing or too old: pip install 'closedhand\\[{EXTRAS[module]}\\]'"
    )
    with pytest.raises(InputError, match=line):
        require(module)
    with pytest.raises(InputError, match=line), needing():
        __import__(module)
    with pytest.raises(InputError, match=line), needing():
        __import__(f"{module}.something")


@pytest.mark.parametrize("module", EXTRAS)
def test_an_old_module_is_one_line_too(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, ModuleType(module))
    with pytest.raises(InputError, match=f"the module {module} is missing or too old"), needing():
        exec(f"from {module} import no_such_function")


def test_a_module_of_no_extra_is_one_line_too() -> None:
    with pytest.raises(InputError, match="the module closedhand_nothing is missing"):
        require("closedhand_nothing")


def test_other_modules_are_errors_of_the_program_or_of_their_user() -> None:
    with pytest.raises(ModuleNotFoundError), needing():
        __import__("closedhand_nothing")
    with pytest.raises(InputError, match="no module nothing, which the agent x needs"):  # noqa: SIM117
        with needing("the agent x"):
            __import__("nothing")
    with pytest.raises(ModuleNotFoundError), needing("poker.spec"):
        __import__("poker.spec")
