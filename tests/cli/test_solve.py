"""The commands that solve games and show solutions."""

import json
from pathlib import Path

import pytest
from support_cli import run, run_to

from closedhand.cli.common import print_table
from closedhand.cli.solve import judged_cells, names_of

pytestmark = pytest.mark.usefixtures("in_empty_folder")


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_same_game_is_solved_into_the_same_folder(tmp_path: Path) -> None:
    run("solve", "uh-leduc", "--iterations", "5")
    run(
        "solve",
        "uh-leduc",
        "--pair",
        "rank",
        "--algorithm",
        "pcfr+,cfr",
        "--iterations",
        "7",
        "--resume",
    )
    run("solve", "uh-leduc", "--pair=card", "--iterations", "5")
    folders = {path.name: path for path in (tmp_path / "runs").iterdir()}
    assert set(folders) == {"solve-uh_leduc", "solve-uh_leduc-pair-card"}
    result = json.loads((folders["solve-uh_leduc"] / "pcfr+" / "result.json").read_text())
    assert [point["iterations"] for point in result["curve"]] == [1, 2, 3, 4, 5, 6, 7]
    assert (folders["solve-uh_leduc"] / "cfr" / "strategy.npz").exists()
    # What another command left there damaged is no obstacle.
    (folders["solve-uh_leduc"] / "cfr" / "result.json").write_text("{")
    assert run("solve", "uh-leduc", "--iterations", "5").exit_code == 0


@pytest.mark.slow
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


@pytest.mark.slow
def test_solve_several_and_exactly() -> None:
    arguments = ("--algorithm", "lp,cfr+,mccfr", "--iterations", "100", "--json")
    runs = json.loads(run("solve", "leduc", *arguments).stdout)["runs"]
    assert [each["algorithm"] for each in runs] == ["lp", "cfr+", "mccfr"]
    assert runs[0]["value"] == pytest.approx(-0.085606424078, abs=1e-9)
    table = run("solve", "leduc", "--algorithm", "lp").stdout
    assert "exact value for S: -0.085606424078" in table


@pytest.mark.parametrize(
    "options",
    [
        "lp --iterations 5",
        "lp --seconds 1",
        "lp --until 1",
        "lp --resume",
        "lp,cfr --states slides",
    ],
)
def test_the_linear_program_takes_no_limits(options: str) -> None:
    result = run_to(2, "solve", "uh-leduc", "--algorithm", *options.split())
    assert "lp solves the whole game at once: it takes no" in result.stderr


def test_states_of_an_abstraction(tmp_path: Path) -> None:
    arguments = ("solve", "uh-leduc", "--states", "slides", "--algorithm", "cfr+", "--json")
    result = json.loads(run_to(0, *arguments, "--iterations", "1000").stdout)
    assert result["states"] == "slides"
    # As good as it gets, where true information sets give less than 1e-3.
    assert result["nash_conv"] == pytest.approx(0.27, abs=0.03)
    folder = tmp_path / "runs" / "solve-uh_leduc-states-slides"
    more = run_to(0, *arguments, "--iterations", "1001", "--resume")
    assert json.loads(more.stdout)["iterations"] == 1001
    refused = run_to(2, *arguments[:2], *arguments[4:], "--resume", "--out", str(folder))
    assert "states" in refused.stderr
    agents = f"strategy:{folder / 'cfr+' / 'strategy.npz'},random"
    run_to(0, "match", "uh-leduc", "--agents", agents, "--deals", "5", "--workers", "1")
    for game, message in (("uh-leduc", "it has slides"), ("leduc", "none but its information")):
        refused = run_to(2, "solve", game, "--states", "other")
        assert message in " ".join(refused.stderr.split())


@pytest.mark.slow
def test_the_graph_is_drawn(tmp_path: Path) -> None:
    run("solve", "uh-leduc", "--iterations", "10", "--out", "s")
    strategy = ("--strategy", "s/pcfr+/strategy.npz")
    for more in ((), strategy):
        result = run("show", "leduc-graph", "--out", "pictures/graph.png", *more)
        assert result.exit_code == 0, result.output
        svg = (tmp_path / "pictures" / "graph.svg").read_text()
        for name in ("s1,1,1", "t2,10,7", "WL13", "PS7", "raise"):
            assert name in svg
        assert (tmp_path / "pictures" / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_figures_of_many_players_stay_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """A table that is wider than the terminal is printed with longer lines."""
    figures = [f"{player}.001609" for player in range(9)]
    print_table([f">player_{n} best" for n in range(9)], [figures], no_wrap=True)
    assert capsys.readouterr().out.split()[-9:] == figures


def test_zero_has_no_sign() -> None:
    best = {"player_0": -0.0, "player_1": -1e-12}
    judged = {"value": -0.0, "best_responses": best, "nash_conv": 0, "exploitability": 0}
    assert [*judged_cells(judged).values()] == ["0.000000"] * 3 + ["0.0e+00"] * 2


def test_an_algorithm_named_twice_runs_once() -> None:
    assert names_of("cfr,lp,cfr") == ["cfr", "lp"]
