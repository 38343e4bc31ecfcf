"""Jobs on a Ray cluster of two nodes of one core each, one of which is lost."""

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# Ray's nodes on Linux otherwise take an address that other machines can reach.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
pytest.importorskip("ray")
pytest.importorskip("torch")

from ray.cluster_utils import Cluster as Nodes
from support_learners import SMALL, learn
from typer.testing import CliRunner

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.decompose import tuning
from closedhand.agents.doudizhu.value_net import training
from closedhand.arena import match
from closedhand.bridges.cluster import Cluster
from closedhand.cli import app
from closedhand.core.reading import read_arrays
from closedhand.learning import policy_gradient
from closedhand.learning.ppo import PPO, PPOSettings

pytestmark = [
    pytest.mark.slow,
    # Ray leaves sockets and files to its processes.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Tip. In future versions of Ray:FutureWarning"),
]


@pytest.mark.parametrize(
    "address",
    ["localhost:1", "ray://127.0.0.1:1", "127.0.0.1:99999", "search:-1", "host", "host:0", ""],
)
def test_an_address_without_a_cluster_is_one_line(address: str) -> None:
    with pytest.raises(InputError, match=f"no Ray cluster at {address}: "), Cluster(address):
        pass


NODE = {"num_cpus": 1, "node_ip_address": "127.0.0.1"}


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Two nodes of one core each."""
    found = Nodes(initialize_head=True, head_node_args=NODE)
    found.add_node(**NODE)
    yield found
    found.shutdown()


@pytest.fixture(scope="module")
def cluster(nodes: Any) -> Iterator[Cluster]:
    with Cluster(nodes.address) as found:
        yield found


def test_a_match_is_the_same(cluster: Cluster) -> None:
    game, deals = make_game("leduc"), 5 * match.CHUNK + 30
    here, there = (match.play(game, ["random"] * 3, deals, 5, each) for each in (1, cluster))
    for one, other in zip(here.pairs, there.pairs, strict=True):
        assert (one.returns == other.returns).all()
        assert (one.decisions == other.decisions).all()


def test_agents_that_are_objects_play_there_too(cluster: Cluster) -> None:
    """They write to arrays, such as a stream of random numbers; arrays from Ray are read-only."""
    game = make_game("leduc")
    there = match.play(game, [make_agent(game, "random", 1), "random"], 30, 5, cluster)
    assert there.deals == 30


def test_bad_input_is_one_line_from_there_too(cluster: Cluster, tmp_path: Path) -> None:
    def refuse_three(number: int) -> int:  # the nodes cannot import this module
        if number == 3:
            with open(tmp_path / "tries", "a") as file:
                file.write("once\n")
            raise InputError("not 3")
        return number

    with pytest.raises(InputError, match=r"^not 3$"):
        list(cluster.results_of(refuse_three, [(i,) for i in range(9)]))
    assert list(cluster.results_of(refuse_three, [(4,), (5,)])) == [4, 5]
    assert (tmp_path / "tries").read_text() == "once\n"


def test_what_is_shared_reaches_every_job(cluster: Cluster) -> None:
    shared = cluster.share(np.arange(5))
    jobs = [(shared, i) for i in range(5)]
    assert list(cluster.results_of(lambda values, place: int(values[place]), jobs)) == [
        0,
        1,
        2,
        3,
        4,
    ]


class Losing:
    """A cluster that loses a node once a round of jobs has given its first result."""

    def __init__(self, cluster: Cluster, lose: Callable[[], object]) -> None:
        self.cluster, self.lose, self.rounds = cluster, lose, 0

    def share(self, value: Any) -> Any:
        return self.cluster.share(value)

    def results_of(self, work: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> Iterator[Any]:
        self.rounds += 1
        for number, found in enumerate(self.cluster.results_of(work, jobs)):
            if number == 0 and self.rounds == 2:
                self.lose()
            yield found


def test_a_node_that_is_lost_in_a_round_costs_no_game(nodes: Any, cluster: Cluster) -> None:
    game = make_game("leduc")
    here, there = (PPO(game, PPOSettings(**SMALL, pieces=12), 3) for _ in range(2))
    node = nodes.add_node(**NODE)
    nodes.wait_for_nodes()
    there.remote = Losing(cluster, lambda: nodes.remove_node(node))
    assert (weights_of(learn(there, 4)) == weights_of(learn(here, 4))).all()
    assert (here.games, here.decisions) == (there.games, there.decisions)


def test_a_training_in_kernels_is_the_same(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "GAMES", 3 * training.PIECE)
    here, there = (training.Training(make_game("doudizhu", objective="win"), 3) for _ in range(2))
    there.remote = cluster
    for learner in (here, there):
        for _ in range(2):
            learner.step()
    assert here.games == there.games == 6 * training.PIECE
    assert (weights_of(here) == weights_of(there)).all()


def test_a_fit_by_policy_gradient_is_the_same(cluster: Cluster) -> None:
    task = tuning.TASK._replace(games=3 * tuning.PIECE)
    here, there = (policy_gradient.Training(task, 4) for _ in range(2))
    there.remote = cluster
    for learner in (here, there):
        for _ in range(2):
            learner.step()
    assert here.weights.any()
    assert (weights_of(here) == weights_of(there)).all()


def weights_of(learner: Any) -> np.ndarray:
    state = learner.state()
    return np.concatenate([np.ravel(state[name]) for name in sorted(state)])


def test_a_restarted_command_goes_on(
    cluster: Cluster, in_empty_folder: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("closedhand.cli.common.cluster_at", lambda address: nullcontext(cluster))
    words = "train leduc --algorithm ppo --set width=16 --set batch=256 --set pieces=3"
    for folder, steps in (("here", 2000), ("there --ray local", 1000), ("there --ray local", 2000)):
        done = CliRunner().invoke(app, f"{words} --steps {steps} --out {folder}".split())
        assert done.exit_code == 0, done.stderr
    assert "resuming after" in done.stderr
    here, there = (read_arrays(Path(name) / "checkpoint.npz") for name in ("here", "there"))
    about = {"settings", "seconds", "history"}
    assert all((here[name] == there[name]).all() for name in here.keys() - about)
