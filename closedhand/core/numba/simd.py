"""Dot products of int16 rows, and bytes of unsigned integers, by few instructions in kernels.

The compiler alone would take one instruction for eight products, and one to write each byte. Under
`NUMBA_DISABLE_JIT` the plain functions are used. Results are the same on every machine.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportMissingTypeStubs=false
# llvmlite, which builds the code, has no types.

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from closedhand.core.numba.linking import overload
from closedhand.core.numba.private import cgutils, make_array

LANES = 16
"""Number of products that `dot` computes at a time in kernels."""
_HALF = LANES // 2


@intrinsic
def _dot(typing: Any, left: Any, right: Any, number: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Build the LLVM code of `dot`, which multiplies `LANES` entries of the rows at a time."""
        whole, wide, sums = (
            ir.VectorType(ir.IntType(bits), lanes)
            for bits, lanes in ((16, LANES), (32, LANES), (32, _HALF))
        )
        undefined = ir.Constant(wide, ir.Undefined)
        evens, odds = (
            ir.Constant(sums, [2 * lane + odd for lane in range(_HALF)]) for odd in (0, 1)
        )
        starts = [
            make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
        ]
        total = cgutils.alloca_once_value(builder, ir.Constant(sums, [0] * _HALF))
        zero, step = (context.get_constant(types.intp, each) for each in (0, LANES))
        with cgutils.for_range_slice(builder, zero, arguments[2], step) as (i, _):
            numbers = []
            for start in starts:
                place = builder.bitcast(builder.gep(start, [i]), whole.as_pointer())
                numbers.append(builder.sext(builder.load(place, align=2), wide))
            # LLVM makes one instruction of products of int16 that are added in neighbouring pairs.
            products = builder.mul(*numbers)
            pairs = builder.add(
                builder.shuffle_vector(products, undefined, evens),
                builder.shuffle_vector(products, undefined, odds),
            )
            builder.store(builder.add(builder.load(total), pairs), total)
        name = f"llvm.vector.reduce.add.v{_HALF}i32"
        reduce = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.IntType(32), [sums]), name
        )
        return builder.call(reduce, [builder.load(total)])

    return types.int32(left, right, types.intp), build


def dot(left: Any, right: Any, number: Any) -> Any:
    """Compute the dot product of the first `number` entries of two contiguous rows, int16.

    `number` is a multiple of `LANES`. The sum must fit in int32.
    """
    return left[:number].astype(np.int64) @ right[:number].astype(np.int64)


@overload(dot)
def _dot_rows(left: Any, right: Any, number: Any) -> Any:
    row = types.Array(types.int16, 1, "C")
    if left != row or right != row:
        return None

    def in_kernel(left: Any, right: Any, number: Any) -> Any:
        return np.int64(_dot(left, right, number))  # pyright: ignore

    return in_kernel


@intrinsic
def _write(typing: Any, row: Any, start: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.gep(data, [arguments[1]])
        word = arguments[2]
        builder.store(word, builder.bitcast(place, word.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(row, types.uint64, word), build


def write_bytes(row: Any, start: Any, word: Any) -> None:
    """Write the bytes of a word into a contiguous row, int8, the lowest byte first.

    The word is an unsigned integer of 16, 32 or 64 bits; `start` is the index of the first byte.
    """
    written = word.astype(word.dtype.newbyteorder("<")).tobytes()
    row[start : start + len(written)] = np.frombuffer(written, np.int8)


@overload(write_bytes)
def _write_bytes(row: Any, start: Any, word: Any) -> Any:
    if row != types.Array(types.int8, 1, "C") or not isinstance(word, types.Integer):
        return None

    def in_kernel(row: Any, start: Any, word: Any) -> None:
        _write(row, np.uint64(start), word)  # pyright: ignore

    return in_kernel
