"""A user's script passes pyright in strict mode, as the types that the package ships promise."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import DATA


@pytest.mark.slow
def test_a_script_of_a_user_passes_pyright_strict(tmp_path: Path) -> None:
    pytest.importorskip("pyright")
    script = tmp_path / "script.py"  # outside of the project, whose settings are its own
    script.write_text((DATA / "typing" / "script.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(script)],
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
