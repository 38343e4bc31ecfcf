"""The table of learners: files of cells, resuming, cells computed elsewhere, the report."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from closedhand import InputError, make_game
from closedhand.arena import learner_table, learners
from closedhand.arena.learners import EXACT, EXPLOITED, QUICK, Cell, choose, compute
from closedhand.core import parts as core_parts
from closedhand.core.file_kinds import COMMENT

SHIPPED = Path(__file__).parents[2] / "docs" / "learner-results"
PLAN = replace(QUICK, steps=500, curve_deals=5, deals=10, responder_steps=200)


def silent(name: str, done: float, total: int) -> None:
    """Progress that is not shown."""


@pytest.mark.slow
def test_small_games_are_judged_exactly(tmp_path: Path) -> None:
    names = ("ppo", "cfr+", "q-learning")
    cells = [Cell("leduc", learner, seed) for learner in names for seed in (0, 1)]
    compute(tmp_path, PLAN, cells, silent)
    results = learner_table.read(tmp_path)
    assert len(results) == 6
    for each in results:
        assert list(each.measures) == [EXACT]
        mean, low, high = each.measures[EXACT]
        assert 0 < low == mean == high < 5
        assert (each.curve[:, 2] > 0).all() and each.curve[-1, 0] >= PLAN.steps / 2
    lines = learner_table.report(results).splitlines()
    assert [line.split("|")[1:3] for line in lines if line.startswith("| `")] == [
        [" `cfr+` ", " 2 "],
        [" `ppo` ", " 2 "],
        [" `q-learning` ", " 2 "],
    ]


def test_large_games_are_judged_by_agents_and_a_responder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learners, "is_small", lambda game: False)
    plan = replace(PLAN, steps=40, curve_deals=2, deals=4, responder_steps=40)
    steps: list[float] = []
    compute(tmp_path, plan, [Cell("leduc", "ppo", 3)], lambda name, done, total: steps.append(done))
    # Learning is a part of the work, and the responder the rest.
    assert steps == sorted(steps) and steps[-1] == 1 and any(0 < step < 1 for step in steps)
    [result] = learner_table.read(tmp_path)
    assert list(result.measures) == ["v random", "v equilibrium", EXPLOITED]
    assert result.curve_of == "v equilibrium" and len(result.curve) > 0
    assert all(low <= mean <= high for mean, low, high in result.measures.values())
    assert result.processor_seconds > 0
    assert learners.references(make_game("doudizhu")) == ["random", "decompose", "greedy"]


def test_the_time_of_an_interrupted_responder_is_not_that_of_the_learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]

    def stop(*given: Any) -> None:
        *_, notes = given
        clock[0] += 100
        notes.keep(notes.kept)  # saves, as from time to time
        raise KeyboardInterrupt

    monkeypatch.setattr(learners, "is_small", lambda game: False)
    monkeypatch.setattr(learners.time, "process_time", lambda: clock[0])
    plan = replace(PLAN, steps=40, curve_deals=2, deals=4, responder_steps=40)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(learners, "_responded", stop)
        compute(tmp_path, plan, [Cell("leduc", "ppo", 3)], silent)
    compute(tmp_path, plan, [Cell("leduc", "ppo", 3)], silent)
    [result] = learner_table.read(tmp_path)
    assert clock == [100] and result.processor_seconds == 0


def test_a_folder_that_begins_with_a_quote_is_named_in_quotes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    compute(Path("'90s"), replace(PLAN, steps=40), [Cell("leduc", "dmc", 3)], silent)
    assert len(learner_table.read(Path("'90s"))) == 1


@pytest.mark.slow
def test_an_interrupted_cell_goes_on_and_a_finished_one_is_kept(tmp_path: Path) -> None:
    cells = [Cell("leduc", "dmc", 0)]
    compute(tmp_path / "whole", PLAN, cells, silent)

    def stop(name: str, done: float, total: int) -> None:
        if done > 0:
            raise KeyboardInterrupt

    cut = tmp_path / "cut"
    with pytest.raises(KeyboardInterrupt):
        compute(cut, PLAN, cells, stop)
    assert learner_table.read(cut) == []
    compute(cut, PLAN, cells, silent)
    [whole], [resumed] = map(learner_table.read, (tmp_path / "whole", cut))
    assert whole.measures == resumed.measures
    assert (whole.curve[:, [0, 2]] == resumed.curve[:, [0, 2]]).all()
    path = cut / f"{cells[0].name(PLAN)}.json"
    before = path.stat().st_mtime_ns
    compute(cut, PLAN, cells, silent)
    assert path.stat().st_mtime_ns == before


def test_a_point_of_the_curve_that_was_interrupted_is_measured_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [Cell("leduc", "dmc", 0)]
    compute(tmp_path / "whole", PLAN, cells, silent)
    [whole] = learner_table.read(tmp_path / "whole")
    assert len(whole.curve) == PLAN.points
    measure, due = learners._measures, iter(range(99))

    def stop(*given: Any, **more: Any) -> dict[str, Any]:
        if next(due) in (0, 2):
            raise KeyboardInterrupt
        return measure(*given, **more)

    monkeypatch.setattr(learners, "_measures", stop)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            compute(tmp_path / "cut", PLAN, cells, silent)
    compute(tmp_path / "cut", PLAN, cells, silent)
    [resumed] = learner_table.read(tmp_path / "cut")
    assert whole.measures == resumed.measures
    assert (whole.curve[:, [0, 2]] == resumed.curve[:, [0, 2]]).all()


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["cfr", "dmc"])
def test_a_run_of_another_version_is_not_resumed(
    learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells, steps = [Cell("leduc", learner, 0)], []
    for version in ("9.9.8", "9.9.9"):
        monkeypatch.setattr(core_parts, "__version__", version)
        steps.append([])
        compute(tmp_path, PLAN, cells, lambda name, done, total: steps[-1].append(done))
        [result] = learner_table.read(tmp_path)
        assert result.version == version
        steps[-1] += result.curve[:, [0, 2]].tolist()
    assert steps[0] == steps[1] and len(steps[0]) > 2


def test_cells_are_chosen_by_game_and_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    # Finding out which games are small compiles kernels of all; solvers have tests of that.
    monkeypatch.setattr(learners, "is_small", lambda game: "leduc" in game.name)
    assert choose(["leduc/ppo"], [0, 1]) == [Cell("leduc", "ppo", 0), Cell("leduc", "ppo", 1)]
    assert choose(["chinese-poker"], [0]) == [
        Cell("chinese_poker", learner, 0) for learner in ("ppo", "dmc", "imitation")
    ]
    assert {cell.game for cell in choose(["mccfr"], [0])} >= {"leduc", "uh_leduc"}
    assert len(choose(None, [0])) >= 5 * 3
    with pytest.raises(InputError, match="no cell 'chess'"):
        choose(["leduc", "chess"], [0])


@pytest.mark.parametrize(
    "text",
    ["[]", "{}", '{"settings": {}, "result": {}}', '{"settings": 1, "result": {"seconds": 1e999}}'],
)
def test_files_that_are_no_results_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "leduc-ppo-1-0.json").write_text(text)
    with pytest.raises(InputError, match=r"leduc-ppo-1-0\.json"):
        learner_table.read(tmp_path)


def test_results_of_other_versions_have_rows_of_their_own(tmp_path: Path) -> None:
    compute(tmp_path, PLAN, [Cell("leduc", "cfr", 0)], silent)
    [path] = tmp_path.glob("*.json")
    data = json.loads(path.read_text())
    # A sweep visits more decisions than the budget has.
    assert data["result"]["steps"] == learners.steps_of_iteration(make_game("leduc"), "cfr") > 1000
    data["settings"]["version"] = "9.9"
    (tmp_path / "of-others.json").write_text(json.dumps(data))
    report = learner_table.report(learner_table.read(tmp_path))
    assert report.count("| `cfr` | 1 |") == 2 and "| 9.9 |" in report
    path.unlink()
    assert "version" not in learner_table.report(learner_table.read(tmp_path))


def alike(one: list[learner_table.Result], two: list[learner_table.Result]) -> bool:
    plain = [
        [each._replace(curve=each.curve.tolist()) for each in results] for results in (one, two)
    ]
    return plain[0] == plain[1]


def test_the_table_of_a_folder_takes_the_place_of_its_files(tmp_path: Path) -> None:
    compute(tmp_path, PLAN, [Cell("leduc", learner, 0) for learner in ("cfr", "mccfr")], silent)
    results, table = learner_table.read(tmp_path), tmp_path / learner_table.TABLE
    learner_table.write(table, results)
    files = sorted(tmp_path.glob("*.json"))
    data = json.loads(files[0].read_text())
    files[1].unlink()
    data["result"]["measures"][EXACT] = [0.125] * 3
    files[0].write_text(json.dumps(data))
    both = learner_table.read(tmp_path)
    assert [each.learner for each in both] == ["cfr", "mccfr"]
    assert both[0].measures[EXACT].mean == 0.125 and alike(both[1:], results[1:])
    files[0].unlink()
    assert alike(learner_table.read(tmp_path), results)


def test_cells_without_a_curve_are_read_again(tmp_path: Path) -> None:
    """Such as those of a learner that was done before a point was due."""
    result = next(each for each in learner_table.read(SHIPPED) if EXPLOITED in each.measures)
    bare = result._replace(curve=result.curve[:0])
    learner_table.write(tmp_path / learner_table.TABLE, [bare])
    [again] = learner_table.read(tmp_path)
    assert again.curve.shape == (0, 5) and again.curve_of == result.curve_of
    learner_table.plot([again], tmp_path / "curves.png")
    exact = next(each for each in learner_table.read(SHIPPED) if each.curve_of == EXACT)
    learner_table.plot([exact._replace(curve=exact.curve[:0])], tmp_path / "curves.png")


@pytest.mark.parametrize(
    ("old", "new"),
    [("final", "end"), ("0.25", "x"), ("exploitability,1", "other,1"), ("seed", "s")],
)
def test_a_damaged_table_is_refused(old: str, new: str, tmp_path: Path) -> None:
    text = (SHIPPED / learner_table.TABLE).read_text()
    assert old in text
    (tmp_path / learner_table.TABLE).write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=r"results\.csv is not a table of learners"):
        learner_table.read(tmp_path)


def test_the_page_is_made_from_its_table(tmp_path: Path) -> None:
    results = learner_table.read(SHIPPED)
    assert len(results) == 123
    made = learner_table.report(results) + "\n![curves](curves.png)\n"
    assert (SHIPPED / "report.md").read_text() == f"{made}\n{COMMENT}\n"
    learner_table.write(tmp_path / learner_table.TABLE, results)
    written = (tmp_path / learner_table.TABLE).read_bytes()
    assert written == (SHIPPED / learner_table.TABLE).read_bytes()


def test_estimates_are_shown_with_their_intervals_unless_exact() -> None:
    assert learner_table.shown(None) == "-"
    assert learner_table.shown(learner_table.Estimate(0.5, 0.5, 0.5)) == "0.5"
    assert learner_table.shown(learner_table.Estimate(1.0, 0.5, 1.5)) == "1 (0.5 to 1.5)"


def test_budgets_of_tabular_algorithms_count_visits() -> None:
    game = learners.make_game("leduc")
    sweep, game_each, sampled = (
        learners.steps_of_iteration(game, name) for name in ("cfr+", "q-learning", "mccfr")
    )
    assert 1 < game_each < 10 and sampled == 2 * game_each and sweep > 1000
