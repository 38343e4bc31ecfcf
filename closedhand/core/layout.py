"""Types of the records that kernels take: states, tables and options."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """Make the dtype of a record; `fields`, as for `numpy.dtype`, lie at multiples of their sizes.

    List wide fields first: without padding, equal records have equal bytes. Between kernels a
    record is passed as one pointer, an array as seven numbers.
    """
    return np.dtype((np.record, np.dtype(list(fields), align=True)))
