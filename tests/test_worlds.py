"""Worlds: as frequent as they are likely, on games where all of them can be counted."""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice
from math import comb, exp, log, prod
from typing import NamedTuple

import numpy as np
import pytest

from closedhand import make_agent, make_game
from closedhand.baselines.daihinmin.policy import softmax as light
from closedhand.baselines.doudizhu.decompose import agent as decompose
from closedhand.baselines.doudizhu.search import styles
from closedhand.baselines.doudizhu.search.styles import Styles
from closedhand.core import contract
from closedhand.core.game import Game, State
from closedhand.games.doudizhu.counts import DECK, pack, size, unpack
from closedhand.games.doudizhu.rules import known_public
from closedhand.search import particles as worlds_module
from closedhand.search.particles import BATCH, Worlds, draw_by_weight, next_power
from closedhand.search.playout import Uniform

LEDUC = make_game("leduc")
DOUDIZHU = make_game("doudizhu")
POLICY = Styles(decompose.policy_of(decompose.load(None), sampled=False), 0)
STEEPNESS = log(0.3)


class Skewed(NamedTuple):
    """Finds low cards of the other player likelier, by far."""

    kernels = __name__


def explain(policy, rules, state, player, least, rng, ids):
    """A small power of the card of the other player."""
    return STEEPNESS * (1 + state.cards[1 - player]), 0


def stir(policy, rules, state, player, rng):
    """A new deal."""
    contract.hide(rules, state, player)
    contract.redeal(rules, state, player, rng)


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds without kernels of their own, which would be cached for a policy of tests."""
    for name in ("deal_worlds", "stir_worlds"):
        monkeypatch.setattr(worlds_module, name, getattr(worlds_module, name).py_func)


def view_of_leduc() -> State:
    state = LEDUC.deal(np.random.default_rng(1))
    return LEDUC.view(state, int(state.player))


@pytest.mark.usefixtures("in_python")
def test_worlds_are_as_frequent_as_they_are_likely() -> None:
    view = view_of_leduc()
    worlds = Worlds(LEDUC, Skewed(), view, 4000, np.random.default_rng(2))
    assert worlds.power == 1.0
    own = int(view.cards[view.player])
    shares = np.array([exp(STEEPNESS * card) * (card != own) for card in range(6)])
    for _ in range(3):
        seen = np.bincount(worlds.states["cards"][:, 1 - view.player], minlength=6) / 4000
        assert seen == pytest.approx(shares / shares.sum(), abs=0.02)
        worlds.refresh(slice(4000))


def test_worlds_that_explain_nothing_are_all_alike() -> None:
    view = view_of_leduc()
    worlds = Worlds(LEDUC, Uniform(), view, 3000, np.random.default_rng(3))
    own = int(view.cards[view.player])
    shares = np.array([(card != own) / 5 for card in range(6)])
    seen = np.bincount(worlds.states["cards"][:, 1 - view.player], minlength=6) / 3000
    assert seen == pytest.approx(shares, abs=0.04)


def test_plausibility_is_enough_to_explain_worlds() -> None:
    """With the policy of Daihinmin's playouts, which knows no small steps and guesses nothing."""
    policy = light.shipped()
    game = make_game("daihinmin", illegal="error")
    rng = np.random.default_rng(13)
    ids = np.empty(game.num_actions, np.int32)
    gained = []
    for _ in range(6):
        state = game.deal(rng)
        for _ in range(25):
            game.play(state, light.choose(policy, game.rules, state, rng, ids))
        player = int(state.player)
        view = game.view(state, player)
        worlds = Worlds(game, policy, view, 64, rng)
        assert worlds.power == 1.0 and not worlds.guesses.any()
        assert all(game.view(world, player).tobytes() == view.tobytes() for world in worlds.states)
        drawn = [light.plausibility(policy, game.rules, w, player, ids) for w in worlds.states]
        dealt = [
            light.plausibility(policy, game.rules, game.redeal(view, player, rng), player, ids)
            for _ in range(64)
        ]
        gained.append(np.mean(np.log(drawn)) - np.mean(np.log(dealt)))
    assert np.mean(gained) > 0.5


@pytest.mark.usefixtures("in_python")
def test_without_time_some_worlds_are_dealt_and_move() -> None:
    worlds = Worlds(
        LEDUC, Skewed(), view_of_leduc(), 1000, np.random.default_rng(4), time.perf_counter()
    )
    assert len(worlds.states) == BATCH and worlds.power == 0.0
    before = worlds.states.copy()
    worlds.refresh(slice(BATCH))
    assert (worlds.states["cards"] != before["cards"]).any()


def test_weights_say_how_often_worlds_are_drawn() -> None:
    weights = np.random.default_rng(5).random(50) ** 4
    drawn = draw_by_weight(weights, np.random.default_rng(6))
    times = np.bincount(drawn, minlength=50)
    assert (np.abs(times - 50 * weights / weights.sum()) <= 1).all()
    assert times.max() > 1 and (np.diff(drawn) < 0).any()


def test_what_worlds_explain_is_let_in_step_by_step() -> None:
    logarithms = 5 * np.random.default_rng(7).normal(size=200)
    power = next_power(logarithms, 0.0)
    weights = np.exp(power * logarithms)
    assert weights.sum() ** 2 / (weights**2).sum() == pytest.approx(100, abs=1)
    assert next_power(np.full(200, -1000.0), 0.5) == 1.0


def test_impossible_worlds_do_not_stop_it() -> None:
    logarithms = np.where(np.arange(200) < 150, -np.inf, -3.0)
    assert 0.25 < next_power(logarithms, 0.25) < 0.26


@pytest.mark.usefixtures("in_python")
def test_if_no_world_is_possible_all_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "STEEPNESS", -np.inf)
    worlds = Worlds(LEDUC, Skewed(), view_of_leduc(), 100, np.random.default_rng(12))
    assert len(set(worlds.states["cards"][:, 1 - view_of_leduc().player].tolist())) == 5


def after_play(game: Game, agents: list[str], moves: int, seed: int) -> State | None:
    """A state of a game of three agents after some moves, None if it is over by then."""
    return next(islice(states_of(game, agents, seed), moves, None), None)


def positions(moves: int, games: int) -> Iterator[tuple[State, int]]:
    """States of games of three `decompose` after some moves, and who is to act."""
    for seed in range(games):
        state = after_play(DOUDIZHU, ["decompose"] * 3, moves, seed)
        if state is not None:
            yield state, int(state.player)


def states_of(game: Game, agents: list[str], seed: int) -> Iterator[State]:
    """The states of a game of three agents in which somebody is to act."""
    players = [make_agent(game, agent) for agent in agents]
    state = game.deal(np.random.default_rng(seed))
    while not game.over(state):
        yield state
        player = int(state.player)
        game.play(state, players[player].act(game.view(state, player)))


def all_worlds(view: State) -> dict[int, tuple[State, int]]:
    """Every world that fits a view, by the hand of the next player.

    With the number of ways to deal it, if cards of a rank are told apart.
    """
    player = int(view.player)
    first, second = (player + 1) % 3, (player + 2) % 3
    known = ["", "", ""]
    if player != view.landlord:
        known[view.landlord] = unpack(known_public(view))
    unseen = Counter(unpack(DECK - view.hands[player] - sum(view.played)))
    unseen -= Counter("".join(known))
    found = {}
    for cards in set(combinations(unseen.elements(), int(view.left[first]) - len(known[first]))):
        held = Counter(cards)
        ways = prod(comb(unseen[rank], number) for rank, number in held.items())
        world = view.copy()
        world.hands[first] = pack("".join(cards) + known[first])
        world.hands[second] = pack("".join((unseen - held).elements()) + known[second])
        found[int(world.hands[first])] = world, ways
    return found


@pytest.mark.parametrize("landlord", [True, False])
def test_worlds_of_dou_dizhu_are_as_frequent_as_they_are_likely(landlord: bool) -> None:
    """Near the end of games, where all worlds can be listed."""
    ids = np.empty(DOUDIZHU.num_actions, np.int32)
    rng = np.random.default_rng(8)
    apart = []
    for seed in range(12):
        for state in states_of(DOUDIZHU, ["decompose"] * 3, seed):
            hidden = state.left.sum() - state.left[state.player]
            if (state.player == state.landlord) == landlord and hidden <= 16:
                break
        else:
            continue
        view = DOUDIZHU.view(state, int(state.player))
        chances = {}
        for hand, (world, ways) in all_worlds(view).items():
            logarithm = styles.explain(
                POLICY, DOUDIZHU.rules, world, int(view.player), -np.inf, rng, ids
            )[0]  # fmt: skip
            chances[hand] = ways * exp(logarithm)
        total = sum(chances.values())
        worlds = Worlds(DOUDIZHU, POLICY, view, 2000, rng)
        worlds.refresh(slice(2000))
        seen = Counter(worlds.states["hands"][:, (int(view.player) + 1) % 3].tolist())
        assert set(seen) <= set(chances)
        apart.append(sum(abs(seen[hand] / 2000 - chances[hand] / total) for hand in chances) / 2)
    # Worlds that are far from each other are hard to weigh against each other.
    assert len(apart) >= 6
    assert np.mean(apart) < 0.1 and np.median(apart) < 0.03


@pytest.mark.parametrize("options", [{}, {"substeps": True}, {"bidding": True}])
def test_stirred_worlds_still_fit(options: dict) -> None:
    game = make_game("doudizhu", **options)
    flat = make_game("doudizhu", bidding=bool(options.get("bidding")))
    rng = np.random.default_rng(9)
    moved = 0
    for seed in range(20):
        state = after_play(game, ["decompose"] * 3, 3 + seed, seed)
        if state is None or state.landlord < 0:
            continue
        player = int(state.player)
        view = game.view(state, player)
        world = flat.redeal(view, player, rng)
        for _ in range(20):
            before = world.hands.copy()
            styles.stir(POLICY, flat.rules, world, player, rng)
            moved += (world.hands != before).any()
            assert flat.view(world, player).tobytes() == flat.view(state, player).tobytes()
            assert [size(hand) for hand in world.hands] == view.left.tolist()
            public = Counter(unpack(state.public)) - Counter(unpack(state.played[state.landlord]))
            assert not public - Counter(unpack(world.hands[state.landlord]))
    assert moved > 100


def test_worlds_are_likely_that_explain_what_was_seen() -> None:
    """The truth explains the plays of `decompose` better than other deals do."""
    ids = np.empty(DOUDIZHU.num_actions, np.int32)
    rng = np.random.default_rng(10)
    ratios = []
    for state, player in positions(12, 40):
        view = DOUDIZHU.view(state, player)

        def known(world: State, least: float, player: int = player) -> float:
            arguments = DOUDIZHU.rules, world, player, least, rng, ids
            return float(styles.explain(POLICY, *arguments)[0])

        truth = known(state.copy(), -np.inf)
        others = [known(DOUDIZHU.redeal(view, player, rng), -np.inf) for _ in range(20)]
        ratios.append(truth - np.mean(others))
        assert known(state.copy(), truth - 0.1) == truth
        assert known(state.copy(), truth + 0.1) < truth + 0.1
    assert np.mean(ratios) > 3


@pytest.mark.parametrize("other", ["rule", "decompose"])
def test_players_are_told_apart(other: str) -> None:
    found = []
    for seed in range(30):
        state = after_play(DOUDIZHU, ["decompose", other, "decompose"], 30, seed)
        if state is None or state.player == 1:
            continue
        view = DOUDIZHU.view(state, int(state.player))
        worlds = Worlds(DOUDIZHU, POLICY, view, 60, np.random.default_rng(seed))
        assert not (worlds.guesses >> int(state.player) & 1).any()
        found.append(np.mean(worlds.guesses >> 1 & 1))
    assert len(found) >= 5
    assert np.mean(found) > 0.8 if other == "rule" else np.mean(found) < 0.1


def test_a_guess_says_who_plays_like_whom() -> None:
    ids = np.empty(DOUDIZHU.num_actions, np.int32)
    rng = np.random.default_rng(11)
    rule, plain = make_agent(DOUDIZHU, "rule"), make_agent(DOUDIZHU, "decompose")
    differ = several = 0
    for state, seat in positions(9, 30):
        view = DOUDIZHU.view(state, seat)
        for guess in (0, 7 - (1 << seat)):
            policy = Styles(POLICY.decompose, guess)
            assert styles.choose(policy, DOUDIZHU.rules, state, rng, ids) == plain.act(view)
        policy = Styles(POLICY.decompose, 1 << seat)
        drawn = {styles.choose(policy, DOUDIZHU.rules, state, rng, ids) for _ in range(60)}
        assert rule.act(view) in drawn
        several += len(drawn) > 1
        assert len(drawn) <= options_of_rule(state)
        differ += rule.act(view) != plain.act(view)
    assert differ > 5 and 0 < several < 15


def options_of_rule(state: State) -> int:
    """Among how many plays `rule` draws: all legal ones if it cannot follow an enemy in kind."""
    legal = DOUDIZHU.legal(state)
    partners = state.landlord not in (state.player, state.owner)
    if state.target < 0 or partners:
        return 1
    group = DOUDIZHU.rules.plays.group
    family = DOUDIZHU.rules.plays.groups[group[[state.target, legal[0]]]]["family"]
    return 1 if family[0] == family[1] else len(legal)


def test_styles_together_explain_as_much_as_the_sum_of_their_chances() -> None:
    logarithms = np.array([-1.0, -2.0, -3.0, -4.0])
    assert styles.together(logarithms) == pytest.approx(log(sum(map(exp, logarithms))))
