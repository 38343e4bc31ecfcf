"""The reproduction of the slides: what is kept and what is not."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support_leduc import UH

from closedhand.learning import runs
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
        leduc._finished(solving.Run("cfr", UH), seconds=60, progress=interrupt)


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


def test_the_curve_of_an_interrupted_network_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the evaluations before the interruption, and no others than without one."""
    from closedhand.papers.leduc_slides import reproduction as leduc

    class Notes:
        """Those of a part that may be interrupted."""

        def __init__(self, begun: Any = None) -> None:
            self.begun = begun
            self.kept: Callable[[], Any] = dict

        def __call__(self, share: float) -> None: ...

        def own(self, folder: Path) -> None: ...

        def keep(self, state: Callable[[], Any]) -> None:
            self.kept = state

    def begin(first: int, last: int) -> Any:
        run = SimpleNamespace(seconds=first, resume_if_kept=lambda: None)

        def work(limit: float, progress: Callable[[], None]) -> None:
            while run.seconds < min(limit, last):
                run.seconds += 1
                progress()
            run.interrupted = run.seconds < limit

        run.work = work
        return run

    monkeypatch.setattr(leduc, "strategy_of", lambda *_: None)
    monkeypatch.setattr(leduc, "evaluate", lambda _: SimpleNamespace(summary=lambda _: {}))
    part = leduc._learning_ppo(tmp_path, 0, 20.0)
    curves = []
    # The second run is interrupted after 12 of 20 seconds, and goes on from a checkpoint at 11.
    for spans in ([(0, 20)], [(0, 12), (11, 20)]):
        notes = Notes()
        for first, last in spans:
            monkeypatch.setattr(runs, "begin", lambda *_, at=(first, last): begin(*at))
            notes = Notes(notes.kept() or None)
            if last < 20:
                with pytest.raises(KeyboardInterrupt):
                    part(notes)  # type: ignore[arg-type]
            else:
                found = part(notes)  # type: ignore[arg-type]
                curves.append([point["seconds"] for point in found["curve"]])
    assert curves[0] == curves[1] == [*range(1, 21)]
