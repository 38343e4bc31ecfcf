"""Sums of products, with the largest numbers that fit, and the bytes of words."""

import numpy as np
import pytest

from closedhand.core.numba.jit import kernel
from closedhand.core.numba.simd import LANES, dot, write_bytes


@kernel
def dots(table, row, number, out):
    """The sum of the products with each row of a table."""
    for i in range(len(table)):
        out[i] = dot(table[i], row, number)


@pytest.mark.parametrize("number", [0, LANES, 5 * LANES])
def test_sums_of_products(number: int) -> None:
    rng = np.random.default_rng(number)
    for largest in (30, 3000):
        table = rng.integers(-largest, largest, (7, 6 * LANES)).astype(np.int16)
        row = rng.integers(-largest, largest, 6 * LANES).astype(np.int16)
        out = np.empty(7, np.int64)
        dots(table, row, number, out)
        assert np.array_equal(out, table[:, :number].astype(int) @ row[:number].astype(int))
        assert [dot(each, row, number) for each in table] == out.tolist()


def test_the_largest_sums() -> None:
    """Two products of -32,768 with itself are just too many for int32."""
    out = np.empty(1, np.int64)
    row = np.zeros(2 * LANES, np.int16)
    for first, second, total in ((-32768, 32767, -32768 * 32767), (-32768, -32767, 32768 * 32767)):
        table = row.copy()[None]
        table[0, :2], row[:2] = first, second
        dots(table, row, 2 * LANES, out)
        assert out[0] == 2 * total


@kernel
def write(row, start, word):
    """Write a word into a row."""
    write_bytes(row, start, word)


@pytest.mark.parametrize("kind", [np.uint16, np.uint32, np.uint64])
def test_the_bytes_of_a_word(kind: type[np.unsignedinteger]) -> None:
    """They stand at any place of a row, and nothing beside them changes."""
    word = kind(0x8877665544332211 & np.iinfo(kind).max)
    for start in range(4):
        for write_word in write, write_bytes:
            row = np.full(12, -1, np.int8)
            write_word(row, start, word)
            expected = b"\xff" * start + int(word).to_bytes(word.nbytes, "little")
            assert row.tobytes() == expected.ljust(12, b"\xff")
