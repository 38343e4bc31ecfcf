"""The rules compile for a GPU: every function of the contract, of every game and preset.

    python tests/gpu/check.py [GAME]... [--functions deal,play] [--arch sm_90]

No GPU is needed. A function fails that does not compile, spills registers, or takes more stack than
`MOST_STACK`. Games of the same types of rules and states share their code, and are compiled once.
"""

import argparse
import sys
import time

import numba
import numpy as np
from numba import cuda, types
from variants import VARIANTS

from closedhand.core import contract, game_kernels
from closedhand.core.checks import InputError
from closedhand.core.numba.gpu.compiler import compile_function
from closedhand.core.registry import find_games, make_game, spec_of

MOST_STACK = 4096
"""Bytes of stack of a thread; listing the backs of Chinese Poker takes 3,152."""


def deal(rules, states, seeds):
    i = cuda.grid(1)
    if i < len(states):
        contract.deal(rules, states[i], seeds[i])


def legal(rules, states, ids, numbers):
    i = cuda.grid(1)
    if i < len(states):
        numbers[i] = contract.legal(rules, states[i], ids[i])


def play(rules, states, actions, ids, numbers):
    i = cuda.grid(1)
    if i < len(states):
        numbers[i] = contract.admit(rules, states[i], actions[i], ids[i])
        contract.play(rules, states[i], actions[i])
        numbers[i] += contract.over(rules, states[i])


def returns(rules, states, out):
    i = cuda.grid(1)
    if i < len(states):
        contract.returns(rules, states[i], out[i])


def observe(rules, states, seats, rows):
    i = cuda.grid(1)
    if i < len(states):
        contract.observe(rules, states[i], seats[i], rows[i])


def features(rules, states, seats, rows):
    i = cuda.grid(1)
    if i < len(states):
        contract.features(rules, states[i], seats[i], rows[i])


def hide(rules, states, seats):
    i = cuda.grid(1)
    if i < len(states):
        contract.hide(rules, states[i], seats[i])


def redeal(rules, states, seats, streams):
    i = cuda.grid(1)
    if i < len(states):
        contract.redeal(rules, states[i], seats[i], streams[i])


def random_game(rules, states, streams, ids, numbers):
    i = cuda.grid(1)
    if i < len(states):
        numbers[i] = game_kernels.random_game(rules, states, streams, i, ids[i])


NUMBERS, IDS = types.Array(types.int64, 1, "C"), types.Array(types.int32, 2, "C")
ROWS, STREAMS = types.Array(types.int8, 2, "C"), types.Array(types.uint64, 2, "C")
FUNCTIONS = {
    "deal": (deal, (types.Array(types.uint64, 1, "C"),)),
    "legal": (legal, (IDS, NUMBERS)),
    "play": (play, (NUMBERS, IDS, NUMBERS)),
    "returns": (returns, (types.Array(types.float64, 2, "C"),)),
    "observe": (observe, (NUMBERS, ROWS)),
    "features": (features, (NUMBERS, ROWS)),
    "hide": (hide, (NUMBERS,)),
    "redeal": (redeal, (NUMBERS, STREAMS)),
    "random_game": (random_game, (STREAMS, IDS, NUMBERS)),
}
"""What is compiled: a function of a thread, and its arguments after rules and states."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*")
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    parser.add_argument("--arch", default="sm_90")
    given = parser.parse_args()
    find_games()
    seen, failed, done = set(), 0, 0
    for name, options in VARIANTS:
        if given.games and name not in given.games:
            continue
        known = {option.name for option in spec_of(name).option_table}
        assert options.keys() <= known, (name, options.keys() - known)
        game = make_game(name, **options)
        rules = numba.typeof(game.rules)
        states = types.Array(numba.from_dtype(np.dtype(game.dtype)), 1, "C")
        if (rules, states) in seen:
            continue
        seen.add((rules, states))
        for function in given.functions.split(","):
            body, rest = FUNCTIONS[function]
            start = time.time()
            try:
                found = compile_function(body, (rules, states, *rest), given.arch, function)
                bad = found.spills > 0 or found.stack > MOST_STACK or found.grows
                text = (f"{found.registers} registers, {found.stack} bytes of stack, "
                        f"{found.spills} spilled{', grows' if found.grows else ''}")  # fmt: skip
            except InputError as error:
                bad, text = True, str(error)
            failed, done = failed + bad, done + 1
            mark = "FAILED " if bad else ""
            print(f"{mark}{name} {options} {function}: {text} [{time.time() - start:.0f} s]",
                  flush=True)  # fmt: skip
    print(f"{done - failed} of {done} functions compile for {given.arch}, {len(seen)} games")
    return int(bool(failed) or not done)


if __name__ == "__main__":
    sys.exit(main())
