"""Solving Leduc on the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from closedhand.baselines.leduc.strategy import (
    load,
)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent otherwise on Windows")
def test_ctrl_c_keeps_the_strategy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from closedhand.cli import main; main()", "solve", "leduc"]
    command += ["--algorithm", "cfr", "--out", str(tmp_path)]
    subprocess.run([*command, "--iterations", "1"], check=True, capture_output=True)
    process = subprocess.Popen(
        [*command, "--iterations", "100000000"], stderr=subprocess.PIPE, text=True
    )
    time.sleep(5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert "go on with --resume" in errors
    done = json.loads((tmp_path / "cfr" / "result.json").read_text())
    assert done["iterations"] > 100 and done["interrupted"]
    assert load(tmp_path / "cfr" / "strategy.npz").about["iterations"] == done["iterations"]
    more = str(done["iterations"] + 5)
    result = subprocess.run(
        [*command, "--resume", "--iterations", more, "--json"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(result.stdout)["iterations"] == int(more)
