"""Weights that actions share: what they share, and that agents take plain networks."""

from pathlib import Path

import numpy as np
import pytest
import torch

from closedhand import Game, make_agent, make_game
from closedhand.core import batch
from closedhand.learning import agent_factory, networks
from closedhand.learning.dmc import DMC, DMCSettings
from closedhand.learning.features import Features, Legal
from closedhand.learning.ppo import PPO, PPOSettings
from closedhand.learning.runs import begin
from closedhand.learning.training import DeepLearner

SMALL = {"width": 8, "batch": 64}
LEARNERS = {"ppo": (PPO, PPOSettings), "dmc": (DMC, DMCSettings)}


def learner(kind: str, game: str = "daihinmin") -> DeepLearner:
    cls, settings = LEARNERS[kind]
    return cls(make_game(game), settings(**SMALL), seed=1)


def test_actions_share_the_characters_that_they_are_written_with() -> None:
    """Each character with its number, and the length: the same text, the same parts."""
    game = make_game("daihinmin")
    parts = networks.spelling(game)
    assert parts is not None and len(parts) == game.num_actions
    none = int(parts.max())
    rows = [set(row.tolist()) - {none} for row in parts]

    def row(text: str) -> set[int]:
        return rows[game.parse(text)]

    assert row("3c3h") == row("3c3h") and len(row("3c3h")) == 4
    assert len(row("3c3h") & row("5c5h")) == 3, "clubs, hearts, and four characters"
    assert len(row("3c3h") & row("3c")) == 1, "clubs: one 3 is another part than two"


def test_every_part_learns_where_all_actions_have_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("daihinmin")
    monkeypatch.setattr(Game, "text", lambda self, action: "abcdefghij"[action % 10] + "z")
    parts = networks.spelling(game)
    assert parts is not None
    layer = torch.nn.Linear(2, game.num_actions)
    networks.share([layer], parts)
    layer(torch.ones(1, 2)).sum().backward()
    (shared,) = layer.parametrizations.weight  # type: ignore[union-attr]
    assert (shared.rows.weight.grad[:-1] > 0).all(), "the last row is padding"
    assert len(shared.rows.weight) == 13, "ten letters, z, and two characters"


def test_few_actions_share_nothing() -> None:
    """Where parts are no fewer than actions, layers stay as they are."""
    assert networks.spelling(make_game("leduc")) is None
    weights = learner("ppo", "leduc").network.state_dict()
    assert set(weights) == set(networks.build(learner("ppo", "leduc").shape).state_dict())


@pytest.mark.parametrize("kind", LEARNERS)
def test_agents_take_the_sums(kind: str, tmp_path: Path) -> None:
    """The plain network of the file scores as the one that has learned."""
    one = learner(kind)
    begin(one, tmp_path).work(over=lambda: one.updates == 2)
    features = Features(one.game)
    states = batch.deal_random(features.game, 20, np.random.default_rng(0))
    seen, masks = features.encode(states)
    asked = (
        torch.from_numpy(seen).float(),
        torch.from_numpy(states["player"].astype(np.int64)),
        Legal.of(masks),
    )
    path = tmp_path / agent_factory.NAME
    network, _, _ = networks.load(path, one.game)
    with torch.no_grad():
        own, shared = network.scores(*asked), one.average.scores(*asked)
    torch.testing.assert_close(own, shared)
    layers = networks.by_action(one.network)
    rows = [layer.parametrizations.weight[0].rows.weight for layer in layers]  # type: ignore[union-attr, index]
    assert all(each.abs().max() > 0 for each in rows), "the shared rows have learned"
    assert make_agent(one.game, f"learned:{tmp_path}", 0).name == f"learned:{tmp_path}"
