"""The agents: legal, reproducible and blind to hidden cards."""

from typing import Any

import numpy as np
import pytest
from support import (
    HOUSE_RULES,
    VARIANTS,
    assert_alike_without_compiler,
    each_variant,
    marks_of,
    variant_id,
)
from support_agents import REFUSED, agents_of, games_of

from closedhand import Game, InputError, make_agent, make_game
from closedhand.core.agents import act_batch
from closedhand.core.game import State

every_variant = pytest.mark.parametrize("variant", each_variant())
every_agent = pytest.mark.parametrize(
    ("variant", "agent"),
    [
        pytest.param(variant, agent, id=f"{agent}-{variant_id(variant)}", marks=marks_of(variant))
        for variant in VARIANTS + HOUSE_RULES
        for agent in agents_of(*variant)
    ],
)


def views_of(game: Game, agents: list[str], number: int, seed: int = 0) -> list[State]:
    """The views of the players to act at some positions of games of the agents."""
    rng = np.random.default_rng(seed)
    players = [make_agent(game, agent, seed) for agent in agents]
    views = []
    for _ in range(number):
        state = game.deal(rng)
        while not game.over(state):
            player = int(state.player)
            view = game.view(state, player)
            if rng.random() < 0.3:
                views.append(view)
            game.play(state, players[player % len(players)].act(view))
    return views


@pytest.mark.slow
@every_agent
def test_games_are_legal_and_come_to_an_end(variant: tuple[str, Any], agent: str) -> None:
    """Illegal actions raise in `play_out`."""
    name, options = variant
    game = make_game(name, **options)
    states = games_of(game, [agent], 200)
    assert all(game.over(state) for state in states)


@every_variant
def test_agents_get_on_with_one_another(variant: tuple[str, Any]) -> None:
    name, options = variant
    game = make_game(name, **options)
    states = games_of(game, agents_of(name, options), 200)
    assert all(game.over(state) for state in states)


@every_agent
def test_the_same_seed_gives_the_same_actions(variant: tuple[str, Any], agent: str) -> None:
    name, options = variant
    game = make_game(name, **options)
    one, two = (games_of(game, [agent], 20, seed=5) for _ in range(2))
    assert (one["history"] == two["history"]).all()


@pytest.mark.slow
@every_agent
def test_batches_and_single_decisions_agree(variant: tuple[str, Any], agent: str) -> None:
    name, options = variant
    game = make_game(name, **options)
    number = {"doudizhu": 5, "daihinmin": 10 // game.rounds}.get(name, 50)
    views = views_of(game, [agents_of(name, options)[-1], "random"], number)
    one, many = make_agent(game, agent, 7), make_agent(game, agent, 7)
    actions = act_batch(many, np.array(views, game.dtype))
    assert actions.dtype == np.int64
    assert [one.act(view) for view in views] == actions.tolist()


@pytest.mark.parametrize("name", ["uh_leduc", "doudizhu", "daihinmin", "chinese_poker"])
def test_any_array_of_views_will_do_and_nothing_else(name: str) -> None:
    game = make_game(name)
    views = np.array(views_of(game, ["random"], 3)[:6], game.dtype)
    fixed = views.copy()
    fixed.flags.writeable = False

    def answers(views: Any) -> list[int]:
        return make_agent(game, "random", 7).act_batch(views).tolist()

    assert answers(fixed) == answers(views)
    assert answers(fixed[::2]) == answers(views[::2].copy())
    agent = make_agent(game, "random", 7)
    other = make_game("daihinmin", players=3).deal(np.random.default_rng(1))
    for wrong in (other, [1, 2], np.zeros(3), None, np.array([other], other.dtype)):
        for ask in (agent.act, agent.act_batch):
            with pytest.raises(InputError, match="stat"):
                ask(wrong)


@every_agent
def test_hidden_cards_change_no_decision(variant: tuple[str, Any], agent: str) -> None:
    """Agents of the same seed, each with a view of its own: nor do they peek at a whole state."""
    name, options = variant
    game = make_game(name, **options)
    rng = np.random.default_rng(1)
    players = [make_agent(game, agent, 3) for _ in range(3)]
    for view in views_of(game, [agents_of(name, options)[-1], "random"], 5, seed=1):
        seat = int(view.player)
        other = game.redeal(view, seat, rng)
        views = (view, game.view(other, seat), other)
        assert len({player.act(seen) for player, seen in zip(players, views, strict=True)}) == 1


def test_agents_refuse_games_that_they_do_not_know() -> None:
    gifts = "is for games without seven_give and ten_discard"
    refusals = {
        "rules": (
            "doudizhu",
            "for games of three: not rules=two_players",
            ("policy-net", "policy-net[tuned=1]", "policy-search", "bids:value:rule"),
        ),
        "seven_give": ("daihinmin", gifts, ("monte-carlo", "policy-search")),
        "ten_discard": ("daihinmin", gifts, ("monte-carlo", "policy-search")),
        "players": (
            "daihinmin",
            "for games of five: not players=",
            ("policy-search",),
        ),
        "jokers": (
            "daihinmin",
            "for games with one joker: not jokers=",
            ("policy-search",),
        ),
    }
    for (option, value), agents in REFUSED.items():
        name, message, more = refusals[option]
        game = make_game(name, **{option: value})
        for agent in (*agents, *more):
            with pytest.raises(InputError, match=message) as error:
                make_agent(game, agent)
            assert "\n" not in str(error.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [options for name, options in HOUSE_RULES if name == "doudizhu"], ids=str
)
def test_searches_and_bidders_play_house_rules(options: dict[str, Any]) -> None:
    """Among them open hands, of which their determinisations must know."""
    game = make_game("doudizhu", **options)
    states = games_of(
        game, ["search[threads=1]:20", "bids:logic:rule", "bids:control:search[worlds=0]:20"], 4
    )
    assert all(game.over(state) for state in states)


@pytest.mark.slow
def test_agents_play_in_plain_python() -> None:
    """Without the compiler they decide the same."""
    code = (
        "import numpy as np\n"
        "from closedhand import make_agent, make_game\n"
        "game = make_game('doudizhu', substeps=True, bidding=True)\n"
        "state = game.deal(np.random.default_rng(4))\n"
        "agents = [make_agent(game, name, 3) for name in ('greedy', 'rule', 'random')]\n"
        "while not game.over(state):\n"
        "    player = int(state.player)\n"
        "    game.play(state, agents[player].act(game.view(state, player)))\n"
        "print(state.history[:state.moves].tolist())\n"
    )
    assert_alike_without_compiler(code)
