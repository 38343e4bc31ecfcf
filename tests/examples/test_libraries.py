"""The examples with other libraries train for a moment, and the lines of their page make envs."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

from closedhand import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = Path(__file__).parents[2] / "docs" / "your-library.md"
LIBRARIES = {
    "sb3_maskable_ppo": ("sb3_contrib", []),
    "sb3_pettingzoo": ("sb3_contrib", []),
    "tianshou_ppo": ("tianshou", []),
    "torchrl_ppo": ("torchrl", []),
}
"""What each example needs, and what it is given."""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the libraries
@pytest.mark.parametrize("name", LIBRARIES)
def test_it_trains_and_plays_a_match(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library, arguments = LIBRARIES[name]
    pytest.importorskip(library)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    share = importlib.import_module(name).main(["--steps", "512", "--deals", "5", *arguments])
    steps, score = capsys.readouterr().out.splitlines()[-2:]
    assert "steps, " in steps and steps.endswith("a second of processor time")
    assert "against random: won" in score and score.endswith("5 duplicate deals")
    assert 0 <= share <= 1


GLUE = {
    "SB3VecEnv": "closedhand.wrappers.sb3",
    "torchrl_env": "closedhand.wrappers.torchrl",
    "TianshouVectorEnv": "closedhand.wrappers.tianshou",
    "PettingZooEnv": "tianshou.env",
    "DummyVectorEnv": "tianshou.env",
    "SeatVectorEnv": "closedhand.envs",
    "gymnasium": "",
    "pettingzoo": "",
    "supersuit": "",
}
"""Where the names in the lines of the page come from."""
LINES = [
    line
    for row in PAGE.read_text(encoding="utf-8").splitlines()
    if len(cells := row.split("|")) == 6
    for line in re.findall(r"`([^`]*)`", cells[2])
    if re.split(r"\W", line)[0] in GLUE
]
"""The lines to type of the page; those of further libraries have tests of their own."""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("line", LINES)
def test_the_lines_of_the_page_make_envs(line: str) -> None:
    names: dict[str, Any] = {
        "id": "closedhand/DouDizhu-v0",
        "options": {"substeps": True, "objective": "win", "observation": "compact"},
    }
    for name, module in GLUE.items():
        if re.search(rf"\b{name}\b", line):
            found = pytest.importorskip(module or name, exc_type=(ImportError, InputError))
            names[name] = getattr(found, name) if module else found
    assert eval(line, names) is not None


def test_the_page_has_lines() -> None:
    assert len(LINES) >= 9
