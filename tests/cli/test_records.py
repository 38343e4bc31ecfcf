"""The commands for records."""

import json
from pathlib import Path

import pytest
from support_cli import run

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_replaying_the_records(tmp_path: Path) -> None:
    result = run("reproduce", "deeprocket-match", "--json")
    assert result.exit_code == 0
    assert isinstance(json.loads(result.stdout), dict)
    (tmp_path / "bad.txt").write_text("34;5\n")
    result = run("records", "replay", "bad.txt")
    assert result.exit_code == 1
    assert "line 1" in result.output
