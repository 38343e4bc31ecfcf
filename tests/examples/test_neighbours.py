"""The examples with neighbouring libraries run for a moment, where the library is installed."""

import importlib
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"

RUNS = {
    "open_spiel_cfr": (
        "pyspiel",
        ["--steps", "200", "--iterations", "2", "--simulations", "4", "--deals", "4"],
        ("is-mcts against random: won", "4 duplicate deals"),
    ),
    "rlcard_match": ("rlcard", ["--deals", "2"], ("", "by us")),
    "rllib_ppo": (
        "ray.rllib.algorithms.ppo",
        ["--steps", "512", "--deals", "5"],
        ("RLlib against random: won", "5 duplicate deals"),
    ),
    "agilerl_ppo": (
        "agilerl",
        ["--steps", "512", "--deals", "5"],
        ("AgileRL against random: won", "5 duplicate deals"),
    ),
    "ray_tune": ("ray.tune", ["--steps", "2048", "--trials", "2"], ("exploitability", "")),
}
"""What each example needs, a small budget, and how its last line begins and ends."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RUNS)
def test_it_runs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library, budget, (first, last) = RUNS[name]
    pytest.importorskip(library)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES))  # of Ray's workers
    found = importlib.import_module(name).main(budget)
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith(first) and line.endswith(last)
    assert found >= 0
