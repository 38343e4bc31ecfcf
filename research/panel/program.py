"""Plays an agent of closedhand 0.16 for `frozen.py`; its argument: game, options, agent and seed.

It writes the fields of the game's states, or what is wrong, as a line of JSON. For each request, a
number n (int64) and n views, it answers the cost of searches so far (float64 [4]) and n actions
(int32).
"""

import json
import sys

import numpy as np

from closedhand.core.agents import act_batch, make_agent, spent_by
from closedhand.core.registry import make_game


def answer(data: bytes) -> None:
    """Write to the pipe."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def main() -> None:
    """Answer requests until the pipe ends."""
    name, options, text, seed = json.loads(sys.argv[1])
    try:
        game = make_game(name, **options)
        agent = make_agent(game, text, seed)
    except ValueError as error:
        return answer(json.dumps(str(error)).encode() + b"\n")
    fields = [(field, game.dtype[field]) for field in game.dtype.names]
    kinds = [(field, kind.base.str, kind.shape) for field, kind in fields]
    answer(json.dumps(kinds).encode() + b"\n")
    while head := sys.stdin.buffer.read(8):
        number = int(np.frombuffer(head, np.int64)[0])
        views = np.frombuffer(sys.stdin.buffer.read(number * game.dtype.itemsize), game.dtype)
        actions = act_batch(agent, views.copy())
        answer(spent_by([agent]).tobytes() + np.asarray(actions, np.int32).tobytes())


if __name__ == "__main__":
    main()
