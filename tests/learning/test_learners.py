"""The deep learners: they learn, resume exactly, and end as agents, in any game."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support_learners import SMALL, kuhn, learn, write_untrained

from closedhand import InputError, make_agent, make_game
from closedhand.learning import runs
from closedhand.learning.dmc import DMC, DMCSettings
from closedhand.learning.evaluation import judge
from closedhand.learning.imitation import Imitation, ImitationSettings
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


@pytest.mark.parametrize(("deals", "seed"), [(0, 1), (1, -1)])
def test_judgements_check_their_numbers(deals: int, seed: int) -> None:
    game = make_game("leduc")
    with pytest.raises(InputError, match="is a whole number of"):
        judge(game, make_agent(game, "random"), make_agent(game, "random"), deals, seed)


@every_learner
def test_resuming_is_exact(algorithm: str, tmp_path: Path) -> None:
    game = make_game("leduc")
    whole = learn(LEARNERS[algorithm](game), 6)
    run = runs.begin(learn(LEARNERS[algorithm](game), 3), tmp_path)
    run.save()
    resumed = runs.begin(LEARNERS[algorithm](game), tmp_path)
    resumed.resume()
    assert resumed.learner.updates == 3
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


def test_a_network_without_its_checkpoint_is_written_over_by_its_own_training(
    tmp_path: Path,
) -> None:
    """A kill between the two leaves it behind."""
    game = make_game("leduc")
    learn(LEARNERS["ppo"](game), 1).save(tmp_path)
    runs.check_free(LEARNERS["ppo"](game), tmp_path)
    for other in (PPO(game, PPOSettings(**SMALL), 4), LEARNERS["dmc"](game)):
        with pytest.raises(InputError, match="of another training"):
            runs.check_free(other, tmp_path)


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
    assert set(learner.summary()["against"]) == {"random"}


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
