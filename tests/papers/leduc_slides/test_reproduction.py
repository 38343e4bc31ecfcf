"""The reproduction of the slides: what is kept and what is not."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support_leduc import UH

from closedhand.baselines.leduc import solving


def test_reproduction_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In small: parts that are kept are not done again, an interrupted one is not kept."""
    from closedhand.papers.leduc_slides import reproduction as leduc

    done: list[str] = []

    def interrupted(tell: Any) -> dict[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        tell(0.5)
        raise AssertionError("not interrupted")

    def values(tell: Any) -> dict[str, Any]:
        done.append("values")
        return {"value": 1}

    tail = [("values", values), ("bad", interrupted)]
    monkeypatch.setattr(leduc, "parts", lambda *_: dict(tail))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            leduc.compute(tmp_path, 1.0, 0, lambda *_: None)
    assert done == ["values"]
    assert [path.name for path in tmp_path.iterdir()] == ["values.json"]
    tail[1] = ("bad", values)
    results = leduc.compute(tmp_path, 1.0, 0, lambda *_: None)
    assert results == {"values": {"value": 1}, "bad": {"value": 1}}
    leduc.compute(tmp_path, 2.0, 0, lambda *_: None)
    assert done == ["values"] * 4


def test_an_interrupted_run_is_no_part() -> None:
    from closedhand.papers.leduc_slides import reproduction as leduc

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        leduc._finished(solving.begin("cfr", UH), seconds=60, progress=interrupt)
