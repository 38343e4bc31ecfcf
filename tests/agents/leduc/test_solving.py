"""Solving and learning Leduc: what all algorithms do alike."""

from pathlib import Path

import numpy as np
import pytest
from support import assert_alike_without_compiler
from support_leduc import STANDARD, UH, solved

from closedhand import InputError
from closedhand.solvers import solving
from closedhand.solvers.strategy import evaluate

TABULAR = list(solving.ALGORITHMS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "iterations", "exploitability"),
    [("mccfr", 300_000, 0.05), ("mmd", 3_000, 0.01), ("q-learning", 1_000_000, 2.0)],
)
def test_learners_learn(algorithm: str, iterations: int, exploitability: float) -> None:
    """Uniform play has an exploitability of 2.3."""
    assert evaluate(solved(UH, iterations, algorithm)).exploitability < exploitability


@pytest.mark.parametrize("algorithm", TABULAR)
def test_interrupted_work_goes_on_as_if_nothing_had_happened(
    algorithm: str, tmp_path: Path
) -> None:
    def begin(folder: Path | None = None) -> solving.Run:
        return solving.Run(algorithm, UH, 5, folder)

    begin(tmp_path).advance(iterations=500)
    resumed = solving.Run(algorithm, UH, 5, tmp_path).resume().advance(iterations=1000)
    whole = begin().advance(iterations=1000)
    for one, other in zip(resumed.history[-3:], whole.history[-3:], strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
    assert (resumed.strategy().probabilities == whole.strategy().probabilities).all()


def test_only_the_same_work_is_resumed(tmp_path: Path) -> None:
    solving.Run("dcfr", UH, 0, tmp_path).advance(iterations=10)
    for algorithm, game, seed, message in [
        ("cfr", UH, 0, "algorithm dcfr, not cfr"),
        ("dcfr", STANDARD, 0, "game uh_leduc, not leduc"),
        ("dcfr", UH, 1, "seed 0, not 1"),
    ]:
        with pytest.raises(InputError, match=message):
            solving.Run(algorithm, game, seed, tmp_path).resume()
    with pytest.raises(InputError, match="cannot read"):
        solving.Run("dcfr", UH, 0, tmp_path / "nowhere").resume()
    (tmp_path / "learner.npz").write_text("nothing")
    with pytest.raises(InputError, match="not an npz file"):
        solving.Run("dcfr", UH, 0, tmp_path).resume()
    np.savez(tmp_path / "learner.npz", result=np.array("{}"))
    with pytest.raises(InputError, match="nothing to resume"):
        solving.Run("dcfr", UH, 0, tmp_path).resume()


def test_work_ends_by_time_or_aim() -> None:
    run = solving.Run("dcfr", UH)
    run.advance(until=1e-2)
    assert 0 < run.history[-1]["nash_conv"] <= 1e-2 < run.history[-2]["nash_conv"]
    run = solving.Run("mccfr", UH)
    run.advance(seconds=0.3)
    assert 0.2 < run.seconds < 1.0
    iterations = [entry["iterations"] for entry in run.history]
    assert iterations == sorted(set(iterations)) and iterations[:4] == [1, 2, 3, 4]


@pytest.mark.slow
def test_solvers_work_without_compiled_kernels() -> None:
    program = """
from closedhand import make_game
from closedhand.solvers import solving
for name in ("dcfr", "mccfr", "mmd", "q-learning"):
    learner = solving.make_solver(name, make_game("leduc"), 3)
    learner.run(3)
    print(name, learner.strategy().probabilities[::97].round(9).tolist())
"""
    assert_alike_without_compiler(program)
