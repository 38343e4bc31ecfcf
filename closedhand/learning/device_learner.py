"""Learners whose games, networks and updates stay on one device: a GPU, or the CPU for trials.

One network plays all seats. An update takes four steps:

1. **Rollout.** Every game of a `DeviceBatch` plays some steps; games that end begin anew.
2. **Credit by seat.** Going back in time, credit a decision with what its seat is paid until that
   seat decides again, and with the value noted for that next decision
   (`device_rollout.Rollout.credit`). A decision whose reward is not known yet is left out; so is
   one with a single legal action, where there is nothing to learn.
3. **Learning.** Pass over the decisions a few times in minibatches, as the subclass defines.
4. **Averaging.** Average the weights over the last tenth of the updates: agents play the average.

On a GPU steps 1 to 3 are CUDA graphs: the device runs them without waiting for Python.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeVar

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
from closedhand.learning.device_rollout import Rollout, versus
from closedhand.learning.module_state import Weights
from closedhand.learning.network_learner import NetworkLearner, NetworkSettings

JUDGED = 8192
"""Maximum number of deals by which the network is scored."""
WARM_UP = 3
"""Number of runs of `_learn` before a CUDA graph captures it; other work runs once before."""


@dataclass(frozen=True, kw_only=True)
class DeviceSettings(NetworkSettings):
    """Settings of every learner on a device; the defaults suit a GPU."""

    width: Annotated[int, Range(1, 4096), "units of each hidden layer"] = 1024
    layers: Annotated[int, Range(1, 16), "hidden layers"] = 3
    games: Annotated[int, Range(1, 2**20), "games side by side"] = 16384
    batch: Annotated[int, Range(1, 10**8), "steps in an update, of all games"] = 786_432
    minibatch: Annotated[int, Range(1, 10**7), "decisions in a step of the optimiser"] = 32768
    epochs: Annotated[int, Range(1, 100), "passes over the decisions of an update"] = 2
    learning_rate: Annotated[float, Range(0, 1), "initial learning rate of Adam"] = 6e-4
    gae_lambda: Annotated[float, Range(0, 1), "weight of longer estimates of advantages"] = 0.95
    final: Annotated[float, Range(0, 1), "share of all rates that is left in the end"] = 0.1
    anneal: Annotated[float, Range(1), "steps of games over which all rates fall"] = 1e9


Chosen = TypeVar("Chosen", bound=DeviceSettings)


class DeviceLearner(NetworkLearner[Chosen]):
    """Base of learners on a device.

    A subclass sets `measures`, and implements `choose` and `loss`.

    Attributes:
        measures: Names of what `loss` measures.
        falling: Names of the settings that fall during the training.
        hands: Whether the rollout notes the cards of all seats.
        random: Generator of the numbers that learning draws on the device.
        batch: The games.
        rollout: The steps of an update in these games.
        network: The network that learns.
        average: Average of the weights of `network`.
        playing: Copies of the learning networks by name, bfloat16 on a GPU, renewed in each update.
        rates: Scalars on the device, the present values of `falling` by name.
    """

    kind = "residual"
    measures: tuple[str, ...] = ()
    falling: tuple[str, ...] = ("learning_rate",)
    hands = False

    def __init__(
        self,
        game: Game,
        settings: Chosen,
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
        self.random = torch.Generator(self.device).manual_seed(seed)
        self.network: Any = networks.build(self.shape, seed).to(self.device)
        self.average: Any = networks.build(self.shape, seed).to(self.device)
        self._on_gpu = self.device.type == "cuda"
        self._graphs = self._on_gpu and graphs
        self._dtype = torch.bfloat16 if self._on_gpu else torch.float32
        steps = max(1, settings.batch // settings.games)
        self.rollout = Rollout(self.batch, self.features.inputs, steps, self.hands)
        self._learning: dict[str, nn.Module] = {"network": self.network, **self.more_networks()}
        self.playing: dict[str, Any] = {
            name: deepcopy(each).to(self._dtype) for name, each in self._learning.items()
        }
        self.modules = {**self._learning, "average": self.average}
        self.rates = {
            name: torch.tensor(getattr(settings, name), device=self.device) for name in self.falling
        }
        weights = [each for module in self._learning.values() for each in module.parameters()]
        self.optimiser = torch.optim.Adam(
            weights, self.rates["learning_rate"], eps=1e-5, fused=True, capturable=self._on_gpu
        )
        # Captured graphs read fixed addresses: tensors are only written in place.
        self._part = torch.zeros(settings.minibatch, dtype=torch.int64, device=self.device)
        self._measured = torch.zeros(len(self.measures), device=self.device)
        self._roll = self._captured(self._play)
        self._credit = self._captured(lambda: self.rollout.credit(settings.gae_lambda))
        self._descend = self._captured(self._learn, undo=True)
        self._started = False

    def more_networks(self) -> dict[str, nn.Module]:
        """Make the networks, by name, that learn beside `network`."""
        return {}

    def choose(self, seen: Tensor, masks: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Choose an action for each game by the networks `playing`.

        Args:
            seen: Observations, int8 [games, inputs].
            masks: Legal actions, int8 [games, actions].
            hidden: Bits of the cards of all seats, int8 [games, bits]; bits is 0 without `hands`.

        Returns:
            Actions, int64 [games], and two notes, float32 [games]: log-probabilities (0 where the
            learner needs none), and values.
        """
        raise NotImplementedError

    def loss(self, take: Callable[[str], Tensor]) -> tuple[Tensor, Tensor]:
        """Compute the loss of a minibatch, a scalar with gradient, and `measures`, float32 [k].

        `take` returns a tensor of the minibatch by its name in `Rollout.rows`.
        """
        raise NotImplementedError

    def half(self) -> Any:
        """Compute in bfloat16 on a GPU, within this context."""
        # CUDA graphs take no cache of autocast, see `torch.cuda.make_graphed_callables`.
        return torch.autocast(
            self.device.type, torch.bfloat16, enabled=self._on_gpu, cache_enabled=False
        )

    def draw(self, like: Tensor) -> Tensor:
        """Draw uniform numbers from 0 to 1, in the shape and of the dtype of a tensor."""
        return torch.empty_like(like).uniform_(generator=self.random)

    def inputs(self, seen: Tensor) -> Tensor:
        """Convert inputs of a network, int8, to the dtype of the networks `playing`."""
        return seen.to(self._dtype)

    @torch.no_grad()
    def _play(self) -> None:
        """Copy the networks that learn to `playing`; play the steps of an update by the copies."""
        for mine, theirs in zip(self.playing.values(), self._learning.values(), strict=True):
            torch._foreach_copy_(  # pyright: ignore[reportPrivateImportUsage]
                list(mine.parameters()), list(theirs.parameters())
            )
        self.rollout.play(self.choose)

    def _learn(self) -> None:
        """Take a step of the optimiser on the decisions `_part`, rows of the flattened rollout."""
        loss, measured = self.loss(lambda name: self.rollout.rows[name].flatten(0, 1)[self._part])
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        for each in self._learning.values():
            nn.utils.clip_grad_norm_(each.parameters(), 0.5, foreach=True)
        self.optimiser.step()
        self._measured += measured

    def _captured(self, work: Callable[[], None], undo: bool = False) -> Callable[[], None]:
        """Wrap work in a CUDA graph, recorded at its first call; on a CPU return the work itself.

        With `undo` the first runs leave networks and optimiser as they were.
        """
        if not self._graphs:
            return work
        graph: torch.cuda.CUDAGraph | None = None

        def run() -> None:
            nonlocal graph
            with torch.cuda.device(self.device):  # new streams belong to the current GPU
                if graph is None:
                    modules = list(self._learning.values()) if undo else []
                    kept = [deepcopy(each.state_dict()) for each in modules]
                    moments = deepcopy(self.optimiser.state_dict()["state"]) if undo else {}
                    side = torch.cuda.Stream()
                    side.wait_stream(torch.cuda.current_stream())
                    with torch.cuda.stream(side):
                        for _ in range(WARM_UP if undo else 1):
                            work()
                    torch.cuda.current_stream().wait_stream(side)
                    graph = torch.cuda.CUDAGraph()
                    graph.register_generator_state(self.random)  # each replay draws new numbers
                    with torch.cuda.graph(graph, stream=side):  # the default may be of another GPU
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
                self.random.manual_seed(seed)
            self.batch.reset(seed)
            self._started = True
        share = 1 - (1 - settings.final) * min(1.0, self.moves / settings.anneal)
        for name, rate in self.rates.items():
            rate.fill_(getattr(settings, name) * share)
        self._roll()
        self._credit()
        self._measured.zero_()
        rows = self.rollout.rows["known"].view(-1).nonzero().squeeze(1)
        parts = 0
        for _ in range(settings.epochs):
            places = torch.randperm(len(rows), generator=self.random, device=self.device)
            order = rows[places]
            # A last part that is not full would be of another shape: this pass leaves it out.
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
        return dict(zip(self.measures, (self._measured / parts).tolist(), strict=True))

    def after_update(self) -> None:
        """Average the weights."""
        module_state.add_to_average(self.average, self.network, self.updates)

    def agent_weights(self) -> Weights:
        """Return copies of the averaged weights, rounded to bfloat16 as checkpoints hold them."""
        return {
            name: module_state.whole(module_state.half(each.cpu().numpy())).copy()
            for name, each in self.average.state_dict().items()
        }

    def score(self, opponent: AnyAgent) -> dict[str, Any]:
        """Score greedy play on the device, by the averaged weights without rounding.

        Against an opponent that does not decide in kernels this is `NetworkLearner.score`.
        """
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
        """Return everything that `restore` needs, arrays by name; games in progress begin anew."""
        found = super().state()
        for name, each in found.items():
            if name.startswith(("average.", "optimiser.")):
                found[name] = module_state.half(each)
        return {**found, "scale": self.rollout.payoffs.cpu().numpy().copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned.

        Raises:
            InputError, ValueError, KeyError: The state is damaged, or belongs to another network.
                Discard the learner, which may have been restored in part.
        """
        check_arrays(state, {"scale": np.zeros(3)})
        scale = state["scale"]
        if not np.isfinite(scale).all() or (scale < 0).any():
            raise ValueError("scale")
        super().restore(state)
        self.rollout.payoffs.copy_(torch.from_numpy(scale))
