"""The command `example`: examples reach those who have no checkout."""

from pathlib import Path

import pytest
from support_cli import assert_refused, run_to

from closedhand.cli.example import examples

ROOT = Path(__file__).parents[2]


@pytest.mark.usefixtures("in_empty_folder")
@pytest.mark.parametrize("name", ["self_play_ppo", "self_play_ppo.py", "kuhn-poker"])
def test_an_example_is_written_as_it_is(name: str) -> None:
    source = examples()[name.removesuffix(".py")]
    result = run_to(0, "example", name)
    target = Path("examples") / source.name
    assert result.stdout == f"{target} is written\n"
    written = [path for path in Path("examples").rglob("*") if path.is_file()]
    assert len(written) == (1 if target.suffix else len(written)) and written
    for path in written:
        assert path.read_bytes() == (ROOT / path).read_bytes()
    if target.is_dir():
        assert (target / "kuhn_poker" / "game.py").exists() and (target / "pyproject.toml").exists()
    assert_refused("is there already", "example", name)


def test_all_examples_are_listed() -> None:
    assert set(run_to(0, "example").stdout.split()) == set(examples())
    assert len(examples()) >= 15
    assert_refused("no example is called", "example", "chess")


def test_what_python_leaves_beside_examples_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "own.py").write_text("")
    monkeypatch.setattr("closedhand.cli.example.PLACES", (tmp_path,))
    assert set(examples()) == {"mine", "own"}
