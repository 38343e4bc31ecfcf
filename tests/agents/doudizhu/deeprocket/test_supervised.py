"""Supervised training of the networks."""

import itertools
import json
import signal
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_torch import QUIET, torch

from closedhand import InputError
from closedhand.agents.doudizhu.deeprocket import networks, pairs, recorded
from closedhand.core import interrupt
from closedhand.core.reading import checksum
from closedhand.learning.runs import logs

pytest.importorskip("pyarrow")

pytestmark = QUIET


@pytest.fixture
def supervised() -> Any:
    """The module, imported late: a run without these tests does not wait for Lightning."""
    return import_module("closedhand.agents.doudizhu.deeprocket.supervised")


@pytest.fixture
def learner() -> Any:
    """The module, imported late as well."""
    return import_module("closedhand.agents.doudizhu.deeprocket.learner")


def test_training_learns(trained: Path) -> None:
    history = json.loads((trained / "history.json").read_text())
    assert set(history) == {"policy", "kicker"}
    for checks in history.values():
        assert [check["step"] for check in checks] == [20, 40]
        assert checks[1]["loss"] < checks[0]["loss"]
        assert checks[1]["learning_rate"] < 1e-8
    assert history["policy"][1]["held_out_loss"] < history["policy"][0]["held_out_loss"]
    accuracy = history["policy"][-1]["accuracy"]
    # A guess among the legal groups is right about 13 times in 100.
    assert accuracy["all"] > 0.25
    assert set(accuracy) == {"all", "landlord", "down peasant", "up peasant"}
    assert list((trained / "tensorboard" / "policy").glob("events*"))
    assert not list(trained.glob("*.part"))


def test_the_best_network_is_kept(trained: Path, games: recorded.Games) -> None:
    from closedhand.agents.doudizhu.deeprocket.accuracy import accuracies, evaluate

    network, provenance = networks.load(trained / "policy.safetensors", "policy")
    rows = pairs.index(games, "policy")
    held = rows[pairs.is_held_out(games.deals)[rows[:, 0]]]
    found = accuracies(evaluate(network, games, "policy", held))
    assert found == pytest.approx(provenance["accuracy"], abs=1e-3)
    assert provenance["step"] in (20, 40)
    assert provenance["rules"] == "deeprocket"


def test_a_training_goes_on_from_a_network(
    supervised: Any, learner: Any, trained: Path, folder: Path, tmp_path: Path
) -> None:
    """It begins with what the network has learned, and says from which file."""
    start = trained / "policy.safetensors"
    settings = supervised.Settings(steps=20, batch=64, threads=1, checks=2, start=start)
    result = supervised.train("policy", folder, tmp_path, settings)
    before = json.loads((trained / "history.json").read_text())["policy"]
    assert result.history[0]["loss"] < before[0]["loss"]
    _, about = networks.load(result.path, "policy")
    assert about["start"] == checksum(start)
    assert about["learned_before"]["step"] in (20, 40)
    usual = learner.LEARNING_RATES["small"] * learner.annealed(0.5)
    assert result.history[0]["learning_rate"] == pytest.approx(usual / 2)
    other = supervised.Settings(steps=1, start=start, skips=False)
    with pytest.raises(InputError, match=r"policy.safetensors was made with skips True, not False"):
        supervised.train("policy", folder, tmp_path / "other", other)


def test_training_is_interrupted_and_goes_on(
    supervised: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    started: list[int] = []
    batches = pairs.Stream.batches_of_rows
    monkeypatch.setattr(
        pairs.Stream,
        "batches_of_rows",
        lambda self, step: started.append(step) or batches(self, step),
    )

    def interrupt(share: float, text: str) -> None:
        if share > 0:
            signal.raise_signal(signal.SIGINT)

    def train(**given: Any) -> Any:
        chosen = {"steps": 6, "batch": 16, "threads": 1, **given}
        called = {name: chosen.pop(name) for name in ("restart", "progress") if name in chosen}
        settings = supervised.Settings(**chosen)
        return supervised.train("kicker", folder, tmp_path, settings, **called)

    result = train(progress=interrupt)
    assert result.interrupted
    assert [check["step"] for check in result.history][-1] == 2
    result = train()
    assert not result.interrupted
    assert result.history[-1]["step"] == 6
    assert started == [0, 2]
    # It is done: nothing more happens.
    assert train().history == result.history
    assert started == [0, 2]
    with pytest.raises(InputError, match="made with batch 16, not 8"):
        train(batch=8)
    before = logs(tmp_path / "tensorboard" / "kicker")
    for i, log in enumerate(sorted(before, key=lambda path: path.stat().st_mtime_ns)):
        log.rename(log.with_name(f"events.out.tfevents.{i}"))  # their order, within a second
    result = train(batch=8, restart=True)
    assert result.history[-1]["step"] == 6
    curves = EventAccumulator(str(tmp_path / "tensorboard" / "kicker")).Reload()
    shown = [each.step for each in curves.Scalars("accuracy/all")]
    assert shown == [check["step"] for check in result.history]
    (tmp_path / "kicker.ckpt").write_text("nothing")
    with pytest.raises(InputError, match="cannot resume") as caught:
        train()
    assert "\n" not in str(caught.value)


def test_as_many_pairs_of_other_records_are_not_gone_on_with(
    supervised: Any, folder: Path, games: recorded.Games, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    given = {"steps": 2, "batch": 16, "threads": 1}
    supervised.train("kicker", folder, tmp_path, supervised.Settings(**given))
    ends = games.offsets.tolist()
    parts = [
        games._replace(
            deals=games.deals[i : i + 1],
            actions=games.actions[start:stop],
            offsets=np.array([0, stop - start]),
            seats=games.seats[i : i + 1],
        )
        for i, (start, stop) in enumerate(itertools.pairwise(ends))
    ]
    again, others = recorded.join(parts), recorded.join(parts[::-1])
    monkeypatch.setattr(recorded, "read", lambda *_: again)
    supervised.train("kicker", folder, tmp_path, supervised.Settings(**given))
    monkeypatch.setattr(recorded, "read", lambda *_: others)
    with pytest.raises(InputError, match="was made with files records="):
        supervised.train("kicker", folder, tmp_path, supervised.Settings(**given))


@pytest.mark.slow
def test_time_ends_training_and_anneals_it(supervised: Any, folder: Path, tmp_path: Path) -> None:
    result = supervised.train(
        "kicker",
        folder,
        tmp_path,
        supervised.Settings(minutes=0.02, batch=16, threads=1, patience=100),
    )
    assert result.history[-1]["seconds"] >= 1.2
    assert result.history[-1]["learning_rate"] < 1e-8


def test_training_stops_when_it_is_stuck(
    supervised: Any, learner: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(learner.LEARNING_RATES, "small", 0.0)
    result = supervised.train(
        "kicker",
        folder,
        tmp_path,
        supervised.Settings(steps=100, batch=16, threads=1, checks=50, patience=3),
    )
    assert [check["step"] for check in result.history] == [2, 4, 6, 8]
    # It is done, also with more steps: not even one batch is learned.
    monkeypatch.setattr(supervised, "Learner", lambda *_: 1 / 0)
    settings = supervised.Settings(steps=200, batch=16, threads=1, checks=50, patience=3)
    assert supervised.train("kicker", folder, tmp_path, settings).history == result.history


def test_the_decisions_of_one_role_are_learned(
    supervised: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    encode = pairs.encode

    def note(games: recorded.Games, kind: str, rows: Any) -> pairs.Batch:
        batch = encode(games, kind, rows)
        seen.extend(batch.status[:, :3].argmax(1).tolist())
        return batch

    monkeypatch.setattr(pairs, "encode", note)
    settings = {"steps": 2, "batch": 16, "threads": 1, "role": "down"}
    result = supervised.train("policy", folder, tmp_path, supervised.Settings(**settings))
    assert set(seen) == {1}
    assert result.history[-1]["accuracy"]["landlord"] is None
    with pytest.raises(InputError, match="made with role down, not up"):
        supervised.train(
            "policy", folder, tmp_path, supervised.Settings(**{**settings, "role": "up"})
        )
    with pytest.raises(InputError, match="no role 'queen'; there are landlord, down, up"):
        supervised.train(
            "policy", folder, tmp_path, supervised.Settings(**{**settings, "role": "queen"})
        )
    with pytest.raises(InputError, match="seed"):
        supervised.train("policy", folder, tmp_path, supervised.Settings(seed=-1, **settings))


def test_the_network_that_plays_best_is_kept(
    supervised: Any, learner: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the most accurate one, if it is chosen by play; and all of them play."""
    monkeypatch.setattr(learner, "SELECTION", 4)
    real, found = learner.win_rate, []

    def first_is_best(*given: Any) -> float:
        found.append(real(*given))
        return 0.9 / len(found)

    monkeypatch.setattr(learner, "win_rate", first_is_best)
    given = {"steps": 6, "batch": 16, "threads": 1, "checks": 3}
    with pytest.raises(InputError, match="no-such-agent"):
        supervised.train(
            "policy", folder, tmp_path, supervised.Settings(select="no-such-agent", **given)
        )
    result = supervised.train(
        "policy", folder, tmp_path, supervised.Settings(select="random", **given)
    )
    assert [check["win_rate"] for check in result.history] == [0.9, 0.45, 0.9 / 3]
    assert len(found) == 3 and all(0 <= each <= 1 and 8 * each % 1 == 0 for each in found)
    _, provenance = networks.load(result.path, "policy")
    assert (provenance["step"], provenance["win_rate"]) == (2, 0.9)
    assert provenance["select"] == "random"
    with pytest.raises(InputError, match="select"):
        supervised.train("policy", folder, tmp_path, supervised.Settings(**{**given, "steps": 7}))


@pytest.mark.parametrize("earlier", [0, 1])
def test_ctrl_c_during_a_check_by_play_saves_what_is_learned(
    earlier: int, supervised: Any, learner: Any, folder: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The same training goes on until its last check, also if it has had earlier ones."""

    def train() -> Any:
        checks = 1 + earlier
        settings = supervised.Settings(steps=2, batch=16, threads=1, checks=checks, select="random")
        return supervised.train("kicker", folder, tmp_path, settings)

    def interrupted(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        interrupt.check()

    wins = [0.5] * earlier
    monkeypatch.setattr(learner, "win_rate", lambda *_: wins.pop() if wins else interrupted())
    result = train()
    assert result.interrupted and len(result.history) == earlier == result.path.exists()
    monkeypatch.setattr(learner, "win_rate", lambda *_: 0.6)
    result = train()
    assert [each["win_rate"] for each in result.history] == [0.5] * earlier + [0.6]
    assert not result.interrupted and result.path.exists()


def test_checks_by_play_are_of_games_to_win(
    learner: Any, games: recorded.Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some agents play otherwise for points; a check counts wins."""
    judged = []
    real = learner.judge
    monkeypatch.setattr(learner, "SELECTION", 1)
    monkeypatch.setattr(learner, "judge", lambda game, *_: judged.append(game) or real(game, *_))
    learner.win_rate(networks.Network("kicker"), games.game, "random")
    (game,) = judged
    assert game.options == {**games.game.options, "objective": "win"}


def test_a_network_of_another_training_is_not_overwritten(
    supervised: Any, folder: Path, tmp_path: Path
) -> None:
    best, checkpoint = tmp_path / "kicker.safetensors", tmp_path / "kicker.ckpt"

    def train(**given: Any) -> Any:
        settings = supervised.Settings(steps=2, batch=16, threads=1, checks=1)
        return supervised.train("kicker", folder, tmp_path, settings, **given)

    train()
    made = best.read_bytes()
    kept = checkpoint.read_bytes()
    checkpoint.unlink()
    with pytest.raises(InputError, match="is of another training"):
        train()
    assert best.read_bytes() == made
    checkpoint.write_bytes(kept)
    best.unlink()
    with pytest.raises(InputError, match="is missing: add --restart"):
        train()
    train(restart=True)
    assert best.exists()


def test_a_checkpoint_comes_before_the_first_network(
    supervised: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between them would leave a network that counts as another training's."""
    resumable: list[bool] = []
    save = networks.save

    def noting(path: Path, *given: Any) -> None:
        resumable.append(path.with_suffix(".ckpt").exists())
        save(path, *given)

    monkeypatch.setattr(networks, "save", noting)
    settings = supervised.Settings(steps=2, batch=16, threads=1, checks=1)
    supervised.train("kicker", folder, tmp_path, settings)
    assert resumable == [True]


@pytest.mark.parametrize("restart", [False, True])
def test_the_network_to_start_from_is_not_overwritten(
    supervised: Any, folder: Path, tmp_path: Path, restart: bool
) -> None:
    start = tmp_path / "kicker.safetensors"
    networks.save(start, networks.Network("kicker"), {})
    made = start.read_bytes()
    settings = supervised.Settings(steps=2, batch=16, threads=1, start=start)
    with pytest.raises(InputError, match="is the network to start from: choose another folder"):
        supervised.train("kicker", folder, tmp_path, settings, restart=restart)
    assert start.read_bytes() == made


def test_a_damaged_checkpoint_is_one_line(supervised: Any, folder: Path, tmp_path: Path) -> None:
    def train(steps: int) -> Any:
        settings = supervised.Settings(steps=steps, batch=16, threads=1, checks=1)
        return supervised.train("kicker", folder, tmp_path, settings)

    train(2)
    path = tmp_path / "kicker.ckpt"
    whole = torch.load(path, weights_only=True)
    for part, key in (
        ("state_dict", "network.head.bias"),
        ("closedhand", "step"),
        ("closedhand", "checks"),
    ):
        lacking = {name: each for name, each in whole[part].items() if name != key}
        torch.save({**whole, part: lacking}, path)
        with pytest.raises(InputError, match=r"cannot resume .*kicker\.ckpt") as caught:
            train(4)
        assert "\n" not in str(caught.value)
    torch.save(whole, path)
    assert train(4).history[-1]["step"] == 4


def test_records_that_are_not_legal_are_named(
    supervised: Any, folder: Path, games: recorded.Games, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    actions = games.actions.copy()
    actions[0] = 65_535
    monkeypatch.setattr(recorded, "read", lambda *_: games._replace(actions=actions))
    with pytest.raises(InputError, match=f"{folder}: game 0 of the records is not legal"):
        supervised.train("kicker", folder, tmp_path, supervised.Settings(steps=1))


def test_a_device_whose_library_is_missing_is_refused(supervised: Any) -> None:
    with pytest.raises(InputError, match="cannot train with these settings"):
        supervised.trainer_of(supervised.Settings(device="tpu"), None)
