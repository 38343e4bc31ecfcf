"""The command `train`."""

import json
from pathlib import Path

import pytest
from support_cli import run

from closedhand import InputError, make_game
from closedhand.commands import self_play
from closedhand.core.agent_spec import split_agents
from closedhand.core.agents import traits_of
from closedhand.learning.algorithms import ON_GPU

pytestmark = pytest.mark.usefixtures("in_empty_folder")


@pytest.mark.parametrize(
    ("game", "algorithm", "agent"),
    [
        ("daihinmin", "playouts", 'monte-carlo:2000:"a,b/playouts.npz"'),
        ("daihinmin", "policy", 'policy:"a,b/policy.npz"'),
        ("doudizhu", "decompose", 'decompose:"a,b/decompose.npz"'),
    ],
)
def test_agents_of_folders_with_commas_are_quoted(
    game: str, algorithm: str, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        self_play, "work_for", lambda run, *_, **__: setattr(run.learner, "steps", 1)
    )
    result = run("train", game, "--algorithm", algorithm, "--minutes", "1e-9", "--out", "a,b")
    assert result.stdout.endswith(f" games: play with them as {agent}\n"), result.output
    assert split_agents(f"random,{agent}") == ["random", agent]
    Path(f"a,b/{algorithm}.npz").touch()
    assert traits_of(make_game(game), agent).files == (Path(f"a,b/{algorithm}.npz"),)


@pytest.mark.parametrize("name", ["doudizhu", "chinese_poker", "chinese-poker", "policy-net"])
def test_trainings_describe_themselves(name: str) -> None:
    result = run("train", name, "--help")
    assert result.exit_code == 0
    assert "--out" in result.stdout


def test_options_are_shown_by_the_learners_that_take_them() -> None:
    help = " ".join(run("train", "doudizhu", "--help").stdout.split())
    every, own = (help.index(f"Options of {name}") for name in ("ppo, dmc", "decompose, value-net"))
    assert help.index("--algorithm") < every < help.index("--opponents") < own
    assert own < help.index("--from")
    assert "--from" not in run("train", "leduc", "--help").stdout


def test_a_device_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    from closedhand.cli.learn import device_for

    monkeypatch.setenv("CLOSEDHAND_CUBINS", "x")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_for("auto", None, None) == "cpu" == device_for("cpu", "rule", None)
    with pytest.raises(InputError, match="device 'cuda' is not available"):
        device_for("cuda", None, None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    assert device_for("auto", None, None) == "cuda"
    assert device_for("auto", "rule", None) == device_for("auto", None, "ray://x") == "cpu"
    assert device_for("cuda", None, None) == "cuda:0"
    with pytest.raises(InputError, match="leave out --opponents"):
        device_for("cuda", "rule", None)
    with pytest.raises(InputError, match="there are 1 GPUs"):
        device_for("cuda:3", None, None)


def test_no_gpu_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name in ON_GPU:
        result = run("train", "leduc", "--algorithm", name, "--device", "cuda", "--out", "x")
        assert result.exit_code == 2
        assert "device 'cuda' is not available" in result.output
    result = run("train", "leduc", "--algorithm", "imitation", "--device", "cuda", "--out", "x")
    assert result.exit_code == 2 and "leave out --device" in result.output


def test_an_option_of_other_learners_is_refused() -> None:
    result = run("train", "doudizhu", "--algorithm", "decompose", "--set", "width=1", "--out", "x")
    assert result.exit_code == 2 and "leave out --set" in result.output


def test_settings_on_a_gpu_are_shown() -> None:
    pytest.importorskip("torch")
    for name, own in ("ppo", "critic"), ("dmc", "exploration"):
        result = run("show", "settings", name, "--gpu", "--json")
        assert {own, "games", "final"} <= {
            each["name"] for each in json.loads(result.stdout)["options"]
        }
    result = run("show", "settings", "imitation", "--gpu")
    assert result.exit_code == 2 and "ppo and dmc do" in result.output
