"""What a command says, and keeps, where it cannot begin or cannot end as it should."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from closedhand.arena import results
from closedhand.bridges.cluster import Cluster
from closedhand.cli import app, match, solve
from closedhand.core.checks import InputError
from closedhand.core.files import WriteError

COMMAND = [sys.executable, "-c", "from closedhand_command import main; main()"]


@pytest.mark.skipif(os.name == "nt", reason="a folder in use cannot be removed")
def test_a_working_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    program = f'cd {folder} && rmdir {folder} && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", program, "sh", *COMMAND, "show", "options", "leduc"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == 2
    assert done.stderr == "closedhand: the working folder is gone; change to another one\n"


@pytest.mark.parametrize(
    "address", ["search:-1", "host", "host:0", "host:65536", "ray://", "a b:1"]
)
def test_what_is_no_address_is_refused_before_ray_is_imported(address: str) -> None:
    with pytest.raises(InputError, match="an address is HOST:PORT"):
        Cluster(address)


def test_a_cell_that_does_not_exist_is_refused_before_anything_is_compiled(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "reproduce", "learners", "--only", "nonsense", "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cold")},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("closedhand: no cell 'nonsense': ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_match_is_printed_although_it_cannot_be_saved(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: Any) -> None:
        raise WriteError(f"cannot write {path}: No space left on device")

    arguments = ["match", "leduc", "--agents", "random,random", "--deals", "2", "--workers", "1"]
    arguments += ["--out", str(tmp_path / "m.json"), *options]
    # Once for the kernels: a match that takes seconds is saved on the way as well.
    assert CliRunner().invoke(app, arguments).exit_code == 0
    monkeypatch.setattr(results, "save", full)
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert "No space left" in done.stderr
    if options:
        assert json.loads(done.stdout)["deals"] == 2
    else:
        assert "points" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "printer", "saved"),
    [
        (
            "match leduc --agents random,random --deals 2 --workers 1",
            (match, "show_match"),
            ["m.json", "m.png"],
        ),
        (
            "match daihinmin --agents random --rounds 2 --option rounds=1 --workers 1",
            (match, "show_league"),
            ["m.json", "m.png"],
        ),
        (
            "solve leduc --iterations 1",
            (solve, "show_results"),
            ["m.json/nash-conv.png", "m.json/pcfr+/strategy.npz"],
        ),
    ],
    ids=["match", "league", "solve"],
)
def test_results_are_saved_although_nobody_takes_the_output(
    arguments: str,
    printer: tuple[Any, str],
    saved: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("matplotlib")

    def closed(data: Any) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(*printer, closed)
    done = CliRunner().invoke(app, [*arguments.split(), "--out", str(tmp_path / "m.json")])
    assert done.exit_code == 1
    assert all((tmp_path / each).exists() for each in saved)
