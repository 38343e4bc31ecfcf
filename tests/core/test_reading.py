"""Files within limits."""

import gzip
import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from closedhand import InputError
from closedhand.core import reading
from closedhand.core.files import write_atomically

SMALL = 1e-4
"""Makes the limits small: lines of 104 bytes, texts of 6.5 KiB, arrays of 26 KiB."""


def test_lines_have_numbers(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    text = "\ufeff# comment\r\n one \n\n\t\n#\nzwölf\u3000\n\u2003\nlast"
    for content in (text.encode(), gzip.compress(text.encode())):
        path.write_bytes(content)
        assert list(reading.lines(path)) == [(2, "one"), (6, "zwölf"), (8, "last")]
    path.write_bytes(b"")
    assert list(reading.lines(path)) == []


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_is_limited(tmp_path: Path, packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long"
    content = b"short\n" + b"x" * 200
    path.write_bytes(gzip.compress(content) if packed else content)
    monkeypatch.setenv(reading.LIMITS, str(SMALL))
    with pytest.raises(InputError, match=r"long, line 2: .* more than 104"):
        list(reading.lines(path))
    monkeypatch.setenv(reading.LIMITS, str(10 * SMALL))
    assert len(list(reading.lines(path))) == 2


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"\n" * 10**6))
    np.savez_compressed(tmp_path / "bomb.npz", zeros=np.zeros(10**5))
    monkeypatch.setenv(reading.LIMITS, str(SMALL))
    with pytest.raises(InputError, match="it unpacks to more than"):
        list(reading.lines(path))
    with pytest.raises(InputError, match="it unpacks to more than"):
        reading.read_arrays(tmp_path / "bomb.npz")
    monkeypatch.undo()
    assert reading.read_arrays(tmp_path / "bomb.npz")["zeros"].shape == (10**5,)


def test_short_lines_of_packed_text_count_for_more_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a bomb of line ends would take minutes to read up to the limit."""
    text = b"x\n" * 500
    (tmp_path / "short").write_bytes(text)
    (tmp_path / "short.gz").write_bytes(gzip.compress(text))
    monkeypatch.setenv(reading.LIMITS, str(SMALL))
    assert len(list(reading.lines(tmp_path / "short"))) == 500
    with pytest.raises(InputError, match="at 64 bytes or more a line it unpacks to more than"):
        list(reading.lines(tmp_path / "short.gz"))


def test_the_environment_raises_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text("[" + "1," * 5000 + "1]")
    monkeypatch.setenv(reading.LIMITS, str(SMALL))
    with pytest.raises(InputError, match=rf"a.json: .*--limits 10 or {reading.LIMITS}=10"):
        reading.load_json(path)
    monkeypatch.setenv(reading.LIMITS, "1")
    assert len(reading.load_json(path)) == 5001
    for wrong in ("x", "0", "-1", "nan", "inf", "1e305"):
        monkeypatch.setenv(reading.LIMITS, wrong)
        with pytest.raises(InputError, match="is a positive number"):
            reading.load_json(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x1f\x8b", "cannot read"),
        (gzip.compress(b"text" * 99, mtime=0)[:-9], "cannot read"),
        (gzip.compress(bytes(range(256)), mtime=0)[:99] + b"\0" * 30, "cannot read"),
        (b"one\n\xff\xfe\n", "line 2: this is not UTF-8 text"),
        ("text".encode("utf-16"), "line 1: this is not UTF-8 text"),
    ],
)
def test_damaged_text_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(reading.lines(tmp_path / "text"))


def test_paths_that_no_file_can_have(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / ("x" * 5000), tmp_path / "a\0b", tmp_path / "x" / "y"):
        for read in (
            reading.read_content,
            reading.load_json,
            reading.read_arrays,
            lambda p: list(reading.lines(p)),
        ):
            with pytest.raises(InputError, match="cannot read"):
                read(path)
    assert reading.read_json(tmp_path / "absent.json") == {}
    with pytest.raises(InputError, match="cannot read"):
        reading.read_json(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe that has been opened to see what is in it is empty afterwards."""
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        for read in (reading.read_content, lambda p: list(reading.lines(p))):
            with pytest.raises(InputError, match="it is not a regular file"):
                read(path)


def test_members_that_are_no_arrays(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("a.npy", b"no array")
    for content in (buffer.getvalue(), b"PK\x03\x04", b"", np.lib.format.magic(1, 0)):
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(InputError, match="is not an npz file"):
            reading.read_arrays(tmp_path / "x.npz")


def test_names_in_other_encodings_are_written(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xe4.npz")
    write_atomically(tmp_path / "a", f'"{name}"')
    assert reading.load_json(tmp_path / "a") == name
