"""DouZero's evaluation decks, read without unpickling."""

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closedhand import make_game
from closedhand.core.deals import read_deals
from closedhand.core.game import InputError
from closedhand.core.records import reader_of, replay_file
from closedhand.games.doudizhu.douzero_decks import DECKS, decks_in

GAME = make_game("doudizhu", rules="douzero")


def deck(rng: np.random.Generator) -> dict[str, list[int]]:
    """A deck as `generate_eval_data.py` of DouZero makes it."""
    cards = [rank for rank in (*range(3, 15), 17) for _ in range(4)] + [20, 30]
    rng.shuffle(cards)
    hands = {
        "landlord": cards[:20],
        "landlord_up": cards[20:37],
        "landlord_down": cards[37:54],
        "three_landlord_cards": cards[17:20],
    }
    return {role: sorted(own) for role, own in hands.items()}


def decks(number: int) -> list[dict[str, list[int]]]:
    rng = np.random.default_rng(1)
    return [deck(rng) for _ in range(number)]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_decks_are_deals(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "eval_data.pkl"
    made = decks(1200)  # pickles append at most 1000 items at once
    path.write_bytes(pickle.dumps(made, protocol))
    assert decks_in(path.read_bytes()) == made
    assert reader_of(path) is DECKS
    found = read_deals(path, GAME)
    assert found.number == 1200
    for state, one in zip(np.rec.array(found.fixed[:50]), made, strict=False):
        landlord = "".join(sorted(map(str, one["landlord"])))
        rank = {**{i: str(i) for i in range(3, 10)}, 10: "T", 11: "J", 12: "Q", 13: "K", 14: "A",
                17: "2", 20: "S", 30: "B"}  # fmt: skip
        assert len(landlord) >= 20
        texts = GAME.deal_text(state).split(";")
        hand = sorted(texts[0] + texts[3])
        assert hand == sorted(rank[card] for card in one["landlord"])
        assert sorted(texts[1]) == sorted(rank[card] for card in one["landlord_down"])
        assert sorted(texts[2]) == sorted(rank[card] for card in one["landlord_up"])
    replays = list(replay_file(path))
    assert len(replays) == 1200 and not any(each.error for each in replays)


class Runs:
    """An object whose pickle runs a command."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_nothing_in_a_pickle_is_executed(tmp_path: Path, protocol: int) -> None:
    path, left = tmp_path / "eval_data.pkl", tmp_path / "left"
    path.write_bytes(pickle.dumps([*decks(1), Runs(f"touch {left}")], protocol))
    with pytest.raises(InputError, match="the instruction"):
        read_deals(path, GAME)
    assert not left.exists()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda made: made[0].pop("landlord"), "deck 1: its roles are not landlord, "),
        (lambda made: made[0].update(other=[]), "deck 1: its roles are not landlord, "),
        (lambda made: made[1]["landlord"].append(16), "deck 2: landlord has other cards"),
        (lambda made: made[1].update(landlord="3"), "deck 2: its roles are not landlord, "),
        (lambda made: made[1].update(landlord=made[0]["landlord"]), "deck 2: the landlord lacks"),
        (lambda made: made[1]["landlord"].clear(), "deck 2: the landlord lacks the public card"),
        (lambda made: made[1]["landlord_up"].pop(), "deck 2: a deal is four fields"),
    ],
)
def test_what_is_no_deck_is_refused(tmp_path: Path, change: Any, reason: str) -> None:
    made = decks(2)
    change(made)
    path = tmp_path / "eval_data.pkl"
    # One deck more, so that the file is still recognised by the names of all roles.
    path.write_bytes(pickle.dumps([*made, *decks(1)]))
    with pytest.raises(InputError, match=reason):
        read_deals(path, GAME)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    whole = pickle.dumps(decks(3))
    path = tmp_path / "eval_data.pkl"
    for content in (whole[:-1], whole[:-40], whole[:300] + b"\xff" + whole[301:]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"eval_data\.pkl"):
            read_deals(path, GAME)
    for content in (b"", b"\x80", b"\x80\x04e", b"\x80\x04]\x8c\x01a.", b"\x80\x04]h\x05."):
        with pytest.raises(InputError, match="not a pickle, or is damaged"):
            decks_in(content)
