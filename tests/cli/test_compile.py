"""The command `compile`: programs that follow start without a pause."""

from pathlib import Path

import pytest
from support import run_program
from support_cli import run

from closedhand.core import cubins

COMPILE = """
from numba.core import event
from closedhand.cli import app

class Texts(event.Listener):
    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__
        assert module != "numba.cpython.unicode", "a text is put together in a kernel"

    def on_end(self, event):
        pass

event.register("numba:compile", Texts())
app(["compile", "leduc"])
"""
"""Texts in kernels, such as the message of an assignment between slices of unequal shapes, take
longer to compile than most games."""
PLAY = """
import gymnasium, closedhand
env = gymnasium.make_vec("closedhand/Leduc-v0", 2, reward="seats")
_, infos = env.reset(seed=1)
env.step(infos["action_mask"].argmax(axis=1))
"""


@pytest.mark.slow
def test_what_is_compiled_ahead_is_not_compiled_again(tmp_path: Path) -> None:
    first = run_program(COMPILE, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.returncode == 0, first.stderr
    assert "compiling kernels" in first.stderr and "leduc is compiled" in first.stderr
    then = run_program(PLAY, NUMBA_CACHE_DIR=str(tmp_path))
    assert (then.returncode, then.stderr) == (0, "")


def test_a_gpu_needs_its_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubins, "find_spec", lambda name: None)
    result = run("compile", "leduc", "--gpu", "sm_90")
    assert result.exit_code == 2 and "pip install 'closedhand[gpu]'" in result.output
    result = run("compile", "leduc", "--out", "x")
    assert result.exit_code == 2 and "--agents and --out are for --gpu" in result.output
