"""The list of legal actions, against the same computed with a column for every action."""

import numpy as np
import pytest
import torch

from closedhand.learning import networks
from closedhand.learning.features import BELOW_ONE, Legal

DECISIONS, ACTIONS, INPUTS = 50, 30, 8


@pytest.fixture
def masks() -> np.ndarray:
    """Masks with one legal action, some, and all."""
    rng = np.random.default_rng(1)
    found = (rng.random((DECISIONS, ACTIONS)) < rng.random((DECISIONS, 1))).astype(np.int8)
    found[np.arange(DECISIONS), rng.integers(ACTIONS, size=DECISIONS)] = 1
    found[0], found[-1] = 1, np.eye(ACTIONS, dtype=np.int8)[3]
    return found


@pytest.fixture
def logits() -> torch.Tensor:
    """Logits of all actions, some of them far apart."""
    generator = torch.Generator().manual_seed(1)
    return torch.randn((DECISIONS, ACTIONS), generator=generator) * 30


def dense_logs(masks: np.ndarray, logits: torch.Tensor) -> torch.Tensor:
    illegal = torch.from_numpy(masks == 0)
    return torch.log_softmax(logits.masked_fill(illegal, -torch.inf), 1)


def test_probabilities_and_their_gradients(masks: np.ndarray, logits: torch.Tensor) -> None:
    """Probabilities, entropies and the gradient are those of a masked softmax."""
    legal = Legal.of(masks)
    ours, theirs = (logits.clone().requires_grad_() for _ in range(2))
    logs = legal.log_softmax(ours[legal.rows, legal.actions])
    dense = dense_logs(masks, theirs)
    torch.testing.assert_close(logs, dense[legal.rows, legal.actions])
    entropies = -legal.sums(logs.exp() * logs)
    finite = dense.masked_fill(torch.from_numpy(masks == 0), 0.0)
    torch.testing.assert_close(entropies, -(dense.exp() * finite).sum(1))
    entropies.sum().backward()  # type: ignore[no-untyped-call]
    (-(dense.exp() * finite).sum()).backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(ours.grad, theirs.grad)
    torch.testing.assert_close(legal.most(logs), dense.amax(1))


def test_some_decisions_in_any_order(masks: np.ndarray) -> None:
    """A part of the list is the list of a part, also of decisions that come twice."""
    legal = Legal.of(masks)
    part = torch.tensor([4, 0, DECISIONS - 1, 7, 4])
    places = legal.places(part)
    taken, expected = legal.take(part, places), Legal.of(masks[part.numpy()])
    for ours, theirs in zip(taken, expected, strict=True):
        assert torch.equal(ours, theirs)
    assert torch.equal(legal.rows[places], part[taken.rows])


def test_chosen_actions_are_found(masks: np.ndarray) -> None:
    """The place of a chosen action is that of its decision."""
    legal = Legal.of(masks)
    actions = torch.from_numpy(masks.argmax(1))
    places = legal.chosen(actions)
    assert torch.equal(legal.rows[places], torch.arange(DECISIONS))
    assert torch.equal(legal.actions[places], actions)


def test_draws_are_those_of_the_probabilities(masks: np.ndarray, logits: torch.Tensor) -> None:
    """A uniform number falls into the share of its action, and its place there is left of it."""
    legal, decisions = Legal.of(masks), torch.arange(DECISIONS)
    few = logits.double()[legal.rows, legal.actions] / 30
    ours = legal.log_softmax(few).exp()
    shares = dense_logs(masks, logits.double() / 30).exp()
    sums = shares.cumsum(1)
    for number in (0.0, 0.1, 0.5, 0.9, 1 - 2**-53):
        drawn, left = legal.draw(ours, torch.full((DECISIONS,), number, dtype=torch.float64))
        assert torch.equal(legal.rows[drawn], decisions)
        upper = sums[decisions, legal.actions[drawn]]
        share = shares[decisions, legal.actions[drawn]]
        again = upper - share + left * share
        torch.testing.assert_close(again, torch.full_like(again, number), rtol=0, atol=1e-9)
        assert (left >= 0).all() and (left < 1).all()


def test_nothing_impossible_is_drawn(masks: np.ndarray) -> None:
    """Not even by the greatest number below 1 or by 0, where other legal actions have no share."""
    legal = Legal.of(masks)
    best = legal.best(torch.rand(len(legal.rows), generator=torch.Generator().manual_seed(3)))
    shares = torch.zeros(len(legal.rows), dtype=torch.float64)
    shares[best] = 1.0
    for number in (0.0, 0.3, BELOW_ONE):
        drawn, left = legal.draw(shares, torch.full((DECISIONS,), number, dtype=torch.float64))
        assert torch.equal(drawn, best)
        assert torch.allclose(left, torch.full_like(left, number))


def test_the_first_of_the_best(masks: np.ndarray, logits: torch.Tensor) -> None:
    """The best legal action is that of a masked argmax, the first of equals."""
    legal, rounded = Legal.of(masks), (logits / 30).round()
    found = legal.best(rounded[legal.rows, legal.actions])
    dense = rounded.masked_fill(torch.from_numpy(masks == 0), -torch.inf)
    assert (dense == dense.amax(1, keepdim=True)).sum(1).max() > 1, "there are equals"
    assert torch.equal(legal.actions[found], dense.argmax(1))


def test_no_decision_has_no_best_action() -> None:
    legal = Legal.of(np.zeros((0, 5), np.int8))
    assert len(legal.best(torch.zeros(0))) == 0


@pytest.mark.parametrize("alone", [1e-9, 1e9])
def test_outputs_alone_are_those_of_the_layer(
    masks: np.ndarray, monkeypatch: pytest.MonkeyPatch, alone: float
) -> None:
    """Outputs computed one by one, or all together, are those of the layer."""
    monkeypatch.setattr(networks, "ALONE", alone)
    legal, layer = Legal.of(masks), torch.nn.Linear(INPUTS, ACTIONS)
    hidden = torch.randn((DECISIONS, INPUTS), generator=torch.Generator().manual_seed(2))
    found = networks.outputs(layer, hidden, legal.rows, legal.actions)
    torch.testing.assert_close(found, layer(hidden)[legal.rows, legal.actions])
