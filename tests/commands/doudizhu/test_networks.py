"""From games to networks on the command line."""

from pathlib import Path
from typing import Any

import pytest
from support_cli import run, run_to
from support_torch import QUIET

from closedhand import InputError

pytest.importorskip("pyarrow")

pytestmark = QUIET


def test_from_games_to_networks_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generate = ("records", "generate", "doudizhu", "--agents", "greedy,rule", "--games", "60",
                "--out", "games", "--workers", "1")  # fmt: skip
    result = run(*generate)
    assert result.exit_code == 0, result.output
    assert result.stdout == "games holds 60 games in 1 shard\n"
    for kind in ("policy", "kicker"):
        result = run("train", f"{kind}-net", "--records", "games", "--out", "net", "--steps", "3",
                     "--batch", "16", "--expert", "greedy", "--threads", "1")  # fmt: skip
        assert result.exit_code == 0, result.output
        assert "3 steps" in result.stdout
        assert f"saved net/{kind}.safetensors" in result.stdout
    assert {"policy.safetensors", "kicker.safetensors", "history.json"} <= {
        path.name for path in Path("net").iterdir()
    }
    for number in ("0", "-1", "9999"):
        result = run("train", "policy-net", "--records", "games", "--out", "other", "--steps", "1",
                     "--device", "cpu", "--devices", number)  # fmt: skip
        assert result.exit_code == 2
        assert "cannot train with these settings" in result.stderr


@pytest.mark.parametrize(
    ("options", "switches"),
    [
        ([], (True, None, None)),
        (["--no-skips"], (False, None, None)),
        (["--strides", "--status"], (True, True, True)),
        (["--plain"], (False, True, False)),
    ],
)
def test_the_switches_of_the_network(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    switches: tuple[bool, bool | None, bool | None],
) -> None:
    """`--plain` is what the paper's text has: strides, and no additions of ours."""
    monkeypatch.chdir(tmp_path)
    asked: list[Any] = []

    def train(kind: str, records: Path, out: Path, settings: Any, **given: Any) -> Any:
        asked.append(settings)
        raise InputError("enough")

    monkeypatch.setattr("closedhand.agents.doudizhu.deeprocket.supervised.train", train)
    run("train", "policy-net", "--records", "x", "--out", "n", "--role", "up", *options)
    (given,) = asked
    assert (given.skips, given.strides, given.status) == switches
    assert given.role == "up"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["train", "chess", "--out", "x"], "no game 'chess' to train"),
        (["train", "policy-net", "--records", "x", "--out", "y", "--steps", "1"], "cannot read x"),
        (["train", "policy-net", "--records", "x", "--out", "y"], "--minutes or --steps"),
        (["train", "kicker_net", "--records", "x", "--out", "y", "--minutes", "nan"],
         "must be above 0"),
        (["train", "policy-net", "--records", "x", "--out", "y", "--steps", "1", "--size", "big"],
         "no size 'big'"),
        (["records", "generate", "leduc", "--agents", "random", "--out", "x"], "end in .jsonl"),
        (["records", "generate", "doudizhu", "--agents", "nobody", "--out", "x"],
         "no agent 'nobody'"),
        (["records", "generate", "doudizhu", "--agents", "rule", "--out", "x", "--option",
          "bidding=true"], "without bidding"),
        (["records", "generate", "doudizhu", "--agents", "rule", "--out", "x", "--games",
          "1000000000000"], "at most 100,000,000, not"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0


def test_the_accuracy_is_that_of_the_network_that_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from closedhand.agents.doudizhu.deeprocket import networks

    def check(won: float, right: float) -> dict[str, Any]:
        counts = {"step": 1, "seconds": 1, "pairs_per_second": 1}
        return {**counts, "win_rate": won, "accuracy": {"all": right}}

    checks = [check(0.6, 0.5), check(0.4, 0.7)]

    def train(kind: str, records: Path, out: Path, settings: Any, **given: Any) -> Any:
        return networks.Result(out / "policy.safetensors", checks, False)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("closedhand.agents.doudizhu.deeprocket.supervised.train", train)
    command = ("train", "policy-net", "--records", "x", "--out", "n", "--steps", "9")
    shown = run(*command).stdout
    assert "50.0% accuracy" in shown and "ended early" not in shown
    checks += [check(0.5, 0.5)] * 19
    assert "ended early: no better network in the last 20 checks" in run(*command).stdout


def test_a_training_may_be_interrupted_before_its_first_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from closedhand.agents.doudizhu.deeprocket import networks

    def train(kind: str, records: Path, out: Path, settings: Any, **given: Any) -> Any:
        return networks.Result(out / "policy.safetensors", [], True)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("closedhand.agents.doudizhu.deeprocket.supervised.train", train)
    result = run_to(130, "train", "policy-net", "--records", "x", "--out", "n", "--steps", "9")
    assert result.stdout == "" and "interrupted" in result.stderr
