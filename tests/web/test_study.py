"""Games of every form that the command line reads are listed and replayed."""

import base64
import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support_uecda import read_log

from closedhand import InputError, make_game
from closedhand.core.records import from_state, parse_line, replay_file
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.state import PLAYERS
from closedhand.web.study import Study, games_in

DATA = Path(__file__).parents[1] / "data"
PRINTED = """\
Cards: 4456777889JKKAA2B;335567899TTJJKAA2;4456689TTJQQQK22S;33Q;
Game process: 0,33;1,55;2,66;0,77;1,AA;1,6;2,10;0,J;1,K;0,2;2,S;2,44;0,KK;2,22;2,8910JQK;2,QQ;
0,AA;0,56789;1,78910J;**1,3**;2,5;
"""


def opened(content: bytes) -> list[dict]:
    return games_in(base64.b64encode(content).decode())


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_game_as_the_paper_prints_it(pack, tmp_path: Path) -> None:
    """With 10 for T, asterisks, and lines that go on; on the command line and on the page."""
    path = tmp_path / "printed.txt"
    path.write_bytes(pack(PRINTED.encode() * 2))
    assert [each.error for each in replay_file(path)] == [None, None]
    games = opened(pack(PRINTED.encode() * 2))
    assert [game["error"] for game in games] == ["", ""]
    assert opened(PRINTED.encode())[0] == games[0]
    end = Study(parse_line(games[0]["record"]))
    assert end.record.actions[-1] == "5"
    assert "T" in end.record.actions and "789TJ" in end.record.actions


def test_a_game_that_no_record_can_hold_is_listed_with_the_others() -> None:
    values = json.loads((DATA / "uecda_lost_card.json").read_text())
    sound = (DATA / "uecda.log").read_text()
    lost = '%-----%OPTIONS% {"classes":"random"}\n' + logs.round_text(0, values)
    with pytest.raises(InputError, match="the server lost SK"):
        opened(lost.encode())
    assert not any(game["error"] for game in opened(sound.encode()))
    other = dict(read_log(DATA / "uecda.log").rounds[0])
    both = [
        int(each) + PLAYERS - other["result"].index(str(player))
        for player, each in enumerate(values["points"].split())
    ]
    other["points"] = " ".join(map(str, both))
    header = "%-----%RULE_SEKIGAE_NUM% 1\n%-----%FLASH_MIBUN_NUMBER% 1\n"
    first, second = opened((header + lost + logs.round_text(1, other)).encode())
    assert "the server lost SK" in first["error"]
    assert second["error"] == "" and Study(parse_line(second["record"])).states


def test_a_line_that_is_no_record_spoils_no_other() -> None:
    sound = games_in(sample="deeprocket_match.jsonl")[0]["record"]
    games = opened(f"{sound}\nnothing\n{sound}".encode())
    assert [bool(game["error"]) for game in games] == [False, True, False]
    assert "line 2" in games[1]["error"]
    with pytest.raises(InputError, match="line 1"):
        opened(b"nothing")
    with pytest.raises(InputError, match="no game"):
        games_in()


def test_a_file_that_breaks_off_shows_the_games_before() -> None:
    sound = games_in(sample="deeprocket_match.jsonl")[0]["record"]
    games = opened(f"{sound}\n".encode() + b"\xff\n")
    assert [game["error"] for game in games] == ["", "line 2: this is not UTF-8 text"]
    packed = opened(gzip.compress(f"{sound}\n".encode())[:-9])
    assert packed[0] == games[0] and packed[1]["error"].startswith("cannot read the file: ")
    assert "upload" not in packed[1]["error"]


def test_a_record_may_write_the_name_of_its_game_with_hyphens() -> None:
    """The page looks the game up under its own name."""
    game, rng = make_game("uh_leduc"), np.random.default_rng(0)
    record = from_state(game, game.playout(game.deal(rng), rng))
    assert Study(replace(record, game="uh-leduc")).describe()["game"] == "uh_leduc"


@pytest.mark.parametrize(
    ("options", "unit", "most"), [({}, "chance", 1.0), ({"bidding": True}, "points", 12.0)]
)
def test_the_value_of_a_position_is_a_mean_of_differing_playouts(
    options: dict[str, bool], unit: str, most: float
) -> None:
    """Of chances to win, or of points where the stake is bid: one line of play would not do."""
    game, rng = make_game("doudizhu", **options), np.random.default_rng(1)
    end = game.playout(game.deal(rng), rng)
    study = Study(from_state(game, end, list("xyz")))
    assert study.describe()["unit"] == unit
    opening = sum(1 for text in study.record.actions if text.startswith("BID"))
    values = [study._values(ply, rng) for ply in (opening + 3, opening + 5, len(study.states) - 1)]
    unfinished = replace(study.record, actions=study.record.actions[:4], returns=None)
    assert Study(unfinished).describe()["unit"] == unit
    assert all(abs(mean) <= 4 * most for each in values for mean, _ in each)
    assert any(0 < half < most for mean, half in values[0])
    assert [half for _, half in values[-1]] == [0.0] * 3


def test_every_seat_sees_the_payoffs_at_the_end() -> None:
    """In Leduc the loser's card, which decides them, stays hidden in the winner's view."""
    game, rng = make_game("leduc"), np.random.default_rng(0)
    for _ in range(20):
        study = Study(from_state(game, game.playout(game.deal(rng), rng)))
        last = len(study.actions)
        for seat in range(game.num_players):
            found = study.position(last, seat)["returns"]
            assert found == game.returns(study.states[last]).tolist()


def test_pictures_and_animations_name_the_players() -> None:
    pytest.importorskip("PIL")
    game, rng = make_game("leduc"), np.random.default_rng(0)
    end = game.playout(game.deal(rng), rng)
    ann, bob = (Study(from_state(game, end, [name, "random"])) for name in ("Ann", "Bob"))
    assert ann.picture(0, 0) != bob.picture(0, 0)
    assert ann.animation(0) != bob.animation(0)
