"""Games that policy networks play in lockstep, to learn from (`fine_tuning.py`).

A game counts as won or lost, without bombs. Games of the same deal are compared, so that its luck
cancels out, as in the paper's duplicate mode (appendix B).

The critic, `value-net`, estimates the probability to win for several main groups at a decision.
A game shows the result of one of them only, with the luck in the rest of the game.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.decompose.tuning import TABLES
from closedhand.agents.doudizhu.deeprocket.networks import Network, probabilities
from closedhand.agents.doudizhu.deeprocket.policy_net import PolicyNetAgent, observation_of
from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import Policy, make_space, policy_of, rate
from closedhand.agents.doudizhu.value_net.network import probability
from closedhand.core import batch, lockstep
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.game import Game, InputError, shown
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.plays import GROUPS

TEMPERATURE = 0.03
"""Difference of win probabilities that multiplies the relative probability of a play by e."""
LEAST = 0.03
"""Least sum of absolute changes of a decision's probabilities that is worth learning."""


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


def critic_of(agent: str) -> Policy:
    """Load the policy of a `value-net` trained to win; an `InputError` refuses other agents."""
    spec = AgentSpec.parse(agent)
    if spec.name != "value-net" or spec.options:
        raise InputError(f"the critic is value-net or value-net:PATH, not {shown(agent)}")
    net, about = files.load(spec.argument, "win")
    if about["objective"] != "win":
        raise InputError(f"{spec.argument}: a critic has to be trained for objective=win")
    return policy_of(net, "win")


@kernel
def write_chances(policy, rules, views, chosen, ids, chances):
    """Write win probabilities of main groups in `views[chosen]`, float64 [n, 309]; NaN: unrated."""
    space = make_space()
    chances[:] = np.nan
    for i in range(len(chosen)):
        n, settled, _ = rate(policy, rules, views[chosen[i]], ids, space)
        for k in range(n):
            group = rules.plays.group[space.plays[k]]
            if settled >= 0:
                chances[i, group] = 1.0 if k == settled else 0.0
            elif space.values[k] > -np.inf:
                chances[i, group] = probability(space.values[k])


def improved(
    critic: Policy, game: Game, views: np.ndarray, chosen: np.ndarray, shares: np.ndarray
) -> np.ndarray:
    """Improve a policy by the critic.

    The result is proportional to the policy's probabilities times exp(probability to win /
    temperature), as in maximum a posteriori policy optimisation (Abdolmaleki et al., 2018). A play
    without a rating, because `decompose` rates it low, counts as the worst of the rated plays.

    `game` is flat. `chosen`, int64 [n], are indices of views; there the policy has the
    probabilities `shares`, float32 [n, 309]. The result is float32 [n, 309]; a row that would
    change by less than `LEAST` is 0.
    """
    ids = np.empty(game.num_actions, np.int32)
    chances = np.empty((len(chosen), GROUPS))
    write_chances(critic, game.rules, views, chosen, ids, chances)
    chances = np.where(np.isnan(chances), np.nanmin(chances, axis=1, keepdims=True), chances)
    found = shares * np.exp(chances / TEMPERATURE)
    found /= found.sum(axis=1, keepdims=True)
    found[np.abs(found - shares).sum(axis=1) < LEAST] = 0.0
    return found.astype(np.float32)


def draw(shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw an index per row in proportion to the shares, int64 [n]; a share of 0 is never drawn."""
    sums = shares.cumsum(axis=1, dtype=np.float64)
    drawn = rng.random(len(shares)) * sums[:, -1]
    return (sums > drawn[:, None]).argmax(axis=1)


class Sampler(PolicyNetAgent):
    """Agent that draws main groups from the policy network and keeps these decisions.

    `game` is in sub-steps and without bidding. With `draws_kickers` the agent also draws kickers
    from the kicker network and keeps them; otherwise it takes the most probable ones. With a
    `critic` the agent also keeps improved probabilities of main groups (`Decisions.better`).
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
        self._games = np.empty(0, np.int64)  # indices of the games of the next views, int64 [n]
        self._rng = rng
        self._kept: dict[bool, list[Decisions]] = {False: [], True: []}

    def play(self, deals: int) -> tuple[Decisions, Decisions | None, np.ndarray]:
        """Play deals with the networks on all seats, each at `TABLES` tables.

        With a critic, `TABLES` times as many deals are played instead, at one table each. A second
        call would return the decisions of the first one, too.

        Returns:
            Decisions of the policy network; of the kicker network, None without any; and whether
            the landlord won, bool [deals, TABLES], with a critic [deals * TABLES, 1]. Games are
            numbered in the order of this array.
        """
        number, tables = (deals, TABLES) if self._critic is None else (deals * TABLES, 1)
        dealt = np.array([self.game.deal(self._rng) for _ in range(number)], self.game.dtype)

        def choose(views: np.ndarray, games: np.ndarray) -> np.ndarray:
            self._games = games
            return self.choose(views)

        states = np.repeat(dealt, tables)
        lockstep.play_out(self.game, states, choose, lambda _: "a network")
        groups, kickers = (
            Decisions(*map(np.concatenate, zip(*self._kept[own], strict=True)))
            if self._kept[own]
            else None
            for own in (False, True)
        )
        assert groups is not None  # the landlord leads with a choice
        won = batch.returns(self.game, states)[:, 0].reshape(number, tables) > 0
        return groups, kickers, won

    def _pick(self, views: np.ndarray, chosen: np.ndarray, kickers: bool) -> np.ndarray:
        """Choose outputs of one network in `views[chosen]`, int64 [n]; keep drawn ones."""
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
        games = self._games[chosen]
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
