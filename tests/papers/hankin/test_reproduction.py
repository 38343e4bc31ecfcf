"""The blog reproduced."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support_cli import assert_refused, run_to
from support_pools import SMALL

from closedhand import InputError
from closedhand.agents.chinese_poker import agents, separable, training
from closedhand.core.file_kinds import COMMENT
from closedhand.papers.hankin import report, reproduction

pytestmark = pytest.mark.usefixtures("own_cache")

REPRODUCE = ("reproduce", "chinese-poker", "--hands", "200", "--pools", "2", "--out", "r")
SHORT = (*REPRODUCE, "--pool", str(SMALL))


def test_the_report_says_what_differs() -> None:
    assert "\nDifferences: the blog's chances" in report.report({})


@pytest.mark.slow
def test_the_blog_is_reproduced_in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """All parts, the report and JSON; what is done is not done again."""
    monkeypatch.setattr(agents, "POOL_SIZE", SMALL)
    monkeypatch.setattr(reproduction, "HANDS_A_CYCLE", 1_000)
    reproduction.blog_tables.cache_clear()
    out = run_to(0, *SHORT).stdout
    text = Path("r/report.md").read_text()
    assert text.removesuffix(f"\n{COMMENT}\n").strip() in out
    rows = [line for line in text.splitlines() if re.match(r"\| (front|middle|back) \|", line)]
    assert len(rows) == len(reproduction.blog_ranges()) == 55
    for label in reproduction.STRATEGIES.values():
        assert len(re.findall(rf"^\| {re.escape(label)} \|.* to .*\|$", text, re.M)) == 1
    judged_parts = {f"{name}-{i}" for name in reproduction.STRATEGIES for i in (1, 2)}
    kept = {path.stem: path.read_bytes() for path in Path("r").glob("*.json")}
    assert set(kept) == {"ranges", "hand", "match", *judged_parts}

    # A part that is gone is done again.
    Path("r/match.json").unlink()
    monkeypatch.setattr(reproduction, "ranges", lambda *_: 1 / 0)
    monkeypatch.setattr(reproduction.counter, "judge_strategy", lambda *_: 1 / 0)
    data = json.loads(run_to(0, *SHORT, "--json").stdout)
    assert set(data) == {*kept, "judgements"}
    again, before = data["match"], json.loads(kept.pop("match"))["result"]
    assert {**again, "seconds": 0} == {**before, "seconds": 0}
    assert all(Path(f"r/{name}.json").read_bytes() == text for name, text in kept.items())
    assert separable.load(Path("r/blog-tables.npz")).about["cycles"] == reproduction.CYCLES

    assert "| AQT82 flush in the back | 59.64 |" in text
    assert data["hand"]["opponents"] > 20
    for name, size in (("complete", 455 + 2 * 6331), ("more-complete", 250)):
        lines = Path(f"r/{name}.csv").read_text().splitlines()
        assert lines[0] == "part,hand,percent"
        assert 0.5 * size < len(lines) <= size + 1
    only = json.loads(run_to(0, *SHORT, "--only", "hand, ranges", "--json").stdout)
    assert only == {name: data[name] for name in ("ranges", "hand")} | {"judgements": []}
    assert Path("r/hand-ranges.md").exists()

    assert again["hands"] == 400
    assert 200 < again["identical"] <= 400
    assert abs(again["points"]) < 5 * again["error"] + 0.05
    assert report.worst_range(data["ranges"]["ranges"]) < 8
    for part, percent in report.BLOG_ALICE.items():
        assert data["ranges"]["alice"][part] == pytest.approx(percent, abs=6)
    for row in data["judgements"]:
        assert (row["pools"], row["hands"]) == (2, 200)
        assert 0 <= row["in_sample"] >= row["held_out"]
        low, high = row["in_sample_interval"]
        assert low <= row["in_sample"] <= high


def test_a_part_is_done_anew_where_anything_it_depends_on_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[reproduction.Plan] = []
    steps: list[tuple[str, float, int]] = []

    def parts(folder: Path, plan: reproduction.Plan) -> dict[str, Any]:
        def part(notes: Any) -> dict[str, Any]:
            notes(0.5)
            asked.append(plan)
            return {"hands": plan.hands}

        return {"one": part, "two": part}

    def done(**given: Any) -> int:
        before = len(asked)
        plan = reproduction.Plan(**{"hands": 200, "pools": 2, **given})
        reproduction.compute(Path("r"), plan, lambda *each: steps.append(each))
        return len(asked) - before

    monkeypatch.setattr(reproduction, "parts", parts)
    assert done() == 2
    assert steps == [("one", 0, 2), ("one", 0.5, 2), ("two", 1, 2), ("two", 1.5, 2)]
    assert done() == 0
    Path("r/two.json").write_text("damaged")
    with pytest.raises(InputError, match=r"two\.json: it exists and is not a part"):
        done()
    Path("r/two.json").unlink()
    assert done() == 1
    assert [done(hands=201), done(pools=3), done(seed=1)] == [2, 2, 2]
    assert done() == 2
    assert [done(pool=SMALL), done(pool=SMALL)] == [2, 0]
    monkeypatch.setattr(separable, "shipped", lambda: separable.Tables(training.even()))
    assert [done(), done()] == [2, 0]


def test_an_unknown_section_is_refused() -> None:
    reason = "no section 'rage'; there are ranges, hand, match, blog"
    assert_refused(reason, *REPRODUCE, "--only", "ranges,rage")


def test_an_interrupted_reproduction_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(notes: Any) -> dict[str, Any]:
        raise KeyboardInterrupt

    parts = {"one": lambda notes: {}, "two": interrupted}
    monkeypatch.setattr(reproduction, "parts", lambda *_: parts)
    assert "the same command resumes" in run_to(130, *REPRODUCE).stderr
    assert [path.name for path in Path("r").iterdir()] == ["one.json"]


def test_fewer_hands_than_pools_are_refused() -> None:
    reason = "101 pools need at least one hand each, not 100"
    assert_refused(reason, *REPRODUCE[:2], "--hands", "100", "--pools", "101", "--out", "r")


def test_intervals_are_students() -> None:
    """Of the means over pools; t is 12.706 for two of them."""
    pool = {"hands": 10, "seconds": 1.0, "opponents": 5.0, "identical": 0.5, "held_out": 0.25}
    results = {
        f"{name}-{i}": {**pool, "in_sample": float(i)}
        for name in reproduction.STRATEGIES
        for i in (1, 2)
    }
    for row in report.judgements({"ranges": {}, "match": {}, **results}):
        assert (row["hands"], row["seconds"], row["in_sample"]) == (20, 2.0, 1.5)
        assert row["in_sample_interval"] == pytest.approx([1.5 - 6.3531, 1.5 + 6.3531], abs=1e-3)
        assert row["held_out_interval"] == pytest.approx([0.25, 0.25])
    one = {key: value for key, value in results.items() if key.endswith("-1")}
    assert [row["in_sample_interval"] for row in report.judgements(one)] == [None] * len(
        reproduction.STRATEGIES
    )


def test_one_pool_has_no_intervals() -> None:
    pool = {"hands": 10, "seconds": 1.0, "opponents": 5.0, "identical": 0.5, "held_out": 0.25}
    results = {f"{next(iter(reproduction.STRATEGIES))}-1": {**pool, "in_sample": 1.0}}
    assert "Gain of a best response" in report.report(results)
    assert "Intervals" not in report.report(results)
