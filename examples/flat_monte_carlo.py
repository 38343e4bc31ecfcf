"""Flat Monte Carlo for any game: the mean payoff of each action when the rest is played at random.

`python examples/flat_monte_carlo.py GAME` prints it for the first decision of a random deal.
"""

import sys
import time

import numpy as np

from closedhand import make_game
from closedhand.authoring import Game, contract, kernel


@kernel
def simulate(rules, states, actions, worlds, rng, ids, totals):
    """Add to `totals`, float64 [actions], the payoffs of each action for the player to act.

    Every action is played in the same `worlds` determinisations. `states` has three rows: the
    player's view, then scratch space, as is `ids`, int32 [num_actions]. Return the number of
    positions visited.
    """
    player = states[0].player
    positions = 0
    for _ in range(worlds):
        states[1] = states[0]
        contract.redeal(rules, states[1], player, rng)  # a deal consistent with the view
        for k in range(len(actions)):
            states[2] = states[1]
            contract.play(rules, states[2], actions[k])
            positions += 1 + contract.random_playout(rules, states[2], rng, ids)
            totals[k] += contract.payoff(rules, states[2], player)
    return positions


class FlatMonteCarlo:
    """An agent that plays the action with the highest mean payoff."""

    name = "flat-monte-carlo"

    def __init__(self, game: Game, worlds: int = 100, seed: int = 0) -> None:
        """Create an agent of `game`; each decision plays all actions in the same `worlds` deals."""
        self.game, self.worlds, self.positions = game, worlds, 0
        self.rng = np.random.default_rng(seed)

    def means(self, view: np.record) -> np.ndarray:
        """Return the mean payoff of each legal action, float64 [legal actions]."""
        states, ids = self.game.empty(3), np.empty(self.game.num_actions, np.int32)
        states[0] = view
        actions = self.game.legal(view)
        totals = np.zeros(len(actions))
        rules = self.game.rules
        self.positions += simulate(rules, states, actions, self.worlds, self.rng, ids, totals)
        return totals / self.worlds

    def act(self, view: np.record) -> int:
        """Return the action with the highest mean."""
        return int(self.game.legal(view)[self.means(view).argmax()])


def main(name: str = "leduc", worlds: int = 1000) -> None:
    """Print the means of all actions, and the positions visited per second."""
    game = make_game(name)
    agent = FlatMonteCarlo(game, worlds=1)
    state = game.deal(np.random.default_rng())
    view = game.view(state, int(state.player))
    agent.act(view)  # compiles
    agent.worlds, agent.positions, start = worlds, 0, time.perf_counter()
    means = agent.means(view)
    seconds = time.perf_counter() - start
    game.show(view)
    for action, mean in zip(game.legal(view), means, strict=True):
        print(f"{mean:8.3f}  {game.text(action, view)}")
    print(f"{agent.positions:,} positions, {agent.positions / seconds:,.0f} a second")


if __name__ == "__main__":
    main(*sys.argv[1:2])
