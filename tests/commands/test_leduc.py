"""Solving Leduc on the command line."""

import json
import signal
from pathlib import Path

import pytest
from support_cli import run_to

from closedhand.solvers.bases import BaseSolver
from closedhand.solvers.strategy import load


def test_ctrl_c_keeps_the_strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def advance(solver: BaseSolver, seconds: float) -> bool:
        if solver.iterations > 100:
            signal.raise_signal(signal.SIGINT)
        return before(solver, seconds)

    command = ["solve", "leduc", "--algorithm", "cfr", "--out", str(tmp_path)]
    before = BaseSolver.advance
    with monkeypatch.context() as patch:
        patch.setattr(BaseSolver, "advance", advance)
        stopped = run_to(130, *command, "--iterations", "100000000")
    assert "continue with --resume" in stopped.stderr
    done = json.loads((tmp_path / "cfr" / "result.json").read_text())
    assert done["iterations"] > 100 and done["interrupted"]
    assert load(tmp_path / "cfr" / "strategy.npz").about["iterations"] == done["iterations"]
    more = done["iterations"] + 5
    result = run_to(0, *command, "--resume", "--iterations", str(more), "--json")
    assert json.loads(result.stdout)["iterations"] == more
