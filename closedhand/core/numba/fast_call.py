"""Fast calls of kernels from Python, for every step of a single game.

Two things in a call take longer than a step of most games: Numba looks up the compiled code by the
types of all arguments, and finds the type of a record by describing all its fields. So states, and
records in rules and policies, are passed as arrays without axes (`pack`, `unpack`), and the
compiled code is looked up once (`entry`, `Crossing`).
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
# The classes of Numba's types have no annotations.

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import config, extending, types

from closedhand.core.numba.private import Dispatcher, imputils

Value = TypeVar("Value")


def pack(value: Value) -> Value:
    """Replace the records in rules or a policy by arrays without axes over the same memory."""

    def closed(part: Any) -> Any:
        # `asarray` shares the memory of a record, and would copy any other scalar.
        return np.asarray(part) if isinstance(part, np.record) else part

    return with_parts(value, closed)


def _unpack(value: Value) -> Value:
    """Restore a packed value, without the compiler; another value stays as it is."""

    def opened(part: Any) -> Any:
        is_packed = isinstance(part, np.ndarray) and part.ndim == 0 and part.dtype.fields
        return part[()] if is_packed else part

    return with_parts(value, opened)


def with_parts(value: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a function to a value or, if it is a tuple, to its members, also in inner tuples."""
    if not isinstance(value, tuple):
        return change(value)
    parts = (with_parts(part, change) for part in cast(tuple[Any, ...], value))
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def _in_kernels(kind_of: Callable[[Any], Any], build: Callable[..., Any]) -> Any:
    """Make a function for kernels that does `with_parts` with one change, and copies no records.

    `kind_of` maps a member's Numba type to its type after the change; `build` makes its new value.
    """

    def changed_kind(kind: Any) -> Any:
        if not isinstance(kind, types.BaseTuple):
            return kind_of(kind)
        parts = tuple(map(changed_kind, cast(Any, kind).types))
        return types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))

    def changed(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        if not isinstance(kind, types.BaseTuple):
            return build(context, builder, kind, value)
        parts = [
            changed(context, builder, part, builder.extract_value(value, i))
            for i, part in enumerate(cast(Any, kind).types)
        ]
        return context.make_tuple(builder, changed_kind(kind), parts)

    def compiled(typing: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            found = changed(context, builder, signature.args[0], arguments[0])
            return imputils.impl_ret_borrowed(context, builder, signature.return_type, found)

        return changed_kind(value)(value), generate

    return extending.intrinsic(compiled)


def _opened_kind(kind: Any) -> Any:
    """Return the Numba type of a member after `unpack`."""
    is_array = isinstance(kind, types.Array) and kind.ndim == 0
    return kind.dtype if is_array and isinstance(kind.dtype, types.Record) else kind


def _opened(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Build the record of a packed member: a pointer to the array's data."""
    opened = _opened_kind(kind)
    if opened is kind:
        return value
    array = context.make_array(kind)(context, builder, value)
    return builder.bitcast(array.data, context.get_value_type(opened))


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Build an array that counts no references."""
    if not isinstance(kind, types.Array):
        return value
    array = context.make_array(kind)(context, builder, value)
    for owner in "meminfo", "parent":
        setattr(array, owner, getattr(array, owner).type(None))
    return array._getvalue()


def _same(value: Value) -> Value:
    return value


PLAIN: bool = bool(config.DISABLE_JIT)  # pyright: ignore[reportAttributeAccessIssue]
"""Whether kernels are plain functions, under `NUMBA_DISABLE_JIT`."""

unpack: Callable[[Any], Any] = _unpack if PLAIN else _in_kernels(_opened_kind, _opened)
"""Restore a value from `pack`, in kernels; another value stays as it is."""

borrowed: Callable[[Any], Any] = _same if PLAIN else _in_kernels(_same, _without_owner)
"""Return arrays, or tuples of them, without their owners, for the loops of a kernel.

Taking a row of an array counts a reference to its owner, and a few such counts take longer than
the step of a small game. The arrays must be arguments of the kernel: its caller keeps the owners.
"""


def entry(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return the compiled code of a kernel for the types of some arguments.

    Call the code with arguments of exactly these types, by position: nothing checks them.
    """
    if not isinstance(kernel, Dispatcher):
        return kernel
    return cast(Any, kernel).compile(tuple(map(numba.typeof, arguments)))


class Crossing:
    """Fast calls of kernels for single states of a game; the kernels `unpack` their arguments."""

    def __init__(self, rules: Any, dtype: np.dtype[Any]) -> None:
        self._rules = pack(rules)
        self._dtype = dtype
        self._codes: dict[Callable[..., Any], Callable[..., Any]] = {}

    def __call__(self, kernel: Callable[..., Any], state: np.record, *arguments: Any) -> Any:
        """Call a kernel, which may change `state`; `arguments` have the types of its first call."""
        if PLAIN:
            return kernel(self._rules, state, *arguments)
        code = self._codes.get(kernel)
        if code is None:
            blank = np.zeros((), self._dtype)
            code = self._codes[kernel] = entry(kernel, self._rules, blank, *arguments)
        # An array over the memory of the state; `asarray` would copy an unpickled record. The array
        # is marked read-only, which compiled code does not check.
        return code(self._rules, np.ndarray((), self._dtype, state), *arguments)
