"""Our agents as OpenSpiel's bots and policies, and OpenSpiel's bots and policies as agents."""

from collections.abc import Callable
from typing import Any

import numpy as np
from open_spiel.python.policy import Policy

from closedhand.bridges.open_spiel.game import OpenSpielGame, OpenSpielState, pyspiel
from closedhand.core.agents import Agent, make_agent
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.checks import InputError, check_seed
from closedhand.core.game import State


class AgentPolicy(Policy):
    """The policy of an agent with `probabilities`, for best responses, exploitability and bots."""

    def __init__(self, game: OpenSpielGame, agent: str | Agent, seed: int = 0) -> None:
        """Take the policy of an agent, or of the text of one, in a game of `open_spiel_game`.

        Raises:
            InputError: There is no such agent, or it has no `probabilities`.
        """
        super().__init__(game, list(range(game.num_players())))
        self.agent: Any = make_agent(game.ours, agent, seed)
        if not hasattr(self.agent, "probabilities"):
            raise InputError(f"the agent {self.agent.name} has no probabilities(views)")

    def action_probabilities(
        self, state: OpenSpielState, player_id: int | None = None
    ) -> dict[int, float]:
        """Return the probability of each legal action of a player, by default the one to act."""
        game = state.get_game().ours
        view = game.view(state.record, state.current_player() if player_id is None else player_id)
        [row] = self.agent.probabilities(np.array([view], game.dtype))
        return {action: float(row[action]) for action in game.legal(view).tolist()}


class AgentBot(pyspiel.Bot):
    """One of our agents as a bot; it gets only the view of the player to act."""

    def __init__(self, game: OpenSpielGame, agent: str | Agent, seed: int = 0) -> None:
        """Let an agent, or the text of one, play; it needs no `probabilities`."""
        super().__init__()
        self.agent = make_agent(game.ours, agent, seed)

    def step(self, state: OpenSpielState) -> int:
        """Return the action of the player to act."""
        game = state.get_game().ours
        return int(self.agent.act(game.view(state.record, state.current_player())))

    def restart_at(self, state: OpenSpielState) -> None:
        """Do nothing: an agent has no memory of a game."""


class PolicyAgent(BatchAgent):
    """A policy of OpenSpiel as an agent, such as the average policy of a CFR solver."""

    def __init__(
        self, game: OpenSpielGame, policy: Any, seed: int = 0, name: str = "open-spiel-policy"
    ) -> None:
        """Play by a policy of Python or C++, in a game of `open_spiel_game`.

        The policy may use only what the player to act knows: it gets states made from views. `seed`
        is that of the choices.
        """
        super().__init__(game.ours, name)
        self._game = game
        self._policy = policy
        self._rng = np.random.default_rng(check_seed(seed))

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return the policy, float64 [n, num_actions], in each view, states [n].

        Raises:
            InputError: The policy has no probabilities for a view.
        """
        rows = np.zeros((len(views), self._game.ours.num_actions))
        for row, view in zip(rows, views, strict=True):
            state = self._game.state_of(view)
            shares = self._policy.action_probabilities(state)
            for action, share in dict(shares).items():  # C++ policies return a list of pairs
                row[action] = share
            if not row.sum() > 0:
                where = state.information_state_string()
                raise InputError(f"the policy of agent {self.name!r} has no entry for {where!r}")
        return rows

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Draw an action, int64 [n], for each view, states [n]; errors as of `probabilities`."""
        rows = self.probabilities(views)
        return np.array([self._rng.choice(len(row), p=row / row.sum()) for row in rows], np.int64)


class BotAgent:
    """A bot of OpenSpiel as an agent.

    A bot reads whole states. So that it cannot cheat, it gets a random determinisation of the view
    of its player. This does not weaken a search that samples states itself, such as IS-MCTS.
    """

    def __init__(
        self,
        game: OpenSpielGame,
        bot_of: Callable[[int], Any],
        seed: int = 0,
        name: str = "open-spiel-bot",
    ) -> None:
        """Let a bot play each seat of a game of `open_spiel_game`.

        `bot_of(seat)` makes the bot, before its first action. `seed` is that of the
        determinisations.
        """
        self.name = name
        self._game = game
        self._bot_of = bot_of
        self._bots: dict[int, Any] = {}
        self._rng = np.random.default_rng(check_seed(seed))

    def act(self, view: State) -> int:
        """Return the action of the bot of the player to act."""
        seat = int(view["player"])
        state = self._game.state_of(self._game.ours.redeal(view, seat, self._rng))
        if seat not in self._bots:
            self._bots[seat] = self._bot_of(seat)
        bot = self._bots[seat]
        # Bots without memory do not override `restart_at`, and that of the base class fails.
        if type(bot).restart_at is not pyspiel.Bot.restart_at:
            bot.restart_at(state)
        return int(bot.step(state))
