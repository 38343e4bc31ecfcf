"""The information tree of any game, and exact values over it, against Leduc's public tree."""

from typing import Any

import numpy as np
import pytest
from support_kuhn import KUHN_VALUE, kuhn as kuhn
from support_leduc import STANDARD, UH, every_game

from closedhand import Game, InputError, make_game
from closedhand.agents.leduc.tree import PUBLIC, views_of
from closedhand.core.agents import Agent
from closedhand.core.game import State
from closedhand.solvers import tree as trees
from closedhand.solvers.evaluate import best_response, evaluate_rows
from closedhand.solvers.interface import END
from closedhand.solvers.strategy import (
    StrategyAgent,
    evaluate,
    normalised,
    strategy_of,
    to_strategy,
)
from closedhand.solvers.tree import ANY, build, tree_size


def test_the_tree_of_kuhn_poker_is_the_one_on_paper(kuhn: Game) -> None:
    tree = build(kuhn)
    assert tree_size(tree) == {"deals": 6, "nodes": 54, "ends": 30, "information_sets": 12}
    assert tree.levels.tolist() == [0, 6, 18, 42, 54]
    assert (np.diff(tree.rows) == 2).all() and tree.actions.tolist() == [0, 1] * 12
    # By levels: three sets of the first player, six of the second, three of the first again.
    assert tree.owner.tolist() == [0] * 3 + [1] * 6 + [0] * 3
    assert (tree.before[:9] == -1).all() and sorted(tree.before[9:]) == [0, 2, 4]
    assert tree.chance.tolist() == [1 / 6] * 6
    assert (tree.payoffs.sum(1) == 0).all()


@every_game
def test_information_sets_are_those_of_leduc(game: Game) -> None:
    general, public = ANY.layout(game), PUBLIC.layout(game)
    assert sorted(general.keys.tolist()) == sorted(public.keys.tolist())
    assert (trees.keys_of(game, views_of(game)) == public.keys).all()
    assert tree_size(build(UH))["information_sets"] == 728 + 464
    assert tree_size(build(STANDARD))["information_sets"] == 936


def walk(game: Game, state: State, player: int, chances: dict[bytes, np.ndarray]) -> float:
    """The value of a state by plain recursion."""
    if game.over(state):
        return float(game.returns(state)[player])
    total = 0.0
    shares = chances[game.key(state, int(state.player))]
    for action in game.legal(state):
        after = state.copy()
        game.play(after, int(action))
        total += shares[action] * walk(game, after, player, chances)
    return total


def test_values_are_those_of_plain_recursion(kuhn: Game) -> None:
    rng = np.random.default_rng(4)
    tree = build(kuhn)
    sigma = normalised(tree.rows, rng.random(len(tree.actions)))
    chances: dict[bytes, np.ndarray] = {}
    for views, sets in trees.views_of_sets(kuhn, tree):
        for view, s in zip(views, sets, strict=True):
            row = np.zeros(kuhn.num_actions)
            row[tree.actions[tree.rows[s] : tree.rows[s + 1]]] = sigma[
                tree.rows[s] : tree.rows[s + 1]
            ]
            chances[kuhn.key(view, int(view.player))] = row
    found = evaluate_rows(tree, sigma)
    for player, own in enumerate((found.value, *found.others)):
        deals = [
            deal.probability * walk(kuhn, deal.state, player, chances) for deal in kuhn.deals()
        ]
        assert own == pytest.approx(sum(deals), abs=1e-12)


class Table:
    """An agent of Leduc that plays a table of random numbers."""

    name = "table"

    def __init__(self, game: Game, seed: int) -> None:
        layout = PUBLIC.layout(game)
        weights = np.random.default_rng(seed).random(layout.shape) ** 3
        self.strategy = to_strategy(game, layout, weights)
        self._agent = StrategyAgent(self.strategy, "table")

    def act(self, view: State) -> int:
        return self._agent.act(view)

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        return self._agent.probabilities(views)


@every_game
def test_both_trees_evaluate_alike(game: Game) -> None:
    agent = Table(game, 3)
    public = evaluate(agent.strategy)
    tree = build(game)
    found = evaluate_rows(tree, strategy_of(game, agent).probabilities)
    assert found.value == pytest.approx(public.value, abs=1e-9)
    assert found.best_responses == pytest.approx(public.best_responses, abs=1e-9)
    assert found.nash_conv == pytest.approx(public.nash_conv, abs=1e-9)


@pytest.mark.parametrize("player", [0, 1])
def test_a_best_response_is_worth_what_it_says(player: int) -> None:
    tree = build(STANDARD)
    sigma = normalised(tree.rows, np.zeros(len(tree.actions)))
    response = best_response(tree, sigma, player)
    found = evaluate_rows(tree, response.sigma)
    assert (found.value, *found.others)[player] == pytest.approx(response.value, abs=1e-12)
    # And nothing is left to gain.
    assert found.best_responses[player] == pytest.approx(response.value, abs=1e-12)
    assert response.value == pytest.approx(evaluate_rows(tree, sigma).best_responses[player])


def test_the_equilibrium_of_kuhn_poker_is_none_to_gain_from(kuhn: Game) -> None:
    from kuhn_poker.equilibrium import make_equilibrium

    for alpha in (0.0, 0.2, 1 / 3):
        agent: Agent = make_equilibrium(kuhn, 0, None, alpha=alpha)
        found = evaluate_rows(build(kuhn), strategy_of(kuhn, agent).probabilities)
        assert found.value == pytest.approx(KUHN_VALUE, abs=1e-12)
        assert found.nash_conv == pytest.approx(0, abs=1e-12)


def test_children_and_rows_fit() -> None:
    tree = build(UH)
    deciding = np.flatnonzero(tree.player != END)
    number = np.diff(tree.first)
    starts = np.searchsorted(tree.rows, tree.slot[deciding])
    assert (tree.rows[starts] == tree.slot[deciding]).all()
    assert (np.diff(tree.rows)[starts] == number[deciding]).all()
    assert (tree.owner[starts] == tree.player[deciding]).all()
    assert tree.first[0] == len(tree.chance) and tree.first[-1] == len(tree.player)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("doudizhu", {}, r"one deal of doudizhu has about 10\^\d+ histories, too many"),
        ("doudizhu", {"substeps": True}, "too many to solve: 20,000,000 are the most"),
        ("daihinmin", {"rounds": 1_000_000}, r"more than 10\^308 histories, too many to solve"),
        ("chinese_poker", {}, r"one deal of chinese_poker has about 10\^"),
    ],
)
def test_a_large_game_says_how_large(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(make_game(name, **options))


def test_a_game_without_deals_says_so(kuhn: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    import kuhn_poker.game

    monkeypatch.delattr(kuhn_poker.game, "deals")
    with pytest.raises(InputError, match=r"has no deals\(rules\); one deal of kuhn has about 9 "):
        build(kuhn, most=1_000)


def test_the_size_is_counted_up_to_a_limit(kuhn: Game) -> None:
    with pytest.raises(InputError, match="one deal of kuhn has about 9 histories, too many"):
        build(kuhn, most=4)
    for most in (5, 53):
        with pytest.raises(InputError, match="kuhn has 6 deals with about 9 histories each"):
            build(kuhn, most=most)
    assert tree_size(build(kuhn, most=54))["nodes"] == 54
    with pytest.raises(InputError, match="leduc has 120 deals with about 74 histories each"):
        build(STANDARD, most=5_000)


def test_a_view_that_forgets_is_noticed(kuhn: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who forgets its own first action has no sequence before its second decision."""

    def forgetful(game: Game, states: np.ndarray, together: bool = False) -> np.ndarray:
        keys = np.zeros((len(states), 2), np.uint64)
        keys[:, 0] = states["player"] * 8 + states["moves"] * 2
        return keys

    monkeypatch.setattr(trees, "keys_of", forgetful)
    game = make_game("leduc")
    with pytest.raises(InputError, match="views of leduc forget"):
        build.__wrapped__(game)


def test_a_side_of_one_seat_is_that_seat(kuhn: Game) -> None:
    alone, together = build(kuhn), build(kuhn, together=True)
    assert tree_size(alone) == tree_size(together)
    assert (alone.payoffs == together.payoffs).all() and (alone.keys == together.keys).all()


def test_deals_in_chunks_make_the_same_tree(kuhn: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = build(kuhn)
    monkeypatch.setattr(trees, "CHUNK", 1)
    for one, other in zip(whole, build.__wrapped__(kuhn), strict=True):
        np.testing.assert_array_equal(one, other)
    views, sets = map(np.concatenate, zip(*trees.views_of_sets(kuhn, whole), strict=True))
    assert sorted(sets) == list(range(12))
    assert (trees.keys_of(kuhn, views) == whole.keys[sets]).all()
