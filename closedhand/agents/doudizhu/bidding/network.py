"""A Bid Module with a network, proposed as future work in section 6 of the DeepRocket paper.

1. Encode the landlord's 17 cards as the paper encodes cards in hand: 15 ranks, 19 rows of counts
   and categories.
2. Predict the probability that the landlord wins. The network learns from the deals of `closedhand
   train bids`, each played with every player as the landlord once.
3. Bid by this probability and the thresholds of the module `fitted`.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from closedhand.agents.doudizhu.bidding import fitting
from closedhand.agents.doudizhu.bidding.modules import FITTED, KINDS, NET, BiddingAgent
from closedhand.agents.doudizhu.deeprocket import networks
from closedhand.core.agent_spec import quoted
from closedhand.core.agents import Agent
from closedhand.core.checks import check_learner_seed
from closedhand.core.files import SHIPPED, within
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.reading import checksum
from closedhand.core.registry import make_game
from closedhand.core.run import Run
from closedhand.core.threads import cores
from closedhand.core.version import __version__
from closedhand.games.doudizhu import planes
from closedhand.games.doudizhu.state import Rules
from closedhand.learning.logistic import calibration, chances_of, log_loss
from closedhand.learning.module_state import TORCH
from closedhand.learning.torch_threads import choose_threads, one_thread_unless_chosen
from closedhand.learning.weights import check_finite

NAME = "bid.safetensors"
SHIPPED_FILE = SHIPPED / "doudizhu_bid.safetensors"
CHECKPOINT = "bid.ckpt"
"""Checkpoint of a training. A finished training goes on if it gets more minutes."""
CELLS = planes.RANKS * planes.ROWS
CHUNK = 1024
"""Hands per forward pass outside training."""
BATCH = 512
PIECE = 0.1
"""Seconds of learning per call of `advance`."""
RATE = 2e-3
"""Learning rate of AdamW, annealed along a cosine to 0."""
WEIGHT_DECAY = 0.01
VALIDATED = 10
"""One in this many of the deals that are not held out is for validation."""
TIMES = 20
"""Number of validations in a training."""


class Hands(NamedTuple):
    """Hands of 17 cards, and the results of landlords with these hands."""

    planes: torch.Tensor  # by rank and row, int8 [n, 15 * 19]
    won: torch.Tensor  # results, 0 or 1, float32 [n]


@kernel
def draw_hands(rules, hands, out):
    """Write the plane of every packed hand, uint64 [n], into a row of `out`, int8 [n, 285]."""
    drawn = np.zeros(planes.RANKS * planes.ROWS * planes.PLANES, np.int8)
    for i in range(len(hands)):
        planes.draw_sets(rules, drawn, np.uint64(0), hands[i])
        out[i] = drawn[planes.HAND :: planes.PLANES]


def planes_of(rules: Rules, hands: np.ndarray) -> np.ndarray:
    """Draw the planes of packed hands, uint64 [n], by the rules of the flat game; int8 [n, 285]."""
    out = np.empty((len(hands), CELLS), np.int8)
    draw_hands(rules, hands, out)
    return out


def logits(network: networks.Network, seen: torch.Tensor) -> torch.Tensor:
    """Compute the log-odds that the landlord wins, float32 [n], from planes, int8 [n, 285]."""
    status = seen.new_zeros(len(seen), planes.STATUS)
    return network(seen, status, seen.new_ones(len(seen), 1, dtype=torch.bool))[:, 0]


def chances(network: networks.Network, seen: torch.Tensor) -> np.ndarray:
    """Compute the probabilities of `logits`, float64 [n]; an `InputError` if one is not finite."""
    with torch.inference_mode():
        pieces = [torch.sigmoid(logits(network, piece)) for piece in seen.split(CHUNK)]
    return check_finite(torch.cat(pieces)).numpy().astype(np.float64)


class Result(NamedTuple):
    """The result of training."""

    path: Path
    # Provenance and evaluation, JSON values: among others `log_loss` (of the `network`, of the
    # `logistic` model fitted to the same deals, of a `constant`) and `calibration`, both on
    # held-out deals.
    about: dict[str, Any]
    interrupted: bool  # by Ctrl-C


def train(
    path: Path,
    out: Path,
    minutes: float,
    *,
    seed: int = 0,
    threads: int | None = None,
    restart: bool = False,
    progress: Callable[[float, str], object] = lambda share, text: None,
) -> Result:
    """Train a bid network, or resume the training in `out`; Ctrl-C saves.

    Args:
        path: Deals that `closedhand train bids` saved, `deals.npz`.
        out: Folder for the network, `bid.safetensors`.
        minutes: Duration of the training, without interruptions.
        seed: Seed of the initial weights and the order of the hands.
        threads: Number of CPU threads; None: all cores.
        restart: Whether to start again although `out` holds a training.
        progress: Called at intervals with the share that is done and a text about it.

    Raises:
        InputError: `minutes` or the seed is out of range, the deals cannot be read or are too few,
            or `out` holds a training with other settings or one that cannot be resumed.
        KeyboardInterrupt: The training was interrupted before its first step, or twice.
    """
    if not minutes > 0:
        raise InputError(f"the training time must be more than 0 minutes, not {minutes}")
    settings, deals = fitting.read(path)
    fitting.check_number(deals.points.size)
    choose_threads(threads or cores())
    torch.manual_seed(check_learner_seed(seed))
    rules = make_game("doudizhu", **settings["options"]).rules
    seen = torch.from_numpy(planes_of(rules, deals.hands.ravel()))
    won = torch.from_numpy(deals.won.astype(np.float32))
    validated = ~deals.held_out & (deals.number // fitting.HELD_OUT % VALIDATED == VALIDATED - 1)
    learned, asked = (
        Hands(seen[rows], won[rows])
        for rows in map(torch.from_numpy, (~deals.held_out & ~validated, validated))
    )
    network = networks.Network("bid")
    learner = Fitting(network, learned, asked, 60 * minutes, seed)
    run = Run(
        learner, {"deals": checksum(path), "seed": seed}, out / CHECKPOINT, format=TORCH,
        note_checkpoints=False, made=out / NAME,
    )  # fmt: skip
    run.resume_if_kept(restart)

    def report() -> None:
        last = run.history[-1:]
        text = f"log loss {last[0]['log_loss']:.4f}" if last else f"{learner.steps:,} steps"
        progress(min(1.0, run.seconds / (60 * minutes)), text)

    run.work(60 * minutes, progress=report)
    if not learner.steps:
        raise KeyboardInterrupt
    if not learner.kept:
        run.note()
    network.load_state_dict(learner.kept)
    about = {
        "deals": len(deals.hands),
        "agent": settings["agent"],
        "rules": settings["options"]["rules"],
        "seed": seed,
        "epochs": round(learner.epochs, 2),
        **compare(chances(network, seen), deals),
        "version": __version__,
    }
    networks.save(out / NAME, network, about)
    return Result(out / NAME, about, run.interrupted)


@dataclass(eq=False)
class Fitting:
    """Fit of a network by AdamW; a `closedhand.core.run.Learner` that keeps the best weights."""

    network: networks.Network
    learned: Hands  # for training
    asked: Hands  # for validation
    seconds: float  # planned duration
    seed: int  # of the order of the hands

    def __post_init__(self) -> None:
        parameters = self.network.parameters()
        self._optimizer = torch.optim.AdamW(parameters, RATE, weight_decay=WEIGHT_DECAY)
        self.steps = 0
        self.kept: dict[str, torch.Tensor] = {}  # the best weights; none before a validation
        self._least = np.inf  # log loss of `kept`
        self._part = 0  # number of the `TIMES` parts of the training that are over
        self._epoch, self._order = -1, np.empty(0, np.int64)

    def advance(self, seconds: float) -> bool:
        """Learn for 0.1 s of the `seconds` that are left; return whether a validation is due."""
        start = time.monotonic()
        spent = 0.0
        while spent < min(PIECE, seconds):
            self._step(1 - (seconds - spent) / self.seconds)
            spent = time.monotonic() - start
        before = self._part  # exceeds the new value if a resumed training has more minutes
        self._part = int(TIMES * (1 - (seconds - spent) / self.seconds))
        return self._part > before

    def _step(self, share: float) -> None:
        """Learn one batch; the `share` of the training that is done sets the learning rate."""
        per_epoch = math.ceil(len(self.learned.won) / BATCH)
        epoch, at = divmod(self.steps, per_epoch)
        if epoch != self._epoch:
            rng = np.random.default_rng((self.seed, epoch))
            self._epoch, self._order = epoch, rng.permutation(len(self.learned.won))
        rows = torch.from_numpy(self._order[at * BATCH : (at + 1) * BATCH])
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * 0.5 * (1 + math.cos(math.pi * share))
        loss = nn.functional.binary_cross_entropy_with_logits(
            logits(self.network, self.learned.planes[rows]), self.learned.won[rows]
        )
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        self.steps += 1

    @property
    def epochs(self) -> float:
        """Number of passes over the training hands."""
        return self.steps * BATCH / len(self.learned.won)

    def summary(self) -> dict[str, Any]:
        """Validate, and keep the weights if they are the best; return epochs and log loss."""
        loss = log_loss(chances(self.network, self.asked.planes), self.asked.won.numpy())
        if loss < self._least:
            self._least = loss
            self.kept = {name: each.clone() for name, each in self.network.state_dict().items()}
        return {"epochs": round(self.epochs, 2), "log_loss": round(loss, 4)}

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "kept": self.kept,
            "numbers": (self.steps, self._part, self._least),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned."""
        self.network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.kept = state["kept"]
        self.steps, self._part, self._least = state["numbers"]


def compare(of_network: np.ndarray, deals: fitting.Deals) -> dict[str, Any]:
    """Compare win probabilities by a network, float64 [3n], with a logistic model; see `Result`."""
    won, held_out = deals.won, deals.held_out
    features, weights, _ = fitting.fit_logistic(deals)
    constant = np.full(len(won), won[~held_out].mean())
    named = {
        "network": of_network, "logistic": chances_of(features, weights), "constant": constant,
    }  # fmt: skip
    return {
        "log_loss": {
            name: round(log_loss(each[held_out], won[held_out]), 4) for name, each in named.items()
        },
        "calibration": calibration(of_network[held_out], won[held_out]),
    }


class BidNetAgent(BiddingAgent):
    """Agent that bids by the win probabilities of a network and plays as another agent.

    The network is that of the file or folder `path`; None: the package's. Its probabilities replace
    the scores of the module `fitted`; the thresholds are those of `fitted`. Errors are those of
    `BiddingAgent` and `networks.load`.
    """

    def __init__(self, game: Game, path: str | None, player: Agent) -> None:
        super().__init__(game, KINDS[FITTED], player)
        kind = NET if path is None else f"{NET}={quoted(path, ',:')}"
        self.name = f"bids:{kind}:{player.name}"
        one_thread_unless_chosen()
        file = SHIPPED_FILE if path is None else within(Path(path), NAME)
        self.network, _ = networks.load(file, "bid")

    def _worths(self, rules: Rules, views: np.ndarray, scores: np.ndarray) -> np.ndarray:
        hands = views["hands"][np.arange(len(views)), views["player"]]
        return chances(self.network, torch.from_numpy(planes_of(rules, hands)))
