"""What learners compute, against numbers worked out by hand and a second, slow statement."""

import math
from typing import Any

import numpy as np
import pytest
from support_learners import SMALL

from closedhand import make_agent, make_game
from closedhand.learning import evaluation, ppo
from closedhand.learning.dmc import DMC, DMCSettings
from closedhand.learning.evaluation import _points, judge
from closedhand.learning.features import Legal
from closedhand.learning.networks import ResidualLayers
from closedhand.learning.policy_gradient import Task, Training
from closedhand.learning.ppo import PPO, Decisions, PPOSettings, loss_of
from closedhand.learning.training import Scale

torch = pytest.importorskip("torch")


class Fixed:
    """A network with given logits and values, whatever it sees."""

    def __init__(self, logits: list[float], values: list[float]) -> None:
        self.logits = torch.tensor(logits, requires_grad=True)
        self.values = torch.tensor(values)

    def legal(self, observations: Any, legal: Legal) -> tuple[Any, Any]:
        return self.logits, self.values


def one(
    chances: list[float], before: float, advantage: float, magnet: list[float] | None = None
) -> tuple[Any, Decisions]:
    """A network and a decision in which it would take action 0 with the first of its chances."""
    network = Fixed([math.log(p) for p in chances], [2.0])
    decision = Decisions(
        torch.zeros((1, 1), dtype=torch.int8),
        Legal.of(np.ones((1, len(chances)), np.int8)),
        torch.tensor([0]),
        torch.tensor([math.log(before)]),
        torch.tensor([advantage]),
        torch.tensor([5.0]),
        None if magnet is None else torch.tensor([math.log(p) for p in magnet]),
    )
    return network, decision


def settings(clip: float = 0.2, value: float = 0.0, magnet: float = 0.0) -> PPOSettings:
    return PPOSettings(clip=clip, value=value, magnet=magnet)


@pytest.mark.parametrize(
    "before, advantage, loss",
    [
        (0.4, 1.0, -1.2),  # ratio 1.5: no gain beyond 1.2
        (0.4, -1.0, 1.5),  # but the whole loss
        (0.4, 2.0, -2.4),
        (0.8, 1.0, -0.75),  # ratio 0.75: the whole loss of a good action
        (0.8, -1.0, 0.8),  # no gain below 0.8
        (0.6, 3.0, -3.0),
        (0.5, 1.0, -1.2),  # ratio 1.2, the end of the range
        (0.55, 1.0, -0.6 / 0.55),
    ],
)
def test_the_ratio_is_clipped_at_both_ends(before: float, advantage: float, loss: float) -> None:
    found, _ = loss_of(*one([0.6, 0.4], before, advantage), settings(), 0.0)
    assert found.item() == pytest.approx(loss, rel=1e-5)


@pytest.mark.parametrize(
    "chances, entropy",
    [([0.6, 0.4], 0.6730117), ([0.25] * 4, 1.3862944), ([0.98, 0.02], 0.0980391)],
)
def test_the_entropy_is_a_bonus(chances: list[float], entropy: float) -> None:
    network, decision = one(chances, chances[0], 0.0)
    loss, measured = loss_of(network, decision, settings(), 0.5)
    assert loss.item() == pytest.approx(-0.5 * entropy, rel=1e-4)
    assert measured[0].item() == pytest.approx(entropy, rel=1e-4)
    if chances[0] != chances[1]:  # a step along the gradient makes the likeliest less likely
        loss.backward()
        assert network.logits.grad[0] > 0


def test_the_other_terms_of_the_loss() -> None:
    network, decision = one([0.6, 0.4], 0.6, 0.0, [0.5, 0.5])
    loss, _ = loss_of(network, decision, settings(value=0.5), 0.0)
    assert loss.item() == pytest.approx(0.5 * (5 - 2) ** 2)
    loss, _ = loss_of(network, decision, settings(magnet=2.0), 0.0)
    assert loss.item() == pytest.approx(2 * 0.0201355, rel=1e-4)  # 0.6 ln 1.2 + 0.4 ln 0.8


def slow_loss(
    logits: list[list[float]], values: list[float], rows: list[dict[str, Any]],
    given: PPOSettings, entropy_weight: float,
) -> float:  # fmt: skip
    """The loss, decision by decision, as the paper states it."""
    total = 0.0
    for scores, value, row in zip(logits, values, rows, strict=True):
        weights = [math.exp(score) for score in scores]
        chances = [weight / sum(weights) for weight in weights]
        ratio, gain = chances[row["chosen"]] / row["before"], row["advantage"]
        if gain > 0:
            total -= min(ratio, 1 + given.clip) * gain
        else:
            total -= max(ratio, 1 - given.clip) * gain
        total += given.value * (value - row["target"]) ** 2
        total += entropy_weight * sum(p * math.log(p) for p in chances)
        total += given.magnet * sum(
            p * math.log(p / q) for p, q in zip(chances, row["magnet"], strict=True)
        )
    return total / len(rows)


def test_the_loss_is_that_of_the_slow_statement() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        counts = rng.integers(1, 6, 7)
        logits = [rng.normal(size=count).tolist() for count in counts]
        values = rng.normal(size=7).tolist()
        masks = (np.arange(5) < counts[:, None]).astype(np.int8)
        rows = [
            {
                "chosen": int(rng.integers(count)),
                "before": float(rng.uniform(0.05, 1)),
                "advantage": float(rng.normal()),
                "target": float(rng.normal()),
                "magnet": rng.dirichlet(np.ones(count)).tolist(),
            }
            for count in counts
        ]
        decisions = Decisions(
            torch.zeros((7, 1), dtype=torch.int8),
            Legal.of(masks),
            torch.tensor([row["chosen"] for row in rows]),
            torch.tensor([math.log(row["before"]) for row in rows]),
            torch.tensor([row["advantage"] for row in rows]),
            torch.tensor([row["target"] for row in rows]),
            torch.tensor([math.log(p) for row in rows for p in row["magnet"]]),
        )
        given = settings(clip=float(rng.uniform(0.05, 0.5)), value=0.7, magnet=0.3)
        network: Any = Fixed([score for scores in logits for score in scores], values)
        loss, _ = loss_of(network, decisions, given, 0.4)
        assert loss.item() == pytest.approx(slow_loss(logits, values, rows, given, 0.4), rel=1e-4)


@pytest.mark.parametrize("decisions, stray", [(0, 1.0), (3000, 0.5), (99_000, 0.1)])
def test_random_actions_become_rarer(decisions: int, stray: float) -> None:
    """By the square root of one more than the decisions in units of `anneal`."""
    game = make_game("leduc")
    learner = DMC(game, DMCSettings(width=8, exploration=1.0, anneal=1000), 3)
    learner.decisions = decisions
    number, inputs = 20_000, learner.features.inputs
    masks = np.ones((number, game.num_actions), np.int8)
    seen, states = np.zeros((number, inputs), np.int8), game.empty(number)
    actions, _ = learner.chooser(np.random.default_rng(1))(seen, masks, states)
    # All observations are equal: what is not the best action was drawn at random.
    best = np.bincount(actions).argmax() if stray < 1 else 0
    wanted = stray * (1 - 1 / game.num_actions)
    error = math.sqrt(wanted * (1 - wanted) / number)
    assert abs((actions != best).mean() - wanted) < 4 * error


def test_payoffs_count_for_less_as_others_follow() -> None:
    scale = Scale()
    assert scale.add(np.array([[2.0, -2.0]])) == 2.0
    # Two payoffs of 2 in size count for 0.95 each, two of 1 for 1.
    assert scale.add(np.array([[1.0, -1.0]])) == pytest.approx(math.sqrt((0.95 * 8 + 2) / 3.9))
    assert Scale().add(np.zeros((1, 2))) == 1.0


def test_a_step_of_the_policy_gradient_is_that_of_adam() -> None:
    """Ascent by the mean gradient of a game, with fewer and fewer large steps."""
    drawn: list[np.ndarray] = []

    def gradient(weights: np.ndarray, piece: int, rng: np.random.Generator) -> np.ndarray:
        assert piece in (0, 1)
        drawn.append(rng.normal(size=2) * [3.0, 0.01])
        return drawn[-1]

    task = Task(2, 6, 3, gradient, rate=0.1, slower=4.0)
    training = Training(task, seed=5)
    weights, mean, squares = np.zeros((3, 2))
    passed: list[np.ndarray] = []
    for t in range(1, 6):
        drawn.clear()
        training.step()
        total = np.sum(drawn, axis=0) / 6
        mean, squares = 0.9 * mean + 0.1 * total, 0.99 * squares + 0.01 * total**2
        size = 0.1 * math.sqrt(1 - 0.99**t) / (1 - 0.9**t) / math.sqrt(1 + (t - 1) / 4)
        weights = weights + size * mean / (np.sqrt(squares) + 1e-8)
        assert training.weights == pytest.approx(weights)
        passed.append(weights)
    assert (training.steps, training.games) == (5, 30)
    assert training.average == pytest.approx(np.mean(passed, axis=0))
    again = Training(task, seed=5)
    again.restore(training.state())
    for each in (training, again):
        each.step()
    assert (training.weights == again.weights).all()


def test_the_average_of_the_weights_counts_later_ones_for_more() -> None:
    task = Task(1, 1, 1, lambda weights, piece, rng: np.ones(1), averaging=2)
    training = Training(task)
    average, seen = 0.0, []
    for t in range(1, 5):
        training.step()
        seen.append(float(training.weights[0]))
        share = 3 / (2 + t)
        average += share * (seen[-1] - average)
        assert training.average[0] == pytest.approx(average)
    assert seen == sorted(seen) and training.weights.dtype == np.float32


def test_residual_layers_add_what_came_in() -> None:
    layers = ResidualLayers(3, 4, 3)
    seen = torch.randn(5, 3)
    hidden = np.maximum(seen.numpy() @ weights_of(layers.first) + layers.first.bias.tolist(), 0)
    for layer in layers.others:
        hidden = hidden + np.maximum(hidden @ weights_of(layer) + layer.bias.tolist(), 0)
    # Terms of either sign: the error is that of the terms, float32, however small the sum.
    assert layers(seen).detach().numpy() == pytest.approx(hidden, abs=1e-5)


def weights_of(layer: Any) -> np.ndarray:
    """The matrix that inputs are multiplied with."""
    return layer.weight.detach().numpy().astype(float).T


def test_what_ppo_measures_is_a_mean_of_its_decisions() -> None:
    learner = PPO(make_game("leduc"), PPOSettings(**SMALL), 3)
    measured = learner.update(np.random.default_rng(1))
    assert 0 < measured["entropy"] < math.log(3)
    assert measured["value_loss"] > 0 and measured["kl"] > -0.01
    assert 0 <= measured["clipped"] <= 1


def test_ppo_learns_from_every_decision_in_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = PPO(make_game("leduc"), PPOSettings(**SMALL, epochs=3), 3)
    learned: list[int] = []

    def noted(network: Any, decisions: Decisions, *given: Any) -> Any:
        learned.append(len(decisions.actions))
        return loss_of(network, decisions, *given)

    monkeypatch.setattr(ppo, "loss_of", noted)
    learner.update(np.random.default_rng(1))
    assert sum(learned) == 3 * learner.decisions > 0


def test_the_explained_variance() -> None:
    targets = torch.tensor([1.0, 2.0, 3.0, 4.0])
    for values, share in (([1, 2, 3, 4], 1.0), ([2.5] * 4, 0.0), ([1, 2, 3, 0], 1 - 4 / 1.25)):
        assert ppo.explained(targets, np.array(values, np.float32)) == pytest.approx(share)


def test_a_gain_is_over_what_the_opponent_wins_in_the_same_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two deals, in which the points of the sides need not add up to 0."""
    points = np.array([[4.0, 2.0, 1.0, -3.0], [0.0, 2.0, 5.0, 1.0]])
    monkeypatch.setattr(evaluation, "_points", lambda *given: points)
    game = make_game("leduc")
    score = judge(game, make_agent(game, "random"), "random", 2, 1, with_gain=True)
    assert score.points.mean == (3 + 1) / 2 and score.gain.mean == (4 - 2) / 2


def test_a_score_is_of_the_points_by_side() -> None:
    """And the gain over the opponent, which played the same deals with all seats."""
    game = make_game("uh_leduc")
    agents = [make_agent(game, "equilibrium[iterations=20]", 1) for _ in range(2)]
    score = judge(game, agents[0], "random", 60, 5, with_gain=True)
    own = _points(game, [agents[1], make_agent(game, "random", 5)], range(60), 5, True)
    assert own.shape == (60, 4)
    assert score.points.mean == pytest.approx(own[:, :2].mean())
    assert score.gain.mean == pytest.approx((own[:, :2] - own[:, 2:]).mean())
    assert own[:, 2:].sum() == pytest.approx(0)
