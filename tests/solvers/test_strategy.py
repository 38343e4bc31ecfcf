"""Strategies of any small game: played, saved, loaded, and what is refused."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_kuhn import kuhn as kuhn
from support_strategies import uniform

from closedhand import Game, InputError, make_agent, make_game
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.core.game import State
from closedhand.solvers import solving, strategy
from closedhand.solvers.keys import keys_of
from closedhand.solvers.strategy import strategy_of


@pytest.fixture
def path(kuhn: Game, tmp_path: Path) -> Path:
    """The file of an equilibrium."""
    solving.Run("pcfr+", kuhn, 0, tmp_path).advance(iterations=300)
    return tmp_path / "strategy.npz"


def test_a_strategy_is_the_same_after_a_file(kuhn: Game, path: Path) -> None:
    found = strategy.load(path, kuhn)
    assert found.about["algorithm"] == "pcfr+" and found.about["iterations"] == 300
    assert strategy.evaluate(found).nash_conv < 1e-4
    agent = make_agent(kuhn, f"strategy:{path}")
    again = strategy_of(kuhn, agent)
    assert (again.probabilities == found.probabilities).all()


def test_a_game_that_is_not_registered_is_given(kuhn: Game, tmp_path: Path) -> None:
    game, path = replace(kuhn, name="own"), tmp_path / "strategy.npz"
    solving.Run("cfr+", game, 0, tmp_path).advance(iterations=2)
    assert strategy.load(path, game).game is game
    with pytest.raises(InputError, match="does not hold a strategy: no game 'own'"):
        strategy.load(path)


def test_an_agent_plays_by_its_table(kuhn: Game, path: Path) -> None:
    agent = make_agent(kuhn, f"strategy:{path}", 7)
    state = kuhn.parse_deal("KQ")
    view = kuhn.view(state, 0)
    views = np.array([view] * 4000, kuhn.dtype)
    shares = agent.probabilities(views[:1])[0]  # type: ignore[attr-defined]
    actions = agent.act_batch(views)  # type: ignore[attr-defined]
    assert np.bincount(actions, minlength=2) / 4000 == pytest.approx(shares, abs=0.04)
    assert agent.act(view) in (0, 1)
    again = make_agent(kuhn, f"strategy:{path}", 7)
    assert (again.act_batch(views) == actions).all()  # type: ignore[attr-defined]


def test_a_state_that_is_no_decision_is_refused(kuhn: Game, path: Path) -> None:
    agent = make_agent(kuhn, f"strategy:{path}")
    state = kuhn.parse_deal("KQ")
    kuhn.play(state, 0)
    kuhn.play(state, 0)
    with pytest.raises(InputError, match="has no such view"):
        agent.act(kuhn.view(state, 0))


def test_files_that_hold_no_strategy_of_the_game(kuhn: Game, path: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds a strategy of kuhn"):
        strategy.load(path, make_game("leduc"))
    with pytest.raises(InputError, match="needs a file"):
        make_agent(kuhn, "strategy")
    arrays = dict(np.load(path))
    other = tmp_path / "other.npz"
    for name, value in {
        "probabilities": arrays["probabilities"] * 2,
        "actions": arrays["actions"] + 1,
        "rows": arrays["rows"][:-1],
        "keys": arrays["keys"].astype(float),
        "about": json.dumps({**json.loads(str(arrays["about"])), "iterations": "many"}),
    }.items():
        np.savez(other, **{**arrays, name: value})
        with pytest.raises(InputError, match=r"not (a|hold a) strategy"):
            strategy.load(other)
    shares = np.array([1, *[1 / 3] * 3, *arrays["probabilities"][4:]])
    rows = np.array([0, 1, *arrays["rows"][2:]])
    for changed in ({"actions": 1 - arrays["actions"]}, {"rows": rows, "probabilities": shares}):
        np.savez(other, **{**arrays, **changed})
        with pytest.raises(InputError, match="does not fit the tree of kuhn"):
            strategy.evaluate(strategy.load(other))
    np.savez(other, about=arrays["about"])
    with pytest.raises(InputError, match="it lacks 'keys'"):
        strategy.load(other)


class Wrong:
    """An agent whose probabilities are none."""

    name = "wrong"

    def __init__(self, shares: np.ndarray) -> None:
        self.shares = shares

    def act(self, view: State) -> int:
        return 0

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        return np.broadcast_to(self.shares, (len(views), len(self.shares)))


@pytest.mark.parametrize("shares", [[0.5, 0.4], [1.5, -0.5], [np.nan, 1.0], [1.0]])
def test_what_is_no_distribution_is_refused(kuhn: Game, shares: list[float]) -> None:
    with pytest.raises(InputError, match="probabilities of wrong"):
        strategy_of(kuhn, Wrong(np.array(shares)))


def test_probabilities_may_be_lists_of_numbers_alone(kuhn: Game) -> None:
    agent = Wrong(np.zeros(2))
    agent.probabilities = lambda views: [[0.5, 0.5]] * len(views)
    assert strategy_of(kuhn, agent).probabilities.tolist() == [0.5] * 24
    for rows in ([["0.5", "0.5"]], [[None, 1.0]], [[0.5], [0.5, 0.5]]):
        agent.probabilities = lambda views, rows=rows: (rows * len(views))[: len(views)]
        with pytest.raises(InputError, match="probabilities of wrong are numbers of the shape"):
            strategy_of(kuhn, agent)


@pytest.mark.parametrize("end", [1, -1])
def test_a_distribution_may_be_off_by_a_millionth(kuhn: Game, end: int) -> None:
    strategy_of(kuhn, Wrong(np.array([0.5, 0.5 + 0.9e-6 * end])))
    with pytest.raises(InputError, match="probabilities of wrong"):
        strategy_of(kuhn, Wrong(np.array([0.5, 0.5 + 1.1e-6 * end])))


class Fixed:
    """An agent without probabilities."""

    name = "fixed"

    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, view: State) -> int:
        return self.action


def test_an_agent_without_probabilities_is_judged_by_its_choices(kuhn: Game) -> None:
    """Who always passes loses 1 to each bet: against it both gain 1 a game by betting."""
    table = strategy_of(kuhn, Fixed(0))
    assert table.probabilities.tolist() == [1.0, 0.0] * 12
    found = strategy.evaluate(table)
    assert found.value == pytest.approx(0) and found.best_responses == pytest.approx((1, 1))
    with pytest.raises(InputError, match="fixed chooses no action of kuhn"):
        strategy_of(kuhn, Fixed(2))


def test_the_agent_may_be_a_text_or_a_function(kuhn: Game) -> None:
    """As in matches: what is made for a game is made here."""
    assert (strategy_of(kuhn, "random").probabilities == 0.5).all()
    first = from_function(lambda _, masks: masks.argmax(axis=1), name="first")
    assert strategy_of(kuhn, first).probabilities.tolist() == [1.0, 0.0] * 12
    with pytest.raises(InputError, match="no agent 'nobody'"):
        strategy_of(kuhn, "nobody")


def test_the_code_of_the_page_judges_a_network(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "solving.md").read_text("utf-8")
    names: dict[str, Any] = {"logits": lambda seen: np.zeros((len(seen), 4), np.float32)}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
        exec(compile(block, "solving", "exec"), names)
    assert [float(line) for line in capsys.readouterr().out.split()] == pytest.approx(
        [4.747] * 2, abs=1e-3
    )
    agent = names["Network"]()
    score = results.score(match.play(names["game"], [agent, "random"], deals=50))
    assert score.agents == ("network", "random") and score.won.low < 0.5 < score.won.high


def test_seats_of_an_agent_know_only_their_views(kuhn: Game) -> None:
    """Keys are those of views: hidden cards change nothing."""
    table = uniform(kuhn)
    states = np.array([kuhn.parse_deal(deal) for deal in ("KQ", "KJ", "QK")], kuhn.dtype)
    one, other, third = table.find(keys_of(kuhn, states))
    assert one == other != third


def test_keys_of_views_never_change() -> None:
    """Files of strategies hold them."""
    game = make_game("leduc")
    [key] = keys_of(game, np.array([game.parse_deal("HK;HJ;SK")], game.dtype)).tolist()
    assert key == [0xDAF4C059CF6257C2, 0xA3E5C62CAD7510BC]


def test_games_whose_payoffs_add_up_to_no_constant_have_a_value_for_each_player(kuhn: Game) -> None:
    table = uniform(kuhn)
    usual = strategy.evaluate(table)
    assert usual.others == (-usual.value,)
    found = strategy.evaluate(replace(table, game=replace(kuhn, payoff_sum=None)))
    assert found.others == pytest.approx([-found.value])


def test_strategies_are_compared_by_identity(kuhn: Game) -> None:
    one, other = (strategy_of(kuhn, "random") for _ in range(2))
    assert one == one and one != other and len({one, other}) == 2
