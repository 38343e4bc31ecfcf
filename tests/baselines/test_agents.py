"""The agents: legal, reproducible, blind to hidden cards, and not without tactics."""

from typing import Any

import numpy as np
import pytest
from support import VARIANTS, assert_alike_without_compiler, variant_id

from closedhand import Game, InputError, agent_names, make_agent, make_game
from closedhand.core import duel
from closedhand.core.agents import act_batch
from closedhand.core.game import State
from closedhand.games.doudizhu.counts import pack, size

AGENTS = {
    "doudizhu": ("random", "rule", "greedy", "decompose"),
    "uh_leduc": ("random", "equilibrium"),
    "leduc": ("random", "equilibrium"),
    "chinese_poker": ("random", "separable"),
    "daihinmin": ("random", "default", "min-sets", "trick-ender", "kou"),
}
"""The agents of each game that need no file."""

DETERMINISTIC = ("rule", "greedy", "decompose")

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
every_agent = pytest.mark.parametrize(
    ("variant", "agent"),
    [
        pytest.param(variant, agent, id=f"{agent}-{variant_id(variant)}")
        for variant in VARIANTS
        for agent in AGENTS[variant[0]]
    ],
)


def games_of(game: Game, agents: list[str], number: int, seed: int = 0) -> np.ndarray:
    """The final states of games that the agents play, at the seats in turn."""
    rng = np.random.default_rng(seed)
    states = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    seats = np.arange(game.num_players) + np.arange(number)[:, None]
    players = [make_agent(game, agent, seed) for agent in agents]
    duel.play_out(game, states, seats % len(agents), players)
    return states


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


def position(hands: str, target: str = "", owner: int = 2, player: int = 0, **options: Any) -> Any:
    """The view of `player` in a game in which the three seats hold these cards."""
    game = make_game("doudizhu", **options)
    state = game.deal(np.random.default_rng(0))
    held = [pack(hand) for hand in hands.split(";")]
    state.hands[:] = held
    state.left[:] = [size(hand) for hand in held]
    state.played[:] = 0
    # The public cards are among those that nobody holds any more.
    state.public = 0
    state.player = player
    state.owner = owner if target else player
    state.target = game.parse(target) if target else -1
    return game, game.view(state, player)


def choice(agent: str, hands: str, target: str = "", owner: int = 2, player: int = 0) -> str:
    """What an agent plays there, in the game's notation."""
    game, view = position(hands, target, owner, player)
    action = make_agent(game, agent).act(view)
    assert action in game.legal(view)
    return game.text(action)


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
    states = games_of(game, list(AGENTS[name]), 200)
    assert all(game.over(state) for state in states)


@every_agent
def test_the_same_seed_gives_the_same_actions(variant: tuple[str, Any], agent: str) -> None:
    name, options = variant
    game = make_game(name, **options)
    one, two = (games_of(game, [agent], 20, seed=5) for _ in range(2))
    assert (one["history"] == two["history"]).all()


@every_agent
def test_batches_and_single_decisions_agree(variant: tuple[str, Any], agent: str) -> None:
    name, options = variant
    game = make_game(name, **options)
    views = views_of(game, [AGENTS[name][-1], "random"], 5 if name == "doudizhu" else 50)
    one, many = make_agent(game, agent, 7), make_agent(game, agent, 7)
    actions = act_batch(many, np.array(views, game.dtype))
    assert actions.dtype == np.int32
    assert [one.act(view) for view in views] == actions.tolist()


@every_agent
def test_hidden_cards_change_no_decision(variant: tuple[str, Any], agent: str) -> None:
    """Agents of the same seed, each with a view of its own: nor do they peek at a whole state."""
    name, options = variant
    game = make_game(name, **options)
    rng = np.random.default_rng(1)
    players = [make_agent(game, agent, 3) for _ in range(3)]
    for view in views_of(game, [AGENTS[name][-1], "random"], 5, seed=1):
        seat = int(view.player)
        other = game.redeal(view, seat, rng)
        views = (view, game.view(other, seat), other)
        assert len({player.act(seen) for player, seen in zip(players, views, strict=True)}) == 1


@pytest.mark.parametrize("agent", DETERMINISTIC)
@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel"])
def test_substeps_make_the_flat_plays(agent: str, rules: str) -> None:
    flat, steps = (make_game("doudizhu", rules=rules, substeps=s) for s in (False, True))
    one, two = (games_of(game, [agent], 100) for game in (flat, steps))
    assert (one["history"] == two["history"]).all()


@pytest.mark.parametrize("agent", DETERMINISTIC)
def test_a_play_that_somebody_else_began_is_completed(agent: str) -> None:
    """As for a hint to a person in the middle of another play."""
    game = make_game("doudizhu", substeps=True)
    rng = np.random.default_rng(2)
    adviser = make_agent(game, agent)
    begun = 0
    for _ in range(40):
        state = game.deal(rng)
        while not game.over(state):
            legal = game.legal(state)
            if state.group >= 0:
                begun += 1
                assert adviser.act(game.view(state, int(state.player))) in legal
            game.play(state, int(rng.choice(legal)))
    assert begun > 10


def test_greedy_bids_on_good_hands_only() -> None:
    game = make_game("doudizhu", bidding=True)
    agent = make_agent(game, "greedy")
    bids = {0: 0, 1: 0, 2: 0, 3: 0}
    rng = np.random.default_rng(0)
    for _ in range(500):
        text = game.text(agent.act(game.deal(rng)))
        bids[0 if text == "PASS" else int(text[-1])] += 1
    assert bids[0] > bids[3] > 10
    assert bids[1] + bids[2] > 10


@pytest.mark.parametrize(
    ("hands", "target", "owner", "player", "play"),
    [
        # Leads the group that holds the lowest card.
        ("3456789TTA2;5;6", "", 0, 0, "3456789T"),
        ("3334449;5;6", "", 0, 0, "333444"),
        ("3333449;5;6", "", 0, 0, "3333"),
        ("334455A;5;6", "", 0, 0, "334455"),
        ("33445A;5;6", "", 0, 0, "33"),
        ("222A;5;6", "", 0, 0, "A"),
        ("SB;5;6", "", 0, 0, "SB"),
        # Follows with the lowest play of the category.
        ("4TTTQ;5;6", "333", 2, 0, "TTT"),
        ("456TTTQ;5;6", "3334", 2, 0, "TTT4"),
        ("45;9;6", "3", 2, 0, "4"),
        # Neither beats its partner nor what it cannot beat.
        ("33;45A;QK", "T", 2, 1, "PASS"),
        ("4;5;6", "T", 2, 0, "PASS"),
    ],
)
def test_rule_plays(hands: str, target: str, owner: int, player: int, play: str) -> None:
    assert choice("rule", hands, target, owner, player) == play


@pytest.mark.parametrize(
    ("hands", "target", "owner", "player", "play"),
    [
        # Plays out where it can, with a bomb if it has to.
        ("34567;5;6", "", 0, 0, "34567"),
        ("5555;5;6", "A", 2, 0, "5555"),
        # Nobody can beat the big joker: then the last card.
        ("3B;5;6", "", 0, 0, "B"),
        ("3B;5;6", "4", 2, 0, "B"),
        # No low solo while an enemy holds one card.
        ("34455;7;889", "", 0, 0, "44"),
        ("37K;7;889", "", 0, 0, "K"),
        ("4;55K;9TJ", "", 1, 1, "55"),
        ("3;9TJ;47A", "", 2, 2, "A"),
        # Feeds a partner who holds one card (the paper's cooperation example).
        ("55667788;339TJ2;5", "", 1, 1, "3"),
        # Leaves the trick to its partner.
        ("33345678;6789TT2;4", "A", 2, 1, "PASS"),
        # Does not bomb a low solo of an enemy who is far from playing out.
        ("345677778TQK;3456689TJQ;345689TJQK", "5", 2, 0, "T"),
    ],
)
def test_greedy_plays(hands: str, target: str, owner: int, player: int, play: str) -> None:
    assert choice("greedy", hands, target, owner, player) == play


def test_agents_are_found_by_name() -> None:
    for game, names in AGENTS.items():
        assert set(names) <= set(agent_names(game))
    with pytest.raises(InputError, match="no agent 'nobody'"):
        make_agent("doudizhu", "nobody")


@pytest.mark.parametrize("game", AGENTS)
def test_agents_without_argument_refuse_one(game: str) -> None:
    for agent in set(AGENTS[game]) - {"separable", "kou", "decompose"}:
        with pytest.raises(InputError, match="takes no argument"):
            make_agent(game, f"{agent}:5")


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
