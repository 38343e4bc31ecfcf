import os
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from closedhand.core import cubins
from closedhand.core.checks import InputError
from closedhand.core.cubins import MAGIC, Cubin, compile_to, cubin, file_name
from closedhand.core.numba.cache import sources_of, state_of
from closedhand.core.registry import make_game


def arguments(name="leduc", **options):
    game = make_game(name, **options)
    return game.rules, game.empty(1), np.zeros(1, np.int64)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(cubins.FOLDER, str(tmp_path / "given"))
    (tmp_path / "given").mkdir()
    return tmp_path / "given"


def test_a_kernel_is_found_by_its_types(folders):
    name = file_name("step", arguments(), "sm_90")
    about = b'{"stack": 8, "spills": 0, "registers": 40, "grows": false}\n'
    (folders / name).write_bytes(MAGIC + about + b"code\nof a kernel")
    found = cubin("step", arguments(), "sm_90")
    assert found.image == b"code\nof a kernel" and (found.stack, found.registers) == (8, 40)


def test_presets_share_what_has_the_same_types():
    name = file_name("step", arguments("doudizhu"), "sm_90")
    assert name == file_name("step", arguments("doudizhu", rules="douzero"), "sm_90")
    others = [
        file_name("pick", arguments("doudizhu"), "sm_90"),
        file_name("step", arguments("doudizhu"), "sm_80"),
        file_name("step", arguments("doudizhu", substeps=True), "sm_90"),
        file_name("step", arguments("leduc"), "sm_90"),
        file_name("step", (*arguments("doudizhu"), True), "sm_90"),
    ]
    assert len({name, *others}) == 6


def test_changed_sources_are_another_kernel(monkeypatch):
    name = file_name("step", arguments(), "sm_90")
    monkeypatch.setattr(cubins, "_digest", lambda path, state: "changed")
    assert name != file_name("step", arguments(), "sm_90")


def test_sources_that_have_changed_since_their_import_are_refused(tmp_path):
    (tmp_path / "rules.py").write_text("")
    path = str(tmp_path / "rules.py")
    assert cubins._digest(path, state_of(path))
    with pytest.raises(InputError, match="has changed since its import"):
        cubins._digest(path, "1 2")


def test_the_compiler_is_one_of_the_sources():
    files, _ = sources_of(cubins.__name__, [])
    assert {"compiler.py", "entries.py", "contract.py"} <= {Path(path).name for path in files}


def test_classes_of_one_name_have_kernels_of_their_own(tmp_path, monkeypatch):
    (tmp_path / "twin_games").mkdir()
    for name in ("__init__", "one", "two"):
        text = "import typing\nclass Rules(typing.NamedTuple):\n    size: int = 1\n"
        (tmp_path / "twin_games" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    modules = [import_module(f"twin_games.{name}") for name in ("one", "two")]
    assert len({file_name("step", (module.Rules(),), "sm_90") for module in modules}) == 2


def test_a_class_of_a_script_has_a_kernel():
    class Rules(NamedTuple):
        size: int = 1

    assert file_name("step", (Rules(),), "sm_90").startswith("step.sm_90.")


def test_without_a_compiler_it_says_what_to_install(folders, monkeypatch):
    monkeypatch.setattr(cubins, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"not compiled for sm_90 yet.*closedhand\[gpu\].*CUBINS"):
        cubin("step", arguments(), "sm_90")


@pytest.mark.parametrize("cache", ["no folder", "no home"])
def test_a_kernel_that_cannot_be_kept_is_used(cache, folders, monkeypatch):
    found = Cubin("step", b"code", 8, 0, 40, False)
    monkeypatch.setattr(cubins, "_compiled", lambda *arguments: found)
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    if cache == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.warns(UserWarning, match="the kernel step is compiled, but not kept: "):
        assert cubin("step", arguments(), "sm_90") == found
    with pytest.raises(InputError):
        compile_to(cubins.kept(), "step", arguments(), "sm_90")
    assert compile_to(folders, "step", arguments(), "sm_90") == found
    assert cubin("step", arguments(), "sm_90") == found


@pytest.mark.parametrize("content", [b"text", b"\xff", MAGIC, MAGIC + b'{"stack": 1}\ncode'])
def test_another_file_is_refused(folders, content):
    (folders / file_name("step", arguments(), "sm_90")).write_bytes(content)
    with pytest.raises(InputError, match="holds no compiled kernel"):
        cubin("step", arguments(), "sm_90")
