"""Write records of a hundred random games of Kuhn poker: `python record.py games.jsonl`."""

import sys
from pathlib import Path

import numpy as np

from closedhand import make_game
from closedhand.authoring import records

game, rng = make_game("kuhn"), np.random.default_rng(1)
ends = [game.playout(game.deal(rng), rng) for _ in range(100)]
records.write(Path(sys.argv[1]), [records.from_state(game, end) for end in ends])
