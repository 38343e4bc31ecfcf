"""Exact search of random endgames of Dou Dizhu: `python -m benchmarks.endgames`.

Each position has two hands of some cards of the whole deck, and a random seat leads. The search
finds the values of all plays and the line, on one core.
"""

import argparse
import os

import numpy as np

from closedhand import make_game
from closedhand.games.doudizhu.counts import DECK, unpack
from closedhand.search import exact


def main() -> None:
    """Measure, and print a line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--cards", type=int, default=10, help="cards of each hand")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=2026)
    given = parser.parse_args()
    game = make_game("doudizhu")
    rng = np.random.default_rng(given.seed)
    deck = np.array(list(unpack(int(DECK))))
    solved, seconds = 0, []
    for _ in range(given.positions):
        rng.shuffle(deck)
        hands = ["".join(deck[: given.cards]), "".join(deck[given.cards : 2 * given.cards])]
        state = exact.place(game, hands, int(rng.integers(2)))
        found = exact.endgame(game, state, seconds=given.seconds, memory=2**32)
        solved += all(play.low == play.high for play in found.plays)
        seconds.append(found.seconds)
    print(
        f"{given.positions} positions of two hands of {given.cards} cards: solved {solved}, "
        f"seconds {np.median(seconds):.3f} in the median, {max(seconds):.2f} at most, "
        f"load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
