import ctypes

import numpy as np
import pytest

from closedhand.core import cuda_driver
from closedhand.core.checks import InputError
from closedhand.core.cuda_driver import DeviceArray, DeviceRecord, Launch, load, words_of


def kinds(value):
    return [type(word) for word in words_of(value)]


def test_an_array_is_its_owners_sizes_data_shape_and_strides():
    words = list(words_of(DeviceArray(4096, (5, 3, 2), 8)))
    assert [word.value for word in words] == [None, None, 30, 8, 4096, 5, 3, 2, 48, 16, 8]
    assert len(list(words_of(DeviceArray(1, (7,), 1)))) == 7


def test_tuples_are_taken_apart():
    value = (True, 3, (2.5, DeviceRecord(64), ()), np.int32(7))
    assert kinds(value) == [
        ctypes.c_bool, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_int32
    ]  # fmt: skip
    assert [word.value for word in words_of(value)] == [1, 3, 2.5, 64, 7]


@pytest.mark.parametrize("value", ["text", 2**70, np.float16(1), 1j])
def test_others_are_refused(value):
    with pytest.raises(InputError, match=f"kernels on a GPU take no {type(value).__name__}"):
        list(words_of((value,)))


class Driver:
    """A driver that notes its calls, and fails if it is told to."""

    def __init__(self, code=0):
        self.code, self.calls = code, []

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append((name, arguments))
            return self.code

        call.argtypes = None
        setattr(self, name, call)
        return call

    def cuGetErrorString(self, code, text):
        text._obj.value = b"no such thing"


def test_a_launch_hands_over_its_arguments(monkeypatch):
    driver = Driver()
    monkeypatch.setattr(cuda_driver, "_library", lambda: driver)
    launch = Launch("kernel", (DeviceArray(8, (2,), 1), False, 5), 3, 64, 100)
    launch.point(0, 512)
    launch.set(1, True)
    launch(7)
    name, arguments = driver.calls[-1]
    assert name == "cuLaunchKernel" and arguments[:9] == ("kernel", 3, 1, 1, 64, 1, 1, 100, 7)
    pointers = arguments[9]
    assert len(pointers) == 7 + 1 + 1
    assert ctypes.c_int64.from_address(pointers[4]).value == 512
    assert ctypes.c_int8.from_address(pointers[7]).value == 1
    assert ctypes.c_int64.from_address(pointers[8]).value == 5


def test_what_the_driver_refuses_is_one_line(monkeypatch):
    monkeypatch.setattr(cuda_driver, "_library", lambda: Driver(209))
    with pytest.raises(InputError, match=r"refuses: no such thing \(error 209\)"):
        load(b"", "step")
    with pytest.raises(InputError, match="error 209"):
        Launch("kernel", (), 1, 1, 0)(0)


def test_no_driver_is_one_line(monkeypatch):
    monkeypatch.setattr(cuda_driver, "LIBRARY", "libnothing.so.9")
    cuda_driver._library.cache_clear()
    with pytest.raises(InputError, match=r"no NVIDIA driver: libnothing.so.9 was not found"):
        load(b"", "step")
    cuda_driver._library.cache_clear()
