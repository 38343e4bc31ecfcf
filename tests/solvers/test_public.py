"""The public graph of small games, and where a strategy loses."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.solvers.evaluate import best_response, evaluate_rows, losses
from closedhand.solvers.public import flow, public_graph
from closedhand.solvers.strategy import normalised
from closedhand.solvers.tree import build


@pytest.fixture(scope="module")
def leduc():
    game = make_game("leduc")
    tree = build(game)
    return game, tree, public_graph(game, tree)


def strategies(tree, number: int = 4):
    """Random strategies, some of which never play some actions."""
    rng = np.random.default_rng(0)
    for i in range(number):
        weights = rng.random(len(tree.actions)) ** 3
        yield normalised(tree.rows, np.where(rng.random(len(weights)) < 0.2 * i, 0.0, weights))


def test_losses_add_up_to_nash_conv(leduc) -> None:
    _, tree, _ = leduc
    for sigma in strategies(tree):
        found = losses(tree, sigma)
        assert (found.loss > -1e-12).all()
        assert found.loss.sum() == pytest.approx(evaluate_rows(tree, sigma).nash_conv)
        for player in (0, 1):
            response = best_response(tree, sigma, player).sigma
            assert losses(tree, response).loss[tree.owner == player].sum() == pytest.approx(0)


def test_best_actions_are_those_of_a_best_response(leduc) -> None:
    _, tree, _ = leduc
    sigma = next(strategies(tree))
    found = losses(tree, sigma)
    for player in (0, 1):
        response = best_response(tree, sigma, player).sigma
        assert (response[found.best[tree.owner == player]] == 1).all()
    values = np.maximum.reduceat(found.values, tree.rows[:-1])
    np.testing.assert_allclose(found.values[found.best], values)


def test_public_states_show_no_card_of_a_player(leduc) -> None:
    game, _, graph = leduc
    for state in graph.states:
        rows = [row for row in game.scene(state) if row.seat >= 0]
        assert [card for row in rows for card in row.cards if card.strip()] == []
    assert (graph.player == graph.states["player"]).all()
    # A set for every card that the player may hold, given the flop: 6 before it, 5 after it.
    sizes = np.bincount(graph.place)
    assert set(sizes) == {5, 6}
    assert (np.flatnonzero(graph.parent < 0) == [0]).all()
    assert (graph.parent[1:] < np.arange(1, len(graph.parent))).all()


def test_what_flows_in_flows_out(leduc) -> None:
    _, tree, graph = leduc
    for sigma in strategies(tree):
        found = flow(tree, graph, sigma)
        assert found.states[0] == pytest.approx(1)
        assert found.ends.sum() == pytest.approx(1)
        into = np.bincount(graph.parent[1:], found.states[1:], len(graph.states))
        into += np.bincount(graph.end_parent, found.ends, len(graph.states))
        np.testing.assert_allclose(into, found.states, atol=1e-12)
        value = (found.ends[:, None] * found.payoffs).sum(0)
        assert value[0] == pytest.approx(evaluate_rows(tree, sigma).value)
