"""Hostile bytes inside valid frames, and the readers that are tried with such inputs alone.

A file whose frame is broken is refused before anybody looks inside. Here containers (zip, gzip,
safetensors, the arrays of NumPy) are opened, damaged within, and closed again with right lengths
and checksums, so that the code behind the frame is reached.
"""

import gzip
import io
import json
import struct
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from support import SHIPPED, positions
from support_fuzz import (
    NOTATIONS,
    PIECES,
    TARGETS,
    Target,
    in_file,
    mutated,
    odd_arrays,
    odd_headers,
    odd_json,
    written,
)

from closedhand import Game, make_agent, make_game
from closedhand.core import file_kinds
from closedhand.core.file_kinds import FileKind

NPY = b"\x93NUMPY"
Frame = tuple[list[bytes], Callable[[list[bytes]], bytes]]
"""The parts in a container, and the function that puts them into one again."""


def opened(data: bytes) -> Frame | None:
    """Open a container; None: it is none, or its own frame is damaged already."""
    with suppress(Exception):
        return _opened(data)
    return None


def _opened(data: bytes) -> Frame | None:
    if data.startswith(b"PK\3\4"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            return [archive.read(name) for name in names], partial(_zipped, names)
    if data.startswith(b"\x1f\x8b"):
        return [gzip.decompress(data)], lambda parts: gzip.compress(parts[0], mtime=0)
    if data.startswith(NPY):
        (size,) = struct.unpack_from("<H", data, 8)
        return [data[10 : 10 + size], data[10 + size :]], partial(_as_array, data[:8])
    (size,) = struct.unpack("<Q", data[:8].ljust(8, b"\xff"))
    if size < len(data) and data[8:9] == b"{":
        return [data[8 : 8 + size], data[8 + size :]], _with_header
    return None


def _zipped(names: list[str], parts: list[bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, part in zip(names, parts, strict=True):
            archive.writestr(name, part)
    return buffer.getvalue()


def _as_array(magic: bytes, parts: list[bytes]) -> bytes:
    return magic + struct.pack("<H", len(parts[0]) % 2**16) + b"".join(parts)


def _with_header(parts: list[bytes]) -> bytes:
    return struct.pack("<Q", len(parts[0])) + b"".join(parts)


NUMBERS = tuple(
    struct.pack(form, value)
    for form, values in (
        ("<q", (0, -1, 1, 2**31, 2**63 - 1, -(2**63))),
        ("<d", (np.nan, np.inf, -1e308, 0.5)),
        ("<f", (np.nan, -np.inf, 3e38, 1.0)),
        ("<h", (-1, 32767)),
    )
    for value in values
)
"""What is written over numbers."""


@st.composite
def framed(draw: st.DrawFn, samples: list[bytes]) -> bytes:
    """Valid inputs with bytes damaged in the innermost part; lengths and checksums are right."""

    def damaged(data: bytes) -> bytes:
        frame = opened(data)
        if frame is None:
            return overwritten(data) if draw(st.booleans()) else draw(mutated([data]))
        parts, close = frame
        for _ in range(draw(st.integers(1, 2))):
            place = draw(st.integers(0, len(parts) - 1))
            parts[place] = damaged(parts[place])
        return close(parts)

    def overwritten(data: bytes) -> bytes:
        """Of the same length, so that what says the length is right."""
        for _ in range(draw(st.integers(1, 3))):
            start = draw(st.integers(0, max(0, len(data) - 1)))
            piece = draw(
                st.one_of(
                    st.sampled_from(NUMBERS),
                    st.sampled_from(PIECES),
                    st.binary(min_size=1, max_size=8),
                )
            )[: len(data) - start]
            if piece in NUMBERS:
                start -= start % len(piece)
            data = data[:start] + piece + data[start + len(piece) :]
        return data

    return damaged(draw(st.sampled_from(samples)))


# Agents from files.


def agent_of(game: Game, form: str) -> Callable[[Path], object]:
    """A parser that makes an agent from a file and lets it act on some views."""

    @cache
    def views() -> list[Any]:
        states = [state.copy() for state in positions(game, seed=3, games=1)][:-1]
        return [game.view(state, int(state["player"])) for state in states[:9:4]]

    def parse(path: Path) -> None:
        agent = make_agent(game, form.format(path))
        for view in views():
            agent.act(view)

    return parse


def shipped(name: str) -> Callable[[], list[bytes]]:
    """The content of a file of the package."""
    return lambda: [(SHIPPED / name).read_bytes()]


def untrained_samples() -> list[bytes]:
    from support_learners import write_untrained

    write = partial(write_untrained, game=make_game("leduc"))
    return [written(lambda path: write(path.parent), "model.safetensors")]


def douzero_samples() -> list[bytes]:
    import torch

    from closedhand.agents.doudizhu import douzero

    network = douzero.ValueNetwork(douzero.POSITION[0])
    return [written(lambda path: torch.save(network.state_dict(), path), "landlord.ckpt")]


def douzero(path: Path) -> object:
    from closedhand.agents.doudizhu import douzero

    return douzero.load(path, 0)


# Learners that go on from a checkpoint.


def learner(name: str, begin: Callable[[Path], Any]) -> Target:
    """Resume a run from a file of this name, and learn on."""

    def parse(path: Path) -> None:
        path.rename(path.with_name(name))
        run = begin(path.parent)
        run.resume()
        run.learner.advance(0.0)

    def write(path: Path) -> None:
        run = begin(path.parent)
        run.learner.advance(0.0)
        run.save()

    variants = odd_arrays if name.endswith(".npz") else None
    return Target(in_file("", parse), lambda: [written(write, name)], variants)


def begin_learner(algorithm: str, folder: Path) -> Any:
    """A run of a learner of a network."""
    from support_learners import SMALL

    from closedhand.learning import runs
    from closedhand.learning.dmc import DMC, DMCSettings
    from closedhand.learning.ppo import PPO, PPOSettings

    made: dict[str, Any] = {"ppo": (PPO, PPOSettings), "dmc": (DMC, DMCSettings)}
    learner, settings = made[algorithm]
    return runs.begin(learner(make_game("leduc"), settings(**SMALL), 3), folder)


def solver(algorithm: str) -> Target:
    """A solver of small games."""

    def resume(path: Path) -> None:
        from closedhand.solvers import solving

        path.rename(path.with_name("learner.npz"))
        run = solving.Run(algorithm, make_game("leduc"), 0, path.parent).resume()
        run.advance(iterations=run.learner.iterations + 2)

    def write(path: Path) -> None:
        from closedhand.solvers import solving

        solving.Run(algorithm, make_game("leduc"), 0, path.parent).advance(iterations=3)

    return Target(in_file(".npz", resume), lambda: [written(write, "learner.npz")], odd_arrays)


def begin_tuning(folder: Path) -> Any:
    from closedhand.agents.daihinmin.kou import tuning

    return tuning.begin(make_game("daihinmin"), 0, folder)


def resume_tuning(path: Path) -> None:
    """Only resumed: a piece of it takes too long."""
    path.rename(begin_tuning(path.parent).path)
    run = begin_tuning(path.parent)
    run.resume()
    json.dumps(run.learner.summary())


def tuning_samples() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        run = begin_tuning(Path(folder))
        run.save()
        return [run.path.read_bytes()]


def begin_bid_network(folder: Path) -> Any:
    import torch

    from closedhand.agents.doudizhu.bidding import network
    from closedhand.agents.doudizhu.deeprocket import networks
    from closedhand.core.run import Run
    from closedhand.learning.module_state import TORCH

    seen = network.planes_of(make_game("doudizhu").rules, np.full(8, 0x1111, np.uint64))
    won = np.ones(8, np.float32)
    hands = network.Hands(*map(torch.from_numpy, (seen, won)))
    made = networks.Network("bid", status=False)
    learner = network.Fitting(made, hands, hands, 1.0, 0)
    return Run(learner, {}, folder / network.CHECKPOINT, format=TORCH, made=folder / network.NAME)


# Results.


def states(data: bytes) -> object:
    """A state as `Game.save` writes it, of whichever game its header names."""
    from closedhand.core.game import HEADER

    for name in NOTATIONS[1:]:
        if HEADER.size <= len(data) and data[: HEADER.size] == saved(name)[0][: HEADER.size]:
            break
    else:
        name = NOTATIONS[0]
    game = make_game(name)
    state = game.load(data)
    return game.over(state) or game.legal(state)


@cache
def saved(name: str) -> list[bytes]:
    game = make_game(name)
    return [game.save(state) for state in positions(game, seed=4, games=1)]


def shown_runs(path: Path) -> object:
    """What the page shows of the files in a folder."""
    from closedhand.web import runs

    found = runs.everything_in(path.parent)
    json.dumps(found, allow_nan=False)
    return found


def run_samples(*names: str) -> Callable[[], list[bytes]]:
    """Samples of other targets."""
    return lambda: [sample for name in names for sample in (TARGETS | FRAMED)[name].samples()]


KINDS = [each for each in vars(file_kinds).values() if isinstance(each, FileKind)]


def kinds(path: Path) -> None:
    """Whether a file is of any kind that commands write."""
    for kind in KINDS:
        assert file_kinds.holds(kind, path) in (True, False)


DOUDIZHU = partial(make_game, "doudizhu")

FRAMED: dict[str, Target] = {
    "decompose": Target(
        in_file(".npz", agent_of(DOUDIZHU(), "decompose:{}")),
        shipped("doudizhu_decompose.npz"),
        odd_arrays,
    ),
    "learned": Target(
        in_file(".safetensors", agent_of(make_game("leduc"), "learned:{}")),
        untrained_samples,
        odd_headers,
    ),
    "douzero": Target(in_file(".ckpt", douzero), douzero_samples),
    "ppo": learner("checkpoint.npz", partial(begin_learner, "ppo")),
    "dmc": learner("checkpoint.npz", partial(begin_learner, "dmc")),
    "bid-network": learner("bid.ckpt", begin_bid_network),
    "cfr+": solver("cfr+"),
    "mmd": solver("mmd"),
    "q-learning": solver("q-learning"),
    "kou-tuning": Target(in_file("", resume_tuning), tuning_samples, odd_arrays),
    "state": Target(states, lambda: [each for name in NOTATIONS for each in saved(name)]),
    "runs-json": Target(in_file(".json", shown_runs), run_samples("results", "league"), odd_json),
    "runs-npz": Target(in_file(".npz", shown_runs), run_samples("checkpoint", "ppo"), odd_arrays),
    "kinds": Target(
        in_file("", kinds), run_samples("network", "strategy", "checkpoint", "results", "douzero")
    ),
}
"""More readers by name."""
