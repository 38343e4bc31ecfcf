"""Fixtures that several test files share; their helper functions are in support.py."""

import pytest
from support import (
    VARIANTS,
    assert_alike_without_compiler as assert_alike_without_compiler,
    positions as positions,
    sum_of_returns as sum_of_returns,
    variant_id,
)

from closedhand import Game, make_game


@pytest.fixture(params=VARIANTS, ids=variant_id)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game under every preset, flat and sub-stepped, with and without its options."""
    name, options = request.param
    return make_game(name, **options)
