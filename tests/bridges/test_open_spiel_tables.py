"""Small games of OpenSpiel here: the contract, values by our solvers, and refusals."""

import copy
import pickle
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support_kuhn import KUHN_VALUE
from support_leduc import STANDARD, STANDARD_VALUE

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import match
from closedhand.core import registry
from closedhand.envs.solo import SoloEnv
from closedhand.solvers.sequence_form import solve as solve_exactly
from closedhand.solvers.solving import make_solver
from closedhand.solvers.strategy import evaluate, strategy_of
from closedhand.testing import check_game

pyspiel = pytest.importorskip("pyspiel")

from closedhand.bridges.open_spiel import tables  # noqa: E402

pytestmark = pytest.mark.peers

DICE = "liars_dice(dice_sides=3)"


@pytest.fixture
def kuhn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """Their Kuhn poker, registered for the time of a test."""
    spec = tables.table_spec("kuhn_poker")
    monkeypatch.setitem(registry._specs, spec.name, spec)
    yield make_game("kuhn_poker")


@pytest.mark.slow
def test_their_kuhn_poker_keeps_our_contract(kuhn: Game) -> None:
    check_game(kuhn, games=4)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["leduc_poker", DICE, "kuhn_poker(players=3)"])
def test_states_survive_what_our_code_does_with_them(text: str) -> None:
    """Views, redeals, deals and validity along random games, beside OpenSpiel's own state."""
    game, theirs = tables.table_game(text), pyspiel.load_game(text)
    rng = np.random.default_rng(1)
    for _ in range(10):
        state, other = game.deal(rng), theirs.new_initial_state()
        chance = list(map(int, game.deal_text(state).split()))
        assert game.parse_deal(game.deal_text(state)).tobytes() == state.tobytes()
        while True:
            while other.is_chance_node():
                other.apply_action(chance.pop(0))
            assert game.over(state) == other.is_terminal() and game.valid(state) == ""
            if other.is_terminal():
                break
            player = int(state["player"])
            view = game.view(state, player)
            assert player == other.current_player() and game.valid(view, player) == ""
            assert game.legal(view).tolist() == game.legal(state).tolist() == other.legal_actions()
            tensor = game.observe(view, player)["observation"]
            assert tensor.tolist() == other.information_state_tensor(player)
            dealt = game.redeal(view, player, rng)
            assert game.valid(dealt) == ""
            assert game.view(dealt, player).tobytes() == view.tobytes()
            action = game.sample(rng, state)
            assert game.parse(game.text(action)) == action
            assert game.text(action) in (other.action_to_string(action), str(action))
            game.play(state, action)
            other.apply_action(action)
        assert game.returns(state).tolist() == other.returns()
    damaged = game.deal(rng)
    damaged["node"] = 0
    assert game.valid(damaged)


@pytest.mark.slow
def test_our_solvers_find_their_values(kuhn: Game) -> None:
    pytest.importorskip("scipy")
    assert solve_exactly(kuhn)[0] == pytest.approx(KUHN_VALUE, abs=1e-9)
    leduc = tables.table_game("leduc_poker")
    assert solve_exactly(leduc)[0] == pytest.approx(STANDARD_VALUE, abs=1e-9)
    ours, theirs = (
        evaluate(strategy_of(game, make_agent(game, "random"))) for game in (STANDARD, leduc)
    )
    assert theirs.nash_conv == pytest.approx(ours.nash_conv, abs=1e-9)


@pytest.mark.slow
def test_liars_dice_is_judged_as_by_open_spiel() -> None:
    game, theirs = tables.table_game(DICE), pyspiel.load_game(DICE)
    ours = evaluate(strategy_of(game, make_agent(game, "random")))
    uniform = pyspiel.UniformRandomPolicy(theirs)
    assert ours.nash_conv == pytest.approx(pyspiel.nash_conv(theirs, uniform, True), abs=1e-9)
    played = match.play(game, ["random", "random"], deals=20, seed=1)
    assert played.deals == 20


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no_such_game", "OpenSpiel has no game"),
        ("goofspiel", "do not act in turn"),
        ("hanabi", "pays before the end"),
        ("backgammon", "texts of information states"),
        ("phantom_ttt", "may not know|more than"),
    ],
)
def test_other_games_are_refused(text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_NODES", 2_000)
    with pytest.raises(InputError, match=why):
        tables.table_game(text)


@pytest.mark.parametrize("name", [None, "leduc"])
def test_envs_of_a_game_that_is_not_registered_are_copied(name: str | None) -> None:
    """Also under a name that another game has."""
    game = tables.table_game("kuhn_poker", name)
    env = SoloEnv(game, opponents="random")
    env.reset(seed=1)
    assert copy.copy(env).game is game
    with pytest.raises(InputError, match=r"no game 'kuhn_poker'|cannot be pickled"):
        pickle.dumps(env)


def test_a_game_is_registered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    for _ in range(2):
        registry.add_game(tables.table_spec("kuhn_poker"))
    with pytest.raises(InputError, match="two games have the name kuhn_poker"):
        registry.add_game(tables.table_spec("kuhn_poker(players=3)"))


def test_bad_texts_are_refused() -> None:
    game: Any = tables.table_game("kuhn_poker")
    for text in ("fold", "7", "", "7" * 5000):
        with pytest.raises(InputError, match="is not an action"):
            game.parse(text)
    for text, why in (("0 0", "no outcome of chance"), ("0", "more outcomes"), ("x", "no outcome")):
        with pytest.raises(InputError, match=why):
            game.parse_deal(text)
    assert game.deal_text(game.parse_deal("2 1")) == "2 1"


def kuhn_file() -> str:
    """Kuhn poker as a file of Gambit's, whose ends say nothing of what came before."""
    deals = list(permutations("JQK", 2))
    outcomes = " ".join(f'"{a}{b}" 1/6' for a, b in deals)
    lines = ['EFG 2 R "Kuhn" { "one" "two" } ""', f'c "" 1 "deal" {{ {outcomes} }} 0']
    sets: dict[tuple[int, str], int] = {}

    def decide(player: int, known: str) -> None:
        number = 1 + sum(owner == player for owner, _ in sets)
        number = sets.setdefault((player, known), number)
        lines.append(f'p "" {player} {number} "" {{ "pass" "bet" }} 0')

    def end(won: int) -> None:
        lines.append(f't "" {len(lines)} "" {{ {won} {-won} }}')

    for a, b in deals:
        higher = 1 if "JQK".index(a) > "JQK".index(b) else -1
        decide(1, a)
        decide(2, b + " pass")
        end(higher)
        decide(1, a + " pass bet")
        end(-1)
        end(2 * higher)
        decide(2, b + " bet")
        end(1)
        end(2 * higher)
    return "\n".join(lines) + "\n"


def test_a_game_from_a_file_that_has_changed_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.efg"
    text = f"efg_game(filename={path})"
    for most in (2, 5):
        path.write_text(kuhn_file().replace("{ 2 -2 }", f"{{ {most} -{most} }}"))
        assert tables.table_game(text).payoff_range == (-most, most)
    path.unlink()
    with pytest.raises(InputError, match="OpenSpiel has no game"):
        tables.table_game(text)


def test_a_game_from_a_file_is_solved(tmp_path: Path) -> None:
    """By its text and as an object; its ended positions all have one text in OpenSpiel."""
    path = tmp_path / "kuhn.efg"
    path.write_text(kuhn_file())
    text = f"efg_game(filename={path})"
    game = tables.table_game(pyspiel.load_game(text))
    assert (game.name, game.num_players, game.num_actions) == ("efg_game", 2, 2)
    solver = make_solver("cfr", game)
    solver.run(300)
    assert evaluate(solver.strategy()).value == pytest.approx(KUHN_VALUE, abs=2e-3)
    rng = np.random.default_rng(1)
    for _ in range(10):
        state = game.playout(game.deal(rng), rng)
        for player in range(2):
            view = game.view(state, player)
            assert game.valid(state) == game.valid(view, player) == ""
            assert game.over(game.redeal(view, player, rng))
