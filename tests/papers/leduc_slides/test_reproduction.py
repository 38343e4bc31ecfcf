"""The reproduction of the slides: what is kept and what is not."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support_leduc import UH

from closedhand.solvers import solving


def test_reproduction_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small: parts that are kept are not done again, an interrupted one is not kept."""
    from closedhand.papers.leduc_slides import reproduction as leduc

    done: list[str] = []

    def interrupted(notes: Any) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        notes(0.5)
        raise AssertionError("not interrupted")

    def values(notes: Any) -> dict[str, Any]:
        done.append("values")
        return {"value": 1}

    tail = [("values", values), ("bad", interrupted)]
    monkeypatch.setattr(leduc, "parts", lambda *_: dict(tail))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            leduc.compute(tmp_path, leduc.Plan(seconds=1.0), lambda *_: None)
    assert done == ["values"]
    assert [path.name for path in tmp_path.iterdir()] == ["values.json"]
    tail[1] = ("bad", values)
    results = leduc.compute(tmp_path, leduc.Plan(seconds=1.0), lambda *_: None)
    assert results == {"values": {"value": 1}, "bad": {"value": 1}}
    leduc.compute(tmp_path, leduc.Plan(seconds=2.0), lambda *_: None)
    assert done == ["values"] * 4


def test_an_interrupted_run_is_no_part() -> None:
    from closedhand.papers.leduc_slides import reproduction as leduc

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        leduc._finished(solving.begin("cfr", UH), seconds=60, progress=interrupt)


def test_sections_are_computed_and_reported_alone(tmp_path: Path) -> None:
    from closedhand.papers.leduc_slides import reproduction as leduc

    def names(*sections: str) -> list[str]:
        return list(leduc.parts(tmp_path, leduc.Plan(sections=sections)))

    assert names("values", "slides") == ["values", "slides-cfr+", "slides-q-learning"]
    assert sorted(names(*leduc.SECTIONS)) == sorted(
        name for section in leduc.SECTIONS for name in names(section)
    )
    row = {"iterations": 3000, "slides": 0.273, "perfect recall": 3.9e-5}
    results = {f"slides-{algorithm}": row for algorithm in leduc.ON_SLIDES}
    text = leduc.report(results)
    assert "| q-learning | game | 3,000 | 0.273 | 3.9e-05 |" in text
    assert "\nDifferences: the slides give no values" in text
    assert "Learning" not in text and "Solvers" not in text
    leduc.pictures(results, tmp_path)
    assert not list(tmp_path.iterdir())
