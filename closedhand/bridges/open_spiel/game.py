"""Any of our games as a Python game of OpenSpiel.

An OpenSpiel game begins with chance. If there are at most 10,000 deals, one chance node has all of
them, so algorithms that walk the tree are exact. Otherwise chance nodes draw a seed, one byte each,
and our rules deal from it. There are no later chance nodes: later draws of our rules, such as the
deals of further rounds, come from the seed.

Simultaneous players act one after the other here, and do not see the actions of the others.
"""

import math
from typing import Any, Self

import numpy as np

from closedhand.bridges.open_spiel.positions import CHANCE, TERMINAL, Node, pyspiel, shared_of
from closedhand.core.checks import InputError
from closedhand.core.game import Game, State
from closedhand.core.registry import make_game
from closedhand.core.views import written

NAME = "closedhand"
"""Name for `pyspiel.load_game`."""

MOST_NUMBERS = 20_000
"""Largest size of the tensor of an information state; larger games provide none."""


def open_spiel_game(game: Game | str, **options: Any) -> "OpenSpielGame":
    """Make one of our games for OpenSpiel; `pyspiel.load_game` makes the same one.

        pyspiel.load_game("closedhand(game=doudizhu,options=rules:tiny;objective:win)")

    `options` are those of `make_game`, if `game` is a name.

    Raises:
        InputError: An unknown game or option, or options beside a `Game`.
    """
    if isinstance(game, Game):
        if options:
            raise InputError("options of a game are set when it is made: give them to make_game")
        return OpenSpielGame(ours=game)
    return OpenSpielGame(ours=make_game(game, **options))


def _options_text(game: Game) -> str:
    """Write options for OpenSpiel's parameters, which may not hold `=`, `,` or brackets."""
    pairs = {name: value for name, value in game.options.items() if value is not None}
    return ";".join(f"{name}:{value}" for name, value in pairs.items())


def _game_of(name: str, text: str) -> Game:
    """Make the game of a name and of options as `_options_text` writes them."""
    options: dict[str, Any] = {}
    for pair in filter(None, text.split(";")):
        key, colon, value = pair.partition(":")
        if not colon:
            raise InputError(f"options of {name} are name:value;name:value, not {text!r}")
        options[key.strip()] = value.strip()
    return make_game(name, **options)


def _game_type(game: Game, recalls: bool) -> "pyspiel.GameType":
    kind = pyspiel.GameType
    varies = game.payoff_sum is None
    utility = kind.Utility.GENERAL_SUM if varies else kind.Utility.CONSTANT_SUM
    return kind(
        short_name=NAME,
        long_name="closedhand: hidden-hand card games",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if game.zero_sum else utility,
        reward_model=kind.RewardModel.REWARDS if game.staged else kind.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=recalls,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={"game": "leduc", "options": ""},
    )


class OpenSpielGame(pyspiel.Game):
    """One of our games as a game of OpenSpiel; see `open_spiel_game`."""

    def __init__(self, params: dict[str, Any] | None = None, ours: Game | None = None) -> None:
        """Make the game, as `open_spiel_game` does, from OpenSpiel's parameters or from `ours`."""
        if ours is None:
            given = {"game": "leduc", "options": "", **(params or {})}
            ours = _game_of(given["game"], given["options"])
        self.ours = ours
        self.shared = shared_of(ours)
        # Shape of all past actions, one-hot; see `Observer`.
        self.recall_shape = (len(ours.empty(1)["history"][0]), ours.flat.num_actions)
        self.recall_size = ours.feature_size + math.prod(self.recall_shape)
        low, high = ours.payoff_range
        super().__init__(
            _game_type(ours, self.recall_size <= MOST_NUMBERS),
            pyspiel.GameInfo(
                num_distinct_actions=ours.num_actions,
                max_chance_outcomes=len(self.shared.outcomes),
                num_players=ours.num_players,
                min_utility=float(low),
                max_utility=float(high),
                utility_sum=ours.payoff_sum,
                max_game_length=ours.max_moves,
            ),
            {"game": ours.name, "options": _options_text(ours)},
        )

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        # OpenSpiel's own copies lack what this class adds.
        return open_spiel_game, (self.ours,)

    def new_initial_state(self) -> "OpenSpielState":
        """Return a state before the deal."""
        return OpenSpielState(self)

    def state_of(self, record: State) -> "OpenSpielState":
        """Convert one of our states or views, at any point of a game.

        The history of the result is empty. A result made from a view is fit only for policies and
        bots that read nothing but the information of its player.
        """
        return OpenSpielState(self, Node(self.shared, record))

    def make_py_observer(
        self, iig_obs_type: "pyspiel.IIGObservationType | None" = None, params: Any = None
    ) -> "Observer":
        """Make the observer, which OpenSpiel asks for tensors and strings.

        Raises:
            InputError: There are parameters, or public or private information is left out.
        """
        if params:
            raise InputError(f"observations of {NAME} take no parameters, not {params!r}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise InputError(f"observations of {NAME} are all of what one player knows, not a part")
        return Observer(self, kind.perfect_recall)


class OpenSpielState(pyspiel.State):
    """A state of one of our games as a state of OpenSpiel."""

    def __init__(self, game: OpenSpielGame, node: Node | None = None) -> None:
        """Begin before the deal, or at a position. Use `new_initial_state` or `state_of`."""
        super().__init__(game)
        self.node = node  # our position, None before the deal
        self._drawn: list[int] = []  # chance outcomes so far
        self._paid: list[float] | None = None  # returns before the last action; None before any

    @property
    def record(self) -> State:
        """Our state, which is not to be changed; before the deal it raises an `InputError`."""
        if self.node is None:
            raise InputError("nothing is dealt yet")
        return self.node.record

    def current_player(self) -> int:
        """Return the seat to act, or `CHANCE` or `TERMINAL`."""
        return CHANCE if self.node is None else self.node.player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.node is not None and self.node.player == TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance node with their probabilities."""
        return self.get_game().shared.outcomes

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.node is None else self.node.legal

    def _apply_action(self, action: int) -> None:
        if self.node is not None:
            self._paid = self.node.returns
            self.node = self.node.child(action)
            return
        shared = self.get_game().shared
        self._drawn = [*self._drawn, action]
        if len(self._drawn) == shared.chances:
            self.node = shared.root(self._drawn)

    def _action_to_string(self, player: int, action: int) -> str:
        """Write an action, or an outcome of chance: a listed deal or else a byte of the seed."""
        shared = self.get_game().shared
        if player != CHANCE:
            return shared.game.text(action, None if self.node is None else self.node.record)
        if shared.deals is None:
            return f"byte {action}"
        return shared.game.deal_text(shared.deals[action].state)

    def returns(self) -> list[float]:
        """Return the payoffs by player; zeros before they are paid."""
        return [0.0] * self.num_players() if self.node is None else self.node.returns

    def rewards(self) -> list[float]:
        """Return what the last action paid to each player."""
        now = self.returns()
        return now if self._paid is None else [a - b for a, b in zip(now, self._paid, strict=True)]

    def resample_from_infostate(self, player: int, sampler: Any) -> "OpenSpielState":
        """Draw a determinisation of what a player knows, for OpenSpiel's searches.

        `sampler()` returns random numbers from 0 to 1. If this state was made by `state_of`, the
        history of the result is empty. If the new deal is listed and the players act in turn, the
        history is that deal and the actions of this state. Otherwise it is the history of this
        state, which does not lead to the result.
        """
        game = self.get_game()
        shared = game.shared
        view = shared.game.view(self.record, player)
        rng = np.random.default_rng(int(sampler() * 2**53))
        found = shared.game.redeal(view, player, rng)
        if not self._drawn:
            return game.state_of(found)
        outcome = None
        # Hidden simultaneous actions may differ between this state and `found`.
        if shared.deals is not None and not shared.game.simultaneous:
            outcome = shared.of_deal.get(shared.game.deal_text(found))  # None: merged with another
        if outcome is not None:
            state = game.new_initial_state()
            for action in (outcome, *self.history()[1:]):
                state.apply_action(action)
            return state
        state = self.clone()
        state.node = Node(shared, found)
        return state

    def __str__(self) -> str:
        if self.node is None:
            return " ".join(["before the deal", *map(str, self._drawn)])
        game, record = self.node.shared.game, self.node.record
        actions = [written(game.flat, action) for action in game.history(record).tolist()]
        # OpenSpiel's history adds actions of earlier rounds and sub-steps within a play.
        return "; ".join([game.deal_text(record), " ".join(actions), self.history_str()])


class Observer:
    """Observation of a player, as a tensor and as text.

    Without perfect recall the tensor is the compact observation, and the text is the board as the
    player sees it. With perfect recall the text is everything the player knows, and the tensor also
    has the actions that the player knows, one-hot, if it then has at most `MOST_NUMBERS` entries.

    Attributes:
        tensor: The numbers, float32.
        dict: Views of `tensor` by name: `features`, and `actions` if it has them.
    """

    def __init__(self, game: OpenSpielGame, recalls: bool) -> None:
        """Allocate the tensor."""
        self._game = game.ours
        self._recalls = recalls
        size = self._game.feature_size
        has_actions = recalls and game.recall_size <= MOST_NUMBERS
        self.tensor = np.zeros(game.recall_size if has_actions else size, np.float32)
        self.dict = {"features": self.tensor[:size]}
        if has_actions:
            self.dict["actions"] = self.tensor[size:].reshape(game.recall_shape)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what a player knows into `tensor`; zeros before the deal."""
        self.tensor.fill(0)
        if state.node is None:
            return
        record = state.node.record
        self.dict["features"][:] = self._game.features(record, player)
        if "actions" in self.dict:
            known = self._game.history(self._game.view(record, player))
            places = np.flatnonzero(known >= 0)
            self.dict["actions"][places, known[places]] = 1

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Write what a player knows as text."""
        if state.node is None:
            return f"player {player}: nothing is dealt"
        return state.node.text(player, self._recalls)


pyspiel.register_game(_game_type(make_game("leduc"), True), OpenSpielGame)
