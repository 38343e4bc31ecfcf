"""The agents of Chinese Poker, and the files that they name."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_pools import (
    GAME,
    GAMES,
    SIZE,
    SMALL,
    dealt,
    every_scoring,
    options,
    plain_points,
    start_with,
    strengths,
    values_of,
    win_of,
)

from closedhand import Game, InputError, make_agent, make_game
from closedhand.agents.chinese_poker import agents, counter, pool as pools, separable, training
from closedhand.arena.hints import hints
from closedhand.core import duplicate
from closedhand.games.chinese_poker.plays import FRONTS
from closedhand.games.chinese_poker.substeps import FIRST_FRONT

pytestmark = pytest.mark.usefixtures("own_cache")

RESPONDERS = [f"{name}[hands={SIZE}]" for name in ("counter", "rescored")]
every_agent = pytest.mark.parametrize("agent", ["separable", *RESPONDERS])


def ends_of(game: Game, agent: str, number: int) -> np.ndarray:
    """The ends of games in which an agent sits at every other seat, beside `random`."""
    rng = np.random.default_rng(1)
    states = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    seats = (np.arange(game.num_players) + np.arange(number)[:, None]) % 2
    duplicate.play_out(
        game, states, seats, [make_agent(game, name, 1) for name in (agent, "random")]
    )
    return states


@pytest.mark.slow
@every_agent
@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"substeps": True},
        {"players": 3, "rules": "1-6", "royalties": True},
        {"players": 4, "fouls": True, "naturals": True, "substeps": True},
    ],
    ids=str,
)
def test_agents_arrange_in_order_and_again(variant: dict[str, Any], agent: str) -> None:
    """Even where fouls are allowed, and in sub-steps as in the flat game."""
    game = make_game("chinese_poker", **variant)
    flat = make_game("chinese_poker", **{**variant, "substeps": False})
    ends = ends_of(game, agent, 30)
    assert all(game.over(state) for state in ends)
    assert (ends["history"] == ends_of(game, agent, 30)["history"]).all()
    player: Any = make_agent(flat, agent)
    for seat in range(game.num_players):
        mine = (seat + np.arange(30)) % 2 == 0
        hands, chosen = ends["hands"][mine, seat].copy(), ends["history"][mine, seat]
        assert player.arrange(hands).tolist() == chosen.tolist()
        views = np.array([start_with(hand) for hand in hands], GAME.dtype)
        assert player.act_batch(views).tolist() == chosen.tolist()
        assert [player.act(view) for view in views] == chosen.tolist()
        assert all(action in GAME.legal(view) for action, view in zip(chosen, views, strict=True))


@every_scoring
def test_agents_take_the_tables_and_the_pool_of_their_rules(rules: str) -> None:
    """`counter` counts everything, `rescored` what tables like."""
    game, tables, hands = GAMES[rules].rules, separable.shipped(rules), dealt(60, 26)
    own: Any = make_agent(GAMES[rules], "separable")
    assert own.arrange(hands).tolist() == separable.arrange(game, tables.win, hands).tolist()
    pool = pools.pool_of(game, tables, SIZE)
    for name, slack in (("counter", np.inf), ("rescored", agents.SLACK)):
        agent: Any = make_agent(GAMES[rules], f"{name}[hands={SIZE}]")
        assert agent.name == f"{name}[hands={SIZE}]"
        responses = [counter.respond(game, pool, tables.win, slack, hand) for hand in hands]
        assert agent.arrange(hands).tolist() == responses


@every_agent
@pytest.mark.parametrize("fouls", [False, True])
def test_a_front_is_found_for_a_back_that_somebody_else_chose(agent: str, fouls: bool) -> None:
    """The best one by the tables, but where any makes a foul."""
    game = make_game("chinese_poker", substeps=True, fouls=fouls)
    adviser: Any = make_agent(game, agent)
    rng = np.random.default_rng(3)
    for _ in range(20):
        state = game.deal(rng)
        actions, parts = options(state.hands[0])
        back = int(rng.choice(game.legal(state)))
        game.play(state, back)
        action, legal = adviser.act(game.view(state, 0)), game.legal(state)
        assert action in legal
        rated = adviser.values(game.view(state, 0), legal)
        assert rated[legal == action] == np.nanmax(rated)
        likewise = actions // FRONTS == back
        if likewise.any():
            values = values_of("4-2", win_of("4-2"), parts)
            (own,) = values[actions == FRONTS * back + action - FIRST_FRONT]
            assert own == pytest.approx(values[likewise].max(), abs=1e-9)


@pytest.mark.parametrize("agent", RESPONDERS)
@pytest.mark.parametrize("substeps", [False, True])
def test_ratings_agree_with_the_choice(agent: str, substeps: bool) -> None:
    """They are the points against the pool, and a hint begins with an action of the most."""
    game = make_game("chinese_poker", substeps=substeps)
    adviser: Any = make_agent(game, agent)
    rng = np.random.default_rng(30)
    for _ in range(12):
        state = game.deal(rng)
        others, most = counter.gather(adviser.pool, state.hands[0]).T, np.nan
        while state.player == 0:
            view, legal = game.view(state, 0), game.legal(state)
            rated, action = adviser.values(view, legal), adviser.act(view)
            (most,) = rated[legal == action]
            assert most == np.nanmax(rated)
            assert rated[legal == hints(game, view, adviser)[0].action] == most
            game.play(state, action)
        own = strengths(state.hands[0], int(state.history[0]))
        points = plain_points("4-2", own[None], others)[0]
        half = len(points) // 2
        assert most == pytest.approx((points[:half].mean() + points[half:].mean()) / 2, abs=1e-9)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("separable:none.npz", "cannot read none.npz"),
        ("separable:.", "cannot read"),
        ("separable:5000", "cannot read 5000"),
        ("separable:text.npz", "text.npz is not an npz file"),
        ("counter:text.npz", "text.npz is not an npz file"),
        ("counter:5000", "cannot read 5000"),
        ("rescored:none.npz", "cannot read none.npz"),
        ("separable:other.npz", "other.npz was trained for the rules 1-6, not 4-2"),
        ("counter:other.npz", "other.npz was trained for the rules 1-6, not 4-2"),
    ],
)
def test_agents_refuse_what_they_cannot_use(agent: str, message: str) -> None:
    Path("text.npz").write_text("nothing")
    separable.save(separable.shipped("1-6"), Path("other.npz"))
    with pytest.raises(InputError, match=re.escape(message)) as error:
        make_agent(GAME, agent)
    assert "\n" not in str(error.value)


def test_agents_play_by_tables_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    even, hands = separable.Tables(training.even()), dealt(40, 28)
    separable.save(even, Path("even.npz"))
    agent: Any = make_agent(GAME, "separable:even.npz")
    assert agent.name == "separable:even.npz"
    actions = separable.arrange(GAME.rules, even.win, hands)
    assert agent.arrange(hands).tolist() == actions.tolist()
    assert (actions != separable.arrange(GAME.rules, win_of("4-2"), hands)).any()
    # Without a number the pool is large.
    assert agents.POOL_SIZE >= 1_000_000
    monkeypatch.setattr(agents, "POOL_SIZE", SMALL)
    responder: Any = make_agent(GAME, "counter:even.npz")
    assert responder.pool is pools.pool_of(GAME.rules, even, SMALL)
