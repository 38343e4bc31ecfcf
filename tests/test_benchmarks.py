"""The table of benchmarks: what stays when a part is measured again."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.__main__ import MODULES, merge, page


def results(rounds: int, processor: str, *names: str) -> dict[str, Any]:
    """Results of some rates, all of them as high as there are rounds."""
    own = {"median": rounds, "min": rounds, "max": rounds}
    return {
        "machine": {"processor": processor, "python": "3"},
        "versions": {"closedhand": "1"},
        "rounds": rounds,
        "seconds": 0.5,
        "ratios": [],
        "rates": [{"what": name, "unit": "1/s", "ours": own} for name in names],
    }


def test_figures_of_one_machine_stay_with_their_effort() -> None:
    table = page(merge(results(5, "A", "kept", "again"), results(2, "A", "again")))
    assert "one core of: A" in table and "2 or 5 rounds of 0.5 s" in table
    assert "| kept | 5 1/s" in table and "| again | 2 1/s" in table


def test_figures_of_another_machine_are_left_out() -> None:
    table = page(merge(results(5, "A", "kept", "again"), results(2, "B", "again")))
    assert "one core of: B" in table and ". 2 rounds" in table
    assert "kept" not in table and "| again | 2 1/s" in table


def measured() -> dict[str, Callable[[float], float]]:
    """All functions that measure, of us and of peers, by row."""
    found: dict[str, Callable[[float], float]] = {}
    for module in MODULES:
        for what, ours, _, peer, theirs, _ in module.RATIOS:
            found |= {what: ours, f"{what}: {peer}": theirs}
        found |= {what: ours for what, ours, _ in module.RATES}
    return found


@pytest.mark.slow
@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", measured())
def test_every_row_measures_something(row: str) -> None:
    try:
        assert measured()[row](0.001) > 0
    except ImportError as error:
        pytest.skip(f"a peer is not installed: {error}")
