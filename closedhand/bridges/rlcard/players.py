"""RLCard's agents as agents of this package, and ours as agents of RLCard.

A module for each game converts its states and actions (`CONVERTERS`). Each module has

- `ENV`, the name of RLCard's environment; `TEXTS`, its attribute with the texts of actions by id;
- `OPTIONS`, which give our game RLCard's rules; `PRESETS`, our presets whose plays RLCard has;
- `state_of`, `view_of`: our view as RLCard's state dict, and back;
- `text_of`, `action_of`: RLCard's text of an action of ours, and back.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from closedhand.bridges.rlcard import doudizhu, leduc
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Agent, Traits, described, make_agent
from closedhand.core.checks import InputError, check_seed, whole_number
from closedhand.core.game import Game, State
from closedhand.core.optional_imports import needing
from closedhand.core.registry import make_game

CONVERTERS: dict[str, Any] = {"doudizhu": doudizhu, "leduc": leduc}


def converter_of(game: Game) -> Any:
    """Find the converter of a game; refuse a game that RLCard lacks, or has under other rules."""
    if game.name not in CONVERTERS:
        raise InputError(f"RLCard has no {game.name}; of ours it has {', '.join(CONVERTERS)}")
    converter = CONVERTERS[game.name]
    if game.flat is not game:
        raise InputError("RLCard's actions are whole plays: use the game without sub-steps")
    if game.options["rules"] not in converter.PRESETS:
        rules, known = game.options["rules"], ", ".join(converter.PRESETS)
        raise InputError(f"RLCard lacks plays of rules {rules!r}: use one of {known}")
    return converter


def make_env(name: str) -> Any:
    """Make an environment of RLCard."""
    with needing():
        import rlcard

        return rlcard.make(name)


class RLCardAgent:
    """An RLCard agent as an agent of this package.

    `eval_step` of the RLCard agent gets the state dict that RLCard's own environment would give it:
    observation, legal actions, raw observation and record of actions. RLCard's agents draw from
    NumPy's global generator: during a decision the generator has a state of this agent's own.
    """

    def __init__(self, game: Game, theirs: Any, seed: int = 0, name: str | None = None) -> None:
        """Let RLCard agents play a game without sub-steps.

        `theirs` is an agent with `use_raw` and `eval_step(state)`, or one for each seat of RLCard's
        game: in Dou Dizhu the landlord, the peasant after and the peasant before him. The name is
        by default that of the first agent's class.

        Raises:
            InputError: RLCard lacks the game or its rules, or there is not an agent for each seat.
        """
        self._converter = converter_of(game)
        agents = list(theirs) if isinstance(theirs, Sequence) else [theirs] * game.num_players
        if len(agents) != game.num_players:
            raise InputError(f"{game.name} has {game.num_players} seats, not {len(agents)}")
        self.name = name or type(agents[0]).__name__
        self._game = game
        self._agents = agents
        self._env = make_env(self._converter.ENV)
        self._random = np.random.RandomState(check_seed(seed) % 2**32)  # NumPy's limit

    def __getstate__(self) -> dict[str, Any]:
        # Modules cannot be copied, and RLCard's environments hold some.
        left_out = "_converter", "_env"
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._converter = converter_of(self._game)
        self._env = make_env(self._converter.ENV)

    def act(self, view: State) -> int:
        """Return the action of the player to act.

        Raises:
            InputError: The RLCard agent's answer is illegal, or Dou Dizhu is still before the
                landlord's lead, which RLCard's game begins with.
        """
        state = self._converter.state_of(self._env, self._game, view)
        # `self` is RLCard's seat, in Dou Dizhu counted from the landlord.
        agent = self._agents[state["raw_obs"].get("self", int(view["player"]))]
        with self._own_random():
            answer = agent.eval_step(state)[0]  # with `use_raw` a text, else an id of RLCard
        text = answer
        if not agent.use_raw:
            most = self._env.num_actions - 1
            number = whole_number(answer, f"an action of the agent {self.name}", 0, most)
            text = getattr(self._env, self._converter.TEXTS)[number]
        action = self._converter.action_of(self._game, view, text)
        if action not in self._game.legal(view):
            raise InputError(f"the agent {self.name} answers {text!r}, which is not legal now")
        return action

    @contextmanager
    def _own_random(self) -> Generator[None]:
        """Replace the state of NumPy's global generator by ours, and restore it afterwards."""
        before, own = np.random.get_state(), self._random.get_state()
        try:
            np.random.set_state(own)
            yield
        finally:
            self._random.set_state(np.random.get_state())
            np.random.set_state(before)


class RLCardPlayer:
    """One of our agents as an agent of RLCard, for `env.set_agents`.

    Its views are built from RLCard's state dicts and public information of the environment.
    """

    use_raw = True  # answers are texts of actions

    def __init__(self, env: Any, agent: str | Agent, seed: int = 0) -> None:
        """Let one of our agents, or the text of one, play in an environment of RLCard.

        Raises:
            InputError: There is no such game here, or no such agent.
        """
        self._env, self._game = env, game_of(env)
        self._converter = converter_of(self._game)
        self.agent = make_agent(self._game, agent, seed)

    def step(self, state: dict[str, Any]) -> str:
        """Return RLCard's text of the action in a state dict of the environment."""
        view = self._converter.view_of(self._env, self._game, state)
        return self._converter.text_of(self._game, view, int(self.agent.act(view)))

    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the result of `step`, and an empty info dict."""
        return self.step(state), {}


def game_of(env: Any) -> Game:
    """Make our game with the rules of an environment of RLCard; refuse one without such a game."""
    for name, converter in CONVERTERS.items():
        if env.name == converter.ENV:
            game = make_game(name, **converter.OPTIONS)
            if env.num_players != game.num_players:
                raise InputError(f"{name} has {game.num_players} seats, not {env.num_players}")
            return game
    raise InputError(f"no game of ours is RLCard's {env.name}")


def _traits(game: Game, argument: str | None) -> Traits:
    if argument is None:
        raise InputError("the agent rlcard needs one of RLCard's models, as rlcard:MODEL")
    return Traits()


@described(_traits)
def make_rlcard(game: Game, seed: int, argument: str | None) -> RLCardAgent:
    """Make the agent `rlcard:MODEL`, a model registered by RLCard, such as `doudizhu-rule-v1`.

    Raises:
        InputError: RLCard lacks the game or its rules, or has no such model for it.
    """
    converter = converter_of(game)
    with needing():
        from rlcard import models
        from rlcard.models.registration import model_registry
    known = [name for name in model_registry.model_specs if name.startswith(converter.ENV)]
    if argument not in known:
        raise InputError(f"the agent rlcard needs one of RLCard's models: {', '.join(known)}")
    name = str(AgentSpec("rlcard", argument=argument))
    return RLCardAgent(game, models.load(argument).agents, seed, name)
