"""Kuhn poker: the contract, the rules against a table of all games, and perfect play."""

import itertools

import gymnasium
import numpy as np
import pettingzoo
import pytest
from kuhn_poker.equilibrium import make_equilibrium
from kuhn_poker.game import view_from

from closedhand import InputError, make_agent, make_game
from closedhand.authoring import records
from closedhand.testing import check_game

GAME = make_game("kuhn")

ENDS = {
    "pass pass": lambda higher: 1 if higher else -1,
    "bet pass": lambda higher: 1,
    "bet bet": lambda higher: 2 if higher else -2,
    "pass bet pass": lambda higher: -1,
    "pass bet bet": lambda higher: 2 if higher else -2,
}
"""Payoff of player 0 at each end, as a function of whether it holds the higher card."""


def play(deal: str, actions: str) -> np.record:
    state = GAME.parse_deal(deal)
    for text in actions.split():
        assert not GAME.over(state)
        GAME.play(state, GAME.parse(text, state))
    return state


def test_the_contract() -> None:
    check_game(GAME)


@pytest.mark.parametrize("actions", ENDS)
def test_payoffs(actions: str) -> None:
    for deal in itertools.permutations("JQK", 2):
        state = play("".join(deal), actions)
        won = ENDS[actions]("JQK".index(deal[0]) > "JQK".index(deal[1]))
        assert GAME.over(state) and GAME.returns(state).tolist() == [won, -won]


def value(state: np.record, policies: list) -> float:
    """Expected payoff of player 0 when both play by the probabilities of their policies."""
    if GAME.over(state):
        return float(GAME.returns(state)[0])
    view = GAME.view(state, int(state.player))
    chances = policies[state.player].probabilities(np.array([view]))[0]
    total = 0.0
    for action, chance in enumerate(chances):
        after = state.copy()
        GAME.play(after, action)
        total += chance * value(after, policies)
    return total


class Pure:
    """A pure policy by a table: an action for each card, before and after the opponent's bet."""

    def __init__(self, first: tuple[int, ...], second: tuple[int, ...]) -> None:
        self.choices = first, second

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        (view,) = views
        answers = int(view.moves > 0 and view.history[view.moves - 1] == 1)
        return np.eye(2)[[self.choices[answers][view.cards[view.player]]]]


@pytest.mark.parametrize("alpha", [0, 0.2, 1 / 3])
def test_no_strategy_beats_the_equilibrium(alpha: float) -> None:
    agent = make_equilibrium(GAME, 0, None, alpha=alpha)
    deals = [GAME.parse_deal("".join(deal)) for deal in itertools.permutations("JQK", 2)]
    worth = np.mean([value(deal, [agent, agent]) for deal in deals])
    assert worth == pytest.approx(-1 / 18)
    actions = list(itertools.product((0, 1), repeat=3))
    for first, second in itertools.product(actions, actions):
        other = Pure(first, second)
        assert np.mean([value(deal, [agent, other]) for deal in deals]) > -1 / 18 - 1e-9
        assert np.mean([value(deal, [other, agent]) for deal in deals]) < -1 / 18 + 1e-9


def test_the_agent_is_found_by_name() -> None:
    agent = make_agent("kuhn", "equilibrium", seed=1)
    assert agent.act(GAME.view(play("KJ", "pass bet"), 0)) == GAME.parse("bet")
    for alpha in (-0.1, 0.5):
        with pytest.raises(InputError, match=r"alpha is a number from 0 to 0\.33"):
            make_agent("kuhn", f"equilibrium[alpha={alpha}]")


def test_options_are_the_parameters_of_the_maker() -> None:
    assert make_game("kuhn", rules="standard").options == {"rules": "standard"}
    with pytest.raises(InputError, match="rules is standard, not 'other'; the options are rules"):
        make_game("kuhn", rules="other")
    with pytest.raises(InputError, match="kuhn has no option 'ante'; it has rules"):
        make_game("kuhn", ante=2)


def test_envs_of_both_registries() -> None:
    pettingzoo.make("aec", "kuhn/kuhn-v0").reset(seed=1)
    gymnasium.make("kuhn/Kuhn-v0", opponents="equilibrium").reset(seed=1)
    observation, _ = gymnasium.make_vec("kuhn/Kuhn-v0", num_envs=8).reset(seed=1)
    assert observation["observation"].shape == (8, 4, 3)


def test_records() -> None:
    record = records.from_state(GAME, play("KJ", "pass bet bet"))
    assert record.actions == ("pass", "bet", "bet") and record.deal == "KJ"
    assert records.replay(records.from_json(record.to_json())) == play("KJ", "pass bet bet")


def test_a_view_from_a_real_table() -> None:
    view = view_from(GAME, 0, "Q", ["pass", "bet"])
    assert view == GAME.view(play("QK", "pass bet"), 0)
    assert GAME.knowledge(view, 0) == ("Q", [0, 1], {})
    with pytest.raises(InputError, match="'A' is not a card"):
        view_from(GAME, 0, "A")


@pytest.mark.parametrize("deal", ["", "K", "KK", "KA", "K J", "JQK"])
def test_bad_deals(deal: str) -> None:
    with pytest.raises(InputError, match="is not a deal"):
        GAME.parse_deal(deal)
