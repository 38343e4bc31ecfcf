"""The rules of the Leduc family: deals, showdowns, options."""

from itertools import product

import numpy as np
import pytest
from support_leduc import UH, play, state_text

from closedhand import InputError, make_game


@pytest.mark.parametrize(
    ("options", "deal", "payoff"),
    [
        # Cards alone: the order of ranks, then that of suits.
        ({}, "SA;HA;SJ", 4),
        ({}, "HA;SK;SJ", 4),
        ({}, "HQ;SJ;SK", 4),
        ({}, "HQ;SQ;SK", -4),
        ({}, "SQ;SQ;SK", 0),
        # A pair beats the highest card.
        ({}, "HJ;SA;HJ", 4),
        ({}, "HJ;SA;SJ", 4),
        ({"pair": "card"}, "HJ;SA;SJ", -4),
        ({"pair": "card"}, "HJ;SA;HJ", 4),
        # Two pairs.
        ({}, "HQ;SQ;SQ", -4),
        ({}, "SQ;HQ;HQ", 4),
        ({}, "SQ;SQ;HQ", 0),
        ({"double_pair": "split"}, "HQ;SQ;SQ", 0),
        ({"pair": "card"}, "HQ;SQ;SQ", -4),
        ({"pair": "card"}, "HQ;SQ;HQ", 4),
        ({"pair": "card", "double_pair": "split"}, "HQ;SQ;HQ", 4),
    ],
)
def test_showdowns(options: dict[str, str], deal: str, payoff: int) -> None:
    game = make_game("uh_leduc", **options)
    state = play(game, deal, "raise call check check")
    returns = game.returns(state)
    assert returns.tolist() == [payoff, -payoff]
    assert payoff or not np.signbit(returns).any()


def test_standard_showdowns_and_raises() -> None:
    game = make_game("leduc")
    assert game.returns(play(game, "SK;HK;SQ", "raise call check check")).tolist() == [0, 0]
    assert game.returns(play(game, "SJ;HK;HJ", "raise call check check")).tolist() == [3, -3]
    highest = "check raise raise call check raise raise call"
    assert game.payoff_range == (-13, 13) and game.max_moves == len(highest.split())
    assert game.returns(play(game, "SQ;HK;HJ", highest)).tolist() == [-13, 13]
    assert state_text(game, play(game, "SQ;HK;HJ", "raise raise call raise")) == "(t2,9,5,HK,HJ)"


def test_cards_come_as_often_as_the_deck_holds_them() -> None:
    rng = np.random.default_rng(2)
    deals = np.array([UH.deal(rng).cards for _ in range(20_000)])
    copies = np.array([2, 2, 3, 3, 2, 2, 2, 2])
    for place in range(3):
        share = np.bincount(deals[:, place], minlength=8) / len(deals)
        assert abs(share - copies / 18).max() < 0.01
    assert (deals[:, 0] == deals[:, 1]).mean() == pytest.approx(24 / 306, abs=0.006)
    # With a queen 5 of the other 17 cards make a pair, with another card 3.
    paired = deals[:, 0] // 2 == deals[:, 2] // 2
    queen = deals[:, 0] // 2 == 1
    assert paired[queen].mean() == pytest.approx(5 / 17, abs=0.015)
    assert paired[~queen].mean() == pytest.approx(3 / 17, abs=0.01)


@pytest.mark.parametrize(("name", "kinds"), [("leduc", 6), ("uh_leduc", 8)])
def test_all_deals_have_their_probabilities(name: str, kinds: int) -> None:
    """Three cards drawn one after the other, each deal as it is before the first action."""
    game = make_game(name)
    copies = [1] * 6 if name == "leduc" else [2, 2, 3, 3, 2, 2, 2, 2]
    found = {}
    for state, probability in game.deals():
        assert state.tobytes() == game.parse_deal(game.deal_text(state)).tobytes()
        found[tuple(state.cards.tolist())] = probability
    expected = {}
    for cards in product(range(kinds), repeat=3):
        chance, left, size = 1.0, list(copies), sum(copies)
        for card in cards:
            chance *= left[card] / size
            left[card] -= 1
            size -= 1
        if chance > 0:
            expected[cards] = pytest.approx(chance)
    assert found == expected


@pytest.mark.slow
def test_redeals_are_as_likely_as_deals() -> None:
    """From a view of T in phase 1: the card of S and the flop, given his own."""
    state = play(UH, "SK;HQ;SA", "check")
    view = UH.view(state, 1)
    assert view.cards.tolist() == [-1, 2, -1]
    rng = np.random.default_rng(3)
    worlds = np.array([UH.redeal(view, 1, rng).cards for _ in range(20_000)])
    assert (worlds[:, 1] == 2).all()
    left = np.array([2, 2, 2, 3, 2, 2, 2, 2])
    for place in (0, 2):
        assert abs(np.bincount(worlds[:, place], minlength=8) / 20_000 - left / 17).max() < 0.01
    both = (worlds[:, 0] == 2) & (worlds[:, 2] == 2)
    assert both.mean() == pytest.approx(2 / (17 * 16), abs=0.003)


def test_a_state_has_no_more_cards_than_the_deck() -> None:
    state = UH.parse_deal("SK;SK;HQ")
    assert UH.valid(state) == ""
    state.cards[2] = state.cards[0]
    assert "does not hold 3 cards" in UH.valid(state)
    view = UH.view(play(UH, "SK;HQ;SK", "raise call"), 0)
    assert UH.valid(view, 0) == ""
    standard = make_game("leduc")
    view = standard.view(play(standard, "SK;HQ;HK", "raise call"), 0)
    view.cards[2] = view.cards[0]
    assert "does not hold 2 cards" in standard.valid(view, 0)


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        ("SK;HQ", "three cards"),
        ("SK;HQ;XX", "'XX' is not a card"),
        ("SK;SK;SK", "does not hold 3 cards SK"),
    ],
)
def test_bad_deals_are_refused(deal: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        UH.parse_deal(deal)
    with pytest.raises(InputError, match="is not a card"):
        make_game("leduc").parse_deal("SK;HQ;SA")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("uh_leduc", {"pair": "suit"}, "pair is rank or card"),
        ("uh_leduc", {"double_pair": "rank"}, "double_pair is suit or split"),
        ("leduc", {"pair": "card"}, "option of uh_leduc"),
        ("leduc", {"rules": "texas"}, "rules is uh or standard, not 'texas'"),
        ("leduc", {"rules": "uh"}, "those of uh_leduc, not leduc"),
        ("uh_leduc", {"pair": ["rank"]}, r"pair is rank or card, not \['rank'\]"),
        ("uh_leduc", {"pairs": "card"}, "^uh_leduc has no option 'pairs'"),
        ("uh-leduc", {"pair": "suit"}, "^uh_leduc: pair is rank or card"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    name: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make_game(name, **options)


def test_the_name_may_be_that_of_the_commands() -> None:
    assert make_game("uh-leduc", pair="card") is make_game("uh_leduc", pair="card")
    with pytest.raises(InputError, match="no game 'uh-leduk'; there are"):
        make_game("uh-leduk")
