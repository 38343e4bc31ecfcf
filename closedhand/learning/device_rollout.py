"""The games of a learner on a device: steps 1 and 2 of an update, and evaluation.

`device_learner` explains the steps. In steps 1 and 2 all tensors keep their addresses, and nothing
waits for the device, so that CUDA graphs may run them.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from closedhand.core.agents import AnyAgent
from closedhand.core.game import Game
from closedhand.envs.device_batch import DeviceBatch
from closedhand.learning.evaluation import score_of

NEVER = -1e9
"""The logit of an illegal action."""
MOST_STEPS = 2000
"""Maximum number of steps of `versus` for each round of a game; longer games are left out."""
HANDS = "hands"
"""The field of states that holds the cards of every seat."""
Choose = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
"""Type of `device_learner.DeviceLearner.choose`."""
KEPT = 0.95
"""Factor by which the statistics of payoffs decay from one update to the next."""


def log_softmax(logits: Tensor, masks: Tensor) -> Tensor:
    """Compute log-probabilities, float32 [n, actions]; illegal actions get about `NEVER`."""
    return torch.log_softmax(logits.float().masked_fill(masks == 0, NEVER), 1)


class Rollout:
    """Games on a device, with room for the steps of an update.

    Attributes:
        rows: Tensors of the steps by name, [steps, games, …]; `known`: decisions to learn from.
        hidden: Number of bits of the cards of all seats; 0 if they are not noted, or states have no
            field `hands` by seat.
        payoffs: Number and sum of squares of payments to seats, decaying by `KEPT`, and an unused
            0: float64 [3]. A step that pays, or ends a game, counts as one payment to each seat.
        scale: Root mean square of these payments, by which rewards are divided, a scalar.
        ended: Number of games that ended in the last rollout, a scalar.
    """

    def __init__(self, batch: DeviceBatch, inputs: int, steps: int, hands: bool) -> None:
        """Allocate rows for steps of every game; with `hands` also for the cards of all seats."""
        self.batch, self.steps = batch, steps
        self._hands = _hands_of(batch.game) if hands else None
        self.hidden = 0 if self._hands is None else self._hands[2]
        device = batch.device

        def room(dtype: torch.dtype, *shape: int) -> Tensor:
            return torch.zeros((steps, batch.number, *shape), dtype=dtype, device=device)

        self.rows = {
            "observations": room(torch.int8, inputs),
            "masks": room(torch.int8, batch.game.num_actions),
            "hidden": room(torch.int8, self.hidden),
            "actions": room(torch.int64),
            "actors": room(torch.int64),
            "rewards": room(torch.float32, batch.game.num_players),
            **{name: room(torch.float32) for name in ("logs", "values", "advantages", "targets")},
            **{name: room(torch.bool) for name in ("ended", "decides", "known")},
        }
        self.payoffs = torch.zeros(3, dtype=torch.float64, device=device)
        self.scale = torch.ones((), device=device)
        self.ended = torch.zeros((), dtype=torch.int64, device=device)

    def _cards(self) -> Tensor:
        """Return the bits of all seats' cards, from the player to act on, int8 [games, bits]."""
        batch = self.batch
        if self._hands is None:
            return self.rows["hidden"][0]
        start, each, bits = self._hands
        seats = batch.game.num_players
        hands = batch.states[:, start : start + seats * each].reshape(-1, seats, each)
        order = (batch.player[:, None] + torch.arange(seats, device=batch.device)) % seats
        turned = hands.gather(1, order[:, :, None].expand(-1, -1, each)).reshape(-1, seats * each)
        places = torch.arange(8, dtype=torch.uint8, device=batch.device)
        return ((turned[:, :, None] >> places) & 1).reshape(-1, bits).to(torch.int8)

    @torch.no_grad()
    def play(self, choose: Choose) -> None:
        """Play the steps of an update into `rows`."""
        rows, batch = self.rows, self.batch
        for t in range(self.steps):
            rows["observations"][t].copy_(batch.observation)
            rows["masks"][t].copy_(batch.action_mask)
            rows["hidden"][t].copy_(self._cards())
            rows["actors"][t].copy_(batch.player)
            actions, logs, values = choose(batch.observation, batch.action_mask, rows["hidden"][t])
            rows["actions"][t].copy_(actions)
            rows["logs"][t].copy_(logs)
            rows["values"][t].copy_(values)
            rows["decides"][t].copy_(batch.action_mask.sum(1) > 1)
            batch.step(actions)
            rows["rewards"][t].copy_(batch.rewards)
            rows["ended"][t].copy_(batch.status != 0)

    @torch.no_grad()
    def credit(self, gae_lambda: float) -> None:
        """Write normalised advantages, and targets, of decisions into `rows`.

        With `gae_lambda` 1 a decision gets all payments to the end of its game. If the rollout ends
        first, it gets those before its seat's last decision, plus the value noted at that decision.
        """
        rows, seats = self.rows, self.batch.game.num_players
        paid = rows["rewards"].double()
        ended = rows["ended"]
        self.ended.copy_(ended.sum())
        self.payoffs.mul_(KEPT)
        # A staged game pays before its end, too.
        self.payoffs[0] += (ended | (paid != 0).any(2)).sum() * seats
        self.payoffs[1] += paid.square().sum()
        scale = (self.payoffs[1] / self.payoffs[0].clamp(min=1)).sqrt().float()
        self.scale.copy_(torch.where(scale > 1e-6, scale, torch.ones_like(scale)))
        rewards = rows["rewards"] / self.scale

        def blank(dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.zeros((self.batch.number, seats), dtype=dtype, device=self.batch.device)

        # By game and seat, of the next decision: value, advantage, the payments before it, and
        # whether the rollout contains it or the end of the game.
        value, advantage, due, known = blank(), blank(), blank(), blank(torch.bool)
        for t in reversed(range(self.steps)):
            over = ended[t][:, None]
            value = value.masked_fill(over, 0.0)
            advantage = advantage.masked_fill(over, 0.0)
            due = due.masked_fill(over, 0.0) + rewards[t]
            known = known | over
            i = rows["actors"][t][:, None]
            delta = due.gather(1, i) + value.gather(1, i) - rows["values"][t][:, None]
            found = delta + gae_lambda * advantage.gather(1, i)
            sure = known.gather(1, i)
            acts = rows["decides"][t][:, None]
            found = found.masked_fill(~sure, 0.0)
            rows["advantages"][t].copy_(found.squeeze(1))
            rows["known"][t].copy_((sure & acts).squeeze(1))

            value = _put(value, i, acts, rows["values"][t][:, None])
            advantage = _put(advantage, i, acts, found)
            due = _put(due, i, acts, torch.zeros_like(found))
            known = _put(known, i, acts, torch.ones_like(sure))
        rows["targets"].copy_(rows["advantages"] + rows["values"])
        use = rows["known"].float()
        number = use.sum().clamp(min=1)
        mean = (rows["advantages"] * use).sum() / number
        spread = ((rows["advantages"] - mean).square() * use).sum() / number
        rows["advantages"].sub_(mean).div_(spread.sqrt() + 1e-8)


def _put(held: Tensor, seats: Tensor, where: Tensor, new: Tensor) -> Tensor:
    """Copy `held`, [games, seats], with `new` at `seats` if `where`; these three are [games, 1]."""
    return held.scatter(1, seats, torch.where(where, new, held.gather(1, seats)))


def _hands_of(game: Game) -> tuple[int, int, int] | None:
    """Locate all seats' cards in states: first byte, bytes per seat, bits in all; None: nowhere."""
    fields: Any = game.dtype.fields
    if HANDS not in fields:
        return None
    kind, start = fields[HANDS][:2]
    each = kind.itemsize // game.num_players
    if kind.subdtype is None or kind.shape[0] != game.num_players:
        return None
    return int(start), each, 8 * kind.itemsize


@torch.no_grad()
def versus(batch: DeviceBatch, network: Any, opponent: AnyAgent, seed: int) -> dict[str, Any]:
    """Play a network's best actions against an agent that decides in kernels, in duplicate.

    Every game of the batch is a deal. The network, a `networks.PolicyValue`, plays each side of a
    deal in turn, the agent all other seats. The result is an `evaluation.Score.entry`.
    """
    game = batch.game
    sides = torch.tensor(game.sides, device=batch.device)
    dtype = next(network.parameters()).dtype
    answers = torch.zeros(batch.number, dtype=torch.int64, device=batch.device)
    points, ended = [], []
    for side in sorted(set(game.sides)):
        batch.reset(seed)
        over = torch.zeros(batch.number, dtype=torch.bool, device=batch.device)
        paid = torch.zeros(batch.number, dtype=torch.float64, device=batch.device)
        for step in range(MOST_STEPS * game.rounds):
            own = sides[batch.player] == side
            batch.decide(opponent, answers)
            logits = network(batch.observation.to(dtype))
            best = logits.float().masked_fill(batch.action_mask == 0, NEVER).argmax(1)
            batch.step(torch.where(own, best, answers))
            mine = (batch.rewards * (sides == side)).sum(1)
            paid += torch.where(over, torch.zeros_like(mine), mine)
            over |= batch.status != 0
            if step % 16 == 15 and bool(over.all()):
                break
        points.append(paid)
        ended.append(over)
    finished = torch.stack(ended).all(0)
    return score_of(game, torch.stack(points, 1)[finished].cpu().numpy()).entry()
