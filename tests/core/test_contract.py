"""What `check_game` leaves open about our games: sums, copies, early payoffs, texts, sub-steps."""

import copy
import pickle
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from inspect import signature
from typing import Any

import numpy as np
import pytest
from support import positions, sum_of_returns

from closedhand import Game, InputError, make_game
from closedhand.core import contract


def test_returns_have_the_sum_that_they_should_and_never_shrink(game: Game) -> None:
    before = np.zeros(game.num_players)
    for state in positions(game, seed=2, games=10):
        returns = game.returns(state)
        if game.staged:
            assert (returns >= before).all()
            before = 0 * returns if game.over(state) else returns
        else:
            assert game.over(state) or (returns == 0).all()
        if game.options.get("objective") != "win":
            assert returns.sum() == sum_of_returns(game, state)


def test_copies_of_a_state_go_on_alike(game: Game) -> None:
    state = game.deal(np.random.default_rng(5))
    # NumPy makes the fields of an unpickled record read-only for plain Python.
    pickled, loaded = pickle.loads(pickle.dumps(state)).copy(), game.load(game.save(state))
    copies = [state.copy(), copy.deepcopy(state), pickled, loaded]
    for twin in copies:
        game.play(twin, int(game.legal(state)[-1]))
    assert len({twin.tobytes() for twin in copies}) == 1 and copies[0] != state


def test_a_constant_sum_need_not_be_zero() -> None:
    for name, options, kind in (
        ("doudizhu", {}, (True, 0)),
        ("daihinmin", {}, (False, 15)),
        ("doudizhu", {"objective": "win"}, (False, None)),  # one winner, or two
    ):
        game = make_game(name, **options)
        assert (game.zero_sum, game.payoff_sum) == kind


def test_payoffs_are_told_early_only_where_places_are_certain(game: Game) -> None:
    early = sum(
        not np.isnan(contract.payoff(game.rules, state, player))
        for state in positions(game, seed=12, games=2)
        for player in range(game.num_players)
        if not game.over(state)
    )
    assert (early > 0) == (game.name == "daihinmin")


def test_a_game_is_by_default_of_one_round_with_turns() -> None:
    """And strict, and paid at the end, with payoffs that add up to 0."""
    leduc = make_game("leduc")
    needed = [each.name for each in fields(Game) if each.default is MISSING
              and each.default_factory is MISSING]  # fmt: skip
    game = Game(**{name: getattr(leduc, name) for name in needed})
    assert (game.simultaneous, game.lenient, game.staged) == (False, False, False)
    assert (game.rounds, game.payoff_sum, game.flat) == (1, 0.0, game)
    for name in ("player", "moves", "history"):
        less = np.dtype([(each, "i4") for each in ("player", "moves", "history") if each != name])
        with pytest.raises(InputError, match=f"states of leduc lack the field '{name}'"):
            replace(leduc, dtype=less)


def test_the_text_of_a_game_has_no_tables_and_no_addresses() -> None:
    text = repr(make_game("doudizhu", substeps=True))
    assert text.startswith("Game(name='doudizhu', options={'rules': 'deeprocket'")
    assert not re.search("<|array|flat_form", text)


def test_illegal_actions_are_refused_and_change_nothing(game: Game) -> None:
    state = game.deal(np.random.default_rng(9))
    before = state.tobytes()
    illegal = next(a for a in range(game.num_actions) if a not in game.legal(state))
    if not game.lenient:
        with pytest.raises(InputError, match=f"is not legal for player_{state.player}"):
            game.play(state, illegal)
    for none in (-1, game.num_actions):
        with pytest.raises(InputError, match="is not one of the"):
            game.play(state, none)
    assert state.tobytes() == before


def test_a_game_that_is_over_takes_no_action(game: Game) -> None:
    *_, state = positions(game, seed=10, games=1)
    with pytest.raises(InputError, match="the game is over"):
        game.play(state, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess", {}), "no game 'chess'"),
        (
            ("doudizhu", {"rules": "vegas"}),
            "rules is deeprocket, rlcard, openspiel, douzero, botzone, mini, tiny or two_players, "
            "not 'vegas'",
        ),
        (("doudizhu", {"suits": True}), "no option 'suits'"),
        (("doudizhu", {"objective": "fun"}), "objective is score or win, not 'fun'"),
        (("doudizhu", {"base": 0}), "base is a whole number from 1 to 99, or none, not 0"),
        (("doudizhu", {"base": 2, "bidding": True}), "the winning bid is the stake"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments: tuple, message: str) -> None:
    name, options = arguments
    with pytest.raises(InputError, match=message):
        make_game(name, **options)


def test_every_flat_play_has_one_path_of_substeps() -> None:
    """Walk the whole tree of sub-steps at a position: its leaves are the flat legal actions."""
    for rules in ("deeprocket", "rlcard", "openspiel", "douzero"):
        flat = make_game("doudizhu", rules=rules)
        game = make_game("doudizhu", rules=rules, substeps=True, bidding=flat.options["bidding"])
        for state in positions(flat, seed=11, games=4):
            if flat.over(state):
                continue
            leaves = []
            stack = [state.copy()]
            while stack:
                node = stack.pop()
                legal = game.legal(node)
                assert len(legal) > 0, "a dead end"
                for action in legal:
                    child = node.copy()
                    contract.play(game.rules, child, action)
                    if child.moves == state.moves:
                        stack.append(child)
                    elif child.moves > 0:
                        leaves.append(int(child.history[child.moves - 1]))
                    else:
                        leaves.append(flat.parse("PASS"))  # the third pass of an auction: a redeal
            assert sorted(leaves) == flat.legal(state).tolist()


def test_functions_of_the_contract_show_their_parameters() -> None:
    assert [*signature(contract.is_legal).parameters] == ["rules", "state", "action", "ids"]
    assert [*signature(contract.deal).parameters] == ["rules", "state", "seed"]


def _no_deals(rules: Any) -> Iterator[Any]:
    raise InputError("too many deals")
    yield


def _positional_fact(game: Game, player: int, hand: str, actions: Any = (), flop: str = "") -> Any:
    return game.empty(1)[0]


def test_what_a_module_of_others_defines_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator of deals that refuses, and a fact that is no keyword-only parameter."""
    from closedhand.games.leduc import game as module

    game = make_game("leduc")
    monkeypatch.setattr(module, "deals", _no_deals)
    with pytest.raises(InputError, match="too many deals"):
        game.deals()
    monkeypatch.setattr(module, "view_from", _positional_fact)
    with pytest.raises(InputError, match="'flop' of view_from of leduc is no fact: facts are keyw"):
        game.view_from(0, "SK", flop="HQ")
