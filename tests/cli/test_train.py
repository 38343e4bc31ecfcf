"""The command `train`."""

import json
from pathlib import Path

import pytest
from support_cli import run

pytestmark = pytest.mark.usefixtures("in_empty_folder")


@pytest.mark.slow
def test_training_goes_on_and_begins_anew(tmp_path: Path) -> None:
    arguments = ("train", "uh-leduc", "--algorithm", "mccfr", "--minutes", "0.005", "--out", "x")

    def iterations(*more: str) -> int:
        result = run(*arguments, *more)
        assert "agent strategy:x/strategy.npz" in result.stdout, result.output
        return json.loads((tmp_path / "x" / "result.json").read_text())["iterations"]

    first, second = iterations(), iterations()
    assert second > 1.3 * first
    assert iterations("--restart") < second


@pytest.mark.parametrize("name", ["doudizhu", "chinese_poker", "chinese-poker", "policy-net"])
def test_trainings_describe_themselves(name: str) -> None:
    result = run("train", name, "--help")
    assert result.exit_code == 0
    assert "--out" in result.stdout
