"""Supervised training of the DeepRocket networks with Lightning (the paper's section 5.1).

1. Split the recorded games into state-action pairs (`pairs.py`). Hold out one deal in ten.
2. Maximise the likelihood of the expert's choices in batches (`stream.py`) by AdamW. The learning
   rate first rises, then falls along a cosine to 0 at the end of the planned steps or minutes.
3. At intervals evaluate the network on held-out pairs (`validation_callback.py`). Keep the network
   with the best check.

`train` writes into its folder: `policy.safetensors` or `kicker.safetensors` (the best network),
`policy.ckpt` or `kicker.ckpt` (the last state, for resuming), `history.json` (a list of checks for
each kind of network) and `tensorboard/`.
"""

import hashlib
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.accelerators import CPUAccelerator
from lightning.pytorch.loggers import TensorBoardLogger
from torch import nn

from closedhand.agents.doudizhu.deeprocket import networks, pairs, recorded
from closedhand.agents.doudizhu.deeprocket.stream import Stream, Tensors
from closedhand.agents.doudizhu.deeprocket.validation_callback import Checks
from closedhand.core.agents import make_agent
from closedhand.core.checks import check_learner_seed
from closedhand.core.game import InputError
from closedhand.core.optional_imports import require
from closedhand.core.run import check_same
from closedhand.core.text import reason_of
from closedhand.core.threads import cores
from closedhand.learning.tensorboard import check_name
from closedhand.learning.tensors import read_checkpoint
from closedhand.learning.torch_threads import choose_threads

ROLES = ("landlord", "down", "up")
"""The roles by seat."""

WARM_UP = 0.02
"""Share of the training in which the learning rate rises."""
LEARNING_RATES = {"small": 2e-3, "paper": 5e-4}
CONTINUED = 0.5
"""Highest learning rate of a network that has learned before, as a fraction of the usual one."""
WEIGHT_DECAY = 1e-4
HELD_OUT = 20_000
"""Maximum number of pairs in a check: enough for a standard error of 0.35 percentage points."""


class Plan(NamedTuple):
    """The length of a training, whichever limit is reached first; None: no limit."""

    steps: float = math.inf  # number of batches
    minutes: float = math.inf  # including those before an interruption

    def share(self, step: int, seconds: float) -> float:
        """Return the share of the training that is done, 0 to 1."""
        return min(1.0, max(step / self.steps, seconds / (60 * self.minutes)))

    @property
    def checks(self) -> int:
        """The default number of checks."""
        return max(3, int(min(40, self.steps / 250, self.minutes)))


@dataclass(frozen=True)
class Settings:
    """Settings of a supervised training; those of the network are as for `networks.Network`.

    Attributes:
        role: The only role to learn, one of `ROLES` ("if we want to learn Down Peasant", section
            4.2); None: all roles.
        select: Agent against which each check plays 10,000 duplicate games, to keep the network
            that wins most; None: the most accurate network is kept.
        checks: Number of checks, evenly over the training; None: one for every 250 steps or every
            minute, but 3 to 40 in all.
        patience: Number of successive checks without a better network after which the training
            stops; the learning rate is then not fully annealed.
    """

    size: str = "small"
    steps: int | None = None  # number of batches; None: limited by `minutes`
    minutes: float | None = None  # duration, without interruptions; None: limited by `steps`
    batch: int = 256  # number of pairs per step on each device, as in the paper
    seed: int = 0  # of the initial weights and the order of the pairs
    roles: bool = False
    status: bool | None = None
    skips: bool = True
    strides: bool | None = None
    role: str | None = None
    expert: str | None = None  # name of the only agent to learn from; None: all agents
    select: str | None = None
    device: str = "auto"  # or `cpu`, `gpu` or another accelerator of Lightning
    devices: int | str = "auto"  # number of devices, as for Lightning
    threads: int | None = None  # number of CPU threads; None: all cores
    precision: Any = None  # as for Lightning; None: mixed on a GPU, else 32 bits
    start: Path | None = None  # file of a network of the same form to train further; None: random
    checks: int | None = None
    patience: int = 20


def annealed(share: float) -> float:
    """Return the learning rate after a share of the training, as a fraction of the highest rate.

    Examples:
        >>> [round(annealed(share), 2) for share in (0.0, 0.01, 0.02, 0.51, 1.0)]
        [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    if share < WARM_UP:
        return share / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (share - WARM_UP) / (1 - WARM_UP)))


class Learner(LightningModule):
    """A network that learns to predict labels by a plan.

    Attributes:
        settings: Settings that must be the same when the training is resumed, JSON values.
        seconds: Elapsed training time, by the clock.
        checks: Checks so far.
        loss_sum: Sum of the losses of the batches since the last check; `loss_number` is their
            number.
    """

    def __init__(self, network: networks.Network, plan: Plan, settings: dict[str, Any]) -> None:
        super().__init__()
        self.network = network
        self.plan = plan
        self.settings = settings
        self.highest = LEARNING_RATES[network.config["size"]]
        if settings.get("start") is not None:
            self.highest *= CONTINUED
        self.seconds = 0.0
        self.checks: list[dict[str, Any]] = []
        self.loss_sum: torch.Tensor | float = 0.0
        self.loss_number = 0

    @property
    def share(self) -> float:
        """The share of the training that is done, 0 to 1."""
        return self.plan.share(self.global_step, self.seconds)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step."""
        # The share of the first step is 0, which would give a learning rate of 0.
        return self.highest * annealed(max(self.share, WARM_UP / 100))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Make the optimizer, AdamW."""
        return torch.optim.AdamW(self.parameters(), self.highest, weight_decay=WEIGHT_DECAY)

    def on_train_batch_start(self, batch: Tensors, batch_idx: int) -> None:
        """Set the learning rate, by the clock if the plan is limited by time."""
        for group in self.trainer.optimizers[0].param_groups:
            group["lr"] = self.learning_rate

    def training_step(self, batch: Tensors, batch_idx: int) -> torch.Tensor:
        """Compute the mean loss of a batch of tensors."""
        logits = self.network(batch.planes, batch.status, batch.mask)
        loss = nn.functional.cross_entropy(logits, batch.label)
        self.loss_sum = self.loss_sum + loss.detach()
        self.loss_number += 1
        self.log("train loss", loss)
        return loss

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add data that Lightning does not save."""
        about = {name: getattr(self, name) for name in ("settings", "seconds", "checks")}
        checkpoint["closedhand"] = {"step": self.global_step, **about}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Continue from what `on_save_checkpoint` added."""
        self.seconds = checkpoint["closedhand"]["seconds"]
        self.checks = checkpoint["closedhand"]["checks"]


def precision_of(device: str) -> Any:
    """Choose the default precision: mixed on a GPU, else 32 bits."""
    if device == "cpu" or not torch.cuda.is_available():
        return "32-true"
    return "bf16-mixed" if torch.cuda.is_bf16_supported() else "16-mixed"


def check_resumable(path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Read the data on its training in a checkpoint; refuse one with other settings."""
    found = read_checkpoint(path).get("closedhand")
    if found is None:
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
    """Train a network, or resume the training in `out`; Ctrl-C saves and stops.

    Args:
        kind: `policy` or `kicker`.
        records: Shards or records, see `recorded.read`.
        out: Folder for the network and its history.
        settings: What is learned, from which decisions, for how long, and on which hardware.
        restart: Whether to start again although `out` holds a training.
        progress: Called now and then with the share that is done and a text about it.

    Raises:
        InputError: The records, the settings or the network to start from are invalid, the hardware
            is not available, or the training in `out` cannot be resumed.
        KeyboardInterrupt: The training was interrupted before it began, or twice.
    """
    require("tensorboard")
    plan = plan_of(settings)
    choose_threads(settings.threads or cores())
    torch.manual_seed(check_learner_seed(settings.seed))
    network = network_of(kind, settings)
    progress(0.0, "reading records")
    games = recorded.read(records, settings.expert)
    if settings.select is not None:
        make_agent(games.game, settings.select)  # raises if its text is wrong
    rows = decisions_of(games, kind, settings.role)
    learner = Learner(network, plan, stated(network, games, rows, settings))
    path = out / f"{kind}.ckpt"
    resumed = path if path.exists() and not restart else None
    valid = 0
    if resumed is not None:
        done = check_resumable(resumed, learner.settings)
        valid = done["step"] + 1
        if plan.share(done["step"], done["seconds"]) >= 1:
            return networks.Result(out / f"{kind}.safetensors", done["checks"], False)
    learned, kept = split(games, rows, records)
    stream = Stream(
        games, kind, learned, settings.batch, settings.seed, lambda: learner.global_step
    )
    number = plan.checks if settings.checks is None else max(1, settings.checks)
    checks = Checks(learner, games, kept, out, Path(records).name, number, settings.patience,
                    settings.select, progress)  # fmt: skip
    check_name(out)
    # Hide curves of an earlier training in the folder, and of steps lost when a process was killed.
    logger = TensorBoardLogger(out, "tensorboard", kind, purge_step=valid)
    trainer = trainer_of(settings, logger, checks)
    try:
        with checks.watch:
            # `weights_only` reads the file as data: no code from it is run.
            trainer.fit(learner, stream, ckpt_path=resumed, weights_only=True)
    except SystemExit:
        # Lightning raises this at a second Ctrl-C.
        raise KeyboardInterrupt from None
    finally:
        stream.close()
    return networks.Result(out / f"{kind}.safetensors", learner.checks, checks.watch.interrupted)


def network_of(kind: str, settings: Settings) -> networks.Network:
    """Make the network of a training, with random weights or those of `settings.start`."""
    network = networks.Network(
        kind, settings.size, settings.status, settings.roles, settings.skips, settings.strides
    )
    if settings.start is None:
        return network
    found, _ = networks.load(settings.start, kind)
    check_same(settings.start, found.config, network.config)
    return found.train()


def decisions_of(games: recorded.Games, kind: str, role: str | None) -> np.ndarray:
    """List the decisions to learn: rows of `pairs.index`, of one role if it is named."""
    rows = pairs.index(games, kind)
    if role is None:
        return rows
    if role not in ROLES:
        raise InputError(f"no role {role!r}; there are {', '.join(ROLES)}")
    # Records have no auction: the landlord, seat 0, makes the first move.
    return rows[rows[:, 1] % len(ROLES) == ROLES.index(role)]


def stated(
    network: networks.Network, games: recorded.Games, rows: np.ndarray, settings: Settings
) -> dict[str, Any]:
    """Collect the settings that must be the same on resumption, as JSON values."""
    earlier: dict[str, Any] = {"start": None}
    if settings.start is not None:
        _, learned_before = networks.load(settings.start, network.config["kind"])
        digest = hashlib.sha256(settings.start.read_bytes()).hexdigest()
        earlier = {"start": digest, "learned_before": learned_before}
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
        **earlier,
    }


def split(games: recorded.Games, rows: np.ndarray, records: Path) -> tuple[np.ndarray, np.ndarray]:
    """Split decisions into those to learn and at most `HELD_OUT` of those held out, by deal."""
    held = pairs.is_held_out(games.deals)[rows[:, 0]]
    if not held.any() or held.all():
        raise InputError(f"too few pairs in {records} to train on some and test on others")
    kept = np.random.default_rng(0).permutation(np.flatnonzero(held))[:HELD_OUT]
    return rows[~held], rows[np.sort(kept)]


def trainer_of(settings: Settings, logger: TensorBoardLogger, checks: Checks) -> Trainer:
    """Make Lightning's trainer; `checks` decide when it ends."""
    logging.getLogger("lightning.pytorch").setLevel(logging.WARNING)
    try:
        trainer = Trainer(
            accelerator=settings.device,
            devices=settings.devices,
            precision=settings.precision or precision_of(settings.device),
            max_epochs=-1,
            max_steps=-1,
            logger=logger,
            callbacks=[checks],
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            use_distributed_sampler=False,
        )
    except (MisconfigurationException, TypeError, ValueError) as error:
        raise InputError(f"cannot train with these settings: {reason_of(error)}") from None
    if isinstance(trainer.accelerator, CPUAccelerator) and trainer.num_devices > cores():
        asked = f"{trainer.num_devices:,} devices, a process each"
        raise InputError(f"cannot train with these settings: {asked}, on {cores()} cores")
    return trainer


def plan_of(settings: Settings) -> Plan:
    """Return the limits of a training; refuse missing ones, and numbers that are not positive."""
    limits = settings.steps, settings.minutes
    if limits == (None, None):
        raise InputError("give --minutes or --steps")
    plan = Plan(*(math.inf if limit is None else limit for limit in limits))
    if not all(limit > 0 for limit in (*plan, settings.batch)):
        raise InputError("steps, minutes and batch must be more than 0")
    return plan
