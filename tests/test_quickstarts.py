"""The documentation's quick starts and pictures are those of the package."""

import re
import runpy
from pathlib import Path

import pytest
from support_cli import run_to

from closedhand import GAMES, make_game

DOCS = Path(__file__).parents[1] / "docs"
CELLS = re.compile(r"^\|.*?\|(.*)\|$", re.M)
LITERAL = re.compile(r"`([^` ]+)`")
PLAYED = {"zh": "doudizhu", "ja": "daihinmin"}
"""The game that each quick start teaches."""


def text_of(language: str) -> str:
    return (DOCS / f"quickstart.{language}.md").read_text("utf-8")


@pytest.mark.parametrize("language", PLAYED)
def test_the_plays_of_a_quick_start_are_plays(language: str) -> None:
    game = make_game(PLAYED[language])
    texts = [text for cell in CELLS.findall(text_of(language)) for text in LITERAL.findall(cell)]
    assert len(texts) >= 8
    for text in texts:
        game.parse(text)


@pytest.mark.slow
@pytest.mark.parametrize("language", PLAYED)
def test_the_code_of_a_quick_start_runs(language: str, tmp_path: Path) -> None:
    [code] = re.findall(r"^```python\n(.*?)^```", text_of(language), re.M | re.S)
    script = tmp_path / "script.py"
    script.write_text(code, "utf-8")
    runpy.run_path(str(script))


@pytest.mark.parametrize("language", PLAYED)
def test_commands_of_a_quick_start_exist(language: str) -> None:
    words = re.findall(r"^closedhand ((?:[a-z-]+ ){1,2})", text_of(language) + " ", re.M)
    assert len(words) >= 3
    for line in words:
        run_to(0, *line.split(), "--help")


OWN = {name: spec for name, spec in GAMES.items() if str(spec.make).startswith("closedhand.")}


def test_every_game_has_pictures() -> None:
    folder = DOCS / "pictures"
    assert {path.stem for path in folder.glob("*.png")} - {"speeds", "strengths"} == set(OWN)
    assert {path.stem for path in folder.glob("*.gif")} == set(OWN)


def test_the_shown_strengths_are_those_of_the_pages() -> None:
    for label, page, stated in runpy.run_path(str(DOCS / "pictures.py"))["STRENGTHS"]:
        assert stated in (DOCS / f"{page}.md").read_text("utf-8"), label
