"""The table of a compact observation sizes, names, bounds and documents its numbers."""

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


def test_its_documentation_tells_where_they_are() -> None:
    assert (TABLE + MORE).markdown().splitlines()[2:] == [
        "| 0-3 | `hand a 1` to `hand b 2` | 0 to 1 | cards held |",
        "| 4 | `bombs` | 0 to 9 | bombs played |",
        "| 5-6 | `bid self` to `bid next` | -1 to 3 | bids |",
    ]
