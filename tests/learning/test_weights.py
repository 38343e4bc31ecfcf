"""Files of networks: what is in them is checked before it is used."""

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from closedhand import InputError
from closedhand.core.parsing import OPTIONS, TRUTH, list_of, whole
from closedhand.core.reading import LIMITS

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from torch import nn  # noqa: E402

from closedhand.learning import weights  # noqa: E402
from closedhand.learning.module_state import TORCH  # noqa: E402

SCHEMA = {
    "kind": weights.WORD,
    "width": whole(1, 64),
    "bias": TRUTH,
    "hidden": list_of(whole(1, 8)),
    "provenance": OPTIONS,
}
ABOUT: dict[str, Any] = {
    "kind": "linear",
    "width": 3,
    "bias": True,
    "hidden": [4],
    "provenance": {"seed": 1},
}


def build(about: dict[str, Any]) -> nn.Linear:
    if about["kind"] != "linear":
        raise InputError(f"it is {about['kind']}")
    return nn.Linear(about["width"], 2, bias=about["bias"])


def written(path: Path, about: Any = ABOUT, **tensors: Any) -> Path:
    torch.manual_seed(0)
    given = {**build(ABOUT).state_dict(), **tensors}
    weights.save(path, {k: v for k, v in given.items() if v is not None}, about)
    return path


def test_weights_come_back(tmp_path: Path) -> None:
    path = written(tmp_path / "w.safetensors")
    before = torch.get_rng_state()
    network, about = weights.load(path, SCHEMA, build)
    assert about == ABOUT
    # Building a network draws random numbers: the caller's generator does not lose them.
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(0)
    for name, tensor in build(ABOUT).state_dict().items():
        assert torch.equal(network.state_dict()[name], tensor)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_short_floats_are_weights_too(tmp_path: Path, kind: Any) -> None:
    path = written(tmp_path / "w", weight=torch.ones(2, 3, dtype=kind))
    network, _ = weights.load(path, SCHEMA, build)
    assert network.weight.dtype == torch.float32


DESCRIPTIONS: dict[str, Any] = {
    "no table": [1],
    "a key too few": {key: ABOUT[key] for key in list(ABOUT)[1:]},
    "a key too many": {**ABOUT, "factory": "os:system"},
    "a text that is a table": {**ABOUT, "kind": {}},
    "a text without end": {**ABOUT, "kind": "x" * 10**5},
    "another kind": {**ABOUT, "kind": "conv"},
    "a number that is a text": {**ABOUT, "width": "3"},
    "a number that is true": {**ABOUT, "width": True},
    "a number too small": {**ABOUT, "width": 0},
    "a number too large": {**ABOUT, "width": 10**18},
    "a flag that is a number": {**ABOUT, "bias": 1},
    "a list of others": {**ABOUT, "hidden": [None]},
    "no provenance": {**ABOUT, "provenance": None},
    "another network": {**ABOUT, "width": 4},
}
TENSORS: dict[str, dict[str, Any]] = {
    "a tensor too few": {"bias": None},
    "a tensor too many": {"other": torch.zeros(1)},
    "another shape": {"bias": torch.zeros(3)},
    "another rank": {"bias": torch.zeros(2, 1)},
    "whole numbers": {"bias": torch.zeros(2, dtype=torch.int64)},
    "doubles": {"bias": torch.zeros(2, dtype=torch.float64)},
    "no number": {"bias": torch.tensor([0.0, float("nan")])},
    "infinity": {"bias": torch.tensor([0.0, float("-inf")])},
}


def assert_refused(path: Path) -> None:
    with pytest.raises(InputError) as caught:
        weights.load(path, SCHEMA, build)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_descriptions_are_checked(name: str, tmp_path: Path) -> None:
    assert_refused(written(tmp_path / "w", DESCRIPTIONS[name]))


@pytest.mark.parametrize("name", TENSORS)
def test_tensors_are_checked(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "w", **TENSORS[name])
    assert_refused(path)
    [tensor] = TENSORS[name]
    with pytest.raises(InputError, match=f"the tensor '?{tensor}'? (is|has) "):
        weights.load(path, SCHEMA, build)


def with_header(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        (size,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8 : 8 + size])
        change(header)
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + content[8 + size :]

    return damage


def with_text(text: bytes) -> Callable[[bytes], bytes]:
    return lambda content: struct.pack("<Q", len(text)) + text


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda content: b"",
    "a few bytes": lambda content: content[:5],
    "half of the header": lambda content: content[:60],
    "half of the tensors": lambda content: content[:-9],
    "more at the end": lambda content: content + b"1234",
    "text": lambda content: b"weights\n" * 100,
    "a header without end": lambda content: b"\xff" * 8 + content[8:],
    "a header of many bytes": lambda content: struct.pack("<Q", 2**30) + content[8:],
    "a header that is no JSON": with_text(b"{" * 100),
    "a header of brackets": with_text(b'{"a":' + b"[" * 10**5 + b"]" * 10**5 + b"}"),
    "a header that is no table": with_text(b"[1, 2]"),
    "no metadata": with_header(lambda header: header.pop("__metadata__")),
    "metadata of others": with_header(lambda h: h.update(__metadata__={"format": "pt"})),
    "metadata that is no JSON": with_header(lambda h: h.update(__metadata__={"closedhand": "x"})),
    "metadata of brackets": with_header(
        lambda h: h.update(__metadata__={"closedhand": "[" * 10**5})
    ),
    "a tensor that is no table": with_header(lambda header: header.update(bias=3)),
    "a tensor of many numbers": with_header(lambda h: h["weight"].update(shape=[2**40, 2**40])),
    "a tensor beyond the end": with_header(
        lambda h: h["weight"].update(data_offsets=[0, 2**50])
    ),
    "tensors in one place": with_header(
        lambda h: h["bias"].update(data_offsets=h["weight"]["data_offsets"])
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / "w")
    path.write_bytes(DAMAGE[name](path.read_bytes()))
    assert_refused(path)


LONG = b"{" + b" " * 2**20 + b"}"


@pytest.mark.parametrize(
    "content",
    [b"", b"\2", struct.pack("<Q", 3) + b"{}", struct.pack("<Q", len(LONG)) + LONG],
    ids=len,
)
def test_a_file_that_is_cut_off_is_told(content: bytes, tmp_path: Path) -> None:
    """So is a header of more than a mebibyte."""
    path = tmp_path / "w"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is cut off"):
        weights.load(path, SCHEMA, build)


def test_checkpoints_with_tensors_come_back(tmp_path: Path) -> None:
    about = {"settings": {"seed": 1}, "seconds": 2.5, "history": [{"loss": 0.5}]}
    TORCH.write(tmp_path / "c", {"weight": torch.ones(2), "updates": 3}, about)
    state, found = TORCH.read(tmp_path / "c")
    assert found == about and state.keys() == {"weight", "updates"} and state["updates"] == 3
    assert state["weight"].tolist() == [1.0, 1.0]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path)
    assert_refused(tmp_path / "nothing")
    assert_refused(Path("/dev/zero"))
    os.mkfifo(tmp_path / "pipe")
    assert_refused(tmp_path / "pipe")


def test_a_file_beyond_the_limits_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "w")
    monkeypatch.setenv(LIMITS, "1e-6")
    assert_refused(path)
