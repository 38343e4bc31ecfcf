"""Load and launch compiled kernels by NVIDIA's driver, without Numba or a CUDA toolkit.

The CUDA context is that of the calling thread: PyTorch's, once PyTorch has used a GPU.
"""

import ctypes
import math
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.checks import InputError

LIBRARY = "libcuda.so.1"
STACK_LIMIT, SHARED_LIMIT = 0, 8
"""Numbers of `CU_LIMIT_STACK_SIZE` and `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`."""
NUMBERS = "?bBhHiIlLfd"
"""Letters of NumPy's types of the numbers that kernels take."""


class DeviceArray(NamedTuple):
    """A contiguous array in the memory of a device, in C order, by its address."""

    pointer: int
    shape: tuple[int, ...]
    itemsize: int


class DeviceRecord(NamedTuple):
    """A record in the memory of a device, by its address."""

    pointer: int


@cache
def _library() -> Any:
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        raise InputError(
            f"no NVIDIA driver: {LIBRARY} was not found; install the driver, or use device='cpu'"
        ) from None
    _check(library, library.cuInit(0))
    return library


def _check(library: Any, code: int) -> None:
    if code:
        text = ctypes.c_char_p()
        library.cuGetErrorString(code, ctypes.byref(text))
        reason = (text.value or b"unknown error").decode()
        raise InputError(f"the NVIDIA driver refuses: {reason} (error {code})")


def words_of(value: Any) -> Iterator[Any]:
    """Yield an argument as values of ctypes; refuse an argument that kernels do not take."""
    if isinstance(value, DeviceArray):
        # Numba's layout of arrays: two owners, number and size of items, data, shape and strides.
        strides = [*accumulate(value.shape[:0:-1], mul, initial=value.itemsize)]
        yield from (ctypes.c_void_p(), ctypes.c_void_p())
        yield from (ctypes.c_int64(math.prod(value.shape)), ctypes.c_int64(value.itemsize))
        yield ctypes.c_void_p(value.pointer)
        yield from map(ctypes.c_int64, (*value.shape, *reversed(strides)))
    elif isinstance(value, DeviceRecord):
        yield ctypes.c_void_p(value.pointer)
    elif isinstance(value, tuple):
        for part in value:  # pyright: ignore[reportUnknownVariableType]
            yield from words_of(part)
    elif np.isscalar(value) and np.asarray(value).dtype.char in NUMBERS:
        number = np.asarray(value)
        yield np.ctypeslib.as_ctypes_type(number.dtype)(number.item())
    else:
        raise InputError(f"kernels on a GPU take no {type(value).__name__}")


class Launch:
    """A kernel with its arguments, ready to be launched any number of times."""

    def __init__(
        self, function: Any, arguments: tuple[Any, ...], blocks: int, threads: int, shared: int
    ) -> None:
        """Prepare launches of a kernel from `load`; a block gets `shared` bytes of shared memory.

        Arrays and records among the arguments must outlive the launches.
        """
        self._function = function
        self._words = list(words_of(arguments))
        addresses = (ctypes.addressof(word) for word in self._words)
        self._pointers = (ctypes.c_void_p * len(self._words))(*addresses)
        self._shape = blocks, 1, 1, threads, 1, 1, shared
        sizes = (len(list(words_of(argument))) for argument in arguments)
        self._places = list(accumulate(sizes, initial=0))
        self._library = _library()
        self._launch = self._library.cuLaunchKernel
        self._launch.argtypes = (ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)

    def point(self, index: int, pointer: int) -> None:
        """Set the address of argument `index`, an array; its shape remains."""
        self._words[self._places[index] + 4].value = pointer  # 4 words precede it, see `words_of`

    def set(self, index: int, value: int | bool) -> None:
        """Set argument `index`, a number."""
        self._words[self._places[index]].value = value

    def __call__(self, stream: int) -> None:
        """Launch on a stream, by its handle; do not wait for the kernel to end."""
        code = self._launch(self._function, *self._shape, stream, self._pointers, None)
        _check(self._library, code)


def load(image: bytes, name: str, shared: int = 0, stack: int = 0) -> Any:
    """Load a kernel into the context of the calling thread.

    Args:
        image: A cubin, or PTX with a zero at its end.
        name: Symbol of the kernel in the image.
        shared: Maximum number of bytes of shared memory of a block.
        stack: Least stack of a thread in bytes, for code that does not state its need; else 0.

    Raises:
        InputError: There is no driver, or it refuses, for example code of another architecture.
    """
    library = _library()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _check(library, library.cuModuleLoadData(ctypes.byref(module), image))
    _check(library, library.cuModuleGetFunction(ctypes.byref(function), module, name.encode()))
    if shared:
        _check(library, library.cuFuncSetAttribute(function, SHARED_LIMIT, ctypes.c_int(shared)))
    if stack:
        held = ctypes.c_size_t()
        _check(library, library.cuCtxGetLimit(ctypes.byref(held), STACK_LIMIT))
        if held.value < stack:
            _check(library, library.cuCtxSetLimit(STACK_LIMIT, ctypes.c_size_t(stack)))
    return function
