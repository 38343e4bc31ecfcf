"""PPO whose games, networks and updates stay on one device: a GPU, or the CPU for a try.

One network plays all seats. A critic of its own sees, besides the observation, the cards of every
seat, where the states of the game have a field `hands`; no agent plays it. An update takes four
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

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn

from closedhand.core.agents import make_agent
from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.options import Range
from closedhand.core.policies import policy_of
from closedhand.envs.device_batch import DeviceBatch, check_device
from closedhand.learning import networks
from closedhand.learning.network_learner import (
    NetworkLearner,
    NetworkSettings,
    Weights,
    restore_module,
    restore_moments,
)

HANDS = "hands"
"""The field of states that holds the cards of every seat."""
NEVER = -1e9
"""The logit of an illegal action."""
DRAW_FROM = 1e-9
"""Least uniform number of which a logarithm is taken."""
JUDGED = 8192
"""Games of a judgement, for each side."""
MOST_STEPS = 2000
"""Steps after which a judgement ends though games go on."""
WARM_UP = 3
"""Runs of work before it is captured in a CUDA graph."""


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
        """Values [n] of inputs [n, inputs]."""
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
        """The loss, and the means of entropy, divergence and share clipped, float32 [3].

        Args:
            ctx: What the gradient needs.
            logits: [n, actions].
            masks: 1 where an action is legal, int8 [n, actions].
            actions: The actions taken, int64 [n].
            logs: Their log probabilities when they were taken, float32 [n].
            advantages: Advantages, normalised, float32 [n].
            clip: Change of a probability at which it is clipped.
            entropy_weight: Weight of the entropy, a scalar.
        """
        new = log_softmax(logits, masks)
        shares = new.exp()
        chosen = new.gather(1, actions[:, None]).squeeze(1)
        ratio = (chosen - logs).exp()
        clipped = ratio.clamp(1 - clip, 1 + clip)
        gain = torch.minimum(ratio * advantages, clipped * advantages)
        entropy = -(shares * new).sum(1)
        moves = (ratio * advantages <= clipped * advantages).float() * ratio * advantages
        ctx.save_for_backward(new, shares, actions, moves, entropy, entropy_weight)
        loss = -gain.mean() - entropy_weight * entropy.mean()
        measured = torch.stack([
            entropy.mean(), (logs - chosen).mean(), (ratio != clipped).float().mean()
        ])  # fmt: skip
        ctx.mark_non_differentiable(measured)
        return loss, measured

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """The gradient of the logits."""
        new, shares, actions, moves, entropy, entropy_weight = ctx.saved_tensors
        number = len(actions)
        # d(-gain)/d logits = moves * (shares - chosen); d(-entropy) = shares * (new + entropy).
        out = entropy_weight * (new + entropy[:, None]) + moves[:, None]
        out = out.mul_(shares)
        out.scatter_add_(1, actions[:, None], -moves[:, None])
        out = out.mul_(gradients[0] / number)
        return out, None, None, None, None, None, None


def log_softmax(logits: Tensor, masks: Tensor) -> Tensor:
    """Log probabilities of the legal actions, float32 [n, actions]; others are `NEVER` or less."""
    return torch.log_softmax(logits.float().masked_fill(masks == 0, NEVER), 1)


class DevicePPO(NetworkLearner[DevicePPOSettings]):
    """PPO on a device at work.

    Attributes:
        device: The device.
        batch: The games.
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
        against: Sequence[str] = (),
        threads: int = 1,
        device: Any = "cuda",
        graphs: bool = True,
    ) -> None:
        """Start from an untrained network.

        Args:
            game: The game.
            settings: The settings.
            seed: Seed of everything random.
            against: Agents that the learner is judged against.
            threads: Number of threads of PyTorch.
            device: The device.
            graphs: Whether a GPU runs the steps of an update as CUDA graphs.

        Raises:
            InputError: No such device, no room for the games, an unknown agent or observation.
        """
        super().__init__(game, settings, seed, against, threads)
        self.device = check_device(device)
        learned = self.features.game
        self.steps = max(1, settings.batch // settings.games)
        self.batch = DeviceBatch(
            learned, settings.games, device=self.device, observation=settings.observation
        )
        self.remark = f"learning on {self.device}, {settings.games:,} games side by side"
        torch.manual_seed(seed)
        self.network: Any = networks.build(self.shape, seed).to(self.device)
        self.average: Any = networks.build(self.shape, seed).to(self.device)
        self._hands = _hands_of(learned)
        inputs = self.features.inputs + (0 if self._hands is None else self._hands[2])
        self.critic = Critic(inputs, settings.critic, settings.layers).to(self.device)
        self._on_gpu = self.device.type == "cuda"
        self._graphs = self._on_gpu and graphs
        self._dtype = torch.bfloat16 if self._on_gpu else torch.float32
        self._rate = torch.tensor(settings.learning_rate, device=self.device)
        self._entropy = torch.tensor(settings.entropy, device=self.device)
        self.optimiser = torch.optim.Adam(
            [*self.network.parameters(), *self.critic.parameters()],
            lr=self._rate if self._on_gpu else settings.learning_rate, eps=1e-5, fused=True,
            **({"capturable": True} if self._on_gpu else {}),
        )  # fmt: skip
        self._acting: Any = networks.build(self.shape).to(self.device, self._dtype)
        self._valuing = Critic(inputs, settings.critic, settings.layers).to(
            self.device, self._dtype
        )
        self._rows = self._room()
        self._part = torch.zeros(settings.minibatch, dtype=torch.int64, device=self.device)
        self._measured = torch.zeros(4, device=self.device)
        self._payoffs = torch.zeros(3, dtype=torch.float64, device=self.device)
        self._scale = torch.ones((), device=self.device)
        self._ended = torch.zeros((), dtype=torch.int64, device=self.device)
        self._judges: dict[str, DeviceBatch] = {}
        self._roll: Callable[[], None] = self._captured(self._rollout)
        self._credit: Callable[[], None] = self._captured(self._advantages)
        self._descend: Callable[[], None] = self._captured(self._learn, undo=True)
        self._started = False

    def _room(self) -> dict[str, Tensor]:
        """Tensors for the steps of an update, [steps, games, …]."""
        games, seats = self.settings.games, self.features.game.num_players
        hidden = 0 if self._hands is None else self._hands[2]
        shapes: dict[str, tuple[tuple[int, ...], torch.dtype]] = {
            "observations": ((self.features.inputs,), torch.int8),
            "masks": ((self.features.actions,), torch.int8),
            "hidden": ((hidden,), torch.int8),
            "actions": ((), torch.int64),
            "actors": ((), torch.int64),
            "logs": ((), torch.float32),
            "values": ((), torch.float32),
            "rewards": ((seats,), torch.float32),
            "ended": ((), torch.bool),
            "decides": ((), torch.bool),
            "advantages": ((), torch.float32),
            "targets": ((), torch.float32),
            "known": ((), torch.bool),
        }
        return {
            name: torch.zeros((self.steps, games, *shape), dtype=dtype, device=self.device)
            for name, (shape, dtype) in shapes.items()
        }

    # Step 1.

    def _hidden(self) -> Tensor:
        """The bits of the cards of all seats, from the player to act on, int8 [games, bits]."""
        batch = self.batch
        if self._hands is None:
            return self._rows["hidden"][0]
        start, each, bits = self._hands
        seats = self.features.game.num_players
        hands = batch.states[:, start : start + seats * each].reshape(-1, seats, each)
        order = (batch.player[:, None] + torch.arange(seats, device=self.device)) % seats
        turned = hands.gather(1, order[:, :, None].expand(-1, -1, each)).reshape(-1, seats * each)
        places = torch.arange(8, dtype=torch.uint8, device=self.device)
        return ((turned[:, :, None] >> places) & 1).reshape(-1, bits).to(torch.int8)

    @torch.no_grad()
    def _rollout(self) -> None:
        """Play the steps of an update, into `_rows`."""
        rows, batch = self._rows, self.batch
        for mine, theirs in ((self._acting, self.network), (self._valuing, self.critic)):
            torch._foreach_copy_(list(mine.parameters()), list(theirs.parameters()))
        for t in range(self.steps):
            rows["observations"][t].copy_(batch.observation)
            rows["masks"][t].copy_(batch.action_mask)
            rows["hidden"][t].copy_(self._hidden())
            rows["actors"][t].copy_(batch.player)
            seen = batch.observation.to(self._dtype)
            logs = log_softmax(self._acting.policy(self._acting.body(seen)), batch.action_mask)
            noise = torch.rand_like(logs).clamp_(DRAW_FROM, 1 - 1e-7).log_().neg_().log_()
            actions = (logs - noise).argmax(1)
            rows["actions"][t].copy_(actions)
            rows["logs"][t].copy_(logs.gather(1, actions[:, None]).squeeze(1))
            hidden = rows["hidden"][t].to(self._dtype)
            rows["values"][t].copy_(self._valuing(torch.cat([seen, hidden], 1)))
            rows["decides"][t].copy_(batch.action_mask.sum(1) > 1)
            batch.step(actions)
            rows["rewards"][t].copy_(batch.rewards)
            rows["ended"][t].copy_(batch.status != 0)

    # Step 2.

    @torch.no_grad()
    def _advantages(self) -> None:
        """Advantages and targets of the decisions, into `_rows`."""
        rows, settings = self._rows, self.settings
        games, seats = settings.games, self.features.game.num_players
        paid = rows["rewards"].double()
        ended = rows["ended"]
        self._ended.copy_(ended.sum())
        # Squares and number of the payoffs so far, with slow forgetting.
        self._payoffs.mul_(0.95)
        self._payoffs[0] += ended.sum() * seats
        self._payoffs[1] += paid.square().sum()
        scale = (self._payoffs[1] / self._payoffs[0].clamp(min=1)).sqrt().float()
        self._scale.copy_(torch.where(scale > 1e-6, scale, torch.ones_like(scale)))
        rewards = rows["rewards"] / self._scale

        def blank(dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros((games, seats), dtype=dtype, device=self.device)

        value, advantage, due, known = blank(), blank(), blank(), blank(torch.bool)
        for t in reversed(range(self.steps)):
            over = ended[t][:, None]
            value = value.masked_fill(over, 0.0)
            advantage = advantage.masked_fill(over, 0.0)
            due = due.masked_fill(over, 0.0) + rewards[t]
            known = known | over
            i = rows["actors"][t][:, None]
            delta = due.gather(1, i) + value.gather(1, i) - rows["values"][t][:, None]
            found = delta + settings.gae_lambda * advantage.gather(1, i)
            sure = known.gather(1, i)
            acts = rows["decides"][t][:, None]
            found = found.masked_fill(~sure, 0.0)
            rows["advantages"][t].copy_(found.squeeze(1))
            rows["known"][t].copy_((sure & acts).squeeze(1))

            def put(held: Tensor, new: Tensor, i: Tensor = i, acts: Tensor = acts) -> Tensor:
                return held.scatter(1, i, torch.where(acts, new, held.gather(1, i)))

            value = put(value, rows["values"][t][:, None])
            advantage = put(advantage, found)
            due = put(due, torch.zeros_like(found))
            known = put(known, torch.ones_like(sure))
        rows["targets"].copy_(rows["advantages"] + rows["values"])
        use = rows["known"].float()
        number = use.sum().clamp(min=1)
        mean = (rows["advantages"] * use).sum() / number
        spread = ((rows["advantages"] - mean).square() * use).sum() / number
        rows["advantages"].sub_(mean).div_(spread.sqrt() + 1e-8)

    # Step 3.

    def _learn(self) -> None:
        """A step of the optimiser on the decisions whose numbers are `_part`."""
        settings, rows = self.settings, self._rows
        flat = {name: each.flatten(0, 1) for name, each in rows.items()}
        part = self._part
        masks = flat["masks"][part]
        with torch.autocast(
            self.device.type, torch.bfloat16, enabled=self._on_gpu, cache_enabled=False
        ):
            seen = flat["observations"][part].to(self._dtype)
            logits = self.network.policy(self.network.body(seen))
            hidden = flat["hidden"][part].to(self._dtype)
            values = self.critic(torch.cat([seen, hidden], 1))
        loss, measured = PolicyLoss.apply(
            logits.float(), masks, flat["actions"][part], flat["logs"][part],
            flat["advantages"][part], settings.clip, self._entropy,
        )  # fmt: skip  # pyright: ignore[reportGeneralTypeIssues]
        value_loss = nn.functional.mse_loss(values.float(), flat["targets"][part])
        self.optimiser.zero_grad(set_to_none=True)
        (loss + 0.5 * value_loss).backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 0.5, foreach=True)
        nn.utils.clip_grad_norm_(self.critic.parameters(), 0.5, foreach=True)
        self.optimiser.step()
        self._measured[:3] += measured.detach()
        self._measured[3] += value_loss.detach()

    def _captured(self, work: Callable[[], None], undo: bool = False) -> Callable[[], None]:
        """Some work as a CUDA graph, which is made when it is first called; on a CPU the work.

        Args:
            work: The work: on tensors at fixed addresses, without waiting for the device.
            undo: Whether networks and optimiser are to be as they were after the first runs.
        """
        if not self._graphs:
            return work
        graph: torch.cuda.CUDAGraph | None = None

        def run() -> None:
            nonlocal graph
            if graph is None:
                modules = (self.network, self.critic) if undo else ()
                kept = [{k: v.clone() for k, v in each.state_dict().items()} for each in modules]
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
                    for state in self.optimiser.state.values():
                        for moment in state.values():
                            moment.zero_()
                    if self._restored is not None:
                        restore_moments_in_place(self.optimiser, self._restored)
                        self._restored = None
                    self._measured.zero_()
            graph.replay()

        return run

    _restored: dict[str, Any] | None = None

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Steps 1 to 3."""
        settings = self.settings
        if not self._started:
            self.batch.reset(self.seed)
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
        rows = self._rows["known"].view(-1).nonzero().squeeze(1)
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
        self.moves += self.steps * settings.games
        self.games += int(self._ended)
        entropy, change, clipped, value_loss = (self._measured / parts).tolist()
        return {"entropy": entropy, "kl": change, "clipped": clipped, "value_loss": value_loss}

    # Step 4.

    @torch.no_grad()
    def after_update(self) -> None:
        """Average the weights: the last tenth of the updates or so counts."""
        share = 9 / (self.updates + 8)
        torch._foreach_lerp_(
            list(self.average.parameters()), list(self.network.parameters()), min(1.0, share)
        )

    # The protocol of learners.

    def agent_weights(self) -> Weights:
        """The averaged weights."""
        return {name: each.cpu().numpy() for name, each in self.average.state_dict().items()}

    def score(self, opponent: str) -> dict[str, Any]:
        """Points and share of games won, greedily, against an agent that plays on the device.

        An agent that decides in Python is played on the CPU, as other learners are.
        """
        agent = make_agent(self.features.game, opponent, self.seed)
        if policy_of(agent) is None:
            return super().score(opponent)
        batch = self._judges.setdefault(
            "games",
            DeviceBatch(
                self.features.game, min(JUDGED, self.settings.games), device=self.device,
                observation=self.settings.observation,
            ),
        )  # fmt: skip
        return versus(batch, self.average, opponent, self.seed + 1)

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs, arrays by name; games begin anew."""
        return {
            "counts": self.counts,
            "scale": self._payoffs.cpu().numpy(),
            **{name: half(each) for name, each in _arrays("average", self.average).items()},
            **_arrays("network", self.network),
            **_arrays("critic", self.critic),
            **{name: half(each) for name, each in _moments(self.optimiser).items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned.

        Raises:
            ValueError: The state is that of another network.
        """
        for name, module in (("network", self.network), ("critic", self.critic),
                             ("average", self.average)):  # fmt: skip
            restore_module(module, name, {k: whole(v) for k, v in state.items()})
        moments = {k: whole(v) for k, v in state.items() if k.startswith("optimiser.")}
        self._restored = moments
        if not self._graphs:
            restore_moments(self.optimiser, moments)
        self._payoffs.copy_(torch.from_numpy(state["scale"]))
        self.counts = state["counts"]


def half(array: np.ndarray) -> np.ndarray:
    """The upper halves of float32 numbers, which are bfloat16, as uint16; others as they are."""
    if array.dtype != np.float32 or array.size < 2:
        return array
    bits = array.view(np.uint32)
    # Round to the nearest; ties to even.
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def whole(array: np.ndarray) -> np.ndarray:
    """What `half` was given, to the precision of bfloat16."""
    if array.dtype != np.uint16:
        return array
    return (array.astype(np.uint32) << 16).view(np.float32)


def _arrays(name: str, module: nn.Module) -> dict[str, np.ndarray]:
    return {f"{name}.{key}": each.cpu().numpy() for key, each in module.state_dict().items()}


def _moments(optimiser: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    return {
        f"optimiser.{i}.{key}": each.detach().cpu().numpy()
        for i, moments in optimiser.state_dict()["state"].items()
        for key, each in moments.items()
    }


def restore_moments_in_place(optimiser: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Write moments, by the names of `state`, into those that a CUDA graph uses."""
    parameters = [each for group in optimiser.param_groups for each in group["params"]]
    for name, array in state.items():
        _, i, key = name.split(".")
        held = optimiser.state[parameters[int(i)]][key]
        held.copy_(torch.from_numpy(np.array(array)).reshape(held.shape))


def _hands_of(game: Game) -> tuple[int, int, int] | None:
    """Where states hold the cards of every seat: first byte, bytes of a seat, bits of all."""
    fields: Any = game.dtype.fields
    if HANDS not in fields:
        return None
    kind, start = fields[HANDS][:2]
    each = kind.itemsize // game.num_players
    if kind.subdtype is None or kind.shape[0] != game.num_players:
        return None
    return int(start), each, 8 * kind.itemsize


@torch.no_grad()
def versus(batch: DeviceBatch, network: Any, opponent: str, seed: int) -> dict[str, Any]:
    """Play the best actions of a network against an agent, one game in each of a batch.

    On the same deals the network plays each side in turn, the agent all other seats.

    Args:
        batch: Games on the device, in self-play.
        network: The network, as of `networks.PolicyValue`.
        opponent: An agent that decides in kernels.
        seed: Seed of the deals.

    Returns:
        `points` of the side a game, and the share of games `won`, draws counting half: mean and
        both ends of the 95% interval; `sides` has the shares won on each side.
    """
    game = batch.game
    sides = torch.tensor(game.sides, device=batch.device)
    dtype = next(network.parameters()).dtype
    answers = torch.zeros(batch.number, dtype=torch.int64, device=batch.device)
    points, shares = [], []
    for side in sorted(set(game.sides)):
        batch.reset(seed)
        over = torch.zeros(batch.number, dtype=torch.bool, device=batch.device)
        paid = torch.zeros(batch.number, dtype=torch.float64, device=batch.device)
        for step in range(MOST_STEPS):
            own = sides[batch.player] == side
            batch.decide(opponent, answers)
            logits = network.policy(network.body(batch.observation.to(dtype)))
            best = logits.float().masked_fill(batch.action_mask == 0, NEVER).argmax(1)
            batch.step(torch.where(own, best, answers))
            mine = (batch.rewards * (sides == side)).sum(1)
            paid += torch.where(over, torch.zeros_like(mine), mine)
            over |= batch.status != 0
            if step % 16 == 15 and bool(over.all()):
                break
        points.append(paid[over])
        shares.append((paid[over] > 0).double() + 0.5 * (paid[over] == 0).double())
    found: dict[str, Any] = {"points": _interval(points)}
    if game.payoff_range[0] < 0:
        found["won"] = _interval(shares)
        found["sides"] = [round(float(each.mean()), 4) for each in shares]
    return found


def _interval(parts: Sequence[Tensor]) -> list[float]:
    """Mean of the means of some parts, and the ends of its 95% interval."""
    mean = sum(float(each.mean()) for each in parts) / len(parts)
    variance = sum(float(each.var()) / len(each) for each in parts) / len(parts) ** 2
    margin = 1.96 * math.sqrt(variance)
    return [round(value, 4) for value in (mean, mean - margin, mean + margin)]
