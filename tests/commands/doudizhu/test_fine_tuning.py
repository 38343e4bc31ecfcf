"""The commands that fine-tune the policy network and train the bid network."""

import json
import signal
from pathlib import Path

import pytest
from support_cli import run
from support_networks import made_up, save
from support_torch import QUIET, torch

from closedhand.agents.doudizhu.deeprocket import fine_tuning, networks, sampling

pytestmark = [*QUIET, pytest.mark.usefixtures("tiny_networks")]


@pytest.mark.slow
def test_the_command_fine_tunes(untrained: Path, tmp_path: Path) -> None:
    out = tmp_path / "tuned"
    (out).mkdir()
    (out / "history.json").write_text('{"policy": []}')
    given = ["train", "self-play", "--from", str(untrained), "--out", str(out), "--minutes", "0.01",
             "--threads", "1"]  # fmt: skip
    result = run(*given)
    assert result.exit_code == 0, result.output
    assert "against the start in duplicate" in result.stdout
    history = json.loads((out / "history.json").read_text())
    assert set(history) == {"policy", "self-play"}
    last = history["self-play"][-1]
    assert last["games"] == last["step"] * fine_tuning.DEALS * sampling.TABLES
    assert 0 < last["landlord_wins"] < 1
    network, provenance = networks.load(out / "policy.safetensors", "policy")
    assert network.config["size"] == "tiny"
    assert provenance["tuned_from"] == {"rules": "deeprocket"}
    assert (out / "kicker.safetensors").read_bytes() == (
        untrained / "kicker.safetensors"
    ).read_bytes()
    # It is done: nothing more happens.
    assert run(*given).exit_code == 0
    assert json.loads((out / "history.json").read_text()) == history


@pytest.mark.slow
def test_the_command_is_interrupted_after_a_step(
    untrained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = fine_tuning.Tuning.advance

    def interrupted(self: fine_tuning.Tuning, seconds: float) -> bool:
        due = advance(self, seconds)
        signal.raise_signal(signal.SIGINT)
        return due

    monkeypatch.setattr(fine_tuning.Tuning, "advance", interrupted)
    result = run("train", "self-play", "--from", str(untrained), "--out", str(tmp_path),
                 "--minutes", "5", "--threads", "1")  # fmt: skip
    assert result.exit_code == 130, result.output
    assert "the same command resumes" in result.stderr
    assert torch.load(tmp_path / "self-play.ckpt", weights_only=True)["steps"] == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["self-play", "--from", "x", "--out", "y", "--minutes", "1"], "cannot read"),
        (["self-play", "--from", "x", "--out", "x", "--minutes", "1"], "another folder"),
        (["self-play", "--from", "x", "--out", "y", "--minutes", "0"], "must be above 0"),
        (["self-play", "--critic", "rule", "--out", "y", "--minutes", "1"], "critic is value-net"),
        (["bid-net", "--deals", "x.npz", "--out", "y"], "cannot read x.npz"),
        (["bid-net", "--deals", "bad.npz", "--out", "y"], "bad.npz is not an npz file"),
        (["bid-net", "--deals", "few.npz", "--out", "y"], "at least 3,000 games"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    save(made_up(5), tmp_path / "few.npz")
    result = run("train", *arguments)
    assert result.exit_code == 2, result.output
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0


@pytest.mark.slow
def test_the_command_trains_a_bid_network(tmp_path: Path) -> None:
    save(made_up(1000), tmp_path / "deals.npz")
    given = ["train", "bid-net", "--deals", str(tmp_path / "deals.npz"), "--out", str(tmp_path),
             "--minutes", "0.005", "--threads", "1"]  # fmt: skip
    shown = run(*given)
    assert shown.exit_code == 0, shown.output
    assert "log loss on held-out deals: network 0." in shown.stdout
    about = json.loads(run(*given, "--json").stdout)
    assert set(about["log_loss"]) == {"network", "logistic", "constant"}
    assert networks.load(tmp_path / "bid.safetensors", "bid")[1] == about
