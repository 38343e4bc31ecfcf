"""What `value-net` says of main groups: the critic of fine-tuning (`fine_tuning.py`).

A value network sees what the policy network sees, but it has learned how often each play wins. It
judges all main groups of a decision, not only the one that is played, and the luck of the rest of
the game does not blur its judgement.
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
"""Difference of probabilities to win that makes a play e times as likely as it was."""
LEAST = 0.03
"""Sum of the changes of a policy's probabilities from which on a decision is worth learning."""


def critic_of(agent: str) -> Policy:
    """The policy of the agent `value-net` or `value-net:PATH`, trained to win.

    Raises:
        InputError: It is another agent, or was trained for points; or its file cannot be read.
    """
    spec = AgentSpec.parse(agent)
    if spec.name != "value-net" or spec.options:
        raise InputError(f"the critic is value-net or value-net:PATH, not {shown(agent)}")
    net, about = files.load(spec.argument, "win")
    if about["objective"] != "win":
        raise InputError(f"{spec.argument}: a critic has to be trained for objective=win")
    return policy_of(net, "win")


@kernel
def write_chances(policy, rules, views, chosen, ids, chances):
    """Write the probability to win with each main group into `chances`, NaN where unrated."""
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
    """A policy that is better than another one, by what the critic says.

    It is proportional to the other's probabilities times exp(probability to win / temperature), as
    in maximum a posteriori policy optimisation (Abdolmaleki et al., 2018). A play that the critic
    does not look at, because `decompose` thinks little of it, counts as the worst of those that it
    does look at.

    Args:
        critic: The critic.
        game: Dou Dizhu without sub-steps.
        views: States [m], in which main groups are to be chosen.
        chosen: Indices of some of the views, int64 [n].
        shares: Probabilities of the policy in these views, float32 [n, 309].

    Returns:
        Probabilities, float32 [n, 309]; all of them 0 where they would hardly differ.
    """
    ids = np.empty(game.num_actions, np.int32)
    chances = np.empty((len(chosen), GROUPS))
    write_chances(critic, game.rules, views, chosen, ids, chances)
    chances = np.where(np.isnan(chances), np.nanmin(chances, axis=1, keepdims=True), chances)
    found = shares * np.exp(chances / TEMPERATURE)
    found /= found.sum(axis=1, keepdims=True)
    found[np.abs(found - shares).sum(axis=1) < LEAST] = 0.0
    return found.astype(np.float32)
