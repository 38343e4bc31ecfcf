"""A user's script passes pyright and mypy, both strict, as the types of the package promise."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import DATA

CHECKERS = {
    "pyright": ("--pythonpath", sys.executable),
    "mypy": ("--strict", "--cache-dir", ".", "--python-executable", sys.executable),
}


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_a_script_of_a_user_passes(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker)
    script = tmp_path / "script.py"  # outside of the project, whose settings are its own
    script.write_text((DATA / "typing" / "script.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", checker, *CHECKERS[checker], str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_runs() -> None:
    exec(
        compile((DATA / "typing" / "script.py").read_text(encoding="utf-8"), "script.py", "exec"),
        {},
    )
