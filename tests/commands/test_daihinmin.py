"""The commands that serve and join matches."""

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from support_cli import assert_refused, run
from support_uecda import LONG, Match, check_log, read_log

from closedhand.competitions.uecda import client

SERVE = ["serve", "daihinmin", "--fallback", "random", "--port"]


@pytest.mark.slow
def test_serve_reports_a_match(tmp_path: Path) -> None:
    common = [*SERVE, "0", "--agents", "random", "--rounds", "3"]
    result = run(*common, "--log", str(tmp_path / "a.log"))
    assert result.exit_code == 0 and "a.log" in result.stdout, result.output
    data, other = (json.loads(run(*common, "--json").stdout) for _ in range(2))
    assert data["seed"] != other["seed"]  # clients would know the hands that a usual seed deals
    assert (data["rounds"], data["interrupted"], sum(data["points"])) == (3, False, 45)
    check_log(tmp_path / "a.log", 3)


def test_join_plays_a_match(tmp_path: Path) -> None:
    match = Match(tmp_path / "a.log", rounds=2)
    where = ["--port", str(match.server.address[1]), "--name", "x"]
    result = run("join", "daihinmin", "--agent", "random", *where, "--json")
    data = json.loads(result.stdout)
    assert data["complete"] and data["points"] == match.end().points[4] and data["rounds"] == 2
    assert check_log(match.log, 2).names[4] == "x"


def test_join_says_how_many_places_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    result = client.Result(0, 5, [0, 0, 4], complete=True)
    player = SimpleNamespace(play=lambda progress: result)
    monkeypatch.setattr(client, "Client", lambda *arguments: player)
    command = ["join", "daihinmin"]
    shown = run(*command).stdout
    assert "11 points in 3 rounds" in shown
    assert "rounds without a known place, ended by passes: 2\n" in shown
    result = client.Result(0, 3, [0, 0, 4], complete=True)
    assert "known place" not in run(*command).stdout
    assert json.loads(run(*command, "--json").stdout)["unknown_places"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "doudizhu"], "doudizhu offers nothing to serve"),
        ([*SERVE, "0", "--agents", "net,net"], "five, not 2"),
        ([*SERVE, "0", "--agents", "nobody"], "no agent 'nobody'"),
        ([*SERVE, "0", "--option", "illegal=error"], "leave out illegal"),
        ([*SERVE, "0", "--option", "actions=card_sets"], "leave actions at plays"),
        ([*SERVE, "0", "--host", "203.0.113.1"], "cannot listen at 203.0.113.1"),
        ([*SERVE, "0", "--host", "a..b"], "cannot listen at a..b"),
        ([*SERVE, "BUSY"], "cannot listen at"),
        ([*SERVE, "0", "--agents", "random", "--log", "/dev/null/x"], "cannot write"),
        (["join", "daihinmin", "--agent", "random", "--port", "1"], "no server at"),
        (["join", "daihinmin", "--agent", "random", "--host", "a..b"], "no server at a..b"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = str(busy.getsockname()[1])
        assert_refused(message, *(port if each == "BUSY" else each for each in arguments))


@pytest.mark.slow
def test_an_interrupted_match_has_a_complete_log(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    program = [sys.executable, "-c", "from closedhand.cli import main; main()", *SERVE, "0"]
    program += ["--agents", "random", "--rounds", "1000000", "--log", str(path)]
    with subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not path.exists() or path.stat().st_size < 5000:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == 130
    check_log(path, len(read_log(path).rounds))
