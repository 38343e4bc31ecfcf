"""What users of version 0.1.0 have stays valid: names that they import, files that it wrote.

The files in data/v0.1.0 were written by that version.
"""

import base64
import copyreg
import hashlib
import json
import pickle
import shutil
import sys
import warnings
import zlib
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from support import DATA

from closedhand import Game, InputError, __version__, make_agent, make_game
from closedhand.arena import league, match, results
from closedhand.core import moved, records, registry
from closedhand.core.reading import read_arrays
from closedhand.core.scene import Row
from closedhand.search.playout import Uniform

OLD = DATA / "v0.1.0"

GAMES_THEN = {"chinese_poker", "daihinmin", "doudizhu", "leduc", "uh_leduc"}
"""The games of version 0.1.0."""


def resolve(path: str) -> tuple[Any, list[str]]:
    """The module, or the name of a module, of an old path, and the warnings on the way."""
    module, _, name = path.partition(":")
    if not name:
        sys.modules.pop(module, None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = import_module(module)
        if name:
            found = getattr(found, name)
    return found, [str(warning.message) for warning in caught]


def an_own_name(module: str) -> str:
    """The name of a function or class that a module defines itself."""
    for name, value in vars(import_module(module)).items():
        plain = getattr(value, "py_func", value)
        if isinstance(plain, FunctionType | type) and plain.__module__ == module:
            return name
    raise AssertionError(f"{module} defines nothing")


def test_old_names_lead_to_new_places_and_warn() -> None:
    for old, new in moved.MOVED.items():
        try:
            if old.endswith(":*"):
                name = an_own_name(new)
                old, new = f"{old[:-1]}{name}", f"{new}:{name}"
            place, _, path = new.partition(":")
            expected = attrgetter(path)(import_module(place)) if path else import_module(place)
            found, told = resolve(old)
        except ModuleNotFoundError as error:
            assert not str(error.name).startswith("closedhand"), old
            continue  # it needs an extra that is not installed
        split = any(other.startswith(f"{old}:") for other in moved.MOVED)
        assert found is expected or split, old
        text = f"{old} is now {new};".replace(":", ".")
        assert any(message.startswith(text) for message in told), (old, told)


def test_a_module_whose_names_are_in_several_places_has_them_all() -> None:
    with pytest.warns(DeprecationWarning, match=r"games\.game is now closedhand\.core\.game;"):
        sys.modules.pop("closedhand.games.game", None)
        module = import_module("closedhand.games.game")
    for name, expected in (("Game", Game), ("InputError", InputError), ("Row", Row)):
        with pytest.warns(DeprecationWarning, match=rf"games\.game\.{name} is now"):
            assert getattr(module, name) is expected
    with pytest.raises(AttributeError):
        _ = module.nonsense


def test_names_that_never_were_are_missing_as_ever() -> None:
    for name in (
        "closedhand.games",
        "closedhand.baselines.doudizhu.search",
        "closedhand.envs.render",
    ):
        with pytest.raises(AttributeError):
            _ = import_module(name).nonsense


def test_old_methods_of_games_work_and_warn() -> None:
    game = make_game("uh_leduc")
    state = game.deal(np.random.default_rng(1))
    action = int(game.legal(state)[0])
    text = game.text(action, state)
    for name, argument, expected in (
        ("text_at", action, text),
        ("say", action, text),
        ("parse_at", text, action),
        ("read", text, action),
    ):
        with pytest.warns(DeprecationWarning, match=r"is now (text|parse)\("):
            assert getattr(game, name)(state, argument) == expected


def test_options_by_their_old_names_work_and_warn() -> None:
    for old, present in ((True, "card_sets"), ("no", "plays"), (False, "plays")):
        with pytest.warns(DeprecationWarning, match="compact=.* of daihinmin is now actions="):
            game = make_game("daihinmin", compact=old)
        assert game is make_game("daihinmin", actions=present)
        assert pickle.loads(pickle.dumps(game)).options == game.options
    with pytest.raises(InputError, match="compact is now actions: give one of them"):
        make_game("daihinmin", compact=True, actions="plays")
    with pytest.raises(InputError, match="compact is true or false, not 3, and is now actions"):
        make_game("daihinmin", compact=3)


def test_old_names_of_options_in_files_do_not_warn() -> None:
    """Whoever reads a file did not write them: pytest turns a warning into a failure."""
    path = OLD / "league.json"
    data = json.loads(path.read_text())
    assert data["options"]["compact"] is False
    game = make_game("daihinmin", **registry.read_options("daihinmin", data["options"], warn=False))
    assert game.options["actions"] == "plays"
    record = {"game": "daihinmin", "rules": {"compact": True}, "actions": [], "seed": 1}
    assert records.replay(records.from_json(json.dumps(record))).moves == 0
    remake, (name, options) = copyreg.dispatch_table[Game](game)  # type: ignore[misc]
    assert remake(name, {**options, "actions": "card_sets"}).num_actions == 1952
    assert remake(name, {"compact": True}).num_actions == 1952


def test_records_state_no_form_of_actions() -> None:
    """Their actions are whole plays, in this version as in earlier ones."""
    for options in ({}, {"actions": "card_sets"}):
        game = make_game("daihinmin", **options)
        state = game.deal(np.random.default_rng(0))
        stated = records.from_state(game, state).rules
        assert "actions" not in stated and "compact" not in stated


def test_records_replay_to_the_same_returns() -> None:
    path = OLD / "records.jsonl"
    replayed = list(records.replay_file(path))
    assert {replay.record.game for replay in replayed if replay.record} == GAMES_THEN
    for line, replay in zip(path.read_text().splitlines(), replayed, strict=True):
        assert replay.error is None and replay.record is not None
        assert replay.returns == replay.record.returns
        game = make_game(replay.record.game, **replay.record.rules)
        again = records.from_state(game, records.replay(replay.record), replay.record.agents)
        assert json.loads(again.to_json()) == json.loads(line) | {"version": __version__}


@pytest.mark.parametrize("saved", json.loads((OLD / "states.json").read_text()))
def test_saved_states_load(saved: dict[str, Any]) -> None:
    options = registry.read_options(saved["game"], saved["options"], warn=False)
    game = make_game(saved["game"], **options)
    state = game.load(zlib.decompress(base64.b64decode(saved["state"])))
    assert (game.deal_text(state), int(state["player"])) == (saved["deal"], saved["player"])
    assert game.legal(state)[:40].tolist() == saved["legal"]
    observation = game.observe(state, saved["player"])
    seen = b"".join(observation[part].tobytes() for part in game.shapes)
    assert hashlib.sha256(seen).hexdigest() == saved["observation"]
    assert game.load(game.save(state)) == state


def present_options(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options of then by their names of now; those that have been added since are off."""
    read = registry.read_options(name, options, warn=False)
    added = {
        key: value for key, value in make_game(name, **read).options.items() if key not in read
    }
    assert not any(added.values())
    return {**read, **added}


def test_pickles_load() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = pickle.loads((OLD / "objects.pickle").read_bytes())
    assert {warning.category for warning in caught} <= {DeprecationWarning}
    for name, options, game in found["games"]:
        assert isinstance(game, Game) and game.name == name
        assert game.options == present_options(name, options)
    assert found["row"] == Row("player_0", ("3c", ""), "note", True)
    assert isinstance(found["record"], records.Record)
    assert found["classes"][1:3] == [InputError, Game]
    assert found["functions"][2] is make_game
    assert found["policy"] == Uniform()


def test_a_match_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(OLD)
    agents = ("random", "strategy:uh_leduc-20.npz")
    game = make_game("uh_leduc")
    played = results.load(Path("match.json"), game, agents, 1)
    expected = json.loads(Path("match-more.json").read_text())
    more = match.play(game, agents, expected["deals"], 1, played=played)
    found = json.loads(json.dumps(results.summary(more)))
    assert played.deals == 125 < found["deals"]
    assert list(found) == list(expected)
    for key in ("game", "options", "agents", "files", "seed", "deals", "interrupted", "tables"):
        assert found[key] == expected[key]
    for mine, theirs in zip(found["pairs"], expected["pairs"], strict=True):
        assert mine["returns"] == theirs["returns"]
        # Columns that a game names have been added since.
        for row, expected_row in zip(mine["results"], theirs["results"], strict=True):
            assert {key: row[key] for key in expected_row} == expected_row


def test_a_match_with_other_settings_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(OLD)
    agents = ("random", "strategy:uh_leduc-20.npz")
    with pytest.raises(InputError, match=r"match\.json .* seed 1, not 2"):
        results.load(Path("match.json"), make_game("uh_leduc"), agents, 2)


def test_what_an_agent_of_that_time_began_is_not_finished_by_another(tmp_path: Path) -> None:
    """`kou` has changed since; whatever later versions begin is no business of this one."""
    game, path = make_game("daihinmin"), tmp_path / "league.json"
    begun = league.play(game, ("kou", "random"), 2, 1)
    for version, refused in (("0.1.0", "kou"), ("99.0.0", "kou"), ("99.0.0", "default")):
        text = json.dumps(league.summary(begun) | {"version": version})
        path.write_text(text.replace("kou", refused))
        with pytest.raises(InputError, match=f"was begun by version '{version}'.* begin anew"):
            league.load(path, game, (refused, "random"), 1, False)
    path.write_text(text.replace("kou", "default").replace("99.0.0", "0.1.0"))
    league.load(path, game, ("default", "random"), 1, False)


@pytest.mark.slow
def test_a_league_is_played_the_same() -> None:
    expected = json.loads((OLD / "league.json").read_text())
    expected["options"] = present_options(expected["game"], expected["options"])
    game = make_game(expected["game"], **expected["options"])
    loaded = league.load(OLD / "league.json", game, ("default", "random"), 1, False)
    played = league.play(game, ("default", "random"), loaded.deals, 1)
    for found in (loaded, played):
        summary = league.summary(found)
        assert [key for key in summary if key in expected] == list(expected)
        for key in ("game", "options", "agents", "seed", "rounds", "points"):
            assert summary[key] == expected[key]
        # Intervals of a single deal, over blocks of its rounds, have been added since.
        gaps, expected_gaps = (
            [(gap["agents"], gap["mean"]) for gap in each["differences"]]
            for each in (summary, expected)
        )
        assert gaps == expected_gaps


def test_a_solver_goes_on_to_the_same_strategy(tmp_path: Path) -> None:
    from closedhand.baselines.leduc import strategy
    from closedhand.baselines.tabular import solving

    game = make_game("uh_leduc")
    shutil.copy(OLD / "learner.npz", tmp_path)
    run = solving.load(tmp_path, "pcfr+", game, 0)
    assert run.solver.iterations == 10 and run.points[-1].iterations == 10
    run.advance(iterations=20)
    expected = strategy.load(OLD / "uh_leduc-20.npz", game)
    assert expected.about["iterations"] == 20
    np.testing.assert_allclose(run.strategy().probabilities, expected.probabilities, atol=1e-9)
    with pytest.raises(InputError, match="seed 0, not 1"):
        solving.load(tmp_path, "pcfr+", game, 1)


@pytest.mark.slow
def test_weights_of_playouts_go_on_and_play(tmp_path: Path) -> None:
    from closedhand.baselines.daihinmin.policy.training import TASK
    from closedhand.baselines.learning import policy_gradient

    shutil.copy(OLD / "playouts.npz", tmp_path)
    run = policy_gradient.begin(TASK, 3, tmp_path / "playouts.npz")
    run.resume()
    run.learner.step()
    expected = read_arrays(OLD / "playouts-later.npz")
    assert run.learner.games == expected["games"]
    np.testing.assert_allclose(run.learner.weights, expected["weights"], atol=1e-5)
    make_agent(make_game("daihinmin"), f"monte-carlo:10:{OLD / 'playouts.npz'}")


def test_weights_of_decompose_go_on_and_play(tmp_path: Path) -> None:
    from closedhand.baselines.doudizhu.decompose.tuning import TASK
    from closedhand.baselines.learning import policy_gradient

    path = tmp_path / "decompose.npz"
    shutil.copy(OLD / "decompose.npz", path)
    run = policy_gradient.begin(TASK, 3, path)
    run.resume()
    assert run.learner.steps == 1
    game = make_game("doudizhu")
    agent = make_agent(game, f"decompose:{path}")
    state = game.deal(np.random.default_rng(1))
    assert agent.act(game.view(state, 0)) in game.legal(state)
    with pytest.raises(InputError, match="seed 3, not 4"):
        policy_gradient.begin(TASK, 4, path).resume()


@pytest.mark.slow
def test_tables_go_on_and_play(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    from closedhand.baselines.chinese_poker import separable, training

    game = make_game("chinese_poker")
    shutil.copy(OLD / "training.npz", tmp_path)
    run = training.begin(game, "fitted", 3, tmp_path, lambda part: None)
    run.resume()
    assert (run.learner.hands, run.learner.pool_size, run.learner.cycles) == (500, 1000, 1)
    run.learner.cycle()
    separable.save(run.learner.tables, tmp_path / "tables.npz")
    found, expected = (separable.load(folder / "tables.npz") for folder in (tmp_path, OLD))
    assert found.about == expected.about | {"version": __version__}
    np.testing.assert_allclose(found.win, expected.win, atol=1e-9)
    agent = make_agent(game, f"separable:{OLD / 'tables.npz'}")
    state = game.deal(np.random.default_rng(1))
    assert agent.act(game.view(state, 0)) in game.legal(state)
