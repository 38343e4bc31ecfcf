"""The agent `learned`: networks of sub-steps in flat games, and files that are refused."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support_learners import untrained, write_untrained

from closedhand import InputError, make_agent, make_game
from closedhand.core import batch
from closedhand.core.duplicate import play_out
from closedhand.core.files import SHIPPED
from closedhand.learning import agent_factory
from closedhand.learning.agent import NetworkAgent

FORMS: list[tuple[str, dict[str, Any]]] = [
    ("doudizhu", {}),
    ("doudizhu", {"rules": "openspiel"}),
    ("chinese_poker", {"players": 3}),
    ("daihinmin", {"actions": "card_sets"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), FORMS)
def test_a_network_plays_both_forms(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    network, features = untrained(game)
    for form in (game, features.game):
        agent = NetworkAgent(form, network, features, 1.0, 3)
        states = batch.deal(form, range(10))
        seats = np.zeros((10, form.num_players), int)
        play_out(form, states, seats, [agent])  # raises where an action is illegal
        assert not batch.running(form, states).any()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["doudizhu", "chinese_poker"])
def test_decisions_do_not_depend_on_the_batch_and_follow_the_probabilities(name: str) -> None:
    game = make_game(name)
    network, features = untrained(game)
    views = batch.views(game, batch.deal(game, range(4)))
    together = NetworkAgent(game, network, features, 1.0, 3).act_batch(views)
    one = NetworkAgent(game, network, features, 1.0, 3)
    assert [one.act(view) for view in views] == together.tolist()
    shares = one.probabilities(views[:1])
    legal = game.legal(views[0])
    assert shares.shape == (1, game.num_actions)
    assert np.isclose(shares.sum(), 1) and np.isclose(shares[0, legal].sum(), 1)
    assert shares[0, together[0]] > 0


@pytest.mark.parametrize("temperature", [1e-323, 1e-308, 1e-7])
def test_the_coldest_temperatures_take_the_best_action(temperature: float, tmp_path: Path) -> None:
    game = make_game("leduc")
    write_untrained(tmp_path, game)
    views = batch.views(game, batch.deal(game, range(4)))
    agents: list[Any] = [
        make_agent(game, f"learned[temperature={each}]:{tmp_path}", 0) for each in (temperature, 0)
    ]
    cold, coldest = (agent.probabilities(views) for agent in agents)
    assert (cold == coldest).all()


class Close:
    """A network whose scores of the actions of a view are 1e-6 apart."""

    def scores(self, observations: Any, players: Any, legal: Any) -> Any:
        return 1e-6 * torch.arange(len(legal.actions), dtype=torch.float64)


def test_the_least_temperature_above_0_is_a_millionth() -> None:
    game = make_game("leduc")
    view = batch.views(game, batch.deal(game, range(1)))
    number = len(game.legal(view[0]))
    network, features = Close(), untrained(game)[1]
    for temperature, scores in ((1e-6, np.exp(np.arange(number))), (0.9e-6, np.eye(number)[-1])):
        agent = NetworkAgent(game, network, features, temperature)
        shares = agent.probabilities(view)[0, game.legal(view[0])]
        assert shares == pytest.approx(scores / scores.sum())


def test_role_networks_see_their_own_seats() -> None:
    game = make_game("doudizhu")
    network, features = untrained(game, "dueling")
    assert network.seats == (0, 1, 1) and len(network.roles) == 2
    states = batch.deal(features.game, range(6))
    states["player"][3:] = 1
    agent = NetworkAgent(features.game, network, features, 0.0)
    both = agent.probabilities(states)
    assert np.allclose(both[3:], agent.probabilities(states[3:]))
    assert ((both == 0) | (both == 1)).all() and (both.sum(1) == 1).all()


@pytest.mark.parametrize(
    ("trained", "played", "reason"),
    [
        ("leduc", "doudizhu", "it was trained in leduc, not in doudizhu"),
        ("doudizhu", "leduc", "it was trained in doudizhu, not in leduc"),
    ],
)
def test_networks_of_other_games_are_refused(
    trained: str, played: str, reason: str, tmp_path: Path
) -> None:
    write_untrained(tmp_path, make_game(trained))
    with pytest.raises(InputError, match=reason):
        make_agent(make_game(played), f"learned:{tmp_path}")


def test_networks_of_other_actions_are_refused(tmp_path: Path) -> None:
    write_untrained(tmp_path, make_game("doudizhu"))
    with pytest.raises(InputError, match="trained with 337 actions"):
        make_agent(make_game("doudizhu", bidding=True), f"learned:{tmp_path}")


def test_networks_of_other_kinds_are_named_with_the_agent_that_plays_them(tmp_path: Path) -> None:
    game = make_game("doudizhu")
    for shipped, file, agent in (
        ("doudizhu_policy.safetensors", "policy.safetensors", "policy-net:"),
        ("doudizhu_bid.safetensors", "bid.safetensors", "bids:net="),
        ("doudizhu_value_win.npz", "value-net.npz", "value-net:"),
    ):
        folder = tmp_path / file.partition(".")[0]
        folder.mkdir()
        shutil.copy(SHIPPED / shipped, folder / file)
        for path in (folder, folder / file):
            with pytest.raises(InputError) as caught:
                make_agent(game, f"learned:{path}")
            said, _, advice = str(caught.value).partition("; name the agent ")
            assert said and advice.startswith(f"{agent}{folder}")
        make_agent(make_game("doudizhu", bidding=True), advice)
    path = tmp_path / "model.zip"
    path.write_bytes(b"PK" + bytes(100))
    with pytest.raises(InputError, match=r"; closedhand\.agents\.from_function makes an agent"):
        make_agent(game, f"learned:{path}")
    with pytest.raises(InputError, match=r"No such file or directory$"):
        make_agent(game, f"learned:{tmp_path / 'none'}")


@pytest.mark.parametrize("cut", [0, 7, 100, 2000])
def test_damaged_files_are_refused(cut: int, tmp_path: Path) -> None:
    path = write_untrained(tmp_path, make_game("leduc")) / agent_factory.NAME
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InputError, match="is not a network"):
        make_agent(make_game("leduc"), f"learned:{tmp_path}")


def test_the_agent_needs_a_folder() -> None:
    with pytest.raises(InputError, match="needs the folder"):
        make_agent(make_game("leduc"), "learned")
