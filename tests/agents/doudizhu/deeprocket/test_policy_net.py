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
from closedhand.agents.doudizhu.deeprocket.networks import Network, load
from closedhand.agents.doudizhu.network_agents import (
    SHIPPED_FILES,
    TUNED_FILES,
    make_policy_net,
    policy_files,
)
from closedhand.core.agents import make_agent, traits_of

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
        [shares] = agent.probabilities(np.array([view], game.dtype))
        assert shares.sum() == pytest.approx(1)
        assert set(np.flatnonzero(shares)) <= set(game.legal(state))
        assert agent.act(view) == shares.argmax()
        kinds.add(bool(view.group >= 0))
    assert kinds == {True, False}


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


@pytest.mark.parametrize("agent", ["policy-net:{}", "policy-search:100:{}"])
def test_all_networks_that_play_are_files_of_the_agent(agent: str, tmp_path: Path) -> None:
    kicker = tmp_path / "kicker.safetensors"
    for name in ("net", "p.safetensors"):
        policy = tmp_path / name
        policy.touch()
        kicker.touch()
        assert traits_of(DOUDIZHU, agent.format(policy)).files == (kicker, policy)
        kicker.unlink()  # the package's plays
        assert traits_of(DOUDIZHU, agent.format(policy)).files == (policy,)
        policy.unlink()
        assert traits_of(DOUDIZHU, agent.format(policy)).files == ()


def weights_of(network: Network) -> bytes:
    return b"".join(part.numpy().tobytes() for part in network.state_dict().values())


def test_each_pair_of_the_package_plays_by_its_own_files() -> None:
    """`policy-net` is the supervised pair; `policy-search` keeps the tuned one."""
    assert SHIPPED_FILES["policy"] != TUNED_FILES["policy"]
    supervised, tuned = (
        {kind: weights_of(load(path, kind)[0]) for kind, path in files.items()}
        for files in (SHIPPED_FILES, TUNED_FILES)
    )
    assert supervised["policy"] != tuned["policy"]
    for text, expected in {"policy-net": supervised, "policy-net[tuned=1]": tuned}.items():
        agent: Any = make_agent(DOUDIZHU, text)
        assert agent.name == text
        assert weights_of(agent.policy) == expected["policy"]
        assert weights_of(agent.kicker) == expected["kicker"]
    search: Any = make_agent(DOUDIZHU, "policy-search:10")
    assert weights_of(search._network.policy) == tuned["policy"]


def test_only_the_tuned_pair_has_learned_in_self_play() -> None:
    supervised, tuned = (
        load(files["policy"], "policy")[1] for files in (SHIPPED_FILES, TUNED_FILES)
    )
    assert "tuned_from" not in supervised and supervised["expert"] == "value-net"
    assert "tuned_from" in tuned


def test_a_folder_is_not_the_tuned_pair(trained: Path) -> None:
    with pytest.raises(InputError, match="tuned=1 names networks of the package"):
        make_agent(DOUDIZHU, f"policy-net[tuned=1]:{trained}")
