"""Clocks that jump: time is measured by clocks that cannot be set, and a late one ends no work."""

import ast
import itertools
import time
from pathlib import Path

import numpy as np
import pytest

import closedhand
from closedhand import make_agent, make_game

HOME = Path(closedhand.__file__).parent
TIMES_OF_DAY = {
    "web/lobby.py",  # the time of a table's last change, which is shown
    "web/past_hands.py",  # the time of a hand, which is shown
    "web/runs.py",  # compared with the times of files, forwards and backwards
}


def test_only_what_shows_the_time_of_day_reads_the_clock_that_is_set() -> None:
    found = set()
    for path in HOME.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "time.time",
                "datetime.now",
            ):
                found.add(path.relative_to(HOME).as_posix())
    assert found == TIMES_OF_DAY


@pytest.mark.parametrize("agent", ["monte-carlo:1000ms", "search:1000ms", "ismcts:1000ms"])
def test_a_search_ends_if_the_clock_jumps_an_hour_at_every_look(
    agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a computer has slept: at least one simulation is done, and its action is legal."""
    game = make_game("leduc")
    state = game.deal(np.random.default_rng(2))
    player = make_agent(game, agent, 1)
    hours = itertools.count(step=3600.0)
    monkeypatch.setattr(time, "perf_counter", lambda: next(hours))
    monkeypatch.setattr(time, "monotonic", lambda: next(hours))
    assert player.act(game.view(state, int(state["player"]))) in game.legal(state)
