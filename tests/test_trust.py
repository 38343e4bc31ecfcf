"""Files of others are data: reading one runs no code, and ends in a result or in one line."""

import ast
import base64
import contextlib
import io
import json
import os
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_pools import SMALL

import closedhand
from closedhand import InputError, make_agent, make_game
from closedhand.core import reading
from closedhand.core.agents import agent_names, traits_of
from closedhand.core.files import SHIPPED
from closedhand.core.registry import GAMES

PACKAGE = Path(closedhand.__file__).parent

# What can run code.

DANGEROUS = {
    "pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml", "runpy", "subprocess",
}  # fmt: skip
"""Modules that run code from a file, or programs."""
CALLS = {
    "eval": lambda call: isinstance(call.func, ast.Name),
    "exec": lambda call: isinstance(call.func, ast.Name),
    "compile": lambda call: isinstance(call.func, ast.Name),
    "system": lambda call: True,
    "popen": lambda call: True,
    "load": lambda call: (
        owner(call) in ("MaskablePPO", "PPO")
        or (owner(call) == "torch" and not has(call, "weights_only", True))
        or (owner(call) == "np" and not has(call, "allow_pickle", False))
    ),
    "load_from_checkpoint": lambda call: True,
}
"""Calls that run code from a file, or programs, by name, unless they are made in a safe form."""
REASONS = {
    ("testing/processes.py", "pickle"): "check_game reads what it or its process has pickled",
    ("testing/processes.py", "subprocess"): "check_game talks to a process that it has started",
    (
        "core/numba/cache.py",
        "pickle",
    ): "compiled kernels, from a folder in which only the user may write",
    ("core/workers.py", "pickle"): "jobs are pickled only to see whether they can be, never read",
    ("bridges/cluster.py", "pickle"): "arguments of jobs, which this program has pickled itself",
    ("web/preparation.py", "subprocess"): "kernels are compiled by a process of our own",
    ("core/numba/gpu/compiler.py", "subprocess"): "NVIDIA's assembler, from the extra `gpu`",
    ("bridges/botzone/players.py", "subprocess"): "a bot, by a command that the user has given",
}
"""Where this is done all the same, and why."""


def owner(call: ast.Call) -> str:
    """What a method is called on, if that is a plain name."""
    func = call.func
    return (
        func.value.id
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)
        else ""
    )


def has(call: ast.Call, key: str, value: bool) -> bool:
    """Whether a call has a constant keyword argument."""
    return any(
        each.arg == key and isinstance(each.value, ast.Constant) and each.value.value is value
        for each in call.keywords
    )


def dangerous(node: ast.AST) -> Iterator[str]:
    """The dangerous names that a statement or an expression uses."""
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names if each.name in DANGEROUS)
    if isinstance(node, ast.ImportFrom) and node.module in DANGEROUS:
        yield node.module
    if isinstance(node, ast.Call):
        func = node.func
        name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        if name in CALLS and CALLS[name](node):
            yield name


def test_code_is_run_only_where_there_is_a_reason() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in dangerous(node)
    }
    assert found == set(REASONS)


# Files that try to.


class Bomb:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.marker),)


def plain_pickle(bomb: Bomb) -> bytes:
    return pickle.dumps(bomb)


def object_arrays(bomb: Bomb) -> bytes:
    buffer = io.BytesIO()
    keys = ("weights", "probabilities", "about", "settings", "hands", "network", "front")
    np.savez(buffer, **{key: np.array([bomb], object) for key in keys})  # type: ignore[arg-type]
    return buffer.getvalue()


def of_torch(bomb: Bomb) -> bytes:
    torch = pytest.importorskip("torch")
    buffer = io.BytesIO()
    torch.save({"state_dict": bomb, "closedhand": bomb, "settings": bomb}, buffer)
    return buffer.getvalue()


def of_sb3(bomb: Bomb) -> bytes:
    """As `model.save` of Stable-Baselines3 writes it, with objects in every place."""
    packed = base64.b64encode(pickle.dumps(bomb)).decode()
    serialized = {":type:": "x", ":serialized:": packed}
    data = {"policy_class": serialized, "policy_kwargs": serialized, "num_timesteps": serialized}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("data", json.dumps(data))
        for name in ("policy.pth", "policy.optimizer.pth", "pytorch_variables.pth"):
            archive.writestr(name, of_torch(bomb))
    return buffer.getvalue()


def of_safetensors(bomb: Bomb) -> bytes:
    header = json.dumps({"__metadata__": {"closedhand": pickle.dumps(bomb, 0).decode("ascii")}})
    return struct.pack("<Q", len(header)) + header.encode() + pickle.dumps(bomb)


BOMBS = [plain_pickle, object_arrays, of_torch, of_sb3, of_safetensors]


def test_the_bombs_go_off(tmp_path: Path) -> None:
    """In careless hands; otherwise the tests below would prove nothing."""
    torch = pytest.importorskip("torch")
    sb3 = pytest.importorskip("sb3_contrib")
    careless: dict[Callable[[Bomb], bytes], Callable[[bytes], Any]] = {
        plain_pickle: pickle.loads,
        object_arrays: lambda content: np.load(io.BytesIO(content), allow_pickle=True)["weights"],
        of_torch: lambda content: torch.load(io.BytesIO(content), weights_only=False),
        of_sb3: lambda content: sb3.MaskablePPO.load(io.BytesIO(content)),
    }
    for number, (make, load) in enumerate(careless.items()):
        marker = tmp_path / str(number)
        with contextlib.suppress(Exception):
            load(make(Bomb(marker)))
        assert marker.exists(), make


READERS = {
    "arrays": "closedhand.core.reading:read_arrays",
    "json": "closedhand.core.reading:read_json",
    "records": "closedhand.core.records:read",
    "log": "closedhand.games.daihinmin.replaying:replay_log",
    "decks": "closedhand.games.doudizhu.douzero_decks:replay_decks",
    "results": "closedhand.arena.results:load_same",
    "strategy": "closedhand.solvers.strategy:load",
    "tables": "closedhand.agents.chinese_poker.separable:load",
    "weights": "closedhand.learning.policy_gradient:read_weights",
    "deals": "closedhand.agents.doudizhu.bidding.fitting:read",
    "checkpoint": "closedhand.learning.module_state:read_checkpoint",
    "network": "closedhand.agents.doudizhu.deeprocket.networks:load",
    "shard": "closedhand.agents.doudizhu.deeprocket.recorded:read_shard",
}
"""Everything that reads a file that a user names."""
MORE: dict[str, tuple[Any, ...]] = {
    "results": ({},), "weights": (3,), "network": ("policy",), "shard": (None,),
}  # fmt: skip
"""What readers take besides the path."""


@pytest.mark.parametrize("make", BOMBS)
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_runs_what_it_reads(
    reader: str, make: Callable[[Bomb], bytes], tmp_path: Path
) -> None:
    module, _, name = READERS[reader].partition(":")
    try:
        read = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        pytest.skip(f"needs {error.name}")
    path, marker = tmp_path / "file", tmp_path / "marker"
    path.write_bytes(make(Bomb(marker)))
    try:
        found = read(path, *MORE.get(reader, ()))
        if isinstance(found, Iterator):
            list(found)
    except InputError as error:
        assert "\n" not in str(error)
    assert not marker.exists()


def packed(members: dict[str, bytes]) -> bytes:
    """A zip, whose members are compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def zeros_of_torch() -> bytes:
    """A file of PyTorch with 4 MB of zeros, in a few KB."""
    torch = pytest.importorskip("torch")
    buffer = io.BytesIO()
    torch.save({"zeros": torch.zeros(10**6)}, buffer)
    with zipfile.ZipFile(buffer) as archive:
        return packed({name: archive.read(name) for name in archive.namelist()})


@pytest.mark.parametrize(
    ("reader", "make"),
    [
        ("closedhand.learning.module_state:read_checkpoint", zeros_of_torch),
        ("closedhand.agents.doudizhu.douzero:load", zeros_of_torch),
    ],
)
def test_files_of_torch_unpack_to_no_more_than_the_limit(
    reader: str, make: Callable[[], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _, name = reader.partition(":")
    read = getattr(import_module(module), name)
    path = tmp_path / "file"
    path.write_bytes(make())
    more = (0,) if name == "load" else ()
    monkeypatch.setenv(reading.LIMITS, "0.01")
    with pytest.raises(InputError, match="it unpacks to more than 2 MiB"):
        read(path, *more)


# Agents that are made from files.

FORMS = ("{agent}:{path}", "{agent}:{path}:greedy", "{agent}:net={path}:greedy",
         "{agent}:100:{path}")  # fmt: skip
"""Where agents have a path."""


@pytest.fixture
def small_pools(own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents that respond to a pool of hands, a million of them, have few."""
    monkeypatch.setattr("closedhand.agents.chinese_poker.agents.POOL_SIZE", SMALL)


needs_small_pools = pytest.mark.usefixtures("small_pools")


def agents_of(game: str, path: Path) -> list[str]:
    """All agents of a game, with a path wherever one may be."""
    return [form.format(agent=agent, path=path) for agent in agent_names(game) for form in FORMS]


def assert_one_line(game: str, agent: str) -> None:
    """An agent from this file is refused by a line, or the file is none of its own."""
    bound = make_game(game)
    for attempt in (traits_of, make_agent):
        try:
            attempt(bound, agent)
        except InputError as error:
            assert "\n" not in str(error), agent
            assert len(str(error)) < 1000 + 2 * len(agent), agent


def truncated(path: Path) -> Callable[[Path], None]:
    return lambda target: target.write_bytes(path.read_bytes()[:-100]) and None


BAD: dict[str, Callable[[Path], Any]] = {
    "missing": lambda path: None,
    "folder": lambda path: path.mkdir(),
    "empty": lambda path: path.touch(),
    "text": lambda path: path.write_text("hello\n" * 99),
    "pipe": os.mkfifo,
    "loop": lambda path: path.symlink_to(path),
    **{f"cut {each.name}": truncated(each) for each in sorted(SHIPPED.glob("*.[ns][pa]*"))},
    **{
        f"whole {each.name}": lambda path, each=each: path.write_bytes(each.read_bytes())
        for each in sorted(SHIPPED.glob("*.[ns][pa]*"))
    },
}


@pytest.mark.slow
@needs_small_pools
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", BAD)
def test_agents_say_what_is_wrong_with_a_file(name: str, game: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    BAD[name](path)
    for agent in agents_of(game, path):
        assert_one_line(game, agent)


@pytest.mark.slow
@needs_small_pools
@pytest.mark.parametrize("game", GAMES)
def test_agents_say_what_is_wrong_with_a_path(game: str) -> None:
    for path in ("x" * 5000, "a\0b", "/dev/zero", "/dev/null", "/proc/self/mem", "~", "é\udcff"):
        for agent in agents_of(game, Path(path)):
            assert_one_line(game, agent)


@pytest.mark.slow
@needs_small_pools
@pytest.mark.parametrize("make", BOMBS)
def test_no_agent_runs_what_is_in_its_file(make: Callable[[Bomb], bytes], tmp_path: Path) -> None:
    path, marker = tmp_path / "model.zip", tmp_path / "marker"
    path.write_bytes(make(Bomb(marker)))
    for game in GAMES:
        for agent in agents_of(game, path):
            assert_one_line(game, agent)
    assert not marker.exists()


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["policy-net", "learned"])
def test_weights_too_large_to_compute_with_are_one_line(agent: str, tmp_path: Path) -> None:
    """They are finite, but their products are not; an illegal action must not come of that."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    from support_learners import write_untrained

    from closedhand.agents.doudizhu.deeprocket import networks
    from closedhand.learning import networks as learned, weights

    game = make_game("doudizhu", substeps=True)
    if agent == "learned":
        write_untrained(tmp_path, game)
        network, about, _ = learned.load(tmp_path / "model.safetensors", game)
    else:
        network = networks.Network("policy")
        about = {**network.config, "provenance": {}}
    large = {
        name: torch.full_like(each, 3e38) * (-1) ** torch.arange(each.numel()).view(each.shape)
        for name, each in network.state_dict().items()
    }
    path = tmp_path / "large.safetensors"
    weights.save(path, large, about)
    player = make_agent(game, f"{agent}:{path}")
    state = game.deal(np.random.default_rng(1))
    with pytest.raises(InputError, match="weights so large"):
        player.act(game.view(state, int(state["player"])))
