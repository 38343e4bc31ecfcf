"""The commands of the manual are known, share no folder, and work when typed in turn.

`CLOSEDHAND_SHARE=1 pytest tests/test_typed_commands.py` types them with the budgets of the pages.
"""

import contextlib
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main
from support_cli import run
from support_kuhn import kuhn as kuhn
from support_spades import spades as spades

from closedhand.cli import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```|^\|[^\n]*?`(closedhand [^`\n]*)`", re.M | re.S)
"""A block of commands or of code, or a row of a table with a command."""
TYPED = (
    "README",
    "tutorials",
    "guide",
    "agents",
    "commands",
    "learners",
    "solving",
    "your-library",
)
"""Pages whose commands are typed, in the order in which they are read."""

SHARE = float(os.environ.get("CLOSEDHAND_SHARE", 0))
"""Share of the budgets of the pages that commands get, but at least `LEAST`."""
LEAST: dict[str, float] = {
    "--minutes": 0.02, "--steps": 2048, "--deals": 4, "--rounds": 100, "--games": 400,
    "--iterations": 20, "--seconds": 0.2, "--simulations": 20,
}  # fmt: skip
SHORTER = {
    "match doudizhu": "--deals 4", "match daihinmin": "--rounds 100", "match leduc": "--deals 4",
    "match kuhn": "--deals 4", "advise doudizhu": "--simulations 20",
    "advise daihinmin": "--simulations 20", "advise chinese-poker": "--opponents 5000",
    "exploit leduc": "--deals 4", "train doudizhu": "--minutes 0.02",
}  # fmt: skip
"""Budgets of commands whose defaults are large, where a page names none."""
SMALL_NET = "--set width=16 --set batch=256 --set minibatch=128 --set epochs=1"
ELSEWHERE = {
    "make": "targets of the Makefile",
    "pip": "installation, tried by `make dist`",
    "python": "examples, run by `make examples` and tests/examples",
    "closedhand web": "a server, in tests/web",
    "closedhand serve": "a server that waits for clients, in tests/commands/test_daihinmin.py",
    "closedhand judge doudizhu": "four million histories, in tests/solvers/test_sides.py",
    "closedhand botzone": "waits for a request; in tests/bridges/test_botzone.py",
    "closedhand match doudizhu --rules botzone": "needs a bot; in the same tests",
    "closedhand records replay matches.json": "needs match logs of Botzone; in the same tests",
    "closedhand join": "needs a server, in the same tests",
    "closedhand reproduce": "minutes, in tests/papers and tests/cli/test_reproduce.py",
}
"""What is not typed here, and why."""
REFUSED = {"--device cuda": "device 'cuda' is not available"}
"""Options for which a command ends with code 2 on this machine, and what it says."""


def commands_of(page: Path) -> list[str]:
    """The commands of a page in order, those of tables too; code that writes files as `exec …`."""
    found = []
    for language, block, cell in BLOCK.findall(page.read_text("utf-8")):
        if cell and cell.count(" ") > 1:  # others only name a command
            found.append(cell)
        elif language == "sh":
            lines = block.replace("\\\n", " ").splitlines()
            found += [re.sub(r"\s#.*", "", line).strip() for line in lines if line.strip()]
        elif "records.write(" in block:
            found.append(f"exec {block}")
    return [each for each in found if each and "…" not in each]


@pytest.mark.usefixtures("kuhn", "spades")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_are_known(page: Path) -> None:
    for line in commands_of(page):
        if not line.startswith("closedhand "):
            continue
        command: Any = typer.main.get_command(app)
        words = shlex.split(line)[1:]
        context = command.make_context("closedhand", list(words), resilient_parsing=True)
        while hasattr(command, "list_commands") and words:
            command = command.get_command(context, words.pop(0))
            assert command is not None, line
        if not hasattr(command, "list_commands") and words:  # a page may name a command alone
            command.make_context(command.name, words)


def test_no_two_pages_write_to_one_folder() -> None:
    writers: dict[str, set[str]] = {}
    for page in PAGES:
        for line in commands_of(page):
            for folder in re.findall(r"--out (runs/\S+)", line):
                writers.setdefault(folder, set()).add(page.stem)
    assert len(writers) > 20
    assert not {folder: names for folder, names in writers.items() if len(names) > 1}


def smaller(line: str) -> str:
    """A command with a share of its budgets."""
    for option, least in LEAST.items():

        def share(match: re.Match[str], least: float = least) -> str:
            found = max(least, float(match[2]) * SHARE)
            return f"{match[1]} {found if least < 1 else int(found)}"

        line = re.sub(rf"({option}) (\d[\d.]*)", share, line)
    if SHARE < 1:
        for words, budget in SHORTER.items():
            option = budget.partition(" ")[0]
            is_counted = option in line or (option != "--minutes" and "--rounds" in line)
            if line.startswith(f"closedhand {words}") and not is_counted and "--steps" not in line:
                line += f" {budget}"
        if "--algorithm ppo" in line and "--set" not in line:
            line += f" {SMALL_NET}"
        if line.startswith(("closedhand match", "closedhand records generate")):
            line += " --workers 1" * ("--workers" not in line and ".jsonl" not in line)
    return line


@pytest.mark.slow
@pytest.mark.usefixtures("own_cache", "kuhn", "spades")
@pytest.mark.filterwarnings("ignore")
def test_commands_work_when_typed_in_reading_order() -> None:
    typed = 0
    for name in TYPED:
        for line in commands_of(next(page for page in PAGES if page.stem == name)):
            if line.startswith("exec "):
                with contextlib.redirect_stdout(None):
                    exec(compile(line.removeprefix("exec "), name, "exec"), {})
                continue
            if any(line.startswith(f"{words} ") or line == words for words in ELSEWHERE):
                continue
            result = run(*shlex.split(smaller(line))[1:], text="quit\n")
            refused = [text for option, text in REFUSED.items() if option in line]
            assert result.exit_code == (2 if refused else 0), f"{name}: {line}\n{result.output}"
            assert all(text in result.output for text in refused)
            typed += 1
    assert typed > 30
