"""Types of the records that kernels take: states, tables and options."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """Return the type of a record with some fields of `numpy.dtype`, at multiples of their sizes.

    A record is passed between kernels as one pointer, an array as seven numbers. Wide fields
    come first: without padding between them, equal records are equal bytes.
    """
    return np.dtype((np.record, np.dtype(list(fields), align=True)))
