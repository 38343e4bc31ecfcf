"""Chinese Poker on the command line: advice and training."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support_cli import assert_refused, run_to
from support_pools import ALICE, GAME, SIZE, SMALL, small_pool

from closedhand import make_agent
from closedhand.agents.chinese_poker import advise as advising, pool as pools, separable, training
from closedhand.commands import chinese_poker as commands
from closedhand.games.chinese_poker.notation import cards_text, parse_hand

HAND = parse_hand(ALICE)

pytestmark = pytest.mark.usefixtures("own_cache")

# Advice.

ADVISE = ("advise", "chinese-poker", ALICE, "--opponents", str(SIZE))


def test_advice_as_json_alone_on_stdout() -> None:
    result = run_to(0, *ADVISE, "--json", "--top", "5")
    assert result.stdout.count("\n") == 1
    data = json.loads(result.stdout)
    assert data["hand"] == cards_text(HAND)
    assert len(data["arrangements"]) == 5
    pool = pools.pool_of(GAME.rules, separable.shipped(), SIZE)
    advice, number = advising.advise(GAME.rules, pool, HAND, 5)
    assert data == json.loads(json.dumps(advising.summary(HAND, advice, number)))


def test_advice_as_text() -> None:
    out = run_to(0, *ADVISE).stdout
    for word in ("1. ", "2. ", "3. ", "back", "middle", "front", "wins", "ties", "opponents"):
        assert word in out
    assert "4. " not in out
    assert max(map(len, out.splitlines())) <= 80


def test_advice_as_a_picture() -> None:
    pytest.importorskip("PIL")
    assert "saved pictures/hand.png" in run_to(0, *ADVISE, "--picture", "pictures/hand.png").stdout
    assert Path("pictures/hand.png").read_bytes().startswith(b"\x89PNG")
    advice = advising.advise(GAME.rules, small_pool("4-2")[2], HAND, 1)[0][0]
    rows = advising.rows(advice)
    assert "/".join("".join(row.cards) for row in rows[:3]) == advice.board


def test_advice_by_other_rules_and_tables() -> None:
    separable.save(separable.Tables(training.even()), Path("even.npz"))
    separable.save(separable.shipped("1-6"), Path("other.npz"))
    small = ("advise", "chinese_poker", ALICE, "--opponents", str(SMALL), "--json")
    outputs = [
        run_to(0, *small, *more).stdout
        for more in ([], ["--rules", "1-6"], ["--tables", "even.npz"])
    ]  # fmt: skip
    assert len({json.loads(out)["arrangements"][0]["points"] for out in outputs}) == 3
    again = run_to(0, *small, "--rules", "1-6", "--tables", "other.npz")
    assert again.stdout == outputs[1]


@pytest.mark.slow
def test_setting_the_pool_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    @contextmanager
    def bar(unit: str, total: int) -> Iterator[Any]:
        yield lambda done: told.append((done, total))

    monkeypatch.setattr(pools, "_POOLS", {})
    monkeypatch.setattr(commands.common, "progress_bar", bar)
    assert run_to(0, *ADVISE).stderr == ""
    assert told == sorted(told)
    assert told[-1] == (SIZE, SIZE)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["chinese-poker", ALICE[:-2]], "13 cards, not 12"),
        (["chinese-poker", ALICE[:-2] + "As"], "As appears twice"),
        (["chinese-poker", "rubbish"], "not a card"),
        (["chinese-poker", ""], "13 cards, not 0"),
        (["leduc", ALICE], "is not a card"),
        (["chess", ALICE], "no game 'chess' to advise"),
        (["chinese-poker", ALICE, "--rules", "2-4"], "rules is "),
        (["chinese-poker", ALICE, "--opponents", "4999"], "5,000 to 50,000,000 hands, not 4,999"),
        (["chinese-poker", ALICE, "--opponents", "0"], "hands, not 0"),
        (["chinese-poker", ALICE, "--opponents", "-1"], "hands, not -1"),
        (["chinese-poker", ALICE, "--opponents", "99999999999"], "hands, not 99,999,999,999"),
        (["chinese-poker", ALICE, "--tables", "none.npz"], "cannot read none.npz"),
        (["chinese-poker", ALICE, "--tables", "file"], "file is not an npz file"),
        (["chinese-poker", ALICE, "--tables", "other.npz"], "trained for the rules 1-6, not 4-2"),
        (["chinese-poker", ALICE, "--picture", "file/x.png"], "cannot write file/x.png"),
        (["chinese-poker", ALICE, "--picture", "x.png"], "the module PIL is missing"),
    ],
)
def test_bad_questions_are_one_line_before_a_pool_is_set(
    arguments: list[str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("file").write_text("nothing")
    separable.save(separable.shipped("1-6"), Path("other.npz"))
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setattr(pools, "random_hands", lambda *_: 1 / 0)
    assert_refused(reason, "advise", *arguments)


# Training.


TRAIN = ("train", "chinese-poker", "--algorithm", "fitted", "--out", "x", "--minutes", "0.001")
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
    arguments = (*TRAIN[:2], "--algorithm", method, *TRAIN[4:])
    assert "agent separable:x/tables.npz" in run_to(0, *arguments).stdout
    about = separable.load(Path("x/tables.npz")).about
    assert (about["method"], about["cycles"]) == (method, cycles_of(method))
    # At least one cycle again, however little time.
    run_to(0, *arguments[:-1], "1e-9", "--restart")
    assert cycles_of(method) == 1
    assert "resuming after 1 cycles" in run_to(0, *arguments).stderr
    assert cycles_of(method) > 1
    assert make_agent(GAME, "separable:x/tables.npz").name == "separable:x/tables.npz"


@pytest.mark.usefixtures("small_cycles")
def test_the_command_goes_on_with_nothing_else() -> None:
    run_to(0, *TRAIN)
    assert cycles_of("fitted") >= 1
    assert_refused("method fitted, not blog", *TRAIN[:3], "blog", *TRAIN[4:])
    assert_refused("seed 0, not 3", *TRAIN, "--seed", "3")
    assert_refused("rules 4-2, not 1-6", *TRAIN, "--rules", "1-6")


@pytest.mark.usefixtures("small_cycles")
def test_tables_without_a_checkpoint_are_not_written_over() -> None:
    arguments = (*TRAIN[:3], "blog", *TRAIN[4:-1], "1e-9")
    run_to(0, *arguments)
    Path("x/training.npz").unlink()
    before = Path("x/tables.npz").read_bytes()
    assert_refused("x/tables.npz is of another training: name another folder", *arguments)
    assert [each.read_bytes() for each in Path("x").iterdir()] == [before]
    run_to(0, *arguments, "--restart")
    arguments = (*TRAIN[:3], "blog", "--out", "x,y", "--minutes", "1e-9")
    assert 'play them as the agent separable:"x,y/tables.npz"' in run_to(0, *arguments).stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--out", "x", "--algorithm", "magic"], "no algorithm 'magic'"),
        (["--out", "x", "--opponents", "random"], "leave out --opponents"),
        (["--out", "x", "--minutes", "0"], "must be above 0"),
        (["--out", "x", "--rules", "2-4"], "rules is "),
        (["--out", "x", "--option", "royalties=true"], "without royalties"),
        (["--out", "file"], "file is not a folder"),
        (["--out", "damaged"], "training.npz: it exists and is not a checkpoint"),
    ],
)
def test_bad_orders_are_one_line(arguments: list[str], reason: str) -> None:
    Path("file").write_text("not a folder")
    Path("damaged").mkdir()
    Path("damaged/training.npz").write_text("nothing")
    assert_refused(reason, *TRAIN[:4], *arguments)


@pytest.mark.usefixtures("small_cycles")
@pytest.mark.parametrize("done", [0, 1])
def test_ctrl_c_keeps_whole_cycles(done: int, monkeypatch: pytest.MonkeyPatch) -> None:
    advance = Training.advance

    def interrupted(self: Any, seconds: float) -> bool:
        if self.cycles == done:
            raise KeyboardInterrupt
        return advance(self, seconds)

    monkeypatch.setattr(Training, "advance", interrupted)
    result = run_to(130, *TRAIN[:-1], "5")
    assert Path("x/tables.npz").exists() == bool(done)
    assert ("the same command resumes" if done else "nothing is saved") in result.stderr
    assert not done or cycles_of("fitted") == done
