"""`check_game`: the whole contract of a `Game` as one call, for our games and for anybody's.

    from closedhand import make_game
    from closedhand.testing import check_game

    check_game(make_game("kuhn"))

It plays random games and checks every function of the game on the way, then what builds on them:
records, saved states, other processes, the plain Python behind the kernels, and the environments.
It returns nothing; a `ContractError` says in one line what is broken.
"""

import copy
import hashlib
import io
import json
import math
import os
import pickle
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from typing import Any

import numba
import numpy as np

from closedhand.core import contract
from closedhand.core.game import Game, InputError, State
from closedhand.core.kernel import draw_seed
from closedhand.core.records import from_json, from_state, replay
from closedhand.core.registry import add_game, make_game, spec_of
from closedhand.core.scene import Row
from closedhand.envs import common
from closedhand.envs.aec import GameAEC, env as aec_env
from closedhand.envs.common import ACTION_MASK, Observation
from closedhand.envs.parallel import GameParallel
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv

__all__ = ["ContractError", "check_game"]

REQUIRED = ("deal", "legal", "play", "over", "returns", "hide", "redeal", "observe")
"""Contract functions without a default."""

CLOSE_LOOKS = 6
"""Positions of each game that are checked closely; quick checks are made at all positions."""

SAMPLES = 10
"""Actions that are tried out where there may be too many to try all."""

NONSENSE = "\N{SNOWMAN} is nothing"


class ContractError(AssertionError):
    """A game breaks the contract. The message is one line: what is broken, and where."""


class _Broken(Exception):
    """An expectation that does not hold; `_reporting` adds which game, which part and where."""


def _expect(holds: Any, text: str, *values: Any) -> None:
    """Raise `_Broken` with `text`, formatted with `values`, if something does not hold."""
    if not holds:
        raise _Broken(text.format(*values))


@dataclass
class _Walk:
    """A game of random play in progress, with its seed and actions.

    Attributes:
        game: Game that is played.
        seed: Seed of the deal, which is that of `np.random.default_rng(seed)`.
        state: Current state.
        actions: Actions so far.
        rng: Generator of the play and of the checks.
    """

    game: Game
    seed: int
    state: State = field(init=False)
    actions: list[int] = field(default_factory=list)
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.state = self.game.deal(np.random.default_rng(self.seed))
        self.rng = np.random.default_rng([self.seed, 1])

    @property
    def players(self) -> range:
        """All seats."""
        return range(self.game.num_players)

    def __str__(self) -> str:
        return f"seed {self.seed}, actions {self.actions}"


@contextmanager
def _reporting(game: Game, part: str, where: object = "") -> Iterator[None]:
    """Turn any error inside into a `ContractError` that names the part and the place."""
    try:
        yield
    except Exception as error:
        text = str(error) if isinstance(error, _Broken) else f"{type(error).__name__}: {error}"
        place = f" ({where})" if str(where) else ""
        message = f"{game.name}: {part}: {' '.join(text.split())[:500]}{place}"
        raise ContractError(message) from (None if isinstance(error, _Broken) else error)


def check_game(game: Game, games: int = 20, seed: int = 0, jit: bool = True) -> None:
    """Check that a game keeps the whole contract.

    Args:
        game: Game to check. It has to be known to `make_game`, as other processes have to find it.
        games: Number of random games that are played.
        seed: Seed of the first deal; the others follow it.
        jit: Whether another process plays some games without compiled kernels, and has to reach
            the same states. Otherwise it plays them with compiled ones.

    Raises:
        ContractError: The game breaks the contract; the message says where, in one line.
    """
    for part, check in WHOLE_GAME.items():
        with _reporting(game, part):
            check(game)
    with _reporting(game, "deal", f"seed {seed}"):
        _check_deals(game, games, seed)
    courses = [_check_course(game, number) for number in range(seed, seed + games)]
    changed = sum(_look_closely(walk, states) for walk, states in courses)
    with _reporting(game, "redeal", f"seeds {seed} to {seed + games - 1}"):
        _expect(changed, "no state was ever dealt anew: `hide` has to blank what a player does "
                "not know, and `redeal` to draw it")  # fmt: skip
    with _reporting(game, "player", f"seeds {seed} to {seed + games - 1}"):
        actors = {int(state.player) for _, states in courses for state in states[:-1]}
        idle = sorted(set(range(game.num_players)) - actors)
        _expect(not idle, "seats {} never act", idle)  # an env of such a seat would wait for ever
    with _reporting(game, "processes"):
        _check_other_process(game, seed, jit)
    for part, check in ENVIRONMENTS.items():
        with _reporting(game, part, f"seed {seed}"):
            check(game, seed)


# What a game says about itself


def _check_fields(game: Game) -> None:
    """The fields of a `Game` fit each other."""
    _expect(re.fullmatch("[a-z][a-z0-9_]*", game.name),
            "name is lower case, digits and underscores, not {!r}", game.name)  # fmt: skip
    players = game.num_players
    _expect(1 <= players <= contract.MAX_PLAYERS,
            "num_players is 1 to {}, not {}", contract.MAX_PLAYERS, players)  # fmt: skip
    _expect(game.num_actions >= 1, "num_actions is positive, not {}", game.num_actions)
    for name in ("roles", "sides"):
        value = getattr(game, name)
        _expect(len(value) == players, "{} has one entry a seat, not {}", name, value)
    names = list(game.shapes)
    _expect(names[:1] == ["observation"] and ACTION_MASK not in names,
            "shapes begin with 'observation' and leave out {!r}, not {}",
            ACTION_MASK, names)  # fmt: skip
    for name, shape in game.shapes.items():
        _expect(len(shape) > 0 and min(shape) > 0, "shape {} of {!r} is empty", shape, name)
    low, high = game.payoff_range
    _expect(low <= high, "payoff_range is (least, greatest), not {}", game.payoff_range)
    _expect(not game.zero_sum or low <= 0 <= high,
            "payoff_range {} of a zero-sum game holds 0", game.payoff_range)  # fmt: skip
    _expect(game.max_moves >= 1, "max_moves is positive, not {}", game.max_moves)
    _expect(game.rounds == 1 or game.staged, "only staged games have more than one round")


def _check_state(game: Game) -> None:
    """The data type of states has what generic code asks for."""
    dtype = game.dtype
    _expect(dtype.type is np.record, "dtype is one of `np.record`, not {}", dtype.type)
    _expect(not dtype.hasobject, "states hold plain numbers, no Python objects")
    for name, axes in (("player", 0), ("moves", 0), ("history", 1)):
        _expect(name in (dtype.names or ()), "states have a field {!r}", name)
        kind = dtype[name]
        _expect(kind.base.kind in "iu" and len(kind.shape) == axes,
                "the field {!r} is {} integer, not {}", name,
                "an array [n] of" if axes else "an", kind)  # fmt: skip
    most = np.iinfo(dtype["history"].base).max
    _expect(most >= game.flat.num_actions - 1,
            "the field 'history' holds ids up to {}, not {}",
            game.flat.num_actions - 1, most)  # fmt: skip


def _check_rules(game: Game) -> None:
    """The class of the rules names a module with the contract functions."""
    rules: Any = game.rules
    _expect(hasattr(rules, "_fields"), "rules are a NamedTuple, not {}", type(rules))
    name = getattr(rules, "kernels", None)
    _expect(isinstance(name, str),
            "the class of the rules names their module in an attribute `kernels`")  # fmt: skip
    module = import_module(str(name))
    missing = [name for name in REQUIRED if not hasattr(module, name)]
    _expect(not missing or hasattr(rules, "flat"),
            "the module {} lacks {}", name, ", ".join(missing))  # fmt: skip


def _check_forms(game: Game) -> None:
    """The flat form of a game is a game of whole plays over the same states."""
    _expect(game.flat.flat is game.flat, "the flat form of a flat game is itself")
    _expect(game.flat.name == game.name, "the flat form is called {!r}", game.flat.name)
    _expect(game.flat.num_players == game.num_players, "the flat form has other seats")
    _expect(game.flat.dtype == game.dtype, "the flat form has states of its own")


def _check_actions(game: Game) -> None:
    """Every action has a text of its own, which parses to it."""
    seen: dict[str, int] = {}
    for action in range(game.num_actions):
        text = game.text(action)
        _expect(isinstance(text, str) and text and "\n" not in text,
                "text({}) is one line, not {!r}", action, text)  # fmt: skip
        _expect(text not in seen, "actions {} and {} are both {!r}", seen.get(text), action, text)
        seen[text] = action
        parsed = game.parse(text)
        _expect(parsed == action, "parse(text({})) is {}, text {!r}", action, parsed, text)
    _refuses(lambda: game.parse(NONSENSE), f"parse({NONSENSE!r})")
    _refuses(lambda: game.parse_deal(NONSENSE), f"parse_deal({NONSENSE!r})")


def _check_pickle(game: Game) -> None:
    """Pickles and deep copies are the same game, which `make_game` can make."""
    for name, twin in (
        ("pickle", pickle.loads(pickle.dumps(game))),
        ("deepcopy", copy.deepcopy(game)),
    ):
        for key in ("name", "options", "dtype", "num_players", "num_actions", "shapes", "roles",
                    "sides", "payoff_range", "max_moves", "zero_sum", "simultaneous", "lenient",
                    "staged", "rounds", "layout"):  # fmt: skip
            ours, theirs = getattr(game, key), getattr(twin, key)
            _expect(ours == theirs, "a {} has {} {}, not {}", name, key, theirs, ours)
        _expect(type(game.rules).__name__ == type(twin.rules).__name__,
                "a {} has other rules, {}", name, type(twin.rules).__name__)  # fmt: skip


WHOLE_GAME: Mapping[str, Callable[[Game], None]] = {
    "fields": _check_fields,
    "state": _check_state,
    "rules": _check_rules,
    "flat": _check_forms,
    "text and parse": _check_actions,
    "pickle": _check_pickle,
}
"""Checks of a game as a whole, by the part that they look at."""


def _check_deals(game: Game, games: int, seed: int) -> None:
    """A seed determines the whole deal; different seeds deal differently."""
    seen = set()
    seeds = range(seed, seed + max(games, 20))  # a small game has few different deals
    for number in seeds:
        state = game.deal(np.random.default_rng(number))
        random.seed(number)
        np.random.seed(number)
        again = game.deal(np.random.default_rng(number))
        _same(game, state, again, "the same seed deals the same state")
        _expect(state.moves == 0, "a new game has made no moves, not {}", state.moves)
        seen.add(state.tobytes())
    _expect(len(seen) > 1, "{} different seeds deal the same state", len(seeds))


# Along a game


def _check_course(game: Game, seed: int) -> tuple[_Walk, list[State]]:
    """Play a random game to its end and check its states; return it with all of them."""
    with _reporting(game, "deal", f"seed {seed}"):
        walk = _Walk(game, seed)
    with _reporting(game, "returns", walk):
        _expect(not game.returns(walk.state).any(),
                "a new game has paid {}: only what is earned is paid, and before the end only in "
                "staged games", game.returns(walk.state))  # fmt: skip
    states = [walk.state.copy()]
    while True:
        for part, check in EVERY_STATE.items():
            with _reporting(game, part, walk):
                before = walk.state.copy()
                check(walk)
                _same(game, before, walk.state, "looking at a state does not change it")
        if game.over(walk.state):
            break
        with _reporting(game, "over", walk):
            _expect(len(walk.actions) < game.max_moves,
                    "the game goes on after max_moves, {} actions", game.max_moves)  # fmt: skip
            _expect(walk.state.moves < len(walk.state.history),
                    "the game goes on, but the field 'history' is full")  # fmt: skip
        _play(walk)
        states.append(walk.state.copy())
    for part, check in AT_END.items():
        with _reporting(game, part, walk):
            check(walk, states)
    return walk, states


def _check_player(walk: _Walk) -> None:
    """Some seat is to act, and the actions so far fit their field."""
    state = walk.state
    _expect(state.player in walk.players, "player is a seat, not {}", state.player)
    _expect(0 <= state.moves <= len(state.history),
            "moves is 0 to {}, the size of 'history', not {}",
            len(state.history), state.moves)  # fmt: skip


def _check_legal(walk: _Walk) -> None:
    """Ids ascend, are in range, and there is one as long as the game runs."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    legal = game.legal(state)
    _expect(len(legal) > 0, "there is no legal action, but the game is not over")
    _expect((np.diff(legal) > 0).all(), "ids ascend, not {}", legal[:SAMPLES].tolist())
    _expect(legal[0] >= 0 and legal[-1] < game.num_actions,
            "ids are 0 to {}, not {}", game.num_actions - 1, legal[[0, -1]].tolist())  # fmt: skip
    _expect((game.legal(state) == legal).all(), "a second look finds other actions")
    ids = np.empty(game.num_actions, np.int32)
    for action in legal[[0, -1]]:
        _expect(contract.is_legal(game.rules, state, action, ids),
                "action {} is listed, but is_legal denies it", action)  # fmt: skip


EVERY_STATE: Mapping[str, Callable[[_Walk], None]] = {
    "player": _check_player,
    "legal": _check_legal,
}
"""Checks of every state of a game, by the part that they look at."""


def _play(walk: _Walk) -> None:
    """Play a random action and check what it has done."""
    game, before = walk.game, walk.state.copy()
    action = int(walk.rng.choice(game.legal(before)))
    walk.actions.append(action)
    with _reporting(game, "play", walk):
        twin = before.copy()
        game.play(walk.state, action)
        game.play(twin, action)
        _same(game, walk.state, twin, "the same action leads to the same state")
        made, state = int(before.moves), walk.state
        restarted = state.moves == 0 and made > 0  # a new round, or a redeal
        substep = state.moves == made and game.flat is not game
        if restarted or substep:
            return
        _expect(state.moves == made + 1, "moves is {} after an action, not {}",
                made + 1, state.moves)  # fmt: skip
        past = game.history(state)
        _expect((past[:made] == game.history(before)).all(), "an action changes the past")
        _expect(game.flat is not game or past[made] == action,
                "'history' ends with the action, not with {}", past[made])  # fmt: skip


def _check_end(walk: _Walk, states: list[State]) -> None:
    """A game that is over stays so."""
    _refuses(lambda: walk.game.play(walk.state.copy(), 0), "play after the end")


def _check_next_deal(walk: _Walk, states: list[State]) -> None:
    """Vector envs deal over games that have ended: nothing of them remains."""
    dealt = walk.state.copy()
    contract.deal(walk.game.rules, dealt, draw_seed(np.random.default_rng(walk.seed)))
    _same(walk.game, states[0], dealt, "a deal over a finished game is that on a blank state")


def _check_returns(walk: _Walk, states: list[State]) -> None:
    """Payoffs are in their range, add up, and have the same sign for the seats of a side."""
    game = walk.game
    returns = game.returns(walk.state)
    low, high = game.payoff_range
    _expect(np.isfinite(returns).all(), "payoffs are numbers, not {}", returns)
    _expect((returns >= low).all() and (returns <= high).all(),
            "payoffs {} are not within payoff_range {}", returns, game.payoff_range)  # fmt: skip
    _expect(not game.zero_sum or math.isclose(returns.sum(), 0, abs_tol=1e-9),
            "payoffs {} of a zero-sum game do not add up to 0", returns)  # fmt: skip
    for side in set(game.sides):
        together = np.sign(returns[np.array(game.sides) == side])
        _expect(len(set(together)) == 1, "seats of side {} do not win together: {}", side, returns)
    _expect((game.returns(walk.state) == returns).all(), "a second look finds other payoffs")


def _check_payoff(walk: _Walk, states: list[State]) -> None:
    """`payoff` is NaN or the final payoff; at the end it is the latter."""
    game, returns = walk.game, walk.game.returns(walk.state)
    for state in (*_some(states, walk.rng), walk.state):
        for player in walk.players:
            payoff = contract.payoff(game.rules, state, player)
            _expect(payoff == returns[player] or (np.isnan(payoff) and not game.over(state)),
                    "player_{} is promised {} at move {} and gets {}",
                    player, payoff, state.moves, returns[player])  # fmt: skip


def _check_records(walk: _Walk, states: list[State]) -> None:
    """A record goes through JSON and back, and its replay ends in the same state."""
    game, state = walk.game, walk.state
    if game.rounds > 1:
        return  # a record is of one round
    names = [f"agent {player}" for player in walk.players]
    record = from_json(from_state(game, state, names, note="x").to_json())
    end = replay(record)
    _expect((game.history(end) == game.history(state)).all(), "a replay has another history")
    _expect((game.flat.returns(end) == game.returns(state)).all(),
            "a replay ends with {}, not {}",
            game.flat.returns(end), game.returns(state))  # fmt: skip
    _expect(record.agents == tuple(names) and record.extra == {"note": "x"},
            "a record forgets who played, or what else it was given")  # fmt: skip


AT_END: Mapping[str, Callable[[_Walk, list[State]], None]] = {
    "over": _check_end,
    "deal": _check_next_deal,
    "returns": _check_returns,
    "payoff": _check_payoff,
    "records": _check_records,
}
"""Checks of a whole game of random play, by the part that they look at."""


# A close look at some states


def _look_closely(walk: _Walk, states: list[State]) -> int:
    """Check some states of a game in depth; return how many redeals changed one."""
    game, whole, changed = walk.game, walk.actions, 0
    for step in sorted(_some(range(len(states)), walk.rng)):
        walk.state, walk.actions = states[step], whole[:step]
        for part, check in CLOSELY.items():
            with _reporting(game, part, walk):
                before = walk.state.copy()
                check(walk)
                _same(game, before, walk.state, "looking at a state does not change it")
        for player in walk.players:
            changed += _check_knowledge(walk, player)
    return changed


def _check_valid(walk: _Walk) -> None:
    """The rules allow every state that comes up in play."""
    why = walk.game.valid(walk.state)
    _expect(why == "", "a state that came up in play is refused: {}", why)


def _check_illegal(walk: _Walk) -> None:
    """Illegal actions are refused and change nothing, or count as another action."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    legal, ids = set(game.legal(state).tolist()), np.empty(game.num_actions, np.int32)
    tried = {*_some(sorted(legal), walk.rng), -1, game.num_actions}
    tried.update(walk.rng.integers(game.num_actions, size=SAMPLES).tolist())
    for action in sorted(tried):
        told = bool(contract.is_legal(game.rules, state, action, ids))
        _expect(told == (action in legal),
                "is_legal says {} of action {}, `legal` {}",
                told, action, action in legal)  # fmt: skip
        admitted = int(contract.admit(game.rules, state, action, ids))
        if action in legal:
            _expect(admitted == action, "the legal action {} counts as {}", action, admitted)
            continue
        played = state.copy()
        if game.lenient and 0 <= action < game.num_actions:
            # The admitted action need not be legal: it may be a pass that nobody could choose.
            _expect(0 <= admitted < game.num_actions,
                    "action {} counts as {}, which is none", action, admitted)  # fmt: skip
            game.play(played, action)
            twin = state.copy()
            contract.play(game.rules, twin, admitted)
            _same(game, played, twin, f"action {action} is played as the one that it counts as")
            continue
        _expect(admitted == -1, "the illegal action {} counts as {}", action, admitted)
        _refuses(lambda: game.play(played, action), f"the illegal action {action}")  # noqa: B023
        _same(game, state, played, "an illegal action changes nothing")


def _check_observe(walk: _Walk) -> None:
    """Every number of an observation is written; planes are binary, vectors within their space."""
    game = walk.game
    spaces = common.observation_space(game)
    for player in walk.players:
        outs = [np.full(game.observation_size, filling, np.int8) for filling in (99, -99)]
        for out in outs:
            contract.observe(game.rules, walk.state, player, out)
        unwritten = np.flatnonzero(outs[0] != outs[1])
        _expect(not len(unwritten), "numbers {} of an observation are not written", unwritten)
        for name, part in game.split(outs[0]).items():
            _expect(spaces[name].contains(part), "{!r} of player_{} is not within {}: {} to {}",
                    name, player, spaces[name], part.min(), part.max())  # fmt: skip


def _check_text(walk: _Walk) -> None:
    """Texts of actions at a position parse there, those without a position as well."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    for action in _some(game.legal(state).tolist(), walk.rng):
        for text in (game.text(action, state), game.text(action)):
            parsed = game.parse(text, state)
            _expect(parsed == action, "{!r}, action {}, parses to {}", text, action, parsed)


def _check_deal_text(walk: _Walk) -> None:
    """The deal of a state can be written at any point, and read."""
    game = walk.game
    text = game.deal_text(walk.state)
    start = game.parse_deal(text)
    again = game.deal_text(start)
    _expect(again == text, "the deal {!r} is {!r} after it was parsed", text, again)
    _expect(start.moves == 0, "parse_deal gives the start of a game, not move {}", start.moves)


def _check_scene(walk: _Walk) -> None:
    """The table can be drawn, open and as every player sees it."""
    game = walk.game
    for state in (walk.state, *(game.view(walk.state, player) for player in walk.players)):
        rows = game.scene(state)
        _expect(all(isinstance(row, Row) for row in rows), "a scene is a list of rows")
        _expect(isinstance(game.board(state), str), "a board is text")


def _check_save(walk: _Walk) -> None:
    """States survive bytes, pickles and copies, and can be played on."""
    game, state = walk.game, walk.state
    action = None if game.over(state) else int(game.legal(state)[-1])
    # Plain Python cannot write to the fields of an unpickled record itself, which NumPy shares out.
    pickled = pickle.loads(pickle.dumps(state)).copy()
    twins = [game.load(game.save(state)), pickled, copy.deepcopy(state)]
    for twin in twins:
        _same(game, state, twin, "a state is the same after it was saved and loaded")
        if action is not None:
            game.play(twin, action)
    for one, other in pairwise(twins):
        _same(game, one, other, "states that were saved go on alike")
    _refuses(lambda: game.load(b"123"), "load of other bytes")


CLOSELY: Mapping[str, Callable[[_Walk], None]] = {
    "valid": _check_valid,
    "illegal actions": _check_illegal,
    "observe": _check_observe,
    "text and parse": _check_text,
    "deal_text": _check_deal_text,
    "scene": _check_scene,
    "save and load": _check_save,
}
"""Checks of some states of a game, by the part that they look at."""


def _check_knowledge(walk: _Walk, player: int) -> bool:
    """Nothing that a player gets depends on what the player cannot know.

    What the view of a player does not show is redealt, which must not change anything that the
    player gets. Return whether it changed the state.
    """
    game, state = walk.game, walk.state
    with _reporting(game, "hide", walk):
        view = game.view(state, player)
        _same(game, view, game.view(view, player), f"the view of player_{player}'s view is itself")
        _expect(view.player == state.player and view.moves == state.moves,
                "a view tells who is to act, and how many actions were made")  # fmt: skip
    with _reporting(game, "redeal", walk):
        seed = int(walk.rng.integers(2**32))
        other, again = (game.redeal(view, player, np.random.default_rng(seed)) for _ in range(2))
        _same(game, other, again, "the same seed redeals the same state")
        _same(game, game.view(other, player), view,
              f"player_{player} has the same view of a redealt state; `hide` leaks, or `redeal` "
              "does not keep to the view")  # fmt: skip
        _expect(game.over(other) == game.over(state), "a redealt state ends at another time")
        why = game.valid(other)
        _expect(why == "", "a redealt state is refused: {}", why)
        end = game.playout(other, walk.rng)
        _expect(game.over(end), "a redealt state is played to its end")
    with _reporting(game, "valid", walk):
        why = game.valid(view, player)
        _expect(why == "", "the view of player_{} is refused: {}", player, why)
    with _reporting(game, "observe", walk):
        seen = game.observe(state, player)
        for name, one in (("a redealt state", other), ("the view", view)):
            for part, value in game.observe(one, player).items():
                _expect((value == seen[part]).all(),
                        "{!r} leaks: it shows player_{} what he cannot know; it differs for {}",
                        part, player, name)  # fmt: skip
    with _reporting(game, "key", walk):
        keys = {game.key(one, player) for one in (state, other, view)}
        _expect(len(keys) == 1, "the key of player_{} depends on what he cannot know", player)
    if player == state.player and not game.over(state):
        with _reporting(game, "legal", walk):
            for one in (other, view):
                _expect(np.array_equal(game.legal(one), game.legal(state)),
                        "the actions of player_{} depend on what he cannot know",
                        player)  # fmt: skip
    return other.tobytes() != state.tobytes()


# Other processes


def _check_other_process(game: Game, seed: int, jit: bool) -> None:
    """Another process plays the same games; with `jit`, in the other mode of compilation."""
    make = spec_of(game.name).make
    if callable(make) and (make.__module__ == "__main__" or "<" in make.__qualname__):
        return  # of a script or notebook, which another process cannot import
    compiled = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
    ours = _trace(game, seed)
    theirs = _trace_elsewhere(game, seed, compiled != jit)
    if jit and ours != theirs:
        # Is it the process or the mode?
        _compare(ours, _trace_elsewhere(game, seed, compiled), "in another process")
        _compare(ours, theirs, "with kernels and in plain Python (NUMBA_DISABLE_JIT=1)")
    _compare(ours, theirs, "in another process")


TRACED = 40
"""Positions of a trace: few, as they take long without compiled kernels."""


def _trace(game: Game, seed: int) -> list[tuple[str, str]]:
    """Results of a game's functions along random games: a name and a digest of each."""
    trace: list[tuple[str, str]] = []

    def note(name: str, data: np.ndarray | bytes) -> None:
        data = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
        trace.append((name, hashlib.sha256(data).hexdigest()[:16]))

    positions = 0
    while positions < TRACED:
        rng = np.random.default_rng(seed)
        state = game.deal(rng)
        note(f"deal of seed {seed}", state.tobytes())
        while not game.over(state) and positions < TRACED:
            legal, player = game.legal(state), int(state.player)
            note(f"legal at move {state.moves} of seed {seed}", legal)
            for part in game.observe(state, player).values():
                note(f"observe at move {state.moves} of seed {seed}", part)
            view = game.view(state, player)
            note(f"hide at move {state.moves} of seed {seed}", view.tobytes())
            other = game.redeal(view, player, np.random.default_rng(positions))
            note(f"redeal at move {state.moves} of seed {seed}", other.tobytes())
            game.play(state, int(rng.choice(legal)))
            note(f"play after {int(state.moves)} moves of seed {seed}", state.tobytes())
            positions += 1
        note(f"returns of seed {seed}", game.returns(state))
        seed += 1
    return trace


def _trace_elsewhere(game: Game, seed: int, compiled: bool) -> list[tuple[str, str]]:
    """`_trace` in a new process."""
    run = subprocess.run(
        [sys.executable, "-c", "from closedhand import testing; testing._print_trace()"],
        input=pickle.dumps((spec_of(game.name), dict(game.options), seed)),
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "0" if compiled else "1",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
        capture_output=True,
    )
    if run.returncode:
        *_, last = run.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise _Broken(f"another process cannot play the game: {last}")
    return [(name, digest) for name, digest in json.loads(run.stdout.splitlines()[-1])]


def _print_trace() -> None:
    """Print the `_trace` of the game and the seed on stdin: what the other process runs."""
    spec, options, seed = pickle.loads(sys.stdin.buffer.read())
    add_game(spec)
    print(json.dumps(_trace(make_game(spec.name, **options), seed)))


def _compare(ours: list[tuple[str, str]], theirs: list[tuple[str, str]], what: str) -> None:
    for (name, digest), (_, other) in zip(ours, theirs, strict=False):
        _expect(digest == other, "{} differs {}", name, what)


# Environments


class _Steady:
    """An agent whose choice depends only on what it sees: the same in every env."""

    name = "steady"

    def __init__(self, game: Game) -> None:
        self.game = game

    def act(self, view: State) -> int:
        """Choose a legal action."""
        return self.choose(self.game.observe(view, int(view.player)), self.game.legal(view))

    @staticmethod
    def choose(seen: Observation, legal: np.ndarray) -> int:
        """Choose one of the legal actions by a sum over what is seen."""
        numbers = seen["observation"].astype(np.int64).ravel()
        return int(legal[numbers @ np.arange(1, len(numbers) + 1) % len(legal)])


def _check_api(game: Game, seed: int) -> None:
    """The API tests of PettingZoo and Gymnasium."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        # They warn of dict observations, of masks that are zero after the end, and of their own
        # deprecated imports.
        warnings.simplefilter("ignore")
        from gymnasium.utils.env_checker import check_env
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

        api_test(aec_env(game), num_cycles=60)
        seed_test(lambda: aec_env(game), num_cycles=60)
        check_env(SoloEnv(game, opponents=_Steady(game)), skip_render_check=True)
        if game.simultaneous:
            parallel_api_test(GameParallel(game), num_cycles=10)
            parallel_seed_test(lambda: GameParallel(game), num_cycles=10)


STEPS = 60
"""Steps of the envs side by side."""


def _check_vector(game: Game, seed: int) -> None:
    """Game by game, the vector env agrees with the AEC env: observations, masks, rewards."""
    number = 3
    singles = [GameAEC(game) for _ in range(number)]
    for i, single in enumerate(singles):
        single.reset(seed=seed + i)
    envs = GameVectorEnv(game, number)
    observations, infos = envs.reset(seed=seed)
    over = np.zeros(number, bool)
    for _ in range(STEPS):
        actors = infos["current_player"]
        actions = np.zeros(number, np.int64)
        for i, single in enumerate(singles):
            if over[i]:
                single.reset()
                continue
            actions[i] = _choose(observations, i)
            single.step(int(actions[i]))
        observations, rewards, over, _, infos = envs.step(actions)
        for i, single in enumerate(singles):
            agent = single.agent_selection
            where = f"game {i} of seed {seed + i}"
            _expect(agent == f"player_{infos['current_player'][i]}", "who is to act in {}", where)
            _alike(_row(observations, i), single.observe(agent), where)
            _expect(single.terminations[agent] == over[i], "the end of {}", where)
            paid = single.rewards[f"player_{actors[i]}"]
            _expect(rewards[i] == paid, "the reward of {} is {}, not {}", where, rewards[i], paid)


def _check_solo(game: Game, seed: int) -> None:
    """One seat is the same in the solo env, in a vector env with opponents and in the AEC env."""
    agent, seat = _Steady(game), (seed + 1) % game.num_players
    solo = SoloEnv(game, opponents=agent, seat=seat)
    envs = GameVectorEnv(game, 1, opponents=agent, seat=seat)
    table, name = GameAEC(game), f"player_{seat}"
    seen, info = solo.reset(seed=seed)
    batch, _ = envs.reset(seed=seed)
    table.reset(seed=seed)
    reward = paid = 0.0
    over = False
    for _ in range(STEPS):
        # A game that ends before the seat's turn is no episode of it.
        while not over and table.agent_selection != name:
            paid += _let_act(table, agent, name)
            if all(table.terminations.values()):
                table.reset()
                paid = 0.0
        where = f"seat {seat}"
        _alike(_row(batch, 0), seen, where + ", vector and solo env")
        _alike(seen, table.observe(name), where + ", solo and AEC env")
        if over:
            seen, info = solo.reset()
            batch, *_ = envs.step(np.zeros(1, np.int64))
            table.reset()
            over, paid = False, 0.0
            continue
        action = int(np.random.default_rng(seed).choice(np.flatnonzero(seen[ACTION_MASK])))
        seen, reward, over, _, info = solo.step(np.int64(action))
        batch, rewards, *_ = envs.step(np.array([action]))
        table.step(action)
        paid = table.rewards[name]
        while not all(table.terminations.values()) and table.agent_selection != name:
            paid += _let_act(table, agent, name)
        _expect(over == all(table.terminations.values()), "the end of an episode of {}", where)
        _expect(math.isclose(reward, paid) and math.isclose(rewards[0], paid),
                "the reward of {} is {} in the solo env, {} in the vector env and {} in the AEC "
                "env", where, reward, rewards[0], paid)  # fmt: skip
    _expect(info["current_player"] == seat, "the info names another seat")


def _let_act(table: GameAEC, agent: _Steady, name: str) -> float:
    """Let the agent act in the AEC env; return the reward of `name` in this step."""
    state = table.game_state
    table.step(agent.act(table.game.view(state, int(state.player))))
    return table.rewards[name]


def _check_parallel(game: Game, seed: int) -> None:
    """The parallel env of a simultaneous game shows and pays the same as the AEC env."""
    if not game.simultaneous:
        return
    rng = np.random.default_rng(seed)
    table, together = GameAEC(game), GameParallel(game)
    for episode in range(seed, seed + 5):
        table.reset(seed=episode)
        seen, _ = together.reset(seed=episode)
        turns: dict[str, list[tuple[np.ndarray, int]]] = {agent: [] for agent in together.agents}
        rewards: dict[str, float] = {}
        while together.agents:
            for agent in together.agents:
                mask = seen[agent][ACTION_MASK]
                turns[agent].append((mask, int(rng.choice(np.flatnonzero(mask)))))
            seen, rewards, *_ = together.step({agent: turns[agent][-1][1] for agent in turns})
        while not any(table.terminations.values()):
            agent = table.agent_selection
            _expect(turns[agent], "{} acts more often in the AEC env", agent)
            mask, action = turns[agent].pop(0)
            _expect((mask == table.observe(agent)[ACTION_MASK]).all(), "the mask of {}", agent)
            table.step(action)
        _expect(rewards == table.rewards, "rewards are {}, in the AEC env {}",
                rewards, table.rewards)  # fmt: skip
        for agent, observation in seen.items():
            _alike(observation, table.observe(agent), agent)


ENVIRONMENTS: Mapping[str, Callable[[Game, int], None]] = {
    "AEC and vector env": _check_vector,
    "solo env": _check_solo,
    "parallel env": _check_parallel,
    "environment API": _check_api,
}
"""Checks of the environments."""


# What the checks share


def _some(things: Any, rng: np.random.Generator) -> list[Any]:
    """All of a few things; of many the first, the last and a sample."""
    if len(things) <= CLOSE_LOOKS:
        return list(things)
    inner = rng.choice(len(things) - 2, CLOSE_LOOKS - 2, replace=False) + 1
    return [things[0], *(things[int(i)] for i in np.sort(inner)), things[-1]]


def _same(game: Game, one: State, other: State, rule: str) -> None:
    """Two states are equal; otherwise say which fields differ."""
    if one.tobytes() != other.tobytes():
        fields = [name for name in game.dtype.names or () if (one[name] != other[name]).any()]
        raise _Broken(f"{rule}, but {', '.join(map(repr, fields)) or 'padding'} differ")


def _refuses(call: Callable[[], object], what: str) -> None:
    """A call raises an `InputError` of one line."""
    try:
        call()
    except InputError as error:
        _expect("\n" not in str(error), "the message about {} has several lines", what)
    else:
        raise _Broken(f"{what} raises no InputError")


def _choose(observations: Observation, i: int) -> int:
    """The choice of `_Steady` in game i of a batch."""
    row = _row(observations, i)
    return _Steady.choose(row, np.flatnonzero(row[ACTION_MASK]))


def _row(observations: Observation, i: int) -> Observation:
    """The observation of game i in a batch."""
    return {name: part[i] for name, part in observations.items()}


def _alike(one: Observation, other: Observation, where: str) -> None:
    """Two observations are equal, masks included."""
    for name, part in other.items():
        _expect(np.array_equal(one[name], part), "{!r} differs in {}", name, where)
