"""Files are replaced whole: who reads one while it is written reads the old one to its end."""

import os
from pathlib import Path

import pytest

from closedhand import InputError
from closedhand.core.files import write_atomically


def test_an_open_file_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, "old")
    with open(path) as file:
        write_atomically(path, "new and longer")
        assert file.read() == "old"
    assert path.read_text() == "new and longer"
    assert os.listdir(tmp_path) == ["file"]


def test_a_write_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match="No space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]
