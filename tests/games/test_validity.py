"""`valid`: what the rules allow passes, and what passes does no harm to any kernel."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import FUZZ, VARIANTS, each_variant, examples, positions

from closedhand import Game, make_game
from closedhand.core import contract
from closedhand.core.game import HEADER, InputError, State
from closedhand.core.records import flat_game
from closedhand.core.registry import GAMES
from closedhand.testing import damage

every_variant = pytest.mark.parametrize("variant", each_variant())

FREE = {
    "doudizhu": {"seed"},
    "daihinmin": {"seed"},
    "chinese_poker": {"player"},
    "uh_leduc": set[str](),
    "leduc": set[str](),
}
"""Fields that may hold something else, by game."""


@pytest.mark.slow
@every_variant
def test_every_position_is_valid(variant: tuple[str, dict[str, Any]]) -> None:
    """So is every view of it, whatever is dealt to a view, and the written deal."""
    game, rng = make_game(variant[0], **variant[1]), np.random.default_rng(2)
    for state in positions(game, seed=1, games=examples(2)):
        assert game.valid(state) == "", state
        for player in range(game.num_players):
            view = game.view(state, player)
            assert game.valid(view, player) == "", view
            assert view == state or game.valid(view) != ""
        chosen = int(rng.integers(game.num_players))
        assert game.valid(game.redeal(game.view(state, chosen), chosen, rng)) == ""
        assert game.valid(game.parse_deal(game.deal_text(state))) == ""


@every_variant
def test_damage_of_every_field_is_noticed(variant: tuple[str, dict[str, Any]]) -> None:
    """Or it makes another state, which replaying the actions one by one comes to as well."""
    game, rng = make_game(variant[0], **variant[1]), np.random.default_rng(5)
    states = [state.copy() for state in positions(game, seed=6, games=3)]
    noticed = set[str]()
    for state in [states[int(i)] for i in rng.integers(len(states), size=8)]:
        for name, i in entries(state):
            for change in (1, -1, 100):
                damaged = changed(state, name, i, change)
                reason = game.valid(damaged)
                assert "\n" not in reason
                if reason:
                    noticed.add(name)
                elif name not in FREE[game.name]:
                    assert_replays(game, damaged)
    assert noticed >= {*(game.dtype.names or ())} - FREE[game.name]


@every_variant
def test_damage_of_views_is_noticed(variant: tuple[str, dict[str, Any]]) -> None:
    """Or it makes the view of another state."""
    game, rng = make_game(variant[0], **variant[1]), np.random.default_rng(7)
    states = [state.copy() for state in positions(game, seed=8, games=2)]
    for state in [states[int(i)] for i in rng.integers(len(states), size=4)]:
        player = int(rng.integers(game.num_players))
        view = game.view(state, player)
        for name, i in entries(view):
            damaged = changed(view, name, i, 1)
            if not game.valid(damaged, player):
                full = game.redeal(damaged, player, rng)
                assert game.valid(full) == ""
                assert game.view(full, player).tobytes() == damaged.tobytes()


def entries(state: State) -> list[tuple[str, int]]:
    """Fields and the entries of each, of the history some."""
    moves = int(state.moves)
    return [
        (name, i)
        for name in state.dtype.names or ()
        for i in range(state[name].size)
        if name != "history" or i in (*range(6), moves - 1, moves, state[name].size - 1)
    ]


def assert_replays(game: Game, state: State) -> None:
    """The deal that the notation tells, and the actions, lead to all but a play under way."""
    flat = flat_game(game.name, game.options)
    replayed = flat.parse_deal(flat.deal_text(state))
    for turn, action in enumerate(state.history.tolist()):
        if flat.simultaneous and action >= 0:
            replayed.player = turn
            flat.play(replayed, action)
        elif not flat.simultaneous and turn < state.moves:
            flat.play(replayed, action)
    for name in set(state.dtype.names or ()) - FREE[game.name] - {"group", "picked", "picks"}:
        if name != "backs":
            assert (state[name] == replayed[name]).all(), name


def changed(state: State, name: str, i: int, change: int) -> State:
    """A copy in which a number is another one."""
    state = state.copy()
    if not state[name].shape:
        state[name] = damage.wrapped(state[name], change)
    else:
        state[name].reshape(-1)[i] = damage.wrapped(state[name].reshape(-1)[i], change)
    return state


# Reasons


@pytest.mark.parametrize(
    ("game", "damage", "reason"),
    [
        ("doudizhu", lambda s: s.hands.__setitem__(1, s.hands[0]), "do not make a deck"),
        ("doudizhu", lambda s: s.left.__setitem__(1, 3), "left of player_1 does not follow"),
        (
            "doudizhu",
            lambda s: s.history.__setitem__(0, 9),
            "action 1 of the history, id 9, is not",
        ),
        ("doudizhu", lambda s: setattr(s, "moves", 161), "moves holds 161, not 0 to 160"),
        ("doudizhu", lambda s: setattr(s, "seed", 0), "seed is 0"),
        ("leduc", lambda s: s.cards.__setitem__(2, -1), r"cards\[2\] is not known"),
        ("leduc", lambda s: s.cards.__setitem__(slice(3), 2), "does not hold 3 cards of kind 2"),
        ("leduc", lambda s: setattr(s, "node", 84), "node does not follow"),
        ("chinese_poker", lambda s: s.hands.__setitem__(0, s.hands[1]), "a card appears twice"),
        ("chinese_poker", lambda s: s.hands.__setitem__(3, s.hands[1]), "nobody has them"),
        ("daihinmin", lambda s: s.seats.__setitem__(0, 3), "seats is not an order"),
        ("daihinmin", lambda s: s.points.__setitem__(0, 3), "points are not those of 0 rounds"),
        ("daihinmin", lambda s: setattr(s, "lock", 5), "lock does not follow"),
    ],
)
def test_reasons(game: str, damage: Callable[[State], Any], reason: str) -> None:
    bound = make_game(game)
    state = bound.deal(np.random.default_rng(1))
    bound.play(state, int(bound.legal(state)[-1]))
    damage(state)
    with pytest.raises(InputError, match=reason):
        bound.load(bound.save(state))


def test_ends_by_passes() -> None:
    """Whoever redeals a view does not know whom chance ranked before whom."""
    game, rng = make_game("daihinmin"), np.random.default_rng(1)
    state = game.deal(rng)
    game.play(state, int(game.legal(state)[0]))
    while not game.over(state):
        game.play(state, game.num_actions - 1)
    assert (state.left > 0).all()
    for player in range(5):
        view = game.view(state, player)
        assert game.valid(view, player) == game.valid(game.redeal(view, player, rng)) == ""
    state.places[0] = state.places[1]
    assert "places" in game.valid(state)


def test_points_are_those_of_so_many_rounds() -> None:
    game = make_game("daihinmin", rounds=3)
    deal = game.deal_text(game.deal(np.random.default_rng(0)))
    for points in ("10,8,6,4,2", "9,9,6,4,2", "6,6,6,6,6", "8,7,7,5,3"):
        assert game.valid(game.parse_deal(f"{deal};2:{points}")) == ""
    for points in ("10,9,5,4,2", "10,10,6,2,2", "9,9,8,2,2", "6,6,6,6,5"):
        with pytest.raises(InputError, match="is not a round of 3"):
            game.parse_deal(f"{deal};2:{points}")


def test_sub_steps_of_a_play_under_way() -> None:
    game, flat = make_game("doudizhu", substeps=True), make_game("doudizhu")
    seen = 0
    for state in positions(game, seed=2, games=30):
        if state.group >= 0:
            seen += 1
            assert re.match("(group|picked) does not follow", flat.valid(state))
            other = (int(state.player) + 1) % 3
            assert flat.valid(game.view(state, other), other) == ""
    assert seen > 10


@pytest.mark.parametrize("group", [-2, 309, 378, 2**15 - 1])
def test_a_play_under_way_is_of_a_main_group(group: int) -> None:
    game = make_game("doudizhu", substeps=True)
    state = game.deal(np.random.default_rng(1))
    state.group = group
    assert game.valid(state) == f"sub-step 1 of the history, id {group}, is not legal"


def test_a_leader_may_have_submitted_an_illegal_play() -> None:
    """It counts as a pass, even where no leader may pass, unless illegal plays are errors."""
    game = make_game("daihinmin", lead_pass=False)
    strict = make_game("daihinmin", lead_pass=False, illegal="error")
    deal = game.deal(np.random.default_rng(0))
    *_, illegal, passed = sorted({*range(game.num_actions)} - {*game.legal(deal).tolist()})
    assert passed == game.num_actions - 1
    state = deal.copy()
    game.play(state, illegal)
    assert game.history(state).tolist() == [passed]
    assert game.load(game.save(state)) == state
    for player in range(5):
        view = game.view(state, player)
        assert game.valid(view, player) == ""
        assert game.view(game.redeal(view, player, np.random.default_rng(1)), player) == view
    assert strict.valid(state) == f"action 1 of the history, id {passed}, is not legal"
    for action in (-1, illegal, game.num_actions):
        assert "is not legal" in game.valid(changed(state, "history", 0, action - passed))


# Games from outside


def test_a_game_without_a_check_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its history is replayed from its notation of deals."""
    monkeypatch.setattr(contract, "plain_function", lambda rules, name: (None, rules))
    for variant in VARIANTS:
        game = make_game(variant[0], **variant[1])
        for state in [*positions(game, seed=9, games=1)][::5]:
            assert game.valid(state) == ""
            player = int(state.player)
            assert game.valid(game.view(state, player), player) == ""
            for name, value in (("player", 99), ("player", -1), ("moves", 5000)):
                damaged = state.copy()
                damaged[name] = value
                assert f"{name} holds {value}" in game.valid(damaged)
            if state.moves and not game.simultaneous:
                assert game.valid(changed(state, "moves", 0, -1)) != ""
                assert "is not legal" in game.valid(changed(state, "history", 0, 700))


# Saved states


def test_saved_states_carry_the_version_of_their_layout(game: Game) -> None:
    state = game.deal(np.random.default_rng(3))
    data = game.save(state)
    assert data[:4] == b"clhd" and data[4:6] == b"\1\0" and data[8:] == state.tobytes()
    assert game.load(data) == state
    with pytest.raises(InputError, match=f"of another game, not of {game.name}"):
        game.load(HEADER.pack(b"clhd", 1, 0) + data[8:])
    with pytest.raises(InputError, match=f"not a state of {game.name}: it takes {len(data)}"):
        game.load(state.tobytes())
    with pytest.raises(InputError, match=f"the state has layout 2, but {game.name} has layout 1"):
        game.load(data[:4] + b"\2\0" + data[6:])
    with pytest.raises(InputError, match=f"not a state of {game.name}: it takes {len(data)}"):
        game.load(data[1:])
    with pytest.raises(
        InputError, match=f"5 bytes after the header are not a state of {game.name}"
    ):
        game.load(data[:13])


def test_saved_states_are_those_of_their_game() -> None:
    rng = np.random.default_rng(3)
    saved = {name: make_game(name).save(make_game(name).deal(rng)) for name in GAMES}
    assert make_game("leduc").dtype == make_game("uh_leduc").dtype
    for name, data in saved.items():
        for other in GAMES.keys() - {name}:
            with pytest.raises(InputError, match=f" of {other}: |not of {other}$"):
                make_game(other).load(data)


def test_views_are_loaded_as_such(game: Game) -> None:
    view = game.view(game.deal(np.random.default_rng(3)), 1)
    assert game.load(game.save(view), player=1) == view
    for player in (None, 0):
        with pytest.raises(InputError, match=f"not a valid state of {game.name}: "):
            game.load(game.save(view), player)


def test_anything_may_be_asked_about(game: Game) -> None:
    for nothing in (None, 7, b"", "state", game.empty(2), np.zeros(3)):
        assert game.valid(nothing) == f"it is not a record of {game.name}"


# Damaged states


def throw_damaged_states(variants: list[tuple[str, dict[str, Any]]], seed: int, number: int) -> int:
    """Damage so many states and views; return how many were found valid, and survived."""
    survived = 0
    for k, (name, options) in enumerate(variants):
        accepted = 0
        share = number // len(variants) + 1
        for i, accepted in enumerate(damage.throw(make_game(name, **options), seed + k, share)):
            print(f"seed {seed}, variant {k}, state {i}, {accepted} valid", flush=True)
        survived += accepted
    return survived


@pytest.mark.slow
@pytest.mark.parametrize("family", ["doudizhu", "leduc", "chinese_poker", "daihinmin"])
def test_damaged_states_do_no_harm(family: str) -> None:
    """In a process of its own, which may crash or hang."""
    number = examples(1000)
    folder = Path(__file__).parent.parent
    variants = [variant for variant in VARIANTS if variant[0].endswith(family)]
    arguments = [json.dumps(variants), "1", str(number)]
    try:
        run = subprocess.run(
            [sys.executable, __file__, *arguments],
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            timeout=600 * max(FUZZ, 1),
        )
    except subprocess.TimeoutExpired as error:
        pytest.fail(f"{family} hangs: {(error.stdout or b'')[-100:]!r}")
    *progress, last = run.stdout.splitlines() or [""]
    assert run.returncode == 0, f"{family} {progress[-1:]} {last}: {run.stderr[-2000:]}"
    print(last)  # `pytest -s` shows how many were valid
    assert len(progress) >= number and int(last) > 0


if __name__ == "__main__":
    given = [(name, options) for name, options in json.loads(sys.argv[1])]
    print(throw_damaged_states(given, int(sys.argv[2]), int(sys.argv[3])))
