"""Curves for TensorBoard."""

from pathlib import Path
from typing import Any

import pytest

accumulator: Any = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", exc_type=ImportError
)

from closedhand.learning.runs import board, logs  # noqa: E402


@pytest.mark.parametrize(
    ("name", "shown"), [("random", "random"), ("learned:caf\udce9", r"learned:caf\udce9")]
)
def test_what_a_kill_has_undone_is_not_shown(name: str, shown: str, tmp_path: Path) -> None:
    """An opponent's folder may have a name that is not UTF-8."""
    for session, (at, steps) in enumerate([(0, (100, 200, 300)), (200, (250, 350))]):
        before = set(logs(tmp_path))
        with board(tmp_path, at) as add:
            for step in steps:
                add({"decisions": step, "against": {name: {"points": [session, 0, 1]}}})
        [log] = set(logs(tmp_path)) - before
        log.rename(tmp_path / f"events.out.tfevents.{session}")  # their order, within a second
    found = accumulator.EventAccumulator(str(tmp_path)).Reload()
    curve = [(each.step, each.value) for each in found.Scalars(f"against/{shown}/points")]
    assert curve == [(100, 0), (200, 0), (250, 1), (350, 1)]
