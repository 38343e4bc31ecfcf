"""The command line: its output, JSON alone on stdout, exit codes, interruption."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from closedhand import __version__, make_game
from closedhand.cli import app
from closedhand.core.registry import GAMES

COMMAND = [sys.executable, "-c", "from closedhand.cli import main; main()"]
MATCH = ["match", "doudizhu", "--agents", "greedy,rule", "--workers", "1"]
DEAL = "34566789TQQQKKAA2;4456678999TJJQA2B;33345578TTJKKA22S;78J"


@pytest.fixture(autouse=True)
def work_in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=text)


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["match"],
        ["play"],
        ["records"],
        ["records", "replay"],
        ["records", "export"],
        ["records", "generate"],
        ["reproduce"],
        ["reproduce", "deeprocket-match"],
        ["reproduce", "deeprocket"],
        ["reproduce", "leduc"],
        ["reproduce", "kou"],
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
        ["bench"],
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
    for word in ("greedy", "landlord", "peasants", "win rate", "results/m.json"):
        assert word in result.stdout
    data = json.loads((tmp_path / "results" / "m.json").read_text())
    assert data["deals"] == 30
    picture = tmp_path / "results" / "m.png"
    assert not picture.exists() or picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(p.suffix for p in (tmp_path / "results").iterdir()) in (
        [".json"],
        [".json", ".png"],
    )


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
        ([*MATCH, "--rules", "house"], "no rules 'house'"),
        ([*MATCH, "--resume", "--out", "nothing.json"], "cannot read nothing.json"),
        (["play", "doudizhu", "--seat", "3"], "seat is 0 to 2"),
        (["play", "doudizhu", "--agents", "rule,rule,rule"], "2 other seats"),
        (["play", "doudizhu", "--deal", "345"], "a deal is four fields"),
        (["records", "replay", "nothing.txt"], "cannot read nothing.txt"),
        (["train", "doudizhu", "--out", "x", "--option", "colour=red"], "no option 'colour'"),
        (["train", "doudizhu", "--out", "x", "--algorithm", "mmd"], "there is ppo"),
        (["train", "leduc", "--out", "x", "--algorithm", "magic"], "no algorithm 'magic'"),
        (["train", "leduc", "--out", "x", "--opponents", "random"], "no opponents"),
        (["solve", "doudizhu"], "doudizhu has no solver; there is one of leduc, uh-leduc"),
        (["solve", "--algorithm", "dcfr,magic"], "no algorithm 'magic'"),
        (["solve", "leduc", "--pair", "card"], "option of uh_leduc"),
        (["solve", "uh-leduc", "--pair", "suit"], "pair is rank or card"),
        (["solve", "--resume"], "cannot read runs/solve-uh_leduc/pcfr+/learner.npz"),
        (["show", "leduc-graph", "--strategy", "nothing.npz"], "cannot read nothing.npz"),
        (["show", "leduc-graph", "--card", "XX"], "'XX' is no card"),
        (["show", "leduc-graph", "--card", "SQ"], "name one"),
        (["show", "leduc-graph", "--out", "file/x.svg"], "cannot write file/x.svg"),
        (["solve", "leduc", "--out", "file"], "cannot make the folder file"),
        (["solve", "leduc", "--seconds", "nan"], "larger than 0"),
        (["solve", "leduc", "--until", "0"], "larger than 0"),
        (["train", "leduc", "--out", "x", "--minutes", "-1"], "larger than 0"),
        (["match", "leduc", "--rules", "uh", "--agents", "random,random"], "those of uh_leduc"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], reason: str) -> None:
    Path("file").write_text("not a folder")
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0
    assert result.stdout == ""


def test_usage_errors_are_exit_code_2_too() -> None:
    assert run(*MATCH, "--deals", "0").exit_code == 2
    assert run("nonsense").exit_code == 2


def test_bugs_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("closedhand.arena.match.play", lambda *_: 1 / 0)
    assert isinstance(run(*MATCH).exception, ZeroDivisionError)


def test_playing_in_the_terminal() -> None:
    result = run("play", "doudizhu", "--deal", DEAL, text="?\n345678\nundo\nquit\n")
    assert result.exit_code == 0, result.output
    assert "hint: " in result.stdout
    assert "left the game" in result.stdout
    assert make_game("doudizhu").parse_deal(DEAL)["left"][0] == 20
    assert run("play", "doudizhu", "--seed", "1", text="").exit_code == 0


def test_replaying_the_records(tmp_path: Path) -> None:
    result = run("reproduce", "deeprocket-match", "--json")
    assert result.exit_code == 0
    assert isinstance(json.loads(result.stdout), dict)
    (tmp_path / "bad.txt").write_text("34;5\n")
    result = run("records", "replay", "bad.txt")
    assert result.exit_code == 1
    assert "line 1" in result.output


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


def test_solve_as_json_and_as_table(tmp_path: Path) -> None:
    arguments = ("solve", "uh-leduc", "--algorithm", "dcfr", "--iterations", "1000")
    data = json.loads(run(*arguments, "--json").stdout)
    assert data["game"] == "uh_leduc"
    assert data["options"] == {"rules": "uh", "pair": "rank", "double_pair": "suit"}
    assert data["value"] == pytest.approx(-0.2395, abs=1e-3)
    assert data["nash_conv"] == pytest.approx(sum(data["best_responses"].values()))
    assert data["exploitability"] == data["nash_conv"] / 2 < 1e-4
    curve = [point["nash_conv"] for point in data["curve"]]
    assert [point["iterations"] for point in data["curve"]][-1] == 1000
    assert curve[0] > 1 and curve[-1] == data["nash_conv"] and data["seconds"] > 0
    folder = tmp_path / "runs" / "solve-uh_leduc"
    assert (folder / "nash-conv.png").read_bytes().startswith(b"\x89PNG")
    table = run(*arguments).stdout
    for word in ("NashConv", "exploit.", "dcfr", "1,000", "strategy.npz"):
        assert word in table
    assert max(map(len, table.splitlines())) <= 80
    agent = f"strategy:{folder / 'dcfr' / 'strategy.npz'}"
    arguments = ("--agents", f"{agent},random", "--deals", "20", "--json", "--workers", "1")
    match = run("match", "uh-leduc", *arguments)
    assert match.exit_code == 0, match.output
    assert json.loads(match.stdout)["game"] == "uh_leduc"


def test_the_same_game_is_solved_into_the_same_folder(tmp_path: Path) -> None:
    run("solve", "uh-leduc", "--iterations", "5")
    run("solve", "--pair", "rank", "--algorithm", "pcfr+,cfr", "--iterations", "7", "--resume")
    run("solve", "--pair", "card", "--iterations", "5")
    folders = {path.name: path for path in (tmp_path / "runs").iterdir()}
    assert set(folders) == {"solve-uh_leduc", "solve-uh_leduc-pair-card"}
    result = json.loads((folders["solve-uh_leduc"] / "pcfr+" / "result.json").read_text())
    assert [point["iterations"] for point in result["curve"]] == [1, 2, 3, 4, 5, 6, 7]
    assert (folders["solve-uh_leduc"] / "cfr" / "strategy.npz").exists()
    # What another command left there damaged is no obstacle.
    (folders["solve-uh_leduc"] / "cfr" / "result.json").write_text("{")
    assert run("solve", "--iterations", "5").exit_code == 0


def test_a_match_does_not_go_on_with_another_strategy() -> None:
    agents = ("--agents", "strategy:s/cfr/strategy.npz,random", "--workers", "1")
    match = ("match", "leduc", *agents, "--out", "m.json")
    run("solve", "leduc", "--algorithm", "cfr", "--iterations", "3", "--out", "s")
    assert run(*match, "--deals", "5").exit_code == 0
    assert run(*match, "--deals", "10", "--resume").exit_code == 0
    run("solve", "leduc", "--algorithm", "cfr", "--iterations", "4", "--out", "s")
    other = run(*match, "--deals", "15", "--resume")
    assert other.exit_code == 2
    assert "was made with files" in other.stderr


def test_solve_several_and_exactly() -> None:
    arguments = ("--algorithm", "lp,cfr+,mccfr", "--iterations", "100", "--json")
    runs = json.loads(run("solve", "--game", "leduc", *arguments).stdout)["runs"]
    assert [each["algorithm"] for each in runs] == ["lp", "cfr+", "mccfr"]
    assert runs[0]["value"] == pytest.approx(-0.085606424078, abs=1e-9)
    table = run("solve", "leduc", "--algorithm", "lp").stdout
    assert "exact value for S: -0.085606424078" in table


def test_training_goes_on_and_begins_anew(tmp_path: Path) -> None:
    arguments = ("train", "uh-leduc", "--algorithm", "mccfr", "--minutes", "0.005", "--out", "x")

    def iterations(*more: str) -> int:
        result = run(*arguments, *more)
        assert "agent strategy:x/strategy.npz" in result.stdout, result.output
        return json.loads((tmp_path / "x" / "result.json").read_text())["iterations"]

    first, second = iterations(), iterations()
    assert second > 1.3 * first
    assert iterations("--restart") < second


def test_the_graph_is_drawn(tmp_path: Path) -> None:
    run("solve", "uh-leduc", "--iterations", "10", "--out", "s")
    strategy = ("--strategy", "s/pcfr+/strategy.npz")
    for more in ((), strategy, (*strategy, "--card", "SQ", "--flop", "HQ")):
        result = run("show", "leduc-graph", "--out", "pictures/graph.png", *more)
        assert result.exit_code == 0, result.output
        svg = (tmp_path / "pictures" / "graph.svg").read_text()
        for name in ("s1,1,1", "t2,10,7", "WL13", "PS7", "raise"):
            assert name in svg
        assert (tmp_path / "pictures" / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_a_game_may_be_written_with_a_hyphen() -> None:
    result = run("play", "uh-leduc", "--seed", "1", text="quit\n")
    assert result.exit_code == 0
    assert "uh_leduc against equilibrium" in result.stdout
