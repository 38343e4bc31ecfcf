"""Fixed deals on the command line."""

import json
import pickle
from pathlib import Path

import numpy as np
from support_cli import assert_refused, run_to

from closedhand import make_game


def played(folder: Path, *arguments: str) -> dict[str, object]:
    """The results of a match of Leduc."""
    out = folder / "match.json"
    run_to(0, "match", "leduc", "--agents", "random,random", "--out", str(out), *arguments)
    return json.loads(out.read_text("utf-8"))


def test_deals_are_written_and_played(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    command = ("deals", "leduc", "--number", "6", "--seed", "4", "--out", str(path))
    shown = run_to(0, *command).stdout
    data = json.loads(run_to(0, *command, "--json").stdout)
    assert shown == f"saved 6 deals as {path}, digest {data['deals_digest']}\n"
    assert path.read_text("utf-8").startswith("# deals of leduc (")
    found = played(tmp_path, "--deals", str(path), "--seed", "4")
    assert found["deals"] == 6 and found["deals_digest"] == data["deals_digest"]
    again = played(tmp_path, "--deals", "6", "--seed", "4")
    assert again["deals_digest"] is None
    assert again["pairs"][0]["returns"] == found["pairs"][0]["returns"]  # type: ignore[index]


def test_deals_of_daihinmin_are_those_of_a_duplicate_league(tmp_path: Path) -> None:
    path, out = str(tmp_path / "deals.txt"), str(tmp_path / "league.json")
    run_to(0, "deals", "daihinmin", "--number", "2", "--seed", "4", "--out", path)
    command = ("match", "daihinmin", "--agents", "default", "--duplicate", "--workers", "1")
    command = (*command, "--seed", "4", "--out", out, "--json")
    both = [json.loads(run_to(0, *command, "--deals", deals).stdout) for deals in (path, "2")]
    assert both[0]["points"] == both[1]["points"]


def test_the_digest_is_shown(tmp_path: Path) -> None:
    path, out = tmp_path / "deals.txt", tmp_path / "match.json"
    digest = run_to(0, "deals", "leduc", "--number", "2", "--out", str(path)).stdout.split()[-1]
    command = ("match", "leduc", "--agents", "random,random", "--deals", str(path))
    shown = run_to(0, *command, "--out", str(out)).stdout
    assert f"2 deals of {digest}, seed 0" in " ".join(shown.split())


def test_decks_of_douzero_are_converted(tmp_path: Path) -> None:
    game = make_game("doudizhu", rules="douzero")
    numbers = dict(zip("3456789TJQKA2SB", [*range(3, 15), 17, 20, 30], strict=True))
    fields = game.deal_text(game.deal(np.random.default_rng(0))).split(";")
    hands = [[numbers[card] for card in field] for field in fields]
    roles = ("landlord", "landlord_down", "landlord_up", "three_landlord_cards")
    deck = dict(zip(roles, [hands[0] + hands[3], *hands[1:]], strict=True))
    path, out = tmp_path / "eval_data.pkl", tmp_path / "decks.jsonl"
    path.write_bytes(pickle.dumps([deck]))
    run_to(0, "records", "export", str(path), "--out", str(out))
    assert json.loads(out.read_text("utf-8"))["deal"] == ";".join(fields)


def test_refusals(tmp_path: Path) -> None:
    agents = ("--agents", "random,random", "--out", str(tmp_path / "match.json"))
    assert_refused("the number of deals of a match", "match", "leduc", "--deals", "0", *agents)
    assert_refused("cannot read", "match", "leduc", "--deals", "none.txt", *agents)
    path = tmp_path / "deals.txt"
    path.write_text("# no deals\n", "utf-8")
    assert_refused("holds no deals", "match", "leduc", "--deals", str(path), *agents)
    path.write_text("my notes\n", "utf-8")
    assert_refused("file of deals", "deals", "leduc", "--out", str(path))
    league = ("match", "daihinmin", "--agents", "random", "--deals", str(path))
    path.write_text("# no deals\n", "utf-8")
    assert_refused("holds no deals", *league)
