"""A generator in an array draws what NumPy's own does."""

import numpy as np
import pytest

from closedhand.core.numba.jit import kernel
from closedhand.core.stream import Stream, begin_streams, draw, make_stream, make_streams


@kernel
def fill(stream: Stream, out: np.ndarray) -> None:
    for i in range(len(out)):
        out[i] = draw(stream)


@pytest.mark.parametrize("seed", [0, 1, 7, 2**31 - 1, 2**64, 10**40, (3, 4)])
def test_a_stream_is_numpys_default_generator(seed: int) -> None:
    stream, rng, out = make_stream(seed), np.random.default_rng(seed), np.empty(2000)
    for _ in range(2):
        fill(stream, out)
        assert (out == rng.random(len(out))).all()
    assert draw(stream) == rng.random()


def test_a_stream_of_a_game_is_splitmix64() -> None:
    # The first numbers of the key 0, from the authors' program.
    first = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    streams = make_streams(2)
    assert [draw(streams[0]) for _ in first] == [(bits >> 11) / 2**53 for bits in first]
    assert streams.tolist() == [[0, 3], [0, 0]]


def test_a_stream_of_a_game_begins_with_a_key_of_its_seed() -> None:
    _, streams = begin_streams((1, 1, 2))
    assert streams[0].tolist() == streams[1].tolist() != streams[2].tolist()
    assert (streams[:, 0] != 0).all() and not streams[:, 1].any()
