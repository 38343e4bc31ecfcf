"""PPO whose games, networks and updates stay on one device: a GPU, or the CPU for trials.

One network plays all seats. A separate critic sees, besides the observation, the cards of every
seat, where the states of the game have a field `hands`; agents do not use it. An update takes four
steps:

1. **Rollout.** Every game of a `DeviceBatch` plays some steps; games that end begin anew. A step
   draws an action from the softmax over the legal ones.
2. **Advantages by seat.** Going back in time, credit a decision with what its seat is paid until
   that seat decides again, and estimate advantages along the decisions of each seat. A decision
   whose reward is not known yet is left out; so is one with a single legal action, where there is
   nothing to learn.
3. **Learning.** Pass over the decisions a few times in minibatches. Each descends the clipped loss
   of the policy minus a bonus for entropy, and the squared error of the critic.
4. **Averaging.** Average the weights over the last tenth of the updates: agents play the average.

On a GPU steps 1 to 3 are CUDA graphs: the device runs them without waiting for Python.

Source: Schulman et al., "Proximal policy optimization algorithms", 2017. The critic that sees all
cards is that of Lowe et al., 2017.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn

from closedhand.core.agents import AnyAgent, make_agent
from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.options import Range
from closedhand.core.policies import policy_of
from closedhand.core.reading import check_arrays
from closedhand.envs.device import check_device
from closedhand.envs.device_batch import DeviceBatch
from closedhand.learning import module_state, networks
from closedhand.learning.device_evaluation import versus
from closedhand.learning.device_rollout import Rollout, log_softmax
from closedhand.learning.module_state import Weights
from closedhand.learning.network_learner import NetworkLearner, NetworkSettings
from closedhand.learning.ppo import MEASURED, clipped_gain

JUDGED = 8192
"""Maximum number of deals by which the network is scored."""
WARM_UP = 3
"""Runs of `_learn` before it is captured in a CUDA graph; other work takes one."""


@dataclass(frozen=True, kw_only=True)
class DevicePPOSettings(NetworkSettings):
    """Settings of PPO on a device; the defaults suit a GPU."""

    width: Annotated[int, Range(1, 4096), "units of each hidden layer"] = 1024
    layers: Annotated[int, Range(1, 16), "hidden layers"] = 3
    critic: Annotated[int, Range(1, 4096), "units of each hidden layer of the critic"] = 512
    games: Annotated[int, Range(1, 2**20), "games side by side"] = 16384
    batch: Annotated[int, Range(1, 10**8), "steps in an update, of all games"] = 786_432
    minibatch: Annotated[int, Range(1, 10**7), "decisions in a step of the optimiser"] = 32768
    epochs: Annotated[int, Range(1, 100), "passes over the decisions of an update"] = 2
    learning_rate: Annotated[float, Range(0, 1), "initial learning rate of Adam"] = 6e-4
    clip: Annotated[float, Range(0, 10), "change of a probability at which it is clipped"] = 0.2
    gae_lambda: Annotated[float, Range(0, 1), "weight of longer estimates of advantages"] = 0.95
    entropy: Annotated[float, Range(0, 100), "initial weight of the entropy"] = 0.02
    final: Annotated[float, Range(0, 1), "share of both rates that is left in the end"] = 0.1
    anneal: Annotated[float, Range(1), "steps of games over which both rates fall"] = 1e9


class Critic(nn.Module):
    """The value of a position for the player to act, for training only."""

    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        self.body = networks.ResidualLayers(inputs, width, layers)
        self.value = nn.Linear(width, 1)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)

    def forward(self, seen: Tensor) -> Tensor:
        """Compute values [n] of inputs [n, inputs]."""
        return self.value(self.body(seen)).squeeze(1)


class PolicyLoss(torch.autograd.Function):
    """The clipped loss of a policy and its entropy, with a gradient written by hand.

    Automatic differentiation would keep and pass over several arrays of all actions; this passes
    over two.
    """

    @staticmethod
    def forward(
        ctx: Any, logits: Tensor, masks: Tensor, actions: Tensor, logs: Tensor, advantages: Tensor,
        clip: float, entropy_weight: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Compute the loss of `ppo.loss_of`, without that of the values, from masks of all actions.

        `logits` and `masks` (int8) are [n, actions]; the next three are those of `ppo.Decisions`.

        Returns:
            The loss, and the means of entropy, divergence and share clipped, float32 [3].
        """
        new = log_softmax(logits, masks)
        shares = new.exp()
        chosen = new.gather(1, actions[:, None]).squeeze(1)
        gain, ratio, moved = clipped_gain(chosen, logs, advantages, clip)
        entropy = -(shares * new).sum(1)
        # Where the objective is clipped it has no gradient.
        moves = (gain == ratio * advantages).float() * ratio * advantages
        ctx.save_for_backward(new, shares, actions, moves, entropy, entropy_weight)
        loss = -gain.mean() - entropy_weight * entropy.mean()
        measured = torch.stack([entropy.mean(), *moved])
        ctx.mark_non_differentiable(measured)
        return loss, measured

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Return the gradient of the logits."""
        new, shares, actions, moves, entropy, entropy_weight = ctx.saved_tensors
        number = len(actions)
        # d(-gain)/d logits = moves * (shares - chosen); d(-entropy) = shares * (new + entropy).
        out = entropy_weight * (new + entropy[:, None]) + moves[:, None]
        out = out.mul_(shares)
        out.scatter_add_(1, actions[:, None], -moves[:, None])
        out = out.mul_(gradients[0] / number)
        return out, None, None, None, None, None, None


class DevicePPO(NetworkLearner[DevicePPOSettings]):
    """Learner by PPO on a device.

    Attributes:
        device: The device.
        batch: The games.
        rollout: The steps of an update in these games.
        network: The network that learns.
        critic: The critic.
        average: Average of the weights of `network`.
    """

    name = "ppo"
    settings_type = DevicePPOSettings
    kind = "residual"

    def __init__(
        self,
        game: Game,
        settings: DevicePPOSettings,
        seed: int = 0,
        against: Sequence[AnyAgent] = (),
        threads: int = 1,
        device: Any = "cuda",
        graphs: bool = True,
    ) -> None:
        """Start from an untrained network; see `NetworkLearner`.

        If `device` is a GPU, the steps of an update run as CUDA graphs, unless `graphs` is False.

        Raises:
            InputError: No such device, agent or observation, no room for the games, or a bad seed.
        """
        super().__init__(game, settings, seed, against, threads)
        self.device = check_device(device)
        self.batch = DeviceBatch(
            self.features.game, settings.games, device=self.device, observation=settings.observation
        )
        self.remark = f"learning on {self.device}, {settings.games:,} games side by side"
        torch.manual_seed(seed)
        self.network: Any = networks.build(self.shape, seed).to(self.device)
        self.average: Any = networks.build(self.shape, seed).to(self.device)
        self._on_gpu = self.device.type == "cuda"
        self._graphs = self._on_gpu and graphs
        self._dtype = torch.bfloat16 if self._on_gpu else torch.float32
        steps = max(1, settings.batch // settings.games)
        self.rollout = Rollout(self.batch, self.features.inputs, steps, self._dtype)
        inputs = self.features.inputs + self.rollout.hidden
        self.critic = Critic(inputs, settings.critic, settings.layers).to(self.device)
        self._rate = torch.tensor(settings.learning_rate, device=self.device)
        self._entropy = torch.tensor(settings.entropy, device=self.device)
        self.optimiser = torch.optim.Adam(
            [*self.network.parameters(), *self.critic.parameters()],
            lr=self._rate if self._on_gpu else settings.learning_rate, eps=1e-5, fused=True,
            capturable=self._on_gpu,
        )  # fmt: skip
        self._acting: Any = networks.build(self.shape).to(self.device, self._dtype)
        self._valuing = Critic(inputs, settings.critic, settings.layers).to(
            self.device, self._dtype
        )
        self.modules = {"network": self.network, "critic": self.critic, "average": self.average}
        # Captured graphs read fixed addresses: tensors are only written in place.
        self._part = torch.zeros(settings.minibatch, dtype=torch.int64, device=self.device)
        self._measured = torch.zeros(4, device=self.device)
        self._roll = self._captured(self._play)
        self._credit = self._captured(lambda: self.rollout.credit(settings.gae_lambda))
        self._descend = self._captured(self._learn, undo=True)
        self._started = False

    @torch.no_grad()
    def _play(self) -> None:
        """Play the steps of an update by copies of the networks."""
        for mine, theirs in ((self._acting, self.network), (self._valuing, self.critic)):
            torch._foreach_copy_(  # pyright: ignore[reportPrivateImportUsage]
                list(mine.parameters()), list(theirs.parameters())
            )
        self.rollout.play(self._acting, self._valuing)

    def _learn(self) -> None:
        """Take a step of the optimiser on the decisions `_part`, rows of the flattened rollout."""
        settings, part = self.settings, self._part
        flat = {name: each.flatten(0, 1) for name, each in self.rollout.rows.items()}
        masks = flat["masks"][part]
        # CUDA graphs take no cache of autocast, see `torch.cuda.make_graphed_callables`.
        with torch.autocast(
            self.device.type, torch.bfloat16, enabled=self._on_gpu, cache_enabled=False
        ):
            seen = flat["observations"][part].to(self._dtype)
            logits = self.network(seen)
            hidden = flat["hidden"][part].to(self._dtype)
            values = self.critic(torch.cat([seen, hidden], 1))
        loss, measured = PolicyLoss.apply(
            logits.float(), masks, flat["actions"][part], flat["logs"][part],
            flat["advantages"][part], settings.clip, self._entropy,
        )  # fmt: skip  # pyright: ignore[reportGeneralTypeIssues]
        value_loss = nn.functional.mse_loss(values.float(), flat["targets"][part])
        self.optimiser.zero_grad(set_to_none=True)
        (loss + 0.5 * value_loss).backward()  # as `PPOSettings.value`
        nn.utils.clip_grad_norm_(self.network.parameters(), 0.5, foreach=True)
        nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5, foreach=True)
        self.optimiser.step()
        entropy, *moved = measured
        self._measured += torch.stack([entropy, value_loss.detach(), *moved])  # as in `MEASURED`

    def _captured(self, work: Callable[[], None], undo: bool = False) -> Callable[[], None]:
        """Wrap work in a CUDA graph, recorded at its first call; on a CPU return the work itself.

        With `undo` the first runs leave networks and optimiser as they were.
        """
        if not self._graphs:
            return work
        graph: torch.cuda.CUDAGraph | None = None

        def run() -> None:
            nonlocal graph
            if graph is None:
                modules = (self.network, self.critic) if undo else ()
                kept = [deepcopy(each.state_dict()) for each in modules]
                moments = deepcopy(self.optimiser.state_dict()["state"]) if undo else {}
                side = torch.cuda.Stream()
                side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(side):
                    for _ in range(WARM_UP if undo else 1):
                        work()
                torch.cuda.current_stream().wait_stream(side)
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    work()
                for each, state in zip(modules, kept, strict=True):
                    each.load_state_dict(state)
                if undo:
                    module_state.set_moments(self.optimiser, moments)
                    self._measured.zero_()
            graph.replay()

        return run

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Do steps 1 to 3; refuse an update that has fewer decisions than a minibatch."""
        settings = self.settings
        if not self._started:
            seed = self.seed
            if self.updates:  # a resumed run goes on with other deals than those it began with
                seed = int(rng.integers(2**31))
                torch.manual_seed(seed)
            self.batch.reset(seed)
            self._started = True
        share = min(1.0, self.moves / settings.anneal)
        rate = 1 - (1 - settings.final) * share
        self._rate.fill_(settings.learning_rate * rate)
        if not self._on_gpu:
            for group in self.optimiser.param_groups:
                group["lr"] = settings.learning_rate * rate
        self._entropy.fill_(settings.entropy * rate)
        self._roll()
        self._credit()
        self._measured.zero_()
        rows = self.rollout.rows["known"].view(-1).nonzero().squeeze(1)
        parts = 0
        for _ in range(settings.epochs):
            order = rows[torch.randperm(len(rows), device=self.device)]
            # A last part that is not full would be of another shape: it is left to the next pass.
            whole = order[: len(order) // settings.minibatch * settings.minibatch]
            for part in whole.view(-1, settings.minibatch):
                self._part.copy_(part)
                self._descend()
                parts += 1
        if not parts:
            raise InputError(
                f"an update has {len(rows)} decisions, less than a minibatch: choose a smaller "
                "minibatch or a larger batch"
            )
        self.decisions += len(rows)
        self.moves += self.rollout.steps * settings.games
        self.games += int(self.rollout.ended)
        return dict(zip(MEASURED, (self._measured / parts).tolist(), strict=True))

    def after_update(self) -> None:
        """Average the weights."""
        module_state.add_to_average(self.average, self.network, self.updates)

    def agent_weights(self) -> Weights:
        """Return copies of the averaged weights."""
        return {name: each.cpu().numpy().copy() for name, each in self.average.state_dict().items()}

    def score(self, opponent: AnyAgent) -> dict[str, Any]:
        """Measure greedy play on the device; against an agent in Python, do as other learners."""
        if policy_of(make_agent(self.features.game, opponent, self.seed)) is None:
            return super().score(opponent)
        return versus(self._judged, self.average, opponent, self.seed + 1)

    @cached_property
    def _judged(self) -> DeviceBatch:
        """Games in which the network is scored."""
        return DeviceBatch(
            self.features.game, min(JUDGED, max(2, self.settings.games)), device=self.device,
            observation=self.settings.observation,
        )  # fmt: skip

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs, arrays by name; games begin anew."""
        found = super().state()
        for name, each in found.items():
            if name.startswith(("average.", "optimiser.")):
                found[name] = module_state.half(each)
        return {**found, "scale": self.rollout.payoffs.cpu().numpy().copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned.

        Raises:
            InputError, ValueError, KeyError: It is damaged, or belongs to another network. The
                learner may then be restored in part: discard it.
        """
        check_arrays(state, {"scale": np.zeros(3)})
        scale = state["scale"]
        if not np.isfinite(scale).all() or (scale < 0).any():
            raise ValueError("scale")
        super().restore(state)
        self.rollout.payoffs.copy_(torch.from_numpy(scale))
