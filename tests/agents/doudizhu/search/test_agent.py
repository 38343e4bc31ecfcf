"""The searching agent."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from support_agents import games_of
from support_doudizhu import position

from closedhand import InputError, make_agent, make_game
from closedhand.core import duplicate
from closedhand.core.game import State
from closedhand.games.doudizhu.counts import DECK, pack, unpack
from closedhand.search import paired
from closedhand.search.particles import Particles

GAME = make_game("doudizhu")


@pytest.mark.slow
def test_search_weighs_its_particles(monkeypatch: pytest.MonkeyPatch) -> None:
    """With simulations as budget likelihoods are tempered up to the exponent 1."""
    drawn = []

    class Spied(Particles):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            drawn.append((len(self.states), self.exponent))

    monkeypatch.setattr(paired, "Particles", Spied)
    state = GAME.deal(np.random.default_rng(15))
    decompose_ = make_agent(GAME, "decompose")
    for _ in range(9):
        GAME.play(state, decompose_.act(GAME.view(state, int(state.player))))
    agent = make_agent(GAME, "search[worlds=64]:400", 1)
    while not drawn:
        GAME.play(state, agent.act(GAME.view(state, int(state.player))))
    assert all(exponent == 1.0 and number >= 64 for number, exponent in drawn)


def test_search_finds_what_only_looking_on_shows() -> None:
    """Nothing that is out beats an ace: it goes first, and the 4 ends the game."""
    game, view = position("4A;K;Q", player=0)
    agent = make_agent(game, "search:400", 1)
    view.played[1] = DECK - view.hands[0] - pack("KQ")
    view.left[:] = [2, 1, 1]
    assert game.text(agent.act(view)) == "A"


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"substeps": True}, {"bidding": True}, {"rules": "rlcard"}]
)
def test_search_plays_games_to_their_end(options: dict) -> None:
    game = make_game("doudizhu", **options)
    one_, two = (games_of(game, ["search:40"], 2, seed=9) for _ in range(2))
    assert (one_["history"] == two["history"]).all()
    assert all(game.over(state) for state in one_)


@pytest.mark.slow
def test_kickers_belong_to_the_play_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where many games are played side by side: no kicker is searched for anew."""
    game = make_game("doudizhu", substeps=True)
    agent = make_agent(game, "search[worlds=0]:16", 1)
    asked = Counter()
    decide = agent._decide

    def spy(view: State) -> int:
        asked[int(view["group"]) >= 0] += 1
        return decide(view)

    monkeypatch.setattr(agent, "_decide", spy)
    rng = np.random.default_rng(12)
    states = np.array([game.deal(rng) for _ in range(6)], game.dtype)
    duplicate.play_out(game, states, np.zeros((6, 3), int), [agent])
    assert asked[False] > 100 and asked[True] == 0


def test_the_public_cards_are_part_of_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("doudizhu", substeps=True)
    agent = make_agent(game, "search[worlds=0]:16", 1)
    decided = []

    def spy(view: State) -> int:
        decided.append(unpack(view["public"]))
        return int(game.flat.legal(view)[0])

    monkeypatch.setattr(agent, "_decide", spy)
    state = game.deal(np.random.default_rng(3))
    view = game.view(state, int(state.player))
    view.hands[view.player] = pack("3334567789TJQKKA2")
    for public in ("2SB", "447", "2SB"):
        view.public = pack(public)
        agent.act(view)
    assert decided == ["2SB", "447"]


@pytest.mark.parametrize("argument", ["soon", "10s", "0", "10:nowhere.npz"])
def test_budgets_and_weights_that_make_no_sense_are_refused(argument: str) -> None:
    with pytest.raises(InputError, match=r"search|cannot read"):
        make_agent(GAME, f"search:{argument}")
