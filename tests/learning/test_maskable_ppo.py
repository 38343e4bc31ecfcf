"""MaskablePPO of Stable-Baselines3: it learns, resumes, and its network plays without it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_learners import kuhn, learn

from closedhand import InputError, make_agent, make_game

pytest.importorskip("sb3_contrib")

from closedhand.core.agent_spec import AgentSpec
from closedhand.learning import runs
from closedhand.learning.evaluation import judge
from closedhand.learning.maskable_ppo import MaskablePPO, MaskablePPOSettings

SMALL: dict[str, Any] = {"batch": 512, "minibatch": 256, "games": 32, "width": 32}


def learner(game: Any, opponents: list[Any] | None = None, seed: int = 3) -> MaskablePPO:
    return MaskablePPO(game, MaskablePPOSettings(**SMALL), seed, opponents)


def weights_of(learner: MaskablePPO) -> np.ndarray:
    return np.concatenate([np.ravel(each) for each in learner.agent_weights().values()])


def views_of(game: Any, number: int) -> np.ndarray:
    states = [game.deal(np.random.default_rng(i)) for i in range(number)]
    return np.array([game.view(state, int(state["player"])) for state in states], game.dtype)


def test_the_same_seed_gives_the_same_network_and_leaves_other_randomness_alone() -> None:
    game = make_game("leduc")
    np.random.seed(7)
    expected = np.random.random()
    np.random.seed(7)
    found, again, other = (weights_of(learn(learner(game, seed=seed), 2)) for seed in (3, 3, 4))
    assert np.random.random() == expected
    assert (found == again).all() and (found != other).any()


def test_weights_for_agents_stay_as_they_are() -> None:
    trained = learn(learner(make_game("leduc")), 1)
    found = trained.agent_weights()
    kept = {name: each.copy() for name, each in found.items()}
    learn(trained, 2)
    assert all((found[name] == kept[name]).all() for name in kept)


def test_it_learns_from_payoffs_of_size_1() -> None:
    """Rewards are divided by the standard deviation of the payoffs of random play."""
    envs = learner(make_game("leduc"), ["random"]).model.env
    assert envs is not None
    envs.reset()
    rewards = []
    for _ in range(40):
        actions = np.array([mask.argmax() for mask in envs.env_method("action_masks")])
        rewards.append(envs.step(actions)[1])
    paid = np.abs(np.concatenate(rewards))
    assert 0.05 < paid[paid > 0].mean() < 3


def test_a_resumed_training_has_weights_moments_and_counts(tmp_path: Path) -> None:
    game = make_game("leduc")
    run = runs.begin(learn(learner(game, ["self", "random"]), 2), tmp_path)
    run.save()
    resumed = runs.begin(learner(game, ["self", "random"]), tmp_path)
    resumed.resume()
    before, after = run.learner.state(), resumed.learner.state()
    assert before.keys() == after.keys()
    assert all((before[name] == after[name]).all() for name in before)
    assert after["counts"][1] > 0 and any("exp_avg" in name for name in after)
    learn(resumed.learner, 3)
    assert (weights_of(resumed.learner) != weights_of(run.learner)).any()


def test_agents_as_objects_are_named_in_the_files_of_a_training(tmp_path: Path) -> None:
    game = make_game("leduc")
    agents = ["self", make_agent(game, "random"), AgentSpec("random")]
    runs.begin(learn(learner(game, agents), 1), tmp_path).save()
    runs.begin(learner(game, ["self", "random", "random"]), tmp_path).resume()


def test_sessions_play_other_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from closedhand.envs.vector import GameVectorEnv

    seeds: list[Any] = []
    reset = GameVectorEnv.reset

    def note(self: Any, *, seed: Any = None, options: Any = None) -> Any:
        seeds.append(seed)
        return reset(self, seed=seed, options=options)

    monkeypatch.setattr(GameVectorEnv, "reset", note)
    game = make_game("leduc")
    runs.begin(learn(learner(game, ["random"]), 1), tmp_path).save()
    first = len(seeds)
    resumed = runs.begin(learner(game, ["random"]), tmp_path)
    resumed.resume()
    learn(resumed.learner, 2)
    assert first == 2 and len(set(seeds)) == len(seeds) == 4  # one env for each seat


@pytest.mark.parametrize("observation", ["compact", "planes"])
def test_the_exported_network_has_the_library_s_policy(observation: str, tmp_path: Path) -> None:
    game = make_game("leduc")
    settings = MaskablePPOSettings(**SMALL, observation=observation)
    trained = learn(MaskablePPO(game, settings, 3), 3)
    runs.begin(trained, tmp_path).save()
    views = views_of(game, 20)
    seen, masks = trained.features.encode(views)
    tensors, _ = trained.model.policy.obs_to_tensor(seen)
    theirs = trained.model.policy.get_distribution(tensors, masks.astype(bool))
    ours = make_agent(game, f"learned:{tmp_path}").probabilities(views)
    assert np.allclose(ours, theirs.distribution.probs.detach().numpy(), atol=1e-6)
    assert np.abs(ours.max(axis=1) - 1 / masks.sum(axis=1)).max() > 1e-4  # it has learned


WITHOUT_SB3 = """
import sys
for name in ("stable_baselines3", "sb3_contrib", "tensorboard", "lightning"):
    sys.modules[name] = None
from closedhand import make_agent, make_game
import numpy as np
game = make_game("leduc")
agent = make_agent(game, f"learned:{sys.argv[1]}", 5)
state = game.deal(np.random.default_rng(1))
print(agent.act(game.view(state, int(state["player"]))))
"""


@pytest.mark.slow
def test_the_file_is_played_without_the_library(tmp_path: Path) -> None:
    game = make_game("leduc")
    runs.begin(learn(learner(game), 1), tmp_path).save()
    program = [sys.executable, "-W", "ignore", "-c", WITHOUT_SB3, str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    state = game.deal(np.random.default_rng(1))
    agent = make_agent(game, f"learned:{tmp_path}", 5)
    assert int(done.stdout) == agent.act(game.view(state, int(state["player"])))


def test_a_game_of_another_package_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    game = kuhn(monkeypatch)
    found = learn(learner(game, ["self", "random"]), 2)
    # All own actions are decisions: a player of Kuhn poker always has two.
    assert found.decisions == found.moves > found.games > 0
    assert found.summary()["updates"] == 2


def test_bad_opponents_are_refused() -> None:
    game = make_game("leduc")
    with pytest.raises(InputError, match="no pool"):
        learner(game, ["self", "pool"])
    with pytest.raises(InputError, match="no agent 'nobody'"):
        learner(game, ["nobody"])


@pytest.mark.parametrize(("batch", "rows", "minibatch"), [(64, 64, 1), (64, 64, 63), (1, 4, 3)])
def test_no_row_is_alone_in_a_minibatch(batch: int, rows: int, minibatch: int) -> None:
    """The fewest rows are two steps of both seats."""
    settings = MaskablePPOSettings(games=1, batch=batch, minibatch=minibatch)
    message = f"{rows} rows in minibatches of {minibatch} leave one alone"
    with pytest.raises(InputError, match=message):
        MaskablePPO(make_game("leduc"), settings)


@pytest.mark.slow
@pytest.mark.parametrize("opponents", [None, ["random"]])
def test_it_beats_random_play(opponents: list[str] | None) -> None:
    trained = learn(learner(make_game("leduc"), opponents), 80)
    assert judge(trained.features.game, trained.agent(), "random", 1000, 5).points.low > 0.3
