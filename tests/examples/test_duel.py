"""The example of patterns: the contract, payoffs by hand, and redeals against all that fit."""

import importlib
import itertools
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from closedhand.core.game import Game

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def game(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    made: Game = importlib.import_module("duel").make_game()
    return made


def after(game: Game, deal: str, cards: str) -> np.record:
    state = game.parse_deal(deal)
    for card in cards:
        game.play(state, int(card))
    return state


@pytest.mark.slow
def test_it_checks_itself() -> None:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "duel.py")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "duel keeps the contract\n"), done.stderr


def test_rounds_are_paid_as_they_end(game: Game) -> None:
    for cards, points in (("", 0), ("2", 0), ("21", 1), ("210", 1), ("2103", 0), ("210345", -1)):
        assert game.returns(after(game, "2103456789", cards)).tolist() == [points, -points]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("cards", ["2103", "21034", "2103456"])
def test_every_deck_that_fits_is_equally_likely(game: Game, player: int, cards: str) -> None:
    view = game.view(after(game, "2103456789", cards), player)
    unknown = np.flatnonzero(view.deck == -1)
    left = [card for card in range(10) if card not in view.deck]
    fitting = set()
    for order in itertools.permutations(left):
        deck = view.deck.copy()
        deck[unknown] = order
        text = "".join(map(str, deck))
        state = game.parse_deal(text)
        laid = [card for card in view.history[: view.moves].tolist() if card >= 0]
        try:
            for card in laid:
                assert card in game.legal(state)
                game.play(state, card)
        except AssertionError:
            continue
        hidden = game.legal(state) if len(laid) < view.moves else [-1]
        fitting |= {(text, int(card)) for card in hidden}
    rng, drawn = np.random.default_rng(1), Counter()
    for _ in range(20 * len(fitting)):
        full = game.redeal(view, player, rng)
        hidden = int(full.history[view.moves - 1]) if -1 in view.history[: view.moves] else -1
        drawn["".join(map(str, full.deck)), hidden] += 1
    assert set(drawn) <= fitting
    expected = sum(drawn.values()) / len(fitting)
    chi_square = sum((drawn[each] - expected) ** 2 / expected for each in fitting)
    # Its mean is len(fitting) - 1, its variance twice that.
    assert abs(chi_square - len(fitting)) < 6 * np.sqrt(2 * len(fitting))
