"""Every command without the libraries of the extras: it works, or says in one line what to type."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main
from support_lines import LINES, TORCH, commands, prepare

from closedhand.cli import app
from closedhand.core.optional_imports import EXTRAS

PROGRAM = """
import importlib, json, os, shlex, sys
from typer.testing import CliRunner
from closedhand.cli import app
for loaded, missing, lines in json.load(sys.stdin):
    for name in loaded:
        importlib.import_module(name)
    sys.stdout.flush()
    if pid := os.fork():
        assert os.waitpid(pid, 0)[1] == 0
        continue
    for name in [each for each in sys.modules if each.partition(".")[0] in missing]:
        del sys.modules[name]
    sys.modules.update(dict.fromkeys(missing))
    results = []
    for line in lines:
        done = CliRunner().invoke(app, shlex.split(line), input="quit\\n")
        unexpected = not isinstance(done.exception, (SystemExit, type(None)))
        results.append([done.exit_code, done.stderr, repr(done.exception) if unexpected else None])
    print(json.dumps(results), flush=True)
    os._exit(0)
"""
"""Runs commands without some libraries; processes are forked from one that has imported others."""


def test_the_table_has_every_command() -> None:
    known = set(commands(typer.main.get_command(app)))
    assert len(known) > 25
    for words in known:
        assert any(f"{line} ".startswith(f"{words} ") for line in LINES), words


class Job(NamedTuple):
    """Commands without some libraries.

    Attributes:
        loaded: Libraries that are imported before, for this job and those that follow.
        missing: Libraries that are missing.
        lines: The commands.
    """

    loaded: list[str]
    missing: list[str]
    lines: list[str]


def run(jobs: list[Job], folder: Path) -> list[list[Any]]:
    """Exit code, stderr and unexpected error of each line of each job."""
    prepare(folder)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        cwd=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert [len(each) for each in found] == [len(job.lines) for job in jobs]
    return found


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
    (found,) = run([Job([], list(EXTRAS), list(LINES))], tmp_path)
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
    (found,) = run([Job([], missing, lines)], tmp_path)
    for line, result in zip(lines, found, strict=True):
        assert (result[0], result[2]) == (0, None), (line, result)
    assert len(lines) == 3


LOADED = {
    "lightning": ["torch"],
    "tensorboard": [],  # before Stable-Baselines3 is imported, which takes its writer from PyTorch
    "sb3_contrib": ["stable_baselines3"],
}
"""What is imported before commands run without a library: it needs it, and takes long."""
FIRST = ["torch", *LOADED]


@pytest.mark.slow
def test_commands_without_one_library(tmp_path: Path) -> None:
    modules = {module for needed in LINES.values() for module in needed}
    jobs = [
        Job(LOADED.get(module, []), [module], [line for line in LINES if module in LINES[line]])
        for module in [*LOADED, *sorted(modules - {*LOADED})]
    ]
    for job, found in zip(jobs, run(jobs, tmp_path), strict=True):
        for line, result in zip(job.lines, found, strict=True):
            assert_named(result, {*job.missing}, line)
