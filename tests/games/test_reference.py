"""The kernels against the slow statement of the rules, step by step."""

from typing import Any

import numpy as np
import pytest
from reference import daihinmin, leduc
from reference.doudizhu import PASS, ROCKET, Reference
from support import VARIANTS, variant_id

from closedhand import Game, make_game
from closedhand.games.doudizhu.counts import RANKS as RANK_LETTERS
from closedhand.games.doudizhu.plays import CATEGORIES
from closedhand.games.leduc.notation import state_text


def as_tuple(game: Game, action: int) -> tuple[str, str, str]:
    """One of our action ids as the reference writes plays."""
    plays = game.rules.plays
    group = plays.groups[plays.group[action]]
    family = plays.families[group.family]
    name = CATEGORIES[family.category].name
    if name == "pass":
        return PASS
    if name == "rocket":
        return ROCKET
    main = "".join(r for i, r in enumerate(RANK_LETTERS) if int(group.need) >> 4 * i & 15)
    left = int(plays.need[action]) - int(group.need)
    kickers = "".join(r * (left >> 4 * i & 15) for i, r in enumerate(RANK_LETTERS))
    return name, main, kickers


@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel"])
def test_random_games_agree_step_by_step(rules: str) -> None:
    """Legal actions at every step, planes of all seats at some, returns at the end."""
    game = make_game("doudizhu", rules=rules, bidding=False, spring=True)
    rng = np.random.default_rng(20)
    for _ in range(12):
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


@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel"])
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


@pytest.mark.parametrize(
    "variant",
    [variant for variant in VARIANTS if variant[0] in ("uh_leduc", "leduc")],
    ids=variant_id,
)
def test_random_games_of_leduc_agree_step_by_step(variant: tuple[str, dict[str, Any]]) -> None:
    """Every history of every deal would be 13,348 games; this is a third as many, at random."""
    name, options = variant
    game = make_game(name, **options)
    rng = np.random.default_rng(22)
    for _ in range(4000):
        state = game.deal(rng)
        reference = leduc.Reference(game.deal_text(state), **game.options)
        while not game.over(state):
            legal = {game.text(int(action)) for action in game.legal(state)}
            assert legal == reference.legal()
            assert state.player == reference.player
            assert state_text(game, state) == reference.text()
            node = game.rules.tables.nodes[state.node]
            assert (node.phase, node.bets.tolist()) == (reference.phase, reference.bets)
            action = sorted(legal)[int(rng.random() * len(legal))]
            game.play(state, game.parse(action))
            reference.play(action)
        assert reference.over()
        assert state_text(game, state) == reference.text()
        assert game.returns(state).tolist() == reference.returns()


DAIHINMIN_OPTIONS: list[dict[str, Any]] = [
    {},
    {"classes": "random"},
    {"classes": "random", "overplay": False, "lead_pass": False},
    {"joker_edges": False, "spade_three": False, "pass_limit": 6},
    {"kaidan": False, "lock": False},
    {"eight_stop": False, "revolution": False, "joker_unlocks": False},
]


def few_of_the_same(options: list[str], rng: np.random.Generator) -> str:
    """One of the actions; large plays are rare in random games, and are preferred."""
    return max(options, key=lambda text: (len(text) * (rng.random() < 0.3), rng.random()))


@pytest.mark.parametrize("options", DAIHINMIN_OPTIONS, ids=str)
def test_random_rounds_of_daihinmin_agree_step_by_step(options: dict[str, Any]) -> None:
    game = make_game("daihinmin", **options)
    rng = np.random.default_rng(23)
    known = {name: value for name, value in options.items() if name != "classes"}
    for _ in range(12):
        state = game.deal(rng)
        seats, classes, *hands = game.deal_text(state).split(";")
        reference = daihinmin.Reference(
            [daihinmin_cards(hand) for hand in hands],
            [int(player) for player in seats],
            None if classes == "-" else [int(each) for each in classes],
            **known,
        )
        try:
            while not game.over(state):
                legal = [game.text(int(action)) for action in game.legal(state)]
                assert state.player == reference.player
                assert set(legal) == reference.legal()
                assert len(legal) == len(set(legal))
                action = few_of_the_same(legal, rng)
                game.play(state, game.parse(action))
                reference.play(action)
        except daihinmin.Stuck:
            assert game.over(state)  # the rest is ranked at random
            continue
        assert reference.over()
        assert state.places.tolist() == reference.places
        assert game.returns(state).tolist() == reference.points()


def daihinmin_cards(hand: str) -> list[str]:
    """The cards of a hand as text."""
    cards = [hand[i : i + 2] for i in range(0, len(hand.rstrip("*")), 2)]
    return cards + ["*"] * hand.count("*")
