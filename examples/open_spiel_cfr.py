"""OpenSpiel: its solvers, evaluation and bots on our games, and its players in our matches.

    python examples/open_spiel_cfr.py
    python examples/open_spiel_cfr.py --game doudizhu --options rules=tiny --iterations 0

`open_spiel_game` makes any game of this package one of OpenSpiel. In a game that lists its deals,
CFR+ learns a strategy, which plays a match; both packages compute its exploitability exactly. For
other games give `--iterations 0`. In every game an IS-MCTS bot plays against a random agent.
"""

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from closedhand import Game, make_game
from closedhand.arena import match, results
from closedhand.bridges.open_spiel import BotAgent, OpenSpielGame, PolicyAgent, open_spiel_game
from closedhand.solvers.strategy import evaluate, strategy_of


def walk(game: OpenSpielGame, steps: int) -> float:
    """Measure steps a second of random games, legal actions included."""
    rng = np.random.default_rng(1)
    start, done = time.process_time(), 0
    while done < steps:
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
            done += 1
    return done / (time.process_time() - start)


def solve(game: OpenSpielGame, iterations: int) -> PolicyAgent:
    """Return the average policy of OpenSpiel's CFR+; print its exploitability by both packages."""
    solver = pyspiel.CFRPlusSolver(game)
    start = time.process_time()
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    speed = iterations / (time.process_time() - start)
    policy = solver.tabular_average_policy()  # a copy, unlike average_policy()
    agent = PolicyAgent(game, policy, name="cfr+")
    theirs = pyspiel.nash_conv(game, policy) / 2
    ours = evaluate(strategy_of(game.ours, agent)).exploitability
    print(f"{iterations} iterations of CFR+, {speed:.1f} a second of processor time")
    print(f"exploitability {theirs:.9f} by OpenSpiel, {ours:.9f} by this package")
    return agent


def play(game: Game, agent: object, deals: int) -> float:
    """Return the share of games that an agent wins against a random one, and print the score."""
    score = results.score(match.play(game, [agent, "random"], deals, seed=7))
    print(score)
    return score.won.mean


def main(arguments: list[str] | None = None) -> float:
    """Solve, judge and play; return the share of games that IS-MCTS has won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="leduc")
    parser.add_argument("--options", nargs="*", default=[], help="options of the game: name=value")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--deals", type=int, default=100)
    given = parser.parse_args(arguments)
    options = dict(each.partition("=")[::2] for each in given.options)
    game = open_spiel_game(make_game(given.game, **options))
    print(f"{walk(game, given.steps):,.0f} random steps a second of processor time")
    if given.iterations:
        play(game.ours, solve(game, given.iterations), given.deals)
    rollouts = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))

    def bot(seat: int) -> ismcts.ISMCTSBot:
        return ismcts.ISMCTSBot(
            game, rollouts, 2.0, given.simulations, random_state=np.random.RandomState(seat)
        )

    return play(game.ours, BotAgent(game, bot, name="is-mcts"), given.deals)


if __name__ == "__main__":
    main()
