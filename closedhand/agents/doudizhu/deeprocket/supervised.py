"""Supervised training of the DeepRocket networks with Lightning (the paper's section 5.1).

1. Split the recorded games into state-action pairs (`pairs.py`). Hold out one deal in ten.
2. Maximise the likelihood of the expert's choices in batches by AdamW. The learning rate first
   rises, then falls along a cosine to 0 at the end of the planned steps or minutes.
3. At intervals evaluate the network on held-out pairs (`learner.py`). Keep the network with the
   best check.

`train` writes into its folder: `policy.safetensors` or `kicker.safetensors` (the best network),
`policy.ckpt` or `kicker.ckpt` (the last state, for resuming), `history.json` (a list of checks for
each kind of network) and `tensorboard/`.
"""

import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch import Trainer
from lightning.pytorch.accelerators import CPUAccelerator
from lightning.pytorch.loggers import TensorBoardLogger

from closedhand.agents.doudizhu.deeprocket import networks, pairs, recorded
from closedhand.agents.doudizhu.deeprocket.learner import Learner, Settings, is_stuck
from closedhand.agents.doudizhu.endgames import by_wins
from closedhand.core.agents import make_agent
from closedhand.core.checks import check_learner_seed, prefixed
from closedhand.core.game import InputError
from closedhand.core.optional_imports import require
from closedhand.core.reading import checksum
from closedhand.core.run import check_same
from closedhand.core.text import reason_of
from closedhand.core.threads import cores
from closedhand.learning.module_state import read_checkpoint
from closedhand.learning.runs import check_name
from closedhand.learning.torch_threads import choose_threads

ROLES = ("landlord", "down", "up")
"""The roles by seat: the landlord, the peasant after it, and the peasant before it."""

HELD_OUT = 20_000
"""Maximum number of pairs in a check: enough for a standard error of 0.35 percentage points."""


def precision_of(device: str) -> Any:
    """Choose the default precision: mixed on a GPU, else 32 bits."""
    if device == "cpu" or not torch.cuda.is_available():
        return "32-true"
    return "bf16-mixed" if torch.cuda.is_bf16_supported() else "16-mixed"


def check_settings(settings: Settings) -> None:
    """Raise an `InputError` for limits, a batch or a role that a training cannot have."""
    if settings.steps == settings.minutes == math.inf:
        raise InputError("give --minutes or --steps")
    if not all(limit > 0 for limit in (settings.steps, settings.minutes, settings.batch)):
        raise InputError("steps, minutes and batch must be more than 0")
    if settings.role not in (None, *ROLES):
        raise InputError(f"no role {settings.role!r}; there are {', '.join(ROLES)}")


def noted_in(path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Read the notes in a checkpoint; an `InputError` refuses one with other settings."""
    found = read_checkpoint(path).get("closedhand")
    if not isinstance(found, dict) or not {"settings", "step", "seconds", "checks"} <= set(found):
        raise InputError(f"cannot resume {path}: it is not the training of a network")
    check_same(path, found["settings"], settings)
    return found


def train(
    kind: str,
    records: Path,
    out: Path,
    settings: Settings,
    *,
    restart: bool = False,
    progress: Callable[[float, str], object] = lambda share, text: None,
) -> networks.Result:
    """Train a network, or resume the training in the folder `out`; Ctrl-C saves and stops.

    The kind is `policy` or `kicker`; `records` are as for `recorded.read`. With `restart` a
    training in `out` starts over. `progress` is called now and then with the share that is done
    and a text about it.

    Raises:
        InputError: The records, the settings or the network to start from are invalid; the hardware
            is not available; `out` holds the network to start from, the network of another
            training, or a training that cannot be resumed.
        KeyboardInterrupt: The training was interrupted before it began, or twice.
    """
    require("tensorboard")
    check_settings(settings)
    best, path = out / f"{kind}.safetensors", out / f"{kind}.ckpt"
    if settings.start is not None and best.resolve() == settings.start.resolve():
        raise InputError(f"{best} is the network to start from: choose another folder for --out")
    resumed = path if path.exists() and not restart else None
    if best.exists() and resumed is None and not restart:
        raise InputError(f"{best} is of another training: name another folder, or add --restart")
    choose_threads(settings.threads or cores())
    torch.manual_seed(check_learner_seed(settings.seed))
    network, earlier = network_of(kind, settings)
    progress(0.0, "reading records")
    games = recorded.read(records, settings.expert)
    if settings.select is not None:
        make_agent(by_wins(games.game), settings.select)  # raises if its text is wrong
    with prefixed(str(records)):
        rows = decisions_of(games, kind, settings.role)
    same = {**stated(network, games, rows, settings), **earlier}
    first = valid = 0
    done = None if resumed is None else noted_in(resumed, same)
    if done is not None:
        if done["checks"] and not best.exists():
            # The resumed training would save only a network better than the missing one.
            raise InputError(f"the network of {path}, {best}, is missing: add --restart")
        first, valid = done["step"], done["step"] + 1
        ended = settings.share(done["step"], done["seconds"]) >= 1
        checked = bool(done["checks"]) and done["checks"][-1]["step"] == done["step"]
        if checked and (ended or is_stuck(done["checks"], settings.patience)):
            return networks.Result(best, done["checks"], False)
    learned, kept = split(games, rows, records)
    learner = Learner(network, settings, same, games, kept, Path(records).name, out, progress)
    stream = pairs.Stream(games, kind, learned, settings.batch, settings.seed, first)
    check_name(out)
    # Hide curves of an earlier training in the folder, and of steps lost when a process was killed.
    trainer = trainer_of(settings, TensorBoardLogger(out, "tensorboard", kind, purge_step=valid))
    try:
        with learner.watch:
            # `weights_only` reads the file as data: no code from it is run.
            trainer.fit(learner, stream, ckpt_path=resumed, weights_only=True)
    except SystemExit:
        # Lightning raises this at a second Ctrl-C.
        raise KeyboardInterrupt from None
    except Exception as error:
        if resumed is None or learner.begun:
            raise
        # Lightning restores weights and optimizer before the first step: the file lacks some.
        raise InputError(f"cannot resume {path}: {reason_of(error)}") from None
    return networks.Result(best, learner.checks, learner.watch.interrupted)


def network_of(kind: str, settings: Settings) -> tuple[networks.Network, dict[str, Any]]:
    """Make the network of a training, random or that of `settings.start`, and state its origin."""
    network = networks.Network(
        kind, settings.size, settings.status, settings.roles, settings.skips, settings.strides
    )
    if settings.start is None:
        return network, {"start": None}
    found, learned_before = networks.load(settings.start, kind)
    check_same(settings.start, found.config, network.config)
    return found.train(), {"start": checksum(settings.start), "learned_before": learned_before}


def decisions_of(games: recorded.Games, kind: str, role: str | None) -> np.ndarray:
    """List the decisions to learn: rows of `pairs.index`, of one role if it is named."""
    rows = pairs.index(games, kind)
    # Records have no auction: the landlord, seat 0, moves first, and passes count as moves.
    return rows if role is None else rows[rows[:, 1] % len(ROLES) == ROLES.index(role)]


def stated(
    network: networks.Network, games: recorded.Games, rows: np.ndarray, settings: Settings
) -> dict[str, Any]:
    """Collect the settings that must be the same on resumption, as JSON values."""
    return {
        **network.config,
        "rules": games.game.options["rules"],
        "expert": settings.expert,
        "role": settings.role,
        "select": settings.select,
        "pairs": len(rows),
        "files": {"records": games.digest()},
        "batch": settings.batch,
        "seed": settings.seed,
    }


def split(games: recorded.Games, rows: np.ndarray, records: Path) -> tuple[np.ndarray, np.ndarray]:
    """Split rows by deal: those to learn, and at most `HELD_OUT` held out; refuse empty sets."""
    held = pairs.is_held_out(games.deals)[rows[:, 0]]
    if not held.any() or held.all():
        raise InputError(f"too few pairs in {records} to train on some and test on others")
    kept = np.random.default_rng(0).permutation(np.flatnonzero(held))[:HELD_OUT]
    return rows[~held], rows[np.sort(kept)]


def trainer_of(settings: Settings, logger: TensorBoardLogger) -> Trainer:
    """Make a Lightning trainer without limits (the learner ends it); refuse impossible settings."""
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    try:
        trainer = Trainer(
            accelerator=settings.device,
            devices=settings.devices,
            precision=settings.precision or precision_of(settings.device),
            max_epochs=-1,
            max_steps=-1,
            logger=logger,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            use_distributed_sampler=False,
        )
    except (ImportError, MisconfigurationException, TypeError, ValueError) as error:
        raise InputError(f"cannot train with these settings: {reason_of(error)}") from None
    if isinstance(trainer.accelerator, CPUAccelerator) and trainer.num_devices > cores():
        asked = f"{trainer.num_devices:,} devices, a process each"
        raise InputError(f"cannot train with these settings: {asked}, on {cores()} cores")
    return trainer
