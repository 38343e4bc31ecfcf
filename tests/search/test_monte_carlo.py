"""Playouts, flat Monte Carlo and exact search, on all games and on what can be counted."""

import time

import numpy as np
import pytest

from closedhand import Game, InputError, make_agent, make_game, search as search_package
from closedhand.baselines.daihinmin import endgame
from closedhand.baselines.daihinmin.policy import softmax as light
from closedhand.baselines.daihinmin.policy.training import TASK
from closedhand.baselines.learning import policy_gradient as self_play
from closedhand.core import contract
from closedhand.core.duel import play_out
from closedhand.core.game import State
from closedhand.games.daihinmin.notation import parse_cards
from closedhand.games.daihinmin.plays import CARDS, DECK, PASS
from closedhand.search import (
    LOST,
    UNKNOWN,
    WON,
    MonteCarlo,
    PairedSearch,
    Uniform,
    playouts,
    solve,
)
from closedhand.search.monte_carlo import most_promising

# A small game and a large one: for each the kernels are compiled, which takes half a minute.
EACH = [("uh_leduc", -13, 13), ("daihinmin", 1, 5)]


def after(game: Game, deal: str, *actions: str) -> State:
    """The state of a deal after some actions."""
    state = game.parse_deal(deal)
    for action in actions:
        game.play(state, game.parse(action, state))
    return state


@pytest.mark.parametrize("name", [name for name, _, _ in EACH])
def test_playouts_bring_what_random_play_brings(name: str) -> None:
    """Means of random games, played by kernels and by hand."""
    game = make_game(name)
    rng = np.random.default_rng(1)
    states = np.array([game.deal(rng) for _ in range(2000)], game.dtype)
    own = np.empty(len(states))
    playouts(Uniform(), game.rules, states.copy(), 1, rng, game.num_actions, own)
    buffer = np.empty(game.num_actions, np.int32)
    others = []
    for state in states:
        contract.random_playout(game.rules, state, rng, buffer)
        others.append(game.returns(state)[1])
    error = np.sqrt((own.var() + np.var(others)) / len(states))
    assert abs(own.mean() - np.mean(others)) < 4 * error


@pytest.mark.parametrize(("name", "low", "high"), EACH)
def test_search_plays_every_game_and_is_reproducible(name: str, low: float, high: float) -> None:
    game = make_game(name)
    state = game.deal(np.random.default_rng(2))
    search = MonteCarlo(game, Uniform(), simulations=300, threads=2)
    for _ in range(3):
        view = game.view(state, int(state.player))
        first, second = (search.best(view, low, high, np.random.default_rng(3)) for _ in range(2))
        assert first == second
        assert first in game.legal(state)
        game.play(state, first)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("candidates", [1, 2])
def test_all_simulations_are_made_and_judge_actions_right(threads: int, candidates: int) -> None:
    """Means of simulations against means of games played by hand."""
    game = make_game("uh_leduc")
    rng = np.random.default_rng(4)
    state = game.deal(rng)
    while len(game.legal(state)) < 2:
        state = game.deal(rng)
    view = game.view(state, int(state.player))
    search = MonteCarlo(
        game, Uniform(), simulations=3001, threads=threads, candidates=candidates
    )  # fmt: skip
    actions = game.legal(state)
    sums = search.judge(view, actions, -13, 13, rng)
    assert sums[:, 0].sum() == 3001
    assert (sums[:, 2] <= sums[:, 1]).all() and (sums[:, 1] <= sums[:, 0]).all()
    buffer = np.empty(game.num_actions, np.int32)
    for action, (tries, total, _) in zip(actions, sums, strict=True):
        payoffs = []
        for _ in range(4000):
            full = game.redeal(view, int(view.player), rng)
            game.play(full, int(action))
            contract.random_playout(game.rules, full, rng, buffer)
            payoffs.append(game.returns(full)[int(view.player)])
        error = np.std(payoffs) * np.sqrt(1 / len(payoffs) + 1 / tries) + 1e-9
        # Adaptive sampling is biased a little; a wrong player or deal is off by points.
        assert abs(26 * total / tries - 13 - np.mean(payoffs)) < 5 * error + 0.05


def test_untried_actions_come_first_and_then_the_promising_one() -> None:
    sums = np.array([[10, 5, 3], [10, 6, 4], [0, 0, 0]], float)
    assert most_promising(sums) == 2
    sums[2] = 10, 3, 1.5
    assert most_promising(sums) == 1
    sums[:2] *= 100
    assert most_promising(sums) == 2


def test_a_budget_of_time_is_kept() -> None:
    game = make_game("daihinmin")
    state = game.deal(np.random.default_rng(5))
    view = game.view(state, int(state.player))
    search = MonteCarlo(game, Uniform(), seconds=0.2)
    search.best(view, 1, 5, np.random.default_rng(6))
    start = time.perf_counter()
    search.best(view, 1, 5, np.random.default_rng(6))
    assert 0.15 < time.perf_counter() - start < 2


@pytest.mark.parametrize(
    "budget",
    [{}, {"simulations": 0}, {"seconds": -1.0}, {"simulations": 9, "candidates": 0}],
)
def test_budgets_that_make_no_sense_are_refused(budget: dict) -> None:
    with pytest.raises(InputError, match="a search takes"):
        MonteCarlo(make_game("daihinmin"), Uniform(), **budget)


def duel(first: str, second: str, seed: int = 0) -> tuple[Game, State]:
    """Two players with these cards, the first one to lead; the others are out."""
    game = make_game("daihinmin")
    state = game.deal(np.random.default_rng(seed))
    hands = [parse_cards(first), parse_cards(second), 0, 0, 0]
    state.hands[:] = hands
    state.left[:] = [hand.bit_count() for hand in hands]
    state.played[:] = 0
    state.played[4] = int(DECK) & ~sum(hands)
    state.places[:] = -1, -1, 0, 1, 2
    state.out, state.leader, state.player, state.owner = 3, 4, 0, 0
    state.passed, state.moves = 0b11100, 100
    return game, state


def force(game: Game, state: State, nodes: int = 100_000) -> tuple[int, int]:
    """Whether the player to act comes fourth, and by which action."""
    states, ids = game.empty(40), np.empty((40, game.num_actions), np.int32)
    states[0] = state
    player = int(state.player)
    policy = light.policy_of(np.zeros(light.FEATURES))
    return solve(policy, game.rules, states, ids, player, 1 << player, 2.0, nodes)


def brute_force(game: Game, state: State, player: int) -> bool:
    """The same by recursion over the game itself; a leader may pass, but not again and again."""
    if game.over(state):
        return bool(state.places[player] == 3)
    results = []
    for action in game.legal(state).tolist():
        if action == PASS and state.target < 0 and state.passes > 0:
            continue
        child = state.copy()
        game.play(child, action)
        results.append(brute_force(game, child, player))
    return any(results) if state.player == player else all(results)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ("3c4c", "5c5d", LOST),
        ("3c5d", "4c", WON),
        ("3c8c", "2c2d2h", WON),
        ("3c8c4d", "2c2d", LOST),
    ],
)
def test_duels_with_a_known_end(first: str, second: str, value: int) -> None:
    game, state = duel(first, second)
    assert force(game, state)[0] == value


def test_duels_agree_with_brute_force() -> None:
    rng = np.random.default_rng(7)
    won = 0
    for _ in range(40):
        cards = rng.choice(53, 5, replace=False)
        names = [CARDS[i] for i in cards]
        game, state = duel("".join(names[:3]), "".join(names[3:]))
        value, action = force(game, state)
        assert (value == WON) == brute_force(game, state, 0)
        if value == WON:
            won += 1
            game.play(state, action)
            assert brute_force(game, state, 0)
    assert 5 < won < 40


def test_a_search_that_may_not_look_on_says_so() -> None:
    game, state = duel("3c4d6h9s", "5c7dTsJd")
    assert force(game, state, nodes=2) == (UNKNOWN, -1)


def test_fitting_raises_what_the_policy_gets() -> None:
    """Some steps of training beat the policy that they began with, weights of 0."""
    run = self_play.Training(TASK, seed=1)
    for _ in range(12):
        run.step()
    game = make_game("daihinmin", illegal="error")
    untrained = np.zeros(light.FEATURES)
    agents = [make_policy(game, light.policy_of(each)) for each in (run.weights, untrained)]
    rng = np.random.default_rng(8)
    states = np.array([game.deal(rng) for _ in range(400)], game.dtype)
    seats = np.tile([0, 1, 1, 1, 1], (400, 1))
    play_out(game, states, seats, agents)
    assert states["points"][:, 0].mean() > 3.3


def make_policy(game: Game, policy: light.Policy):
    """The policy as an agent."""

    class Sampling:
        name = "policy"
        rng = np.random.default_rng(9)
        ids = np.empty(game.num_actions, np.int32)

        def act(self, view: State) -> int:
            return light.choose(policy, game.rules, view, self.rng, self.ids)

    return Sampling()


def test_training_goes_on_where_it_was(tmp_path) -> None:
    path = tmp_path / "playouts.npz"
    whole, half = self_play.Training(TASK, seed=2), self_play.begin(TASK, 2, path)
    for _ in range(2):
        whole.step()
    half.work(1e-9)
    again = self_play.begin(TASK, 2, path)
    again.resume()
    assert again.history == half.history != []
    again.learner.step()
    assert np.allclose(again.learner.weights, whole.weights, atol=1e-6)
    assert (light.load(path).table.weights == half.learner.weights.astype(np.float32)).all()
    with pytest.raises(InputError, match="was made with seed 2, not 3"):
        self_play.begin(TASK, 3, path).resume()
    np.savez(path, weights=np.zeros(3))
    with pytest.raises(InputError, match="nothing that can be continued"):
        self_play.begin(TASK, 2, path).resume()
    with pytest.raises(InputError, match="no weights of this policy"):
        light.load(path)


@pytest.mark.parametrize("argument", ["fast", "0", "5s", "100x0", "100:/nowhere/x.npz"])
def test_monte_carlo_refuses_other_arguments(argument: str) -> None:
    with pytest.raises(InputError):
        make_agent("daihinmin", f"monte-carlo:{argument}")


def test_features_lie_in_their_sections() -> None:
    """Every action has one strength or pass, and nothing beyond the weights."""
    game = make_game("daihinmin", classes="random")
    rng = np.random.default_rng(10)
    features = np.empty(light.MOST_FEATURES, np.int64)
    seen = set()
    for _ in range(60):
        state = game.deal(rng)
        while not game.over(state):
            legal = game.legal(state)
            if state.leader >= 0:
                sight = light.look(state)
                for action in legal[: len(legal) - (state.target < 0)].tolist():
                    n = light.describe(game.rules, state, sight, action, features)
                    found = features[:n].tolist()
                    assert len(set(found)) == n <= light.MOST_FEATURES
                    assert min(found) >= 0 and max(found) < light.FEATURES
                    passing = [light.PASSING <= f < light.PASSING_STAGE for f in found]
                    playing = [f < light.RIVALS for f in found]
                    assert (sum(passing), sum(playing)) == ((1, 0) if action == PASS else (0, 1))
                    seen.update(found)
            game.play(state, int(rng.choice(legal)))
    assert len(seen) > 500


@pytest.mark.parametrize(
    "options", [{}, {"overplay": False}, {"joker_edges": False, "lock": False, "lead_pass": False}]
)
def test_sure_wins_are_sure(options: dict) -> None:
    """Whoever follows them is out next, whatever the others hold, who play whenever they can."""
    game = make_game("daihinmin", classes="random", illegal="error", **options)
    rng = np.random.default_rng(11)
    tried = 0
    while tried < 150:
        state = game.deal(rng)
        while not game.over(state):
            player = int(state.player)
            if state.leader >= 0 and surely(game, game.view(state, player)) >= 0:
                tried += 1
                full = game.redeal(game.view(state, player), player, rng)
                place = int(full.out)
                while full.places[player] < 0:
                    if full.player == player:
                        action = surely(game, game.view(full, player))
                        assert action >= 0, "the plan is lost"
                    else:
                        others = game.legal(full)
                        action = int(rng.choice(others[:-1] if len(others) > 1 else others))
                    game.play(full, action)
                assert full.places[player] == place
            game.play(state, int(rng.choice(game.legal(state))))


def surely(game: Game, view: State) -> int:
    """What `sure_win` finds."""
    views, ids = game.empty(endgame.DEEPEST), np.empty(game.num_actions, np.int32)
    views[0] = view
    actions = np.empty((endgame.DEEPEST, game.num_actions), np.int32)
    return int(endgame.sure_win(game.rules, views, actions, ids))


@pytest.mark.parametrize(
    ("hand", "others", "wins"),
    [("3c8c", "4c", True), ("3c2c", "4c5c*", False), ("3c2c", "4c5c", True), ("3c4c", "5c", False)],
)
def test_a_sure_win_is_found(hand: str, others: str, wins: bool) -> None:
    """Two cards against two players who hold a card or two each."""
    game, state = duel(hand, others)
    view = game.view(state, 0)
    first = surely(game, view)
    assert (first >= 0) == wins
    if wins:
        assert game.text(first) == hand[2:]


@pytest.mark.parametrize("options", [{}, {"compact": True}, {"rounds": 2, "class_period": 5}])
def test_monte_carlo_plays_whole_rounds(options: dict) -> None:
    game = make_game("daihinmin", illegal="error", classes="random", **options)
    agents = [make_agent(game, name, 1) for name in ("monte-carlo:30", "monte-carlo:30x2")]
    state = game.deal(np.random.default_rng(12))
    while not game.over(state):
        player = int(state.player)
        action = agents[player % 2].act(game.view(state, player))
        game.play(state, action)
    assert game.returns(state).sum() == 15 * game.options["rounds"]


def test_it_beats_default() -> None:
    game = make_game("daihinmin", rounds=10)
    agents = [make_agent(game, "monte-carlo:100", 1), make_agent(game, "default")]
    rng = np.random.default_rng(13)
    states = np.array([game.deal(rng) for _ in range(6)], game.dtype)
    play_out(game, states, np.tile([0, 1, 1, 1, 1], (6, 1)), agents)
    assert states["points"][:, 0].mean() / 10 > 3.6


def test_what_was_played_is_likely_in_the_true_state() -> None:
    """The true state makes what players of the policy did likelier than most redealt ones."""
    policy = light.shipped()
    game = make_game("daihinmin", illegal="error")
    rng = np.random.default_rng(14)
    ids = np.empty(game.num_actions, np.int32)
    better = 0
    for _ in range(40):
        state = game.deal(rng)
        for _ in range(25):
            game.play(state, light.choose(policy, game.rules, state, rng, ids))
        if game.over(state):
            continue
        player = int(state.player)
        view = game.view(state, player)
        true = light.plausibility(policy, game.rules, state.copy(), player, ids)
        others = [
            light.plausibility(policy, game.rules, game.redeal(view, player, rng), player, ids)
            for _ in range(20)
        ]
        better += true > np.median(others)
    assert better >= 26


def test_the_range_of_payoffs_is_that_of_the_game_by_default() -> None:
    game = make_game("uh_leduc")
    state = game.deal(np.random.default_rng(15))
    view, actions = game.view(state, int(state.player)), game.legal(state)
    search = MonteCarlo(game, Uniform(), simulations=300, threads=1)
    given, default = (
        search.judge(view, actions, *bounds, rng=np.random.default_rng(16))
        for bounds in (game.payoff_range, ())
    )
    assert (given == default).all()
    low, high = game.payoff_range
    best = [
        PairedSearch(game, Uniform(), simulations=300, threads=1, **span).judge(
            view, actions, np.random.default_rng(17)
        )
        for span in ({"span": high - low}, {})
    ]
    assert (best[0] == best[1]).all()


def test_particles_may_still_be_called_worlds() -> None:
    with pytest.warns(DeprecationWarning, match="particles="):
        PairedSearch(make_game("uh_leduc"), Uniform(), simulations=9, worlds=2)
    with pytest.raises(InputError, match="0 particles or more"):
        PairedSearch(make_game("uh_leduc"), Uniform(), simulations=9, particles=-1)


def test_what_a_user_imports_is_on_the_face_of_the_package() -> None:
    assert all(hasattr(search_package, name) for name in search_package.__all__)
