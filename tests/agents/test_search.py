"""The search agents of every game, by name."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from support import apart
from support_spades import spades as spades

from closedhand import GAMES, Game, InputError, make_agent, make_game
from closedhand.core.agents import Agent, spent_by, traits_of
from closedhand.search import rank, simulation_of

NAMES = ("monte-carlo", "search", "ismcts")


@pytest.mark.parametrize("name", NAMES)
def test_the_policy_of_an_agent_plays_the_simulations(spades: Game, name: str) -> None:
    """The same seed decides the same; and the cost of all searches is known."""
    text = f"{name}[policy=rule]:200"
    state = spades.deal(np.random.default_rng(1))
    for _ in range(6):
        view = spades.view(state, int(state["player"]))
        first, again = (make_agent(spades, text, 5) for _ in range(2))
        action = first.act(view)
        assert action == again.act(view) and action in spades.legal(state)
        spades.play(state, action)
        assert first.spent[0] == (len(spades.legal(view)) > 1)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["{}", "{}:50", "{}[threads=2]:20ms", "{}[policy=rule]:50"])
def test_its_name_is_its_text(spades: Game, name: str, form: str) -> None:
    """So results do not mix agents of different budgets."""
    assert make_agent(spades, form.format(name)).name == form.format(name)


@pytest.mark.parametrize("name", ["random", *(f"{name}:20" for name in NAMES)])
@pytest.mark.parametrize("clone", [lambda agent: pickle.loads(pickle.dumps(agent)), apart])
def test_pickles_play_on_alike(name: str, clone: Callable[[Agent], Agent]) -> None:
    game = make_game("leduc")
    view = game.view_from(0, "SJ", ["raise", "raise"])
    agent = make_agent(game, name, 3)
    agent.act(view)
    twin = clone(agent)
    assert [twin.act(view) for _ in range(5)] == [agent.act(view) for _ in range(5)]
    assert (spent_by([twin])[0][:2] == spent_by([agent])[0][:2]).all()


def test_actions_are_ranked_by_its_simulations(spades: Game) -> None:
    state = spades.deal(np.random.default_rng(2))
    view = spades.view(state, 0)
    how = simulation_of(make_agent(spades, "search[policy=rule]:50"), view)
    ranked = rank(spades, view, how, simulations=600)
    assert sorted(each.action for each in ranked) == spades.legal(view).tolist()


def test_views_are_what_the_policy_of_playouts_sees(spades: Game) -> None:
    """It decides on the view of a full state as the agent itself does."""
    from closedhand.agents.search import playout_policy
    from closedhand.search.playout import choose

    policy, rule = playout_policy(spades, "rule"), make_agent(spades, "rule")
    ids, rng = np.empty(spades.num_actions, np.int32), np.random.default_rng(0)
    state = spades.deal(rng)
    while not spades.over(state):
        action = int(choose(policy, spades.rules, state, rng, ids))
        assert action == rule.act(spades.view(state, int(state["player"])))
        spades.play(state, action)


def test_a_policy_that_draws_does_so_by_the_generator_of_the_search() -> None:
    """The same generator leads to the same actions, all of them about equally frequent."""
    from closedhand.agents.search import playout_policy
    from closedhand.search.playout import choose

    game = make_game("leduc")
    policy, ids = playout_policy(game, "random"), np.empty(game.num_actions, np.int32)
    view = game.view_from(0, "SJ", ["raise", "raise"])

    def draw(seed: int) -> list[int]:
        rng = np.random.default_rng(seed)
        return [int(choose(policy, game.rules, view, rng, ids)) for _ in range(300)]

    drawn, legal = draw(3), game.legal(view)
    assert draw(3) == drawn != draw(4)
    times = np.bincount(drawn, minlength=game.num_actions)
    assert times.sum() == times[legal].sum() and times[legal].min() > 200 / len(legal)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search[policy=search]:50", "the agent search decides in Python"),
        ("search[policy=nobody]:50", "spades has no agent 'nobody'"),
        ("ismcts:500x4", "ismcts takes a budget such as 500 or 20ms, not '500x4'"),
        ("monte-carlo:500:file", "monte-carlo takes a budget"),
        ("ismcts:soon", "ismcts takes a budget such as 500 or 20ms"),
    ],
)
def test_bad_arguments_are_refused(spades: Game, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_agent(spades, text)


def test_a_budget_of_time_is_known_before(spades: Game) -> None:
    assert traits_of(spades, "ismcts[policy=rule]:50ms").clocked
    assert not traits_of(spades, "ismcts:50").clocked


FORMS = [
    *((name, {}) for name in GAMES),
    ("doudizhu", {"substeps": True}),
    ("chinese_poker", {"substeps": True}),
    ("daihinmin", {"rounds": 2}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), FORMS, ids=str)
def test_all_games_are_searched(name: str, options: dict) -> None:
    """Also games of simultaneous moves, in sub-steps, lenient ones and those paid in stages."""
    game = make_game(name, **options)
    rng = np.random.default_rng(1)
    agents = [make_agent(game, text) for text in ("ismcts:20", "monte-carlo:20", "search:20")]
    agents.append(make_agent(game, "ismcts[policy=random]:20"))
    for agent in agents:
        state = game.deal(rng)
        for _ in range(8):
            if game.over(state):
                break
            view = game.view(state, int(state["player"]))
            action = agent.act(view)
            assert action in game.legal(state)
            game.play(state, action)
