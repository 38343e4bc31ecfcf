"""Advice computed from views: plays, their values in growing precision, chances of hidden cards.

Rounds, populations and gaps are those of `closedhand.search.ranking`.
"""

import math
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from closedhand.arena.hints import best_first
from closedhand.core.agents import legal_choice, make_agent
from closedhand.core.game import Game, InputError, State
from closedhand.core.numba.jit import Ids, Rng
from closedhand.core.registry import load, spec_of
from closedhand.search.particles import Particles
from closedhand.search.playout import Uniform
from closedhand.search.ranking import ROUND, Gap, Ranking, Simulation, simulation_of
from closedhand.search.stopping import check
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.serialization import describe_action, number_of

FIRST, STEP = 0.03, 0.25
"""Minimum seconds of simulation before the first report, and before each later one."""
TRIAL = 256
"""Simulations of a population in a trial; `PAIR` such populations choose the plays shown first."""
PAIR = 2
"""Populations per `Ranking.advance` before the first report; a single one gives no interval."""
FEW = 4
"""Determinisations per population for the first report: many small ones narrow intervals most."""
LONGEST = 4.0
"""Seconds of simulation after the first report."""
MOST_JUDGED = 600
"""Maximum number of plays compared; with more legal plays a hint has only `suggest`'s answer."""
MOST_SHOWN = 12
"""Most plays that a hint shows."""
MOST_ACTIONS = 5000
"""Most actions of a game for which a policy is shown."""
DETERMINISATIONS = 400
"""Determinisations for the chances of cards; of particles there are fewer if time runs out."""
DRAWING = 2.0
"""Most seconds for drawing particles."""

EXACT, SEARCH, PLAYOUTS, UNIFORM = "exact", "search", "playouts", "random"
"""Where values come from: the tree of the game with the agent's strategy, the agent's own search,
the game's playouts, or uniformly random ones."""


@lru_cache(64)
def playouts_of(game: Game) -> Simulation:
    """Return the playouts of a game: those of its spec for these rules, else random ones.

    `Simulation.game` may have simpler payoffs than `game`. Only with the spec's policy are the
    determinisations weighted particles; for random playouts `redeal` draws them.
    """
    maker = spec_of(game.name).playouts
    found = load(maker)(game) if maker else None
    return Simulation(game, Uniform()) if found is None else Simulation(*found, weighted=True)


def unit_of(game: Game) -> str:
    """Return `chance` if payoffs are 1 and -1, to be shown as chances to win; else `points`."""
    return "chance" if game.is_win_or_loss else "points"


def suggest(game: Game, view: State, by: str) -> dict[str, Any]:
    """Ask an agent for its choice, and for its policy and its ratings if it has them.

    Returns:
        `by`; `shares` and `ratings`, the best actions by policy and by rating, empty if the agent
        has none (`shares` also above `MOST_ACTIONS`); `action`, the first share, else its choice.

    Raises:
        InputError: There is no such agent, it cannot play the game, or its choice is not legal.
    """
    shares, ratings = list[dict[str, Any]](), list[dict[str, Any]]()
    agent, lock = _agent(game, by)
    with lock:
        policy, rate = (getattr(agent, name, None) for name in ("probabilities", "values"))
        if policy is not None and game.num_actions <= MOST_ACTIONS:
            chances = policy(np.array([view], game.dtype))[0]
            shares = _best(game, view, np.arange(game.num_actions), chances, "share", 0.001)
        if rate is not None:
            actions = game.legal(view)
            ratings = _best(game, view, actions, rate(view, actions), "rating")
        chosen = shares[0]["id"] if shares else legal_choice(game, view, agent)
    action = describe_action(game, view, chosen)
    return {"by": by, "action": action, "shares": shares, "ratings": ratings}


def _best(
    game: Game, view: State, actions: Ids, numbers: Any, name: str, above: float = -math.inf
) -> list[dict[str, Any]]:
    """Describe actions with the largest finite numbers over `above`; key `name` gets the number."""
    best = [pair for pair in best_first(actions, numbers) if above < pair[1] < math.inf]
    return [{**describe_action(game, view, a), name: number} for a, number in best[:MOST_SHOWN]]


@lru_cache(32)
def _agent(game: Game, by: str) -> tuple[Any, Lock]:
    """Make an agent, and a lock for one thread at a time, as agents keep scratch memory."""
    return make_agent(game, by, 0), Lock()


def values(
    game: Game, view: State, first: int, seed: int, by: str = ""
) -> Iterator[dict[str, Any]]:
    """Value the plays, exactly in a small game if `by` has a policy, else in growing precision.

    An exact value is the expected payoff of the play and then a best response, if all others play
    the policy of the agent `by`. A simulated value is a gain over the play `first` on the same
    determinisations, which narrows the intervals. The simulation is the search of `by`, if it
    searches, else the game's playouts. Nothing is yielded if there is one legal play or more than
    `MOST_JUDGED`, or in a match of several rounds.

    Yields:
        `basis`, such as `EXACT`; `unit`, see `unit_of`; and `values`, the best plays, each with
        `mean`, an exact value, or the gain over `first` in payoffs of the simulation's game; `low`
        and `high`, the 95% interval of the gain, None for `first` and if exact; and `tries`, the
        number of determinisations, 0 if exact.
    """
    actions = game.legal(view).astype(np.int64)
    if not 1 < len(actions) <= MOST_JUDGED or game.rounds > 1:
        return
    strategy = by and explored(game, by)
    exact = strategy.values_at(view) if strategy else None
    if exact is not None:
        unsampled = {"tries": 0, "low": None, "high": None}
        rows = [{**describe_action(game, view, a), "mean": v, **unsampled} for a, v in exact]
        best_rows = sorted(rows, key=lambda row: -row["mean"])
        yield {"basis": EXACT, "unit": unit_of(game), "values": best_rows}
        return
    how, usual, rng = _simulation(game, view, by), playouts_of(game), np.random.default_rng(seed)
    basis = PLAYOUTS if usual.weighted else UNIFORM
    if (how.game, how.policy) != (usual.game, usual.policy):
        basis = SEARCH
    about = {"basis": basis, "unit": unit_of(how.game)}
    look = _first_look(how, view, actions, first, rng)
    yield {**about, "values": _rows(game, view, look, first)}
    ranking = _ranking(how, view, actions, first, rng)
    deadline = time.perf_counter() + LONGEST
    while time.perf_counter() < deadline:
        _work(ranking, STEP)
        yield {**about, "values": _rows(game, view, ranking.gaps(first), first)}


def _first_look(how: Simulation, view: State, actions: Ids, first: int, rng: Rng) -> list[Gap]:
    """Rank plays quickly, by gaps to `first`; of more than `MOST_SHOWN` the best of a trial."""
    # A round of a ranking of all plays takes up to half a second, in which nothing would be shown.
    if len(actions) > MOST_SHOWN:
        trial = _ranking(how, view, actions, first, rng, share=TRIAL, least=1)
        trial.advance(populations=PAIR)
        best = [gap.action for gap in trial.gaps(first)[:MOST_SHOWN]]
        actions = np.array([first, *(each for each in best if each != first)])
    look = _ranking(how, view, actions, first, rng, share=1, least=FEW)
    _work(look, FIRST, populations=PAIR)
    return look.gaps(first)


def _rows(game: Game, view: State, gaps: list[Gap], first: int) -> list[dict[str, Any]]:
    """Describe the values of the best plays and of `first`, the best first."""
    others = [gap for gap in gaps[:MOST_SHOWN] if gap.action != first][: MOST_SHOWN - 1]
    shown = [gap for gap in gaps if gap in others or gap.action == first]
    rows: list[dict[str, Any]] = []
    for gap in shown:
        mean, *ends = map(number_of, gap.points)
        low, high = ends if gap.action != first else (None, None)
        about = {"tries": gap.determinisations, "mean": mean, "low": low, "high": high}
        rows.append({**describe_action(game, view, gap.action), **about})
    return rows


@lru_cache(8)
def explored(game: Game, by: str) -> GameExplorer | None:
    """Build a game's tree with an agent's policy; None without a policy, or for a large game."""
    try:
        agent, _ = _agent(game, by)
        if not hasattr(agent, "probabilities"):
            return None
        explorer = GameExplorer(game)
        explorer.play(by)
    except InputError:
        return None
    return explorer


def _simulation(game: Game, view: State, by: str) -> Simulation:
    """Return the simulation of an agent that searches; else the game's playouts."""
    if by:
        agent, lock = _agent(game, by)
        with lock, suppress(InputError):  # it does not search, or not at this stage of the game
            return simulation_of(agent, view)
    return playouts_of(game)


def _ranking(
    how: Simulation, view: State, actions: Ids, first: int, rng: Rng, **sizes: int
) -> Ranking:
    return Ranking(how, view, actions, rng, shown=MOST_SHOWN, kept=[first], **sizes)


def _work(ranking: Ranking, seconds: float, populations: int = ROUND) -> None:
    """Advance a ranking for some seconds, by one round at least."""
    deadline = time.perf_counter() + seconds
    ranking.advance(populations=populations)
    while time.perf_counter() < deadline:
        ranking.advance(populations=populations)


def judge(game: Game, view: State, made: int, rng: Rng, seconds: float) -> dict[str, Any]:
    """Compare a play with the others by paired simulations.

    `made` is the play; at most `MOST_JUDGED` others are compared, drawn at random if there are
    more. The intervals are widened for the number of plays compared (Bonferroni).

    Returns:
        `best`, the best other play, None if none has a higher mean than the play made; `cost`, the
        loss of the play made against `best`, 0 without one, with the interval `low` to `high`;
        `verdict`: `good` without a better play, `mistake` if the interval is above 0, else
        `unclear`; and the `number` of determinisations, 0 if there is no other play.
    """
    good = {"verdict": "good", "best": None, "cost": 0.0, "low": 0.0, "high": 0.0, "number": 0}
    actions = game.legal(view).astype(np.int64)
    others = actions[actions != made]
    if not len(others):
        return good
    if len(others) > MOST_JUDGED:
        others = rng.choice(others, MOST_JUDGED, replace=False)
    ranking = _ranking(playouts_of(game), view, np.array([made, *others]), made, rng)
    _work(ranking, seconds)
    best = next(gap for gap in ranking.gaps(made, 1 - 0.05 / len(others)) if gap.action != made)
    cost, low, high = best.points
    if cost <= 0:
        return {**good, "number": best.determinisations}
    return {
        "verdict": "mistake" if low > 0 else "unclear",
        "best": describe_action(game, view, best.action),
        "cost": cost,
        "low": number_of(low),
        "high": number_of(high),
        "number": best.determinisations,
    }


def card_chances(game: Game, view: State, player: int, seed: int) -> dict[str, Any]:
    """Estimate the expected number of each card in every hidden hand, on determinisations.

    These are particles (`closedhand.search.particles`) if `player`, whose view it is, is to act
    and the game has playouts of its own, else random deals.

    Returns:
        `cards`, in the order of hands; the `number` of determinisations; and for each hidden hand
        in `seats` its `seat`, `label` and `chances`, the mean number of each card.
    """
    rng = np.random.default_rng(seed)
    how = playouts_of(game)
    deadline = time.perf_counter() + DRAWING
    if how.weighted and int(view["player"]) == player:  # as particles require
        states = Particles(how.game, how.policy, view, DETERMINISATIONS, rng, deadline).states
    else:
        states = [game.redeal(view, player, rng) for _ in range(DETERMINISATIONS)]
    known = game.scene(view)
    # An empty text is a hidden card.
    counts = {i: Counter[str]() for i, row in enumerate(known) if "" in row.cards}
    for state in states:
        check()
        rows = game.scene(state)
        for i, count in counts.items():
            count.update(card for card in rows[i].cards if card.strip())
    order = _order(game, {card for count in counts.values() for card in count})
    return {
        "cards": order,
        "number": len(states),
        "seats": [
            {
                "seat": known[i].seat,
                "label": known[i].label,
                "chances": [round(count[card] / len(states), 4) for card in order],
            }
            for i, count in counts.items()
        ],
    }


def _order(game: Game, cards: set[str]) -> list[str]:
    """Sort cards by their mean position, as a share of the hand, in the hands of 20 deals."""
    places: dict[str, list[float]] = {card: [] for card in cards}
    rng = np.random.default_rng(0)
    for _ in range(20):
        for row in game.scene(game.deal(rng)):
            for i, card in enumerate(row.cards):
                if card in places:
                    places[card].append(i / len(row.cards))
    mean = {card: sum(found) / max(1, len(found)) for card, found in places.items()}
    return sorted(cards, key=lambda card: (mean[card], card))


def check_view(game: Game, view: State, player: int) -> None:
    """Refuse a view of a game that is over, or in which another player is to act."""
    if game.over(view):
        raise InputError("the game is over")
    if int(view["player"]) != player:
        raise InputError("it is not this player's turn")
