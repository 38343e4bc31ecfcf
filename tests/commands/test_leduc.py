"""Solving Leduc on the command line."""

import json
import signal
from pathlib import Path

import pytest
from support_cli import run_to
from support_leduc import UH
from support_strategies import uniform

from closedhand.solvers.solving import BaseSolver
from closedhand.solvers.strategy import load, save


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


def test_a_state_of_the_slides_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "strategy.npz"
    save(uniform(UH), path)
    graph = ["show", "leduc-graph", "--out", str(tmp_path / "graph")]
    for state, games in (("(s2,1,1,HA)", "2.78%"), ("(s2,1,1,SK,HA)", "0.33%")):
        printed = run_to(0, *graph, "--strategy", str(path), "--state", state).stdout
        assert f"{state}: in {games} of games; fold 50.0%, raise 50.0%\n" in printed
    assert "--state needs a --strategy" in run_to(2, *graph, "--state", "(s2,1,1,HA)").stderr
