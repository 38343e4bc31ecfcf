"""Checks of a game's fields, deals, actions, payoffs and observations.

`check.py` calls them. Some take a `Game`, the others a `Walk`, a random game in progress.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np

from closedhand.core import batch, contract
from closedhand.core.game import Deal, Game, InputError, State
from closedhand.core.numba.jit import draw_seed, kernel
from closedhand.envs.observation_form import ACTION_MASK, ObservationForm
from closedhand.testing.expectations import expect, refuses, same
from closedhand.testing.walk import SAMPLES, Walk, some

MOST_DEALS = 1_000  # maximum number of listed deals that are checked
DEALT = 2_000  # number of games that are dealt to compare frequencies
MOST_VIEWS = 3
"""Maximum number of views of each player, and of whole games, whose redeals are checked."""
COMMON = 100
"""A deal that is expected in at least this many of `DEALT` draws has to come up."""
MOST_LISTED = 300
"""`is_legal` is tested on all ids; its slow default only if there are no more than this."""

REQUIRED = ("deal", "legal", "play", "over", "returns", "hide", "redeal", "observe")
"""Contract functions without a default."""


def check_fields(game: Game) -> None:
    """Check that the fields of a `Game` fit each other."""
    expect(re.fullmatch("[a-z][a-z0-9_]*", game.name),
            "name is lower case, digits and underscores, not {!r}", game.name)  # fmt: skip
    players = game.num_players
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
    total = game.payoff_sum
    expect(total is None or low * players <= total <= high * players,
            "payoff_sum {} is not within payoff_range {} of {} players",
            total, game.payoff_range, players)  # fmt: skip
    expect(game.max_moves >= 1, "max_moves is positive, not {}", game.max_moves)
    expect(game.rounds == 1 or game.staged, "only staged games have more than one round")


def check_state(game: Game) -> None:
    """Check that the data type of states has the fields that generic code needs."""
    dtype = game.dtype
    expect(dtype.type is np.record, "dtype is one of `np.record`, not {}", dtype.type)
    expect(not dtype.hasobject, "states hold plain numbers, no Python objects")
    for name in dtype.names or ():
        expect(not hasattr(np.record, name),
                "the field {!r} has the name of an attribute of NumPy's records", name)  # fmt: skip
    for name, axes in (("player", 0), ("moves", 0), ("history", 1)):
        kind = dtype[name]
        expect(kind.base.kind in "iu" and len(kind.shape) == axes,
                "the field {!r} is {} integer, not {}", name,
                "an array [n] of" if axes else "an", kind)  # fmt: skip
    most, last = np.iinfo(dtype["history"].base).max, game.flat.num_actions - 1
    expect(most >= last, "the field 'history' holds ids up to {}, not {}", last, most)


def check_rules(game: Game) -> None:
    """Check that the class of the rules names a module with the contract functions."""
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
    valid, knowledge, view_from = (
        contract.plain_function(rules, name)[0] for name in ("valid", "knowledge", "view_from")
    )
    expect(valid is not None, "the module lacks valid, which says why the rules do not allow a "
            "state: `load` and `reset` rely on it")  # fmt: skip
    expect(knowledge is not None or view_from is None,
            "the module lacks knowledge, which turns a view into the arguments of "
            "`view_from`")  # fmt: skip


def check_forms(game: Game) -> None:
    """Check that the flat form of a game, in which actions are whole plays, has the same states."""
    expect(game.flat.flat is game.flat, "the flat form of a flat game is itself")
    expect(game.flat.name == game.name, "the flat form is called {!r}", game.flat.name)
    expect(game.flat.num_players == game.num_players, "the flat form has other seats")
    expect(game.flat.dtype == game.dtype, "the flat form has states of its own")


def check_deals(game: Game, games: int, seed: int) -> None:
    """Check that a seed determines the whole deal, and that not all seeds deal the same."""
    seen = set()
    seeds = range(seed, seed + max(games, 20))  # a few seeds of a small game may deal the same
    # Deals must not depend on the global generators, whose states are restored for the caller.
    before = random.getstate(), np.random.get_state()
    try:
        for number in seeds:
            state = game.deal(np.random.default_rng(number))
            random.seed(number)
            np.random.seed(number)
            again = game.deal(np.random.default_rng(number))
            same(game, state, again, "the same seed deals the same state")
            expect(state.moves == 0, "a new game has made no moves, not {}", state.moves)
            seen.add(state.tobytes())
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
    expect(len(seen) > 1, "{} different seeds deal the same state", len(seeds))


def check_alignment(game: Game) -> None:
    """Check that fields of records are at multiples of their size, as a GPU requires."""
    for name, dtype in [("the state", game.dtype), *_records(game.rules, "rules")]:
        for path, offset, size in _misaligned(dtype, ""):
            expect(False, "field {!r} of {} is at byte {}, which is not a multiple of {}: put wide "
                   "fields first", path, name, offset, size)  # fmt: skip


def _records(value: Any, path: str) -> list[tuple[str, np.dtype[Any]]]:
    """List the types of the records within rules, with their paths."""
    if isinstance(value, np.record):
        return [(path, value.dtype)]
    if not isinstance(value, tuple):
        return []
    names = getattr(value, "_fields", range(len(value)))
    pairs = zip(names, value, strict=True)
    return [found for name, part in pairs for found in _records(part, f"{path}.{name}")]


def _misaligned(dtype: np.dtype[Any], path: str, start: int = 0) -> Iterator[tuple[str, int, int]]:
    """Find the fields of a record that are not at a multiple of their size: path, offset, size."""
    for name, (kind, offset, *_) in (dtype.fields or {}).items():
        base, shape = kind.subdtype or (kind, ())
        place = f"{path}.{name}".lstrip(".")  # `path` leads to this record, at byte `start`
        # In an array, check the second item, too: it shows whether the items' size fits.
        starts = [start + offset, start + offset + base.itemsize][: 2 if shape else 1]
        for first in starts:
            if base.fields:
                yield from _misaligned(base, place, first)
            elif first % base.itemsize:
                yield place, first, base.itemsize


def check_all_deals(game: Game, seed: int) -> list[Deal]:
    """Check that listed deals are different and valid, and that `deal` draws them as listed.

    If there are more than `MOST_DEALS`, check only the first ones, and compare no frequencies of
    draws. Return the deals if all are checked, else an empty list.
    """
    try:
        deals = game.deals()
    except InputError:
        return []
    listed = list(islice(deals, MOST_DEALS + 1))
    whole = len(listed) <= MOST_DEALS
    likely: dict[str, float] = {}
    for state, probability in listed[:MOST_DEALS]:
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
        return []
    states = batch.deal(game, range(seed, seed + DEALT))
    check_counts("deal", Counter(game.deal_text(state) for state in np.rec.array(states)), likely)
    return listed


def check_redeals(game: Game, deals: list[Deal], seed: int) -> None:
    """Check that redeals of a view at the deal have the probabilities of the deals that fit it.

    The `MOST_VIEWS` views of each player that fit the most deals are checked.
    """
    rng = np.random.default_rng(seed)
    for player in range(game.num_players):
        alike: dict[bytes, dict[str, float]] = {}
        views: dict[bytes, State] = {}
        for state, probability in deals:
            view = game.view(state, player)
            views[view.tobytes()] = view
            alike.setdefault(view.tobytes(), {})[game.deal_text(state)] = probability
        for key in sorted(alike, key=lambda key: -len(alike[key]))[:MOST_VIEWS]:
            draws = (game.redeal(views[key], player, rng) for _ in range(DEALT))
            counts = Counter(map(game.deal_text, draws))
            whole = math.fsum(alike[key].values())
            likely = {text: p / whole for text, p in alike[key].items()}
            check_counts(f"redeal for player_{player}", counts, likely)


def check_later_redeals(game: Game, deals: list[Deal], courses: list[Walk], seed: int) -> None:
    """Check that redeals in the middle of games draw deals that fit, and all common ones of these.

    A deal fits if it is listed, and the actions so far are legal after it and lead to the same
    view. It is common if `COMMON` draws or more are expected. Frequencies are not compared: they
    depend on which of equal cards were played. `courses` are whole games.
    """
    if game.simultaneous or not deals:
        return
    rng = np.random.default_rng(seed)
    for walk in courses[:MOST_VIEWS]:
        state = walk.states[int(rng.integers(1, max(2, len(walk.states) - 1)))]
        player = int(state.player)
        view = game.view(state, player)
        likely = _fitting(game, deals, state, view)
        if likely:
            whole = math.fsum(likely.values())
            drawn = {game.deal_text(game.redeal(view, player, rng)) for _ in range(DEALT)}
            common = {text for text, share in likely.items() if DEALT * share / whole >= COMMON}
            others, missing = sorted(drawn - likely.keys()), sorted(common - drawn)
            where = f"redeal for player_{player} at move {state.moves}"
            expect(not others, "{} draws {}, which does not fit", where, *others[:1])
            expect(not missing, "{} never draws {}, which fits", where, *missing[:1])


def _fitting(game: Game, deals: list[Deal], state: State, view: State) -> dict[str, float]:
    """Return the probabilities of the deals that fit a view, by their texts.

    The result is empty if the history does not lead to the state, as amid the sub-steps of a play.
    """
    flat, history = game.flat, game.history(state)
    ids, found = np.empty(flat.num_actions, np.int32), dict[str, float]()
    for start, probability in deals:
        after = start.copy()
        for action in history:
            if not contract.is_legal(flat.rules, after, int(action), ids):
                break
            contract.play(flat.rules, after, int(action))
        else:
            if game.key(after, int(state.player)) == view.tobytes():
                found[game.deal_text(start)] = probability
    return found if game.deal_text(state) in found else {}


def check_counts(drawn: str, counts: Counter[str], likely: Mapping[str, float]) -> None:
    """Test by chi-square that `counts` of `DEALT` draws fit `likely`; `drawn` names the draws."""
    others = sorted(counts.keys() - likely)
    expect(not others, "{}: the deal {} is not listed", drawn, others[0] if others else "")
    # Rare deals are counted together: the statistic then nearly has a chi-square distribution.
    sums = {text: (counts[text], DEALT * p) for text, p in likely.items() if DEALT * p >= 5}
    rest = np.subtract((DEALT, DEALT), np.sum(list(sums.values()) or [(0, 0)], axis=0))
    pairs = np.array([*sums.values(), *([rest] if rest[1] >= 5 else [])])
    if len(pairs) > 1:
        found, due = pairs.T
        free = len(pairs) - 1
        statistic = ((found - due) ** 2 / due).sum()
        worst = max(sums, key=lambda text: abs(sums[text][0] - sums[text][1]))
        # The mean is `free`, the deviation sqrt(2 free); 18 allows for the tail of small `free`.
        expect(statistic < free + 6 * math.sqrt(2 * free) + 18,
                "{} and deals disagree: {} of {} are the deal {}, not about {:.0f}",
                drawn, counts[worst], DEALT, worst, DEALT * likely[worst])  # fmt: skip


def check_seats(game: Game, seed: int) -> None:
    """Check that wrong seats are refused, also by methods that a subclass of `Game` overrides."""
    rng = np.random.default_rng(seed)
    view = game.view(game.deal(rng), 0)
    wrong: tuple[Any, ...] = (None, -1, game.num_players)
    calls = {
        "view": game.view, "observe": game.observe, "features": game.features,
        "redeal": lambda view, seat: game.redeal(view, seat, rng),
    }  # fmt: skip
    for name, call in calls.items():
        for seat in wrong:
            refuses(partial(call, view, seat), f"{name} of seat {seat}")


def check_player(walk: Walk) -> None:
    """Check that `player` is a seat, and that `moves` is within the size of `history`."""
    state = walk.state
    expect(state.player in walk.players, "player is a seat, not {}", state.player)
    expect(0 <= state.moves <= len(state.history),
            "moves is 0 to {}, the size of 'history', not {}",
            len(state.history), state.moves)  # fmt: skip


def check_legal(walk: Walk) -> None:
    """Check that legal ids ascend and are in range, and that a running game has one."""
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


def check_all_legal(walk: Walk) -> None:
    """Check on all ids, and some out of range, that `is_legal` accepts exactly those of `legal`."""
    game = walk.game
    tests = np.arange(-2, game.num_actions + 2)
    found = np.zeros(len(tests), np.bool_)
    ids = np.empty(game.num_actions, np.int32)
    listed = [] if game.over(walk.state) else game.legal(walk.state)
    if len(tests) <= MOST_LISTED or hasattr(import_module(game.rules.kernels), "is_legal"):
        _test_all(game.rules, walk.state, tests, ids, found)
        for action in np.flatnonzero(found != np.isin(tests, listed)) - 2:
            expect(False, "is_legal says {} of action {}, `legal` {}",
                    bool(found[action + 2]), action, not found[action + 2])  # fmt: skip


@kernel
def _test_all(rules: Any, state: Any, actions: Any, ids: Any, found: Any) -> None:
    for k in range(len(actions)):
        found[k] = contract.is_legal(rules, state, actions[k], ids)


def check_unwilling(game: Game, seed: int) -> None:
    """Check that games end within `max_moves` even if all players delay the end.

    In one game all play the first legal action, in one the last, in one `PASS` or else the first.
    """
    passes = [action for action in range(game.num_actions) if game.text(action).upper() == "PASS"]
    for how, place in (("the first action", 0), ("the last action", -1), ("PASS", None)):
        if place is None and not passes:
            continue
        state, moves = game.deal(np.random.default_rng(seed)), 0
        while not game.over(state):
            expect(moves < game.max_moves, "the game goes on after max_moves, {} actions, if all "
                    "always play {}", game.max_moves, how)  # fmt: skip
            legal = game.legal(state)
            willing = place is not None or passes[0] not in legal
            game.play(state, int(legal[place or 0]) if willing else passes[0])
            moves += 1


def check_end(walk: Walk) -> None:
    """Check that no action can be played after the end."""
    refuses(lambda: walk.game.play(walk.state.copy(), 0), "play after the end")
    check_all_legal(walk)


def check_next_deal(walk: Walk) -> None:
    """Check that a deal overwrites a finished game completely; vector envs rely on this."""
    dealt = walk.state.copy()
    contract.deal(walk.game.rules, dealt, draw_seed(np.random.default_rng(walk.seed)))
    same(walk.game, walk.states[0], dealt, "a deal over a finished game is that on a blank state")


def check_returns(walk: Walk) -> None:
    """Check that payoffs are in range, add up, and have one sign for the seats of a side."""
    game = walk.game
    returns = game.returns(walk.state)
    low, high = game.payoff_range
    expect(np.isfinite(returns).all(), "payoffs are numbers, not {}", returns)
    expect((returns >= low).all() and (returns <= high).all(),
            "payoffs {} are not within payoff_range {}", returns, game.payoff_range)  # fmt: skip
    total = game.payoff_sum
    expect(total is None or math.isclose(returns.sum(), total, abs_tol=1e-9),
            "payoffs {} do not add up to payoff_sum, {}", returns, total)  # fmt: skip
    for side in set(game.sides):
        together = np.sign(returns[np.array(game.sides) == side])
        expect(len(set(together)) == 1, "seats of side {} do not win together: {}", side, returns)
    expect((game.returns(walk.state) == returns).all(), "a second look finds other payoffs")
    written = np.full(contract.MAX_PLAYERS, 99.0)  # as in an array used before
    contract.returns(game.rules, walk.state, written)
    expect((written[: len(returns)] == returns).all(),
            "`returns` keeps what was in its array: it has to write every payoff")  # fmt: skip


def check_payoff(walk: Walk) -> None:
    """Check that `payoff` is NaN or the final payoff, and the final payoff at the end."""
    game, returns = walk.game, walk.game.returns(walk.state)
    for state in (*some(walk.states, walk.rng), walk.state):
        for player in walk.players:
            payoff = contract.payoff(game.rules, state, player)
            expect(payoff == returns[player] or (np.isnan(payoff) and not game.over(state)),
                    "player_{} is promised {} at move {} and gets {}",
                    player, payoff, state.moves, returns[player])  # fmt: skip


def check_valid(walk: Walk) -> None:
    """Check that `valid` accepts a state that came up in play."""
    why = walk.game.valid(walk.state)
    expect(why == "", "a state that came up in play is refused: {}", why)


def check_illegal(walk: Walk) -> None:
    """Check that illegal actions are refused without a change, or replaced as `admit` says."""
    game, state = walk.game, walk.state
    if game.over(state):
        return
    legal, ids = set(game.legal(state).tolist()), np.empty(game.num_actions, np.int32)
    tried = {*some(sorted(legal), walk.rng), -1, game.num_actions}
    tried.update(walk.rng.integers(game.num_actions, size=SAMPLES).tolist())
    for action in sorted(tried):
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


def check_form(walk: Walk, name: str) -> None:
    """Check that observations of a form stay in their rows, and within their space."""
    form = ObservationForm(walk.game, name)
    spaces = form.space()
    for player in walk.players:
        # The rows before and after must not change: on a GPU they belong to other games.
        rows = np.full((3, form.size), 99, np.int8)
        contract.look(walk.game.rules, walk.state, player, form.compact, rows[1])
        beside = (rows[[0, 2]] != 99).any()
        expect(not beside, "observe for player_{} writes beyond its row", player)
        for name, part in form.parts(rows[1]).items():
            expect(spaces[name].contains(part), "{!r} of player_{} is not within {}: {} to {}",
                    name, player, spaces[name], part.min(), part.max())  # fmt: skip
