"""Particles: as frequent as they are likely, on games where all states can be counted."""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice
from math import comb, exp, log, prod
from typing import NamedTuple

import numpy as np
import pytest

from closedhand import make_agent, make_game
from closedhand.agents.daihinmin.policy import light_policy
from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.search import styles
from closedhand.agents.doudizhu.search.styles import Styles
from closedhand.core import contract
from closedhand.core.game import Game, State
from closedhand.games.doudizhu.counts import DECK, pack, size, unpack
from closedhand.games.doudizhu.hidden import known_public
from closedhand.search import Particles, Uniform, particles as particles_module
from closedhand.search.particles import BATCH, next_exponent, resample

LEDUC = make_game("leduc")
DOUDIZHU = make_game("doudizhu")
POLICY = Styles(decompose.policy_of(decompose.load(None), sampled=False), 0, True)
STEEPNESS = log(0.3)


class Skewed(NamedTuple):
    """Finds low cards of the other player likelier, by far."""

    kernels = __name__


def log_likelihood(policy, rules, state, player, least, rng, ids):
    """A small power of the card of the other player."""
    return STEEPNESS * (1 + state.cards[1 - player]), 0


def propose(policy, rules, state, player, rng):
    """A new deal."""
    contract.hide(rules, state, player)
    contract.redeal(rules, state, player, rng)


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Particles without compiled kernels, which would be cached for a policy of tests."""
    for name in ("deal_particles", "move_particles"):
        function = getattr(particles_module, name)
        monkeypatch.setattr(particles_module, name, getattr(function, "py_func", function))


def view_of_leduc() -> State:
    state = LEDUC.deal(np.random.default_rng(1))
    return LEDUC.view(state, int(state.player))


@pytest.mark.slow
@pytest.mark.usefixtures("in_python")
def test_particles_are_as_frequent_as_they_are_likely() -> None:
    view = view_of_leduc()
    particles = Particles(LEDUC, Skewed(), view, 4000, np.random.default_rng(2))
    assert particles.exponent == 1.0
    own = int(view.cards[view.player])
    shares = np.array([exp(STEEPNESS * card) * (card != own) for card in range(6)])
    for _ in range(3):
        seen = np.bincount(particles.states["cards"][:, 1 - view.player], minlength=6) / 4000
        assert seen == pytest.approx(shares / shares.sum(), abs=0.02)
        particles.move(slice(4000))


def test_under_the_uniform_policy_deals_are_equally_frequent() -> None:
    view = view_of_leduc()
    particles = Particles(LEDUC, Uniform(), view, 3000, np.random.default_rng(3))
    own = int(view.cards[view.player])
    shares = np.array([(card != own) / 5 for card in range(6)])
    seen = np.bincount(particles.states["cards"][:, 1 - view.player], minlength=6) / 3000
    assert seen == pytest.approx(shares, abs=0.04)


@pytest.mark.slow
def test_a_likelihood_is_enough() -> None:
    """With the policy of Daihinmin's playouts, without proposals of its own and guesses."""
    policy = light_policy.load()
    game = make_game("daihinmin", illegal="error")
    rng = np.random.default_rng(13)
    ids = np.empty(game.num_actions, np.int32)
    gained = []
    for _ in range(6):
        state = game.deal(rng)
        for _ in range(25):
            game.play(state, light_policy.choose(policy, game.rules, state, rng, ids))
        player = int(state.player)
        view = game.view(state, player)
        particles = Particles(game, policy, view, 64, rng)
        assert particles.exponent == 1.0 and not particles.guesses.any()
        assert all(game.view(each, player).tobytes() == view.tobytes() for each in particles.states)
        drawn = [
            light_policy.log_likelihood(policy, game.rules, w, player, -np.inf, rng, ids)[0]
            for w in particles.states
        ]
        dealt = [
            light_policy.log_likelihood(
                policy, game.rules, game.redeal(view, player, rng), player, -np.inf, rng, ids
            )[0]
            for _ in range(64)
        ]
        gained.append(np.mean(drawn) - np.mean(dealt))
    assert np.mean(gained) > 0.5


@pytest.mark.usefixtures("in_python")
def test_without_time_a_batch_is_dealt_and_moves() -> None:
    particles = Particles(
        LEDUC, Skewed(), view_of_leduc(), 1000, np.random.default_rng(4), time.perf_counter()
    )
    assert len(particles.states) == BATCH and particles.exponent == 0.0
    before = particles.states.copy()
    particles.move(slice(BATCH))
    assert (particles.states["cards"] != before["cards"]).any()


def test_weights_say_how_often_indices_are_drawn() -> None:
    weights = np.random.default_rng(5).random(50) ** 4
    drawn = resample(weights, np.random.default_rng(6))
    times = np.bincount(drawn, minlength=50)
    assert (np.abs(times - 50 * weights / weights.sum()) <= 1).all()
    assert times.max() > 1 and (np.diff(drawn) < 0).any()


def test_one_step_of_tempering_halves_the_effective_sample_size() -> None:
    log_likelihoods = 5 * np.random.default_rng(7).normal(size=200)
    exponent = next_exponent(log_likelihoods, 0.0)
    weights = np.exp(exponent * log_likelihoods)
    assert weights.sum() ** 2 / (weights**2).sum() == pytest.approx(100, abs=1)
    assert next_exponent(np.full(200, -1000.0), 0.5) == 1.0


def test_impossible_particles_do_not_stop_the_tempering() -> None:
    log_likelihoods = np.where(np.arange(200) < 150, -np.inf, -3.0)
    assert 0.25 < next_exponent(log_likelihoods, 0.25) < 0.26


@pytest.mark.usefixtures("in_python")
def test_if_no_particle_is_possible_all_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """And all move: no proposal is worse than what it replaces."""
    monkeypatch.setitem(globals(), "STEEPNESS", -np.inf)
    particles = Particles(LEDUC, Skewed(), view_of_leduc(), 100, np.random.default_rng(12))
    before = particles.states["cards"][:, 1 - view_of_leduc().player].copy()
    assert len(set(before.tolist())) == 5
    particles.move(slice(100))
    assert (particles.states["cards"][:, 1 - view_of_leduc().player] != before).mean() > 0.5


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


def all_deals(view: State) -> dict[int, tuple[State, int]]:
    """Every determinisation of a view, by the hand of the next player.

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
        full = view.copy()
        full.hands[first] = pack("".join(cards) + known[first])
        full.hands[second] = pack("".join((unseen - held).elements()) + known[second])
        found[int(full.hands[first])] = full, ways
    return found


@pytest.mark.slow
@pytest.mark.parametrize("landlord", [True, False])
def test_particles_of_dou_dizhu_are_as_frequent_as_they_are_likely(landlord: bool) -> None:
    """Near the end of games, where all deals can be listed."""
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
        for hand, (full, ways) in all_deals(view).items():
            log_ = styles.log_likelihood(
                POLICY, DOUDIZHU.rules, full, int(view.player), -np.inf, rng, ids
            )[0]  # fmt: skip
            chances[hand] = ways * exp(log_)
        total = sum(chances.values())
        particles = Particles(DOUDIZHU, POLICY, view, 2000, rng)
        particles.move(slice(2000))
        seen = Counter(particles.states["hands"][:, (int(view.player) + 1) % 3].tolist())
        assert set(seen) <= set(chances)
        apart.append(sum(abs(seen[hand] / 2000 - chances[hand] / total) for hand in chances) / 2)
    # Deals that are far from each other are hard to weigh against each other.
    assert len(apart) >= 6
    assert np.mean(apart) < 0.1 and np.median(apart) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"substeps": True}, {"bidding": True}])
def test_proposals_still_fit_the_view(options: dict) -> None:
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
        full = game.redeal(view, player, rng)
        for _ in range(20):
            before = full.hands.copy()
            styles.propose(POLICY, flat.rules, full, player, rng)
            moved += (full.hands != before).any()
            assert flat.view(full, player).tobytes() == flat.view(state, player).tobytes()
            assert [size(hand) for hand in full.hands] == view.left.tolist()
            public = Counter(unpack(state.public)) - Counter(unpack(state.played[state.landlord]))
            assert not public - Counter(unpack(full.hands[state.landlord]))
    assert moved > 100


@pytest.mark.slow
def test_the_truth_is_likely() -> None:
    """The truth explains the plays of `decompose` better than other deals do."""
    ids = np.empty(DOUDIZHU.num_actions, np.int32)
    rng = np.random.default_rng(10)
    ratios = []
    for state, player in positions(12, 40):
        view = DOUDIZHU.view(state, player)

        def known(full: State, least: float, player: int = player) -> float:
            arguments = DOUDIZHU.rules, full, player, least, rng, ids
            return float(styles.log_likelihood(POLICY, *arguments)[0])

        truth = known(state.copy(), -np.inf)
        others = [known(DOUDIZHU.redeal(view, player, rng), -np.inf) for _ in range(20)]
        ratios.append(truth - np.mean(others))
        assert known(state.copy(), truth - 0.1) == truth
        assert known(state.copy(), truth + 0.1) < truth + 0.1
    assert np.mean(ratios) > 3


@pytest.mark.slow
@pytest.mark.parametrize("other", ["rule", "decompose"])
def test_players_are_told_apart(other: str) -> None:
    found = []
    for seed in range(30):
        state = after_play(DOUDIZHU, ["decompose", other, "decompose"], 30, seed)
        if state is None or state.player == 1:
            continue
        view = DOUDIZHU.view(state, int(state.player))
        particles = Particles(DOUDIZHU, POLICY, view, 60, np.random.default_rng(seed))
        assert not (particles.guesses >> int(state.player) & 1).any()
        found.append(np.mean(particles.guesses >> 1 & 1))
    assert len(found) >= 5
    assert np.mean(found) > 0.8 if other == "rule" else np.mean(found) < 0.1


@pytest.mark.slow
def test_a_guess_says_who_plays_like_whom() -> None:
    ids = np.empty(DOUDIZHU.num_actions, np.int32)
    rng = np.random.default_rng(11)
    rule, plain = make_agent(DOUDIZHU, "rule"), make_agent(DOUDIZHU, "decompose")
    differ = several = 0
    for state, seat in positions(9, 30):
        view = DOUDIZHU.view(state, seat)
        for guess in (0, 7 - (1 << seat)):
            policy = Styles(POLICY.decompose, guess, True)
            assert styles.choose(policy, DOUDIZHU.rules, state, rng, ids) == plain.act(view)
        policy = Styles(POLICY.decompose, 1 << seat, True)
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


def test_styles_are_mixed_by_the_sum_of_their_chances() -> None:
    log_likelihoods = np.array([-1.0, -2.0, -3.0, -4.0])
    assert styles.log_sum_exp(log_likelihoods) == pytest.approx(log(sum(map(exp, log_likelihoods))))
