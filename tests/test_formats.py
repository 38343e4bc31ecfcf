"""The formats that are promised: saved states, records and results of matches.

`data/formats.json` holds some of each game. What it holds is loaded, and comes out the same when it
is made again. Run as a program, this file adds what the data lack; what is there stays.
"""

import hashlib
import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import DATA, marks_of

from closedhand import GAMES, Game, __version__, make_game
from closedhand.arena import match, results
from closedhand.core import records

FILE = DATA / "formats.json"
STOP = 12
"""Actions after which a game is saved, unless it ends before."""
DEALS = 2
FORMS: dict[str, list[dict[str, Any]]] = {
    "leduc": [{}],
    "uh_leduc": [{}],
    "doudizhu": [
        {},
        {"rules": "openspiel"},
        {"rules": "two_players"},
        {"rules": "douzero", "objective": "win"},
        {"bidding": True, "substeps": True},
        {"rules": "botzone"},
    ],
    "daihinmin": [
        {},
        {"actions": "card_sets"},
        {"rounds": 3, "classes": "random"},
        {"players": 3},
        {"jokers": 2, "seven_give": True},
        {"forbidden_finish": True, "number_lock": True},
    ],
    "chinese_poker": [{}, {"rules": "1-6"}, {"players": 4}, {"substeps": True}],
}
"""Options of the games that are saved."""
CASES = [
    pytest.param(name, number, marks=marks_of((name, options)))
    for name, forms in FORMS.items()
    for number, options in enumerate(forms)
]


def play(game: Game, seed: int, actions: list[int] | None = None) -> dict[str, Any]:
    """A game of a seed as the data hold it: played by given actions, or by random ones.

    Its digest is that of all positions as their players see them: legal actions, observations,
    compact observations and views.
    """
    rng = np.random.default_rng(seed)
    state, digest, played = game.deal(rng), hashlib.sha256(), list[int]()
    deal, saved = game.deal_text(state), b""
    while not game.over(state):
        if len(played) == STOP:
            saved = game.save(state)
        player, legal = int(state["player"]), game.legal(state)
        digest.update(np.asarray(legal, "<i4").tobytes())
        for part in game.observe(state, player).values():
            digest.update(part.tobytes())
        if game.feature_table is not None:
            digest.update(game.features(state, player).tobytes())
        digest.update(game.key(state, player))
        action = int(rng.choice(legal)) if actions is None else actions[len(played)]
        played.append(action)
        game.play(state, action)
    saved = saved or game.save(state)
    return {
        "seed": seed,
        "deal": deal,
        "actions": played,
        "positions": digest.hexdigest()[:32],
        "returns": game.returns(state).tolist(),
        "state": b64encode(saved).decode(),
        "view": b64encode(game.save(game.view(game.load(saved), 0))).decode(),
        "record": json.loads(records.from_state(game, state).to_json()),
    }


def duel(name: str) -> dict[str, Any]:
    """The results of a match, without its times."""
    game = make_game(name)
    data = results.summary(match.play(game, ["random", "random"], DEALS, seed=1))
    for pair in data["pairs"]:
        pair["seconds"] = [0.5, 0.5]
        pair["microseconds_per_decision"] = [None, None]
    return data


def plain(data: dict[str, Any]) -> dict[str, Any]:
    """Data without the version that wrote them."""
    return {key: value for key, value in data.items() if key != "version"}


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    return json.loads(FILE.read_text())


def test_every_game_is_there(kept: dict[str, Any]) -> None:
    own = {name for name, spec in GAMES.items() if str(spec.make).startswith("closedhand.")}
    assert set(kept["matches"]) == set(FORMS) == own
    assert {name: len(games) for name, games in kept["games"].items()} == {
        name: len(forms) for name, forms in FORMS.items()
    }


@pytest.mark.parametrize(("name", "number"), CASES)
def test_games_are_what_they_were(name: str, number: int, kept: dict[str, Any]) -> None:
    """Seeds, deals, ids, legal moves, observations, payoffs, and the bytes of saved states."""
    game, wanted = make_game(name, **FORMS[name][number]), dict(kept["games"][name][number])
    found = play(game, wanted["seed"], wanted["actions"])
    assert plain(found.pop("record")) == plain(wanted.pop("record"))
    assert found == wanted


@pytest.mark.parametrize(("name", "number"), CASES)
def test_saved_states_are_loaded_and_played_on(
    name: str, number: int, kept: dict[str, Any]
) -> None:
    game, wanted = make_game(name, **FORMS[name][number]), kept["games"][name][number]
    state = game.load(b64decode(wanted["state"]))
    assert game.view(state, 0) == game.load(b64decode(wanted["view"]), 0)
    for action in wanted["actions"][STOP:]:
        game.play(state, action)
    assert game.over(state) and game.returns(state).tolist() == wanted["returns"]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_records_are_replayed(name: str, number: int, kept: dict[str, Any]) -> None:
    wanted = kept["games"][name][number]["record"]
    record = records.from_json(json.dumps(wanted))
    assert record.version == "1.0.0"
    game = records.flat_game(record.game, record.rules)
    end = records.replay(record)
    assert game.returns(end).tolist() == wanted["returns"]
    again = json.loads(records.from_state(game, end).to_json())
    assert plain(again) == plain(wanted) and again["version"] == __version__


@pytest.mark.parametrize("name", FORMS)
def test_matches_are_what_they_were(name: str, kept: dict[str, Any], tmp_path: Path) -> None:
    """Deals, results and their file, which the version that began it continues."""
    wanted = kept["matches"][name]
    assert plain(json.loads(json.dumps(duel(name)))) == plain(wanted)
    results.save(tmp_path / "match.json", {**wanted, "version": __version__})
    loaded = results.load(tmp_path / "match.json", make_game(name), ["random", "random"], 1)
    assert loaded.deals == DEALS


def add() -> None:
    """Add what the data lack."""
    data: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    games, matches = data.setdefault("games", {}), data.setdefault("matches", {})
    for name, forms in FORMS.items():
        own = games.setdefault(name, [])
        own += [play(make_game(name, **form), seed=7) for form in forms[len(own) :]]
        if name not in matches:
            matches[name] = duel(name)
    FILE.write_text(json.dumps(data, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    add()
