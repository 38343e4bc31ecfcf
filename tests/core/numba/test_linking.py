"""Kernels that kernels call: linked as parts, with nothing lost of what a function can do."""

import gc
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.runtime import _nrt_python, rtsys
from support import run_program

from closedhand.core.numba.jit import kernel
from closedhand.core.numba.linking import overload


def fresh(function: Any) -> Any:
    """A kernel that every run of the tests compiles."""
    whole: Any = kernel(function)
    if whole is not function:
        whole._cache = whole.part._cache = NullCache()
    return whole


COMPILED = pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="not compiled")

SOURCE = """
from closedhand.core.numba.jit import kernel


@kernel
def part(values, k):
    if k < 0:
        raise ValueError("no value", k)
    if k == 7:
        print("seven is", values[0], k)
    return values[k % len(values)]


@kernel
def whole(values, k):
    return part(values, k) + part(values, 1)


@kernel
def another(values, k):
    return 10 * part(values, k)


@kernel
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


@kernel
def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@kernel
def scaled(values, by=2):
    return values[0] * by


@kernel
def calls(values):
    return scaled(values) + scaled(values, 3) + scaled(values, by=4) + scaled(values, len(values))
"""

PROGRAM = """
import numpy as np
from numba.core import event
import library

compiled = event.RecordingListener()
event.register("numba:compile", compiled)
print(library.{name}(np.ones(3), 7), flush=True)
try:
    library.{name}(np.ones(3), -5)
except ValueError as error:
    print(error.args)
functions = [e.data["dispatcher"].py_func for _, e in compiled.buffer if e.is_start]
print([function.__name__ for function in functions if function.__module__ == "library"])
"""


@kernel
def factorial(n: Any) -> Any:
    """A kernel that calls itself."""
    return 1 if n < 2 else n * factorial(n - 1)


@kernel
def is_even(n: Any) -> Any:
    """One of two that call one another."""
    if n == 0:
        return True
    return is_odd(n - 1)


@kernel
def is_odd(n: Any) -> Any:
    """The other."""
    if n == 0:
        return False
    return is_even(n - 1)


@kernel
def choose(n: Any, k: Any) -> Any:
    """A caller of a kernel that calls itself."""
    return factorial(n) // factorial(k) // factorial(n - k)


@kernel
def parities(n: Any) -> Any:
    """A caller of two that call one another."""
    return is_even(n), is_odd(n)


def test_kernels_call_themselves_and_one_another():
    assert factorial(5) == 120
    assert choose(10, 3) == 120
    assert parities(10) == (True, False)
    assert parities(11) == (False, True)
    assert is_odd(7)


@kernel
def steps_to_zero(n: Any) -> Any:
    """A kernel that calls itself with a narrow integer."""
    return 0 if n < 1 else 1 + steps_to_zero(np.int32(n - 1))


@kernel
def steps_of(n: Any) -> Any:
    """A caller of it."""
    return steps_to_zero(n)


def test_a_kernel_calls_itself_with_a_narrow_integer():
    assert steps_of(5) == 5


def test_numbas_own_functions_call_kernels_and_are_called():
    @numba.njit
    def plain(values):
        return factorial(values[0])

    @kernel
    def outer(values):
        return plain(values) + 1

    assert outer(np.array([5])) == 121
    assert plain(np.array([4])) == 24


def test_threads_may_be_the_first_to_call():
    @kernel
    def inner(k):
        return k + 1

    @kernel
    def outer(k):
        return inner(k) * 2

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(outer, range(8))) == [2 * (k + 1) for k in range(8)]


def test_a_kernel_can_be_pickled():
    assert pickle.loads(pickle.dumps(choose))(6, 2) == 15


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that finds `library`, and keeps what it compiles."""
    (tmp_path / "library.py").write_text(SOURCE)
    return {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}


def printed(program: str, places: dict[str, str]) -> list[str]:
    """The lines that a program prints."""
    result = run_program(program, **places)
    assert not result.returncode, result.stderr
    return result.stdout.splitlines()


@COMPILED
def test_a_part_is_cached_and_prints_and_raises_from_the_cache_too(places: dict[str, str]):
    def run(name: str) -> list[str]:
        return printed(PROGRAM.replace("{name}", name), places)

    assert run("whole") == ["seven is 1.0 7", "2.0", "('no value', -5)", "['whole', 'part']"]
    assert run("whole") == ["seven is 1.0 7", "2.0", "('no value', -5)", "[]"]
    assert run("another") == ["seven is 1.0 7", "10.0", "('no value', -5)", "['another']"]
    assert run("part") == ["seven is 1.0 7", "1.0", "('no value', -5)", "['part']"]


@COMPILED
def test_functions_that_call_one_another_run_in_each_new_process(places: dict[str, str]):
    for _ in range(2):
        assert printed("import library; print(library.is_odd(7))", places) == ["True"]


@COMPILED
def test_a_part_is_compiled_for_types_and_only_for_calls_in_kernels(places: dict[str, str]):
    program = """
import numpy as np
import library

def compiled(function):
    return len(function.signatures)

print(library.calls(np.ones(2)), compiled(library.scaled), compiled(library.scaled.part))
print(library.scaled(np.ones(2), 5), compiled(library.scaled))
"""
    # One part for two constants and a number, one for the default.
    assert printed(program, places) == ["11.0 0 2", "5.0 1"]


@COMPILED
@pytest.mark.parametrize("collects", [True, False])
def test_a_compilation_leaves_the_collector_of_garbage_as_it_was(collects: bool) -> None:
    @kernel
    def adds(number: int) -> int:
        return number + 1

    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        assert adds(1) == 2 and gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()


@COMPILED
def test_ctrl_c_during_a_compilation_acts_after_it() -> None:
    """By the handler that there is, which stays."""

    def stub() -> int:
        return 0

    @overload(stub)
    def _stub() -> Any:
        # Numba asks for it while it compiles.
        signal.raise_signal(signal.SIGINT)
        return lambda: 3

    @fresh
    def waits() -> int:
        return stub()

    seen: list[bool] = []
    before = signal.signal(
        signal.SIGINT, lambda number, frame: seen.append(bool(waits.nopython_signatures))
    )
    try:
        assert waits() == 3
        assert seen == [True]
    finally:
        signal.signal(signal.SIGINT, before)


@COMPILED
def test_ctrl_c_during_a_compilation_is_an_interruption() -> None:
    def stub() -> int:
        return 0

    @overload(stub)
    def _stub() -> Any:
        signal.raise_signal(signal.SIGINT)
        return lambda: 5

    @fresh
    def waits() -> int:
        return stub()

    with pytest.raises(KeyboardInterrupt):
        waits()
    assert waits() == 5


@fresh
def add_one(values, k):
    values[k] += 1
    return values[k]


@fresh
def shift(values):
    values[1:] = values[:-1]  # allocates a copy, as the two overlap
    return values[-1]


@fresh
def last_of(values, order):
    return values[order][-1]  # allocates, which no type says


@fresh
def largest_square(values):
    return (values * values).max()


@fresh
def tail(values):
    return values[1:]


@fresh
def halves(values):
    middle = len(values) // 2
    return values[:middle], values[middle:]


@fresh
def in_order(values):
    total = 0
    for k in range(len(values)):
        total += add_one(values, k)
    total += 1000 * shift(values)
    total += 100_000 * largest_square(values) + 10_000_000 * last_of(values, values[::-1])
    left, right = halves(tail(values))
    return total, left, right


@COMPILED
def test_a_part_that_only_borrows_counts_no_references() -> None:
    in_order(np.arange(5))

    def counts(function: Any) -> bool:
        (compiled,) = function.part.overloads.values()
        return "NRT_incref" in compiled.library.get_llvm_str()

    assert not counts(add_one)
    assert all(map(counts, (shift, last_of, largest_square, tail, halves)))


@pytest.fixture
def counted() -> Iterator[None]:
    """Numba counts what it allocates and frees."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@COMPILED
@pytest.mark.usefixtures("counted")
def test_references_to_arrays_are_kept_and_given_back() -> None:
    values = np.arange(5)
    in_order(values)
    before, held = rtsys.get_allocation_stats(), sys.getrefcount(values)
    for number in range(100):
        values[:] = 0, 1, 2, 3, 4
        total, left, right = in_order(values)
        assert total == 15 + 1000 * 4 + 100_000 * 16 + 10_000_000, number
        assert (left.tolist(), right.tolist()) == ([1, 2], [3, 4])
        assert np.shares_memory(left, values) and np.shares_memory(right, values)
    del left, right
    after = rtsys.get_allocation_stats()
    assert sys.getrefcount(values) == held
    assert after.alloc - before.alloc == after.free - before.free
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free
