"""The agent that plays by the networks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import positions
from support_deeprocket import DOUDIZHU
from support_torch import QUIET

from closedhand import InputError, make_game
from closedhand.agents.doudizhu import network_agents
from closedhand.agents.doudizhu.network_agents import make_policy_net, policy_files

pytest.importorskip("pyarrow")

pytestmark = QUIET


@pytest.mark.parametrize(
    "options", [{}, {"substeps": True}, {"bidding": True}, {"bidding": True, "substeps": True}]
)
def test_the_agent_plays_legally(trained: Path, options: dict[str, Any]) -> None:
    game = make_game("doudizhu", **options)
    agent = make_policy_net(game, 0, str(trained))
    states = [state.copy() for state in positions(game, seed=3, games=3) if not game.over(state)]
    views = np.array([game.view(state, int(state.player)) for state in states], game.dtype)
    actions = agent.act_batch(views)
    assert actions.dtype == np.int32
    for state, action in zip(states, actions, strict=True):
        assert action in game.legal(state)
    assert [agent.act(view) for view in views[:10]] == actions[:10].tolist()


def test_the_agent_plays_what_it_prefers(trained: Path) -> None:
    game = make_game("doudizhu", substeps=True)
    agent = make_policy_net(game, 0, str(trained))
    kinds = set()
    for state in positions(game, seed=3, games=3):
        if game.over(state):
            continue
        view = game.view(state, int(state.player))
        preferences = agent.preferences(view)
        shares = list(preferences.values())
        assert sum(shares) == pytest.approx(1, abs=1e-5)
        assert shares == sorted(shares, reverse=True)
        assert {game.parse(text) for text in preferences} <= set(game.legal(state).tolist())
        assert game.text(agent.act(view)) == next(iter(preferences))
        kinds.add(bool(view.group >= 0))
    assert kinds == {True, False}
    auction = make_game("doudizhu", bidding=True)
    with pytest.raises(InputError, match="while cards are played"):
        make_policy_net(auction, 0, str(trained)).preferences(
            auction.view(auction.deal(np.random.default_rng(0)), 0)
        )


def test_the_networks_of_the_agent_are_found(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, kicker = trained / "policy.safetensors", trained / "kicker.safetensors"
    assert policy_files(str(trained)) == {"policy": policy, "kicker": kicker}
    assert policy_files(str(policy)) == {"policy": policy, "kicker": kicker}
    assert make_policy_net(DOUDIZHU, 0, str(policy)).name == f"policy-net:{policy}"
    shipped = {"policy": policy, "kicker": kicker}
    monkeypatch.setattr(network_agents, "SHIPPED_FILES", shipped)
    assert make_policy_net(DOUDIZHU, 0, None).name == "policy-net"
    (tmp_path / "policy.safetensors").write_bytes(policy.read_bytes())
    assert policy_files(str(tmp_path))["kicker"] == kicker
    with pytest.raises(InputError, match="cannot read"):
        make_policy_net(DOUDIZHU, 0, str(tmp_path / "nothing"))
