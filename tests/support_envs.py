"""Envs of every variant, random play in them, and wrappers around them."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test
from support import VARIANTS, variant_id

from closedhand import Game, make_game
from closedhand.core.duplicate import seatings
from closedhand.core.game import State
from closedhand.core.registry import GAMES as ENVIRONMENTS
from closedhand.envs.solo import SoloEnv
from closedhand.wrappers import DuplicateDealing

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)


class Fixed:
    """A deterministic agent that has no state: its choice depends on the view alone."""

    name = "fixed"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, view: State) -> int:
        legal = self.game.legal(view)
        # Not the bytes of the view: those of padding, and of what was blanked, may be anything.
        seen = self.game.observe(view, int(view.player))["observation"].astype(int).ravel()
        return int(legal[seen @ np.arange(len(seen)) % len(legal)])


def make_aec(variant: tuple[str, dict[str, Any]], **options: Any) -> Any:
    name, rules = variant
    return pettingzoo.make("aec", ENVIRONMENTS[name].aec_id, **rules, **options)


def make_solo(variant: tuple[str, dict[str, Any]], **options: Any) -> SoloEnv:
    name, rules = variant
    opponents = options.pop("opponents", Fixed(make_game(name, **rules)))
    env = gymnasium.make(ENVIRONMENTS[name].gymnasium_id, opponents=opponents, **rules, **options)
    return env.unwrapped  # type: ignore[return-value]


def choose(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play_aec(env: Any, rng: np.random.Generator, steps: int = 10**6) -> list[Any]:
    """What `last` tells at each step of random play."""
    log = []
    for _ in range(steps):
        if not env.agents:
            break
        observation, reward, terminated, truncated, info = env.last()
        log.append((env.agent_selection, observation, reward, terminated, info))
        env.step(None if terminated or truncated else choose(observation["action_mask"], rng))
    return log


def play_solo(env: Any, rng: np.random.Generator, steps: int = 10**6) -> list[Any]:
    """What `step` returns at each step of random play."""
    log = []
    for _ in range(steps):
        log.append(env.step(choose(env.action_masks(), rng)))
        if log[-1][2]:
            break
    return log


def deal_of(variant: tuple[str, dict[str, Any]]) -> str:
    game = make_game(variant[0], **variant[1])
    return game.deal_text(game.deal(np.random.default_rng(99)))


def teams_of(env: Any) -> list[str]:
    return [f"team {i}" for i in range(len(seatings(env.unwrapped.game.sides)))]


def duplicate(env: Any) -> DuplicateDealing:
    return DuplicateDealing(env, teams_of(env))


def complies(make: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent")
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        api_test(make(), num_cycles=200)
    seed_test(make, num_cycles=200)
