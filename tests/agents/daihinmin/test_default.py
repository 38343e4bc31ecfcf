"""The agent `default` against decisions of the sample client in transcripts of official matches."""

import numpy as np
import pytest
from support import DATA

from closedhand import InputError, make_agent, make_game
from closedhand.core import records
from closedhand.games.daihinmin.legality import can_play
from closedhand.games.daihinmin.plays import JOKER

ROUNDS = DATA / "uecda_rounds.jsonl"
"""Rounds with players `d…`, the sample client: joker runs that are illegal, revolutions, others."""


def decisions() -> tuple[np.ndarray, list[int], list[bool]]:
    """The views of the sample clients, what they submitted, and whether that was legal."""
    game = make_game("daihinmin")
    views, actions, legal = [], [], []
    for record in records.read(ROUNDS):
        assert record.deal is not None and record.agents is not None
        state = game.parse_deal(record.deal)
        for text in record.actions:
            player, action = int(state.player), game.parse(text)
            if record.agents[player].startswith("d"):
                views.append(game.view(state, player))
                actions.append(action)
                legal.append(bool(can_play(game.rules, state, action)))
            game.play(state, action)
        assert game.returns(state).tolist() == list(record.returns or ())
    return np.array(views, game.dtype), actions, legal


def test_every_decision_is_that_of_the_sample_client() -> None:
    views, actions, legal = decisions()
    chosen = make_agent("daihinmin", "default").act_batch(views)  # type: ignore[attr-defined]
    assert chosen.tolist() == actions
    assert legal.count(False) >= 10
    assert (views["leader"] < 0).sum() > 20
    assert (views["revolution"] == 1).sum() > 100


def test_what_the_rules_refuse_is_a_pass() -> None:
    views, actions, legal = decisions()
    game = make_game("daihinmin", illegal="error")
    chosen = make_agent(game, "default").act_batch(views)  # type: ignore[attr-defined]
    passing = game.parse("PASS")
    wanted = [action if fine else passing for action, fine in zip(actions, legal, strict=True)]
    assert chosen.tolist() == wanted


@pytest.mark.slow
def test_in_games_of_card_sets_it_chooses_the_same_cards() -> None:
    """What the sample client submits illegally stays a pass, though its cards may make a play."""
    views, actions, legal = decisions()
    game = make_game("daihinmin", actions="card_sets")
    chosen = make_agent(game, "default").act_batch(views)  # type: ignore[attr-defined]
    passing = game.parse("PASS")
    for action, cards, fine in zip(actions, chosen, legal, strict=True):
        assert cards == (game.rules.tables.set_of[action] if fine else passing)


def test_it_takes_no_argument() -> None:
    with pytest.raises(InputError, match="the agent default takes no argument"):
        make_agent("daihinmin", "default:fast")


def test_with_an_option_it_leads_its_weakest_card() -> None:
    """The paper about kou describes the client so; in all else it is the same."""
    game = make_game("daihinmin", rounds=20, classes="random")
    usual, single = make_agent(game, "default"), make_agent(game, "default[lead=single]")
    state, leads, others = game.deal(np.random.default_rng(4)), 0, 0
    while not game.over(state):
        view = game.view(state, int(state.player))
        action = single.act(view)
        if view.leader >= 0 and view.target < 0:
            cards = [card for card in game.legal(view) if 0 < game.rules.plays.length[card] < 2]
            ranks = [int(game.rules.plays.low[card]) for card in cards if card != JOKER]
            own = int(game.rules.plays.low[action])
            assert own == (max(ranks) if view.revolution else min(ranks)) if ranks else True
            leads += action != usual.act(view)
        else:
            assert action == usual.act(view)
            others += 1
        game.play(state, usual.act(view))
    assert leads > 20 and others > 200
