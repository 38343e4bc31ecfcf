"""Players across the border: an RLCard agent as ours, and one of ours as RLCard's.

The words of both libraries for the same game are in a module for each game: `TABLES`.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Agent, Traits, described, make_agent
from closedhand.core.checks import InputError, check_seed
from closedhand.core.game import Game, State
from closedhand.core.optional_imports import needing
from closedhand.core.registry import make_game

TABLES = {
    "doudizhu": "closedhand.bridges.rlcard.doudizhu",
    "leduc": "closedhand.bridges.rlcard.leduc",
}
"""Modules with the words of both libraries, by the names of our games."""


class Table(Protocol):
    """The words of both libraries for a game.

    Attributes:
        ENV: Name of RLCard's environment.
        OPTIONS: Options of our game that make it the same one.
    """

    ENV: str
    OPTIONS: dict[str, Any]

    def refuse(self, game: Game) -> None:
        """Refuse a game that RLCard does not have, with an `InputError`."""
        ...

    def state_of(self, env: Any, game: Game, view: State) -> dict[str, Any]:
        """What RLCard's environment would tell the player to act."""
        ...

    def text_of_id(self, env: Any, number: int) -> str:
        """How RLCard writes an action of its own."""
        ...

    def action_of(self, game: Game, view: State, text: str) -> int:
        """Our action for one that RLCard writes so; -1 if there is none that is legal."""
        ...

    def view_of(self, env: Any, game: Game, state: dict[str, Any]) -> State:
        """Our view of what RLCard's environment tells the player to act."""
        ...

    def text_of(self, game: Game, view: State, action: int) -> str:
        """How RLCard writes an action of ours."""
        ...


def table_of(game: Game) -> Table:
    """The words of both libraries for a game.

    Raises:
        InputError: RLCard does not have the game, or not under these rules.
    """
    if game.name not in TABLES:
        raise InputError(f"RLCard has no {game.name}; of ours it has {', '.join(TABLES)}")
    table: Any = import_module(TABLES[game.name])
    if game.flat is not game:
        raise InputError("RLCard's actions are whole plays: use the game without sub-steps")
    table.refuse(game)
    return table


def make_env(name: str) -> Any:
    """One of RLCard's environments."""
    with needing():
        import rlcard

        return rlcard.make(name)


class RLCardAgent:
    """An RLCard agent as our agent.

    It is asked by `eval_step`, with the state dict that RLCard's own environment would give it:
    observation, legal actions, raw observation and record of actions. NumPy's global random
    numbers, which RLCard's agents draw from, are its own while it decides.

    Attributes:
        name: Name in results and records.
    """

    def __init__(self, game: Game, theirs: Any, seed: int = 0, name: str | None = None) -> None:
        """Let RLCard agents play.

        Args:
            game: Game to play, without sub-steps.
            theirs: Agent with `use_raw` and `eval_step(state)`, or one for each seat of RLCard's
                game: in Dou Dizhu the landlord, the peasant after and the peasant before him.
            seed: Seed of NumPy's global random numbers while it decides.
            name: Name in results and records; by default that of its class.

        Raises:
            InputError: RLCard does not have the game, or there is not an agent for each seat.
        """
        self._table = table_of(game)
        agents = list(theirs) if isinstance(theirs, Sequence) else [theirs] * game.num_players
        if len(agents) != game.num_players:
            raise InputError(f"{game.name} has {game.num_players} seats, not {len(agents)}")
        self.name = name or type(agents[0]).__name__
        self._game = game
        self._agents = agents
        self._env = make_env(self._table.ENV)
        self._random = np.random.RandomState(check_seed(seed) % 2**32)

    def act(self, view: State) -> int:
        """The action of the player to act.

        Raises:
            InputError: The agent answers something that is not a legal action.
        """
        state = self._table.state_of(self._env, self._game, view)
        agent = self._agents[state["raw_obs"].get("self", int(view["player"]))]
        with self._own_random():
            answer = agent.eval_step(state)[0]
        text = answer if agent.use_raw else self._table.text_of_id(self._env, int(answer))
        action = self._table.action_of(self._game, view, text)
        if action not in self._game.legal(view):
            raise InputError(f"the agent {self.name} answers {text!r}, which is not legal now")
        return action

    @contextmanager
    def _own_random(self) -> Generator[None]:
        """NumPy's global random numbers continue ours, and are left as they were."""
        before = np.random.get_state()
        np.random.set_state(self._random.get_state())
        try:
            yield
        finally:
            self._random.set_state(np.random.get_state())
            np.random.set_state(before)


class RLCardPlayer:
    """One of our agents as RLCard's, for `env.set_agents`.

    It is given a view of our game that says what RLCard's state says, and no more.

    Attributes:
        use_raw: True: its answers are texts of actions.
        agent: Our agent.
    """

    use_raw = True

    def __init__(self, env: Any, agent: str | Agent, seed: int = 0) -> None:
        """Let one of our agents play in an environment of RLCard.

        Args:
            env: RLCard's environment, of which nothing is read but what lies open on the table.
            agent: Text of an agent, or an agent of `game_of(env)`.
            seed: Seed of an agent given by its text.

        Raises:
            InputError: We have no such game, or there is no such agent.
        """
        self._env = env
        self._game = game_of(env)
        self._table = table_of(self._game)
        self.agent = make_agent(self._game, agent, seed)

    def step(self, state: dict[str, Any]) -> str:
        """The action for a state of RLCard's environment."""
        view = self._table.view_of(self._env, self._game, state)
        return self._table.text_of(self._game, view, int(self.agent.act(view)))

    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The action for a state of RLCard's environment, and no further information."""
        return self.step(state), {}


def game_of(env: Any) -> Game:
    """Our game that an environment of RLCard plays.

    Raises:
        InputError: We have no such game.
    """
    for name, place in TABLES.items():
        table: Any = import_module(place)
        if env.name == table.ENV:
            return make_game(name, **table.OPTIONS)
    raise InputError(f"no game of ours is RLCard's {env.name}")


def _traits(game: Game, argument: str | None) -> Traits:
    if argument is None:
        raise InputError("the agent rlcard needs one of RLCard's models, as rlcard:MODEL")
    return Traits()


@described(_traits)
def make_rlcard(game: Game, seed: int, argument: str | None) -> RLCardAgent:
    """The agent `rlcard:MODEL`: a model that RLCard registers, such as `doudizhu-rule-v1`.

    Raises:
        InputError: RLCard has no such model, or not for this game.
    """
    table = table_of(game)
    with needing():
        from rlcard import models
        from rlcard.models.registration import model_registry
    known = [name for name in model_registry.model_specs if name.startswith(table.ENV)]
    if argument not in known:
        raise InputError(f"the agent rlcard needs one of RLCard's models: {', '.join(known)}")
    name = str(AgentSpec("rlcard", argument=argument))
    return RLCardAgent(game, models.load(argument).agents, seed, name)
