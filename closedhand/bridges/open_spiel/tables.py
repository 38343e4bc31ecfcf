"""Small games of OpenSpiel as games of this package, with its envs, agents, search and matches.

    game = table_game("liars_dice")
    closedhand.register_game(table_spec("kuhn_poker"))  # makes the name known

Kernels cannot call OpenSpiel's rules, which are C++ and Python. So the whole tree of a game is
walked once and written into tables. This requires

- turns: players act one after the other, and all know who acts and how many actions there were;
- a tree of at most half a million nodes;
- chance that depends on chance alone, such as a deal: all of it is drawn at the start;
- payoffs only at the end, and observations of whole numbers from -128 to 127.

Other games are refused with one line that states the reason. Some of them have rules of their own
in `closedhand.games`, such as Dou Dizhu.
"""

from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from closedhand.bridges.open_spiel import rules as tree
from closedhand.bridges.open_spiel.game import pyspiel
from closedhand.bridges.open_spiel.rules import CHANCE, END, UNKNOWN, Rules
from closedhand.core.checks import InputError
from closedhand.core.contract import VERSION
from closedhand.core.display import Row
from closedhand.core.game import Game, State
from closedhand.core.registry import GameSpec

MOST_NODES = 500_000
COLUMNS = {
    "player": np.int32, "parent": np.int32, "via": np.int32, "likely": np.float64,
    "chances": np.int32, "moves": np.int32, "payoffs": np.float64, "info": np.int32,
}  # fmt: skip
"""Tables of `Rules` with a row for each node, and their types."""


def table_game(game: Any, name: str | None = None) -> Game:
    """Convert a small game of OpenSpiel to a `Game`.

    `game` is a text for `pyspiel.load_game`, such as `leduc_poker(players=3)`, or a loaded game.
    `name` is the name here, by default the short name in OpenSpiel.

    Raises:
        InputError: OpenSpiel has no such game, or it does not meet the requirements of the module.
    """
    text = str(game)
    try:
        theirs = pyspiel.load_game(text)
    except Exception as error:
        raise InputError(f"OpenSpiel has no game {text!r}: {error}") from None
    _check_kind(theirs)
    walk = _Walk(theirs)
    rules = walk.rules()
    players, kind = theirs.num_players(), tree.state_type(rules)
    return Game(
        name=name or theirs.get_type().short_name,
        options={},
        rules=rules,
        dtype=kind,
        num_players=players,
        num_actions=theirs.num_distinct_actions(),
        shapes={"observation": (rules.tensors.shape[1],)},
        roles=tuple(f"player {seat}" for seat in range(players)),
        sides=tuple(range(players)),
        notation=Notation(rules, kind, walk),
        payoff_range=(float(rules.payoffs.min()), float(rules.payoffs.max())),
        max_moves=int(rules.moves.max()),
        payoff_sum=theirs.utility_sum(),
    )


def table_spec(game: Any, name: str | None = None) -> GameSpec:
    """Make the spec of a `table_game`, whose tree is walked when the game is first made."""
    text = str(game)
    return _table_spec(text, name or text.partition("(")[0])


@cache  # the same spec each time, since registering it again has no effect
def _table_spec(text: str, name: str) -> GameSpec:
    title = name.title().replace("_", "")
    return GameSpec(
        name=name,
        title=title,
        make=lambda: table_game(text, name),
        contract=VERSION,
        aec_id=f"open_spiel/{name}-v0",
        gymnasium_id=f"open_spiel/{title}-v0",
    )


def _check_kind(theirs: Any) -> None:
    kind, types = theirs.get_type(), pyspiel.GameType
    has_tensors = kind.provides_information_state_tensor or kind.provides_observation_tensor
    for fits, why in (
        (kind.dynamics == types.Dynamics.SEQUENTIAL, "its players do not act in turn"),
        (kind.chance_mode != types.ChanceMode.SAMPLED_STOCHASTIC, "it does not list its chance"),
        (kind.reward_model == types.RewardModel.TERMINAL, "it pays before the end"),
        (kind.provides_information_state_string, "it has no texts of information states"),
        (has_tensors, "it has no tensors"),
    ):
        if not fits:
            raise _refusal(theirs, why)


def _refusal(theirs: Any, why: str) -> InputError:
    name = theirs.get_type().short_name
    return InputError(f"{name} cannot be written into tables: {why}")


class _Node(NamedTuple):
    state: Any  # OpenSpiel's
    parent: int  # number of the parent
    via: int  # action or outcome that leads to the node
    last: int  # player who acted last, UNKNOWN before the first action
    likely: float  # product of the probabilities of chance before
    chance: tuple[int, ...]  # outcomes of chance before, each counted from 0
    actions: tuple[int, ...]  # actions of players before


class _Info(NamedTuple):
    owner: int
    text: str
    public: tuple[int, int]  # who acts, and the number of actions so far
    tensor: np.ndarray
    known: np.ndarray  # actions before, UNKNOWN if they differ between the nodes
    members: list[int]  # numbers of the nodes


class _Walk:
    def __init__(self, theirs: Any) -> None:
        """Walk through the tree; refuse one that is too large, or hides what must be public."""
        self._game = theirs
        self._players = theirs.num_players()
        has_recall = theirs.get_type().provides_information_state_tensor
        self._tensor = "information_state_tensor" if has_recall else "observation_tensor"
        self.texts: dict[int, set[str]] = {}  # all texts of each action, over all positions
        self.infos: list[_Info] = []
        self._numbers: dict[tuple[int, str, tuple[int, int] | None], int] = {}  # see `_info_of`
        self._chance: dict[tuple[int, ...], list[tuple[int, float]]] = {}  # outcomes, probabilities
        self._columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self._first: list[int] = []  # first child of each node
        level = [_Node(theirs.new_initial_state(), UNKNOWN, UNKNOWN, UNKNOWN, 1.0, (), ())]
        met = 1  # nodes numbered so far; the children of a node get the next numbers
        while level:
            below: list[_Node] = []
            for node in level:
                self._first.append(met)
                children = self._enter(len(self._first) - 1, node)
                met += len(children)
                below += children
                if met > MOST_NODES:
                    raise _refusal(theirs, f"its tree has more than {MOST_NODES:,} nodes")
            level = below
        self._first.append(met)

    def _enter(self, number: int, node: _Node) -> list[_Node]:
        """Add a node to the tables; return its children."""
        state, seats = node.state, range(self._players)
        is_chance, ended = state.is_chance_node(), state.is_terminal()
        player = CHANCE if is_chance else END if ended else state.current_player()
        row = {
            "player": player, "parent": node.parent, "via": node.via, "likely": node.likely,
            "chances": len(node.chance), "moves": len(node.actions),
            "payoffs": state.returns() if ended else [0.0] * self._players,
            "info": [
                UNKNOWN if is_chance else self._info_of(number, node, player, seat)
                for seat in seats
            ],
        }  # fmt: skip
        for name, value in row.items():
            self._columns[name].append(value)
        if is_chance:
            return self._dealt(number, node)
        if ended:
            return []
        children: list[_Node] = []
        for action in state.legal_actions():
            self.texts.setdefault(action, set()).add(state.action_to_string(player, action))
            children.append(
                _Node(
                    state.child(action), number, action, player, node.likely, node.chance,
                    (*node.actions, action),
                )
            )  # fmt: skip
        return children

    def _dealt(self, number: int, node: _Node) -> list[_Node]:
        """Return the children of a chance node; refuse chance that depends on actions."""
        outcomes = [(outcome, share) for outcome, share in node.state.chance_outcomes() if share]
        if self._chance.setdefault(node.chance, outcomes) != outcomes:
            raise _refusal(self._game, "chance depends on what players do")
        return [
            _Node(
                node.state.child(outcome), number, outcome, node.last, node.likely * share,
                (*node.chance, k), node.actions,
            )
            for k, (outcome, share) in enumerate(outcomes)
        ]  # fmt: skip

    def _info_of(self, number: int, node: _Node, player: int, seat: int) -> int:
        """Return the number of the information state of a seat at a node."""
        text, actions = node.state.information_state_string(seat), np.array(node.actions, np.int32)
        public = player, len(actions)
        # At the end the text may be the same after different actions, as in games from files. So
        # who acted last, and the number of actions, also tell information states apart.
        end = (node.last, len(actions)) if player == END else None
        found = self._numbers.setdefault((seat, text, end), len(self.infos))
        if found == len(self.infos):
            tensor = self._observed(node.state, seat)
            self.infos.append(_Info(seat, text, public, tensor, actions.copy(), []))
        info = self.infos[found]
        if info.public != public:
            why = "a player may not know who acts, or how often players have acted"
            raise _refusal(self._game, why)
        info.members.append(number)
        info.known[info.known != actions] = UNKNOWN
        return found

    def _observed(self, state: Any, seat: int) -> np.ndarray:
        """Return OpenSpiel's tensor of a seat, int8."""
        tensor = np.array(getattr(state, self._tensor)(seat))
        with np.errstate(invalid="ignore"):
            small = tensor.astype(np.int8)
        if not np.array_equal(tensor, small):
            raise _refusal(self._game, "its tensors hold more than small whole numbers")
        return small

    def rules(self) -> Rules:
        columns, infos = self._columns, self.infos
        known = np.zeros((len(infos), max(columns["moves"])), np.int32)
        for row, info in zip(known, infos, strict=True):
            row[: len(info.known)] = info.known
        chance_first, chance_share = self._chance_tree()
        return Rules(
            **{name: np.array(columns[name], kind) for name, kind in COLUMNS.items()},
            first=np.array(self._first, np.int32),
            owner=np.array([info.owner for info in infos], np.int32),
            members=np.concatenate([np.array(info.members, np.int32) for info in infos]),
            start=np.cumsum([0, *(len(info.members) for info in infos)], dtype=np.int64),
            known=known,
            tensors=np.array([info.tensor for info in infos], np.int8),
            chance_first=chance_first,
            chance_share=chance_share,
        )

    def _chance_tree(self) -> tuple[np.ndarray, np.ndarray]:
        """Build the tree of chance alone, level by level: `chance_first` and `chance_share`."""
        first: list[int] = []
        shares = [1.0]
        level: list[tuple[int, ...]] = [()]
        while level:
            below: list[tuple[int, ...]] = []
            for chance in level:
                first.append(len(shares))
                for k, (_, share) in enumerate(self._chance.get(chance, [])):
                    shares.append(share)
                    below.append((*chance, k))
            level = below
        first.append(len(shares))
        return np.array(first, np.int32), np.array(shares, np.float64)

    def outcomes_after(self, chance: tuple[int, ...]) -> list[int]:
        """List OpenSpiel's numbers of the outcomes after `chance`, outcomes numbered from 0."""
        return [outcome for outcome, _ in self._chance.get(chance, [])]


class Notation:
    """Notation of actions by OpenSpiel's texts, and of deals by its numbers of chance outcomes."""

    def __init__(self, rules: Rules, kind: np.dtype, walk: _Walk) -> None:
        """Keep a text if its action has no other text and no other action has the same text."""
        self._rules, self._kind, self._walk = rules, kind, walk  # `kind`: the dtype of states
        texts = {action: next(iter(own)) for action, own in walk.texts.items() if len(own) == 1}
        common = Counter(text.lower() for text in texts.values())
        self._texts = {action: text for action, text in texts.items() if common[text.lower()] == 1}
        self._ids = {str(action): action for action in walk.texts if action not in self._texts}
        self._ids |= {text.lower(): action for action, text in self._texts.items()}

    def text(self, action: int, state: State | None = None) -> str:
        """Return OpenSpiel's text of an action, or its number if the text is not unique."""
        return self._texts.get(action, str(action))

    def parse(self, text: str, state: State | None = None) -> int:
        """Parse OpenSpiel's text of an action, or its number if the text is not unique."""
        found = self._ids.get(text.strip().lower())
        if found is None:
            raise InputError(f"{text!r} is not an action")
        return found

    def deal_text(self, state: State) -> str:
        """Write OpenSpiel's numbers of the outcomes of chance; `-` for none."""
        chance: tuple[int, ...] = ()
        numbers: list[int] = []
        for k in state["chance"].tolist():
            outcomes = self._walk.outcomes_after(chance)
            if k == UNKNOWN or not outcomes:
                break
            numbers.append(outcomes[k])
            chance = (*chance, k)
        return " ".join(map(str, numbers)) or "-"

    def parse_deal(self, text: str) -> State:
        """Parse all outcomes of chance, or `-` for none, to an initial state."""
        chance: tuple[int, ...] = ()  # counted from 0, unlike OpenSpiel's numbers in the text
        for word in text.replace("-", " ").split():
            outcomes = list(map(str, self._walk.outcomes_after(chance)))
            if word not in outcomes:
                raise InputError(f"{text!r} is not a deal: {word!r} is no outcome of chance there")
            chance = (*chance, outcomes.index(word))
        if self._walk.outcomes_after(chance):
            raise InputError(f"{text!r} is not a deal: more outcomes of chance follow")
        return tree.start_of(self._rules, self._kind, chance)

    def scene(self, state: State) -> list[Row]:
        """Return a row for each player, with OpenSpiel's text of its information state."""
        rows: list[Row] = []
        for seat, info in enumerate(state["info"].tolist()):
            note = "" if info == UNKNOWN else " ".join(self._walk.infos[info].text.split())
            active = not state["ended"] and seat == state["player"]
            rows.append(Row(f"player_{seat}", (), note, active))
        return rows
