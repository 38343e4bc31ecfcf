import importlib
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_it_learns_to_beat_random(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    example = importlib.import_module("device_ppo")
    assert example.main("closedhand/Leduc-v0", "cpu", 128, 25) > 0.8
