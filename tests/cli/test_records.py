"""The commands for records."""

import json
import os
from pathlib import Path

import pytest
from support_cli import assert_refused, run

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_replaying_the_records(tmp_path: Path) -> None:
    result = run("reproduce", "deeprocket-match", "--json")
    assert result.exit_code == 0
    assert isinstance(json.loads(result.stdout), dict)
    (tmp_path / "bad.txt").write_text("34;5\n")
    result = run("records", "replay", "bad.txt")
    assert result.exit_code == 1
    assert "line 1" in result.output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_records_through_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo("pipe")
    Path("kept.jsonl").write_text("kept")
    assert_refused("pipe: it is not a regular file", "records", "replay", "pipe")
    export = ("records", "export", "pipe", "--out", "kept.jsonl")
    assert_refused("pipe: it is not a regular file", *export)
    assert Path("kept.jsonl").read_text() == "kept"
