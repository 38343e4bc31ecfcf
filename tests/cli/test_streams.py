"""Streams of other encodings and widths, and streams that end or are closed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from closedhand.cli import app
from closedhand.core.display import HIDDEN

PLAY = ("play", "leduc", "--seed", "1", "--agents", "random")
MAIN = "from closedhand.cli import main; main()"

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def start(
    *arguments: str, shell: str = '"$@"', main: str = MAIN, **environment: str
) -> subprocess.CompletedProcess:
    """Run a command in a process of its own, by default alone; `shell` may redirect its streams."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell, "bash", sys.executable, "-c", main, *arguments],
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(Path.home()), **environment},
        timeout=300,
    )


@pytest.mark.parametrize("encoding", ["gbk", "shift_jis", "cp1252", "utf-8"])
def test_every_encoding_shows_the_table(encoding: str) -> None:
    runner = CliRunner(charset=encoding)
    result = runner.invoke(app, PLAY, input="?\nquit\n")
    assert result.exception is None, result.exception
    assert (HIDDEN if encoding == "utf-8" else "#") in result.stdout


@pytest.mark.parametrize("encoding", ["gbk", "shift_jis", "cp1252", "ascii"])
def test_errors_quote_names_that_an_encoding_lacks(encoding: str) -> None:
    runner = CliRunner(charset=encoding)
    result = runner.invoke(app, ["records", "replay", "ünö▒柔.jsonl"])
    assert result.exit_code == 2
    assert "cannot read" in result.stderr and ".jsonl: No such file" in result.stderr
    assert runner.invoke(app, ["--help"]).exit_code == 0
    assert runner.invoke(app, ["play", "--help"]).exit_code == 0


def test_json_goes_out_with_a_closed_error_stream() -> None:
    match = ("match", "leduc", "--agents", "random,random", "--deals", "2", "--json")
    result = start(*match, shell='"$@" 2>&-')
    assert result.returncode == 0 and json.loads(result.stdout)["deals"] == 2


def test_what_is_typed_may_have_another_encoding() -> None:
    runner = CliRunner(charset="utf-8")
    result = runner.invoke(app, PLAY, input=b"\xff\xfe\x80\n\0\nquit\n")
    assert result.exit_code == 0, result.exception
    assert "is not an action" in result.stdout
    Path("gbk.jsonl").write_bytes("柔道\n".encode("gbk"))
    result = runner.invoke(app, ["records", "replay", "gbk.jsonl"])
    assert result.exit_code == 2
    assert "gbk.jsonl, line 1: this is not UTF-8 text" in result.stderr


@pytest.mark.parametrize("width", ["1", "20"])
def test_narrow_and_dumb_terminals(width: str) -> None:
    environment = {"COLUMNS": width, "TERM": "dumb", "PYTHONIOENCODING": "cp1252"}
    runner = CliRunner(charset="cp1252", env=environment)
    match = ["match", "leduc", "--agents", "random,random", "--deals", "2", "--workers", "1"]
    for arguments in (match, ["--help"], ["match", "--help"], ["play"]):
        result = runner.invoke(app, arguments)
        assert not result.exception or isinstance(result.exception, SystemExit), result.exception


@pytest.mark.slow
def test_a_process_in_another_encoding() -> None:
    done = start(*PLAY, shell='echo quit | "$@"', PYTHONIOENCODING="gbk")
    assert done.returncode == 0, done.stderr
    assert b"#" in done.stdout
    # Names of files are bytes; in the C locale most are no text.
    c_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = start("records", "replay", "ü.jsonl", **c_locale)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"No such file" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "code", "message"),
    [
        ('"$@" | head -n 1 > first', 1, b""),
        ('"$@" > /dev/full', 2, b"No space left on device"),
        ('"$@" >&-', 1, b""),
        ('"$@" >&- 2>&- <&-', 1, b""),
    ],
)
def test_output_that_nobody_takes(shell: str, code: int, message: bytes) -> None:
    # More errors than fit into a pipe, so that they are not written before nobody reads them.
    Path("records.jsonl").write_text("no record\n" * 3000)
    done = start("records", "replay", "records.jsonl", shell=shell)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert done.stderr.count(b"\n") == bool(message)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", [("--help",), ("train", "doudizhu", "--help"), ("show", "options", "leduc")]
)
def test_a_closed_pipe_ends_help_and_tables_in_silence(words: tuple[str, ...]) -> None:
    begin, end = os.pipe()
    os.close(begin)
    with os.fdopen(end) as closed:
        done = subprocess.run(
            [sys.executable, "-c", MAIN, *words], stdout=closed, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ['"$@" 2>/dev/full', '"$@" 2>&1 >/dev/null | true'])
def test_work_goes_on_where_nobody_takes_its_progress(shell: str) -> None:
    often = f"from closedhand.cli import common; common.SECONDS_A_LINE = 0.0; {MAIN}"
    arguments = ("match", "leduc", "--agents", "random,random", "--deals", "50", "--workers", "1")
    done = start(*arguments, "--out", "match.json", shell=shell, main=often)
    assert (done.returncode, Path("match.json").exists()) == (0, True), done.stderr


@pytest.mark.slow
def test_input_that_is_closed() -> None:
    done = start(*PLAY, shell='"$@" <&-')
    assert done.returncode == 0, done.stderr
    assert b"left the game" in done.stdout
