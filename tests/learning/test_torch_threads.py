"""The threads of PyTorch: those of a training remain, whatever agents it makes."""

from collections.abc import Iterator

import pytest
import torch
from support_learners import SMALL

from closedhand import make_agent, make_game
from closedhand.learning import torch_threads
from closedhand.learning.ppo import PPO, PPOSettings


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    threads = torch.get_num_threads()
    monkeypatch.setattr(torch_threads, "_chosen", False)
    yield
    torch.set_num_threads(threads)


def test_an_agent_takes_one_thread() -> None:
    torch.set_num_threads(2)
    make_agent("doudizhu", "policy-net")
    assert torch.get_num_threads() == 1


def test_a_training_keeps_its_threads_when_it_makes_such_an_agent() -> None:
    game = make_game("doudizhu", substeps=True)
    PPO(game, PPOSettings(**SMALL), 3, against=["policy-net"], threads=2)
    assert torch.get_num_threads() == 2
