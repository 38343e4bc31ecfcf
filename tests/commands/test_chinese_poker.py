"""Chinese Poker on the command line: advice, training, and the blog reproduced."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from baselines.chinese_poker.test_counter import (
    ALICE,
    GAME,
    GAMES,
    SIZE,
    SMALL,
    candidates_of,
    dealt,
    every_scoring,
    opponents_of,
    plain_points,
    small_pool,
    strengths,
    win_of,
)
from typer.testing import CliRunner, Result

from closedhand import InputError, make_agent
from closedhand.baselines.chinese_poker import (
    advise as advising,
    agents,
    counter,
    opponents,
    separable,
    training,
)
from closedhand.cli import app
from closedhand.commands import chinese_poker as commands
from closedhand.games.chinese_poker.notation import cards_text, parse_board, parse_hand
from closedhand.games.chinese_poker.plays import PARTS, names
from closedhand.papers.hankin import reproduction

HAND = parse_hand(ALICE)


@pytest.fixture(autouse=True)
def keep_the_cache_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result


def assert_refused(reason: str, *arguments: str) -> None:
    """By one line, and nothing is printed."""
    result = run(*arguments, code=2)
    assert reason in result.stderr
    assert result.stderr.strip().count("\n") == 0
    assert result.stdout == ""


# Agents by name, and the files that they name.


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("separable:none.npz", "cannot read none.npz"),
        ("separable:.", "cannot read"),
        ("separable:5000", "cannot read 5000"),
        ("separable:text.npz", "text.npz holds no tables"),
        ("counter:text.npz", "text.npz holds no tables"),
        ("counter:4999", "5,000 to 50,000,000 hands, not 4,999"),
        ("counter:-1", "cannot read -1"),
        ("counter:1e6", "cannot read 1e6"),
        ("rescored:none.npz", "cannot read none.npz"),
        ("rescored:99999999999", "hands, not 99,999,999,999"),
        ("separable:other.npz", "other.npz was trained for the rules 1-6, not 4-2"),
        ("counter:other.npz", "other.npz was trained for the rules 1-6, not 4-2"),
    ],
)
def test_agents_refuse_what_they_cannot_use(agent: str, message: str) -> None:
    Path("text.npz").write_text("nothing")
    separable.save(separable.shipped("1-6"), Path("other.npz"))
    with pytest.raises(InputError, match=re.escape(message)) as error:
        make_agent(GAME, agent)
    assert "\n" not in str(error.value)


def test_agents_play_by_tables_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    even, hands = separable.Tables(training.even()), dealt(40, 28)
    separable.save(even, Path("even.npz"))
    agent: Any = make_agent(GAME, "separable:even.npz")
    assert agent.name == "separable:even.npz"
    actions = separable.arrange(GAME.rules, even.win, hands)
    assert agent.arrange(hands).tolist() == actions.tolist()
    assert (actions != separable.arrange(GAME.rules, win_of("4-2"), hands)).any()
    # Without a number the pool is large.
    assert agents.POOL_SIZE >= 1_000_000
    monkeypatch.setattr(agents, "POOL_SIZE", SMALL)
    responder: Any = make_agent(GAME, "counter:even.npz")
    assert responder.pool is opponents.pool_of(GAME.rules, even, SMALL)


def test_damaged_files_are_input_errors() -> None:
    """Whatever byte is wrong: the file is refused, or still holds tables."""
    path, rng, refused = Path("t.npz"), np.random.default_rng(29), 0
    separable.save(separable.Tables(training.even(), {"seed": 0}), path)
    whole = path.read_bytes()
    for i in range(100):
        data = bytearray(whole)
        for place in rng.integers(len(data), size=3):
            data[place] ^= 1 << rng.integers(8)
        path.write_bytes(data[: rng.integers(len(data)) if i % 5 == 4 else None])
        try:
            separable.load(path)
        except InputError:
            refused += 1
    assert refused > 70


# Advice.


@every_scoring
def test_advice_is_what_the_pool_says(rules: str) -> None:
    hands, parts, pool = small_pool(rules)
    game = GAMES[rules].rules
    for hand in [HAND, *dealt(40, 34)]:
        others = parts[opponents_of(hand, hands)]
        advice, number = advising.advise(game, pool, hand, 4)
        assert number == len(others)
        assert 1 <= len(advice) <= 4
        for each in advice:
            cards, action = parse_board(each.board)
            assert (cards == hand).all()
            assert action in candidates_of(rules, hand)[0]  # which are legal
            own = strengths(hand, action)
            points = plain_points(rules, own[None], others)[0]
            assert each.points == pytest.approx(points.mean(), abs=1e-12)
            assert each.error == pytest.approx(points.std() / np.sqrt(number), abs=1e-12)
            assert "/".join(part.cards for part in each.parts) == each.board
            for part, name in zip(each.parts, ("back", "middle", "front"), strict=True):
                i = PARTS.index(name)
                assert (part.part, part.name) == (name, names(i)[own[i]])
                assert part.win == pytest.approx((own[i] > others[:, i]).mean())
                assert part.tie == pytest.approx((own[i] == others[:, i]).mean())
        # The best one first, and it is as good as the counter-strategy's.
        ranked = [each.points for each in advice]
        assert ranked == sorted(ranked, reverse=True)
        best = strengths(hand, counter.respond(game, pool, win_of(rules), np.inf, hand))
        found = plain_points(rules, best[None], others).mean()
        assert ranked[0] == pytest.approx(found, abs=4 / len(others) ** 2)
    everything, _ = advising.advise(game, pool, HAND, 100_000)
    assert len(everything) == len(candidates_of(rules, HAND)[0])


ADVISE = ("advise", "chinese-poker", ALICE, "--opponents", str(SIZE))


def test_advice_as_json_alone_on_stdout() -> None:
    result = run(*ADVISE, "--json", "--top", "5")
    assert result.stdout.count("\n") == 1
    data = json.loads(result.stdout)
    assert data["hand"] == cards_text(HAND)
    assert len(data["arrangements"]) == 5
    pool = opponents.pool_of(GAME.rules, separable.shipped(), SIZE)
    advice, number = advising.advise(GAME.rules, pool, HAND, 5)
    assert data == json.loads(json.dumps(advising.summary(HAND, advice, number)))


def test_advice_as_text() -> None:
    out = run(*ADVISE).stdout
    for word in ("1. ", "2. ", "3. ", "back", "middle", "front", "wins", "ties", "opponents"):
        assert word in out
    assert "4. " not in out
    assert max(map(len, out.splitlines())) <= 80


def test_advice_as_a_picture() -> None:
    pytest.importorskip("PIL")
    assert "saved pictures/hand.png" in run(*ADVISE, "--picture", "pictures/hand.png").stdout
    assert Path("pictures/hand.png").read_bytes().startswith(b"\x89PNG")
    advice = advising.advise(GAME.rules, small_pool("4-2")[2], HAND, 1)[0][0]
    rows = advising.rows(advice)
    assert "/".join("".join(row.cards) for row in rows[:3]) == advice.board


def test_advice_by_other_rules_and_tables() -> None:
    separable.save(separable.Tables(training.even()), Path("even.npz"))
    separable.save(separable.shipped("1-6"), Path("other.npz"))
    small = ("advise", "chinese_poker", ALICE, "--opponents", str(SMALL), "--json")
    outputs = [
        run(*small, *more).stdout
        for more in ([], ["--rules", "1-6"], ["--tables", "even.npz"])
    ]  # fmt: skip
    assert len({json.loads(out)["arrangements"][0]["points"] for out in outputs}) == 3
    again = run(*small, "--rules", "1-6", "--tables", "other.npz")
    assert again.stdout == outputs[1]


def test_setting_the_pool_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    @contextmanager
    def bar(unit: str, total: int) -> Iterator[Any]:
        yield lambda done: told.append((done, total))

    monkeypatch.setattr(opponents, "_POOLS", {})
    monkeypatch.setattr(commands, "progress_bar", bar)
    assert run(*ADVISE).stderr == ""
    assert told == sorted(told)
    assert told[-1] == (SIZE, SIZE)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["chinese-poker", ALICE[:-2]], "13 cards, not 12"),
        (["chinese-poker", ALICE[:-2] + "As"], "As is there twice"),
        (["chinese-poker", "rubbish"], "no card"),
        (["chinese-poker", ""], "13 cards, not 0"),
        (["doudizhu", ALICE], "doudizhu offers nothing to advise"),
        (["chess", ALICE], "no game 'chess' to advise"),
        (["chinese-poker", ALICE, "--rules", "2-4"], "no rules '2-4'"),
        (["chinese-poker", ALICE, "--opponents", "4999"], "5,000 to 50,000,000 hands, not 4,999"),
        (["chinese-poker", ALICE, "--opponents", "0"], "hands, not 0"),
        (["chinese-poker", ALICE, "--opponents", "-1"], "hands, not -1"),
        (["chinese-poker", ALICE, "--opponents", "99999999999"], "hands, not 99,999,999,999"),
        (["chinese-poker", ALICE, "--tables", "none.npz"], "cannot read none.npz"),
        (["chinese-poker", ALICE, "--tables", "file"], "file holds no tables"),
        (["chinese-poker", ALICE, "--tables", "other.npz"], "trained for the rules 1-6, not 4-2"),
        (["chinese-poker", ALICE, "--picture", "file/x.png"], "cannot make the folder file"),
        (["chinese-poker", ALICE, "--picture", "x.png"], "pictures need Pillow"),
    ],
)
def test_bad_questions_are_one_line_before_a_pool_is_set(
    arguments: list[str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("file").write_text("nothing")
    separable.save(separable.shipped("1-6"), Path("other.npz"))
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setattr(opponents.pools, "random_hands", lambda *_: 1 / 0)
    assert_refused(reason, "advise", *arguments)


# Training.

TRAIN = ("train", "chinese-poker", "--out", "x", "--minutes", "0.001")
Training = training.Training


@pytest.fixture
def small_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "Training", partial(Training, hands=550, pool_size=800))


def cycles_of(method: str) -> int:
    kept = training.begin(GAME, method, 0, Path("x"), lambda part: None)
    kept.resume()
    return kept.learner.cycles


@pytest.mark.usefixtures("small_cycles")
@pytest.mark.parametrize("method", training.METHODS)
def test_the_command_trains_and_goes_on(method: str) -> None:
    arguments = (*TRAIN, "--algorithm", method)
    assert "agent separable:x/tables.npz" in run(*arguments).stdout
    about = separable.load(Path("x/tables.npz")).about
    assert (about["method"], about["cycles"]) == (method, cycles_of(method))
    # At least one cycle again, however little time.
    run(*TRAIN[:-1], "1e-9", "--algorithm", method, "--restart")
    assert cycles_of(method) == 1
    assert "going on after 1 cycles" in run(*arguments).stderr
    assert cycles_of(method) > 1
    assert make_agent(GAME, "separable:x/tables.npz").name == "separable:x/tables.npz"


@pytest.mark.usefixtures("small_cycles")
def test_the_command_fits_unless_told_and_goes_on_with_nothing_else() -> None:
    run(*TRAIN)
    assert cycles_of("fitted") >= 1
    assert_refused("method fitted, not blog", *TRAIN, "--algorithm", "blog")
    assert_refused("seed 0, not 3", *TRAIN, "--seed", "3")
    assert_refused("rules 4-2, not 1-6", *TRAIN, "--rules", "1-6")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--out", "x", "--algorithm", "magic"], "no algorithm 'magic'"),
        (["--out", "x", "--algorithm", "ppo"], "no algorithm 'ppo'"),
        (["--out", "x", "--opponents", "random"], "no opponents"),
        (["--out", "x", "--minutes", "0"], "larger than 0"),
        (["--out", "x", "--rules", "2-4"], "no rules '2-4'"),
        (["--out", "x", "--option", "royalties=true"], "without royalties"),
        (["--out", "file"], "cannot make the folder file"),
        (["--out", "damaged"], "no npz file"),
    ],
)
def test_bad_orders_are_one_line(arguments: list[str], reason: str) -> None:
    Path("file").write_text("not a folder")
    Path("damaged").mkdir()
    Path("damaged/training.npz").write_text("nothing")
    assert_refused(reason, "train", "chinese-poker", *arguments)


@pytest.mark.usefixtures("small_cycles")
@pytest.mark.parametrize("done", [0, 1])
def test_ctrl_c_keeps_whole_cycles(done: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cycle = Training.cycle

    def interrupted(self: Any, progress: Any) -> None:
        if self.cycles == done:
            raise KeyboardInterrupt
        cycle(self, progress)

    monkeypatch.setattr(Training, "cycle", interrupted)
    result = run("train", "chinese-poker", "--out", "x", "--minutes", "5", code=130)
    assert Path("x/tables.npz").exists() == bool(done)
    assert ("the same command goes on" if done else "nothing is saved") in result.stderr
    assert not done or cycles_of("fitted") == done


# The blog reproduced.

REPRODUCE = ("reproduce", "chinese-poker", "--hands", "200", "--pools", "2", "--out", "r")


def test_the_blog_is_reproduced_in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """All parts, the report and JSON; what is done is not done again."""
    for module in (reproduction, agents):
        monkeypatch.setattr(module, "POOL_SIZE", SMALL)
    monkeypatch.setattr(reproduction, "HANDS_A_CYCLE", 1_000)
    out = run(*REPRODUCE).stdout
    report = Path("r/report.md").read_text()
    assert report.strip() in out
    rows = [line for line in report.splitlines() if re.match(r"\| (front|middle|back) \|", line)]
    assert len(rows) == len(reproduction.blog_ranges()) == 55
    for label in reproduction.STRATEGIES.values():
        assert len(re.findall(rf"^\| {re.escape(label)} \|.* to .*\|$", report, re.M)) == 1
    judged_parts = {f"{name}-{i}" for name in reproduction.STRATEGIES for i in (1, 2)}
    kept = {path.stem: path.read_bytes() for path in Path("r").glob("*.json")}
    assert set(kept) == {"ranges", "match", *judged_parts}

    # A part that is gone is done again, and so are tables that are gone.
    tables = separable.load(Path("r/blog-tables.npz")).win
    Path("r/match.json").unlink()
    Path("r/blog-tables.npz").unlink()
    monkeypatch.setattr(reproduction, "ranges", lambda *_: 1 / 0)
    monkeypatch.setattr(reproduction.counter, "judge_strategy", lambda *_: 1 / 0)
    data = json.loads(run(*REPRODUCE, "--json").stdout)
    assert set(data) == {*kept, "judgements"}
    again, before = data["match"], json.loads(kept.pop("match"))["result"]
    assert {**again, "seconds": 0} == {**before, "seconds": 0}
    assert all(Path(f"r/{name}.json").read_bytes() == text for name, text in kept.items())
    assert (separable.load(Path("r/blog-tables.npz")).win == tables).all()

    assert again["hands"] == 400
    assert 200 < again["identical"] <= 400
    assert abs(again["points"]) < 5 * again["error"] + 0.05
    assert reproduction.worst_range(data["ranges"]["ranges"]) < 8
    for part, percent in reproduction.BLOG_ALICE.items():
        assert data["ranges"]["alice"][part] == pytest.approx(percent, abs=6)
    for row in data["judgements"]:
        assert (row["pools"], row["hands"]) == (2, 200)
        assert 0 <= row["in_sample"] >= row["held_out"]
        low, high = row["in_sample_interval"]
        assert low <= row["in_sample"] <= high


def test_a_part_is_done_anew_where_anything_it_depends_on_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[int, ...]] = []
    told: list[tuple[str, float, int]] = []

    def parts(folder: Path, *numbers: int) -> dict[str, Any]:
        def part(tell: Any) -> dict[str, Any]:
            tell(0.5)
            asked.append(numbers)
            return {"numbers": numbers}

        return {"one": part, "two": part}

    def done(hands: int = 200, pools: int = 2, seed: int = 0) -> int:
        before = len(asked)
        reproduction.compute(Path("r"), hands, pools, seed, lambda *each: told.append(each))
        return len(asked) - before

    monkeypatch.setattr(reproduction, "parts", parts)
    assert done() == 2
    assert told == [("one", 0, 2), ("one", 0.5, 2), ("two", 1, 2), ("two", 1.5, 2)]
    assert done() == 0
    Path("r/two.json").write_text("damaged")
    assert done() == 1
    assert [done(hands=201), done(pools=3), done(seed=1)] == [2, 2, 2]
    assert done() == 2
    monkeypatch.setattr(reproduction, "POOL_SIZE", SMALL)
    assert [done(), done()] == [2, 0]
    monkeypatch.setattr(separable, "shipped", lambda: separable.Tables(training.even()))
    assert [done(), done()] == [2, 0]


def test_an_interrupted_reproduction_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(tell: Any) -> dict[str, Any]:
        raise KeyboardInterrupt

    parts = {"one": lambda tell: {}, "two": interrupted}
    monkeypatch.setattr(reproduction, "parts", lambda *_: parts)
    assert "the same command goes on" in run(*REPRODUCE, code=130).stderr
    assert [path.name for path in Path("r").iterdir()] == ["one.json"]


def test_fewer_hands_than_pools_are_refused() -> None:
    reason = "101 pools take one hand each at least, not 100"
    assert_refused(reason, *REPRODUCE[:2], "--hands", "100", "--pools", "101", "--out", "r")


def test_intervals_are_students() -> None:
    """Of the means over pools; t is 12.706 for two of them."""
    pool = {"hands": 10, "seconds": 1.0, "opponents": 5.0, "identical": 0.5, "held_out": 0.25}
    results = {
        f"{name}-{i}": {**pool, "in_sample": float(i)}
        for name in reproduction.STRATEGIES
        for i in (1, 2)
    }
    for row in reproduction.judgements({"ranges": {}, "match": {}, **results}):
        assert (row["hands"], row["seconds"], row["in_sample"]) == (20, 2.0, 1.5)
        assert row["in_sample_interval"] == pytest.approx([1.5 - 6.3531, 1.5 + 6.3531], abs=1e-3)
        assert row["held_out_interval"] == pytest.approx([0.25, 0.25])
    one = {key: value for key, value in results.items() if key.endswith("-1")}
    assert [row["in_sample_interval"] for row in reproduction.judgements(one)] == [None] * 3
