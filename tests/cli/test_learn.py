"""`train GAME --algorithm ppo|dmc|imitation`, `exploit` and `show settings`."""

import json
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support_cli import assert_refused, run

from closedhand.core import interrupt
from closedhand.core.run import Run

pytest.importorskip("torch")

from closedhand import InputError, make_game
from closedhand.cli.learn import prepare, refuse_agents_in, work

pytestmark = pytest.mark.usefixtures("in_empty_folder")

TINY = ("--set", "batch=200", "--set", "width=16")


@pytest.mark.slow
def test_a_training_goes_on_and_its_network_plays(tmp_path: Path) -> None:
    arguments = ("train", "leduc", "--algorithm", "ppo", "--out", "x", "--against", "random", *TINY)
    first = run(*arguments, "--steps", "500")
    assert first.exit_code == 0, first.output
    assert "v random" in first.stderr and "agent learned:x" in first.stdout
    assert any((tmp_path / "x" / "tensorboard").iterdir())
    again = run(*arguments, "--steps", "900")
    assert "resuming after" in again.stderr
    history = json.loads((tmp_path / "x" / "training.json").read_text())["history"]
    decisions = [entry["decisions"] for entry in history]  # one each, and more on a slow machine
    assert len(decisions) >= 2 and decisions == sorted(decisions) and decisions[-1] >= 900
    match = run("match", "leduc", "--agents", "learned:x,random", "--deals", "5",
                "--workers", "1", "--json", "--out", "m.json")  # fmt: skip
    assert match.exit_code == 0, match.output


@pytest.mark.slow
def test_a_restart_leaves_nothing_of_the_former_training(tmp_path: Path) -> None:
    arguments = ("train", "leduc", "--algorithm", "ppo", "--out", "x", "--steps", "500", *TINY)
    first = run(*arguments, "--opponents", "self,pool", "--set", "freeze=1")
    assert first.exit_code == 0, first.output
    folder = tmp_path / "x"
    own = {folder / "opponents.csv", *(folder / "tensorboard").iterdir()}
    assert len(own) == 2 and all(path.is_file() for path in own)
    others = [folder / "tensorboard" / "mine" / "events.out.tfevents.1", folder / "notes.csv"]
    others[0].parent.mkdir()
    for path in others:
        path.write_text("mine")
    again = run(*arguments, "--restart")
    assert again.exit_code == 0, again.output
    assert not any(path.exists() for path in own)
    assert [path.read_text() for path in others] == ["mine", "mine"]


class Interrupted:
    """A learner whose first evaluation Ctrl-C ends: after a piece of work, or after the last."""

    decisions = evaluations = 0

    def __init__(self, at_end: bool) -> None:
        self.at_end = at_end

    def advance(self, seconds: float) -> bool:
        self.decisions += 1
        return not self.at_end

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        pass

    def summary(self) -> dict[str, Any]:
        self.evaluations += 1
        if self.evaluations == 1:
            signal.raise_signal(signal.SIGINT)
        interrupt.check()
        return {}


@pytest.mark.parametrize("at_end", [False, True])
def test_an_evaluation_that_ctrl_c_ends_is_not_begun_again(tmp_path: Path, at_end: bool) -> None:
    learner = Interrupted(at_end)
    training: Run[Any] = Run(learner, {}, tmp_path / "x.npz", note_checkpoints=False)
    work(training, tmp_path, None, 1 if at_end else None)
    assert training.interrupted and training.path and training.path.exists()
    assert (learner.decisions, learner.evaluations) == (1, 1)


@pytest.mark.slow
def test_exploit_states_a_lower_bound() -> None:
    result = run("exploit", "leduc", "--agent", "random", "--steps", "6000", "--deals", "300",
                 "--json", *TINY)  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["gain"][0] > 0.2 and found["deals"] == 300


def test_a_folder_that_no_agent_can_name_is_refused_before_the_training() -> None:
    folder = 'it\'s "x",y'
    command = ("exploit", "leduc", "--agent", "random", "--steps", "6000", "--out", folder)
    assert_refused("has both kinds of them", *command, *TINY)
    assert not Path(folder).exists()


def test_a_search_responds_without_training() -> None:
    command = ("exploit", "leduc", "--agent", "random", "--responder", "ismcts:100")
    found = json.loads(run(*command, "--deals", "100", "--json").stdout)
    assert found["gain"][1] > 0 and found["responder"] == "ismcts:100"
    said = run(*command, "--deals", "20").stdout
    assert "chips a game" in said and "a best response gains at least as much" in said
    result = run(*command[:-1], "nobody")
    assert result.exit_code == 2 and "no agent 'nobody'" in result.stderr
    training = ("--algorithm", "dmc", "--steps", "9", "--set", "width=8", "--restart")
    result = run(*command, *training, "--minutes", "1", "--out", "x")
    assert result.exit_code == 2
    for option in ("--minutes", "--algorithm", "--steps", "--out", "--set", "--restart"):
        assert option in result.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--algorithm", "ppo", "--expert", "random"], "leave out --expert"),
        (["--algorithm", "maskable-ppo", "--opponents", "pool"], "no pool"),
        (["--algorithm", "maskable-ppo", "--ray", "local"], "leave out --ray"),
        (["--algorithm", "imitation", "--opponents", "self"], "leave out --opponents"),
        (["--algorithm", "imitation"], "needs recorded games (--records)"),
        (["--algorithm", "imitation", "--records", "x", "--ray", "local"], "leave out --ray"),
        (["--opponents", "self,search:5ms", "--ray", "local"], "all cores: leave out --ray"),
        (
            ["--algorithm", "imitation", "--expert", "search:5ms", "--ray", "local"],
            "all cores: leave out --ray",
        ),
        (["--algorithm", "ppo", "--set", "colour=red"], "no option 'colour'"),
        (["--algorithm", "ppo", "--set", "width"], "key=value"),
        (["--algorithm", "ppo", *TINY, "--set", "width=8"], "width is given twice"),
        (["--algorithm", "ppo", "--set", "observation=x"], "no observation 'x'"),
        (["--algorithm", "ppo", "--opponents", "nobody"], "no agent 'nobody'"),
        (["--algorithm", "magic"], "there are ppo, dmc, imitation, maskable-ppo"),
    ],
)
def test_bad_input(arguments: list[str], reason: str) -> None:
    result = run("train", "leduc", "--out", "x", *arguments)
    assert result.exit_code == 2
    assert reason in result.stderr


@pytest.mark.parametrize("agent", ["self", "pool"])
def test_what_is_no_agent_is_not_exploited(agent: str, tmp_path: Path) -> None:
    result = run("exploit", "leduc", "--agent", agent, "--steps", "100", "--out", "x", *TINY)
    assert result.exit_code == 2
    assert f"no agent '{agent}'" in result.stderr
    assert not (tmp_path / "x").exists()


def test_networks_of_another_training_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "model.safetensors").write_bytes(b"")
    result = run("train", "leduc", "--algorithm", "ppo", "--out", "x")
    assert result.exit_code == 2
    assert "of another training" in result.stderr


def test_a_training_does_not_replace_an_agent_that_it_meets(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"mine")
    game = make_game("leduc")
    for place in ("opponents", "against", "expert"):
        given: dict[str, Any] = {"opponents": ["self", "pool"], "against": [], "expert": None}
        given[place] = "learned:x" if place == "expert" else ["random", "learned:x"]
        learner = SimpleNamespace(
            features=SimpleNamespace(game=game), sources=lambda given=given: given, **given
        )
        with pytest.raises(InputError, match="of the agent learned:x: name another --out"):
            prepare(learner, folder, restart=True)
        refuse_agents_in(learner, [tmp_path / "y" / "model.safetensors"])
    assert [path.read_bytes() for path in folder.iterdir()] == [b"mine"]


def test_settings_are_shown() -> None:
    assert "learning_rate" in run("show", "settings", "dmc").stdout
    assert "there are ppo" in run("show", "settings", "value-net").stderr


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_folder_that_tensorboard_cannot_write_to_is_one_line() -> None:
    folder = os.fsdecode(b"u\xff")
    found = run("train", "leduc", "--algorithm", "ppo", "--steps", "100", "--out", folder, *TINY)
    assert found.exit_code == 2
    assert "TensorBoard takes no name that is not UTF-8" in found.stderr
    assert "Traceback" not in found.output
