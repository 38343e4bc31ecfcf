"""Results, ladders and curves found in a folder of runs."""

import asyncio
import json
import os
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_runs import save_ladder, save_training

from closedhand import make_game
from closedhand.arena import match, results
from closedhand.core.duplicate import Chunk, parse_all
from closedhand.core.files import write_arrays
from closedhand.solvers.solving import Run
from closedhand.web import requests, runs
from closedhand.web.connection import Connection
from closedhand.web.lobby import Lobby


def test_a_training_has_curves_with_intervals(tmp_path: Path) -> None:
    save_training(tmp_path / "ppo", 1000)
    (curve,) = runs.everything_in(tmp_path)["curves"]
    assert (curve["game"], curve["algorithm"], curve["axis"]) == ("doudizhu", "ppo", "decisions")
    assert curve["live"]
    assert set(curve["lines"]) == {"loss", "won", "against/random/points"}
    assert len(curve["lines"]["loss"]) <= runs.MOST_POINTS + 1
    assert curve["lines"]["against/random/points"][-1] == [999_000, 999, 998, 1000]
    x, mean, low, high = curve["lines"]["won"][-1]
    assert (x, mean) == (999_000, 0.5)
    assert low < mean < high


def test_a_solver_has_a_curve_and_checkpoints_are_read_for_theirs(tmp_path: Path) -> None:
    run = Run("cfr+", make_game("leduc"), 0, tmp_path / "solve" / "cfr+")
    run.advance(iterations=20)
    (curve,) = runs.everything_in(tmp_path)["curves"]  # once, although both files hold it
    assert curve["axis"] == "iterations"
    assert curve["lines"]["nash_conv"][-1][:2] == [20, run.nash_conv]
    (tmp_path / "solve" / "cfr+" / "result.json").unlink()
    (again,) = runs.everything_in(tmp_path)["curves"]
    assert again["lines"] == curve["lines"]


def test_a_ladder_is_rated_once_all_have_met(tmp_path: Path) -> None:
    save_ladder(tmp_path / "ladder")
    found = runs.everything_in(tmp_path)
    assert len(found["results"]) == 3
    (rated,) = found["ladders"]
    assert rated["agents"][0]["agent"] == "equilibrium"
    assert len(rated["agents"]) == 3
    for row in rated["agents"]:
        assert row["elo"][1] <= row["elo"][2]
        assert row["microseconds"] > 0
    older = json.loads((tmp_path / "ladder" / "0.json").read_text()) | {"deals": 7}
    (tmp_path / "ladder" / "older.json").write_text(json.dumps(older))
    os.utime(tmp_path / "ladder" / "older.json", (1e9, 1e9))
    assert runs.everything_in(tmp_path)["ladders"][0]["deals"] == [60]
    (tmp_path / "ladder" / "1.json").unlink()
    assert runs.everything_in(tmp_path)["ladders"] == []


def test_saved_tables_take_no_place_of_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default the folder of the tables is one of the folder of runs."""
    monkeypatch.setattr(runs, "MOST_FILES", 2)
    save_ladder(tmp_path)

    async def ask() -> list[Any]:
        requests.register()
        lobby = Lobby(tmp_path / "web", runs=tmp_path)
        for _ in range(3):
            await lobby.open("leduc", {}, [{"agent": "random"}] * 2, pace=0.0)
        connection = Connection(lobby, owner=True)
        await connection.answer('{"do": "runs"}')
        lobby.close()
        return json.loads(connection.outbox.get_nowait() or "")["ok"]["results"]

    assert len(asyncio.run(ask())) == 2


def turned(data: dict[str, Any]) -> dict[str, Any]:
    """The same match of Leduc, played with its agents in the other order."""
    game, (pair,) = make_game("leduc"), data["pairs"]
    played = results.chunk_of(game, pair, pair["returns"], (-1, 2, 2), 2)
    chunk = Chunk(played.returns[:, ::-1], *(cost[::-1] for cost in played[1:]))
    agents = tuple(parse_all(game, ["random", "random"]))
    found = results.summary(match.Match(game, agents, data["seed"], (chunk,)))
    found["pairs"][0]["agents"] = pair["agents"][::-1]
    return {**found, "agents": pair["agents"][::-1]}


def test_a_ladder_is_the_same_whichever_agent_of_a_match_is_named_first(tmp_path: Path) -> None:
    save_ladder(tmp_path)
    (wanted,) = runs.everything_in(tmp_path)["ladders"]
    paths = sorted(tmp_path.glob("*.json"))
    played = {path: json.loads(path.read_text()) for path in paths}
    for number in range(1, 4):
        for chosen in combinations(paths, number):
            for path, data in played.items():
                results.save(path, turned(data) if path in chosen else data)
            (rated,) = runs.everything_in(tmp_path)["ladders"]
            assert {**rated, "agents": []} == {**wanted, "agents": []}
            for row, same in zip(rated["agents"], wanted["agents"], strict=True):
                assert row["agent"] == same["agent"]
                assert row["elo"] == pytest.approx(same["elo"], abs=1e-5)
                assert row["win_rate"] == same["win_rate"]
                assert row["microseconds"] == same["microseconds"]


def test_a_rematch_counts_also_with_its_agents_in_the_other_order(tmp_path: Path) -> None:
    save_ladder(tmp_path)
    old = json.loads((tmp_path / "1.json").read_text())
    os.utime(tmp_path / "1.json", (1e9, 1e9))
    results.save(tmp_path / "rematch.json", {**turned(old), "deals": 7})
    (rated,) = runs.everything_in(tmp_path)["ladders"]
    assert rated["deals"] == [7, 60]


def test_matches_of_other_networks_and_versions_are_not_mixed(tmp_path: Path) -> None:
    save_ladder(tmp_path)
    paths = sorted(tmp_path.glob("*.json"))
    played = [json.loads(path.read_text()) for path in paths]
    [agent] = set(played[0]["agents"]) & set(played[1]["agents"])
    for changed in ({"files": {agent: "0123"}}, {"version": "0.0"}):
        results.save(paths[0], {**played[0], **changed})
        assert runs.everything_in(tmp_path)["ladders"] == []
    for path, data in zip(paths, played, strict=True):
        results.save(path, {**data, "files": {agent: "0123"} if agent in data["agents"] else {}})
    assert len(runs.everything_in(tmp_path)["ladders"]) == 1


def test_matches_on_other_deals_are_rated_apart(tmp_path: Path) -> None:
    save_ladder(tmp_path)
    paths = sorted(tmp_path.glob("*.json"))
    for path in paths:
        data = json.loads(path.read_text())
        results.save(tmp_path / f"file-{path.name}", {**data, "deals_digest": "abc"})
    assert len(runs.everything_in(tmp_path)["ladders"]) == 2
    paths[0].unlink()
    assert len(runs.everything_in(tmp_path)["ladders"]) == 1  # the other two do not complete it


@pytest.mark.parametrize(
    "change",
    [{"game": "absent"}, {"pairs": [{}]}, {"pairs": [{"agents": ["a", "b", "c"]}]}, {"files": [1]},
     {"seed": {"a": 1}}],
    ids=str,
)  # fmt: skip
def test_results_that_cannot_be_rated_hide_no_ladder(tmp_path: Path, change: dict) -> None:
    save_ladder(tmp_path)
    wanted = runs.everything_in(tmp_path)["ladders"]
    for path in list(tmp_path.glob("*.json")):
        data = json.loads(path.read_text())
        (tmp_path / f"other-{path.name}").write_text(json.dumps({**data, **change}))
    assert len(wanted) == 1 and runs.everything_in(tmp_path)["ladders"] == wanted


def sets(texts: Iterable[Iterable[str]]) -> list[frozenset[str]]:
    return [frozenset(text) for text in texts]


def test_a_ladder_is_found_wherever_three_have_all_met() -> None:
    rng, agents = np.random.default_rng(0), "ABCDEFGH"
    for _ in range(200):
        share = rng.random()
        pairs = [pair for pair in sets(combinations(agents, 2)) if rng.random() < share]
        found = runs._all_met(pairs)
        assert set(sets(combinations(found, 2))) <= set(pairs)
        possible = any(
            set(sets(combinations(three, 2))) <= set(pairs) for three in combinations(agents, 3)
        )
        assert (len(found) >= 3) == possible
        assert runs._all_met(pairs[::-1]) == found
    assert runs._all_met(sets(["DE", "EF", "DF", "CA", "BC", "AB"])) == ["A", "B", "C"]
    # Two teams of five: each has met all of the other team, more than the three have met.
    teams = sets(product("VWXYZ", "vwxyz"))
    assert runs._all_met([*teams, *sets(["CA", "BC", "AB"])]) == ["A", "B", "C"]


def test_a_finished_match_is_not_under_way_and_shows_the_columns_of_the_command(
    tmp_path: Path,
) -> None:
    game = make_game("doudizhu")
    data = results.summary(match.play(game, ["random", "random"], 4, 1))
    for number, interrupted in enumerate((False, True)):
        results.save(tmp_path / f"{number}.json", {**data, "interrupted": interrupted})
    found = {each["file"]: each for each in runs.everything_in(tmp_path)["results"]}
    assert (found["0.json"]["live"], found["1.json"]["live"]) == (False, True)
    stated = data["pairs"][0]["results"][0]["columns"]
    assert found["0.json"]["rows"][0]["columns"] == {
        name: [each["mean"], each["low"], each["high"]] for name, each in stated.items()
    }


def test_without_losses_there_is_neither_a_win_rate_nor_a_ladder(tmp_path: Path) -> None:
    data = results.summary(match.play(make_game("daihinmin"), ["random"] * 3, 2))
    results.save(tmp_path / "0.json", data)
    found = runs.everything_in(tmp_path)
    assert found["ladders"] == [] and len(found["results"]) == 3
    assert all(list(row["columns"]) == ["points"] for row in found["results"][0]["rows"])


def test_agents_that_never_decided_have_no_time(tmp_path: Path) -> None:
    save_ladder(tmp_path)
    for path in tmp_path.glob("*.json"):
        data = json.loads(path.read_text())
        for each in (data, *data["pairs"]):
            each["decisions"] = [0, 0]
        path.write_text(json.dumps(data))
    (rated,) = runs.everything_in(tmp_path)["ladders"]
    assert [row["microseconds"] for row in rated["agents"]] == [None] * 3


def test_numbers_that_json_has_none_for_are_left_out(tmp_path: Path) -> None:
    vast = {"iterations": 1e308, "v": 1e308, "w": [1, -1e308, 10**299]}
    (tmp_path / "vast.json").write_text(json.dumps({"curve": [vast, {**vast, "w": [{}, 1, 2]}]}))
    found = runs.everything_in(tmp_path)
    (curve,) = found["curves"]
    assert curve["lines"] == {
        "v": [[1e308, 1e308, None, None]] * 2,
        "w": [[1e308, 1, -1e308, 1e299]],
    }
    assert json.dumps(found, allow_nan=False)


def test_facts_of_another_form_are_left_out(tmp_path: Path) -> None:
    save_ladder(tmp_path, deals=1)
    for path in tmp_path.glob("*.json"):
        data = json.loads(path.read_text())
        path.write_text(json.dumps({**data, "seed": {"a": 1}, "deals": -1}))
    results = runs.everything_in(tmp_path)["results"]
    assert [each["deals"] for each in results] == [None] * 3
    assert results[0]["rows"][0]["points"][1:] == [None, None]
    for path in tmp_path.glob("*.json"):
        path.write_text(path.read_text().replace('"mean"', '"mean": "x", "other"'))
    assert runs.everything_in(tmp_path)["results"] == []


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "1", "{}", '{"pairs": 1, "deals": 2}', '{"history": []}', '{"history": [1]}',
     '{"history": [{}], "settings": 1}', '{"curve": [null]}', '{"a": [], "b": []}',
     '{"game": "leduc", "deals": 1, "pairs": [{}]}', '{"game": "leduc", "results": [{}]}'],
)  # fmt: skip
def test_other_files_show_nothing_and_do_no_harm(tmp_path: Path, content: str) -> None:
    (tmp_path / "some.json").write_text(content)
    (tmp_path / "learner.npz").write_text(content)
    write_arrays(tmp_path / "x" / "learner.npz", {"history": np.array(content)})
    assert runs.everything_in(tmp_path) == {"results": [], "ladders": [], "curves": []}
