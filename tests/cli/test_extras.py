"""Every command without the libraries of the extras: it works, or says in one line what to type."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
from support_lines import LINES, TORCH, commands, prepare

from closedhand.cli import app
from closedhand.core.extras import EXTRAS

PROGRAM = """
import json, shlex, sys
missing, lines = json.load(sys.stdin)
for name in missing:
    sys.modules[name] = None
from typer.testing import CliRunner
from closedhand.cli import app
for line in lines:
    done = CliRunner().invoke(app, shlex.split(line), input="quit\\n")
    error = None if isinstance(done.exception, (SystemExit, type(None))) else repr(done.exception)
    print(json.dumps([done.exit_code, done.stderr, error]), flush=True)
"""


def test_the_table_has_every_command() -> None:
    known = set(commands(typer.main.get_command(app)))
    assert len(known) > 25
    for words in known:
        assert any(f"{line} ".startswith(f"{words} ") for line in LINES), words


def run_without(missing: list[str], lines: list[str], folder: Path) -> list[Any]:
    """Exit code, stderr and unexpected error of each line, in a process without these libraries."""
    prepare(folder)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        input=json.dumps([missing, lines]),
        capture_output=True,
        text=True,
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]


def assert_named(found: Any, modules: set[str], line: str) -> None:
    """One line names one of the modules, and what to type."""
    code, stderr, error = found
    assert (code, error) == (2, None), (line, found)
    assert stderr.strip().count("\n") == 0, (line, stderr)
    assert any(
        f"module {module} is missing" in stderr
        and f"pip install 'closedhand[{EXTRAS[module]}]'" in stderr
        for module in modules
    ), (line, stderr)


@pytest.mark.slow
def test_commands_without_any_extra(tmp_path: Path) -> None:
    found = run_without(list(EXTRAS), list(LINES), tmp_path)
    assert len(found) == len(LINES)
    for (line, needed), result in zip(LINES.items(), found, strict=True):
        if needed:
            assert_named(result, needed, line)
        else:
            assert (result[0], result[2]) == (0, None), (line, result)
            assert "Traceback" not in result[1]


@pytest.mark.slow
def test_the_extra_play_is_enough_to_play_networks(tmp_path: Path) -> None:
    """Without Lightning, Stable-Baselines3 and TensorBoard, and whatever else an extra installs."""
    lines = [line for line, needed in LINES.items() if needed == TORCH and " policy-" in line]
    missing = [module for module, extra in EXTRAS.items() if extra != "play"]
    for line, result in zip(lines, run_without(missing, lines, tmp_path), strict=True):
        assert (result[0], result[2]) == (0, None), (line, result)
    assert len(lines) == 3


@pytest.mark.slow
@pytest.mark.parametrize("module", sorted({each for needed in LINES.values() for each in needed}))
def test_commands_without_one_library(module: str, tmp_path: Path) -> None:
    lines = [line for line, needed in LINES.items() if module in needed]
    for line, result in zip(lines, run_without([module], lines, tmp_path), strict=True):
        assert_named(result, {module}, line)
