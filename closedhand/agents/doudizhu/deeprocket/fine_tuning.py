"""Fine-tuning of the policy network in self-play, proposed in section 6 of the DeepRocket paper.

The network starts from supervised weights. A step does this:

1. Play some deals with the network on all seats, each deal at several tables (`sampling.py`). The
   kickers come from the kicker network, which learned from records and does not change.
2. Give every decision with a choice an advantage, the gain of its game: the result minus the mean
   of the other tables. Deals with the same result at all tables have the gain 0 and are skipped.
3. Make one pass over the decisions in batches, by PPO's clipped objective (Schulman et al., 2017).
   A penalty on the Kullback-Leibler divergence from the initial network keeps the network close to
   the supervised policy.

With a critic (`sampling.py`) a step plays the same number of games, each of a different deal. The
network learns the policy that the critic derives from the present one, without a penalty. The
result is then the mean of the last batches' weights, which wins more often than the last weights.

The start can also be random weights ("like AlphaZero", section 6). There is no penalty then, and
the kicker network learns as the policy network does: kickers are drawn, and their gain is the
gain of the game. The critic does not rate kickers, so with a critic their gain is the result of the
game minus the mean result of the step.

`train` writes into its folder: `policy.safetensors` and `kicker.safetensors` (the results),
`self-play.ckpt` (for resuming) and, in `history.json`, a list of checks under `self-play`.
"""

import copy
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from closedhand.agents.doudizhu.decompose.tuning import TABLES
from closedhand.agents.doudizhu.deeprocket import networks, sampling
from closedhand.agents.doudizhu.deeprocket.policy_net import PolicyNetAgent
from closedhand.agents.doudizhu.network_agents import policy_files
from closedhand.core.agents import digests
from closedhand.core.checks import check_learner_seed
from closedhand.core.duplicate import play_chunk
from closedhand.core.game import InputError
from closedhand.core.reading import checksum
from closedhand.core.registry import make_game
from closedhand.core.run import Run
from closedhand.core.statistics import Estimate, shares
from closedhand.core.threads import cores
from closedhand.core.version import __version__
from closedhand.learning.module_state import TORCH
from closedhand.learning.ppo import clipped_gain
from closedhand.learning.torch_threads import choose_threads

DEALS = 64
"""Deals per step."""
BATCH = 512
"""Decisions per update of the weights."""
RATE = 1e-4
"""Learning rate of AdamW."""
CRITICS_RATE = 1e-3
"""Learning rate with a critic; its ratings have less noise than results of games."""
PENALTY = 0.05
"""Penalty per nat of divergence from the initial network; the gain of a game is at most 1."""
CHECKPOINT = "self-play.ckpt"
NOTHING = "nothing"
"""Value of `start` for random weights."""
CLIP = 0.2
"""Clipping range of the probability ratio of a decision."""
MOST_GRADIENT = 0.5
"""Norm at which gradients are clipped."""
MEAN_OF = 300
"""Number of batches with equal weight in the mean; each later one enters it with 1 / `MEAN_OF`."""
CHECK_EVERY = 180.0
"""Seconds between checks."""
CHECK_DEALS = 200
"""Deals of a check; they are the same in every check, so that checks can be compared."""


@dataclass(frozen=True)
class Settings:
    """Settings of a fine-tuning, which must be the same when it is resumed."""

    seed: int = 0  # of the deals and decisions
    rate: float | None = None  # learning rate; None: `RATE`, or `CRITICS_RATE` with a critic
    deals: int = DEALS  # per step, see `sampling.Sampler.play`
    critic: str | None = None  # `value-net` or `value-net:PATH`; None: results rate the decisions


def divergence(logs: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Compute the Kullback-Leibler divergence of `logs` from `other`, in nats, float32 [n].

    Both are log-probabilities of policies, minus infinity for illegal actions, float32 [n, k]. The
    expectation is over the policy of `logs`.
    """
    # At illegal actions the difference is infinity minus infinity, which is NaN.
    ratios = (logs - other).masked_fill(torch.isinf(other), 0.0)
    return (logs.exp() * ratios).sum(dim=1)


def objective(
    logs: torch.Tensor, label: torch.Tensor, before: torch.Tensor, aims: torch.Tensor
) -> torch.Tensor:
    """Compute the objective to maximise, by decision, float32 [n].

    `logs`, float32 [n, k], are log-probabilities of all actions, and `before`, float32 [n], those
    with which the actions `label`, int64 [n], were drawn. `aims` are the gains of these actions,
    float32 [n], for PPO's clipped objective, or probabilities to learn, float32 [n, k], for the
    negative cross-entropy.
    """
    if aims.ndim == 2:
        return (aims * logs.masked_fill(torch.isinf(logs), 0.0)).sum(dim=1)
    return clipped_gain(logs.gather(1, label[:, None])[:, 0], before, aims, CLIP)[0]


def mean_weight(mean: torch.Tensor, last: torch.Tensor, before: torch.Tensor | int) -> torch.Tensor:
    """Return the mean of a weight after one more batch; `before` counts the batches so far."""
    return mean + (last - mean) / min(int(before) + 1, MEAN_OF)


def estimated(rates: np.ndarray) -> Estimate:
    """Estimate the share of games won from the shares by deal: 0, 1/2 or 1, float64 [deals].

    Two similar networks often win one game each of every deal, so that the variance of a sample may
    be 0. The interval therefore counts two more deals, one won twice and one lost twice (Bonett and
    Price, 2012).
    """
    mean = float(rates.mean())
    [(_, low, high)] = shares(np.append(rates, (0.0, 1.0))[:, None])
    return Estimate(mean, min(low, mean), max(mean, high))


class Student:
    """A network in training at the learning rate `rate`; `start` has its initial weights."""

    def __init__(self, network: networks.Network, rate: float, averaged: bool) -> None:
        self.network, self.start = network, copy.deepcopy(network)
        # A copy with the mean of the weights over the last batches, if `averaged`.
        self.mean = AveragedModel(network, avg_fn=mean_weight) if averaged else None
        self.optimizer = torch.optim.AdamW(network.parameters(), rate, weight_decay=0.0)

    @property
    def result(self) -> networks.Network:
        """Network to save: the mean if it is kept, else the last one."""
        return self.network if self.mean is None else cast(networks.Network, self.mean.module)

    def learn(
        self,
        decisions: sampling.Decisions,
        aims: np.ndarray,
        penalty: float,
        rng: np.random.Generator,
    ) -> None:
        """Update the weights by one pass over the decisions [n] with aims other than zero.

        The aims are gains of the decisions for the player's side, float32 [n], or probabilities of
        all outputs to learn, float32 [n, outputs]. `penalty` is `PENALTY` or 0.
        """
        order = rng.permutation(np.flatnonzero(aims.reshape(len(aims), -1).any(axis=1)))
        for begin in range(0, len(order), BATCH):
            rows = order[begin : begin + BATCH]
            *seen, label, before = (torch.from_numpy(part[rows]) for part in decisions[:5])
            logs = torch.log_softmax(self.network(*seen), dim=1)
            loss = -objective(logs, label, before, torch.from_numpy(aims[rows])).mean()
            if penalty:
                with torch.no_grad():
                    was = torch.log_softmax(self.start(*seen), dim=1)
                loss = loss + penalty * divergence(logs, was).mean()
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), MOST_GRADIENT)
            self.optimizer.step()
            if self.mean is not None:
                self.mean.update_parameters(self.network)

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs."""
        parts = {"network": self.network, "optimizer": self.optimizer, "mean": self.mean}
        return {name: part.state_dict() for name, part in parts.items() if part is not None}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.mean is not None:
            self.mean.load_state_dict(state["mean"])


class Tuning:
    """A fine-tuning in progress; a `closedhand.core.run.Learner`.

    Arguments and errors are those of `train`.
    """

    def __init__(self, start: str | None, settings: Settings = Settings()) -> None:
        check_learner_seed(settings.seed)
        critic, known = settings.critic, NOTHING
        self._provenance: dict[str, Any] = {}
        self._of_kicker: dict[str, Any] = {}  # provenance of the initial kicker network
        if start == NOTHING:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(settings.seed)
                policy, kicker = (networks.Network(kind).eval() for kind in ("policy", "kicker"))
        else:
            files = policy_files(start)
            policy, self._provenance = networks.load(files["policy"], "policy")
            kicker, self._of_kicker = networks.load(files["kicker"], "kicker")
            known = checksum(files["policy"], files["kicker"])
        self._critic = None if critic is None else sampling.critic_of(critic)
        usual = RATE if critic is None else CRITICS_RATE
        rate = usual if settings.rate is None else settings.rate
        penalty = PENALTY if critic is None and start != NOTHING else 0.0
        rules = self._provenance.get("rules", "deeprocket")
        self.game = make_game("doudizhu", rules=rules, substeps=True)
        self.settings = {  # must be the same when the fine-tuning is resumed
            "start": known,
            **asdict(settings),
            "penalty": penalty,
            "rate": rate,
            "critic": critic and {"agent": critic, "files": digests(self.game, [critic])},
        }
        self._learns_kickers = start == NOTHING
        self.policy = Student(policy, rate, averaged=critic is not None)
        self.kicker = Student(kicker, rate, averaged=critic is not None and self._learns_kickers)
        self.steps = 0
        self._checked = time.monotonic()
        # Since the last check: games, seconds, and games that the landlord won.
        self.games, self._spent, self._won = 0, 0.0, 0.0

    @property
    def played(self) -> int:
        """Number of games so far."""
        return self.steps * self.settings["deals"] * TABLES

    @property
    def speed(self) -> float:
        """Games per second since the last check, including the time for learning."""
        return self.games / max(self._spent, 1e-9)

    def advance(self, seconds: float) -> bool:
        """Play the deals of a step and learn from them; return whether a check is due."""
        began = time.monotonic()
        rng = np.random.default_rng((self.settings["seed"], 0x5E1F, self.steps))
        sampler = sampling.Sampler(
            self.game, self.policy.network, self.kicker.network, rng, self._critic,
            self._learns_kickers,
        )  # fmt: skip
        groups, kickers, won = sampler.play(self.settings["deals"])
        if self._critic is None:
            gains = sampling.landlords_gains(won).ravel()
            aims = gains[groups.games] * groups.sides
        else:
            gains = (won - won.mean()).astype(np.float32).ravel()
            aims = groups.better
        penalty = self.settings["penalty"]
        self.policy.learn(groups, aims, penalty, rng)
        if kickers is not None:
            self.kicker.learn(kickers, gains[kickers.games] * kickers.sides, penalty, rng)
        self.steps += 1
        self.games += won.size
        self._won += float(won.sum())
        now = time.monotonic()
        self._spent += now - began
        due = now - began >= seconds or now - self._checked > CHECK_EVERY
        if due:
            self._checked = now
        return due

    def summary(self) -> dict[str, Any]:
        """Make a check: play against the initial network, and reset the counts."""
        pairs = (self.policy.result, self.kicker.result), (self.policy.start, self.kicker.start)
        agents = [PolicyNetAgent(self.game, "policy-net", *pair) for pair in pairs]
        # Whether the landlord won: the network in training at table 0, the initial one at table 1.
        won = play_chunk(self.game, agents, 0, range(CHECK_DEALS)).returns[:, :, 0] > 0
        found = {
            "step": self.steps,
            "games": self.played,
            "games_per_second": round(self.speed, 1),
            "landlord_wins": round(self._won / max(1, self.games), 4),
            "won": [round(each, 4) for each in estimated((won == (True, False)).mean(axis=1))],
        }
        self.games, self._spent, self._won = 0, 0.0, 0.0
        return found

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs."""
        kicker = {"kicker": self.kicker.state()} if self._learns_kickers else {}
        return {"steps": self.steps, "policy": self.policy.state(), **kicker}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned."""
        self.policy.restore(state["policy"])
        if self._learns_kickers:
            self.kicker.restore(state["kicker"])
        self.steps = state["steps"]

    def save(self, out: Path, history: list[dict[str, Any]]) -> None:
        """Write the networks with their provenance, and the history."""
        about = {
            "rules": self.game.options["rules"],
            **self.settings,
            "tuned_from": self._provenance,
            "version": __version__,
            "step": self.steps,
            "games": self.played,
            # After an interruption, or between two checks, the last check is of older weights.
            **(history[-1] if history and history[-1]["step"] == self.steps else {}),
        }
        networks.save(out / "policy.safetensors", self.policy.result, about)
        of_kicker = about if self._learns_kickers else self._of_kicker
        networks.save(out / "kicker.safetensors", self.kicker.result, of_kicker)
        networks.write_history(out, "self-play", history)


def train(
    start: str | None,
    out: Path,
    minutes: float,
    settings: Settings = Settings(),
    *,
    threads: int | None = None,
    restart: bool = False,
    progress: Callable[[float, str], object] = lambda share, text: None,
) -> networks.Result:
    """Fine-tune a policy network in self-play, or resume the one in `out`; Ctrl-C saves.

    `start` names the initial networks as for the agent `policy-net`, outside `out`; None: those of
    the package; `NOTHING`: random weights. `minutes` are without interruptions. `threads` is the
    number of CPU threads, None for all cores. With `restart` a fine-tuning in `out` starts over.
    `progress` is called after every step with the share done and a text about it.

    Raises:
        InputError: A setting is invalid, there are no initial networks, `out` is their folder or
            holds networks of another training, or the fine-tuning in it cannot be resumed.
        KeyboardInterrupt: The fine-tuning was interrupted before its first step, or twice.
    """
    above = (minutes, settings.deals, 1.0 if settings.rate is None else settings.rate)
    if not all(value > 0 for value in above):
        raise InputError("minutes, rate and deals must be more than 0")
    path, kicker = out / "policy.safetensors", out / "kicker.safetensors"
    if start != NOTHING and path.resolve() == policy_files(start)["policy"].resolve():
        raise InputError(f"{path} is the network to start from: choose another folder for --out")
    tuning = Tuning(start, settings)

    def save() -> None:
        tuning.save(out, run.history)

    checkpoint = out / CHECKPOINT
    if kicker.exists() and not checkpoint.exists() and not restart:
        raise InputError(f"{kicker} is of another training: name another folder, or add --restart")
    run = Run(tuning, tuning.settings, checkpoint, save, TORCH, note_checkpoints=False, made=path)
    run.resume_if_kept(restart)
    choose_threads(threads or cores())
    limit = 60 * minutes

    def report() -> None:
        text = f"{tuning.played:,} games"
        text += f", {tuning.speed:.0f} games/s" if tuning.games else ""
        text += f", wins {run.history[-1]['won'][0]:.1%}" if run.history else ""
        progress(min(1.0, run.seconds / limit), text)

    run.work(limit, progress=report)
    if not tuning.steps:
        raise KeyboardInterrupt
    if not kicker.exists():
        save()  # the file was deleted after the fine-tuning; `run.work` then saves nothing
    return networks.Result(path, run.history, run.interrupted)
