"""Daihinmin: what players see, and the deals that are drawn for what they do not."""

import re
from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from support import positions
from support_daihinmin import EXCHANGE, TEXTS, keep_only, redealt, wild

from closedhand import make_game
from closedhand.core.game import State
from closedhand.games.daihinmin.exchange import TAXES, is_complete, loser, winner
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.plays import DIAMOND_THREE, PASS, RANKS, SUITS, cards_in
from closedhand.games.daihinmin.state import HIDDEN


def plain_planes(state: State, player: int) -> np.ndarray:
    """The table of `planes.py`, plane by plane, from the texts of cards and plays."""
    out = np.zeros((41, 5, 15), np.int8)

    def draw(plane: int, cards: Any) -> None:
        for card in cards_in(cards):
            cell = (4, 14) if card == "*" else (SUITS.index(card[1]), 1 + RANKS.index(card[0]))
            out[plane][cell] = 1

    draw(0, state.hands[player])
    draw(3, 2**53 - 1 & ~int(state.played.sum()) & ~int(state.hands[player]))
    seats = state.seats.tolist() * 2
    start = seats.index(player)
    for i, other in enumerate(seats[start : start + 5]):
        draw(4 + i, state.played[other])
        draw(11 + i, state.trick[other])
        out[16 + i].flat[: state.left[other]] = 1
        out[21 + i] = state.places[other] >= 0 or state.passed >> other & 1
        if state.classes[other] >= 0:
            out[26 + i, state.classes[other]] = 1
        out[34 + i] = state.leader >= 0 and other == state.owner
    text = TEXTS[state.target] if state.target >= 0 else ""
    for i, (rank, suit, star) in enumerate(re.findall(r"(\w)(\w)(\*?)", text)):
        column = (14 if i else 0) if rank == "_" else 1 + RANKS.index(rank)
        out[1, SUITS.index(suit), column] = 1
        out[2, SUITS.index(suit), column] = star == "*"
    if text == "*" or "+" in text:
        out[1:3, 4, 14 if text == "*" else 1 + RANKS.index(text[0])] = 1
    out[31] = state.lock > 0
    for suit in range(4):
        out[32, suit] = state.lock >> suit & 1
    out[33], out[39], out[40] = state.revolution, state.leader >= 0 > state.target, state.leader < 0
    for pair in range(2 if state.classes[0] >= 0 else 0):
        if player == winner(state, pair):
            draw(9, state.returned[pair])
        if player == loser(state, pair):
            draw(9, state.taxed[pair])
            draw(10, state.returned[pair] if is_complete(state, pair) else 0)
    return out


@pytest.mark.slow
def test_planes_are_what_their_table_says() -> None:
    """So winners see no tax (plane 10 is theirs never), third parties nothing of an exchange."""
    game = make_game("daihinmin", **EXCHANGE)
    for number, state in enumerate(wild(game, 0, 1)):
        for player in range(5):
            assert (game.observe(state, player)["observation"] == plain_planes(state, player)).all()
        if state.leader >= 0:
            other = state.copy()
            for other.target in range(number % 249, PASS, 249):  # rare ones too
                seen = game.observe(other, 0)["observation"]
                assert (seen == plain_planes(other, 0)).all()


@pytest.mark.slow
def test_views_hide_taxes_from_winners_and_exchanges_from_third_parties() -> None:
    """And what is dealt for what is hidden is a round that comes about from its own deal."""
    game, rng = make_game("daihinmin", illegal="error", **EXCHANGE), np.random.default_rng(2)
    phases = Counter()
    pairs = ((state, player) for state in positions(game, 2, 3) for player in range(5))
    for number, (state, player) in enumerate(pairs):
        if state.moves > 5 and number % 11:
            continue
        view = game.view(state, player)
        assert view.seed == 0 and not np.delete(view.hands, player).any()
        picks = iter(zip(state.history[: state.moves], view.history, strict=False))
        for pair in range(2 if state.classes[0] >= 0 else 0):
            complete = is_complete(state, pair)
            knows = player == winner(state, pair) or (player == loser(state, pair) and complete)
            assert view.taxed[pair] == state.taxed[pair] * (player == loser(state, pair))
            assert view.returned[pair] == state.returned[pair] * knows
            for _, (pick, seen) in zip(range(TAXES[pair]), picks, strict=False):
                assert seen == (pick if knows else HIDDEN)
        assert all(action == seen for action, seen in picks)
        phases[int(state.moves) if state.leader < 0 else -1] += 1
        other = game.redeal(view, player, rng)
        again = game.parse_deal(game.deal_text(other))
        for action in other.history[: other.moves]:
            game.play(again, int(action))
        if not game.over(state):
            again.seed = other.seed
            assert again.tobytes() == other.tobytes()
    assert all(phases[moves] > 20 for moves in range(-1, 3))


DEAL = (
    "01234;41302;4c4s6h7c8c9hJdJhAs2s*;4d5d5s7h8h8sTcJcKdKs;3h3s5h7s9cThJsQcKcAc2c;"
    "3d5c6c6s7d9dTdQdQh2d2h;3c4h6d8d9sTsQsKhAdAh"
)
"""A round with an exchange: player_3 is the daifugo, player_0 the daihinmin."""


def test_what_is_dealt_in_an_exchange_comes_about_from_its_own_deal() -> None:
    """Before every card that is given back, and after, for all players."""
    game, rng = make_game("daihinmin", illegal="error"), np.random.default_rng(0)
    state = game.parse_deal(DEAL)
    for _ in range(5):
        for player in range(5):
            view = game.view(state, player)
            seeds = set()
            for _ in range(2):
                other = game.redeal(view, player, rng)
                assert game.valid(other) == ""
                assert game.view(other, player).tobytes() == view.tobytes()
                again = game.parse_deal(game.deal_text(other))
                for action in other.history[: other.moves]:
                    game.play(again, int(action))
                again.seed = other.seed
                assert again.tobytes() == other.tobytes()
                seeds.add(int(other.seed))
            # Chance is hidden, too: two deals for a view go on differently.
            assert len(seeds) == 2 and 0 not in seeds
        game.play(state, int(game.legal(state)[-1]))


def test_a_payers_last_card_is_as_likely_as_the_taxes_that_go_with_it() -> None:
    """The daihinmin has paid two cards, better than any kept, that the daifugo holds."""
    game, rng = make_game("daihinmin"), np.random.default_rng(0)
    state = game.parse_deal(DEAL)
    while state.leader < 0:
        game.play(state, int(game.legal(state)[0]))
    # The payer's best card that is out is Jh; As, Ks, Ac and 3c are hidden.
    keep_only(state, {0: "As", 1: "Ks", 2: "Ac", 3: "5c", 4: "3c"})
    view, draws = game.view(state, 3), 500
    found, taxes = Counter(), Counter()
    for _ in range(draws):
        full = redealt(game, view, 3, rng)
        found["".join(cards_in(full.hands[0]))] += 1
        taxes["".join(cards_in(full.taxed[0]))] += 1
    # Above Jh the daifugo held QdQh2d2h2s*, above each of the others 2d2h2s* alone.
    assert set(found) == {"3c", "Ac", "Ks", "As"} and len(taxes) == 15
    likely = {card: (15 if card == "3c" else 6) / 33 for card in found}
    likely |= {tax: (1 if "Q" in tax else 1 + 3) / 33 for tax in taxes}
    for text, chance in likely.items():
        share = (found + taxes)[text] / draws
        assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / draws), text


@pytest.mark.slow
def test_the_daifugos_deals_are_uniform_over_all_that_he_holds_possible() -> None:
    """Against counting: every deal and tax in which the daihinmin paid his two best cards."""
    game, rng = make_game("daihinmin", classes="random"), np.random.default_rng(3)
    tried: set[str] = set()
    checked = 0
    for state in positions(game, 3, 400):
        if state.leader < 0 or not 5 <= state.left.sum() <= 18 or game.over(state):
            continue
        player, payer = winner(state, 0), loser(state, 0)
        hidden = int(unseen(state, player) & ~state.returned[0])
        if not 5 <= hidden.bit_count() <= 7:
            continue
        if game.deal_text(state) in tried:
            continue
        tried.add(game.deal_text(state))
        # The three of diamonds has been seen: nobody can have it but who led.
        cards = [card for card in range(53) if hidden >> card & 1 and card != DIAMOND_THREE]
        some = sum(1 << card for card in cards)
        room = (int(state.hands[payer]) & some).bit_count()
        got = int(state.returned[0])
        kept = int(state.played[payer] | state.hands[payer]) & ~got & ~some
        held = int(state.hands[player] | state.played[player]) | got
        sure, total = Counter(), 0
        # Whatever the payer has, the others have the rest in equally many ways.
        for own in combinations(cards, room):
            ways = comb((held >> max([*own, kept.bit_length() - 1]) + 1).bit_count(), 2)
            total += ways
            sure.update(dict.fromkeys(own, ways))
        chances = np.array([sure[card] / total for card in cards])
        if np.ptp(chances) < 0.2:
            continue
        view, draws = game.view(state, player), 8000
        hands = [int(game.redeal(view, player, rng).hands[payer]) for _ in range(draws)]
        found = np.array([sum(hand >> card & 1 for hand in hands) / draws for card in cards])
        assert (abs(found - chances) <= 4 * np.sqrt(chances * (1 - chances) / draws)).all()
        checked += 1
        if checked == 4:
            return
    pytest.fail("no such positions")


@pytest.mark.slow
def test_outsiders_deals_know_that_taxes_were_paid() -> None:
    """The heimin's: how often the daihinmin holds the joker right after random exchanges."""
    game = make_game("daihinmin", classes="random")
    rng = np.random.default_rng(44)
    true, drawn = [], []
    for _ in range(3000):
        state = game.deal(rng)
        while state.leader < 0:
            game.play(state, int(rng.choice(game.legal(state))))
        classes = state.classes.tolist()
        heimin, daihinmin = classes.index(2), classes.index(4)
        full = game.redeal(game.view(state, heimin), heimin, rng)
        true.append(int(state.hands[daihinmin]) >> 52 & 1)
        drawn.append(int(full.hands[daihinmin]) >> 52 & 1)
    # Dealt regardless of the exchange it would be 0.2.
    assert 0.07 < np.mean(true) < 0.14
    assert abs(np.mean(drawn) - np.mean(true)) < 0.04


def test_a_view_whose_given_cards_cannot_have_been_held_is_refused() -> None:
    """Otherwise a hand of 64 cards would lead `redeal` past its table of binomial coefficients."""
    game = make_game("daihinmin", classes="random", seven_give=True)
    rng = np.random.default_rng(1)
    state = game.deal(rng)
    while state.leader < 0:
        game.play(state, game.sample(rng, state))
    player = int(winner(state, 0))
    view = game.view(state, player)
    view.away[player] = view.shown[player] = ~view.hands[player]
    assert "not as many as left says" in game.valid(view, player)
