"""Fields that only some types of records have, in Python and in kernels.

`read` and `write` run in Python. For kernels, Numba calls `_read` and `_write` with the types of
the arguments, which say whether the record has the field, and compiles what they return.
"""

from collections.abc import Callable
from typing import Any

from closedhand.core.numba import linking


def reader(field: str, missing: Any) -> Callable[..., Any]:
    """Make a function of a record that returns a field, or `missing` if there is no such field.

    It works in Python and in kernels. A field that is a number is converted to the type of
    `missing`. For a field that is an array, the function has a second argument, the index.
    """
    kind = type(missing)

    def read(record: Any, *index: Any) -> Any:
        if field not in (record.dtype.names or ()):
            return missing
        return record[field][index[0]] if index else kind(record[field])

    @linking.overload(read)
    def _read(record, *index):  # pyright: ignore[reportUnusedFunction]
        if field not in record.fields:
            return lambda record, *index: missing
        if index:
            return lambda record, *index: record[field][index[0]]
        return lambda record, *index: kind(record[field])

    return read


def writer(field: str) -> Callable[..., None]:
    """Make a function of a record and a value that writes a field, if there is such a field.

    For a field that is an array, `given` is the index and the value, else the value alone.
    """

    def write(record: Any, *given: Any) -> None:
        if field in (record.dtype.names or ()):
            if len(given) == 1:
                record[field] = given[0]
            else:
                record[field][given[0]] = given[1]

    @linking.overload(write)
    def _write(record, *given):  # pyright: ignore[reportUnusedFunction]
        def whole(record, *given):
            record[field] = given[0]

        def part(record, *given):
            record[field][given[0]] = given[1]

        if field not in record.fields:
            return lambda record, *given: None
        return whole if len(given) == 1 else part

    return write
