"""Checks that the environments of a game agree."""

import io
import math
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout

import numpy as np

from closedhand.core.agents import make_agent
from closedhand.core.game import Game
from closedhand.core.registry import GAMES
from closedhand.envs.aec import GameAEC, raw_env
from closedhand.envs.observation_form import ACTION_MASK, Observation
from closedhand.envs.parallel import GameParallel
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.testing.expectations import Broken, expect


def check_api(game: Game, seed: int, form: str) -> None:
    """Run the API tests of PettingZoo and Gymnasium."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        # They warn of dict observations, of masks that are zero after the end, and of their own
        # deprecated imports.
        warnings.simplefilter("ignore")
        from gymnasium.utils.env_checker import check_env
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

        solo = SoloEnv(game, opponents="random", observation=form)
        api_test(GameAEC(game, observation=form), num_cycles=60)
        seed_test(lambda: GameAEC(game, observation=form), num_cycles=60)
        check_env(solo, skip_render_check=True)
        if game.simultaneous:
            parallel_api_test(GameParallel(game, observation=form), num_cycles=10)
            parallel_seed_test(lambda: GameParallel(game, observation=form), num_cycles=10)


def check_opponent(game: Game, seed: int) -> None:
    """Check that `GameSpec.opponent` can play sub-steps: learners play against this agent."""
    if game.flat is game or game.name not in GAMES:
        return
    agent = make_agent(game, GAMES[game.name].opponent, seed)
    state = game.deal(np.random.default_rng(seed))
    while not game.over(state) and state.moves == 0:  # until the first play is complete
        try:
            action = agent.act(game.view(state, int(state.player)))
        except Exception as error:
            how = "cannot play sub-steps; an agent with a policy of whole plays is a PlayAgent"
            raise Broken(f"{agent.name} {how}: {error}") from error
        expect(action in game.legal(state), "{} chooses {}, which is illegal", agent.name, action)
        game.play(state, int(action))


STEPS = 60


def check_vector(game: Game, seed: int, form: str) -> None:
    """Check that the vector env agrees with the AEC env: observations, masks, rewards."""
    number, rng = 3, np.random.default_rng(seed)
    singles = [raw_env(game, observation=form) for _ in range(number)]
    for i, single in enumerate(singles):
        single.reset(seed=seed + i)
    envs = GameVectorEnv(game, number, reward="seats", observation=form)
    observations, infos = envs.reset(seed=seed)
    over = np.zeros(number, bool)
    for _ in range(STEPS):
        actors = np.where(over, -1, infos["current_player"])
        actions = np.zeros(number, np.int64)
        for i, single in enumerate(singles):
            if not over[i]:
                actions[i] = rng.choice(np.flatnonzero(observations[ACTION_MASK][i]))
                single.step(int(actions[i]))
        begun = np.flatnonzero(over)
        observations, rewards, over, _, infos = envs.step(actions)
        for i in begun:  # only the first deals of both envs follow from the same seeds
            singles[i].reset(options={"state": envs.states[i]})
        for i, single in enumerate(singles):
            agent = single.agent_selection
            where = f"game {i} of seed {seed + i}, {form}"
            expect(agent == f"player_{infos['current_player'][i]}", "who is to act in {}", where)
            row = {name: part[i] for name, part in observations.items()}
            alike(row, as_in_vector(single.observe(agent), over[i]), where)
            expect(single.terminations[agent] == over[i], "the end of {}", where)
            paid = [single.rewards[name] for name in single.possible_agents]
            expect(rewards[i].tolist() == paid,
                   "the rewards of {} are {}, not {}", where, rewards[i], paid)  # fmt: skip
            expect(infos["actor"][i] == actors[i], "who acted in {}", where)


def check_parallel(game: Game, seed: int, form: str) -> None:
    """Check that the parallel env of a simultaneous game agrees with the AEC env."""
    if not game.simultaneous:
        return
    rng = np.random.default_rng(seed)
    table, together = raw_env(game, observation=form), GameParallel(game, observation=form)
    for episode in range(seed, seed + 5):
        table.reset(seed=episode)
        seen, _ = together.reset(seed=episode)
        turns: dict[str, list[tuple[np.ndarray, int]]] = {agent: [] for agent in together.agents}
        # In a staged game a step of the parallel env pays for several steps of the AEC env.
        paid, due = dict.fromkeys(turns, 0.0), dict.fromkeys(turns, 0.0)
        while together.agents:
            for agent in together.agents:
                mask = seen[agent][ACTION_MASK]
                turns[agent].append((mask, int(rng.choice(np.flatnonzero(mask)))))
            seen, rewards, *_ = together.step({agent: turns[agent][-1][1] for agent in turns})
            for agent in paid:
                paid[agent] += rewards[agent]
        while not any(table.terminations.values()):
            agent = table.agent_selection
            expect(turns[agent], "{} acts more often in the AEC env", agent)
            mask, action = turns[agent].pop(0)
            expect((mask == table.observe(agent)[ACTION_MASK]).all(), "the mask of {}", agent)
            table.step(action)
            for agent in due:
                due[agent] += table.rewards[agent]
        expect(all(math.isclose(paid[agent], due[agent], abs_tol=1e-9) for agent in paid),
                "rewards are {}, in the AEC env {}", paid, due)  # fmt: skip
        for agent, observation in seen.items():
            alike(observation, table.observe(agent), agent)


ENVIRONMENTS: Mapping[str, Callable[[Game, int, str], None]] = {
    "AEC and vector env": check_vector,
    "parallel env": check_parallel,
    "environment API": check_api,
}
"""Checks of the environments by name; each takes a game, a seed and a form of observations."""


def as_in_vector(observation: Observation, over: bool) -> Observation:
    """Convert an observation to that of a vector env, whose mask marks action 0 after the end."""
    if not over:
        return observation
    mask = np.zeros_like(observation[ACTION_MASK])
    mask[0] = 1
    return {**observation, ACTION_MASK: mask}


def alike(one: Observation, other: Observation, where: str) -> None:
    """Check that two observations are equal, masks included."""
    for name, part in other.items():
        expect(np.array_equal(one[name], part), "{!r} differs in {}", name, where)
