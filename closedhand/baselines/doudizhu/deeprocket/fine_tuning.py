"""Fine-tuning of the policy network in self-play, which the DeepRocket paper's section 6 wants.

The network starts from supervised weights and plays against itself (`sampling.py`). A step plays
some deals and follows the policy gradient over the decisions of those that were both won and lost,
in batches: the clipped objective of PPO, of which one pass is made, with the gain of a game as the
advantage of all its decisions. A penalty on the Kullback-Leibler divergence from the network that
it started from holds it near to what it learned from records; only forced moves are left out.
Kickers come from the kicker network, which learns nothing.

What `train` leaves in its folder: `policy.safetensors` (the last network), `kicker.safetensors` (as
it was), `self-play.ckpt` (to go on from) and, in `history.json`, a list of checks under
`self-play`.
"""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from closedhand.baselines.doudizhu.decompose.tuning import TABLES
from closedhand.baselines.doudizhu.deeprocket import networks, policy_net
from closedhand.baselines.doudizhu.deeprocket.checks import write_history
from closedhand.baselines.doudizhu.deeprocket.sampling import (
    Decisions,
    landlords_gains,
    play_deals,
    win_rate,
)
from closedhand.baselines.learning.tensors import TORCH
from closedhand.core.game import InputError
from closedhand.core.registry import make_game
from closedhand.core.run import Run
from closedhand.core.threads import cores

DEALS = 64
"""Of a step."""
BATCH = 512
"""Decisions of a change of the weights."""
RATE = 1e-4
"""Learning rate of AdamW."""
PENALTY = 0.05
"""Of a nat of divergence from the start, where a game more or less won is 1."""
CLIP = 0.2
"""So far a decision's probability is moved by one pass."""
MOST_GRADIENT = 0.5
"""Norm at which gradients are clipped."""
CHECK_EVERY = 180.0
"""Seconds between checks."""
CHECK_DEALS = 200

HISTORY = "self-play"


class Result(NamedTuple):
    """What fine-tuning brought.

    Attributes:
        path: The network.
        history: The checks, as in `history.json`.
        interrupted: Whether Ctrl-C ended it.
    """

    path: Path
    history: list[dict[str, Any]]
    interrupted: bool


def divergence(logs: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """The Kullback-Leibler divergence of policies from others, in nats.

    Args:
        logs: Logarithms of probabilities, minus infinity for what is illegal, float32 [n, k].
        other: The same of the policies to compare with.

    Returns:
        float32 [n].
    """
    # Illegal actions: infinity less infinity.
    ratios = (logs - other).masked_fill(torch.isinf(other), 0.0)
    return (logs.exp() * ratios).sum(dim=1)


def objective(
    logs: torch.Tensor, label: torch.Tensor, before: torch.Tensor, gains: torch.Tensor
) -> torch.Tensor:
    """PPO's clipped objective, to be maximised; at first its gradient is the policy gradient.

    Args:
        logs: Logarithms of probabilities, float32 [n, k].
        label: What was drawn, int64 [n].
        before: The logarithm of its probability when it was drawn, float32 [n].
        gains: What that brought, float32 [n].

    Returns:
        float32 [n].
    """
    ratio = torch.exp(logs.gather(1, label[:, None])[:, 0] - before)
    return torch.minimum(ratio * gains, ratio.clamp(1 - CLIP, 1 + CLIP) * gains)


class Tuning:
    """A fine-tuning under way; a `closedhand.core.run.Learner`.

    Attributes:
        network: The policy network that learns.
        start: As it was at the beginning.
        kicker: The kicker network.
        settings: What has to be the same when it goes on.
        steps: How many were taken.
    """

    def __init__(
        self,
        start: str | None,
        seed: int = 0,
        penalty: float = PENALTY,
        rate: float = RATE,
        deals: int = DEALS,
    ) -> None:
        """Begin with networks; the arguments are those of `train`."""
        files = policy_net.files_of(start)
        self.network, self._provenance = networks.load(files["policy"], "policy")
        self.start, _ = networks.load(files["policy"], "policy")
        self.kicker, self._of_kicker = networks.load(files["kicker"], "kicker")
        self.game = make_game(
            "doudizhu", rules=self._provenance.get("rules", "deeprocket"), substeps=True
        )
        self.settings = {
            "start": hashlib.sha256(
                files["policy"].read_bytes() + files["kicker"].read_bytes()
            ).hexdigest(),
            "seed": seed,
            "penalty": penalty,
            "rate": rate,
            "deals": deals,
        }
        self._optimizer = torch.optim.AdamW(self.network.parameters(), rate, weight_decay=0.0)
        self.steps = 0
        self._checked = time.monotonic()
        self._forget()

    def _forget(self) -> None:
        """Begin to count anew, after a check: games, seconds, landlords' wins, divergence."""
        self.games, self._spent, self._won = 0, 0.0, 0.0
        self._kl, self._learned = 0.0, 0

    @property
    def speed(self) -> float:
        """Games per second since the last check, those of learning included."""
        return self.games / max(self._spent, 1e-9)

    @property
    def kl(self) -> float:
        """The mean divergence from the start since the last check, in nats per decision."""
        return self._kl / max(1, self._learned)

    def step(self) -> None:
        """Play the deals of a step and learn from them."""
        began = time.monotonic()
        rng = np.random.default_rng((self.settings["seed"], 0x5E1F, self.steps))
        decisions, won = play_deals(
            self.game, self.network, self.kicker, self.settings["deals"], rng
        )
        gains = landlords_gains(won).ravel()[decisions.games] * decisions.sides
        self.learn(decisions, gains, rng)
        self.steps += 1
        self.games += won.size
        self._won += float(won.sum())
        self._spent += time.monotonic() - began

    def learn(self, decisions: Decisions, gains: np.ndarray, rng: np.random.Generator) -> None:
        """Change the weights by one pass over the decisions that brought or cost something.

        Args:
            decisions: What was decided.
            gains: What each decision brought who made it, float32 [n].
            rng: Of the order.
        """
        order = rng.permutation(np.flatnonzero(gains))
        for begin in range(0, len(order), BATCH):
            rows = order[begin : begin + BATCH]
            seen = [torch.from_numpy(part[rows]) for part in decisions[:3]]
            label, before = (
                torch.from_numpy(part[rows]) for part in (decisions.label, decisions.logs)
            )
            with torch.no_grad():
                was = torch.log_softmax(self.start(*seen), dim=1)
            logs = torch.log_softmax(self.network(*seen), dim=1)
            kl = divergence(logs, was)
            gained = objective(logs, label, before, torch.from_numpy(gains[rows]))
            loss = (self.settings["penalty"] * kl - gained).mean()
            self._optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), MOST_GRADIENT)
            self._optimizer.step()
            self._kl += float(kl.detach().sum())
            self._learned += len(rows)

    def advance(self, seconds: float) -> bool:
        """Take a step; the history says how it goes every few minutes, and at the end."""
        began = time.monotonic()
        self.step()
        ends = time.monotonic() - began >= seconds
        if ends or time.monotonic() - self._checked > CHECK_EVERY:
            self._checked = time.monotonic()
            return True
        return False

    def summary(self) -> dict[str, Any]:
        """How it goes; plays against the start."""
        won, error = win_rate(self.game, self.network, self.start, self.kicker, CHECK_DEALS)
        found = {
            "step": self.steps,
            "games": self.steps * self.settings["deals"] * TABLES,
            "games_per_second": round(self.speed, 1),
            "landlord_wins": round(self._won / max(1, self.games), 4),
            "kl": round(self.kl, 5),
            "win_rate": round(won, 4),
            "win_rate_error": round(error, 4),
        }
        self._forget()
        return found

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs."""
        optimizer = self._optimizer.state_dict()
        return {"steps": self.steps, "network": self.network.state_dict(), "optimizer": optimizer}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.steps = state["steps"]

    def save(self, out: Path, history: list[dict[str, Any]]) -> None:
        """Write the networks with what is known of them, and the history."""
        from closedhand import __version__

        about = {
            "rules": self.game.options["rules"],
            **self.settings,
            "tuned_from": self._provenance,
            "version": __version__,
            **(history[-1] if history else {}),
        }
        networks.save(out / "policy.safetensors", self.network, about)
        networks.save(out / "kicker.safetensors", self.kicker, self._of_kicker)
        write_history(out, HISTORY, history)


def begin(tuning: Tuning, out: Path) -> Run[Tuning]:
    """A fine-tuning before its first step, to be worked at, or resumed from a folder."""

    def save() -> None:
        tuning.save(out, run.history)

    run = Run(
        tuning,
        tuning.settings,
        out / "self-play.ckpt",
        save,
        TORCH,
        older=lambda state: {"history": state.pop("checks")},  # version 0.1.0
        note_checkpoints=False,
    )
    return run


def train(
    start: str | None,
    out: Path,
    minutes: float,
    *,
    seed: int = 0,
    penalty: float = PENALTY,
    rate: float = RATE,
    deals: int = DEALS,
    threads: int | None = None,
    restart: bool = False,
    progress: Callable[[float, str], object] = lambda share, text: None,
) -> Result:
    """Fine-tune a policy network in self-play, or go on with what `out` holds; Ctrl-C saves.

    Args:
        start: Folder or file of the networks to start from, as the agent `policy-net` takes them.
        out: Another folder, for the networks and their history.
        minutes: How long, interruptions left out.
        seed: Of deals and decisions.
        penalty: Of the divergence from the start, per nat; 0: none.
        rate: The learning rate.
        deals: Of a step, each of which is played `tuning.TABLES` times.
        threads: Of the processor; None: all cores.
        restart: Begin anew although `out` holds a fine-tuning.
        progress: Called behind every step with the share that is done and a text about it.

    Raises:
        InputError: No networks to start from, or a fine-tuning in `out` that cannot go on.
        KeyboardInterrupt: Interrupted before anything was learned.
    """
    if not (minutes > 0 and rate > 0 and penalty >= 0 and deals > 0):
        raise InputError("self-play takes minutes, rate and deals of more than 0, and a penalty")
    path = out / "policy.safetensors"
    if path.resolve() == policy_net.files_of(start)["policy"].resolve():
        raise InputError(f"{path} is what to start from: self-play takes another folder for --out")
    checkpoint = out / "self-play.ckpt"
    if path.exists() and not checkpoint.exists() and not restart:
        raise InputError(f"{path} is of another training: self-play takes another folder for --out")
    run = begin(Tuning(start, seed, penalty, rate, deals), out)
    run.resume_if_kept(restart)
    torch.set_num_threads(threads or cores())
    limit = 60 * minutes
    run.work(limit, progress=lambda: progress(min(1.0, run.seconds / limit), describe(run)))
    if not run.learner.steps:
        raise KeyboardInterrupt
    return Result(path, run.history, run.interrupted)


def describe(run: Run[Tuning]) -> str:
    """How it goes, in a few words."""
    tuning = run.learner
    games = tuning.steps * tuning.settings["deals"] * TABLES
    text = f"{games:,} games" + (f", {tuning.speed:.0f} games/s" if tuning.games else "")
    return text + (f", wins {run.history[-1]['win_rate']:.1%}" if run.history else "")
