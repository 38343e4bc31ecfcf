"""The deep learners: they learn, resume exactly, and end as agents, in any game."""

import json
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from support import DATA
from support_learners import SMALL, kuhn, learn, write_untrained

from closedhand import InputError, make_agent, make_game
from closedhand.agents import from_function
from closedhand.arena import learners
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import parse_agent
from closedhand.core.registry import load
from closedhand.learning import network_learner, runs
from closedhand.learning.algorithms import LEARNERS as ALGORITHMS, ON_GPU
from closedhand.learning.dmc import DMC, DMCSettings
from closedhand.learning.evaluation import judge
from closedhand.learning.imitation import Imitation, ImitationSettings
from closedhand.learning.population import Population
from closedhand.learning.ppo import PPO, PPOSettings

LEARNERS = {
    "ppo": lambda game, **more: PPO(game, PPOSettings(**SMALL), 3, **more),
    "dmc": lambda game, **more: DMC(game, DMCSettings(**SMALL), 3, **more),
    "imitation": lambda game, **more: Imitation(
        game, ImitationSettings(**SMALL), 3, expert="random", **more
    ),
}
every_learner = pytest.mark.parametrize("algorithm", LEARNERS)


def weights_of(learner: Any) -> np.ndarray:
    state = learner.state()
    return np.concatenate([np.ravel(state[name]) for name in sorted(state)])


def test_the_defaults_are_those_of_the_published_figures() -> None:
    """Whoever changes one measures the figures of the manual again."""
    pytest.importorskip("sb3_contrib")
    found = {name: asdict(load(ref).settings_type()) for name, ref in ALGORITHMS.items()}
    found |= {f"{name} on a GPU": asdict(load(ref).settings_type()) for name, ref in ON_GPU.items()}
    found["learner table"] = {**learners.SETTINGS, **asdict(learners.Plan())}
    assert found == json.loads((DATA / "learner_settings.json").read_text())


@pytest.mark.parametrize("who", ["against", "opponents"])
def test_agents_by_networks_leave_the_learner_its_threads(
    who: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game("leduc")
    write_untrained(tmp_path, game)
    names = {who: ["self", f"learned:{tmp_path}"][who == "against" :]}
    learner = LEARNERS["ppo"](game, threads=2, **names)
    threads = []
    monkeypatch.setattr(learner, "take_step", lambda loss: threads.append(torch.get_num_threads()))
    before = torch.get_num_threads()
    try:
        for _ in range(2):
            learner.advance(0.0)
            learner.summary()
    finally:
        torch.set_num_threads(before)
    assert set(threads) == {2}


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(InputError, match="a seed is a whole number of 0 or more, not -1"):
        PPO(make_game("leduc"), PPOSettings(**SMALL), -1)


@pytest.mark.parametrize("seed", [2**64, 2**70])
def test_a_seed_is_one_of_pytorch(seed: int) -> None:
    game, settings = make_game("leduc"), PPOSettings(**SMALL)
    with pytest.raises(InputError, match=f"a seed of a learner is at most {2**64 - 1:,}, not "):
        PPO(game, settings, seed)
    assert PPO(game, settings, 2**64 - 1).seed == 2**64 - 1


@pytest.mark.parametrize(
    "settings",
    [{"anneal": np.inf}, {"temperature": -1}, {"layers": 17}, {"pieces": 0}, {"width": 8.5}],
)
def test_settings_are_checked_as_on_the_command_line(settings: dict[str, Any]) -> None:
    [name] = settings
    with pytest.raises(InputError, match=f"the learner: {name} is a .*number"):
        PPOSettings(**settings)


@pytest.mark.parametrize(("deals", "seed"), [(0, 1), (1, -1)])
def test_judgements_check_their_numbers(deals: int, seed: int) -> None:
    game = make_game("leduc")
    with pytest.raises(InputError, match="is a whole number of"):
        judge(game, make_agent(game, "random"), make_agent(game, "random"), deals, seed)


def test_agents_as_objects_are_named_in_the_files_of_a_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_learner, "DEALS", 2)
    game = make_game("leduc")
    first = from_function(lambda _, masks: masks.argmax(axis=1), name="first")
    agents = [first, AgentSpec("search", {"threads": 1}, "20"), parse_agent("leduc", "random")]
    names = ["first", "search[threads=1]:20", "random"]

    def begin(opponents: list[Any]) -> Any:
        learner = LEARNERS["ppo"](game, opponents=["self", *opponents], against=opponents)
        return runs.begin(learner, tmp_path)

    run = begin(agents)
    learn(run.learner, 1)
    run.note()
    run.save()
    resumed = begin([first, *names[1:]])
    resumed.resume()
    assert list(resumed.history[0]["against"]) == names
    assert resumed.learner.provenance()["opponents"] == ["self", *names]


@every_learner
def test_resuming_is_exact(algorithm: str, tmp_path: Path) -> None:
    game = make_game("leduc")
    whole = learn(LEARNERS[algorithm](game), 6)
    run = runs.begin(learn(LEARNERS[algorithm](game), 3), tmp_path)
    run.save()
    resumed = runs.begin(LEARNERS[algorithm](game), tmp_path)
    resumed.resume()
    assert resumed.learner.updates == 3
    assert resumed.history == []  # the learner notes what it measures, and checkpoints add nothing
    assert (weights_of(learn(resumed.learner, 6)) == weights_of(whole)).all()


@pytest.mark.slow
def test_resuming_is_exact_with_a_pool_and_agents(tmp_path: Path) -> None:
    game = make_game("leduc")

    def begin() -> PPO:
        settings = PPOSettings(**SMALL, freeze=1, magnet=0.1)
        return PPO(game, settings, 3, opponents=["self", "pool", "random"])

    whole = learn(begin(), 24)
    assert 0 < len(whole.population.members) <= 17
    assert len(whole.population.drawn) == 23
    runs.begin(learn(begin(), 10), tmp_path).save()
    resumed = runs.begin(begin(), tmp_path)
    resumed.resume()
    assert (weights_of(learn(resumed.learner, 24)) == weights_of(whole)).all()
    log = (tmp_path / "opponents.csv").read_text().splitlines()
    assert log[0] == "update,frozen_at" and len(log) == 10


def test_other_settings_are_not_resumed(tmp_path: Path) -> None:
    game = make_game("leduc")
    runs.begin(learn(LEARNERS["ppo"](game), 1), tmp_path).save()
    other = runs.begin(PPO(game, PPOSettings(**{**SMALL, "width": 16}), 3), tmp_path)
    with pytest.raises(InputError, match="made with width 32, not 16"):
        other.resume()


def test_another_file_of_an_opponent_is_not_resumed(tmp_path: Path) -> None:
    """Nor is a responder to another network of the same name."""
    game, opponent = make_game("leduc"), tmp_path / "opponent"

    def begin() -> Any:
        name = f"learned:{opponent}"
        learner = PPO(game, PPOSettings(**SMALL), 3, opponents=[name])
        return runs.begin(learner, tmp_path / "responder")

    runs.begin(learn(LEARNERS["ppo"](game), 1), opponent).save()
    run = begin()
    learn(run.learner, 1)
    run.save()
    begin().resume()
    runs.begin(learn(LEARNERS["ppo"](game), 2), opponent).save()
    with pytest.raises(InputError, match=r"made with files learned:.*, not learned:"):
        begin().resume()


@pytest.mark.parametrize(
    "make",
    [
        lambda game, name: PPO(game, PPOSettings(**SMALL), 3, opponents=["self", name]),
        lambda game, name: Imitation(game, ImitationSettings(**SMALL), 3, expert=name),
    ],
    ids=["opponent", "expert"],
)
def test_a_file_of_an_agent_that_changes_ends_the_training(make: Any, tmp_path: Path) -> None:
    game = make_game("leduc")
    opponent = learn(LEARNERS["ppo"](game), 1)
    opponent.save(tmp_path)
    learner = learn(make(game, f"learned:{tmp_path}"), 1)
    counts = learner.counts
    learn(opponent, 2).save(tmp_path)
    with pytest.raises(InputError, match=r"files of the agent learned:.* have changed"):
        learn(learner, 2)
    assert (learner.counts == counts).all()


def test_a_network_without_a_checkpoint_is_not_written_over(tmp_path: Path) -> None:
    learner = LEARNERS["ppo"](make_game("leduc"))
    learner.save(tmp_path)
    with pytest.raises(InputError, match=r"model\.safetensors is of another training"):
        runs.begin(learner, tmp_path).resume_if_kept()


@every_learner
def test_every_learner_serves_a_game_of_another_package(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = kuhn(monkeypatch)
    learner = learn(LEARNERS[algorithm](game, against=["random"]), 2)
    runs.begin(learner, tmp_path).save()
    agent = make_agent(game, f"learned:{tmp_path}", 0)
    states = np.array([game.deal(np.random.default_rng(i)) for i in range(20)], game.dtype)
    shares = agent.probabilities(states)  # type: ignore[attr-defined]
    assert shares.shape == (20, 2) and np.allclose(shares.sum(1), 1)
    scores = learner.summary()["against"]
    assert set(scores) == {"random"}
    for estimate in scores["random"].values():
        assert estimate == [round(each, 4) for each in estimate]


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "updates"), [("ppo", 40), ("dmc", 40)])
def test_learners_beat_random_play(algorithm: str, updates: int) -> None:
    learner = learn(LEARNERS[algorithm](make_game("leduc")), updates)
    score = judge(learner.features.game, learner.agent(), "random", 1000, 5)
    assert score.points.low > 0.3


@pytest.mark.slow
def test_imitation_finds_the_policy_of_a_rule() -> None:
    settings = ImitationSettings(**SMALL)
    learner = learn(Imitation(make_game("doudizhu"), settings, 3, expert="rule"), 12)
    assert learner.measured["accuracy"] > 0.6


def test_batches_grow_with_what_was_learned() -> None:
    """To an eighth of all decisions and four times the games of an update at most."""
    learner = PPO(make_game("leduc"), PPOSettings(batch=50_000), 3)
    assert learner.games_in_update == 64
    learner.games, learner.updates = 20_000, 10
    for decisions, games in (
        (2, 8_000), (10_000, 8_000), (40_000, 4_096), (100_000, 2_500), (1_000_000, 1_000),
    ):  # fmt: skip
        learner.decisions = decisions
        assert learner.games_in_update == games
    learner.games = 2**60
    assert learner.games_in_update == 64 * 50_000  # not as many as a damaged file wishes


def test_speeds_are_those_since_the_last_summary() -> None:
    learner, again = (PPO(make_game("leduc"), PPOSettings(**SMALL), 3) for _ in range(2))

    def speeds(learner: PPO, decisions: int, games: int, seconds: float) -> tuple[float, float]:
        learner.decisions += decisions
        learner.games += games
        learner.seconds += seconds
        found = learner.summary()
        return found["decisions_per_second"], found["games_per_second"]

    assert speeds(learner, 300, 20, 4.0) == (75, 5)
    assert speeds(learner, 60, 30, 2.0) == (30, 15)
    again.counts = learner.counts
    assert speeds(again, 10, 2, 0.5) == (20, 4)


def test_an_interrupted_summary_leaves_the_speeds_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(name: str) -> dict[str, Any]:
        raise KeyboardInterrupt

    learner = PPO(make_game("leduc"), PPOSettings(**SMALL), 3, against=["random"])
    learner.decisions, learner.games, learner.seconds = 300, 20, 4.0
    monkeypatch.setattr(learner, "score", stop)
    with pytest.raises(KeyboardInterrupt):
        learner.summary()
    monkeypatch.setattr(learner, "score", lambda name: {})
    assert learner.summary()["decisions_per_second"] == 75


def test_evaluations_take_little_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is due after ten seconds, others after twenty times what one takes."""
    clock, costs = [0.0], iter([3.0, 0.1, 0.1])
    monkeypatch.setattr(network_learner, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    learner = PPO(make_game("leduc"), PPOSettings(**SMALL), 3, against=["random"])
    monkeypatch.setattr(learner, "update", lambda rng: {})

    def score(name: str) -> dict[str, Any]:
        clock[0] += next(costs)
        return {}

    monkeypatch.setattr(learner, "score", score)
    for pause in (10.0, 60.0, 10.0):
        end = clock[0] + pause
        for clock[0], due in ((end - 0.1, False), (end + 0.1, True)):
            assert learner.advance(0.0) is due
        learner.summary()


@every_learner
def test_counts_below_0_are_not_resumed(algorithm: str, tmp_path: Path) -> None:
    run = runs.begin(learn(LEARNERS[algorithm](make_game("leduc")), 1), tmp_path)
    run.learner.games = -3
    run.save()
    with pytest.raises(InputError, match="nothing to resume"):
        runs.begin(LEARNERS[algorithm](make_game("leduc")), tmp_path).resume()


def test_a_pool_with_the_learner_of_every_update_is_restored() -> None:
    pool = Population(make_game("leduc"), ["pool"], 1)
    pool.add(1, lambda: {"w": np.ones(2)})
    again = Population(pool.game, ["pool"], 5)
    again.restore(pool.state())
    again.add(2, lambda: {"w": np.zeros(2)})
    assert [each.tolist() for at in (1, 2) for each in again.members[at].values()] == [
        [1.0, 1.0], [0.0, 0.0]
    ]  # fmt: skip
    with pytest.raises(ValueError, match="pool"):
        again.restore({**pool.state(), "pool": np.array([0])})


@every_learner
def test_weights_for_agents_stay_as_they_are(algorithm: str) -> None:
    learner = learn(LEARNERS[algorithm](make_game("leduc")), 1)
    found = learner.agent_weights()
    kept = {name: each.copy() for name, each in found.items()}
    learn(learner, 2)
    assert all((found[name] == kept[name]).all() for name in kept)
    assert any((each != kept[name]).any() for name, each in learner.agent_weights().items())


@every_learner
def test_a_training_without_its_moments_is_not_resumed(algorithm: str) -> None:
    """Before the first update there are none."""
    learner, again = (LEARNERS[algorithm](make_game("leduc")) for _ in range(2))
    again.restore(learner.state())
    state = learn(learner, 1).state()
    bare = {name: each for name, each in state.items() if not name.startswith("optimiser.")}
    with pytest.raises(ValueError, match="moments"):
        again.restore(bare)
