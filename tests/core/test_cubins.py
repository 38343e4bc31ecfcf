import numpy as np
import pytest

from closedhand.core import cubins
from closedhand.core.checks import InputError
from closedhand.core.cubins import MAGIC, cubin, file_name
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
    monkeypatch.setattr(cubins, "_digest", lambda path: "changed")
    assert name != file_name("step", arguments(), "sm_90")


def test_without_a_compiler_it_says_what_to_install(folders, monkeypatch):
    monkeypatch.setattr(cubins, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"not compiled for sm_90 yet.*closedhand\[gpu\].*CUBINS"):
        cubin("step", arguments(), "sm_90")


def test_another_file_is_refused(folders):
    (folders / file_name("step", arguments(), "sm_90")).write_bytes(b"text")
    with pytest.raises(InputError, match="holds no compiled kernel"):
        cubin("step", arguments(), "sm_90")
