"""Files of networks: rounding, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.value_net import files, network
from closedhand.core.agents import traits_of
from closedhand.core.files import write_arrays
from closedhand.core.reading import read_arrays

ABOUT: dict[str, Any] = {"objective": "win", "steps": 1, "games": 2, "samples": 3}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    files.save(tmp_path / files.NAME, network.new_net(1), ABOUT)
    return tmp_path / files.NAME


def test_weights_are_rounded_by_row(file: Path) -> None:
    net, about = files.read(file)
    exact = network.new_net(1)
    assert about == ABOUT and np.array_equal(net.dense, exact.dense)
    for name in ("inputs", "plays"):
        mine, yours = getattr(net, name), getattr(exact, name)
        assert mine.dtype == np.float32
        step = np.abs(yours).max(axis=-1, keepdims=True) / files.FINEST
        assert (np.abs(mine - yours) <= 0.51 * step).all()
    files.save(file.with_name("again.npz"), net, about)
    assert np.array_equal(files.read(file.with_name("again.npz"))[0].inputs, net.inputs)


def test_files_and_folders_name_the_network(file: Path) -> None:
    game = make_game("doudizhu")
    for path in (file, file.parent):
        assert make_agent(game, f"value-net:{path}").name == f"value-net:{path}"
        assert traits_of(game, f"value-net:{path}").files == (file,)
    assert traits_of(game, "value-net").files == ()


def test_each_objective_has_a_network_of_its_own() -> None:
    for objective in files.SHARES:
        assert files.load(None, objective)[1]["objective"] == objective


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("inputs", None),
        ("inputs", np.zeros((3, 5, 128), np.int8)),
        ("inputs", np.zeros(network.SHAPES.inputs, np.int16)),
        ("plays_factors", np.full(network.SHAPES.plays[:-1], np.inf, np.float32)),
        ("inputs_factors", np.full(network.SHAPES.inputs[:-1], 3e38, np.float32)),
        ("dense", np.full(network.SHAPES.dense, np.nan, np.float32)),
        ("dense", np.full(network.SHAPES.dense, -np.inf, np.float32)),
        ("about", None),
        ("about", np.array("[]")),
        ("about", np.array("{")),
        ("about", np.array(json.dumps({**ABOUT, "objective": "points"}))),
        ("about", np.array(json.dumps({**ABOUT, "objective": ["win"]}))),
        ("about", np.array(json.dumps({**ABOUT, "steps": -1}))),
        ("about", np.array(json.dumps({**ABOUT, "games": True}))),
        ("about", np.array(json.dumps({**ABOUT, "samples": 1e9}))),
    ],
)
def test_other_content_is_refused(file: Path, name: str, value: Any) -> None:
    arrays = read_arrays(file)
    arrays["inputs"][:] = 5
    del arrays[name]
    write_arrays(file, arrays if value is None else {**arrays, name: value})
    with pytest.raises(
        InputError, match=r"value-net\.npz is not a network of value-net: "
    ) as found:
        make_agent("doudizhu", f"value-net:{file}")
    assert "\n" not in str(found.value)


def test_files_of_other_kinds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    for content in (b"", b"PK\x03\x04", b"text"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"other\.npz"):
            files.read(path)
    with pytest.raises(InputError, match="cannot read"):
        make_agent("doudizhu", f"value-net:{tmp_path / 'none.npz'}")
    with pytest.raises(InputError, match="cannot read"):
        make_agent("doudizhu", f"value-net:{tmp_path}")
