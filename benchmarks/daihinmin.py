"""Daihinmin: rounds in kernels, with agents, with search, and through the competition's protocol.

No other package plays the game: these are rates, without a peer. The competition's own server runs
about 105 rounds a second with five of its sample clients.
"""

import numpy as np

from closedhand import make_agent, make_game
from closedhand.agents.daihinmin.policy import light_policy
from closedhand.arena import speed
from closedhand.arena.speed import aec_steps, rate
from closedhand.core.duplicate import play_out
from closedhand.search.playout import Uniform, playouts


def random_rounds(seconds: float) -> float:
    """Measure rounds a second of uniformly random play in a kernel, leaders' passes included."""
    game = make_game("daihinmin")
    rng = np.random.default_rng(0)
    states, ids = game.empty(1000), np.empty(game.num_actions, np.int32)

    def work() -> int:
        speed.random_games(game.rules, states, rng, ids)
        return len(states)

    return rate(work, seconds)


def _playouts(policy, seconds: float) -> float:
    game = make_game("daihinmin")
    rng = np.random.default_rng(0)
    dealt = np.array([game.deal(rng) for _ in range(1000)], game.dtype)
    payoffs = np.empty(len(dealt))

    def work() -> int:
        playouts(policy, game.rules, dealt.copy(), 0, rng, game.num_actions, payoffs)
        return len(dealt)

    return rate(work, seconds)


def random_playouts(seconds: float) -> float:
    """Measure playouts a second of whole rounds by uniformly random play."""
    return _playouts(Uniform(), seconds)


def light_playouts(seconds: float) -> float:
    """Measure playouts a second of whole rounds by the policy of `monte-carlo`."""
    return _playouts(light_policy.load(), seconds)


def default_rounds(seconds: float) -> float:
    """Measure rounds a second of five `default` agents, 200 matches side by side."""
    game = make_game("daihinmin", rounds=10)
    agents = [make_agent(game, "default") for _ in range(5)]
    rng = np.random.default_rng(0)
    dealt = np.array([game.deal(rng) for _ in range(200)], game.dtype)
    seats = np.tile(np.arange(5), (len(dealt), 1))

    def work() -> int:
        play_out(game, dealt.copy(), seats, agents)
        return 10 * len(dealt)

    return rate(work, seconds)


def vector_steps(seconds: float) -> float:
    """Measure steps a second of the VectorEnv, 1,024 rounds, planes and masks, random play."""
    from closedhand.envs.vector import GameVectorEnv

    env = GameVectorEnv("daihinmin", num_envs=1024, autoreset_mode="SameStep", reward="seats")
    return speed.vector_steps(env, seconds)


def raw_aec_steps(seconds: float) -> float:
    """Measure steps a second of the lean AEC env, with observation and mask, random play."""
    from closedhand.envs.aec import GameAEC

    return aec_steps(GameAEC("daihinmin"), seconds)


def served_rounds(seconds: float) -> float:
    """Measure rounds a second, by the clock, of a server with five `default` clients in threads."""
    import time
    from threading import Thread

    from closedhand.competitions.uecda.client import Client
    from closedhand.competitions.uecda.server import Server

    warm_up, number = 20, 20 + max(1, round(100 * seconds))
    server = Server(["net"], rounds=number, port=0)
    clients = [
        Thread(target=lambda i=i: Client("default", *server.address, seed=i).play())
        for i in range(5)
    ]
    times: dict[int, float] = {}
    for client in clients:
        client.start()
    server.run(lambda rounds: times.update({rounds: time.perf_counter()}))
    for client in clients:
        client.join()
    return (number - warm_up) / (times[number] - times[warm_up])


RATIOS = ()
RATES = (
    ("Daihinmin: random rounds in a kernel", random_rounds, "rounds/s"),
    ("random playouts of rounds", random_playouts, "playouts/s"),
    ("playouts of rounds by the policy of `monte-carlo`", light_playouts, "playouts/s"),
    ("five `default` agents, rounds side by side", default_rounds, "rounds/s"),
    ("the VectorEnv of Daihinmin, 1,024 rounds, planes and masks", vector_steps, "steps/s"),
    ("the AEC env of Daihinmin, observation and mask", raw_aec_steps, "steps/s"),
    ("the UECda server with five `default` clients, one process", served_rounds, "rounds/s"),
)
"""As in `doudizhu`."""
