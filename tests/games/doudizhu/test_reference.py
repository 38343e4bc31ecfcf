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

PRESETS = ["deeprocket", "rlcard", "openspiel", "douzero", "botzone", "mini", "tiny"]


@pytest.mark.slow
@pytest.mark.parametrize("rules", PRESETS)
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


FOURS = ("bomb", "four+dual solo", "four+dual pair")

SPOKEN = [
    {"bidding": True, "doubling": True, "open_hand": True},
    {"bidding": True, "robbing": True, "base": 1},
    {"bidding": True, "robbing": True, "doubling": True, "open_hand": True},
    {"doubling": True},
    {"open_hand": True, "rules": "rlcard"},
    {"rules": "botzone", "doubling": True, "open_hand": True},
    {"rules": "botzone", "robbing": True},
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
    dealt_anew = make_game("doudizhu", **options).rules.options.passed_deals > 1
    unbounded = {"passed_deals": 0} if dealt_anew else {}
    game = make_game("doudizhu", **{"spring": True, **options, **unbounded})
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


def fours_first(rng: np.random.Generator, mixed: bool) -> list[str]:
    """Two to four fours in a row, then the other cards: for hands with shuttles.

    The others are mixed, or so that the next hands have the highest fours.
    """
    low, number = int(rng.integers(0, 9 if mixed else 4)), int(rng.integers(2, 5))
    fours = RANK_LETTERS[low : low + number] * 4
    rest = sorted(
        (Counter(RANK_LETTERS[:13] * 4 + "SB") - Counter(fours)).elements(), key=RANK_LETTERS.index
    )
    own = 20 - len(fours)
    return [*fours, *(rng.permutation(rest) if mixed else [*rest[:own], *reversed(rest[own:])])]


def test_shuttles_follow_as_in_the_reference() -> None:
    """Every lead of hands with fours in a row, and what two such hands may answer to it."""
    game = make_game("doudizhu", rules="botzone", bidding=False)
    rng = np.random.default_rng(22)
    answers = 0
    for number in range(8):
        cards = fours_first(rng, mixed=number % 2 == 0)
        own, rest = cards[:20], cards[20:]
        deal = ";".join(map("".join, (own[:17], rest[:17], rest[17:], own[17:])))
        start = game.parse_deal(deal)
        leads = {as_tuple(game, int(action)): int(action) for action in game.legal(start)}
        assert set(leads) == Reference(deal, "botzone", spring=True).legal()
        shuttles = [play for play in leads if play[0] in FOURS and len(play[1]) > 1]
        assert shuttles
        for index in rng.permutation(len(shuttles))[:15]:
            state, reference = start.copy(), Reference(deal, "botzone", spring=True)
            game.play(state, leads[shuttles[index]])
            reference.play(shuttles[index])
            ours = {as_tuple(game, int(action)) for action in game.legal(state)}
            assert ours == reference.legal()
            answers += sum(play[0] in FOURS and len(play[1]) > 1 for play in ours)
    assert answers > 0


@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel", "douzero", "botzone"])
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
