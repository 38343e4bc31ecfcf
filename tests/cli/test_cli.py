"""The command line: its output, JSON alone on stdout, exit codes, interruption."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support_cli import assert_refused, run

from closedhand import __version__
from closedhand.cli import common
from closedhand.core.registry import GAMES

COMMAND = [sys.executable, "-c", "from closedhand.cli import main; main()"]
MATCH = ["match", "doudizhu", "--agents", "greedy,rule", "--workers", "1"]

pytestmark = pytest.mark.usefixtures("in_empty_folder")


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["match"],
        ["play"],
        ["deals"],
        ["endgame"],
        ["records"],
        ["records", "replay"],
        ["records", "export"],
        ["records", "generate"],
        ["reproduce"],
        ["reproduce", "deeprocket-match"],
        ["reproduce", "deeprocket"],
        ["reproduce", "leduc"],
        ["reproduce", "kou"],
        ["reproduce", "chinese-poker"],
        ["show", "chinese-poker-table"],
        ["show", "leduc-graph"],
        ["solve"],
        ["train"],
        ["train", "doudizhu"],
        ["train", "policy-net"],
        ["train", "kicker-net"],
        ["train", "self-play"],
        ["train", "bids"],
        ["train", "bid-net"],
        ["serve"],
        ["join"],
    ],
)
def test_every_command_describes_itself(command: list[str]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"closedhand {__version__}\n")


def test_a_match_shows_and_saves_its_result(tmp_path: Path) -> None:
    result = run(*MATCH, "--deals", "30", "--out", "results/m.json")
    assert result.exit_code == 0, result.output
    for word in ("greedy", "landlord", "peasants", "WP", "ADP", "results/m.json"):
        assert word in result.stdout
    data = json.loads((tmp_path / "results" / "m.json").read_text())
    assert data["deals"] == 30
    picture = tmp_path / "results" / "m.png"
    assert not picture.exists() or picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(p.suffix for p in (tmp_path / "results").iterdir()) in (
        [".json"],
        [".json", ".png"],
    )


def test_the_name_of_a_search_is_printed_unchanged() -> None:
    """Neither its brackets nor its budget between colons is markup of the console."""
    result = run("match", "leduc", "--agents", "ismcts[policy=random]:100,random", "--deals", "2")
    assert result.exit_code == 0, result.output
    assert "ismcts…icy=random]:100: " in result.stdout


def test_a_match_without_a_file_is_saved_in_runs(tmp_path: Path) -> None:
    assert run(*MATCH, "--deals", "5").exit_code == 0
    assert (tmp_path / "runs" / "match-doudizhu-greedy-rule.json").exists()


def test_json_stands_alone_on_stdout() -> None:
    result = run(*MATCH, "--deals", "5", "--json", "--rules", "rlcard", "--option", "spring=true")
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["options"]["rules"] == "rlcard"
    assert data["options"]["spring"] is True
    assert result.stdout.count("\n") == 1


@pytest.mark.slow
def test_a_match_is_resumed() -> None:
    assert run(*MATCH, "--deals", "5", "--out", "m.json").exit_code == 0
    result = run(*MATCH, "--deals", "9", "--out", "m.json", "--resume", "--json")
    assert json.loads(result.stdout)["deals"] == 9
    whole = run(*MATCH, "--deals", "9", "--json")
    for data in (json.loads(result.stdout), json.loads(whole.stdout)):
        data["pairs"][0].pop("seconds")
    one, two = (json.loads(r.stdout)["pairs"][0]["results"] for r in (result, whole))
    assert one == two
    other = run(*MATCH, "--deals", "9", "--out", "m.json", "--resume", "--seed", "3")
    assert other.exit_code == 2
    assert "was made with seed 0, not 3" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["match", "chess", "--agents", "a,b"], "no game 'chess'"),
        (["match", "doudizhu", "--agents", "greedy,nobody"], "no agent 'nobody'"),
        (["match", "doudizhu", "--agents", "greedy"], "two agents"),
        ([*MATCH, "--option", "colour=red"], "no option 'colour'"),
        ([*MATCH, "--option", "spring"], "key=value"),
        (
            [*MATCH, "--rules", "house"],
            "rules is deeprocket, rlcard, openspiel, douzero, botzone, mini, tiny or two_players, "
            "not 'house'",
        ),
        ([*MATCH, "--resume", "--out", "nothing.json"], "cannot read nothing.json"),
        (["play", "doudizhu", "--seat", "3"], "seat must be 0 to 2"),
        (["play", "doudizhu", "--agents", "rule,rule,rule"], "doudizhu has 3 seats"),
        (["play", "leduc", "--agents", ""], "no agent ''"),
        (["train", "leduc", "--out", "x", "--algorithm", "ppo", "--against", ""], "no agent ''"),
        (["play", "doudizhu", "--deal", "345"], "a deal is four fields"),
        (["records", "replay", "nothing.txt"], "cannot read nothing.txt"),
        (["train", "doudizhu", "--out", "x", "--option", "colour=red"], "no option 'colour'"),
        (["train", "doudizhu", "--out", "x", "--algorithm", "mmd"], "there are ppo"),
        (["train", "leduc", "--out", "x", "--algorithm", "magic"], "no algorithm 'magic'"),
        (
            ["train", "daihinmin", "--out", "x", "--algorithm", "kou", "--opponents", "random"],
            "leave out --opponents",
        ),
        (["solve", "doudizhu"], "one deal of doudizhu has about 10^"),
        (["judge", "chinese-poker", "random"], "one deal of chinese_poker has about 10^"),
        (["judge", "uh-leduc", "nobody"], "no agent 'nobody'"),
        (["solve", "uh-leduc", "--algorithm", "dcfr,magic"], "no algorithm 'magic'"),
        (["solve", "leduc", "--pair", "card"], "option of uh_leduc"),
        (["solve", "uh-leduc", "--pair", "suit"], "pair is rank or card"),
        (["solve", "uh-leduc", "--resume"], "cannot read runs/solve-uh_leduc/pcfr+/learner.npz"),
        (["show", "leduc-graph", "--strategy", "nothing.npz"], "cannot read nothing.npz"),
        (["show", "leduc-graph", "--out", "file/x.svg"], "cannot write file/x.svg"),
        (["solve", "leduc", "--out", "file"], "file is not a folder"),
        (["solve", "leduc", "--seconds", "nan"], "must be above 0"),
        (["solve", "leduc", "--until", "0"], "must be above 0"),
        (["serve", "daihinmin", "--timeout", "1e10"], "at most 1e+09"),
        (["solve", "uh-leduc", "--game", "leduc"], "leduc has no option 'game'"),
        ([*MATCH, "--deals", str(10**20)], "at most 100,000,000, not"),
        ([*MATCH, "--option", "spring=no", "--option", "spring=yes"], "spring is given twice"),
        (
            ["advise", "chinese-poker", "AsKs6s5s3s QhQs8c3c2h JsJd9h", "--picture", "x.json"],
            "a picture is a .png file",
        ),
        (["train", "leduc", "--out", "x", "--minutes", "-1"], "must be above 0"),
        (["match", "leduc", "--rules", "uh", "--agents", "random,random"], "those of uh_leduc"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], reason: str) -> None:
    Path("file").write_text("not a folder")
    assert_refused(reason, *arguments)


INTERRUPTED = """
import sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
from closedhand_command import main
main()
"""


@pytest.mark.parametrize("module", ["closedhand", "numba", "closedhand.cli.web"])
def test_ctrl_c_while_the_program_starts_is_quiet(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


def test_usage_errors_are_exit_code_2_too() -> None:
    assert run(*MATCH, "--deals", "0").exit_code == 2
    for command in ("leduc", "policy-net --records x", "self-play", "bid-net --deals x"):
        result = run("train", *command.split(), "--out", "y", "--threads", "99999999999")
        assert result.exit_code == 2 and "1024" in result.stderr
    assert run("nonsense").exit_code == 2


def test_bugs_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("closedhand.arena.match.play", lambda *_: 1 / 0)
    assert isinstance(run(*MATCH).exception, ZeroDivisionError)


def test_progress_in_a_log(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """Where stderr is no terminal, progress is a line from time to time."""
    monkeypatch.setattr(common, "SECONDS_A_LINE", 0.0)
    with common.progress_bar("deals", None) as update:
        update(7)
        update(1200, total=4000)
        update(1300.5, unit="deals, greedy")
    lines = ["7 deals", "1,200 of 4,000 deals", "1,300 of 4,000 deals, greedy"]
    assert capsys.readouterr().err.splitlines() == [f"closedhand: {line}" for line in lines]
    monkeypatch.setattr(common, "SECONDS_A_LINE", 3600.0)
    with common.progress_bar("deals", 400) as update:
        update(7)
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_the_command_in_a_process_of_its_own(tmp_path: Path) -> None:
    """Two processes, JSON on stdout, progress and messages on stderr."""
    arguments = ["match", "doudizhu", "--agents", "rule,random", "--deals", "150", "--json"]
    done = subprocess.run(
        [*COMMAND, *arguments, "--workers", "2"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["deals"] == 150
    bad = subprocess.run([*COMMAND, "play", "chess"], capture_output=True, text=True)
    assert bad.returncode == 2
    assert bad.stderr == f"closedhand: no game 'chess'; there are {', '.join(GAMES)}\n"
