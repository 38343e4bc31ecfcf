"""Compilation for a GPU by numba-cuda, plus what the contract needs and numba-cuda lacks.

The outcome is a cubin, machine code that `closedhand.core.cuda_driver` loads. No GPU is needed.

Arrays that a kernel makes (`np.empty`, `np.zeros`, `np.arange`) are on the stack of the thread, as
a device has no allocator. In a loop, an array of variable length takes more stack each time.
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false, reportPrivateUsage=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUntypedBaseClass=false
# pyright: reportAttributeAccessIssue=false
# numba-cuda is an extra, and has no types.

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numba.cuda.compiler
import numba.cuda.dispatcher

# The package that replaces Numba's own `numba.cuda`, which has other names than those below.
import numba_cuda  # pyright: ignore[reportUnusedImport] # noqa: F401
import numpy as np
from llvmlite import ir
from numba import cuda, types as core_types
from numba.cuda import cgutils, extending, types, ufuncs
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudadrv import nvvm
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.np import ufunc_db
from numba.cuda.typing.npydecl import parse_dtype, parse_shape
from numba.cuda.typing.templates import AbstractTemplate, signature

from closedhand.core.checks import InputError
from closedhand.core.cubins import Cubin
from closedhand.core.stream import random_of_stream


class _Made(AbstractTemplate):
    """The typing of a call that makes an array in a kernel: `function(shape, dtype)`."""

    prefer_literal = True
    default = types.float64

    def generic(self, args: Any, kws: Any) -> Any:
        shape = args[0]
        dtype = args[1] if len(args) > 1 else kws.get("dtype")
        axes = parse_shape(shape)
        kind = self.default if dtype is None else parse_dtype(dtype)
        if axes is None or kind is None:
            return None
        rest = () if dtype is None else (dtype,)
        return signature(types.Array(kind, axes, "C"), shape, *rest)


def _lengths(context: Any, builder: Any, kind: Any, shape: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the length of every axis of a shape, as a constant and as an LLVM value.

    `kind` is Numba's type of the shape, an integer or a tuple, and `shape` its LLVM value. The
    constant is None if the length is known only at run time.
    """
    kinds = [kind] if isinstance(kind, types.Integer) else list(kind)
    values = [shape] if isinstance(kind, types.Integer) else cgutils.unpack_tuple(builder, shape)
    for each, found in zip(kinds, values, strict=True):
        if isinstance(each, types.IntegerLiteral):
            yield each.literal_value, context.get_constant(types.intp, each.literal_value)
        else:
            yield None, context.cast(builder, found, each, types.intp)


def _make(context: Any, builder: Any, sig: Any, args: Any) -> tuple[Any, Any, Any]:
    """Allocate an array on the stack; return the array, its data and its number of items."""
    kind = sig.return_type
    lengths = list(_lengths(context, builder, sig.args[0], args[0]))
    item = context.get_data_type(kind.dtype)
    size = context.get_abi_sizeof(item)
    shape = [length for _, length in lengths]
    number = context.get_constant(types.intp, 1)
    for length in shape:
        number = builder.mul(number, length)
    constants = [constant for constant, _ in lengths]
    if None in constants:
        data = builder.alloca(item, number, name="made")
        data.align = 8
    else:
        kind_of_place = ir.ArrayType(item, int(np.prod(constants)))
        place = cgutils.alloca_once(builder, kind_of_place, name="made")
        place.align = 16
        data = builder.bitcast(place, item.as_pointer())
    strides, step = [], context.get_constant(types.intp, size)
    for length in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, length)
    array = context.make_array(kind)(context, builder)
    context.populate_array(
        array, data=data, shape=shape, strides=strides,
        itemsize=context.get_constant(types.intp, size), meminfo=None,
    )  # fmt: skip
    return array, data, number


def _filled(content: Callable[..., Any] | None) -> Callable[..., Any]:
    """Make the lowering to LLVM code of a call that makes an array.

    `content(context, builder, dtype, index)`, such as `_zero` or `_index`, builds the value of the
    item at the flat `index`; None leaves the items uninitialised.
    """

    def build(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array, data, number = _make(context, builder, sig, args)
        if content is not None:
            with cgutils.for_range(builder, number) as loop:
                value = content(context, builder, sig.return_type.dtype, loop.index)
                builder.store(value, builder.gep(data, [loop.index]))
        return array._getvalue()

    return build


def _zero(context: Any, builder: Any, kind: Any, index: Any) -> Any:
    return context.get_constant_null(kind)


def _index(context: Any, builder: Any, kind: Any, index: Any) -> Any:
    return context.cast(builder, index, types.intp, kind)


for _function, _content in ((np.empty, None), (np.zeros, _zero), (np.arange, _index)):
    _kind = types.int64 if _function is np.arange else types.float64
    _template = type(f"Made_{_function.__name__}", (_Made,), {"key": _function, "default": _kind})
    typing_registry.register(_template)
    typing_registry.register_global(_function, types.Function(_template))
    for _shape in (types.Integer, types.IntegerLiteral, types.BaseTuple):
        lowering_registry.lower(_function, _shape)(_filled(_content))
        lowering_registry.lower(_function, _shape, types.Any)(_filled(_content))

# numba-cuda implements `np.sign`, but leaves it out of its table of functions.
ufunc_db._lazy_init_db()
ufuncs.ufunc_db()[np.sign] = ufunc_db.get_ufunc_info(np.sign)


def _insertion_sort(array: Any) -> None:
    for i in range(1, len(array)):
        value = array[i]
        j = i - 1
        while j >= 0 and array[j] > value:
            array[j + 1] = array[j]
            j -= 1
        array[j + 1] = value


@lowering_registry.lower("array.sort", types.Array)
@lowering_registry.lower("array.sort", types.Array, types.StringLiteral)
def _sort(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    sig = sig.replace(args=sig.args[:1])
    return context.compile_internal(builder, _insertion_sort, sig, args[:1])


extending.overload_method(core_types.Array, "random", target="generic")(random_of_stream)


def compile_function(
    function: Callable[..., None], arguments: tuple[Any, ...], arch: str, name: str
) -> Cubin:
    """Compile the function of a thread to a cubin, or to PTX if `ptxas` is missing.

    Args:
        function: The function, such as one of `closedhand.core.numba.gpu.entries.ENTRIES`.
        arguments: Numba types or values of the arguments.
        arch: Architecture, such as `sm_90`.
        name: Symbol of the kernel in the code.

    Raises:
        InputError: `arch` is no architecture, or the code does not compile; the message says why.
    """
    ptx = ptx_of(function, arguments, arch, name)
    assembler = _find_ptxas()
    grows = "alloca." in ptx
    if assembler is None:
        return Cubin(name, ptx.encode() + b"\0", -1, -1, -1, grows)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "code.ptx"), Path(folder, "code.cubin")
        source.write_text(ptx)
        command = [assembler, "-v", f"-arch={arch}", "-O3", str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InputError(f"ptxas does not assemble {name}: {done.stderr.strip()[-300:]}")
        stack = max(map(int, re.findall(r"(\d+) bytes stack frame", done.stderr)), default=0)
        spills = sum(map(int, re.findall(r"(\d+) bytes spill stores", done.stderr)))
        registers = max(map(int, re.findall(r"Used (\d+) registers", done.stderr)), default=-1)
        return Cubin(name, target.read_bytes(), stack, spills, registers, grows)


def ptx_of(function: Callable[..., None], arguments: tuple[Any, ...], arch: str, name: str) -> str:
    """Compile a function of a thread to PTX; the rest is as for `compile_function`."""
    kinds = [
        each if isinstance(each, core_types.Type | types.Type) else numba.typeof(each)
        for each in arguments
    ]
    digits = re.fullmatch(r"sm_(\d+)(\d)", arch)
    if digits is None:
        raise InputError(f"no architecture {arch!r}: it is sm_ and a number, such as sm_90")
    # In place of a GPU, which may be missing: numba-cuda reads this attribute while it compiles.
    device = SimpleNamespace(compute_capability=tuple(map(int, digits.groups())))
    try:
        with (
            patch.object(numba.cuda.dispatcher, "get_current_device", lambda: device),
            patch.object(numba.cuda.compiler, "get_current_device", lambda: device),
            # No fused multiply-add: results must equal those of the CPU.
            patch.object(nvvm, "compile_ir", partial(nvvm.compile_ir, fma=False)),
        ):
            ptx, _ = cuda.compile(  # pyright: ignore[reportPrivateImportUsage]
                function, types.void(*kinds), device=False, abi="numba",
                cc=device.compute_capability, output="ptx",
            )  # fmt: skip
    except Exception as error:  # what the compiler raises is of many classes
        raise InputError(f"{name} does not compile for a GPU: {_reason(error)}") from error
    text = ptx.decode() if isinstance(ptx, bytes) else ptx
    symbol = re.search(r"\.entry\s+([^\s(]+)\(", text)  # the compiler's name of the kernel
    assert symbol
    return text.replace(symbol[1], name)


RULES = {
    "array.copy": "loops take the place of array.copy()",
    "NRT required": "arrays that a function makes have constant lengths, made by np.empty",
    "array_sum": "loops take the place of reductions of arrays",
    "misaligned": "fields of records are at multiples of their size",
}
"""Rules of the contract, each by a text in the compiler's message when code breaks the rule."""


def _reason(error: Exception) -> str:
    """Return one line of a compiler's message, and the rule of the contract that was broken."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    rule = next((rule for sign, rule in RULES.items() if sign in text), "")
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]
    signs = ("Unknown attribute", "Unsupported", "NRT", "No implementation", "not supported")
    line = next((each for each in lines if any(sign in each for sign in signs)), lines[0])
    places = re.findall(r'File "([^"]+)", line (\d+)', text)
    where = f" ({Path(places[-1][0]).name}, line {places[-1][1]})" if places else ""
    return f"{line[:200]}{where}" + (f"; {rule}" if rule else "")


def _find_ptxas() -> str | None:
    """Find NVIDIA's assembler in its Python packages or a toolkit; None if there is none."""
    places = [Path(entry) for entry in sys.path if entry]
    found = [path for place in places for path in place.glob("nvidia/*/bin/ptxas")]
    if found:
        return str(found[0])
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("ptxas") or shutil.which("ptxas", path=os.path.join(home, "bin"))
