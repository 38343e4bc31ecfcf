"""The callback of a training: checks, saving, and the end by plan, patience or Ctrl-C."""

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning.pytorch import Callback, LightningModule, Trainer

from closedhand.agents.doudizhu.deeprocket import networks
from closedhand.agents.doudizhu.deeprocket.accuracy import accuracies, evaluate
from closedhand.agents.doudizhu.deeprocket.policy_net import PolicyNetAgent
from closedhand.agents.doudizhu.deeprocket.recorded import Games
from closedhand.agents.doudizhu.network_agents import SHIPPED_FILES
from closedhand.core.files import replacing
from closedhand.core.game import Game
from closedhand.core.run import Watch
from closedhand.core.version import __version__
from closedhand.learning.evaluation import judge

AGREE_EVERY = 20
"""Steps between agreements of several processes on what to do next."""
SELECTION, SELECTION_SEED = 5000, 20_000_000
"""Deals of a check by play, each played twice, and their seed; the same at every check."""


def quality(check: dict[str, Any]) -> float:
    """Return the quality of a network in a check: its win rate if it plays, else its accuracy."""
    return float(check.get("win_rate", check["accuracy"]["all"] or 0.0))


def win_rate(network: networks.Network, game: Game, opponent: str) -> float:
    """Measure the share of duplicate games that `policy-net` wins with a network.

    The network of the other kind, policy or kicker, is the package's.
    """
    kind = network.config["kind"]
    both = {other: networks.load(path, other)[0] for other, path in SHIPPED_FILES.items()}
    both[kind] = copy.deepcopy(network).cpu()  # a copy: the original is in training
    agent = PolicyNetAgent(game, "policy-net", both["policy"], both["kicker"])
    won = judge(game, agent, opponent, SELECTION, SELECTION_SEED).won
    assert won is not None  # every game has a loser
    return won.mean


@dataclass(eq=False)
class Checks(Callback):
    """Callback that checks a `supervised.Learner` on the pairs `rows`, and saves and ends it.

    Attributes:
        records: Name of the records, for the network's provenance.
        number: Number of checks. Other fields are as in `supervised.Settings` or `train`.
        watch: Context of the training; it determines when to save and catches Ctrl-C.
    """

    learner: Any
    games: Games
    rows: np.ndarray
    out: Path
    records: str
    number: int
    patience: int
    select: str | None
    progress: Callable[[float, str], object]

    def __post_init__(self) -> None:
        self.watch = Watch(self._save, at_end=False)
        self._kind: str = self.learner.network.config["kind"]
        # Pairs and seconds of learning since the last check.
        self._pairs, self._learning = 0, 0.0
        self._clock = 0.0
        self._trainer: Trainer

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Start the clock."""
        self._clock = time.monotonic()
        self._trainer = trainer
        self._done = int(self.learner.share * self.number)

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Check, save and stop when due."""
        self._learning += self._tick()
        self._pairs += len(batch.label) * trainer.world_size
        share = self.learner.share
        ends = self._agreed(trainer, self.watch.interrupted or share >= 1)
        due = ends or self._agreed(trainer, int(share * self.number) > self._done)
        if due:
            self._done = int(share * self.number)
            self._check(trainer, pl_module)
        if due or self._agreed(trainer, self.watch.due):
            self.watch.save()
            self._tick()
        trainer.should_stop = ends or self._is_stuck()
        if batch_idx % AGREE_EVERY == 0:
            self.progress(share, self._text())

    def _tick(self) -> float:
        """Add the seconds since the last tick to the training time of the plan; return them."""
        now = time.monotonic()
        passed, self._clock = now - self._clock, now
        self.learner.seconds += passed
        return passed

    def _agreed(self, trainer: Trainer, wanted: bool) -> bool:
        """Return whether any process has `wanted` set; false at steps between agreements."""
        if trainer.world_size == 1:
            return wanted
        if trainer.global_step % AGREE_EVERY:
            return False
        # Every process waits here for the others, so all must make the same calls.
        return trainer.strategy.reduce_boolean_decision(wanted, all=False)

    def _text(self) -> str:
        checks = self.learner.checks
        text = f"{self.learner.global_step:,} steps"
        if self._learning > 0:
            text += f", {self._pairs / self._learning:,.0f} pairs/s"
        if checks and "win_rate" in checks[-1]:
            text += f", {100 * checks[-1]['win_rate']:.1f}% won"
        return text + (f", {100 * checks[-1]['accuracy']['all']:.1f}% right" if checks else "")

    def _is_stuck(self) -> bool:
        """Return whether `patience` checks have passed since the best one."""
        scores = [quality(check) for check in self.learner.checks]
        return len(scores) - 1 - int(np.argmax(scores)) >= self.patience if scores else False

    def _check(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Evaluate on held-out pairs, and keep the network if it is the best so far."""
        learner = self.learner
        rows = self.rows[trainer.global_rank :: trainer.world_size]
        with trainer.precision_plugin.forward_context():
            found = evaluate(learner.network, self.games, self._kind, rows, pl_module.device)
        if trainer.world_size > 1:
            total = trainer.strategy.reduce(
                torch.from_numpy(found).to(pl_module.device), reduce_op="sum"
            )
            found = torch.as_tensor(total).cpu().numpy()
        accuracy = accuracies(found)
        best = max(map(quality, learner.checks), default=-1.0)
        played: dict[str, float] = {}
        if self.select is not None:
            played["win_rate"] = win_rate(learner.network, self.games.game, self.select)
        learner.checks.append(
            {
                "step": learner.global_step,
                "seconds": round(learner.seconds, 1),
                "loss": round(float(learner.loss_sum) / max(1, learner.loss_number), 5),
                "held_out_loss": round(float(found[:, 2].sum() / found[:, 0].sum()), 5),
                "accuracy": accuracy,
                **played,
                "pairs_per_second": round(self._pairs / max(self._learning, 1e-9)),
                "learning_rate": learner.learning_rate,
            }
        )
        learner.loss_sum, learner.loss_number = 0.0, 0
        self._pairs, self._learning = 0, 0.0
        for logger in trainer.loggers:
            named = {f"accuracy/{name}": value for name, value in accuracy.items() if value}
            logger.log_metrics(named | played, learner.global_step)
        if trainer.is_global_zero:
            networks.write_history(self.out, self._kind, learner.checks)
            if quality(learner.checks[-1]) > best:
                self._keep(learner.checks[-1])

    def _keep(self, check: dict[str, Any]) -> None:
        """Save the network with its provenance."""
        noted = ("step", "held_out_loss", "accuracy", "win_rate")
        provenance = {
            **self.learner.settings,
            "records": self.records,
            **{key: check[key] for key in noted if key in check},
            "version": __version__,
        }
        path = self.out / f"{self._kind}.safetensors"
        networks.save(path, self.learner.network, provenance)

    def _save(self) -> None:
        """Save the full state for resuming; a crash leaves the old file intact."""
        path = self.out / f"{self._kind}.ckpt"
        if self._trainer.is_global_zero:
            with replacing(path) as part:
                self._trainer.save_checkpoint(part)
        else:
            # All processes take part, but only one of them writes.
            self._trainer.save_checkpoint(path)
