"""RLCard's agents as agents here, ours in its environments: Dou Dizhu and standard Leduc.

    from closedhand.bridges.rlcard import RLCardAgent, RLCardPlayer

    match.play(game, [RLCardAgent(game, theirs), "greedy"], deals=100)  # theirs: RLCard's agent

    env = rlcard.make("doudizhu")
    env.set_agents([theirs, RLCardPlayer(env, "greedy"), RLCardPlayer(env, "greedy")])
    env.run()

Models of RLCard are agents by name: `closedhand match doudizhu --agents
rlcard:doudizhu-rule-v1,greedy`. The bridge needs `rlcard`, which is in the extra `peers`.
"""

from closedhand.bridges.rlcard.players import RLCardAgent, RLCardPlayer, make_rlcard

__all__ = ["RLCardAgent", "RLCardPlayer", "make_rlcard"]
