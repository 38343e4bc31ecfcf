"""Tables of compact observations, with the name, bounds and meaning of every number.

A game states its table in `features.py`, beside the kernel that writes the numbers::

    FEATURES = FeatureTable(
        Feature("hand", RANKS, "number of cards of the rank in the observer's hand", most=4),
        Feature("turn", SEATS, "who is to act"),
    )
    HAND, TURN = FEATURES.starts
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def labels(*axes: Sequence[object]) -> list[str]:
    """List the labels of all combinations, the last axis fastest: `a 1`, `a 2`, `b 1`, `b 2`."""
    return [" ".join(map(str, place)) for place in product(*axes)]


class Feature(NamedTuple):
    """A group of numbers with one meaning, one for each label, such as a rank or a seat.

    Attributes:
        name: Name of the group.
        labels: Name of the thing that each number describes, such as a rank or a seat.
        about: Meaning of the numbers.
        most: Largest value of a number.
        least: Smallest value of a number.
    """

    name: str
    labels: Sequence[str]
    about: str
    most: int = 1
    least: int = 0

    @property
    def names(self) -> list[str]:
        """The names of the numbers: the name of the group, then the label."""
        return [f"{self.name} {label}".strip() for label in self.labels]


@dataclass(frozen=True, init=False)
class FeatureTable:
    """All numbers of a compact observation, int8, in order."""

    features: tuple[Feature, ...]

    def __init__(self, *features: Feature) -> None:
        object.__setattr__(self, "features", features)

    def __add__(self, other: "FeatureTable") -> "FeatureTable":
        return FeatureTable(*self.features, *other.features)

    def __len__(self) -> int:
        return sum(len(feature.labels) for feature in self.features)

    @property
    def starts(self) -> tuple[int, ...]:
        """Index of the first number of each group."""
        sizes = [len(feature.labels) for feature in self.features]
        return tuple(accumulate(sizes, initial=0))[:-1]

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every number, in order."""
        return tuple(name for feature in self.features for name in feature.names)

    @property
    def bounds(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """The smallest and the largest value of every number, int8 [n] each."""
        low = [feature.least for feature in self.features for _ in feature.labels]
        high = [feature.most for feature in self.features for _ in feature.labels]
        return np.array(low, np.int8), np.array(high, np.int8)
