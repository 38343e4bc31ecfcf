"""The opponents in Gymnasium envs: agents that play the other seats.

Seats and agents that cannot be used are refused by an `InputError`.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from closedhand.core import batch_kernels, lockstep
from closedhand.core.agents import Agent, Player, act_batch, make_agent
from closedhand.core.checks import InputError, shown
from closedhand.core.game import Game, explain_illegal
from closedhand.core.game_kernels import ALL_SEATS, RANDOM_SEAT
from closedhand.core.numba.fast_call import pack
from closedhand.core.numba.jit import Integer, Rules
from closedhand.core.policies import Policies, policy_of
from closedhand.envs import common

Spec = str | Player | Sequence[str | Player]
"""A name or an agent for all other seats, or a sequence with one for each other seat."""


class Opponents(common.Copied):
    """An agent for each other seat, in seat order after the user's."""

    # Policies share memory with their agents: a copy derives them from the copied agents.
    compiled = ("policies", "packed")

    def __init__(self, game: Game, spec: Spec, rng: np.random.Generator) -> None:
        """Make the agents; `rng` draws the seeds of those that are given by name."""
        others = game.num_players - 1
        if not isinstance(spec, str | Player | Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"opponents are agents or names of agents, not {shown(spec)}")
        specs = [spec] * others if isinstance(spec, str | Player) else list(spec)
        if len(specs) != others:
            raise InputError(
                f"{game.name} has {game.num_players} seats: name one opponent for all the others "
                f"or one for each, not {len(specs)}"
            )
        self.game, self.specs = game, specs
        self.agents: list[Agent] = []
        # Length of the scratch array `ids` of kernels, in which policies also list whole plays.
        self.scratch = max(game.num_actions, game.flat.num_actions)
        self.seed(rng)

    def seed(self, rng: np.random.Generator) -> None:
        """Make the agents given by name again, and keep those given as objects.

        Seeds come from children of `rng`, whose own stream is unchanged: `SoloEnv` deals from it.
        """
        seeds = [int(child.integers(2**31)) for child in rng.spawn(len(self.specs))]
        self.agents = [
            make_agent(self.game, spec, seed)
            for spec, seed in zip(self.specs, seeds, strict=True)
        ]  # fmt: skip
        for name in self.compiled:
            self.__dict__.pop(name, None)

    @cached_property
    def policies(self) -> Policies | None:
        """The agents' policies, for kernels; None without agents, or if one decides in Python."""
        found = [policy_of(agent) for agent in self.agents]
        return tuple(found) if found and all(each is not None for each in found) else None

    @cached_property
    def packed(self) -> tuple[Rules, Policies]:
        """The packed rules and policies (`fast_call.pack`); no policies if `policies` is None."""
        return pack(self.game.rules), pack(self.policies or ())

    def refuse(self, state: Any, seat: int, action: Integer) -> NoReturn:
        """Raise an `InputError` for an illegal action of the agent to act; `seat` is the user's."""
        agent = self.agents[(int(state["player"]) - seat) % self.game.num_players - 1]
        why = explain_illegal(self.game, state, int(action))
        raise InputError(f"agent {agent.name!r} cannot continue: {why}")

    def play_outside(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Let all agents play, in Python, until each game is over or it is the user's turn.

        The games `states`, [n], change in place; `seats` are those of the user, int64 [n]. Return
        which games are over, bool [n]. An `InputError` refuses an illegal action of an agent.
        """

        def ahead(games: Any) -> np.ndarray:
            # Seats from the user's to the player to act: 0 for the user, 1 for the first agent.
            return (states["player"][games] - seats[games]) % self.game.num_players

        def choose(views: np.ndarray, games: np.ndarray) -> np.ndarray:
            actions, to_act = np.empty(len(views), np.int64), ahead(games) - 1
            for i, agent in enumerate(self.agents):
                own = np.flatnonzero(to_act == i)
                if len(own):
                    actions[own] = act_batch(agent, views[own])
            return actions

        def name(i: int) -> str:
            return f"agent {self.agents[int(ahead(i)) - 1].name!r}"

        running = np.empty(len(states), bool)
        while True:
            batch_kernels.running(self.game.rules, states, running)
            waiting = np.flatnonzero(running & (ahead(...) > 0))  # `...`: in all games
            if not len(waiting):
                return ~running
            lockstep.step(self.game, states, waiting, choose, name)


def check_seat(game: Game, seat: int | str) -> int | None:
    """Return the number of a seat, None for `random`; an `InputError` refuses any other value."""
    if isinstance(seat, str) and seat == "random":
        return None
    try:
        return game.seat(seat)
    except InputError:
        last = game.num_players - 1
        raise InputError(f"seat must be 0 to {last}, or 'random', not {shown(seat)}") from None


def user_seat(game: Game, opponents: Spec | None, seat: int | str) -> int:
    """Return the user's seat in a batch, or `RANDOM_SEAT`; without opponents `ALL_SEATS`."""
    chosen = check_seat(game, seat)
    if opponents is not None:
        return RANDOM_SEAT if chosen is None else chosen
    if seat != 0:
        raise InputError("seat needs opponents: without them all seats are played")
    return ALL_SEATS
