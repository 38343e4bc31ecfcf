"""Checks that the environments of a game agree."""

import io
import math
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from closedhand.core.agents import make_agent
from closedhand.core.game import Game, State
from closedhand.core.registry import GAMES
from closedhand.envs.aec import GameAEC, env as aec_env
from closedhand.envs.observation_form import ACTION_MASK, Observation
from closedhand.envs.parallel import GameParallel
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.testing.expectations import Broken, expect


class _Steady:
    """An agent that chooses by its observation alone, so that it plays alike in every env."""

    name = "steady"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, view: State) -> int:
        return self.choose(self.game.observe(view, int(view.player)), self.game.legal(view))

    @staticmethod
    def choose(seen: Observation, legal: np.ndarray) -> int:
        numbers = seen["observation"].astype(np.int64).ravel()
        return int(legal[numbers @ np.arange(1, len(numbers) + 1) % len(legal)])


def check_api(game: Game, seed: int, form: str) -> None:
    """Run the API tests of PettingZoo and Gymnasium."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        # They warn of dict observations, of masks that are zero after the end, and of their own
        # deprecated imports.
        warnings.simplefilter("ignore")
        from gymnasium.utils.env_checker import check_env
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

        solo = SoloEnv(game, opponents=_Steady(game), observation=form)
        api_test(aec_env(game, observation=form), num_cycles=60)
        seed_test(lambda: aec_env(game, observation=form), num_cycles=60)
        check_env(solo, skip_render_check=True)
        if game.simultaneous:
            parallel_api_test(GameParallel(game, observation=form), num_cycles=10)
            parallel_seed_test(lambda: GameParallel(game, observation=form), num_cycles=10)


def check_opponent(game: Game, seed: int) -> None:
    """Check that the opponent of the game's spec can play sub-steps: learners meet it there."""
    if game.flat is game or game.name not in GAMES:
        return
    agent = make_agent(game, GAMES[game.name].opponent, seed)
    state = game.deal(np.random.default_rng(seed))
    while not game.over(state) and state.moves == 0:  # until the first play is whole
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
    number = 3
    singles = [GameAEC(game, observation=form) for _ in range(number)]
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
                actions[i] = _choose(observations, i)
                single.step(int(actions[i]))
        begun = np.flatnonzero(over)
        observations, rewards, over, _, infos = envs.step(actions)
        for i in begun:  # later deals of a vector env come from the stream of the game
            singles[i].reset(options={"state": envs.states[i]})
        for i, single in enumerate(singles):
            agent = single.agent_selection
            where = f"game {i} of seed {seed + i}, {form}"
            expect(agent == f"player_{infos['current_player'][i]}", "who is to act in {}", where)
            alike(_row(observations, i), _shown(single.observe(agent), over[i]), where)
            expect(single.terminations[agent] == over[i], "the end of {}", where)
            paid = [single.rewards[name] for name in single.possible_agents]
            expect(rewards[i].tolist() == paid,
                   "the rewards of {} are {}, not {}", where, rewards[i], paid)  # fmt: skip
            expect(infos["actor"][i] == actors[i], "who acted in {}", where)


def check_solo(game: Game, seed: int, form: str) -> None:
    """Check that the solo env, a vector env with opponents and the AEC env agree about one seat."""
    agent, seat = _Steady(game), (seed + 1) % game.num_players
    solo = SoloEnv(game, opponents=agent, seat=seat, observation=form)
    envs = GameVectorEnv(game, 1, opponents=agent, seat=seat, observation=form)
    table, name = GameAEC(game, observation=form), f"player_{seat}"
    seen, info = solo.reset(seed=seed)
    batch, _ = envs.reset(seed=seed)
    table.reset(seed=seed)
    over = False
    for _ in range(STEPS):
        # A game that ends before the seat's turn is no episode of it.
        while not over and table.agent_selection != name:
            _let_act(table, agent, name)
            if all(table.terminations.values()):
                seen, info = _begin_as(envs, solo, table)
        where = f"seat {seat}, {form}"
        alike(_row(batch, 0), _shown(seen, over), where + ", vector and solo env")
        alike(seen, table.observe(name), where + ", solo and AEC env")
        if over:
            batch, *_ = envs.step(np.zeros(1, np.int64))
            seen, info, over = *_begin_as(envs, solo, table), False
            continue
        action = int(np.random.default_rng(seed).choice(np.flatnonzero(seen[ACTION_MASK])))
        seen, reward, over, _, info = solo.step(np.int64(action))
        batch, rewards, *_ = envs.step(np.array([action]))
        table.step(action)
        paid = table.rewards[name] + _let_act(table, agent, name)
        expect(over == all(table.terminations.values()), "the end of an episode of {}", where)
        expect(math.isclose(reward, paid) and math.isclose(rewards[0], paid),
                "the reward of {} is {} in the solo env, {} in the vector env and {} in the AEC "
                "env", where, reward, rewards[0], paid)  # fmt: skip
    expect(info["current_player"] == seat, "the info names another seat")


def _begin_as(envs: GameVectorEnv, solo: SoloEnv, table: GameAEC) -> Any:
    """Begin the game of a vector env in the other envs, as its later deals come from its stream."""
    start = {"state": envs.states[0]}
    table.reset(options=start)
    return solo.reset(options=start)


def _let_act(table: GameAEC, agent: _Steady, name: str) -> float:
    """Let the agent act in the AEC env until `name` is to act; return the rewards of `name`."""
    paid = 0.0
    while not all(table.terminations.values()) and table.agent_selection != name:
        state = table.game_state
        table.step(agent.act(table.game.view(state, int(state.player))))
        paid += table.rewards[name]
    return paid


def check_parallel(game: Game, seed: int, form: str) -> None:
    """Check that the parallel env of a simultaneous game agrees with the AEC env."""
    if not game.simultaneous:
        return
    rng = np.random.default_rng(seed)
    table, together = GameAEC(game, observation=form), GameParallel(game, observation=form)
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
    "solo env": check_solo,
    "parallel env": check_parallel,
    "environment API": check_api,
}
"""Checks of the environments, from a seed and a form of observations."""


def _choose(observations: Observation, i: int) -> int:
    """Return the choice of `_Steady` in game i of a batch."""
    row = _row(observations, i)
    return _Steady.choose(row, np.flatnonzero(row[ACTION_MASK]))


def _shown(observation: Observation, over: bool) -> Observation:
    """Convert an observation to that of a vector env, whose mask marks action 0 after the end."""
    if not over:
        return observation
    mask = np.zeros_like(observation[ACTION_MASK])
    mask[0] = 1
    return {**observation, ACTION_MASK: mask}


def _row(observations: Observation, i: int) -> Observation:
    return {name: part[i] for name, part in observations.items()}


def alike(one: Observation, other: Observation, where: str) -> None:
    """Check that two observations are equal, masks included."""
    for name, part in other.items():
        expect(np.array_equal(one[name], part), "{!r} differs in {}", name, where)
