"""Types of the records that kernels take: states, tables and options."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """Return the type of a record with these fields, each at a multiple of its size.

    A record is passed between kernels as one pointer; arrays would count references. Wide fields
    come first: without padding between them, equal records are equal bytes.

    Args:
        fields: Name, type and, for an array, shape of each field, as `numpy.dtype` takes them.
    """
    return np.dtype((np.record, np.dtype(list(fields), align=True)))
