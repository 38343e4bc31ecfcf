"""A network in supervised training: steps, checks, checkpoints, and the end of the training."""

import copy
import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning.pytorch import LightningModule
from torch import nn

from closedhand.agents.doudizhu.deeprocket import networks
from closedhand.agents.doudizhu.deeprocket.accuracy import accuracies, evaluate
from closedhand.agents.doudizhu.deeprocket.pairs import Batch
from closedhand.agents.doudizhu.deeprocket.policy_net import PolicyNetAgent
from closedhand.agents.doudizhu.deeprocket.recorded import Games
from closedhand.agents.doudizhu.endgames import by_wins
from closedhand.agents.doudizhu.network_agents import SHIPPED_FILES
from closedhand.core.files import replacing
from closedhand.core.game import Game
from closedhand.core.run import Watch
from closedhand.core.version import __version__
from closedhand.learning.evaluation import judge

WARM_UP = 0.02
"""Share of the training in which the learning rate rises."""
LEARNING_RATES = {"small": 2e-3, "wide": 1.6e-3, "paper": 5e-4}
CONTINUED = 0.5
"""Highest learning rate of a network that has learned before, as a fraction of the usual one."""
WEIGHT_DECAY = 1e-4
AGREE_EVERY = 20
"""Steps between agreements of several processes on what to do next."""
SELECTION, SELECTION_SEED = 5000, 20_000_000
"""Deals of a check by play, each played twice, and their seed; the same at every check."""


@dataclass(frozen=True)
class Settings:
    """Settings of a supervised training; those of the network are as for `networks.Network`."""

    size: str = "small"
    # Limits, at least one of them finite: the training ends at the first that is reached.
    steps: float = math.inf  # number of batches
    minutes: float = math.inf  # duration, without interruptions
    batch: int = 256  # number of pairs per step on each device, as in the paper
    seed: int = 0  # of the initial weights and the order of the pairs
    roles: bool = False
    status: bool | None = None
    skips: bool = True
    strides: bool | None = None
    # The only role to learn, one of `supervised.ROLES` ("if we want to learn Down Peasant", section
    # 4.2); None: all roles.
    role: str | None = None
    expert: str | None = None  # name of the only agent to learn from; None: all agents
    # Agent against which each check plays 10,000 duplicate games, to keep the network that wins
    # most; None: the most accurate network is kept.
    select: str | None = None
    device: str = "auto"  # or `cpu`, `gpu` or another accelerator of Lightning
    devices: int | str = "auto"  # number of devices, as for Lightning
    threads: int | None = None  # number of CPU threads; None: all cores
    precision: Any = None  # as for Lightning; None: mixed on a GPU, else 32 bits
    start: Path | None = None  # file of a network of the same form to train further; None: random
    checks: int | None = None  # their number, evenly spread; None: see `number_of_checks`
    # Number of successive checks without a better network after which the training stops; the
    # learning rate is then not fully annealed.
    patience: int = 20

    def share(self, step: int, seconds: float) -> float:
        """Return the share of the training that is done, 0 to 1."""
        return min(1.0, max(step / self.steps, seconds / (60 * self.minutes)))

    @property
    def number_of_checks(self) -> int:
        """Number of checks; by default the lesser of `steps` / 250 and `minutes`, but 3 to 40."""
        if self.checks is not None:
            return max(1, self.checks)
        return max(3, int(min(40, self.steps / 250, self.minutes)))


def annealed(share: float) -> float:
    """Return the learning rate after a share of the training, as a fraction of the highest rate.

    Examples:
        >>> [round(annealed(share), 2) for share in (0.0, 0.01, 0.02, 0.51, 1.0)]
        [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    if share < WARM_UP:
        return share / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (share - WARM_UP) / (1 - WARM_UP)))


def quality(check: dict[str, Any]) -> float:
    """Return the quality of a network in a check: its win rate if noted, else its accuracy."""
    return float(check.get("win_rate", check["accuracy"]["all"] or 0.0))


def is_stuck(checks: list[dict[str, Any]], patience: int) -> bool:
    """Return whether `patience` checks have passed since the best one; see `Settings`."""
    scores = [quality(check) for check in checks]
    return bool(scores) and len(scores) - 1 - int(np.argmax(scores)) >= patience


def win_rate(network: networks.Network, game: Game, opponent: str) -> float:
    """Measure the share of duplicate games that a network wins as `policy-net`, playing to win.

    The network of the other kind, policy or kicker, is the package's.
    """
    game = by_wins(game)
    kind = network.config["kind"]
    both = {other: networks.load(path, other)[0] for other, path in SHIPPED_FILES.items()}
    both[kind] = copy.deepcopy(network).cpu()  # a copy: the original is in training
    agent = PolicyNetAgent(game, "policy-net", both["policy"], both["kicker"])
    won = judge(game, agent, opponent, SELECTION, SELECTION_SEED).won
    assert won is not None  # every game has a loser
    return won.mean


class Learner(LightningModule):
    """A network that learns to predict labels."""

    def __init__(
        self,
        network: networks.Network,
        settings: Settings,
        stated: dict[str, Any],
        games: Games,
        rows: np.ndarray,
        records: str,
        out: Path,
        progress: Callable[[float, str], object],
    ) -> None:
        """Prepare a training; `settings`, `out` and `progress` are those of `supervised.train`.

        `stated` are the settings that a resumed training must share, JSON values. Checks are on
        `rows`, the held-out ones of `pairs.index`, int32 [m, 3]. `records`, the name of the file
        or folder of the games, is only noted in the network's provenance.
        """
        super().__init__()
        self.network, self.settings, self.stated = network, settings, stated
        self.seconds = 0.0  # of training so far, by the clock
        self.begun = False  # whether training has begun; a checkpoint is restored before
        self.checks: list[dict[str, Any]] = []
        # Context of the training: it determines when to save and catches Ctrl-C. At the end
        # `on_train_batch_end` saves.
        self.watch = Watch(self._save, at_end=False)
        self._kind: str = network.config["kind"]  # `policy` or `kicker`
        self._games, self._rows, self._records = games, rows, records
        self._out, self._progress = out, progress
        self._highest = LEARNING_RATES[network.config["size"]]
        if settings.start is not None:
            self._highest *= CONTINUED
        self._forget()

    def _forget(self) -> None:
        self._loss: torch.Tensor | float = 0.0
        self._batches, self._pairs, self._learning = 0, 0, 0.0

    @property
    def share(self) -> float:
        """The share of the training that is done, 0 to 1."""
        return self.settings.share(self.global_step, self.seconds)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step."""
        # The share of the first step is 0, which would give a learning rate of 0.
        return self._highest * annealed(max(self.share, WARM_UP / 100))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Make the optimizer, AdamW."""
        return torch.optim.AdamW(self.parameters(), self._highest, weight_decay=WEIGHT_DECAY)

    def on_train_start(self) -> None:
        """Start the clock."""
        self.begun = True
        if self.global_step == 0:
            self.watch.save()  # `train` refuses a folder with a network but no checkpoint
        self._clock = time.monotonic()
        self._done = int(self.share * self.settings.number_of_checks)  # checks due so far

    def on_train_batch_start(self, batch: Batch, batch_idx: int) -> None:
        """Set the learning rate, by the clock if minutes limit the training."""
        for group in self.trainer.optimizers[0].param_groups:
            group["lr"] = self.learning_rate

    def training_step(self, batch: Batch, batch_idx: int) -> torch.Tensor:
        """Compute the mean loss of a batch of tensors."""
        logits = self.network(batch.planes, batch.status, batch.mask)
        loss = nn.functional.cross_entropy(logits, batch.label)
        self._loss = self._loss + loss.detach()
        self._batches += 1
        self.log("train loss", loss)
        return loss

    def on_train_batch_end(self, outputs: Any, batch: Batch, batch_idx: int) -> None:
        """Check, save and stop when due."""
        self._learning += self._tick()
        self._pairs += len(batch.label) * self.trainer.world_size
        share = self.share
        done = int(share * self.settings.number_of_checks)
        ends = self._agreed(self.watch.interrupted or share >= 1)
        due = ends or self._agreed(done > self._done)
        if due:
            self._done = done
            try:
                self._check()
            except KeyboardInterrupt:  # in the games of `select`: save without this check
                if self.watch.at_once:
                    raise
                ends = True
            ends = self._agreed(ends)
        if due or self._agreed(self.watch.due):
            self.watch.save()
            self._tick()
        self.trainer.should_stop = ends or is_stuck(self.checks, self.settings.patience)
        if batch_idx % AGREE_EVERY == 0:
            self._progress(share, self._text())

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add data that Lightning does not save."""
        about = {"settings": self.stated, "seconds": self.seconds, "checks": self.checks}
        checkpoint["closedhand"] = {"step": self.global_step, **about}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Continue from what `on_save_checkpoint` added."""
        self.seconds = checkpoint["closedhand"]["seconds"]
        self.checks = checkpoint["closedhand"]["checks"]

    def _tick(self) -> float:
        """Add the seconds since the last tick to the training time; return them."""
        now = time.monotonic()
        passed, self._clock = now - self._clock, now
        self.seconds += passed
        return passed

    def _agreed(self, wanted: bool) -> bool:
        """Return whether any process has `wanted` set; false at steps between agreements."""
        if self.trainer.world_size == 1:
            return wanted
        if self.global_step % AGREE_EVERY:
            return False
        # Every process waits here for the others, so all must make the same calls.
        return self.trainer.strategy.reduce_boolean_decision(wanted, all=False)

    def _text(self) -> str:
        """Describe the training: steps, speed since the last check, results of the last check."""
        text = f"{self.global_step:,} steps"
        if self._learning > 0:
            text += f", {self._pairs / self._learning:,.0f} pairs/s"
        if not self.checks:
            return text
        if "win_rate" in self.checks[-1]:
            text += f", {100 * self.checks[-1]['win_rate']:.1f}% won"
        # Never None: `supervised.split` refuses records without held-out pairs.
        return text + f", {100 * self.checks[-1]['accuracy']['all']:.1f}% right"

    def _check(self) -> None:
        """Evaluate on held-out pairs, and keep the network if it is the best so far."""
        trainer, select = self.trainer, self.settings.select
        rows = self._rows[trainer.global_rank :: trainer.world_size]
        with trainer.precision_plugin.forward_context():
            found = evaluate(self.network, self._games, self._kind, rows, self.device)
        if trainer.world_size > 1:
            part = torch.from_numpy(found).to(self.device)
            total = trainer.strategy.reduce(part, reduce_op="sum")
            found = torch.as_tensor(total).cpu().numpy()
        accuracy = accuracies(found)
        played: dict[str, float] = {}
        if select is not None:
            played["win_rate"] = win_rate(self.network, self._games.game, select)
        check = {
            "step": self.global_step,
            "seconds": round(self.seconds, 1),
            "loss": round(float(self._loss) / max(1, self._batches), 5),
            "held_out_loss": round(float(found[:, 2].sum() / found[:, 0].sum()), 5),
            "accuracy": accuracy,
            **played,
            "pairs_per_second": round(self._pairs / max(self._learning, 1e-9)),
            "learning_rate": self.learning_rate,
        }
        best = max(map(quality, self.checks), default=-1.0)
        self.checks.append(check)
        self._forget()
        for logger in self.loggers:
            named = {f"accuracy/{name}": value for name, value in accuracy.items() if value}
            logger.log_metrics(named | played, self.global_step)
        if trainer.is_global_zero:
            networks.write_history(self._out, self._kind, self.checks)
            if quality(check) > best:
                self._keep(check)

    def _keep(self, check: dict[str, Any]) -> None:
        noted = {"step", "held_out_loss", "accuracy", "win_rate"}
        found = {key: value for key, value in check.items() if key in noted}
        provenance = {**self.stated, "records": self._records, **found, "version": __version__}
        networks.save(self._out / f"{self._kind}.safetensors", self.network, provenance)

    def _save(self) -> None:
        """Save the full state for resuming; a crash leaves the old file intact."""
        path = self._out / f"{self._kind}.ckpt"
        # All processes take part, but only one of them writes.
        writing = replacing(path) if self.trainer.is_global_zero else nullcontext(path)
        with writing as part:
            self.trainer.save_checkpoint(part)
