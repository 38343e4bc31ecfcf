"""Games that policy networks play in lockstep, to learn from (`fine_tuning.py`).

A game counts as won or lost, without bombs. Games of the same deal are compared, so that its luck
cancels out, as in the paper's duplicate mode (appendix B).
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.decompose.tuning import TABLES
from closedhand.agents.doudizhu.deeprocket.critic import improved
from closedhand.agents.doudizhu.deeprocket.networks import Network, probabilities
from closedhand.agents.doudizhu.deeprocket.policy_net import PolicyNetAgent, observation_of
from closedhand.agents.doudizhu.value_net.agent import Policy
from closedhand.core import batch, lockstep
from closedhand.core.game import Game


class Decisions(NamedTuple):
    """Drawn outputs of one network, main groups or kickers, at decisions with a choice."""

    planes: np.ndarray  # for the network, int8 [n, cells]
    status: np.ndarray  # status vectors, int8 [n, 10]
    mask: np.ndarray  # legal outputs, bool [n, outputs]
    label: np.ndarray  # drawn outputs, int64 [n]
    logs: np.ndarray  # logarithms of their probabilities, float32 [n]
    games: np.ndarray  # indices of the games, int64 [n]
    sides: np.ndarray  # of the players: 1 the landlord, -1 a peasant, float32 [n]
    # Probabilities of all main groups, improved by the critic, float32 [n, 309]; [n, 0] without a
    # critic and for kickers.
    better: np.ndarray


def draw(shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw an index per row in proportion to the shares, int64 [n]; a share of 0 is never drawn."""
    sums = shares.cumsum(axis=1, dtype=np.float64)
    drawn = rng.random(len(shares)) * sums[:, -1]
    return (sums > drawn[:, None]).argmax(axis=1)


class Sampler(PolicyNetAgent):
    """Agent that draws main groups from the policy network and keeps these decisions.

    With `draws_kickers` it also draws kickers from the kicker network and keeps them; otherwise it
    takes the most probable ones. The `critic`, if any, rates the main groups.
    """

    def __init__(
        self,
        game: Game,
        policy: Network,
        kicker: Network,
        rng: np.random.Generator,
        critic: Policy | None = None,
        draws_kickers: bool = False,
    ) -> None:
        super().__init__(game, "sampler", policy, kicker)
        self._critic, self._draws_kickers = critic, draws_kickers
        self.games = np.empty(0, np.int64)  # indices of the games of the next views, int64 [n]
        self._rng = rng
        self._kept: dict[bool, list[Decisions]] = {False: [], True: []}

    def decisions(self, kickers: bool) -> Decisions | None:
        """Concatenate the decisions kept so far, on kickers or on main groups; None without any."""
        kept = self._kept[kickers]
        if not kept:
            return None
        return Decisions(*map(np.concatenate, zip(*kept, strict=True)))

    def _pick(self, views: np.ndarray, chosen: np.ndarray, kickers: bool) -> np.ndarray:
        if kickers and not self._draws_kickers:
            return super()._pick(views, chosen, kickers)
        seen = observation_of(self.substeps.rules, views, chosen, kickers)
        shares = probabilities(self.kicker if kickers else self.policy, *seen)
        drawn = draw(shares, self._rng)
        logs = np.log(shares[np.arange(len(drawn)), drawn])
        leads = views["player"][chosen] == views["landlord"][chosen]
        sides = np.where(leads, 1, -1).astype(np.float32)
        better = np.empty((len(drawn), 0), np.float32)
        if self._critic is not None and not kickers:
            better = improved(self._critic, self.game.flat, views, chosen, shares)
        games = self.games[chosen]
        self._kept[kickers].append(Decisions(*seen, drawn, logs, games, sides, better))
        return drawn


def landlords_gains(won: np.ndarray) -> np.ndarray:
    """Subtract from the landlord's result in each game the mean of the deal's other games.

    `won` is whether the landlord won, bool [deals, tables]. The gains are float32 of that shape, -1
    to 1, and each row sums to 0. Peasants have the negative.

    Examples:
        >>> landlords_gains(np.array([[True, False, False], [True, True, True]]))
        array([[ 1. , -0.5, -0.5],
               [ 0. ,  0. ,  0. ]], dtype=float32)
    """
    tables = won.shape[1]
    sums = won.sum(axis=1, keepdims=True)
    return ((tables * won - sums) / np.float32(tables - 1)).astype(np.float32)


def play_deals(
    game: Game,
    policy: Network,
    kicker: Network,
    deals: int,
    rng: np.random.Generator,
    critic: Policy | None = None,
    draws_kickers: bool = False,
) -> tuple[Decisions, Decisions | None, np.ndarray]:
    """Play deals of a sub-stepped game without bidding with two networks on all seats.

    Each deal is played at `TABLES` tables. With a `critic`, `TABLES` times as many deals are
    played instead, at one table each. `critic` and `draws_kickers` are as for `Sampler`.

    Returns:
        Decisions of the policy network; of the kicker network, None without any; and whether the
        landlord won, bool [deals, TABLES], with a critic [deals * TABLES, 1]. Games are numbered in
        the order of this array.
    """
    number, tables = (deals, TABLES) if critic is None else (deals * TABLES, 1)
    dealt = np.array([game.deal(rng) for _ in range(number)], game.dtype)
    sampler = Sampler(game, policy, kicker, rng, critic, draws_kickers)

    def choose(views: np.ndarray, games: np.ndarray) -> np.ndarray:
        sampler.games = games
        return sampler.choose(views)

    states = np.repeat(dealt, tables)
    lockstep.play_out(game, states, choose, lambda _: "a network")
    groups = sampler.decisions(kickers=False)
    assert groups is not None  # the landlord leads with a choice
    won = batch.returns(game, states)[:, 0].reshape(number, tables) > 0
    return groups, sampler.decisions(kickers=True), won
