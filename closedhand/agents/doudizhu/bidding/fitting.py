"""Fit of the Bid Module `fitted` (`modules.py`) to games that an agent plays against itself.

1. Play every deal three times, with each player as the landlord once.
2. Label each hand of 17 cards with the result of the game in which its player was the landlord and
   got the three public cards.
3. Fit a logistic model to these labels.
4. Find from the same games the probability above which each bid pays (`thresholds.py`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from closedhand.agents.doudizhu.bidding import modules, thresholds
from closedhand.agents.doudizhu.bidding.modules import CONTROL, FEATURES, LOGIC
from closedhand.agents.doudizhu.bidding.thresholds import Module, rotated
from closedhand.agents.doudizhu.limits import check_plain
from closedhand.core import batch, duplicate
from closedhand.core.agents import Agent, digests, make_agent
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.parsing import check_fields
from closedhand.core.reading import check_arrays, json_in, read_arrays
from closedhand.core.version import __version__
from closedhand.games.doudizhu.counts import DECK, by_rank
from closedhand.games.doudizhu.state import SEATS
from closedhand.learning.logistic import calibration, chances_of, log_loss, logistic

CHUNK = 500
"""Deals played in lockstep; each chunk has its own random number generator."""
HAND = 17
FEWEST = 3000
"""Minimum number of games for a fit."""
HELD_OUT = 5
"""One deal in this many is held out of the fit and used to evaluate it."""

SHARES = (0.32, 0.32, 0.31, 0.05)
"""Shares of players in the auctions: those who bid as `fitted`, `logic` and `control`, and those
who always pass. With all of them every auction occurs, and a pass may hide a strong hand."""


class Deals(NamedTuple):
    """Deals, and their payoffs with each player as the landlord."""

    hands: np.ndarray  # packed hands of 17 cards, by seat, uint64 [n, 3]
    # Points of the landlord at the stake 1/2, by the seat of the landlord, float64 [n, 3]: 1 for a
    # win, -1 for a loss, doubled by each bomb and by the spring.
    points: np.ndarray

    @property
    def won(self) -> np.ndarray:
        """Whether the landlord with each hand won, 1 or 0, float64 [3n]."""
        return (self.points.ravel() > 0).astype(float)

    @property
    def number(self) -> np.ndarray:
        """Index of the deal of each hand, int64 [3n]."""
        return np.arange(len(self.hands)).repeat(SEATS)

    @property
    def held_out(self) -> np.ndarray:
        """Whether each hand is held out of the fit, bool [3n]."""
        return self.number % HELD_OUT == HELD_OUT - 1


@dataclass
class Fit:
    """A fit in progress; a `closedhand.core.run.Learner`.

    Raises:
        InputError: The game is not Dou Dizhu of three with 54 cards, has bidding, doubling or an
            open hand, or counts wins instead of points.
    """

    game: Game
    agent: str  # plays all seats
    seed: int = 0  # of the deals, the agent and the auctions
    chunks: list[Deals] = field(default_factory=list)  # deals played so far

    def __post_init__(self) -> None:
        if self.game.name != "doudizhu":
            raise InputError(f"bids are fitted for doudizhu, not {self.game.name}")
        if self.game.options["bidding"] or self.game.options["objective"] != "score":
            raise InputError("bids are fitted to points of games without bidding")
        check_plain(self.game, "the fit of bids")

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that must be the same when a fit is resumed."""
        return {
            "options": dict(self.game.options),
            "agent": self.agent,
            "files": digests(self.game, [self.agent]),
            "seed": self.seed,
            "version": __version__,
        }

    @property
    def deals(self) -> Deals:
        """All deals played so far, concatenated."""
        return Deals(*(np.concatenate(parts) for parts in zip(*self.chunks, strict=True)))

    @property
    def games(self) -> int:
        """Number of games played so far: three per deal."""
        return sum(chunk.points.size for chunk in self.chunks)

    def advance(self, seconds: float) -> bool:
        """Play one more chunk of deals; return False, so that the loop adds no summary yet.

        Raises:
            InputError: The agent is unknown, or chose an illegal action.
        """
        rng = np.random.default_rng((self.seed, self.games // (SEATS * CHUNK)))
        player = make_agent(self.game, self.agent, int(rng.integers(2**31)))
        self.chunks.append(play_deals(self.game, player, rng, CHUNK))
        return False

    def state(self) -> dict[str, Any]:
        """Return the deals played so far."""
        return self.deals._asdict()

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the deals of a checkpoint; errors are those of `deals_of`."""
        self.chunks = [deals_of(state)]

    def summary(self) -> dict[str, Any]:
        """Return the number of games played."""
        return {"games": self.games}


def deals_of(state: Mapping[str, Any]) -> Deals:
    """Read the deals of a checkpoint; a missing array is a `KeyError`, damage a `ValueError`."""
    deals = Deals(state["hands"], state["points"])
    shape = len(deals.hands), SEATS
    check_arrays(state, {"hands": np.empty(shape, np.uint64), "points": np.empty(shape)})
    counts = by_rank(deals.hands)
    if (counts.sum(axis=1) > by_rank(DECK)).any() or (counts.sum(axis=2) != HAND).any():
        raise ValueError(f"its hands are not of {HAND} cards of a deck")
    if not np.isfinite(deals.points).all():
        raise ValueError("its points are not finite")
    return deals


def read(path: Path) -> tuple[dict[str, Any], Deals]:
    """Read the settings and the deals of a saved fit; an `InputError` if `path` holds none."""
    state = read_arrays(path)
    try:
        return check_fields(json_in(state, "settings"), "settings", {}), deals_of(state)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} holds no deals: {error}") from None


def play_deals(game: Game, player: Agent, rng: np.random.Generator, number: int) -> Deals:
    """Draw `number` deals; `player` plays each deal three times, each hand once as landlord."""
    dealt = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    hands = dealt["hands"].copy()
    hands[:, 0] -= dealt["public"]  # the deal gave them to seat 0, the landlord
    points = np.empty((number, SEATS))
    seats = np.zeros((number, SEATS), np.int64)  # agent 0, the only one, at every seat
    for landlord in range(SEATS):
        states = dealt.copy()
        # Seat 0 is the landlord, and gets the hand `landlord` of the deal.
        states["hands"] = np.roll(hands, -landlord, axis=1)
        states["hands"][:, 0] += dealt["public"]
        duplicate.play_out(game, states, seats, [player])
        # The landlord wins or loses twice the stake: points for a stake of 1/2.
        points[:, landlord] = batch.returns(game, states)[:, 0] / (2 * dealt["stake"])
    return Deals(hands, points)


@kernel
def features_all(hands, out):
    """Write the features of every hand, uint64 [n], into a row of `out`, float64 [n, features]."""
    for i in range(len(hands)):
        modules.write_features(hands[i], out[i])


def fit_logistic(deals: Deals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit the logistic model to the deals, [n], that are not held out.

    Returns:
        The `FEATURES` of all hands, float64 [3n, features]; the weights and their standard errors,
        float64 [features].
    """
    features = np.empty((deals.hands.size, len(FEATURES)))
    features_all(deals.hands.ravel(), features)
    learned = ~deals.held_out
    return features, *logistic(features[learned], deals.won[learned], deals.number[learned])


def fixed(kind: int, hands: np.ndarray) -> Module:
    """Make the `Module` of `control` or `logic`, of index `kind`, for hands, uint64 [n, 3]."""
    scores = np.array([modules.score(kind, hand) for hand in hands.ravel()], float)
    return Module(scores.reshape(hands.shape), modules.BIDS_FROM[kind])


def fitted(
    chances: np.ndarray, deals: Deals, seed: int, progress: Callable[[int], None]
) -> np.ndarray:
    """Find the thresholds of the module `fitted`, float64 [3, 3, 3], by `fit_thresholds`.

    `chances` are the win probabilities of the model, by deal and seat, float64 [n, 3]. `seed` seeds
    the draw of players by `SHARES`; `progress` gets the number of rounds done.
    """
    logic, control = (fixed(kind, deals.hands) for kind in (LOGIC, CONTROL))
    passes = Module(logic.scores, np.full_like(logic.thresholds, np.inf))
    others = [Module(rotated(m.scores), m.thresholds) for m in (logic, control, passes)]
    shape = (SEATS * len(chances), SEATS)
    which = np.random.default_rng((seed, len(chances), 1)).choice(len(SHARES), shape, p=SHARES)
    points = rotated(deals.points)
    return thresholds.fit_thresholds(rotated(chances), points, others, which, progress)


def check_number(games: int) -> None:
    """Raise an `InputError` if there are too few games for a fit."""
    if games < FEWEST:
        raise InputError(f"fitting bids takes at least {FEWEST:,} games, not {games:,}")


def results(fit: Fit, progress: Callable[[int], None] = lambda rounds: None) -> dict[str, Any]:
    """Fit the module `fitted` to the deals played so far, and evaluate it.

    `progress` gets the number of rounds done, out of `thresholds.ROUNDS`. Errors are those of
    `check_number`.

    Returns:
        JSON values. `weights` and `thresholds` are for `modules.WEIGHTS` and `modules.THRESHOLDS`.
        The evaluation, on one deal in `HELD_OUT`, is `log_loss` (with `constant`, the loss of
        always predicting the mean) and `calibration` by tenths.
    """
    check_number(fit.games)
    deals = fit.deals
    won, held_out = deals.won, deals.held_out
    features, weights, errors = fit_logistic(deals)
    weights = weights.round(3)
    chances = chances_of(features, weights)
    learned = ~held_out[::SEATS]
    seen = Deals(*(part[learned] for part in deals))
    by_deal = chances.reshape(-1, SEATS)[learned]
    return {
        **fit.settings,
        "games": fit.games,
        "landlord_wins": round(float(won.mean()), 4),
        "multiplier": {
            "won": round(float(deals.points[deals.points > 0].mean()), 4),
            "lost": round(float(-deals.points[deals.points < 0].mean()), 4),
        },
        "features": FEATURES,
        "weights": weights.tolist(),
        "errors": errors.round(4).tolist(),
        "thresholds": fitted(by_deal, seen, fit.seed, progress).round(2).tolist(),
        "log_loss": {
            "model": round(log_loss(chances[held_out], won[held_out]), 4),
            "constant": round(log_loss(np.full(held_out.sum(), won.mean()), won[held_out]), 4),
        },
        "calibration": calibration(chances[held_out], won[held_out]),
    }
