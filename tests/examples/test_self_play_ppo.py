"""The example of a self-play learner runs; what it learns in the end takes too long for a test."""

import importlib
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reward", "observation"), [("seats", "planes"), ("actor", "flat"), ("seats", "compact")]
)
def test_it_learns_and_plays_a_match(
    reward: str,
    observation: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    example = importlib.import_module("self_play_ppo")
    arguments = (
        "--env closedhand/Leduc-v0 --options= --steps 4096 --games 32 --rollout 32 --deals 50"
    )
    chosen = ["--reward", reward, "--observation", observation]
    share = example.main([*arguments.split(), *chosen])
    printed = capsys.readouterr().out.splitlines()
    assert 0 <= share <= 1 and printed[-1].startswith("learned against random: ")
    assert printed[-2].startswith("4,096 steps")


def test_bad_options_end_it_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    example = importlib.import_module("self_play_ppo")
    with pytest.raises(SystemExit, match="2"):
        example.main(["--options", "rules=house", "--steps", "1"])
    assert "rules is deeprocket" in capsys.readouterr().err
