"""The rules on a GPU: equality with a CPU, speed, and PPO from nothing.

    python -m benchmarks.gpu build FOLDER       compile all kernels for sm_90 (no GPU is needed)
    python -m benchmarks.gpu expect             write on a CPU what a GPU must compute
    python -m benchmarks.gpu run FOLDER         the proof with a GPU, under four minutes
    python -m benchmarks.gpu train FOLDER       a training of eight minutes, then greedy play

Parts run in processes of their own with time limits, correctness first, and each leaves its results
in a file at once, so that the failure of one part loses nothing of the others.
"""

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
EXPECTED = HERE / "gpu_expected.json"
ARCH = "sm_90"

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "uh_leduc": ("uh_leduc", {}),
    "doudizhu": ("doudizhu", {"substeps": True}),
    "douzero": ("doudizhu", {"substeps": True, "rules": "douzero", "objective": "win"}),
    "daihinmin": ("daihinmin", {}),
    "chinese_poker": ("chinese_poker", {"substeps": True}),
}
"""Games by short name, with their options. Two presets of Dou Dizhu share their kernels."""
KERNELS: list[tuple[str, str, str]] = [
    ("uh_leduc", "pick", ""),
    ("uh_leduc", "step_planes_by_block", ""),
    ("uh_leduc", "random_games", ""),
    ("douzero", "step_compact_by_block", ""),
    ("douzero", "decide", "rule"),
    ("douzero", "decide", "decompose"),
    ("douzero", "random_games", ""),
    ("douzero", "step_planes_by_block", ""),
    ("chinese_poker", "random_games", ""),
    ("chinese_poker", "step_compact_by_block", ""),
    ("daihinmin", "random_games", ""),
    ("daihinmin", "step_compact_by_block", ""),
    ("daihinmin", "step_planes_by_block", ""),
    ("chinese_poker", "step_planes_by_block", ""),
    ("uh_leduc", "step_planes_by_block", "random"),
    ("douzero", "step_compact", ""),
]
"""Kernels that the proof needs: game, entry, policies. The most needed come first."""
TRACES = {
    "uh_leduc": (16384, 100),
    "doudizhu": (4096, 300),
    "douzero": (4096, 300),
    "daihinmin": (4096, 400),
    "chinese_poker": (8192, 60),
}
"""Games and steps of the traces of envs."""
EVERY = 20
"""Steps between two digests of a trace."""
WHOLE, ROUNDS = 100_000, 10
"""Random games of a round, and rounds: a million games."""
SIZES = (1024, 16384, 131072)
"""Games side by side of which the speed is measured."""


def game_of(name: str) -> Any:
    from closedhand.core.registry import make_game

    game, options = GAMES[name]
    return make_game(game, **options)


# What a CPU and a GPU compute alike.


def digest(*tensors: Any) -> str:
    found = hashlib.sha256()
    for tensor in tensors:
        found.update(tensor.cpu().numpy().tobytes())
    return found.hexdigest()[:16]


def trace(name: str, observation: str, device: str, **options: Any) -> list[str]:
    """Digests of what an env shows and pays under random play, with illegal actions at times."""
    from closedhand.envs.device_batch import DeviceBatch

    number, steps = TRACES[name]
    batch = DeviceBatch(game_of(name), number, device=device, observation=observation, **options)
    batch.reset(7)
    found = []
    for step in range(1, steps + 1):
        actions = batch.sample()
        if step % 17 == 0:
            actions[:: 13] = -1  # no action of any game
        batch.step(actions)
        if step % EVERY == 0:
            found.append(digest(batch.observation, batch.action_mask, batch.rewards,
                                batch.status, batch.actor, batch.player))  # fmt: skip
    return [*found, digest(batch.states, batch._streams)]


def games(name: str, device: str, spent: list[float] | None = None) -> list[str]:
    """Digests of a million random games: last states, random numbers, numbers of moves."""
    from closedhand.envs.device_batch import RandomGames

    batch = RandomGames(game_of(name), WHOLE, device)
    found, moves = [], 0
    for round_ in range(ROUNDS):
        synchronize(device)
        start = time.perf_counter()
        batch.play(1 + WHOLE * round_)
        synchronize(device)
        if spent is not None and round_:
            spent.append(time.perf_counter() - start)
        moves += int(batch.moves.sum())
        found.append(digest(batch.states, batch.streams, batch.moves))
    if spent is not None:
        spent.append(moves / (WHOLE * ROUNDS))
    return found


def synchronize(device: str) -> None:
    if device != "cpu":
        import torch

        torch.cuda.synchronize()


OPPONENTS: dict[str, Any] = {"opponents": "random", "seat": "random"}


def compared(name: str) -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    """What is compared in a game: a name, and what computes its digests on a device."""
    yield "games", lambda device: games(name, device)
    if name != "doudizhu":
        yield "compact" if name != "uh_leduc" else "planes", lambda device: trace(
            name, "compact" if name != "uh_leduc" else "planes", device
        )
    if name not in ("uh_leduc", "douzero"):
        yield "planes", lambda device: trace(name, "planes", device)
    if name == "uh_leduc":
        yield "against random", lambda device: trace(name, "planes", device, **OPPONENTS)


def expect(only: list[str]) -> None:
    """Compute on a CPU what a GPU must compute, game by game."""
    found = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for name in only or GAMES:
        for part, compute in compared(name):
            start = time.time()
            found.setdefault(name, {})[part] = compute("cpu")
            EXPECTED.write_text(json.dumps(found, indent=1) + "\n")
            print(f"{name} {part} {time.time() - start:.0f} s", flush=True)


# Compilation.


def compile_one(job: tuple[str, str, str, str]) -> str:
    from closedhand.core.agents import make_agent
    from closedhand.core.cubins import compile_to, file_name
    from closedhand.core.game_kernels import ALL_SEATS, Terms
    from closedhand.core.policies import policy_of
    from closedhand.envs.device_batch import examples

    folder, name, entry, agent = job
    start = time.time()
    game = game_of(name)
    policies: tuple[Any, ...] = ()
    if agent:
        seats = 1 if entry == "decide" else game.num_players - 1
        policies = (policy_of(make_agent(game, agent, 0)),) * seats
    terms = Terms(game.num_players, bool(game.staged), ALL_SEATS, 0.0)
    arguments = examples(game, policies, terms, entry)
    if (Path(folder) / file_name(entry, arguments, ARCH)).exists():
        return f"{name} {entry} {agent}: there"
    try:
        code = compile_to(Path(folder), entry, arguments, ARCH)
    except Exception as error:
        return f"{name} {entry} {agent} FAILED {type(error).__name__}: {str(error)[:300]}"
    return (
        f"{name} {entry} {agent}: {len(code.image)} bytes, {code.registers} registers, "
        f"{code.stack} stack, {code.spills} spilled, {time.time() - start:.0f} s"
    )


def build(folder: str, workers: int) -> None:
    """Compile all kernels of the proof; those that are there already are left alone."""
    jobs = [(folder, *kernel) for kernel in KERNELS]
    with ProcessPoolExecutor(workers) as pool:
        for line in pool.map(compile_one, jobs):
            print(line, flush=True)
