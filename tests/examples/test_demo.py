"""`make demo` in short: it trains, shows shares of games, and names commands that work."""

import importlib
import shlex
from pathlib import Path

import pytest
from support_cli import run

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
def test_the_demo_trains_plays_and_says_what_to_do_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.chdir(tmp_path)
    demo = importlib.import_module("demo")
    share = demo.main(["--minutes", "0.001", "--deals", "20"])
    printed = capsys.readouterr().out
    assert 0 <= share <= 1 and f"{share:.1%}" in printed
    assert all(word in printed for word in ("landlord", "peasants", "all", "━"))
    line = next(line for line in printed.splitlines() if line.startswith("Play against it: "))
    words = shlex.split(line.partition("closedhand play ")[2])
    assert run("play", *words, text="quit\n").exit_code == 0
