"""Best responses in a game of sides: Dou Dizhu of seven cards, which plain recursion can check."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from support_strategies import uniform

from closedhand import Game, make_game
from closedhand.core.game import State
from closedhand.games.doudizhu.counts import pack
from closedhand.solvers import tree as trees
from closedhand.solvers.evaluate import best_response, evaluate_rows
from closedhand.solvers.strategy import Strategy, normalised, rows_of, shared_responses
from closedhand.solvers.tree import build, layout_of, tree_size


def with_deck(cards: str, hand: int) -> Game:
    game = make_game("doudizhu", rules="tiny")
    options = game.rules.options.copy()
    options.deck, options.hand, options.public = pack(cards), hand, len(cards) - 3 * hand
    return replace(game, rules=game.rules._replace(options=options))


SEVEN = with_deck("33344SB", 2)


@pytest.fixture(scope="module")
def played() -> Strategy:
    """A strategy at random."""
    tree = build(SEVEN)
    rng = np.random.default_rng(2)
    return replace(
        uniform(SEVEN), probabilities=normalised(tree.rows, rng.random(len(tree.actions)))
    )


def test_deals_are_those_of_a_shuffled_deck() -> None:
    cards = "33344SB"
    ways: dict[str, int] = {}
    for order in itertools.permutations(range(7)):
        hands = ["".join(sorted(cards[i] for i in order[k : k + 2])) for k in (0, 2, 4, 6)]
        ways[";".join(hands)] = ways.get(";".join(hands), 0) + 1
    listed = list(SEVEN.deals())
    found = {
        ";".join("".join(sorted(field)) for field in SEVEN.deal_text(deal.state).split(";")): deal
        for deal in listed
    }
    assert len(found) == len(listed) and set(found) == set(ways)
    for text, deal in found.items():
        assert deal.probability == pytest.approx(ways[text] / 5040)


def walk(state: State, chances: dict[bytes, np.ndarray]) -> np.ndarray:
    """The values of a state for all players by plain recursion."""
    if SEVEN.over(state):
        return SEVEN.returns(state)
    shares = chances[SEVEN.key(state, int(state.player))]
    total = np.zeros(3)
    for k, action in enumerate(SEVEN.legal(state)):
        after = state.copy()
        SEVEN.play(after, int(action))
        total += shares[k] * walk(after, chances)
    return total


@pytest.mark.slow
def test_values_of_three_players_are_those_of_plain_recursion(played: Strategy) -> None:
    tree = build(SEVEN)
    chances = {
        SEVEN.key(view, int(view.player)): played.probabilities[tree.rows[s] : tree.rows[s + 1]]
        for views, sets in trees.views_of_sets(SEVEN, tree)
        for view, s in zip(views, sets, strict=True)
    }
    found = evaluate_rows(tree, played.probabilities)
    own = np.array([found.value, *found.others])
    for start in (0, 17, len(tree.chance) - 1):
        # One deal alone: the others do not count.
        single = tree._replace(chance=np.eye(len(tree.chance))[start])
        values = evaluate_rows(single, played.probabilities)
        state = list(SEVEN.deals())[start].state
        assert [values.value, *values.others] == pytest.approx(walk(state, chances).tolist())
    assert own.sum() == pytest.approx(0, abs=1e-9) and own[1] == pytest.approx(own[2])
    assert all(best >= mean - 1e-12 for best, mean in zip(found.best_responses, own, strict=True))


@pytest.mark.slow
def test_shared_information_is_worth_at_least_a_seat_s_own(played: Strategy) -> None:
    found = evaluate_rows(build(SEVEN), played.probabilities)
    shared = shared_responses(played)
    assert list(shared) == [1]
    # Both peasants win or lose the same.
    assert shared[1] >= 2 * max(found.best_responses[1:]) - 1e-12
    # One player who plays as both is worth what they are worth, and nothing less can be known.
    together = build(SEVEN, together=True)
    sigma = rows_of(played, layout_of(together))
    assert evaluate_rows(together, sigma).value == pytest.approx(found.value)
    assert tree_size(together)["nodes"] == tree_size(build(SEVEN))["nodes"]
    assert tree_size(together)["information_sets"] > tree_size(build(SEVEN))["information_sets"]
    landlord = best_response(together, sigma, 0)
    assert landlord.value == pytest.approx(found.best_responses[0])


def test_a_game_of_single_seats_shares_nothing() -> None:
    assert shared_responses(uniform(make_game("leduc"))) == {}
