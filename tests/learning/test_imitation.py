"""Imitation from records: what is encoded, and whose moves."""

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_agents import games_of
from support_learners import SMALL, learn

from closedhand import InputError, make_game
from closedhand.core import batch, records
from closedhand.core.game import State
from closedhand.games.doudizhu import substeps
from closedhand.learning import imitation
from closedhand.learning.features import Features
from closedhand.learning.imitation import (
    Games,
    Imitation,
    ImitationSettings,
    Pairs,
    encode,
    next_steps,
    read_games,
)
from closedhand.learning.training import ENOUGH


def record(folder: Path, name: str, number: int = 30) -> Path:
    game = make_game(name)
    path = folder / f"{name}.jsonl"
    players = [f"player {i}" for i in range(game.num_players)]
    states = games_of(game, ["random"], number)
    records.write(path, [records.from_state(game, state, players) for state in states])
    return path


@pytest.mark.parametrize("name", ["leduc", "doudizhu"])
def test_the_steps_of_records_are_those_that_were_played(name: str, tmp_path: Path) -> None:
    game = make_game(name)
    games = read_games(game, record(tmp_path, name))
    features = Features(game)
    pairs = encode(features, games, np.arange(30))
    rows = np.arange(len(pairs.actions))
    assert pairs.masks[rows, pairs.actions].all() and (pairs.masks.sum(1) > 1).all()
    one = encode(features, read_games(game, record(tmp_path, name), "player 1"), np.arange(30))
    assert 0 < len(one.actions) < len(pairs.actions)


def test_sub_steps_lead_to_their_play() -> None:
    game = make_game("doudizhu", substeps=True)
    flat = game.flat
    rng = np.random.default_rng(2)
    states = batch.deal(game, range(40))
    targets = np.array([rng.choice(flat.legal(state)) for state in states], np.int64)
    played = states.copy()
    left = np.arange(40)
    while len(left):
        moving = played[left]
        batch.step(game, moving, next_steps(game, moving, targets[left]))
        played[left] = moving
        left = left[moving["moves"] == 0]
    assert (played["history"][:, 0] == targets).all()


def test_records_need_a_function_that_finds_their_sub_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game("doudizhu")
    games = read_games(game, record(tmp_path, "doudizhu", 2))
    monkeypatch.delattr(substeps, "next_step")
    with pytest.raises(InputError, match="doudizhu defines no `next_step`"):
        encode(Features(game), games, np.arange(1))


def test_imitation_learns_from_records_and_resumes(tmp_path: Path) -> None:
    path = record(tmp_path, "leduc", 60)
    settings = ImitationSettings(**SMALL)
    learner = Imitation(make_game("leduc"), settings, 1, records=path)
    first = learn(learner, 1).measured["loss"]
    assert learn(learner, 5).measured["loss"] < first - 0.01


@pytest.mark.parametrize("number", [2, 19, 20, 45])
def test_what_is_held_out_is_not_learned(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[set[int]] = []

    def note(features: Features, games: Games, rows: np.ndarray) -> Pairs:
        chosen.append(set(rows.tolist()))
        return encode(features, games, rows)

    monkeypatch.setattr(imitation, "encode", note)
    path = record(tmp_path, "leduc", number)
    learner = Imitation(make_game("leduc"), ImitationSettings(**SMALL), 1, records=path)
    assert learn(learner, 8).measured.keys() == {"loss", "held_out_loss", "accuracy"}
    held_out, learned = (set().union(*chosen[i::2]) for i in range(2))
    assert held_out and not held_out & learned


def test_a_single_game_is_refused(tmp_path: Path) -> None:
    path = record(tmp_path, "leduc", 1)
    with pytest.raises(InputError, match="fewer than two games with moves to learn"):
        Imitation(make_game("leduc"), ImitationSettings(**SMALL), 1, records=path)


def test_records_without_decisions_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record(tmp_path, "leduc", 3)
    learner = Imitation(make_game("leduc"), ImitationSettings(**SMALL), 1, records=path)
    _, some, _ = learner.watched(np.random.default_rng(0), 64)
    none = Pairs(*(each[:0] for each in some))
    tries: list[int] = []

    def watch(rng: np.random.Generator, number: int) -> tuple[Pairs, Pairs, int]:
        tries.append(number)
        return none, some, 1

    monkeypatch.setattr(learner, "watched", watch)
    with pytest.raises(InputError, match=r"hardly a decision in .* can be learned"):
        learner.pairs(np.random.default_rng(0))
    # A vain try counts for nothing.
    assert tries == [64, 128, 256, 512, 1024, 2048, ENOUGH]
    assert not learner.counts.any()


def test_an_expert_plays_the_games_of_its_update() -> None:
    learner = Imitation(make_game("leduc"), ImitationSettings(**SMALL), 1, expert="random")
    seen: list[list[bytes]] = []
    for learner.updates in (0, 0, 1):
        played = learner.watched(np.random.default_rng(0), 64)[:2]
        seen.append([pairs.observations.tobytes() for pairs in played])
    assert seen[0] == seen[1] and not set(seen[0]) & set(seen[2])


def test_illegal_actions_of_a_lenient_game_are_not_learned() -> None:
    settings = replace(ImitationSettings(**SMALL), batch=8192)
    learner = Imitation(make_game("daihinmin"), settings, 1, expert="default")
    every, kept = [], []
    for learner.updates in range(2):
        for pairs in learner.watched(np.random.default_rng(0), 192)[:2]:
            every.append(len(pairs.actions))
            legal = pairs.legal()
            assert legal.masks[np.arange(len(legal.actions)), legal.actions].all()
            kept.append(len(legal.actions))
    assert 0.99 * sum(every) < sum(kept) < sum(every)
    assert learn(learner, 2).measured["held_out_loss"] > 0


class Stray:
    """An agent whose choice is no legal one."""

    name = "stray"

    def __init__(self, action: int) -> None:
        self.action = action

    def act(self, view: State) -> int:
        return self.action


@pytest.mark.parametrize("action", [3, 99, -1])
def test_an_expert_that_plays_illegally_is_refused(
    action: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imitation, "make_agent", lambda *_: Stray(action))
    learner = Imitation(make_game("leduc"), ImitationSettings(**SMALL), expert="random")
    with pytest.raises(InputError, match=rf"agent 'stray' cannot continue: action {action}"):
        learner.advance(0.0)


def test_ids_beyond_all_actions_are_not_learned() -> None:
    masks = np.array([[1, 0, 1]] * 5, np.int8)
    pairs = Pairs(masks, masks, np.array([-1, 0, 1, 2, 3]))
    assert pairs.legal().actions.tolist() == [0, 2]


def test_games_of_more_players_are_refused(tmp_path: Path) -> None:
    game = make_game("chinese_poker", players=3)
    begun = records.from_state(game, game.deal(np.random.default_rng(0)))
    records.write(tmp_path / "three.jsonl", [begun])
    with pytest.raises(InputError, match="game 1: it is a game of other rules"):
        read_games(make_game("chinese_poker"), tmp_path / "three.jsonl")


@pytest.mark.parametrize(
    ("expert", "reason"),
    [
        ("nobody", "fewer than two games with moves of nobody to learn"),
        (None, "line 1: it is a record of leduc, not of doudizhu"),
    ],
)
def test_records_that_cannot_be_learned_from(
    expert: str | None, reason: str, tmp_path: Path
) -> None:
    path = record(tmp_path, "leduc", 3)
    with pytest.raises(InputError, match=reason):
        read_games(make_game("leduc" if expert else "doudizhu"), path, expert)


def test_a_folder_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(InputError, match=f"{tmp_path}: Permission denied"):
        read_games(make_game("leduc"), tmp_path, None)


def test_records_with_other_actions_are_not_learned_from(tmp_path: Path) -> None:
    game, rng = make_game("doudizhu", rules="rlcard"), np.random.default_rng(0)
    path = tmp_path / "rlcard.jsonl"
    records.write(path, [records.from_state(game, game.playout(game.deal(rng), rng))])
    with pytest.raises(InputError, match="game 1: it is a game of other rules"):
        read_games(make_game("doudizhu"), path, None)


@pytest.mark.parametrize(
    ("name", "recorded", "learned"),
    [
        ("daihinmin", {"lock": False, "eight_stop": False}, {}),
        ("daihinmin", {"overplay": False}, {"illegal": "error"}),
        ("chinese_poker", {"fouls": True}, {}),
        ("doudizhu", {"rules": "tiny"}, {}),
    ],
)
def test_records_with_other_positions_are_not_learned_from(
    name: str, recorded: dict[str, Any], learned: dict[str, Any], tmp_path: Path
) -> None:
    game, path = make_game(name, **recorded), tmp_path / "others.jsonl"
    states = games_of(game, ["random"], 5)
    records.write(path, [records.from_state(game, state) for state in states])
    assert len(read_games(game, path).starts) == 5
    with pytest.raises(InputError, match=r"others\.jsonl, game \d: it is a game of other rules"):
        read_games(make_game(name, **learned), path)


@pytest.mark.parametrize(
    ("recorded", "learned"),
    [({}, {"rounds": 3}), ({"classes": "random", "seat_period": 7}, {}), ({"kaidan": False}, {})],
)
def test_records_with_the_same_positions_are_learned_from(
    recorded: dict[str, Any], learned: dict[str, Any], tmp_path: Path
) -> None:
    game, path = make_game("daihinmin", **recorded), tmp_path / "others.jsonl"
    states = games_of(game, ["random"], 5)
    records.write(path, [records.from_state(game, state) for state in states])
    game = make_game("daihinmin", **learned)
    pairs = encode(Features(game), read_games(game, path), np.arange(5))
    assert len(pairs.legal().actions) == len(pairs.actions) > 100


def test_games_in_which_the_expert_does_not_play_teach_nothing(tmp_path: Path) -> None:
    path, game = record(tmp_path, "leduc", 60), make_game("leduc")
    read = list(records.read(path, "leduc"))
    rare = [
        replace(each, agents=each.agents if i in (20, 40) else ("a", "b"))
        for i, each in enumerate(read)
    ]
    records.write(path, rare)
    assert len(read_games(game, path, "player 0").starts) == 2
    settings = ImitationSettings(**SMALL)
    learner = learn(Imitation(game, settings, 1, records=path, expert="player 0"), 3)
    assert learner.decisions > 0


def test_a_record_names_an_agent_for_each_seat(tmp_path: Path) -> None:
    path = record(tmp_path, "leduc", 3)
    read = list(records.read(path, "leduc"))
    records.write(path, [*read[:2], replace(read[2], agents=("a",))])
    with pytest.raises(InputError, match="game 3: it names 1 agents, not 2"):
        read_games(make_game("leduc"), path, "a")


def test_records_that_have_changed_are_other_sources(tmp_path: Path) -> None:
    game, settings = make_game("leduc"), ImitationSettings(**SMALL)
    path = record(tmp_path, "leduc", 60)
    before = Imitation(game, settings, 1, records=path).sources()
    assert Imitation(game, settings, 1, records=path).sources() == before
    records.write(path, list(records.read(path, "leduc"))[:25])
    assert Imitation(game, settings, 1, records=path).sources() != before


def test_shards_are_refused_with_the_command_that_reads_them(tmp_path: Path) -> None:
    shard = tmp_path / "games-00000.parquet"
    shard.write_bytes(b"PAR1\xff")
    for path in (shard, tmp_path):
        with pytest.raises(InputError, match="`closedhand train policy-net` reads"):
            read_games(make_game("doudizhu"), path)
