"""The critic of fine-tuning (`fine_tuning.py`): win probabilities of main groups by `value-net`.

The value network rates several main groups at a decision, while a game shows the result of one.
The ratings are also free of the luck in the rest of the game.
"""

import numpy as np

from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import Policy, make_space, policy_of, rate
from closedhand.agents.doudizhu.value_net.network import probability
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.game import Game, InputError, shown
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.plays import GROUPS

TEMPERATURE = 0.03
"""Difference of win probabilities that multiplies the relative probability of a play by e."""
LEAST = 0.03
"""Least sum of absolute changes of a decision's probabilities that is worth learning."""


def critic_of(agent: str) -> Policy:
    """Load the policy of `value-net` or `value-net:PATH`, trained to win; else an `InputError`."""
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

    `game` is flat. In `views[chosen]`, indices int64 [n], the policy has the probabilities
    `shares`, float32 [n, 309]. The result is float32 [n, 309]; a row that would change by less than
    `LEAST` is 0.
    """
    ids = np.empty(game.num_actions, np.int32)
    chances = np.empty((len(chosen), GROUPS))
    write_chances(critic, game.rules, views, chosen, ids, chances)
    chances = np.where(np.isnan(chances), np.nanmin(chances, axis=1, keepdims=True), chances)
    found = shares * np.exp(chances / TEMPERATURE)
    found /= found.sum(axis=1, keepdims=True)
    found[np.abs(found - shares).sum(axis=1) < LEAST] = 0.0
    return found.astype(np.float32)
