"""Dou Dizhu: our kernels, vector env and AEC env beside OpenSpiel's game and RLCard's env.

Every function here repeats some work for about `seconds` on one core and returns a rate per second
of CPU time.
"""

from functools import partial

import numpy as np

from closedhand import make_game
from closedhand.arena import speed
from closedhand.arena.speed import rate
from closedhand.core import contract
from closedhand.core.numba.jit import kernel


def kernel_games(seconds: float) -> float:
    """Measure random games a second inside the kernels, deals included."""
    game = make_game("doudizhu")
    rng = np.random.default_rng(0)
    states = game.empty(200)
    buffer = np.empty(game.num_actions, np.int32)

    def work() -> int:
        speed.random_games(game.rules, states, rng, buffer)
        return len(states)

    return rate(work, seconds)


@kernel
def redeal_and_look(rules, view, states, player, rng, buffer):
    """Redeal a view into each state, play a random action, and list what is legal after it."""
    for i in range(len(states)):
        states[i] = view[0]
        contract.redeal(rules, states[i], player, rng)
        contract.play(rules, states[i], contract.random_action(rules, states[i], rng, buffer))
        contract.legal(rules, states[i], buffer)


def redeals(seconds: float) -> float:
    """Measure how often a second a kernel does `redeal_and_look` from one view."""
    game = make_game("doudizhu")
    rng = np.random.default_rng(0)
    state = game.deal(rng)
    for _ in range(12):
        game.play(state, int(rng.choice(game.legal(state))))
    player = int(state.player)
    view = np.array([game.view(state, player)], game.dtype)
    states = game.empty(1000)
    buffer = np.empty(game.num_actions, np.int32)

    def work() -> int:
        redeal_and_look(game.rules, view, states, player, rng, buffer)
        return len(states)

    return rate(work, seconds)


def vector_steps(seconds: float) -> float:
    """Measure agent steps a second of the VectorEnv: 1,024 games, sub-steps, planes and masks."""
    from closedhand.envs.vector import GameVectorEnv

    env = GameVectorEnv("doudizhu", num_envs=1024, substeps=True, reward="seats")
    return speed.vector_steps(env, seconds)


def aec_steps(seconds: float) -> float:
    """Measure steps a second of the raw AEC env, flat."""
    from closedhand.envs.aec import raw_env

    return speed.aec_steps(raw_env("doudizhu"), seconds)


def solo_steps(seconds: float, opponents: str) -> float:
    """Measure steps a second of one seat, `gymnasium.make`: sub-steps, observation and mask."""
    import gymnasium

    env = gymnasium.make("closedhand/DouDizhu-v0", opponents=opponents, substeps=True)
    return speed.solo_steps(env, seconds)


def openspiel_games(seconds: float) -> float:
    """Measure random games a second of OpenSpiel's `dou_dizhu`, without observations."""
    return _openspiel(seconds, observe=False)[0]


def openspiel_steps(seconds: float) -> float:
    """Measure player steps a second of OpenSpiel's `dou_dizhu` with its observation tensor."""
    return _openspiel(seconds, observe=True)[1]


def _openspiel(seconds: float, observe: bool) -> tuple[float, float]:
    import pyspiel

    game = pyspiel.load_game("dou_dizhu")
    rng = np.random.default_rng(0)
    steps = [0, 0]

    def work() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions = state.legal_actions()
            else:
                if observe:
                    state.observation_tensor()
                actions = state.legal_actions()
                steps[0] += 1
            state.apply_action(actions[int(rng.random() * len(actions))])
        steps[1] += 1
        return 1

    games = rate(work, seconds)
    return games, games * steps[0] / steps[1]


def rlcard_steps(seconds: float) -> float:
    """Measure steps a second of RLCard's `doudizhu`: `env.run()` with its own random agents."""
    import rlcard
    from rlcard.agents import RandomAgent

    env = rlcard.make("doudizhu", config={"seed": 0})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def work() -> int:
        trajectories, _ = env.run(is_training=False)
        return sum((len(states) - 1) // 2 for states in trajectories)

    return rate(work, seconds)


def rlcard_bare_steps(seconds: float) -> float:
    """Measure steps a second of RLCard's `doudizhu` without agents: a loop over `env.step`."""
    import rlcard

    env = rlcard.make("doudizhu", config={"seed": 0})
    rng = np.random.default_rng(0)

    def work() -> int:
        state, _ = env.reset()
        steps = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return rate(work, seconds)


RATIOS = (
    (
        "random games inside the kernels",
        kernel_games,
        "games/s",
        "OpenSpiel `dou_dizhu`, no observation",
        openspiel_games,
        15.0,
    ),
    (
        "VectorEnv, 1,024 games, sub-steps, planes and masks",
        vector_steps,
        "steps/s",
        "OpenSpiel `dou_dizhu`, observation tensor",
        openspiel_steps,
        2.0,
    ),
    (
        "raw AEC env, flat, observation and mask",
        aec_steps,
        "steps/s",
        "RLCard `doudizhu`, `env.run()`",
        rlcard_steps,
        40.0,
    ),
    (
        "raw AEC env, flat, observation and mask",
        aec_steps,
        "steps/s",
        "RLCard `doudizhu`, bare `env.step` loop",
        rlcard_bare_steps,
        None,
    ),
)
"""Rows: what is measured, its function, unit, the peer, its function, the aim or None."""

RATES = (
    ("redeal + play + legal from one view, in a kernel", redeals, "1/s"),
    *(
        (
            f"`gymnasium.make`: one seat against `{name}`, sub-steps",
            partial(solo_steps, opponents=name),
            "steps/s",
        )
        for name in ("random", "rule")
    ),
)
