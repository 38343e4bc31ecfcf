"""The kernels of Dou Dizhu against the slow statement of the rules, step by step."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from reference.doudizhu import Reference
from support import examples
from support_doudizhu import as_tuple

from closedhand import Game, make_game
from closedhand.core.game import State
from closedhand.games.doudizhu.counts import RANKS as RANK_LETTERS, unpack


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel", "douzero", "mini", "tiny"])
def test_random_games_agree_step_by_step(rules: str) -> None:
    """Legal actions at every step, planes of all seats at some, returns at the end."""
    game = make_game("doudizhu", rules=rules, bidding=False, spring=True)
    rng = np.random.default_rng(20)
    for _ in range(examples(12)):
        state = game.deal(rng)
        reference = Reference(game.deal_text(state), rules, spring=True)
        while not game.over(state):
            ours = {as_tuple(game, int(action)): int(action) for action in game.legal(state)}
            assert set(ours) == reference.legal()
            assert state.player == reference.player
            if rng.random() < 0.2:
                for seat in range(3):
                    planes = game.observe(state, seat)["observation"]
                    assert {tuple(cell) for cell in np.argwhere(planes)} == reference.planes(seat)
            # Plays with kickers are rare in random games: prefer them.
            chosen = max(ours, key=lambda play: (len(play[2]) * (rng.random() < 0.5), rng.random()))
            game.play(state, ours[chosen])
            reference.play(chosen)
        assert reference.over()
        assert game.returns(state).tolist() == reference.returns()


SPOKEN = [
    {"bidding": True, "doubling": True, "open_hand": True},
    {"bidding": True, "robbing": True, "base": 1},
    {"bidding": True, "robbing": True, "doubling": True, "open_hand": True},
    {"doubling": True},
    {"open_hand": True, "rules": "rlcard"},
    {"rules": "two_players"},
    {"rules": "two_players", "doubling": True, "open_hand": True},
    {"rules": "two_players", "bidding": False, "robbing": False},
    {"rules": "two_players", "robbing": False, "doubling": True},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", SPOKEN, ids=str)
def test_random_games_with_words_agree_step_by_step(options: dict[str, Any]) -> None:
    """Who is asked what, what is seen of it, and what it is worth; then the play, as above."""
    # The reference deals again without bound; a count of such deals would be a part of the deal.
    unbounded = {"passed_deals": 0} if make_game("doudizhu", **options).options["bidding"] else {}
    game = make_game("doudizhu", spring=True, **options, **unbounded)
    rng = np.random.default_rng(25)
    said: Counter[str] = Counter()
    state = game.deal(rng)
    reference = _reference(game, state)
    for _ in range(200):
        if reference.dealt_again or reference.over():
            if reference.over():
                assert game.over(state) and game.returns(state).tolist() == reference.returns()
                state = game.deal(rng)
            reference = _reference(game, state)
        ours = {as_tuple(game, int(action)): int(action) for action in game.legal(state)}
        assert (set(ours), int(state.player)) == (reference.legal(), reference.player)
        assert state.stake == reference.stake or state.landlord < 0
        if reference.offered or rng.random() < 0.1:
            for seat in range(reference.players):
                _assert_seen_alike(game, state, reference, seat)
        # Most cards first, so that games are short.
        chosen = max(
            sorted(ours),
            key=lambda play: (play[0] != "word") * len(play[1] + play[2]) + rng.random(),
        )
        if reference.offered:
            said[chosen[1]] += 1
        game.play(state, ours[chosen])
        reference.play(chosen)
    assert {*game.notation.words} <= {*said}


def _reference(game: Game, state: State) -> Reference:
    """The reference at the deal of a state."""
    return Reference(game.deal_text(state), game.options["rules"], **{
        **{name: game.options[name] for name in ("bidding", "robbing", "doubling", "open_hand")},
        "base": game.options["base"] or 3,
        "spring": game.options["spring"],
    })  # fmt: skip


def _assert_seen_alike(game: Game, state: State, reference: Reference, seat: int) -> None:
    """A seat sees the same cards, planes, words and numbers in a state and in the reference."""
    view = game.view(state, seat)
    assert [unpack(hand) for hand in view.hands] == reference.open_cards(seat)
    seen = game.observe(state, seat)
    assert {tuple(cell) for cell in np.argwhere(seen["observation"])} == reference.planes(seat)
    bids, doubled = reference.told(seat)
    players = reference.players
    assert seen["status"][6 : 6 + players].tolist() == bids
    if "opening" in seen:
        numbers = seen["opening"].tolist()
        hand = reference.hands[reference.landlord] if reference.shown else []
        doubled = doubled if game.options["doubling"] else [0] * players
        assert numbers[:players] == doubled and numbers[3] == reference.shown
        assert numbers[4:] == [hand.count(rank) for rank in RANK_LETTERS]
    else:
        assert set(doubled) == {-1} and not reference.shown


@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel", "douzero"])
def test_large_hands_hold_the_same_plays(rules: str) -> None:
    """Hands of twenty cards from few ranks: chains with kickers of every kind."""
    game = make_game("doudizhu", rules=rules, bidding=False)
    rng = np.random.default_rng(21)
    for _ in range(10):
        low = int(rng.integers(0, 8))
        ranks = RANK_LETTERS[low : low + 6] + "SB"
        deck = [rank for rank in ranks for _ in range(1 if rank in "SB" else 4)]
        hand = "".join(rng.permutation(deck)[:20])
        rest = list(RANK_LETTERS[:13] * 4 + "SB")
        for card in hand:
            rest.remove(card)
        others = "".join(rest)
        deal = ";".join([hand[:17], others[:17], others[17:], hand[17:]])
        state = game.parse_deal(deal)
        ours = {as_tuple(game, int(action)) for action in game.legal(state)}
        assert ours == Reference(deal, rules).legal()
