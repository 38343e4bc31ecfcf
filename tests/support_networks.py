"""Networks that are hardly networks, and deals and games to train them on."""

from pathlib import Path

import numpy as np
import pytest
from support_torch import torch

from closedhand import make_game
from closedhand.agents.doudizhu.bidding import fitting as bid_fitting
from closedhand.agents.doudizhu.deeprocket import fine_tuning, networks
from closedhand.core.run import Run


def save_untrained(folder: Path) -> Path:
    """Save untrained networks of one convolution each in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        tiny_sizes(patch)
        torch.manual_seed(0)
        for kind in ("policy", "kicker"):
            network = networks.Network(kind, "tiny", status=kind == "policy")
            networks.save(folder / f"{kind}.safetensors", network, {"rules": "deeprocket"})
    return folder


def tiny_sizes(patch: pytest.MonkeyPatch) -> None:
    for kind, rows in (("policy", 19), ("kicker", 9)):
        layers = (networks.Layer(16, (1, rows), padding=(0, 0)),)
        patch.setitem(networks.KINDS[kind].sizes, "tiny", layers)


def make_quick(patch: pytest.MonkeyPatch) -> None:
    """The tiny networks are known, and few deals check the training."""
    tiny_sizes(patch)
    patch.setattr(fine_tuning, "CHECK_DEALS", 4)


def made_up(deals: int) -> bid_fitting.Fit:
    """Deals in which who holds the big joker wins as the landlord, and nobody else."""
    fit = bid_fitting.Fit(make_game("doudizhu"), "rule")
    dealt = np.array([fit.game.deal(np.random.default_rng(i)) for i in range(deals)],
                     fit.game.dtype)  # fmt: skip
    hands = dealt["hands"].copy()
    hands[:, 0] -= dealt["public"]
    holds = hands >> np.uint64(4 * 14) > 0
    fit.chunks.append(bid_fitting.Deals(hands, np.where(holds, 1.0, -1.0)))
    return fit


def save(fit: bid_fitting.Fit, path: Path) -> None:
    Run(fit, fit.settings, path).save()
