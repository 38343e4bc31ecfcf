"""Files of deals, and matches on them."""

import json
from pathlib import Path

import numpy as np
import pytest
from support_kuhn import kuhn as kuhn
from support_notation import format_record

from closedhand import make_game
from closedhand.arena import league, match, results
from closedhand.core.deals import Deals, read_deals, write_deals
from closedhand.core.game import InputError
from closedhand.core.records import Record

DOUDIZHU = make_game("doudizhu")


def file_of(folder: Path, *lines: str) -> Path:
    path = folder / "deals.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("name", ["doudizhu", "daihinmin", "leduc", "uh_leduc", "chinese_poker"])
def test_a_file_holds_the_deals_of_the_seed(tmp_path: Path, name: str) -> None:
    game = make_game(name)
    path = tmp_path / "deals.txt"
    digest = write_deals(path, game, 5, seed=7)
    found = read_deals(path, game)
    assert found.number == 5 and found.digest == digest and len(digest) == 16
    for i, state in enumerate(np.rec.array(found.fixed)):
        dealt = game.deal(np.random.default_rng((7, i)))
        assert game.deal_text(state) == game.deal_text(dealt)


def test_a_plugin_has_files_of_deals_too(tmp_path: Path, kuhn: object) -> None:
    game = make_game("kuhn")
    write_deals(tmp_path / "deals.txt", game, 20)
    fixed = read_deals(tmp_path / "deals.txt", game)
    by_seed = match.play(game, ["random", "random"], 20)
    on_file = match.play(game, ["random", "random"], fixed)
    assert (by_seed.pairs[0].returns == on_file.pairs[0].returns).all()


@pytest.mark.slow
def test_matches_on_a_file_are_those_of_its_seed_with_any_workers(tmp_path: Path) -> None:
    number = match.CHUNK + 5
    write_deals(tmp_path / "deals.txt", DOUDIZHU, number, seed=3)
    fixed = read_deals(tmp_path / "deals.txt", DOUDIZHU)
    agents = ["greedy", "random"]
    by_seed = match.play(DOUDIZHU, agents, number, 3)
    one, two = (match.play(DOUDIZHU, agents, fixed, 3, workers) for workers in (1, 2))
    assert (one.pairs[0].returns == by_seed.pairs[0].returns).all()
    assert (one.pairs[0].returns == two.pairs[0].returns).all()
    assert results.summary(one)["deals_digest"] == fixed.digest
    assert results.summary(by_seed)["deals_digest"] is None


def test_the_seed_of_the_agents_leaves_the_deals_as_they_are(tmp_path: Path) -> None:
    write_deals(tmp_path / "deals.txt", DOUDIZHU, 4)
    fixed = read_deals(tmp_path / "deals.txt", DOUDIZHU)
    one, two = (match.play(DOUDIZHU, ["greedy", "rule"], fixed, seed) for seed in (0, 1))
    assert (one.pairs[0].returns == two.pairs[0].returns).all()


def test_a_seed_deals_by_the_rules_of_its_record(tmp_path: Path) -> None:
    line = '{"game": "doudizhu", "rules": {"rules": "mini"}, "actions": [], "seed": 5}'
    (tmp_path / "games.jsonl").write_text(line)
    mini = make_game("doudizhu", rules="mini")
    [state] = read_deals(tmp_path / "games.jsonl", mini).fixed
    assert mini.deal_text(state) == mini.deal_text(mini.deal(np.random.default_rng(5)))
    with pytest.raises(InputError, match=r"jsonl, \w+ 1: "):
        read_deals(tmp_path / "games.jsonl", DOUDIZHU)


def test_deals_of_another_game_are_refused(tmp_path: Path) -> None:
    write_deals(tmp_path / "deals.txt", make_game("uh_leduc"), 20)
    fixed = read_deals(tmp_path / "deals.txt", make_game("uh_leduc"))
    with pytest.raises(InputError, match="no deal of leduc"):
        match.play(make_game("leduc"), ["random", "random"], fixed)


def test_a_match_on_other_deals_is_not_resumed(tmp_path: Path) -> None:
    write_deals(tmp_path / "deals.txt", DOUDIZHU, 6)
    fixed = read_deals(tmp_path / "deals.txt", DOUDIZHU)
    few = Deals(4, fixed.fixed[:4], fixed.digest)
    path, agents = tmp_path / "match.json", ["greedy", "random"]
    results.save(path, results.summary(match.play(DOUDIZHU, agents, few)))
    played = results.load(path, DOUDIZHU, agents, 0, fixed.digest)
    resumed = match.play(DOUDIZHU, agents, fixed, played=played)
    assert resumed.digest == fixed.digest
    whole = match.play(DOUDIZHU, agents, fixed)
    assert (resumed.pairs[0].returns == whole.pairs[0].returns).all()
    for other in (None, "0" * 16):
        with pytest.raises(InputError, match="deals_digest"):
            results.load(path, DOUDIZHU, agents, 0, other)


@pytest.mark.slow
def test_a_league_on_a_file(tmp_path: Path) -> None:
    game = league.bind("daihinmin", {}, 3, True)
    write_deals(tmp_path / "deals.txt", game, 3, seed=2)
    fixed = read_deals(tmp_path / "deals.txt", game)
    agents = ["default", "random"]
    by_seed = league.play(game, agents, 3, 2, duplicate=True)
    on_file = league.play(game, agents, fixed, 2, duplicate=True)
    assert (by_seed.played.returns == on_file.played.returns).all()
    assert league.summary(on_file)["deals_digest"] == fixed.digest
    with pytest.raises(InputError, match="is a duplicate"):
        league.play(game, agents, fixed)


def test_lines_are_deals_or_records(tmp_path: Path) -> None:
    state = DOUDIZHU.deal(np.random.default_rng(5))
    deal = DOUDIZHU.deal_text(state)
    for _ in range(3):
        DOUDIZHU.play(state, int(DOUDIZHU.legal(state)[0]))
    lines = [
        "# a comment",
        deal,
        "",
        Record("doudizhu", {"rules": "douzero"}, (), deal=deal).to_json(),
        Record("doudizhu", {}, ("9",), seed=5).to_json(),
        format_record(DOUDIZHU, state),
    ]
    found = read_deals(file_of(tmp_path, *lines), DOUDIZHU)
    assert found.number == 4
    assert {DOUDIZHU.deal_text(each) for each in np.rec.array(found.fixed)} == {deal}


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["# nothing"], "holds no deals"),
        (["3;4;5;6"], r"line 1: a deal is four fields"),
        (["# first", "{"], "line 2: "),
        (['{"game": "leduc", "rules": {}, "actions": [], "seed": 1}'], "a record of leduc"),
    ],
)
def test_what_is_no_deal_is_refused(tmp_path: Path, lines: list[str], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read_deals(file_of(tmp_path, *lines), DOUDIZHU)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_deals(tmp_path / "none.txt", DOUDIZHU)


def test_results_are_json(tmp_path: Path) -> None:
    write_deals(tmp_path / "deals.txt", make_game("leduc"), 4)
    fixed = read_deals(tmp_path / "deals.txt", make_game("leduc"))
    played = match.play(make_game("leduc"), ["random", "random"], fixed)
    assert json.loads(json.dumps(results.summary(played)))["deals_digest"] == fixed.digest
