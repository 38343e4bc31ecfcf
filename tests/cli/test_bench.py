"""The command `bench`: rates of the installed package."""

import json

import pytest
from support_cli import assert_refused, run_to

from closedhand import make_game
from closedhand.arena.speed import on_device

SMALL = ("--seconds", "0.001", "--games", "2")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["leduc", "chinese-poker"])
def test_every_form_has_a_rate(game: str) -> None:
    result = run_to(0, "bench", game, *SMALL, "--agents", "random", "--json")
    found = json.loads(result.stdout)
    assert found["machine"]["cores"] >= 1 and found["device"] == "cpu"
    assert len(found["figures"]) == 6
    assert all(row["rate"] > 0 and row["game"].startswith(game[:5]) for row in found["figures"])
    assert [row["what"] for row in found["figures"]][-1] == "agent random"
    assert "VectorEnv, 2 games, compact" in run_to(0, "bench", game, *SMALL).stdout


def test_the_code_of_a_gpu_runs_on_a_cpu_too() -> None:
    pytest.importorskip("torch")
    figures = list(on_device(make_game("leduc"), 2, ["random"], "cpu", 0.001))
    assert len(figures) == 4 and all(figure.rate > 0 for figure in figures)
    assert figures[-1].what == "random in all seats, 2 games, compact"


def test_bad_input_is_refused() -> None:
    torch = pytest.importorskip("torch")
    assert_refused("bad", "bench", "leduc", "--agents", "bad", *SMALL)
    assert_refused("no game", "bench", "chess", *SMALL)
    if not torch.cuda.is_available():
        assert_refused("not available", "bench", "leduc", "--device", "cuda", *SMALL)
