"""The command that trains the network of `value-net`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from closedhand.agents.doudizhu.value_net import files, training
from closedhand.cli import app
from closedhand.core.files import SHIPPED


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "GAMES", 16)
    monkeypatch.setattr(training, "PIECE", 8)


def run(*arguments: str, out: Path) -> tuple[int, str]:
    command = ["train", "doudizhu", "--algorithm", "value-net", "--minutes", "0.01"]
    shown = CliRunner().invoke(app, [*command, "--out", str(out), *arguments])
    return shown.exit_code, shown.output


def test_it_trains_resumes_and_goes_on_from_a_file(tmp_path: Path) -> None:
    win = ("--option", "objective=win")
    code, shown = run(*win, out=tmp_path / "one")
    assert code == 0 and f"play it as value-net:{tmp_path / 'one'}" in shown
    code, shown = run(*win, out=tmp_path / "o,ne")
    assert code == 0 and f'play it as value-net:"{tmp_path / "o,ne"}"' in shown
    games = files.read(tmp_path / "one" / files.NAME)[1]["games"]
    code, shown = run(*win, out=tmp_path / "one")
    assert code == 0 and f"resuming after {games:,} games" in shown
    start = ("--from", str(tmp_path / "one" / files.NAME))
    code, shown = run(*start, out=tmp_path / "two")
    assert code == 0
    assert files.read(tmp_path / "two" / files.NAME)[1]["objective"] == "score"


def test_it_overwrites_another_training_only_to_restart(tmp_path: Path) -> None:
    file = tmp_path / files.NAME
    before = (SHIPPED / "doudizhu_value_win.npz").read_bytes()
    file.write_bytes(before)
    code, shown = run("--option", "objective=win", out=tmp_path)
    assert code == 2 and "of another training: name another folder, or add --restart" in shown
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [before]
    code, shown = run("--option", "objective=win", "--restart", out=tmp_path)
    assert code == 0 and file.read_bytes() != before


def test_it_refuses_what_it_does_not_learn(tmp_path: Path) -> None:
    for wrong in (
        ["--option", "bidding=true"],
        ["--opponents", "rule"],
        ["--from", str(tmp_path / "none.npz")],
        ["--algorithm", "decompose", "--from", str(tmp_path / "none.npz")],
    ):
        code, shown = run(*wrong, out=tmp_path)
        assert code == 2 and "closedhand: " in shown
