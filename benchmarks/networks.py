"""Networks and policies: games, pairs and decisions learned, and the time of one decision.

Every function here repeats some work for about `seconds` and returns a rate per second of CPU time,
or a time where it says so.
"""

import time

import numpy as np

from closedhand import make_agent, make_game
from closedhand.agents.doudizhu.deeprocket.recorded import Games
from closedhand.agents.doudizhu.deeprocket.shards import play_games
from closedhand.agents.doudizhu.value_net.training import Training
from closedhand.arena.speed import decision_rate, rate
from closedhand.core.files import SHIPPED

GAMES = 500
BATCH = 256


def expert_games(seconds: float) -> float:
    """Measure games a second of `decompose` in all seats, as they are written into shards."""
    game = make_game("doudizhu")
    return rate(lambda: len(play_games(game, ["decompose"], 0, range(GAMES)).lengths), seconds)


def recorded_games() -> Games:
    """Play games of `decompose` against itself."""
    played = play_games(make_game("doudizhu"), ["decompose"], 0, range(GAMES))
    return Games(
        make_game("doudizhu", substeps=True),
        played.deals,
        played.actions,
        np.concatenate([[0], np.cumsum(played.lengths)]),
        np.full(GAMES, 7, np.uint8),
    )


def encoded(seconds: float) -> float:
    """Measure pairs encoded a second, in random order, each replayed from its deal."""
    from closedhand.agents.doudizhu.deeprocket import pairs

    games = recorded_games()
    rows = np.random.default_rng(0).permutation(pairs.index(games, "policy"))
    start = [0]

    def work() -> int:
        start[0] = (start[0] + BATCH) % (len(rows) - BATCH)
        return len(pairs.encode(games, "policy", rows[start[0] : start[0] + BATCH]).label)

    return rate(work, seconds)


def learned(seconds: float) -> float:
    """Measure pairs a second that the small policy network is trained on, on one core."""
    import torch

    from closedhand.agents.doudizhu.deeprocket import pairs
    from closedhand.agents.doudizhu.deeprocket.networks import Network

    torch.set_num_threads(1)
    games = recorded_games()
    batch = pairs.encode(games, "policy", pairs.index(games, "policy")[:BATCH])
    network = Network("policy")
    optimiser = torch.optim.AdamW(network.parameters())

    def work() -> int:
        optimiser.zero_grad()
        logits = network(batch.planes, batch.status, batch.mask)
        torch.nn.functional.cross_entropy(logits, batch.label).backward()
        optimiser.step()
        return BATCH

    return rate(work, seconds)


def decision(seconds: float) -> float:
    """Measure milliseconds of a decision of `policy-net`: the 95th percentile."""
    game = make_game("doudizhu")
    agent, partner = make_agent(game, "policy-net"), make_agent(game, "greedy")
    rng = np.random.default_rng(0)
    state = game.deal(rng)
    agent.act(game.view(state, 0))
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        if game.over(state):
            state = game.deal(rng)
        view = game.view(state, int(state.player))
        if len(game.legal(state)) > 1:
            start = time.perf_counter()
            agent.act(view)
            times.append(time.perf_counter() - start)
        game.play(state, partner.act(view))
    return 1000 * float(np.percentile(times, 95))


def self_play(seconds: float) -> float:
    """Measure decisions of `value-net` a second, played and learned, from the package's network on.

    An untrained network would be slower: its random units are active more often.
    """
    start = SHIPPED / "doudizhu_value_win.npz"
    training = Training(make_game("doudizhu", objective="win"), 0, start)

    def work() -> int:
        before = training.samples
        training.step()
        return training.samples - before

    return rate(work, seconds)


def value_decision(seconds: float) -> float:
    """Measure microseconds of a decision of `value-net`."""
    return 1e6 / decision_rate(make_game("doudizhu", objective="win"), "value-net", seconds)


def pattern_decision(seconds: float) -> float:
    """Measure microseconds of a decision of `policy` in Daihinmin."""
    return 1e6 / decision_rate(make_game("daihinmin", classes="random"), "policy", seconds)


RATIOS = ()

RATES = (
    ("expert `decompose`: games for the networks", expert_games, "games/s"),
    ("policy network: pairs encoded from games", encoded, "pairs/s"),
    ("policy network, small: training, encoding not counted", learned, "pairs/s"),
    ("agent `policy-net`: 95th percentile of a decision with a choice", decision, "ms"),
    ("`value-net` trains itself: decisions played and learned", self_play, "decisions/s"),
    ("agent `value-net`: a decision with a choice, in a kernel", value_decision, "µs"),
    ("agent `policy` of Daihinmin: a decision with a choice, in a kernel", pattern_decision, "µs"),
)
