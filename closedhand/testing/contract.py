"""Checks of the contract itself: a game's fields, and its functions by the rules of play."""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np

from closedhand.core import batch, contract
from closedhand.core.game import Deal, Game, InputError, State
from closedhand.core.numba.jit import draw_seed
from closedhand.envs.observation_form import ACTION_MASK, COMPACT, ObservationForm
from closedhand.testing.expectations import expect, refuses, same
from closedhand.testing.walk import SAMPLES, Walk, some

PLAIN = {
    "valid": "which says why the rules do not allow a state: `load` and `reset` rely on it",
    "knowledge": "which turns a view into the arguments of `view_from`",
}
"""Functions in plain Python that a game needs, the second one if it defines `view_from`."""

MOST_DEALS = 1_000
"""Listed deals that are looked at."""
DEALT = 2_000
"""Games that are dealt to compare frequencies."""
MOST_VIEWS = 3
"""Views of each player that are dealt anew to compare frequencies."""

REQUIRED = ("deal", "legal", "play", "over", "returns", "hide", "redeal", "observe")
"""Contract functions without a default."""


def check_fields(game: Game) -> None:
    """The fields of a `Game` fit each other."""
    expect(re.fullmatch("[a-z][a-z0-9_]*", game.name),
            "name is lower case, digits and underscores, not {!r}", game.name)  # fmt: skip
    players = game.num_players
    expect(1 <= players <= contract.MAX_PLAYERS,
            "num_players is 1 to {}, not {}", contract.MAX_PLAYERS, players)  # fmt: skip
    expect(game.num_actions >= 1, "num_actions is positive, not {}", game.num_actions)
    for name in ("roles", "sides"):
        value = getattr(game, name)
        expect(len(value) == players, "{} has one entry a seat, not {}", name, value)
    names = list(game.shapes)
    expect(names[:1] == ["observation"] and ACTION_MASK not in names,
            "shapes begin with 'observation' and leave out {!r}, not {}",
            ACTION_MASK, names)  # fmt: skip
    for name, shape in game.shapes.items():
        expect(len(shape) > 0 and min(shape) > 0, "shape {} of {!r} is empty", shape, name)
    names = list(game.feature_names)
    expect(names and len(set(names)) == len(names), "feature_names differ from each other")
    low, high = game.payoff_range
    expect(low <= high, "payoff_range is (least, greatest), not {}", game.payoff_range)
    expect(not game.zero_sum or low <= 0 <= high,
            "payoff_range {} of a zero-sum game holds 0", game.payoff_range)  # fmt: skip
    expect(game.max_moves >= 1, "max_moves is positive, not {}", game.max_moves)
    expect(game.rounds == 1 or game.staged, "only staged games have more than one round")


def check_state(game: Game) -> None:
    """The data type of states has what generic code asks for."""
    dtype = game.dtype
    expect(dtype.type is np.record, "dtype is one of `np.record`, not {}", dtype.type)
    expect(not dtype.hasobject, "states hold plain numbers, no Python objects")
    for name, axes in (("player", 0), ("moves", 0), ("history", 1)):
        expect(name in (dtype.names or ()), "states have a field {!r}", name)
        kind = dtype[name]
        expect(kind.base.kind in "iu" and len(kind.shape) == axes,
                "the field {!r} is {} integer, not {}", name,
                "an array [n] of" if axes else "an", kind)  # fmt: skip
    most = np.iinfo(dtype["history"].base).max
    expect(most >= game.flat.num_actions - 1,
            "the field 'history' holds ids up to {}, not {}",
            game.flat.num_actions - 1, most)  # fmt: skip


def check_rules(game: Game) -> None:
    """The class of the rules names a module with the contract functions."""
    rules: Any = game.rules
    expect(hasattr(rules, "_fields"), "rules are a NamedTuple, not {}", type(rules))
    name = getattr(rules, "kernels", None)
    expect(isinstance(name, str),
            "the class of the rules names their module in an attribute `kernels`")  # fmt: skip
    module = import_module(str(name))
    missing = [name for name in REQUIRED if not hasattr(module, name)]
    expect(not missing or hasattr(rules, "flat"),
            "the module {} lacks {}", name, ", ".join(missing))  # fmt: skip
    expect(hasattr(module, "features") == (game.feature_table is not None),
            "a game has a feature_table if its module {} defines features, and only then",
            name)  # fmt: skip
    for name, use in PLAIN.items():
        function, _ = contract.plain_function(rules, name)
        needed = name == "valid" or contract.plain_function(rules, "view_from")[0] is not None
        expect(function is not None or not needed, "the module lacks {}, {}", name, use)


def check_forms(game: Game) -> None:
    """The flat form of a game is a game of whole plays over the same states."""
    expect(game.flat.flat is game.flat, "the flat form of a flat game is itself")
    expect(game.flat.name == game.name, "the flat form is called {!r}", game.flat.name)
    expect(game.flat.num_players == game.num_players, "the flat form has other seats")
    expect(game.flat.dtype == game.dtype, "the flat form has states of its own")


def check_deals(game: Game, games: int, seed: int) -> None:
    """A seed determines the whole deal; different seeds deal differently."""
    seen = set()
    seeds = range(seed, seed + max(games, 20))  # a small game has few different deals
    for number in seeds:
        state = game.deal(np.random.default_rng(number))
        random.seed(number)
        np.random.seed(number)
        again = game.deal(np.random.default_rng(number))
        same(game, state, again, "the same seed deals the same state")
        expect(state.moves == 0, "a new game has made no moves, not {}", state.moves)
        seen.add(state.tobytes())
    expect(len(seen) > 1, "{} different seeds deal the same state", len(seeds))


def check_alignment(game: Game) -> None:
    """Fields of records are at multiples of their size, as a GPU demands."""
    for name, dtype in [("the state", game.dtype), *_records(game.rules, "rules")]:
        for path, offset, size in _misaligned(dtype, ""):
            expect(False, "field {!r} of {} is at byte {}, which is no multiple of {}: put wide "
                   "fields first", path, name, offset, size)  # fmt: skip


def _records(value: Any, path: str) -> list[tuple[str, np.dtype[Any]]]:
    """The types of the records within rules, with the names of their places."""
    if isinstance(value, np.record):
        return [(path, value.dtype)]
    if not isinstance(value, tuple):
        return []
    names = getattr(value, "_fields", range(len(value)))
    pairs = zip(names, value, strict=True)
    return [found for name, part in pairs for found in _records(part, f"{path}.{name}")]


def _misaligned(dtype: np.dtype[Any], path: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """The fields of a record that are not at a multiple of their size: path, offset, size."""
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        base, shape = kind.subdtype or (kind, ())
        place = f"{path}.{name}".lstrip(".")
        # Of an array of records the second one tells whether the size of one fits.
        starts = [start + offset, start + offset + base.itemsize][: 2 if shape else 1]
        for first in starts:
            if base.fields:
                yield from _misaligned(base, place, first)
            elif first % base.itemsize:
                yield place, first, base.itemsize


def check_all_deals(game: Game, seed: int) -> None:
    """The deals that a game lists are different and allowed, and as likely as those of `deal`.

    Of very many deals only the first are looked at.
    """
    listed = _first_deals(game)
    if listed is None:
        return
    whole = len(listed) <= MOST_DEALS
    likely: dict[str, float] = {}
    for state, probability in listed:
        text = game.deal_text(state)
        expect(probability > 0, "the deal {} has the probability {}", text, probability)
        expect(text not in likely, "the deal {} is listed twice", text)
        expect(state.moves == 0 and not game.over(state), "the deal {} is no new game", text)
        why = game.valid(state)
        expect(why == "", "the deal {} is refused: {}", text, why)
        likely[text] = probability
    total = math.fsum(likely.values())
    expect(total < 1 + 1e-9 and (not whole or total > 1 - 1e-9),
            "the probabilities of the deals add up to {}", total)  # fmt: skip
    if not whole:
        return
    states = batch.deal(game, range(seed, seed + DEALT))
    check_counts("deal", Counter(game.deal_text(state) for state in np.rec.array(states)), likely)


def _first_deals(game: Game) -> list[Deal] | None:
    """The deals of a game, `MOST_DEALS` and one more at most; None if it does not list them."""
    try:
        deals = game.deals()
    except InputError:
        return None
    return list(islice(deals, MOST_DEALS + 1))


def check_redeals(game: Game, seed: int) -> None:
    """What is dealt anew in a view of a deal is as likely as the listed deals with that view.

    Of the views of each player those are looked at that most deals share.
    """
    deals = _first_deals(game)
    if deals is None or len(deals) > MOST_DEALS:
        return
    rng = np.random.default_rng(seed)
    for player in range(game.num_players):
        alike: dict[bytes, dict[str, float]] = {}
        views: dict[bytes, State] = {}
        for state, probability in deals:
            view = game.view(state, player)
            views[view.tobytes()] = view
            alike.setdefault(view.tobytes(), {})[game.deal_text(state)] = probability
        for key in sorted(alike, key=lambda key: -len(alike[key]))[:MOST_VIEWS]:
            counts = Counter(
                game.deal_text(game.redeal(views[key], player, rng)) for _ in range(DEALT)
            )
            whole = math.fsum(alike[key].values())
            likely = {text: p / whole for text, p in alike[key].items()}
            check_counts(f"redeal for player_{player}", counts, likely)


def check_counts(drawn: str, counts: Counter[str], likely: Mapping[str, float]) -> None:
    """Deals were drawn `DEALT` times, and come as often as their probabilities say."""
    others = sorted(counts.keys() - likely)
    expect(not others, "{}: the deal {} is not listed", drawn, others[0] if others else "")
    # Rare deals are counted together: the statistic is then nearly one of the chi-square family.
    sums = {text: (counts[text], DEALT * p) for text, p in likely.items() if DEALT * p >= 5}
    rest = np.subtract((DEALT, DEALT), np.sum(list(sums.values()) or [(0, 0)], axis=0))
    pairs = np.array([*sums.values(), *([rest] if rest[1] >= 5 else [])])
    if len(pairs) > 1:
        found, due = pairs.T
        free = len(pairs) - 1
        statistic = ((found - due) ** 2 / due).sum()
        worst = max(sums, key=lambda text: abs(sums[text][0] - sums[text][1]))
        expect(statistic < free + 6 * math.sqrt(2 * free) + 18,
                "{} and deals disagree: {} of {} are the deal {}, not about {:.0f}",
                drawn, counts[worst], DEALT, worst, DEALT * likely[worst])  # fmt: skip


def check_player(walk: Walk) -> None:
    """Some seat is to act, and the actions so far fit their field."""
    state = walk.state
    expect(state.player in walk.players, "player is a seat, not {}", state.player)
    expect(0 <= state.moves <= len(state.history),
            "moves is 0 to {}, the size of 'history', not {}",
            len(state.history), state.moves)  # fmt: skip


def check_legal(walk: Walk) -> None:
    """Ids ascend, are in range, and there is one as long as the game runs."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    legal = game.legal(state)
    expect(len(legal) > 0, "there is no legal action, but the game is not over")
    expect((np.diff(legal) > 0).all(), "ids ascend, not {}", legal[:SAMPLES].tolist())
    expect(legal[0] >= 0 and legal[-1] < game.num_actions,
            "ids are 0 to {}, not {}", game.num_actions - 1, legal[[0, -1]].tolist())  # fmt: skip
    expect((game.legal(state) == legal).all(), "a second look finds other actions")
    ids = np.empty(game.num_actions, np.int32)
    for action in legal[[0, -1]]:
        expect(contract.is_legal(game.rules, state, action, ids),
                "action {} is listed, but is_legal denies it", action)  # fmt: skip


def check_end(walk: Walk, states: list[State]) -> None:
    """A game that is over stays so."""
    refuses(lambda: walk.game.play(walk.state.copy(), 0), "play after the end")


def check_next_deal(walk: Walk, states: list[State]) -> None:
    """Vector envs deal over games that have ended: nothing of them remains."""
    dealt = walk.state.copy()
    contract.deal(walk.game.rules, dealt, draw_seed(np.random.default_rng(walk.seed)))
    same(walk.game, states[0], dealt, "a deal over a finished game is that on a blank state")


def check_returns(walk: Walk, states: list[State]) -> None:
    """Payoffs are in their range, add up, and have the same sign for the seats of a side."""
    game = walk.game
    returns = game.returns(walk.state)
    low, high = game.payoff_range
    expect(np.isfinite(returns).all(), "payoffs are numbers, not {}", returns)
    expect((returns >= low).all() and (returns <= high).all(),
            "payoffs {} are not within payoff_range {}", returns, game.payoff_range)  # fmt: skip
    expect(not game.zero_sum or math.isclose(returns.sum(), 0, abs_tol=1e-9),
            "payoffs {} of a zero-sum game do not add up to 0", returns)  # fmt: skip
    for side in set(game.sides):
        together = np.sign(returns[np.array(game.sides) == side])
        expect(len(set(together)) == 1, "seats of side {} do not win together: {}", side, returns)
    expect((game.returns(walk.state) == returns).all(), "a second look finds other payoffs")


def check_payoff(walk: Walk, states: list[State]) -> None:
    """`payoff` is NaN or the final payoff; at the end it is the latter."""
    game, returns = walk.game, walk.game.returns(walk.state)
    for state in (*some(states, walk.rng), walk.state):
        for player in walk.players:
            payoff = contract.payoff(game.rules, state, player)
            expect(payoff == returns[player] or (np.isnan(payoff) and not game.over(state)),
                    "player_{} is promised {} at move {} and gets {}",
                    player, payoff, state.moves, returns[player])  # fmt: skip


def check_valid(walk: Walk) -> None:
    """The rules allow every state that comes up in play."""
    why = walk.game.valid(walk.state)
    expect(why == "", "a state that came up in play is refused: {}", why)


def check_illegal(walk: Walk) -> None:
    """Illegal actions are refused and change nothing, or count as another action."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    legal, ids = set(game.legal(state).tolist()), np.empty(game.num_actions, np.int32)
    tried = {*some(sorted(legal), walk.rng), -1, game.num_actions}
    tried.update(walk.rng.integers(game.num_actions, size=SAMPLES).tolist())
    for action in sorted(tried):
        told = bool(contract.is_legal(game.rules, state, action, ids))
        expect(told == (action in legal),
                "is_legal says {} of action {}, `legal` {}",
                told, action, action in legal)  # fmt: skip
        admitted = int(contract.admit(game.rules, state, action, ids))
        if action in legal:
            expect(admitted == action, "the legal action {} counts as {}", action, admitted)
            continue
        played = state.copy()
        if game.lenient and 0 <= action < game.num_actions:
            # The admitted action need not be legal: it may be a pass that nobody could choose.
            expect(0 <= admitted < game.num_actions,
                    "action {} counts as {}, which is none", action, admitted)  # fmt: skip
            game.play(played, action)
            twin = state.copy()
            contract.play(game.rules, twin, admitted)
            same(game, played, twin, f"action {action} is played as the one that it counts as")
            continue
        expect(admitted == -1, "the illegal action {} counts as {}", action, admitted)
        refuses(lambda: game.play(played, action), f"the illegal action {action}")  # noqa: B023
        same(game, state, played, "an illegal action changes nothing")


def check_observe(walk: Walk) -> None:
    """An observation stays in its row; planes are binary, vectors within their space."""
    _check_sight(walk, ObservationForm(walk.game))


def check_features(walk: Walk) -> None:
    """A compact observation stays in its row, and within its space."""
    _check_sight(walk, ObservationForm(walk.game, COMPACT))


def _check_sight(walk: Walk, sight: ObservationForm) -> None:
    """The numbers of a form of observations are in their row, and within their space."""
    spaces = sight.space()
    for player in walk.players:
        # Room beside the row: on a GPU it is a row of another game.
        rows = np.full((3, sight.size), 99, np.int8)
        contract.look(walk.game.rules, walk.state, player, sight.compact, rows[1])
        beside = (rows[[0, 2]] != 99).any()
        expect(not beside, "observe for player_{} writes beyond its row", player)
        for name, part in sight.parts(rows[1]).items():
            expect(spaces[name].contains(part), "{!r} of player_{} is not within {}: {} to {}",
                    name, player, spaces[name], part.min(), part.max())  # fmt: skip
