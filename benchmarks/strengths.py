"""How strong the agents are that `closedhand web` offers: writes `closedhand/data/strengths.json`.

Every agent that does not depend on the clock plays alone against the usual opponent of its game, on
each side of every deal. Its gain over that opponent in the same seats depends on neither the
machine nor its load. Where rounds carry over, a deal is a match of 100 rounds, and the figures are
for a round.

What the file has already stays: delete an entry to measure it again.

    python -m benchmarks.strengths [GAME ...]
"""

import json
import sys
import time
from collections.abc import Callable

from closedhand.core.agents import make_agent, traits_of
from closedhand.core.files import SHIPPED, write_atomically
from closedhand.core.game import Game
from closedhand.core.reading import load_json
from closedhand.core.registry import GAMES, load, make_game, spec_of
from closedhand.learning.evaluation import judge
from closedhand.web.catalogue import STRENGTHS, offered, usual

SEED = 20
SECONDS = 30.0
"""Approximate seconds of processor time for an agent, from which the number of deals follows."""
MOST_DEALS, FIRST_DEALS = 20_000, 8
ROUNDS = 100


def measure(name: str, found: dict, save: Callable[[dict], object]) -> None:
    """Measure the agents of a game that were not measured yet, and save after each."""
    game, opponent = game_of(name), usual(name)
    about = {"opponent": opponent, "seed": SEED, "rounds": game.rounds}
    agents = found.get("agents", {})
    for text in offered(game):
        if text in agents or traits_of(game, text).clocked:
            continue
        judge(game, make_agent(game, text, SEED), opponent, 2, SEED)  # compiles
        start = time.process_time()
        judge(game, make_agent(game, text, SEED), opponent, FIRST_DEALS, SEED)
        each = (time.process_time() - start) / FIRST_DEALS
        deals = int(min(MOST_DEALS, max(FIRST_DEALS, SECONDS / each)))
        score = judge(game, make_agent(game, text, SEED), opponent, deals, SEED, with_gain=True)
        assert score.gain is not None
        agents[text] = {
            "deals": deals,
            "points": [round(value / game.rounds, 4) for value in score.gain],
            "won": score.won and [round(value, 4) for value in score.won],
        }
        print(name, text, agents[text], file=sys.stderr)
        save({**about, "agents": dict(sorted(agents.items()))})


def game_of(name: str) -> Game:
    """Make a game as its agents are compared: flat, and with rounds that carry over as a match."""
    ref = spec_of(name).league_options
    options = load(ref)({}, ROUNDS, False) if ref else {}
    return make_game(name, **options).flat


def main() -> None:
    """Measure some games, or all."""
    path = SHIPPED / STRENGTHS
    data = load_json(path) if path.exists() else {}
    for name in sys.argv[1:] or GAMES:

        def save(found: dict, name: str = name) -> None:
            data[name] = found
            write_atomically(path, json.dumps(data, indent=1) + "\n")

        measure(name, data.get(name, {}), save)


if __name__ == "__main__":
    main()
