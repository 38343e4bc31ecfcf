"""The training of the network: resumption, stages, averaging."""

from pathlib import Path

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.value_net import files, network, training
from closedhand.core import duplicate, threads
from closedhand.core.run import Run
from closedhand.learning.evaluation import judge

GAME = make_game("doudizhu", objective="win")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "GAMES", 24)
    monkeypatch.setattr(training, "PIECE", 8)
    monkeypatch.setattr(training, "AVERAGED_EVERY", 2)
    monkeypatch.setattr(training, "DEALS", 20)


def alike(one: training.Training, two: training.Training) -> bool:
    mine, yours = one.state(), two.state()
    return all(np.array_equal(mine[name], yours[name]) for name in mine)


def test_a_resumed_run_goes_on_as_if_uninterrupted(tmp_path: Path) -> None:
    whole = training.begin(GAME, 3, tmp_path / "whole").learner
    for _ in range(5):
        whole.step()
    run = training.begin(GAME, 3, tmp_path)
    for _ in range(3):
        run.learner.step()
    run.save()
    resumed = training.begin(GAME, 3, tmp_path)
    resumed.resume()
    for _ in range(2):
        resumed.learner.step()
    assert resumed.learner.steps == 5 and alike(resumed.learner, whole)
    assert not alike(run.learner, whole)


def test_threads_do_not_change_what_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for cores in (1, 3):
        monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
        runs.append(training.Training(GAME, 4))
        for _ in range(2):
            runs[-1].step()
    assert alike(*runs)


def test_other_settings_are_not_resumed(tmp_path: Path) -> None:
    training.begin(GAME, 3, tmp_path).save()
    with pytest.raises(InputError, match="seed 3, not 4"):
        training.begin(GAME, 4, tmp_path).resume()
    with pytest.raises(InputError, match="objective win, not score"):
        training.begin(make_game("doudizhu"), 3, tmp_path).resume()
    with pytest.raises(InputError, match="leave out all options but objective"):
        training.begin(make_game("doudizhu", bidding=True), 3, tmp_path)


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("net_dense", np.full(network.SHAPES.dense, np.nan, np.float32), "net_dense contains NaN"),
        ("steps", np.array(-1), "a count is negative"),
    ],
)
def test_a_damaged_checkpoint_is_named(
    tmp_path: Path, name: str, array: np.ndarray, reason: str
) -> None:
    training.begin(GAME, 3, tmp_path).save()
    path = tmp_path / training.CHECKPOINT
    with np.load(path) as data:
        np.savez(path, **{**data, name: array})
    with pytest.raises(InputError, match=f"{path} cannot be resumed: {reason}"):
        training.begin(GAME, 3, tmp_path).resume()


def test_a_stage_goes_on_from_a_file(tmp_path: Path) -> None:
    run = training.begin(GAME, 3, tmp_path)
    for _ in range(2):
        run.learner.step()
    run.save()
    file = tmp_path / files.NAME
    stage = training.begin(GAME, 5, tmp_path / "stage", file).learner
    assert (stage.steps, stage.games) == (2, 48) and stage.samples == run.learner.samples
    assert stage.rate == run.learner.rate
    # The file holds the mean, rounded.
    assert np.abs(stage.net.inputs - run.learner.learned.inputs).max() < 0.01
    again = training.begin(GAME, 5, tmp_path / "stage", file).learner
    for each in (stage, again):
        each.step()
    assert alike(stage, again)


def test_a_stage_does_not_overwrite_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner = training.Training(GAME, 3)
    files.save(tmp_path / files.NAME, learner.learned, learner.about)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is the network to start from: choose another folder"):
        training.begin(GAME, 3, tmp_path, Path(files.NAME))


def test_a_stage_is_resumed_with_the_same_network_only(tmp_path: Path) -> None:
    paths = [tmp_path / f"{seed}.npz" for seed in range(2)]
    for seed, path in enumerate(paths):
        learner = training.Training(GAME, seed)
        learner.step()
        files.save(path, learner.learned, learner.about)

    def stage(start: Path) -> Run[training.Training]:
        return training.begin(GAME, 5, tmp_path / "stage", start)

    stage(paths[0]).save()
    moved = paths[0].rename(tmp_path / "moved.npz")
    stage(moved).resume()
    with pytest.raises(InputError, match="was made with files from="):
        stage(paths[1]).resume()


def test_a_network_without_a_checkpoint_is_not_written_over(tmp_path: Path) -> None:
    training.begin(GAME, 3, tmp_path).save()
    (tmp_path / training.CHECKPOINT).unlink()
    with pytest.raises(InputError, match="of another training"):
        training.begin(GAME, 3, tmp_path).resume_if_kept()


def test_a_network_for_the_other_objective_plays_the_same_at_first(tmp_path: Path) -> None:
    run = training.begin(GAME, 3, tmp_path)
    for _ in range(4):
        run.learner.step()
    run.save()
    points = make_game("doudizhu")
    other = training.Training(points, 0, tmp_path / files.NAME)
    assert other.objective == "score" and other.steps == 4
    # Rounding may decide between equal values.
    same = make_agent(GAME, f"value-net:{tmp_path}")
    scores = [judge(GAME, agent, "decompose", 20, 0) for agent in (same, other.agent())]
    assert scores[0] == scores[1]


def test_the_mean_is_that_of_the_last_part() -> None:
    mean, values = np.zeros(1, np.float32), np.arange(400, dtype=np.float32)
    for k, value in enumerate(values, 1):
        part = np.float32(training.LAST_PART / (k + training.LAST_PART - 1))
        training.mix(mean, np.array([value]), part)
        if k == 1:
            assert mean[0] == value
    assert mean[0] == pytest.approx(0.9 * 399, rel=0.01)


def test_an_agent_stays_as_it_is_while_the_training_goes_on() -> None:
    run = training.Training(GAME, 1)
    net = run.agent().kernel_policy.net
    assert not any(
        np.shares_memory(part, weights) for part in net for weights in (*run.mean, *run.net)
    )


def test_an_untrained_network_plays_as_decompose() -> None:
    agent = training.Training(GAME, 1).agent()
    assert judge(GAME, agent, "decompose", 20, 0).won == (0.5, 0.5, 0.5)
    agents, dealt = duplicate.start(GAME, [agent, "decompose"], 1, range(30))
    ends = [dealt.copy(), dealt.copy()]
    for player, states in zip(agents, ends, strict=True):
        duplicate.play_out(GAME, states, np.zeros((30, 3), int), [player])
    assert np.array_equal(*ends)


def test_the_summary_counts_and_measures() -> None:
    run = training.Training(GAME, 2)
    run.step()
    found = run.summary()
    assert found["steps"] == 1 and found["games"] == 24 and found["samples"] == run.samples
    assert 0.3 < found["loss"] < 1
    assert found["won"] == judge(GAME, run.agent(), "decompose", 20, 0).entry()["won"]
    assert not run.losses.any()


@pytest.mark.slow
def test_some_steps_lower_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "GAMES", 512)
    monkeypatch.setattr(training, "PIECE", 128)
    run, losses = training.Training(GAME, 6), []
    for _ in range(112):
        run.step()
        losses.append(run.losses[0] / run.losses[1])
        run.losses[:] = 0
    assert np.mean(losses[-4:]) < np.mean(losses[:4]) - 0.05
