"""The rules on a GPU: equality with a CPU, speed, and PPO from random weights.

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
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
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
"""Kernels that `run` needs: game, kernel, agent of the policies. The most needed come first."""
TRACES = {
    "uh_leduc": (16384, 100),
    "doudizhu": (4096, 300),
    "douzero": (4096, 300),
    "daihinmin": (4096, 400),
    "chinese_poker": (8192, 60),
}
"""Number of games and steps of `trace`, by game."""
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
    """Return digests of what a batch shows and pays under random play, some of it illegal."""
    from closedhand.envs.device_batch import DeviceBatch

    number, steps = TRACES[name]
    batch = DeviceBatch(game_of(name), number, device=device, observation=observation, **options)
    batch.reset(7)
    found = []
    for step in range(1, steps + 1):
        actions = batch.sample()
        if step % 17 == 0:
            actions[::13] = -1  # no action of any game
        batch.step(actions)
        if step % EVERY == 0:
            found.append(digest(batch.observation, batch.action_mask, batch.rewards,
                                batch.status, batch.actor, batch.player))  # fmt: skip
    return [*found, digest(batch.states, batch._streams)]


def games(name: str, device: str, spent: list[float] | None = None) -> list[str]:
    """Return digests of a million random games; `spent` gets seconds by round, then mean moves."""
    from closedhand.envs.device import RandomGames

    playing = RandomGames(game_of(name), WHOLE, device)
    found, made = [], 0
    for first in range(1, 1 + WHOLE * ROUNDS, WHOLE):
        keys = playing.keys(first)
        synchronize(device)
        start = time.perf_counter()
        moves = playing.play(keys)
        synchronize(device)
        if spent is not None and first > 1:
            spent.append(time.perf_counter() - start)
        made += int(moves.sum())
        found.append(digest(playing.states, playing.streams, moves))
    if spent is not None:
        spent.append(made / (WHOLE * ROUNDS))
    return found


def synchronize(device: str) -> None:
    if device != "cpu":
        import torch

        torch.cuda.synchronize()


OPPONENTS: dict[str, Any] = {"opponents": "random", "seat": "random"}


def compared(name: str) -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    """List what is compared in a game: a name, and a function from a device to digests."""
    yield "games", lambda device: games(name, device)
    if name != "doudizhu":
        yield (
            "compact" if name != "uh_leduc" else "planes",
            lambda device: trace(name, "compact" if name != "uh_leduc" else "planes", device),
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
    from closedhand.envs.device import examples

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
    """Compile `KERNELS` to a folder, except those that it holds already."""
    jobs = [(folder, *kernel) for kernel in KERNELS]
    with ProcessPoolExecutor(workers) as pool:
        for line in pool.map(compile_one, jobs):
            print(line, flush=True)


# Speed.


def median_time(work: Callable[[], Any], before: Callable[[], Any], times: int) -> float:
    """Return the median milliseconds of `work` on the GPU; `before` runs each time, unmeasured."""
    import torch

    marks = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
             for _ in range(times)]  # fmt: skip
    for start, end in marks:
        before()
        start.record()
        work()
        end.record()
    torch.cuda.synchronize()
    return float(np.median([start.elapsed_time(end) for start, end in marks]))


@lru_cache
def first_numbers_of(first: int, number: int) -> Any:
    from closedhand.core.stream import begin_streams

    return begin_streams(range(first, first + number))


def warmed(name: str, observation: str, number: int) -> Any:
    """Return a batch in the middle of its games, after 120 random steps."""
    import torch

    from closedhand.envs.device_batch import DeviceBatch

    batch = DeviceBatch(game_of(name), number, observation=observation)
    # Seeds take longer than all steps that follow: once for each number of games.
    deals, streams = (torch.from_numpy(each.view(np.int64)) for each in first_numbers_of(1, number))
    batch._seeds.copy_(deals)
    batch._streams.copy_(streams)
    batch._picks.copy_(streams)
    batch._started = True
    batch.reset()
    for _ in range(120):
        batch.step(batch.sample())
    return batch


def speed(name: str, observation: str) -> dict[str, Any]:
    """Measure millions of steps a second by number of games."""
    found = {}
    for number in SIZES:
        found[str(number)] = rate_of(warmed(name, observation, number), 50)
    return found


def rate_of(batch: Any, times: int) -> float:
    """Measure millions of steps a second of a batch under random play."""
    spent = median_time(lambda: batch.step(batch._actions), batch.sample, times)
    return round(batch.number / spent / 1e3, 2)


def speeds() -> Iterator[tuple[str, Callable[[], Any]]]:
    """List the speeds of all games, and of other ways to launch the steps of Dou Dizhu."""
    for name in ("uh_leduc", "douzero", "daihinmin", "chinese_poker"):
        for observation in ("planes", "compact") if name != "uh_leduc" else ("planes",):
            yield f"{name} {observation}", lambda n=name, o=observation: speed(n, o)
    for observation in ("planes", "compact"):
        yield f"ways {observation}", lambda o=observation: ways(o)


def ways(observation: str) -> dict[str, Any]:
    """Measure millions of steps a second of 131,072 games of Dou Dizhu, by `Shape` of a launch."""
    import torch

    from closedhand.envs.device import Shape
    from closedhand.envs.device_batch import DeviceBatch

    number = SIZES[-1]
    base = warmed("douzero", observation, number)
    row = base.form.size + base.game.num_actions
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    shapes = {
        f"{each} games, {threads} threads, {blocks} blocks": Shape(
            True, blocks * processors, threads, each, -(-each * row // 16) * 16
        )
        for each, threads, blocks in (
            (
                (4, 64, 8),
                (4, 128, 4),
                (8, 64, 4),
                (8, 128, 4),
                (8, 256, 2),
                (16, 128, 2),
                (16, 256, 2),
                (32, 256, 1),
                (32, 512, 1),
            )
            if observation == "planes"
            else (
                (16, 64, 8),
                (28, 64, 8),
                (32, 64, 7),
                (32, 128, 4),
                (60, 128, 4),
                (60, 256, 2),
                (96, 256, 2),
                (120, 256, 2),
            )
        )
    }
    if observation == "compact":
        shapes["a thread a game, rows zeroed in bulk"] = Shape(False, number // 128, 128, 0, 0)
    found = {}
    for name, shape in shapes.items():
        batch = DeviceBatch(base.game, number, observation=observation, shape=shape)
        for field in ("states", "_streams", "action_mask", "_picks", "seats", "player"):
            getattr(batch, field).copy_(getattr(base, field))
        batch._started = True
        batch.sample()
        try:
            found[name] = rate_of(batch, 20)
        except Exception as error:
            found[name] = str(error)[:100]
    return found


# Equality on the GPU.


def equalities() -> Iterator[tuple[str, Callable[[], Any]]]:
    """List comparisons of what a GPU computes with what a CPU has computed."""
    expected = json.loads(EXPECTED.read_text())
    for name in GAMES:
        for part, _ in compared(name):
            yield f"{name} {part}", lambda n=name, p=part: equality(n, p, expected)


def equality(name: str, part: str, expected: Any) -> dict[str, Any]:
    want = expected.get(name, {}).get(part)
    if want is None:
        return {"error": "nothing is expected yet"}
    spent: list[float] = []
    compute = dict(compared(name))[part]
    got = games(name, "cuda", spent) if part == "games" else compute("cuda")
    same = sum(a == b for a, b in zip(got, want, strict=True))
    found: dict[str, Any] = {"equal": same, "of": len(want)}
    if spent:
        *seconds, moves = spent
        found["games_per_second"] = round(WHOLE / float(np.median(seconds)))
        found["moves_of_a_game"] = round(moves, 1)
    return found


# Learning.


def learner_of(graphs: bool, **settings: Any) -> Any:
    from closedhand.learning.device_ppo import DevicePPO, DevicePPOSettings

    return DevicePPO(
        game_of("douzero"), DevicePPOSettings(**settings), 0, ["rule", "decompose"],
        graphs=graphs,
    )  # fmt: skip


def learn(out: Path, seconds: float, looks: list[float], graphs: bool = True) -> dict[str, Any]:
    """Train PPO from random weights; judge and write files after `looks` seconds, not counted."""
    from dataclasses import asdict, replace

    learner = learner_of(graphs)
    out.mkdir(parents=True, exist_ok=True)
    history: list[dict[str, Any]] = []
    looks = [*[each for each in looks if each < seconds], seconds]
    while looks:
        learner.advance(0)
        if learner.updates == 1:
            learner.seconds = 0.0  # what was captured and loaded once
            first = learner.moves, learner.decisions
            continue
        # Rates fall with the time.
        learner.settings = replace(
            learner.settings, anneal=learner.moves / learner.seconds * seconds
        )
        if learner.seconds >= looks[0]:
            looks.pop(0)
            entry = {
                "seconds": round(learner.seconds, 1),
                "steps": learner.moves,
                "decisions": learner.decisions,
                "steps_per_second": round((learner.moves - first[0]) / learner.seconds),
                "decisions_per_second": round((learner.decisions - first[1]) / learner.seconds),
                **{name: round(value, 4) for name, value in learner.measured.items()},
                **{name: learner.score(name) for name in learner.against},
            }
            history.append(entry)
            print(json.dumps(entry), flush=True)
            learner.save(out)
            about = {"settings": asdict(learner.settings), "graphs": graphs, "history": history}
            (out / "training.json").write_text(json.dumps(about, indent=1) + "\n")
    return {"graphs": graphs, "history": history}


def trainings(out: Path, seconds: float) -> Iterator[tuple[str, Callable[[], Any]]]:
    """List a short training with CUDA graphs, and one without if that fails."""

    with TemporaryDirectory() as folder:
        yield "ppo", lambda: learn(Path(folder), seconds, [])
        found = json.loads((out / "ppo.json").read_text()).get("ppo", {})
        if "error" in found:
            yield "ppo without graphs", lambda: learn(Path(folder), seconds, [], graphs=False)


# Pgx.


def pgx_leduc() -> Iterator[tuple[str, Callable[[], Any]]]:
    """List the speed of Pgx's Leduc hold'em, random play with automatic reset, on this GPU."""
    yield "pgx leduc_holdem", lambda: {str(number): pgx_speed(number) for number in SIZES}


def pgx_speed(number: int) -> float:
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("leduc_holdem")
    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def play(state: Any, key: Any) -> Any:
        def body(carry: Any, _: Any) -> Any:
            state, key = carry
            key, one, two = jax.random.split(key, 3)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            actions = jax.random.categorical(one, logits, axis=1)
            state = step(state, actions, jax.random.split(two, number))
            return (state, key), None

        return jax.lax.scan(body, (state, key), None, length=100)[0]

    key = jax.random.PRNGKey(0)
    state = jax.jit(init)(jax.random.split(key, number))
    carry = jax.block_until_ready(play(state, key))
    start = time.perf_counter()
    jax.block_until_ready(play(*carry))
    return round(100 * number / (time.perf_counter() - start) / 1e6, 2)


# The compiler on this machine.


def compiled_here() -> Iterator[tuple[str, Callable[[], Any]]]:
    """List UH-Leduc by kernels that numba-cuda compiles on this machine, compared with a CPU."""
    expected = json.loads(EXPECTED.read_text())
    yield "uh_leduc planes", lambda: equality("uh_leduc", "planes", expected)


# Parts in processes of their own.


def parts_of(name: str, out: Path, seconds: float) -> Iterator[tuple[str, Callable[[], Any]]]:
    if name == "equality":
        return equalities()
    if name == "speed":
        return speeds()
    if name == "ppo":
        return trainings(out, seconds)
    return pgx_leduc() if name == "pgx" else compiled_here()


def part(name: str, out: Path, seconds: float) -> int:
    """Do what a part's file still lacks; return 0, or 3 if the GPU is lost to this process."""
    path = out / f"{name}.json"
    done = json.loads(path.read_text()) if path.exists() else {}
    if name != "pgx" and "machine" not in done:
        done["machine"] = machine()
        path.write_text(json.dumps(done, indent=1))
    for key, compute in parts_of(name, out, seconds):
        if key in done:
            continue
        done[key] = {"error": "the process has died"}
        path.write_text(json.dumps(done, indent=1))
        start, lost = time.perf_counter(), False
        try:
            done[key] = compute()
        except Exception as error:
            done[key] = {"error": f"{type(error).__name__}: {str(error)[:400]}"}
            lost = "CUDA" in str(error) or "driver refuses" in str(error)
        path.write_text(json.dumps(done, indent=1))
        print(f"{name}: {key}: {json.dumps(done[key])[:600]} [{time.perf_counter() - start:.1f} s]",
              flush=True)  # fmt: skip
        if lost:
            return 3
    return 0


def machine() -> dict[str, str]:
    """Return the card, the driver, the versions and the date."""
    import torch

    from closedhand.core.version import __version__

    found = {
        "card": torch.cuda.get_device_name(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "closedhand": __version__,
        "date": time.strftime("%Y-%m-%d"),
    }
    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        found["driver"] = subprocess.run(
            query, capture_output=True, text=True, timeout=10, check=True
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        found["driver"] = f"not known: {error}"
    return found


LIMITS = {"equality": 90.0, "ppo": 90.0, "speed": 80.0, "compiler": 70.0, "pgx": 60.0}
"""Seconds that a part may take, in order; correctness comes first."""


def run(out: Path, limit: float, seconds: float, only: list[str]) -> None:
    """Run all parts, each up to three times, and write a table of what they found.

    Args:
        out: Folder of the results.
        limit: Seconds for all parts together.
        seconds: Seconds that PPO learns.
        only: Names of parts; empty: all.
    """
    out.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    for name in only or LIMITS:
        for _ in range(3):
            left = min(LIMITS[name], limit - (time.monotonic() - start))
            if left < 5:
                print(f"{name}: no time left", flush=True)
                break
            command = [sys.executable, "-m", "benchmarks.gpu", "part", name, str(out),
                       "--seconds", str(seconds)]  # fmt: skip
            environment = dict(os.environ)
            if name == "compiler":  # nothing that was compiled before
                for given in ("CLOSEDHAND_CUBINS", "NUMBA_DISABLE_JIT"):
                    environment.pop(given, None)
                environment["XDG_CACHE_HOME"] = str(out / "cache")
            try:
                code = subprocess.run(
                    command, timeout=left, check=False, env=environment
                ).returncode
            except subprocess.TimeoutExpired:
                print(f"{name}: stopped after {left:.0f} s", flush=True)
                break
            if code == 0:
                break
        shutil.rmtree(out / "cache", ignore_errors=True)
        tell(out)
    print(f"{time.monotonic() - start:.0f} s in all")


def tell(out: Path) -> None:
    """Write the results of all parts as `gpu.json` and `gpu.md`."""
    found = {
        name: json.loads((out / f"{name}.json").read_text())
        for name in LIMITS
        if (out / f"{name}.json").exists()
    }
    (out / "gpu.json").write_text(json.dumps(found, indent=1) + "\n")
    known = next((each["machine"] for each in found.values() if "machine" in each), {})
    lines = [", ".join(f"{name} {value}" for name, value in known.items()), ""]
    for name, results in found.items():
        lines += [f"| {name} | |", "|---|---|"]
        lines += [
            f"| {key} | {json.dumps(value)} |" for key, value in results.items()
            if key != "machine"
        ]  # fmt: skip
        lines.append("")
    (out / "gpu.md").write_text("\n".join(lines))


def train(out: Path, seconds: float) -> None:
    """Train for long; if CUDA graphs fail, train without them for the rest of the time."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "machine.json").write_text(json.dumps(machine(), indent=1))
    looks = [60.0, 120.0, 240.0, 360.0]
    begun = time.monotonic()
    try:
        learn(out, seconds, looks)
    except Exception as error:
        print(f"with graphs: {type(error).__name__}: {str(error)[:300]}", flush=True)
        if os.environ.get("CLOSEDHAND_LAST_TRY"):
            raise
        os.environ["CLOSEDHAND_LAST_TRY"] = "1"
        left = seconds - (time.monotonic() - begun)
        code = f"from benchmarks.gpu import *; learn(Path({str(out)!r}), {left}, {looks}, False)"
        subprocess.run([sys.executable, "-c", code], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    each = commands.add_parser("build")
    each.add_argument("folder")
    each.add_argument("--workers", type=int, default=2)
    each = commands.add_parser("expect")
    each.add_argument("games", nargs="*")
    for name in ("run", "train", "part"):
        each = commands.add_parser(name)
        if name == "part":
            each.add_argument("name", choices=LIMITS)
        each.add_argument("folder", type=Path)
        each.add_argument("--seconds", type=float, default=480.0 if name == "train" else 60.0)
        if name == "run":
            each.add_argument("--limit", type=float, default=230.0)
            each.add_argument("--only", nargs="*", choices=LIMITS, default=[])
    given = parser.parse_args()
    if given.command == "build":
        build(given.folder, given.workers)
    elif given.command == "expect":
        expect(given.games)
    elif given.command == "run":
        run(given.folder, given.limit, given.seconds, given.only)
    elif given.command == "train":
        train(given.folder, given.seconds)
    else:
        sys.exit(part(given.name, given.folder, given.seconds))


if __name__ == "__main__":
    main()
