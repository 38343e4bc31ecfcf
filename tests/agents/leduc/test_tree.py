"""The tree and its evaluation, against brute force and OpenSpiel."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import leduc as reference
from support_leduc import STANDARD, UH, every_game, place_of, shares_at, solved
from support_strategies import uniform

from closedhand import Game
from closedhand.agents.leduc.tree import build, views_of
from closedhand.games.leduc.notation import CARDS, card_text
from closedhand.games.leduc.plays import ACTIONS
from closedhand.games.leduc.state import FLOP
from closedhand.solvers.interface import END, Evaluation
from closedhand.solvers.strategy import Strategy, evaluate


def as_policy(strategy: Strategy) -> reference.Policy:
    """A strategy as the reference asks for it, by information set."""
    rows, shares = {}, shares_at(strategy)
    for view in views_of(strategy.game):
        player = int(view.player)
        own, flop = card_text(view.cards[player]), card_text(view.cards[FLOP])
        actions = tuple(map(strategy.game.text, strategy.game.history(view)))
        rows[player, own, flop, actions] = shares[place_of(view)]
    return lambda known, legal: {a: float(rows[known][ACTIONS.index(a)]) for a in legal}


def test_deals_have_their_probabilities() -> None:
    likely = {UH.deal_text(deal.state): deal.probability for deal in UH.deals()}
    assert len(likely) == 506
    assert likely == pytest.approx(reference.deals("uh"), abs=1e-15)


@pytest.mark.slow
@every_game
def test_uniform_play_has_the_values_of_exact_fractions(game: Game) -> None:
    options = game.options
    found = evaluate(uniform(game))
    exact = reference.value(reference.uniform, **options)
    assert isinstance(exact, Fraction)
    assert found.value == pytest.approx(float(exact), abs=1e-12)
    for player in (0, 1):
        best = reference.best_response(reference.uniform, player, **options)
        assert found.best_responses[player] == pytest.approx(float(best), abs=1e-12)


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("iterations", [3, 200])
def test_evaluations_agree_with_brute_force(game: Game, iterations: int) -> None:
    """Of strategies far from and near to equilibrium."""
    strategy = solved(game, iterations, "lcfr")
    found, policy = evaluate(strategy), as_policy(strategy)
    assert found.value == pytest.approx(reference.value(policy, **game.options), abs=1e-12)
    for player in (0, 1):
        best = reference.best_response(policy, player, **game.options)
        assert found.best_responses[player] == pytest.approx(best, abs=1e-12)
    assert found.exploitability == found.nash_conv / 2 > 0


def test_nash_conv_is_the_sum_and_exploitability_the_half() -> None:
    found = Evaluation(-0.5, (1.0, 2.0), (0.5,))
    assert (found.nash_conv, found.exploitability) == (3.0, 1.5)


def open_spiel_policy(strategy: Strategy) -> dict[str, list[tuple[int, float]]]:
    """Probabilities by OpenSpiel's names of information sets and ids of actions."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    # Its cards are J, Q, K in two suits, ranks first; its actions fold, call or check, raise.
    ours = [CARDS.index(card) for card in ("HJ", "SJ", "HQ", "SQ", "HK", "SK")]
    found: dict[str, list[tuple[int, float]]] = {}
    shares = shares_at(strategy)

    def walk(theirs: Any, state: Any, cards: list[int]) -> None:
        if theirs.is_terminal():
            state.cards[: len(cards)] = cards
            assert theirs.returns() == STANDARD.returns(state).tolist()
            return
        if theirs.is_chance_node():
            for card in theirs.legal_actions():
                walk(theirs.child(card), state, [*cards, ours[card]])
            return
        player = theirs.current_player()
        assert player == state.player
        node = strategy.game.rules.tables.nodes[state.node]
        slot = cards[2] + 1 if node["phase"] == 2 else 0
        row = shares[state.node, slot, cards[player]]
        names = {0: ["fold"], 1: ["check", "call"], 2: ["raise"]}
        legal = [ACTIONS[action] for action in STANDARD.legal(state)]
        pairs = [(a, name) for a in theirs.legal_actions() for name in names[a] if name in legal]
        assert sorted(name for _, name in pairs) == sorted(legal)
        found[theirs.information_state_string(player)] = [
            (a, float(row[ACTIONS.index(name)])) for a, name in pairs
        ]
        for action, name in pairs:
            following = state.copy()
            STANDARD.play(following, ACTIONS.index(name))
            walk(theirs.child(action), following, cards)

    walk(game.new_initial_state(), STANDARD.deal(np.random.default_rng(0)), [])
    return found


@pytest.mark.peers
@pytest.mark.slow
def test_open_spiel_has_the_same_game_and_the_same_evaluation() -> None:
    """Legal actions and payoffs over its whole tree; NashConv and value of our strategies by it."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("leduc_poker")
    for strategy in (uniform(STANDARD), solved(STANDARD, 30, "cfr"), solved(STANDARD, 2000)):
        table = open_spiel_policy(strategy)
        assert len(table) == 936
        policy = pyspiel.TabularPolicy(table)
        ours = evaluate(strategy)
        assert pyspiel.nash_conv(theirs, policy) == pytest.approx(ours.nash_conv, abs=1e-9)
        values = pyspiel.expected_returns(theirs.new_initial_state(), policy, -1, True)
        assert values[0] == pytest.approx(ours.value, abs=1e-9)


def test_the_tree_is_as_large_as_the_game() -> None:
    """By public nodes: 23 decisions of the betting, of which 18 for each of 8 flops, and so on."""
    tree = build(UH)
    assert (tree.player >= 0).sum() == 5 + 18 * 8
    assert (tree.player == END).sum() == 3 + 26 * 8
    ends = np.flatnonzero(tree.player == END)
    histories = sum((tree.pays[tree.slot[n]] > 0).sum() for n in ends)
    assert histories == reference.count_terminal_histories("uh") == 13_348
