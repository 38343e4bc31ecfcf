"""Dou Dizhu's experts: hands taken apart, weighed plays and their tuning, search and endgames."""

from collections import Counter
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from baselines.test_agents import games_of, position

from closedhand import InputError, make_agent, make_game
from closedhand.arena import match
from closedhand.baselines.doudizhu.decompose import agent as decompose, features, partition, tuning
from closedhand.baselines.doudizhu.search import endgame
from closedhand.baselines.learning import policy_gradient as self_play
from closedhand.core import duel
from closedhand.core.game import State
from closedhand.games.doudizhu.counts import DECK, RANKS, one, pack, unpack
from closedhand.search import paired
from closedhand.search.exact import LOST, UNKNOWN, WON
from closedhand.search.paired import PairedSearch
from closedhand.search.particles import Particles
from closedhand.search.playout import Uniform

GAME = make_game("doudizhu")
WIN = make_game("doudizhu", objective="win")
POLICY = decompose.policy_of(decompose.load(None), sampled=False)


def costs_against(others: str) -> np.ndarray:
    """The table of costs when the others hold these cards."""
    costs = np.empty((partition.ROWS, 15), np.int64)
    partition.set_costs(pack(others), costs)
    return costs


def least_cost(hand: str, costs: np.ndarray) -> int:
    """The cost of a hand by trying every chain that starts at its lowest rank, or none."""

    @cache
    def search_from(cards: tuple[int, ...], first: int, kickers: int) -> int:
        if first == 12:
            packed = sum(int(number) << 4 * rank for rank, number in enumerate(cards))
            return int(partition.loose_cost(np.uint64(packed), kickers, costs))
        best = search_from(cards, first + 1, kickers)
        for copies, shortest in ((1, 5), (2, 3), (3, 2)):
            rest = list(cards)
            for rank in range(first, 12):
                if rest[rank] < copies:
                    break
                rest[rank] -= copies
                length = rank - first + 1
                if length >= shortest:
                    more = length if copies == 3 else 0
                    spent = int(costs[partition.CHAIN, rank])
                    best = min(best, spent + search_from(tuple(rest), first, kickers + more))
        return best

    held = Counter(hand)
    return search_from(tuple(held[rank] for rank in RANKS), 0, 0)


def test_a_hand_is_taken_apart_in_the_cheapest_way() -> None:
    nodes = np.empty(partition.MOST_NODES, partition.NODE)
    rng = np.random.default_rng(1)
    chains = 0
    for _ in range(300):
        cards = rng.permutation(list(unpack(int(DECK))))
        hand, costs = "".join(cards[:20]), costs_against("".join(cards[20:]))
        spent, found, rest, _ = partition.partition(pack(hand), costs, nodes)
        assert spent == partition.cost(pack(hand), costs, nodes) == least_cost(hand, costs)
        found = int(found)
        while found:
            copies, first, length = found & 3, found >> 2 & 15, found >> 6 & 15
            for rank in range(first, first + length):
                rest += np.uint64(copies) * one(rank)
            found >>= partition.CHAIN_BITS
            chains += 1
        assert rest == pack(hand)
    assert chains > 300


def test_what_is_left_is_counted_in_groups() -> None:
    """A chain, a trio with its kicker, a strong pair and a bomb, against low cards."""
    _, view = position("34567999QQ2222;3JJ;A", player=0)
    view.played[1] = DECK - view.hands[0] - pack("3JJA")
    found = np.empty(features.MOST_FEATURES, np.int64)
    nodes = np.empty(partition.MOST_NODES, partition.NODE)
    n, form, _ = features.take_apart(
        view.hands[0], features.look(view), costs_against("3JJA"), nodes, found
    )
    # The trio finds no kicker that is worth giving away; nothing beats any of the four groups.
    assert (n, form) == (4, min(4, features.MOST_STRONG))
    assert len(set(found[:n])) == n


def test_decompose_beats_greedy_and_rule() -> None:
    for other, least in (("rule", 0.74), ("greedy", 0.55)):
        result = match.play(GAME, ["decompose", other], 500, seed=1)
        points = result.pairs[0].returns[:, 0, 0], result.pairs[0].returns[:, 1, 1]
        assert np.mean([np.mean(side > 0) for side in points]) > least


def test_preferences_are_probabilities_of_legal_plays() -> None:
    agent = make_agent(GAME, "decompose")
    state = GAME.deal(np.random.default_rng(2))
    for _ in range(12):
        view = GAME.view(state, int(state.player))
        liked = agent.preferences(view)
        legal = {GAME.text(action) for action in GAME.legal(state)}
        assert set(liked) <= legal and sum(liked.values()) == pytest.approx(1)
        assert list(liked.values()) == sorted(liked.values(), reverse=True)
        assert GAME.text(agent.act(view)) == next(iter(liked))
        GAME.play(state, agent.act(view))


def test_the_gradient_of_no_weights_points_to_those_that_win() -> None:
    weights = decompose.load(None).astype(float)
    for i in range(2):
        found = tuning.gradient(0 * weights, i, np.random.default_rng((3, i)))
        assert found @ weights > 0.05 * np.linalg.norm(found) * np.linalg.norm(weights)


def test_some_steps_of_tuning_beat_none(monkeypatch: pytest.MonkeyPatch) -> None:
    task = tuning.TASK._replace(games=2048)
    run = self_play.Training(task, seed=1)
    agents = [decompose.DecomposeAgent(GAME, "untrained", run.weights)]
    for _ in range(12):
        run.step()
    agents.insert(0, decompose.DecomposeAgent(GAME, "trained", run.weights))
    result = match.play(GAME, agents, 200, seed=2)
    assert np.mean(result.pairs[0].returns[:, 0, 0] > 0) > 0.6


def best_result(state: State, player: int) -> int:
    """Whether the side of `player` wins with open hands, by plain recursion."""

    @cache
    def wins(data: bytes) -> bool:
        """Whether the landlord's side wins."""
        at = np.frombuffer(data, GAME.dtype)[0]
        results = []
        for action in GAME.legal(at):
            following = at.copy()
            GAME.play(following, int(action))
            following.history[:] = 0
            following.moves = 0
            if GAME.over(following):
                results.append(following.left[following.landlord] == 0)
            else:
                results.append(wins(following.tobytes()))
        return any(results) if at.player == at.landlord else all(results)

    start = state.copy()
    start.history[:] = 0
    start.moves = 0
    won = wins(start.tobytes())
    return WON if won == (player == state.landlord) else LOST


def small_ends(number: int, cards: int, seed: int) -> list[State]:
    """Full states with few cards in each hand."""
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(number):
        deck = list(unpack(int(DECK)))
        # Few ranks, so that groups of several cards are there.
        some = rng.choice(deck[8:40], 3 * cards, replace=False)
        hands = ";".join("".join(some[i::3]) for i in range(3))
        _, view = position(hands, player=int(rng.integers(3)))
        view.hands[:] = [pack(hand) for hand in hands.split(";")]
        states.append(view)
    return states


def test_endgames_are_told_as_plain_recursion_tells_them() -> None:
    results = Counter()
    for state in small_ends(40, 3, seed=4):
        for player in range(3):
            found = endgame.winner(POLICY, WIN.rules, state, player)
            assert found == best_result(state, player)
            results[found] += 1
    assert min(results[WON], results[LOST]) > 20


def test_endgames_of_many_cards_are_not_told() -> None:
    state = small_ends(1, 5, seed=5)[0]
    assert endgame.winner(POLICY, WIN.rules, state, 0) == UNKNOWN


@pytest.mark.parametrize(("threads", "particles"), [(1, 0), (2, 0), (1, 600)])
def test_paired_sums_are_those_of_games_played_by_hand(threads: int, particles: int) -> None:
    """The advantage over the first action, by uniform playouts."""
    state = GAME.deal(np.random.default_rng(6))
    for _ in range(25):
        GAME.play(state, int(GAME.legal(state)[0]))
    view = GAME.view(state, int(state.player))
    actions = GAME.legal(view)[:3]
    search_ = PairedSearch(
        WIN, Uniform(), span=2.0, simulations=6000, threads=threads, particles=particles
    )
    sums = search_.judge(view, actions, np.random.default_rng(7))
    assert (sums[0] == [sums[0, 0], 0, 0]).all()
    rng = np.random.default_rng(8)
    means = []
    for action in actions:
        won = []
        for _ in range(3000):
            full = WIN.redeal(view, int(view.player), rng)
            WIN.play(full, int(action))
            while not WIN.over(full):
                n = len(WIN.legal(full))
                WIN.play(full, int(WIN.legal(full)[int(rng.random() * n)]))
            won.append(WIN.returns(full)[int(view.player)])
        means.append(np.mean(won))
    for k in range(1, len(actions)):
        error = 2 * np.sqrt(1 / 3000 + 1 / sums[k, 0])
        assert abs(sums[k, 1] / sums[k, 0] - (means[k] - means[0])) < 4 * error


def test_search_weighs_its_particles(monkeypatch: pytest.MonkeyPatch) -> None:
    """With simulations as budget likelihoods are tempered up to the exponent 1."""
    drawn = []

    class Spied(Particles):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            drawn.append((len(self.states), self.exponent))

    monkeypatch.setattr(paired, "Particles", Spied)
    state = GAME.deal(np.random.default_rng(15))
    decompose_ = make_agent(GAME, "decompose")
    for _ in range(9):
        GAME.play(state, decompose_.act(GAME.view(state, int(state.player))))
    agent = make_agent(GAME, "search:400x64", 1)
    while not drawn:
        GAME.play(state, agent.act(GAME.view(state, int(state.player))))
    assert all(exponent == 1.0 and number >= 64 for number, exponent in drawn)


def test_search_finds_what_only_looking_on_shows() -> None:
    """Nothing that is out beats an ace: it goes first, and the 4 ends the game."""
    game, view = position("4A;K;Q", player=0)
    agent = make_agent(game, "search:400", 1)
    view.played[1] = DECK - view.hands[0] - pack("KQ")
    view.left[:] = [2, 1, 1]
    assert game.text(agent.act(view)) == "A"


@pytest.mark.parametrize(
    "options", [{}, {"substeps": True}, {"bidding": True}, {"rules": "rlcard"}]
)
def test_search_plays_games_to_their_end(options: dict) -> None:
    game = make_game("doudizhu", **options)
    one_, two = (games_of(game, ["search:40"], 2, seed=9) for _ in range(2))
    assert (one_["history"] == two["history"]).all()
    assert all(game.over(state) for state in one_)


def test_kickers_belong_to_the_play_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where many games are played side by side: no kicker is searched for anew."""
    game = make_game("doudizhu", substeps=True)
    agent = make_agent(game, "search:16x0", 1)
    asked = Counter()
    decide = agent._decide

    def spy(view: State) -> int:
        asked[int(view["group"]) >= 0] += 1
        return decide(view)

    monkeypatch.setattr(agent, "_decide", spy)
    rng = np.random.default_rng(12)
    states = np.array([game.deal(rng) for _ in range(6)], game.dtype)
    duel.play_out(game, states, np.zeros((6, 3), int), [agent])
    assert asked[False] > 100 and asked[True] == 0


def test_no_preferences_in_an_auction() -> None:
    game = make_game("doudizhu", bidding=True)
    state = game.deal(np.random.default_rng(13))
    with pytest.raises(InputError, match="while cards are played"):
        make_agent(game, "decompose").preferences(game.view(state, 0))


@pytest.mark.parametrize("argument", ["soon", "10s", "0", "10:nowhere.npz"])
def test_budgets_and_weights_that_make_no_sense_are_refused(argument: str) -> None:
    with pytest.raises(InputError, match=r"search|cannot read"):
        make_agent(GAME, f"search:{argument}")


def test_taking_all_plays_back_leads_to_the_deal() -> None:
    from closedhand.games.doudizhu import rules

    for options in product((False, True), (False, True)):
        game = make_game("doudizhu", bidding=options[0], substeps=options[1])
        rng = np.random.default_rng(11)
        state = game.deal(rng)
        while state.landlord < 0:
            game.play(state, int(game.legal(state)[-1]))
        start = state.copy()
        for _ in range(15):
            if not game.over(state):
                game.play(state, int(rng.choice(game.legal(state))))
        rules.rewind(state)
        state.history[state.moves :] = 0
        assert state.tobytes() == start.tobytes()
