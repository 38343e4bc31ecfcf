"""The commands for records."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from support import DATA
from support_cli import assert_refused, run
from support_spades import spades as spades

from closedhand import Game, make_game
from closedhand.core import records

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_replaying_the_records(tmp_path: Path) -> None:
    result = run("reproduce", "deeprocket-match", "--json")
    assert result.exit_code == 0
    assert isinstance(json.loads(result.stdout), dict)
    (tmp_path / "bad.txt").write_text("34;5\n")
    result = run("records", "replay", "bad.txt")
    assert result.exit_code == 1
    assert "line 1" in result.output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_records_through_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo("pipe")
    kept = '{"game": "leduc", "rules": {}, "actions": ["raise", "fold"], "seed": 1}\n'
    Path("kept.jsonl").write_text(kept)
    assert_refused("pipe: it is not a regular file", "records", "replay", "pipe")
    export = ("records", "export", "pipe", "--out", "kept.jsonl")
    assert_refused("pipe: it is not a regular file", *export)
    assert Path("kept.jsonl").read_text() == kept


def test_mistakes_are_found_for_a_page_only(tmp_path: Path) -> None:
    sample = str(DATA / "uecda.log")
    assert_refused("leave it out", "records", "export", sample, "--mistakes", "--out", "x.jsonl")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [("replay",), ("export", "--out", "x.jsonl")])
def test_records_that_state_their_rules_are_not_taken_for_others(command: tuple[str, ...]) -> None:
    """Whether they are JSON or a log; the options that they were made with change nothing."""
    game = make_game("leduc")
    state = game.playout(game.deal(np.random.default_rng(0)), np.random.default_rng(1))
    records.write(Path("leduc.jsonl"), [records.from_state(game, state)])
    for file, same, others in (
        ("leduc.jsonl", ("--game", "leduc", "--option", "pair=rank"),
         (("--game", "chinese-poker"), ("--option", "players=3"), ("--rules", "tiny"))),
        (str(DATA / "uecda.log"), ("--game", "daihinmin", "--option", "players=5"),
         (("--game", "leduc"), ("--option", "lock=no"), ("--option", "players=4"))),
    ):  # fmt: skip
        word, *rest = command
        assert run("records", word, file, *same, *rest).exit_code == 0
        for asked in others:
            result = run("records", word, file, *asked, *rest)
            assert result.exit_code != 0 and "Traceback" not in result.output, asked
            assert "not" in result.output or "no option" in result.output, asked


def test_the_record_that_fits_no_log_is_named() -> None:
    """By its line: the first round has no classes, and the second one others than it earned."""
    game = make_game("daihinmin")
    lines = []
    for seed in range(2):
        state = game.playout(game.deal(np.random.default_rng(seed)), np.random.default_rng(seed))
        lines.append(records.from_state(game, state))
    records.write(Path("two.jsonl"), lines)
    assert_refused("record 2: the classes are", "records", "export", "two.jsonl", "--out", "x.log")


@pytest.mark.parametrize("game", ["spades", "leduc", "chinese-poker"])
def test_games_of_every_game_are_generated(game: str, spades: Game) -> None:
    """Each side has one agent; the same seed plays the same games, and all are legal."""
    named = "rule,random" if game == "spades" else "random"
    command = ("records", "generate", game, "--agents", named, "--games", "6", "--seed", "3")
    result = run(*command, "--out", "games.jsonl")
    assert result.exit_code == 0 and "saved 6 games" in result.stdout, result.output
    assert run("records", "replay", "games.jsonl").exit_code == 0
    kept = list(records.read(Path("games.jsonl")))
    assert len(kept) == 6 and all(record.returns for record in kept)
    if game == "spades":
        assert {record.agents for record in kept} > {("rule", "random") * 2}
        assert all(record.agents and record.agents[:2] == record.agents[2:] for record in kept)
    assert run(*command, "--out", "again.jsonl").exit_code == 0
    assert Path("again.jsonl").read_text() == Path("games.jsonl").read_text()


def test_shards_of_other_games_are_refused_before_a_folder_is_made(spades: Game) -> None:
    command = ("records", "generate", "spades", "--agents", "rule", "--games", "2")
    assert_refused("--out of spades must end in .jsonl, not 'shards'", *command, "--out", "shards")
    assert not Path("shards").exists()
    assert_refused("leave them out", *command, "--workers", "2", "--out", "games.jsonl")


def test_a_cluster_plays_no_shards_with_agents_that_search_by_the_clock() -> None:
    command = ("records", "generate", "doudizhu", "--games", "2", "--ray", "local", "--out", "sh")
    assert_refused("needs all cores: leave out --ray", *command, "--agents", "rule,search:5ms")
    assert not Path("sh").exists()
