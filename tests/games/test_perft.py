"""Perft tables of every game; see `perft`."""

import json

import pytest
from games.perft import (
    COUNTED_SLOWLY,
    GAMES,
    PATH,
    REFERENCES,
    perft,
    position,
    reference_of,
    slow_perft,
)

from closedhand import make_game

TABLES = json.loads(PATH.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_perft(name: str) -> None:
    game = make_game(GAMES[name][0], **GAMES[name][1])
    for deal, moves, numbers in TABLES[name]:
        state = position(game, deal, moves.split())
        assert [perft(game, state, 1 + i) for i in range(len(numbers))] == numbers


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
def test_a_slow_statement_of_the_rules_counts_the_same(name: str) -> None:
    game = make_game(GAMES[name][0], **GAMES[name][1])
    longest = 0
    for deal, moves, numbers in TABLES[name]:
        reference = reference_of(name, game, deal, moves.split())
        for i, number in enumerate(numbers):
            if i and sum(numbers[:i]) > COUNTED_SLOWLY:
                break
            assert slow_perft(reference, 1 + i) == number
            longest = max(longest, 1 + i)
    assert longest > 1
