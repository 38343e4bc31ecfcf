"""The tutorials run: their code as it stands, their commands with smaller budgets."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support_cli import run
from support_kuhn import KUHN_VALUE, kuhn as kuhn

from closedhand import __version__

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "tutorials.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))

CHECKS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "Your first agent, in ten lines": lambda names: names["score"].won.low > 0.5,
    "Train, save, play against it": lambda names: names["score"].points.mean > 0,
    "Self-play with your own loop": lambda names: names["score"].points.low > 0.5,
    "Your own game": lambda names: abs(names["value"] - KUHN_VALUE) < 1e-3,
    "Your own search": lambda names: names["score"].points.low > 0,
    "Replay and analyse a record": lambda names: len(names["losses"]) >= 5,
    "Solve Leduc": lambda names: abs(names["found"].value + 0.0856) < 1e-3,
}
"""What is true once the code of a section has run."""

NOTEBOOKS = {
    "".join(found["cells"][0]["source"]).partition("\n")[0].removeprefix("# "): found["cells"]
    for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")
    if (found := json.loads(path.read_text("utf-8")))["nbformat"] == 4
}
"""Cells of the sections that are notebooks as well; these run in place of the code."""

SMALLER = {
    r"--steps \d+": "--steps 2048",
    r"--deals \d+": "--deals 5",
    r"--iterations \d+": "--iterations 20",
}


def blocks(title: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", SECTIONS[title], re.M | re.S)


def cells(title: str) -> list[str]:
    """The cells with code of a notebook."""
    return ["".join(each["source"]) for each in NOTEBOOKS[title] if each["cell_type"] == "code"]


def test_a_notebook_has_the_code_of_its_tutorial() -> None:
    """`make pages` writes them."""
    assert len(NOTEBOOKS) == 3
    for title in NOTEBOOKS:
        [code] = blocks(title, "python")
        assert len(cells(title)) >= 2
        assert re.sub(r"\n+", "\n", "\n".join(cells(title))) == re.sub(r"\n+", "\n", code.strip())


@pytest.mark.slow
@pytest.mark.usefixtures("in_empty_folder", "kuhn")
@pytest.mark.parametrize("title", CHECKS)
def test_a_tutorial_runs(title: str) -> None:
    """The commands, too, in the same folder and after the code."""
    [code] = blocks(title, "python")
    names: dict[str, Any] = {}
    for part in cells(title) if title in NOTEBOOKS else [code]:
        exec(compile(part, title, "exec"), names)
    assert CHECKS[title](names)
    for line in "".join(blocks(title, "sh")).splitlines():
        for budget, smaller in SMALLER.items():
            line = re.sub(budget, smaller, line)
        program, *words = shlex.split(line)
        if program == "closedhand":
            result = run(*words, text="quit\n")
            assert result.exit_code == 0, result.output


def test_every_tutorial_is_run() -> None:
    assert [*CHECKS, "Cite us"] == list(SECTIONS)


def test_the_citation_is_that_of_the_file() -> None:
    [entry] = blocks("Cite us", "bibtex")
    told = dict(re.findall(r"^  (\w+) += \{+(.*?)\}+,?$", entry, re.M))
    file = (ROOT / "CITATION.cff").read_text("utf-8")
    author = re.search(r"- name: (.*)", file)
    year = re.search(r"^date-released: (\d{4})", file, re.M)
    stated = dict(re.findall(r'^(\w+): "?(.*?)"?$', file, re.M))
    assert author and told.pop("author") == author[1]
    assert year and told.pop("year") == year[1]
    assert told == {name: stated[name] for name in told}
    assert told["version"] == __version__
