"""RLCard: its agents in our matches, and ours in its environments.

    python examples/rlcard_match.py

`RLCardAgent` gives an RLCard agent the state that RLCard's own environment would give it;
`RLCardPlayer` gives one of our agents a view built from the state of RLCard's environment.
"""

import argparse
import time
import warnings

import numpy as np
import rlcard
from rlcard.agents import RandomAgent

from closedhand import make_game
from closedhand.arena import match, results
from closedhand.bridges.rlcard import RLCardAgent, RLCardPlayer


def ours_in_theirs(games: int) -> None:
    """Play our greedy agent as the landlord in RLCard's Dou Dizhu against its random agents."""
    env = rlcard.make("doudizhu", config={"seed": 1})
    np.random.seed(1)  # RLCard's random agents use NumPy's global generator
    random = RandomAgent(env.num_actions)
    env.set_agents([RLCardPlayer(env, "greedy"), random, random])
    start, steps, won = time.process_time(), env.timestep, 0
    for _ in range(games):
        won += env.run(is_training=False)[1][0] > 0
    speed = (env.timestep - steps) / (time.process_time() - start)
    print(f"greedy in RLCard: won {won} of {games} games, {speed:,.0f} steps a second")


def theirs_in_ours(deals: int) -> float:
    """Play RLCard's rule model, then its random agent, against `rule`; return the last win rate."""
    game = make_game("doudizhu", rules="rlcard")
    theirs = ["rlcard:doudizhu-rule-v1", RLCardAgent(game, RandomAgent(game.num_actions), seed=1)]
    score = None
    for agent in theirs:
        score = results.score(match.play(game, [agent, "rule"], deals, seed=7))
        print(score)
    return score.won.mean


def speed(steps: int) -> float:
    """Measure decisions a second of RLCard's cheapest agent through `RLCardAgent`."""
    game = make_game("doudizhu", rules="rlcard")
    agent = RLCardAgent(game, RandomAgent(game.num_actions))
    rng, done = np.random.default_rng(1), 0
    start = time.process_time()
    while done < steps:
        state = game.deal(rng)
        while not game.over(state):
            game.play(state, agent.act(game.view(state, int(state["player"]))))
            done += 1
    return done / (time.process_time() - start)


def main(arguments: list[str] | None = None) -> float:
    """Play in both directions; return the share of games that RLCard's random agent has won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--deals", type=int, default=50)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # RLCard is older than Python's and NumPy's present versions
    ours_in_theirs(given.deals)
    won = theirs_in_ours(given.deals)
    print(f"{speed(20 * given.deals):,.0f} decisions of RLCard's random agent a second, by us")
    return won


if __name__ == "__main__":
    main()
