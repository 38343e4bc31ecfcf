"""What kou's paper reports."""

from pathlib import Path
from typing import Any

import pytest

from closedhand import InputError
from closedhand.core import agents as registry
from closedhand.papers.kou import reproduction as kou

MATCH = ("match", "daihinmin", "--agents", "default,random", "--workers", "1")


@pytest.mark.slow
def test_the_paper_about_kou(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tables from quick agents in the place of all of them."""
    entry = registry._entry_point

    class Quick:
        def __init__(self, name: str) -> None:
            self.make = entry("daihinmin", "random" if name == "monte-carlo" else "default").load()

        def load(self) -> Any:
            return lambda game, seed, argument: self.make(game, seed, None)

    monkeypatch.setattr(registry, "_entry_point", lambda game, name: Quick(name))
    monkeypatch.setattr(kou, "MATCH", 2)
    steps: list[float] = []

    def compute(seed: int) -> dict[str, Any]:
        return kou.compute(
            tmp_path, 6, 4, seed, 1, lambda name, number, total: steps.append(number)
        )

    results = compute(0)
    assert steps[-1] == 29 == len(results)
    text = kou.report(results)
    for number in range(1, 7):
        assert f"## Table {number}" in text
    assert "| default | use_2 | +0 | +0 to +0 | +102 |" in text
    assert "| *paper: beersong* | 3.170 | 900 rounds |" in text
    kou.pictures(results, tmp_path)
    assert (tmp_path / "figure-2.png").exists()
    assert compute(0) == results
    assert compute(1) != results
    with pytest.raises(InputError, match="must be a multiple of 2"):
        kou.compute(tmp_path, 5, 4, 0, 1, lambda *done: None)
