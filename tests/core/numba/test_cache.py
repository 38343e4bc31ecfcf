"""Compiled kernels are served from disk as long as no source of theirs has changed, and then not.

Programs run in processes of their own, with a game and a policy from outside that the tests edit.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest
from support import run_program

import closedhand
from closedhand.core.numba import cache

GAME = '''
"""Both players hold a card and say in turn whether they keep it, which changes nothing."""

from typing import NamedTuple

import numpy as np

from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from outside.payoffs import value

STATE = np.dtype(
    (np.record, [("cards", "i8", 2), ("history", "i8", 2), ("moves", "i8"), ("player", "i8")])
)


class Rules(NamedTuple):
    kernels = "outside"

    cards: int


@kernel
def deal(rules, state, seed):
    state.cards[0] = seed % rules.cards
    state.cards[1] = rules.cards - 1 - state.cards[0]
    state.moves = 0
    state.player = 0


@kernel
def legal(rules, state, out):
    out[0], out[1] = 0, 1
    return 2


@kernel
def play(rules, state, action):
    state.history[state.moves] = action
    state.moves += 1
    state.player = 1 - state.player


@kernel
def over(rules, state):
    return state.moves == 2


@kernel
def returns(rules, state, out):
    out[0] = value(state)
    out[1] = -out[0]


@kernel
def hide(rules, state, player):
    state.cards[1 - player] = -1


@kernel
def redeal(rules, view, player, rng):
    view.cards[1 - player] = rules.cards - 1 - view.cards[player]


@kernel
def observe(rules, state, player, out):
    out[0] = state.cards[player]


class Notation:
    def text(self, action, state=None):
        return str(action)

    def parse(self, text, state=None):
        return int(text)

    def deal_text(self, state):
        return str(state.cards[0])

    def parse_deal(self, text):
        state = np.zeros(1, STATE)[0]
        state.cards[:] = int(text), 3 - int(text)
        return state

    def scene(self, state):
        return []


def make_game() -> Game:
    return Game(
        name="outside", options={}, rules=Rules(4), dtype=STATE, num_players=2, num_actions=2,
        shapes={"observation": (1,)}, roles=("first", "second"), sides=(0, 1),
        notation=Notation(), payoff_range=(-9.0, 9.0), max_moves=2,
    )
'''

PAYOFFS = """
from closedhand.core.numba.jit import kernel


@kernel
def value(state):
    return 1.0 if state.cards[0] > state.cards[1] else {lost}
"""

POLICY = """
from typing import NamedTuple

from closedhand.core.numba.jit import kernel


class Optimist(NamedTuple):
    kernels = "policy"


@kernel
def choose(policy, rules, state, rng, ids):
    return 0


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    return {weight}, 0
"""

PROGRAM = """
import json
import numpy as np
from numba.core import event
import outside
from policy import Optimist
from closedhand.arena import match
from closedhand.agents.random import RandomAgent
from closedhand.envs.aec import GameAEC
from closedhand.envs.vector import GameVectorEnv
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.particles import log_likelihood
from closedhand.search.playout import Uniform
from closedhand.core.numba.jit import kernel


@kernel
def judge(policy, rules, state, rng, ids):
    return log_likelihood(policy, rules, state, 0, -np.inf, rng, ids)[0]


compiled = event.RecordingListener()
event.register("numba:compile", compiled)
game = outside.make_game()
state = game.deal(np.random.default_rng(0))
state.cards[:] = 1, 2
rng, ids = np.random.default_rng(0), np.empty(2, np.int32)
results = {"policy": judge(Optimist(), game.rules, state, rng, ids)}

view = game.view(state, 0)
search = MonteCarlo(game, Uniform(), simulations=20, threads=1)
sums = search.judge(view, np.random.default_rng(0), -10.0, 10.0)
results["search"] = round(20 * sums[:, 1].sum() / sums[:, 0].sum() - 10, 9)

aec = GameAEC(game)
aec.reset(seed=0, options={"state": state})
vector = GameVectorEnv(game, 2, reward="seats")
vector.reset(seed=0, options={"state": state})
for _ in range(2):
    aec.step(0)
    infos = vector.step(np.zeros(2, np.int64))[-1]
    game.play(state, 0)
results["game"] = game.returns(state)[0]
results["aec"] = aec.rewards["player_0"]
results["vector"] = infos["returns"][0, 0]

agents = [RandomAgent(game, seed) for seed in (1, 2)]
results["match"] = match.play(game, agents, 20, seed=3).pairs[0].returns[..., 0].min()
functions = [e.data["dispatcher"].py_func for _, e in compiled.buffer if e.is_start]
names = [f"{f.__module__.partition('.')[0]}.{f.__name__}" for f in functions]
print(json.dumps([{name: float(value) for name, value in results.items()}, names]))
"""

ROUTES = ("game", "aec", "vector", "search", "match")


def write(path: Path, text: str) -> None:
    """Write a source whose time differs from that of what it replaces, whatever the clock does."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def run(folder: Path, program: list[str]) -> Any:
    """What a program printed as JSON, in a new process that finds the sources in `folder`."""
    places = {
        "PYTHONPATH": str(folder),
        "PYTHONSAFEPATH": "1",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, *program], capture_output=True, text=True, env={**os.environ, **places}
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_an_edited_rule_or_policy_of_another_package_counts_on_every_route(tmp_path: Path) -> None:
    write(tmp_path / "outside" / "__init__.py", GAME)
    write(tmp_path / "outside" / "payoffs.py", PAYOFFS.format(lost=-1.0))
    write(tmp_path / "policy.py", POLICY.format(weight=0.5))
    write(tmp_path / "program.py", PROGRAM)
    program = [str(tmp_path / "program.py")]

    first, compiled = run(tmp_path, program)
    assert first == {"policy": 0.5, **dict.fromkeys(ROUTES, -1.0)}
    assert {"outside.returns", "closedhand.returns_all"} <= set(compiled)
    files = sorted(path.name for path in (tmp_path / "cache").rglob("*"))

    # Nothing has changed: nothing is compiled.
    assert run(tmp_path, program) == [first, []]

    write(tmp_path / "outside" / "payoffs.py", PAYOFFS.format(lost=-3.0))
    second, compiled = run(tmp_path, program)
    assert second == {"policy": 0.5, **dict.fromkeys(ROUTES, -3.0)}
    assert "closedhand.draw_seed" not in compiled

    # Of the same length as before.
    write(tmp_path / "policy.py", POLICY.format(weight=0.7))
    third, compiled = run(tmp_path, program)
    assert third == {**second, "policy": 0.7}
    # `judge` calls the policy with nothing compiled between the two.
    assert set(compiled) == {"policy.log_likelihood", "__main__.judge"}

    # What was compiled for older sources is replaced.
    assert sorted(path.name for path in (tmp_path / "cache").rglob("*")) == files


HELPER = """
from closedhand.core.numba.jit import kernel


@kernel
def number():
    return {number}
"""

USER = """
import sys
from typing import NamedTuple

from closedhand.core.numba.jit import kernel
import helper
from other_helper import number


class Own(NamedTuple):
    number: int


@kernel
def total(one):
    return helper.number() + 10 * number() + one.number


def result():
    stats = total(Own(100)), sum(total.stats.cache_hits.values())
    return [int(number) for number in stats]
"""


def ask(folder: Path) -> Any:
    """The result of the module `user`, and how often it came from the cache."""
    return run(folder, ["-c", "import json, user; print(json.dumps(user.result()))"])


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Any]]:
    """`ask` without a new process: the modules are imported as if for the first time."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))

    def forget() -> None:
        for name in ("helper", "other_helper", "user"):
            sys.modules.pop(name, None)
            cache.SOURCES._files.pop(name, None)

    def ask() -> Any:
        forget()
        return import_module("user").result()

    write(tmp_path / "helper.py", HELPER.format(number=1))
    write(tmp_path / "other_helper.py", HELPER.format(number=2))
    write(tmp_path / "user.py", USER)
    yield ask
    forget()


@pytest.mark.slow
def test_files_beside_a_module_count_where_it_imports_their_kernels(
    tmp_path: Path, asked: Callable[[], Any]
) -> None:
    write(tmp_path / "unrelated.py", "")
    assert asked() == [121, 0]
    write(tmp_path / "unrelated.py", "pass")
    assert asked() == [121, 1]
    write(tmp_path / "helper.py", HELPER.format(number=3))
    assert asked() == [123, 0]
    write(tmp_path / "other_helper.py", HELPER.format(number=4))
    assert asked() == [143, 0]
    assert asked() == [143, 1] == ask(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("used", "edited", "reloaded", "now", "later"),
    [
        (True, "helper", ("helper", "user"), 125, 125),
        # `user` keeps the older function.
        (False, "other_helper", ("other_helper",), 121, 151),
    ],
)
def test_what_is_compiled_after_a_reload_is_not_stored(
    used: bool, edited: str, reloaded: tuple[str, ...], now: int, later: int, tmp_path: Path
) -> None:
    """Before it a kernel may have been `used`."""
    write(tmp_path / "helper.py", HELPER.format(number=1))
    write(tmp_path / "other_helper.py", HELPER.format(number=2))
    write(tmp_path / "user.py", USER)
    (tmp_path / "edit.py").write_text(
        f"""
import importlib, json, os, sys
from pathlib import Path
import user
if {used}:
    user.result()
path = Path(sys.modules[{edited!r}].__file__)
path.write_text({HELPER.format(number=5)!r})
os.utime(path, ns=(2 * 10**9, 2 * 10**9))
for name in {reloaded}:
    importlib.reload(sys.modules[name])
print(json.dumps(user.result()))
"""
    )
    assert run(tmp_path, [str(tmp_path / "edit.py")]) == [now, 0]
    assert [ask(tmp_path), ask(tmp_path)] == [[later, 0], [later, 1]]


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an imported package, `pack`, with two modules."""
    folder = tmp_path / "pack"
    for name in ("__init__", "one", "two"):
        write(folder / f"{name}.py", "")
    package = ModuleType("pack")
    package.__path__ = [str(folder)]
    monkeypatch.setitem(sys.modules, "pack", package)
    return folder


@pytest.mark.parametrize("edited", [None, "one", "two"])
def test_a_package_is_cached_after_a_reload_only_if_it_has_not_changed(
    pack: Path, monkeypatch: pytest.MonkeyPatch, edited: str | None
) -> None:
    """Modules that were not reloaded may be older than their files."""
    one, sources = ModuleType("pack.one"), cache.Sources()
    monkeypatch.setitem(sys.modules, "pack.one", one)
    for edit in (None, edited):
        one.__spec__ = ModuleSpec("pack.one", None)
        if edit:
            write(pack / f"{edit}.py", "")
        sources.note("pack.one")
    assert len(sources.files("pack")) == (0 if edited else 3)


def test_a_link_to_nothing_hides_no_other_file(pack: Path) -> None:
    """Such as the lock of an editor."""
    (pack / ".#one.py").symlink_to("somebody@somewhere")
    files = cache.Sources().files("pack")
    assert sorted(Path(path).name for path in files) == ["__init__.py", "one.py", "two.py"]


@pytest.mark.slow
def test_what_cannot_be_compared_is_not_cached(tmp_path: Path) -> None:
    """Functions typed at a prompt, and what is compiled for classes that have no module."""
    (tmp_path / "given.py").write_text(
        """
from closedhand.core.numba.jit import kernel

@kernel
def first(one):
    return one[0]
"""
    )
    (tmp_path / "script.py").write_text(
        """
import json
from typing import NamedTuple
from closedhand.core.numba.jit import kernel
from given import first

class Typed(NamedTuple):
    number: int

def local():
    class Local(NamedTuple):
        number: int
    return Local

typed = {"__name__": "__main__"}
exec(compile("def double(x): return 2 * x", "<prompt>", "exec"), typed)
double = kernel(typed["double"])
results = [double(4), first(Typed(1)), first(local()(2)), first((3,))]
hits = [sum(f.stats.cache_hits.values()) for f in (double, first)]
print(json.dumps([results, hits]))
"""
    )
    script = [str(tmp_path / "script.py")]
    assert run(tmp_path, script) == [[8, 1, 2, 3], [0, 0]]
    files = sorted((tmp_path / "cache").rglob("*"))
    # Only what was compiled for a plain tuple is found again.
    assert run(tmp_path, script) == [[8, 1, 2, 3], [0, 1]]
    assert sorted((tmp_path / "cache").rglob("*")) == files


def test_the_files_that_count_are_all_that_a_module_imports() -> None:
    """Python's own parser finds no import of this package that the stamps of kernels miss."""
    folder = Path(closedhand.__file__).parent
    for path in folder.rglob("*.py"):
        found = set(map(cache._path, cache._imports(path.read_text())))
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"a relative import in {path}"
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            ours = {cache._path(name) for name in names if name.partition(".")[0] == "closedhand"}
            assert {file for file in ours if Path(file).exists()} <= found, path
    counting = cache.SOURCES.closure(["closedhand.games.leduc.game"])
    own = {path.relative_to(folder).as_posix() for path in map(Path, counting)}
    assert {"core/contract.py", "games/leduc/rules.py", "games/leduc/planes.py"} <= own
    assert not any(name.startswith(("arena", "cli", "envs", "games/doudizhu")) for name in own)


COUNT = """
import json, warnings
import numpy as np
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import closedhand
    from closedhand.games.leduc.rules import over
    game = closedhand.make_game("leduc")
    done = over(game.rules, np.zeros(1, game.dtype)[0])
texts = [str(warning.message) for warning in caught]
print(json.dumps([bool(done), sum(over.stats.cache_hits.values()), closedhand.__file__, texts]))
"""


def copy_package(folder: Path) -> Path:
    """A copy of this package, without compiled code."""
    source = Path(closedhand.__file__).parent
    ignore = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(source, folder / "closedhand", ignore=ignore))


@pytest.mark.slow
def test_an_edit_of_this_package_counts_where_it_is_imported(tmp_path: Path) -> None:
    package = copy_package(tmp_path)

    def hits() -> int:
        done, hits, place, texts = run(tmp_path, ["-c", COUNT])
        assert (done, place, texts) == (False, str(package / "__init__.py"), [])
        return hits

    assert [hits(), hits()] == [0, 1]
    for name, expected in (("cli/play.py", 1), ("games/leduc/plays.py", 0)):
        path = package / name
        write(path, path.read_text() + "\n")
        assert hits() == expected, name
    assert hits() == 1


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "flipped", "replaced", "empty"])
def test_a_damaged_cache_is_mended(tmp_path: Path, asked: Callable[[], Any], damage: str) -> None:
    assert [asked(), asked()] == [[121, 0], [121, 1]]
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for path in files:
        data = path.read_bytes()
        flipped = bytes([data[len(data) // 2] ^ 1])
        damaged = {
            "cut": data[: len(data) // 2],
            "flipped": data[: len(data) // 2] + flipped + data[len(data) // 2 + 1 :],
            "replaced": b"\x80\x05garbage",
            "empty": b"",
        }[damage]
        path.write_bytes(damaged)
    assert [asked(), asked()] == [[121, 0], [121, 1]]


def test_of_two_processes_that_save_at_a_time_neither_gets_the_code_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both choose the same file: one writes the index last, the other the file."""
    first, second = (cache._Index(str(tmp_path), "over", b"stamp") for _ in range(2))
    write_file = first._save_data

    def wait_for_second(name: str, data: Any) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(second, "_load_index", dict)  # as before the first one wrote it
            second.save("five", 5)
        write_file(name, data)

    with monkeypatch.context() as patch:
        patch.setattr(first, "_save_data", wait_for_second)
        first.save("three", 3)
    later = cache._Index(str(tmp_path), "over", b"stamp")
    assert len(list(tmp_path.glob("*.nbc"))) == 1
    assert (later.load("three"), later.load("five")) == (None, None)
    later.save("five", 5)
    later.save("three", 3)
    assert (first.load("three"), first.load("five")) == (3, 5)


def test_code_of_older_sources_counts_as_missing(tmp_path: Path) -> None:
    """A process that still runs the older sources may write the file last."""
    older, newer = (cache._Index(str(tmp_path), "over", stamp) for stamp in (b"old", b"new"))
    older.save("key", 1)
    newer.save("key", 2)
    older._save_data("over.1.nbc", (b"old", "key", 1))
    assert newer.load("key") is None
    newer.save("key", 2)
    assert newer.load("key") == 2


@pytest.mark.slow
def test_without_a_writable_folder_every_process_compiles_its_own(tmp_path: Path) -> None:
    """As in a container: the installation is read-only, and the user has no home."""
    package = copy_package(tmp_path)
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("no folder")
    nowhere = {"HOME": os.devnull, "XDG_CACHE_HOME": os.devnull, "NUMBA_CACHE_DIR": ""}
    done = run_program(COUNT, PYTHONPATH=str(tmp_path), PYTHONSAFEPATH="1", **nowhere)
    assert done.returncode == 0, done.stderr
    over, hits, place, texts = json.loads(done.stdout)
    assert (over, hits, place) == (False, 0, str(package / "__init__.py"))
    assert len(texts) == 1 and "NUMBA_CACHE_DIR" in texts[0]
    assert "in every process" in done.stderr


@pytest.mark.slow
def test_a_cache_may_know_policies_of_other_programs(tmp_path: Path) -> None:
    """Numba's index names the classes of all arguments that a kernel was ever compiled for."""
    (tmp_path / "mine.py").write_text(
        """
from typing import NamedTuple
from closedhand.search.uniform import choose
class Mine(NamedTuple):
    kernels = "mine"
"""
    )
    program = """
import numpy as np
from {module} import {policy}
from closedhand import make_game
from closedhand.search.playout import playout
game = make_game("uh_leduc")
state = game.deal(np.random.default_rng(1))
ids = np.empty(game.num_actions, np.int32)
print(playout({policy}(), game.rules, state, 0, np.random.default_rng(2), ids))
"""
    own = program.format(module="mine", policy="Mine")
    ours = program.format(module="closedhand.search.playout", policy="Uniform")
    cache = str(tmp_path / "cache")
    first = run_program(own, NUMBA_CACHE_DIR=cache, PYTHONPATH=str(tmp_path))
    assert first.returncode == 0, first.stderr
    second = run_program(ours, NUMBA_CACHE_DIR=cache)
    assert (second.returncode, second.stdout) == (0, first.stdout), second.stderr


MODULELESS = """
import numba
from closedhand.core.numba.jit import kernel
typed = {}
exec("def anonymous(x): return x + 1", typed)
anonymous = numba.njit(typed["anonymous"])

@kernel
def outer(x):
    return 2 * anonymous(x)

def result():
    return [int(outer(1)), sum(outer.stats.cache_hits.values())]
"""


@pytest.mark.slow
def test_a_kernel_that_may_call_a_function_without_a_module_is_not_cached(tmp_path: Path) -> None:
    """No file says whether such a function has changed."""
    write(tmp_path / "user.py", MODULELESS)
    assert [ask(tmp_path), ask(tmp_path)] == [[4, 0], [4, 0]]
