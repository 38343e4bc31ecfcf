"""Spades: the contract, the scores, and determinisations against a count of all deals."""

from collections import Counter

import numpy as np
import pytest
from spades.game import UNKNOWN

from closedhand import Game, InputError, make_game
from closedhand.authoring import State
from closedhand.testing import check_game

GAME = make_game("spades", ranks=2)


def test_the_contract() -> None:
    check_game(GAME, games=8)


def play(game: Game, deal: str, actions: str) -> State:
    state = game.parse_deal(deal)
    for text in actions.split():
        game.play(state, game.parse(text, state))
    return state


DEAL = "AcKd;KcAd;AhKs;KhAs"


def test_who_follows_suit_and_who_wins() -> None:
    state = play(GAME, DEAL, "bid1 bid0 bid1 bid1 Ac")
    assert [GAME.text(action) for action in GAME.legal(state)] == ["Kc"]
    for text in ("Kc", "Ks"):
        GAME.play(state, GAME.parse(text))
    assert [GAME.text(action) for action in GAME.legal(state)] == ["Kh", "As"]
    GAME.play(state, GAME.parse("As"))
    assert state.player == 3 and state.tricks.tolist() == [0, 0, 0, 1]
    for text in ("Kh", "Kd", "Ad", "Ah"):
        GAME.play(state, GAME.parse(text))
    # Players 0 and 2 bid 2 and won 1; the others bid 1 and won 1.
    assert GAME.over(state) and GAME.returns(state).tolist() == [-30, 30, -30, 30]


def test_spades_are_not_led_before_one_was_played() -> None:
    state = play(GAME, "AcAs;KcAd;AhKs;KhKd", "bid0 bid0 bid0 bid0")
    assert [GAME.text(action) for action in GAME.legal(state)] == ["Ac"]
    with pytest.raises(InputError, match=r"\(As\) is not legal"):
        GAME.play(state, GAME.parse("As"))


def fitting(view: State, player: int) -> set[str]:
    """All deals in which the actions are legal and the player sees this view."""
    found: set[str] = set()
    for deal, _ in GAME.deals():
        try:
            for action in GAME.history(view):
                GAME.play(deal, int(action))
        except InputError:
            continue
        if GAME.key(deal, player) == view.tobytes():
            found.add(GAME.deal_text(deal))
    return found


def test_determinisations_are_all_fitting_deals_equally_often() -> None:
    rng = np.random.default_rng(1)
    shown = 0
    for _ in range(12):
        state = GAME.deal(rng)
        for _ in range(4 + int(rng.integers(1, 6))):
            GAME.play(state, GAME.sample(rng, state))
        player = int(rng.integers(4))
        view = GAME.view(state, player)
        deals = fitting(view, player)
        shown += bool(view.voids.any() and (view.holder[:8] == UNKNOWN).sum() > 2)
        number = 60 * len(deals)
        counts = Counter(GAME.deal_text(GAME.redeal(view, player, rng)) for _ in range(number))
        assert set(counts) == deals
        assert (
            sum((counts[deal] - 60) ** 2 / 60 for deal in deals)
            < len(deals) + 6 * (2 * len(deals)) ** 0.5 + 12
        )
    assert shown  # voids were shown where much was unknown
