"""A generator in an array draws what NumPy's own does."""

import numpy as np
import pytest

from closedhand.core.numba.jit import kernel
from closedhand.core.stream import Stream, draw, make_stream


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
