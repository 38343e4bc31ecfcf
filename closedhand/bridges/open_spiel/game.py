"""Any of our games as a Python game of OpenSpiel.

An OpenSpiel game begins with chance. A game that lists its deals has one chance node with all of
them, so that every algorithm which walks the tree is exact; a larger one draws a seed, byte by
byte, and deals from that. Afterwards there is no chance: what our rules draw later, such as the
deals of further rounds, comes from the seed.

Players who act at the same time act one after the other here, and do not see what the others do.
"""

import math
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import InputError
from closedhand.core.game import Deal, Game, State
from closedhand.core.optional_imports import needing
from closedhand.core.registry import make_game
from closedhand.core.views import UNSEEN

with needing():
    import pyspiel

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)

NAME = "closedhand"
"""Name for `pyspiel.load_game`."""

LISTED, DRAWN = "listed", "drawn"
AUTO = "auto"

MOST_DEALS = 10_000
"""Largest number of deals that are listed unless asked for."""
FEW = 20
"""Number of deals whose probabilities tell whether there are many more."""

MOST_KEPT = 200_000
"""Largest number of positions that are kept, so that the next walk through the tree finds them."""
SEED_BYTES = 6
"""Bytes of the seed of a deal that is drawn."""
MOST_NUMBERS = 20_000
"""Largest size of the tensor of an information state."""


def open_spiel_game(game: Game | str, deals: str = AUTO, **options: Any) -> "OpenSpielGame":
    """One of our games for OpenSpiel; `pyspiel.load_game` makes the same one.

        pyspiel.load_game("closedhand(game=doudizhu,options=rules:tiny;objective:win)")

    Args:
        game: A `Game`, or the name of one.
        deals: `listed`: one chance node with all deals; `drawn`: chance nodes for a seed; `auto`:
            listed if there are no more than 10,000.
        **options: Options of `make_game`, for a name.

    Raises:
        InputError: An unknown game or option, a `Game` with options, deals that are neither of
            these words, or deals that are to be listed and cannot be.
    """
    if isinstance(game, Game):
        if options:
            raise InputError("options of a game are set when it is made")
        return OpenSpielGame(ours=game, deals=deals)
    return OpenSpielGame(ours=make_game(game, **options), deals=deals)


def _options_text(game: Game) -> str:
    """Options of a game, as OpenSpiel's parameters can hold them: without `=`, `,` or brackets."""
    pairs = {name: value for name, value in game.options.items() if value is not None}
    return ";".join(f"{name}:{value}" for name, value in pairs.items())


def _game_of(name: str, text: str) -> Game:
    """The game of a name and options as `_options_text` writes them.

    Raises:
        InputError: An unknown game or option.
    """
    options: dict[str, Any] = {}
    for pair in filter(None, text.split(";")):
        key, colon, value = pair.partition(":")
        if not colon:
            raise InputError(f"options of {name} are name:value;name:value, not {text!r}")
        options[key.strip()] = value.strip()
    return make_game(name, **options)


def _listed(game: Game, deals: str) -> list[Deal] | None:
    """All deals of a game; None if they are drawn.

    Raises:
        InputError: They are to be listed and cannot be, or `deals` is no word for this.
    """
    if deals not in (AUTO, LISTED, DRAWN):
        raise InputError(f"deals are {AUTO}, {LISTED} or {DRAWN}, not {deals!r}")
    if deals == DRAWN:
        return None
    try:
        everything = game.deals()
    except InputError:
        if deals == LISTED:
            raise
        return None
    if deals == LISTED:
        return list(everything)
    found = list(islice(everything, FEW))
    if sum(deal.probability for deal in found) < FEW / MOST_DEALS / 10:
        return None  # clearly too many, where listing even these few takes long
    found += islice(everything, MOST_DEALS + 1 - FEW)
    return found if len(found) <= MOST_DEALS else None


def _game_type(game: Game, recalls: bool) -> "pyspiel.GameType":
    kind = pyspiel.GameType
    return kind(
        short_name=NAME,
        long_name="closedhand: hidden-hand card games",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if game.zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.REWARDS if game.staged else kind.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=recalls,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={"game": "leduc", "options": "", "deals": AUTO},
    )


class Node:
    """A position of one of our games, with what has been asked of it; never changed in place.

    Attributes:
        shared: What all positions of the game have in common.
        record: Our state.
    """

    def __init__(self, shared: "Shared", record: State) -> None:
        """Take over a state that nobody will change."""
        self.shared = shared
        self.record = record
        self._children: dict[int, Node] = {}
        self._texts: dict[tuple[int, bool], str] = {}

    def __deepcopy__(self, memo: Any) -> "Node":
        return self

    @cached_property
    def player(self) -> int:
        """The seat to act, or OpenSpiel's number for the end."""
        is_over = self.shared.game.over(self.record)
        return TERMINAL if is_over else int(self.record["player"])

    @cached_property
    def legal(self) -> list[int]:
        """The legal actions, ascending."""
        return self.shared.game.legal(self.record).tolist()

    @cached_property
    def returns(self) -> list[float]:
        """The payoffs by player; zeros before they are paid."""
        return self.shared.game.returns(self.record).tolist()

    def child(self, action: int) -> "Node":
        """The position after an action."""
        found = self._children.get(action)
        if found is None:
            record = self.record.copy()
            self.shared.game.play(record, action)
            found = Node(self.shared, record)
            if self.shared.kept < self.shared.most_kept:
                self.shared.kept += 1
                self._children[action] = found
        return found

    def text(self, player: int, recalls: bool) -> str:
        """What a player knows: all of it, or what the table shows."""
        key = player, recalls
        if key not in self._texts:
            view = self.shared.game.view(self.record, player)
            told = (
                _known(self.shared.game, view, player) if recalls else self.shared.game.board(view)
            )
            self._texts[key] = f"player {player}: {told}" if recalls else f"player {player}\n{told}"
        return self._texts[key]


def _known(game: Game, view: State, player: int) -> str:
    """Text of a view, different for every other view."""
    try:
        hand, actions, public = game.knowledge(view, player)
    except InputError:  # no words for it
        return view.tobytes().hex()
    told = [text if isinstance(text, str) else _seen(game, text) for text in actions]
    facts = [f"{name} {value}" for name, value in public.items()]
    return "; ".join([hand, *facts, " ".join(told)])


def _seen(game: Game, action: int) -> str:
    """Text of an action of the flat game that a player may not have seen."""
    return UNSEEN if action < 0 else game.flat.text(action)


class Shared:
    """What all positions of a game have in common.

    Attributes:
        game: Our game.
        deals: All deals; None if they are drawn.
        chances: Number of chance nodes before the first decision.
        outcomes: Outcomes of each chance node, with their probabilities.
        kept: Number of positions that are kept, so that the next walk finds them.
        most_kept: Largest such number. Only below listed deals does a walk come back.
    """

    def __init__(self, game: Game, deals: list[Deal] | None) -> None:
        """Share a game and its deals."""
        self.game = game
        self.deals = deals
        self.chances, self.outcomes = SEED_BYTES, [(byte, 1 / 256) for byte in range(256)]
        self.kept = self.most_kept = 0
        if deals is not None:
            self.chances, self.most_kept = 1, MOST_KEPT
            self.outcomes = [(i, deal.probability) for i, deal in enumerate(deals)]
            self._roots = [Node(self, deal.state) for deal in deals]

    @cached_property
    def of_deal(self) -> dict[str, int]:
        """The chance outcome of each listed deal, by its text."""
        return {self.game.deal_text(deal.state): i for i, deal in enumerate(self.deals or ())}

    def root(self, drawn: list[int]) -> Node:
        """The position that all chance outcomes lead to."""
        if self.deals is not None:
            return self._roots[drawn[0]]
        state = self.game.empty(1)[0]
        seed = 1 + int.from_bytes(drawn)  # 0 is no seed
        contract.deal(self.game.rules, state, np.uint64(seed))
        return Node(self, state)


@lru_cache(maxsize=16)
def _shared(game: Game, deals: str) -> Shared:
    """What positions of a game have in common; every state that OpenSpiel unpickles asks for it."""
    return Shared(game, _listed(game, deals))


class OpenSpielGame(pyspiel.Game):
    """One of our games as OpenSpiel sees it; see `open_spiel_game`.

    Attributes:
        ours: Our game.
    """

    def __init__(
        self, params: dict[str, Any] | None = None, ours: Game | None = None, deals: str = AUTO
    ) -> None:
        """Make the game, from OpenSpiel's parameters or from a game of ours.

        Args:
            params: `game`, `options` and `deals`, as texts.
            ours: Our game, in place of its name and options.
            deals: As for `open_spiel_game`.

        Raises:
            InputError: As for `open_spiel_game`.
        """
        if ours is None:
            given = {"game": "leduc", "options": "", **(params or {})}
            ours = _game_of(given["game"], given["options"])
            deals = given.get("deals", deals)
        self.ours = ours
        self.shared = _shared(ours, deals)
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
                utility_sum=0.0 if ours.zero_sum else None,
                max_game_length=ours.max_moves,
            ),
            {"game": ours.name, "options": _options_text(ours), "deals": deals},
        )

    def new_initial_state(self) -> "OpenSpielState":
        """A state before the deal."""
        return OpenSpielState(self)

    def state_of(self, record: State) -> "OpenSpielState":
        """A state from one of ours, at any point of a game, or from a view.

        Its history in OpenSpiel is empty. One from a view serves policies and bots which look at
        nothing but what the player knows.
        """
        return OpenSpielState(self, Node(self.shared, record))

    def make_py_observer(
        self, iig_obs_type: "pyspiel.IIGObservationType | None" = None, params: Any = None
    ) -> "Observer":
        """What OpenSpiel asks for tensors and strings.

        Raises:
            InputError: Parameters, or an observation without private information.
        """
        if params:
            raise InputError(f"observations of {NAME} take no parameters, not {params!r}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise InputError(f"observations of {NAME} are what one player knows, not parts of it")
        return Observer(self, kind.perfect_recall)


class OpenSpielState(pyspiel.State):
    """A state of one of our games as OpenSpiel sees it.

    Attributes:
        node: Our position; None before the deal.
    """

    def __init__(self, game: OpenSpielGame, node: Node | None = None) -> None:
        """Begin before the deal, or at a position; `new_initial_state` is the way to make one."""
        super().__init__(game)
        self.node = node
        self._drawn: list[int] = []
        self._paid: list[float] | None = None

    @property
    def record(self) -> State:
        """Our state, not to be changed.

        Raises:
            InputError: Nothing is dealt yet.
        """
        if self.node is None:
            raise InputError("nothing is dealt yet")
        return self.node.record

    def current_player(self) -> int:
        """The seat to act, or OpenSpiel's number for chance or the end."""
        return CHANCE if self.node is None else self.node.player

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.node is not None and self.node.player == TERMINAL

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of a chance node, with their probabilities."""
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
        shared = self.get_game().shared
        if player != CHANCE:
            return shared.game.text(action, None if self.node is None else self.node.record)
        if shared.deals is None:
            return f"byte {action}"
        return shared.game.deal_text(shared.deals[action].state)

    def returns(self) -> list[float]:
        """Payoffs by player; zeros before they are paid."""
        return [0.0] * self.num_players() if self.node is None else self.node.returns

    def rewards(self) -> list[float]:
        """What the last action has paid each player."""
        now = self.returns()
        return now if self._paid is None else [a - b for a, b in zip(now, self._paid, strict=True)]

    def information_state_string(self, player: int | None = None) -> str:
        """Everything that a player knows, by default the one to act."""
        return self._text(player, True)

    def observation_string(self, player: int | None = None) -> str:
        """The table as a player sees it, by default the one to act."""
        return self._text(player, False)

    def _text(self, player: int | None, recalls: bool) -> str:
        seat = self.current_player() if player is None else player
        if self.node is None:
            return f"player {seat}: nothing is dealt"
        return self.node.text(seat, recalls)

    def resample_from_infostate(self, player: int, sampler: Any) -> "OpenSpielState":
        """A random state that is consistent with what a player knows.

        Args:
            player: The player.
            sampler: Function that returns random numbers from 0 to 1.

        Returns:
            The state. Where deals are drawn, its history has the chance outcomes of this state,
            whose deal it has not.
        """
        game = self.get_game()
        shared = game.shared
        view = shared.game.view(self.record, player)
        rng = np.random.default_rng(int(sampler() * 2**53))
        found = shared.game.redeal(view, player, rng)
        history = self.history()
        if not history:
            return game.state_of(found)
        if shared.deals is not None:
            history[0] = shared.of_deal[shared.game.deal_text(found)]
            state = game.new_initial_state()
            for action in history:
                state.apply_action(action)
            return state
        state = self.clone()
        state.node = Node(shared, found)
        return state

    def __str__(self) -> str:
        if self.node is None:
            return " ".join(["before the deal", *map(str, self._drawn)])
        game, record = self.node.shared.game, self.node.record
        actions = [_seen(game, action) for action in game.history(record).tolist()]
        # Actions of earlier rounds, and those within a play, are in the history alone.
        return "; ".join([game.deal_text(record), " ".join(actions), self.history_str()])


class Observer:
    """Tensor and text of what a player knows.

    Without perfect recall that is the compact observation and the player's view of the table. With
    it follow all actions, one-hot, and the text is everything that the player knows.

    Attributes:
        tensor: The numbers, float32.
        dict: Parts of the tensor by name.
    """

    def __init__(self, game: OpenSpielGame, recalls: bool) -> None:
        """Make room for the numbers."""
        self._game = game.ours
        self._recalls = recalls
        size = self._game.feature_size
        has_actions = recalls and game.recall_size <= MOST_NUMBERS
        self.tensor = np.zeros(game.recall_size if has_actions else size, np.float32)
        self.dict = {"features": self.tensor[:size]}
        if has_actions:
            self.dict["actions"] = self.tensor[size:].reshape(game.recall_shape)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what a player knows into `tensor`."""
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
        """What a player knows, as text."""
        return state._text(player, self._recalls)


pyspiel.register_game(_game_type(make_game("leduc"), True), OpenSpielGame)
