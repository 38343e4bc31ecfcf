"""The table of a compact observation sizes, names and bounds its numbers."""

import numpy as np

from closedhand.core.features import Feature, FeatureTable, labels

TABLE = FeatureTable(
    Feature("hand", labels("ab", (1, 2)), "cards held"),
    Feature("bombs", ("",), "bombs played", most=9),
)
MORE = FeatureTable(Feature("bid", ("self", "next"), "bids", most=3, least=-1))


def test_a_table_names_and_bounds_its_numbers() -> None:
    both = TABLE + MORE
    names = ("hand a 1", "hand a 2", "hand b 1", "hand b 2", "bombs", "bid self", "bid next")
    assert both.names == names and len(both) == 7 and both.starts == (0, 4, 5)
    low, high = both.bounds
    assert low.tolist() == [0, 0, 0, 0, 0, -1, -1] and high.tolist() == [1, 1, 1, 1, 9, 3, 3]
    assert low.dtype == high.dtype == np.int8
    assert both == FeatureTable(*TABLE.features, *MORE.features) != TABLE
