"""Statistics of all searches on Leduc, in fixed positions on fixed seeds: they stay what they were.

Leduc is small enough for this to take seconds in plain Python too. Run as a program, this file
records what the searches find now.
"""

import json
from collections.abc import Iterator
from math import log
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import DATA

from closedhand import Game, make_game
from closedhand.core import contract
from closedhand.core.game import State
from closedhand.search import MonteCarlo, PairedSearch, Uniform, paired, particles, solve, uniform

FILE = DATA / "search_statistics.json"
STEEPNESS = log(0.5)


class Doubtful(NamedTuple):
    """Plays at random, and finds low cards of the other player likelier."""

    kernels = __name__


choose = uniform.choose


def log_likelihood(policy, rules, state, player, least, rng, ids):
    """Half as likely for every card that is higher, and a guess."""
    return STEEPNESS * state.cards[1 - player], int(state.cards[1 - player]) % 2


def propose(policy, rules, state, player, rng):
    """A new deal."""
    contract.hide(rules, state, player)
    contract.redeal(rules, state, player, rng)


def positions(game: Game) -> Iterator[State]:
    """States of a few games, those in which there is something to choose."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        state = game.deal(rng)
        while not game.over(state):
            if len(game.legal(state)) > 1:
                yield state.copy()
            game.play(state, game.sample(rng, state))


def statistics(name: str) -> dict[str, Any]:
    """What every search finds in the positions of a game, by its name and settings."""
    game = make_game(name)
    found: dict[str, Any] = {}

    def note(what: str, value: Any) -> None:
        found.setdefault(what, []).append(np.asarray(value).tolist())

    for state in positions(game):
        player = int(state.player)
        view = game.view(state, player)
        legal = game.legal(view)
        for threads in (1, 2):
            search = MonteCarlo(game, Uniform(), simulations=64 * threads, threads=threads)
            label = f"monte carlo, {threads} threads"
            note(label, search.judge(view, np.random.default_rng(5)))
            note(f"{label}: choice", search.best(view, np.random.default_rng(6)))
        for policy, number in ((Uniform(), 0), (Uniform(), 20), (Doubtful(), 24)):
            search = PairedSearch(game, policy, simulations=64, particles=number, threads=1)
            label = f"paired, {type(policy).__qualname__}, {number} particles"
            note(label, search.judge(view, legal, np.random.default_rng(7)))
            note(f"{label}: choice", search.best(view, legal, np.random.default_rng(8)))
        for least in (-2.0, 0.5, 3.0):
            for friends in (1 << player, 2 >> player):
                states, ids = game.empty(20), np.zeros((20, game.num_actions), np.int32)
                states[0] = state
                value = solve(Uniform(), game.rules, states, ids, player, friends, least, 500)
                note(f"exact, {least}", value)
    return found


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernel is compiled for the policy of this file."""
    for module, name in (
        (particles, "deal_particles"), (particles, "move_particles"), (paired, "evaluate_all")
    ):  # fmt: skip
        function = getattr(module, name)
        monkeypatch.setattr(module, name, getattr(function, "py_func", function))


@pytest.mark.slow
@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("name", ["uh_leduc", "leduc"])
def test_statistics_stay_the_same(name: str) -> None:
    recorded = json.loads(FILE.read_text())[name]
    found = statistics(name)
    assert found.keys() == recorded.keys()
    for what, values in recorded.items():
        assert len(found[what]) == len(values)
        for new, old in zip(found[what], values, strict=True):
            assert np.allclose(new, old, rtol=1e-9, atol=1e-9), what


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: statistics(name) for name in ("uh_leduc", "leduc")}) + "\n")
