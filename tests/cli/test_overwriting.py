"""What commands write over: results of their own kind, and nothing else."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer.main
from support_cli import assert_refused, run
from support_lines import LINES, commands, prepare

from closedhand.cli import app, common
from closedhand.core.file_kinds import FileKind
from closedhand.core.files import WriteError

Results = list[tuple[Path, FileKind]]

MORE = (
    "match leduc --agents random,random --deals 2 --workers 1 --out thesis.tex",
    "records export games.jsonl --out page.html",
    "records export games.jsonl --out games.log",
    "solve leduc --algorithm cfr --iterations 1 --out c",
    "train daihinmin --algorithm kou --minutes 0.0001 --out k",
    "train doudizhu --algorithm value-net --minutes 0.0001 --out v",
    "compile leduc --gpu sm_90 --out cb",
    "reproduce deeprocket --out r",
    "reproduce chinese-poker --out r",
    "reproduce kou --out r",
    "reproduce all --quick --out r",
    "train chinese-poker --algorithm blog --minutes 0.0001 --out t",
)
SKIPPED = ("policy-search", "policy-net,", "douzero", "learned:", "bids:net", "--ray")
"""Of lines of one command, whose files are the same."""
WRITING = [
    line
    for line in (*LINES, *MORE)
    if re.search(r"--(out|picture) ", line) and not any(each in line for each in SKIPPED)
]


class Stop(WriteError):
    """Ends a command when it has named its results."""


def results_of(line: str, monkeypatch: pytest.MonkeyPatch) -> Results:
    """What a command is going to write, as it names it before it begins."""
    found: Results = []

    def take(results: Results) -> None:
        found.extend(results)
        raise Stop("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(common, "refuse_all", take)
        result = run(*shlex.split(line))
    assert found, result.output
    return found


def foreign(path: Path) -> Iterator[str]:
    """Write what others may have under a name: a text, then a sound file of that format."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("my thesis\n")
    yield "a text"
    if path.suffix in (".json", ".jsonl"):
        path.write_text(json.dumps({"title": "my thesis", "version": "1"}) + "\n")
        yield "JSON"
    elif path.suffix == ".npz":
        np.savez(path, thesis=np.arange(9))
        yield "arrays"
    elif path.suffix == ".png":
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"tEXtSoftware\0Gimp")
        yield "a picture"
    elif path.suffix == ".safetensors":
        header = json.dumps({"__metadata__": {"format": "pt"}}).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header)
        yield "a network"
    elif path.suffix == ".html":
        path.write_text("<!doctype html><html><head></head><body>closedhand</body></html>")
        yield "a page"


def test_every_command_that_writes_is_tested() -> None:
    command: Any = typer.main.get_command(app)
    writing = set()
    for words in commands(command):
        at: Any = command
        for word in words.split():
            at = at.get_command(None, word)
        names = {each.name for each in at.params}
        assert ("overwrite" in names) == bool(names & {"out", "picture"}), words
        if "overwrite" in names:
            writing.add(words)
    tested = {words for words in writing for line in WRITING if f"{line} ".startswith(f"{words} ")}
    assert tested == writing


@pytest.mark.parametrize("line", WRITING)
def test_a_foreign_file_is_not_written_over(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    for path, kind in results_of(line, monkeypatch):
        for what in foreign(path):
            before = path.read_bytes()
            result = run(*shlex.split(line))
            assert result.exit_code == 2, (path, what, result.output)
            assert path.read_bytes() == before, (path, what)
            last = result.stderr.strip().splitlines()[-1]
            assert last == (
                f"closedhand: cannot write {path}: it exists and is not {kind.text}; "
                "--overwrite replaces it"
            )
            assert result.stdout == ""
        path.unlink()


def test_overwrite_says_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    line = shlex.split("match leduc --agents random,random --deals 2 --workers 1 --out m.json")
    for name in ("m.json", "m.png"):
        Path(name).write_text("my thesis")
        assert run(*line).exit_code == 2
        assert run(*line, "--overwrite").exit_code == 0
        assert run(*line).exit_code == 0  # its own results are replaced
    assert json.loads(Path("m.json").read_text())["deals"] == 2


@pytest.mark.parametrize("name", ["m.png", "./m.json/../m.png"])
def test_results_of_one_name_are_refused(name: str, in_empty_folder: None) -> None:
    words = f"match doudizhu --agents rule,random --deals 1 --out {name}"
    assert_refused("two results", *words.split())
    assert not list(Path().iterdir())
