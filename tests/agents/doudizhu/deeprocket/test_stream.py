"""The stream of batches."""

import numpy as np
import pytest
from support_torch import QUIET

from closedhand.agents.doudizhu.deeprocket import pairs, recorded, stream

pytest.importorskip("pyarrow")

pytestmark = QUIET


def test_batches_depend_on_seed_and_step_only(games: recorded.Games) -> None:
    rows = pairs.index(games, "policy")
    stream_of = stream.Stream(games, "policy", rows, 64, 3, 0)
    in_epoch = len(rows) // 64
    from_start = stream_of.batches_of_rows(0)
    chosen = [next(from_start) for _ in range(in_epoch + 2)]
    resumed = stream_of.batches_of_rows(in_epoch + 1)
    assert (next(resumed) == chosen[-1]).all()
    epoch = np.concatenate(chosen[:in_epoch])
    assert len(np.unique(epoch, axis=0)) == 64 * in_epoch
    assert (chosen[in_epoch] != chosen[0]).any()
