"""What holds for every game: the contract, leaks, saving, notation, sub-steps."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from support import positions, sum_of_returns

from closedhand import Game, InputError, make_game
from closedhand.core import contract
from closedhand.core.records import from_json, from_state, replay


def test_legal_actions_are_ascending_ids_and_there_is_always_one(game: Game) -> None:
    for state in positions(game, seed=1, games=5):
        legal = game.legal(state)
        if not game.over(state):
            assert len(legal) > 0
        assert (np.diff(legal) > 0).all()
        assert legal.min(initial=0) >= 0
        assert legal.max(initial=0) < game.num_actions


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


def test_views_of_redealt_states_are_the_same(game: Game) -> None:
    """What is hidden changes neither a view nor its planes nor its legal actions."""
    rng = np.random.default_rng(3)
    differences = 0
    few_actions = game.simultaneous or game.num_players == 2
    for state in positions(game, seed=3, games=20 if few_actions else 4):
        for player in range(game.num_players):
            view = game.view(state, player)
            other = game.redeal(view, player, rng)
            assert game.view(other, player).tobytes() == view.tobytes()
            differences += game.deal_text(other) != game.deal_text(state)
            planes, others = game.observe(state, player), game.observe(other, player)
            seen = game.observe(view, player)
            for part in game.shapes:
                assert (planes[part] == others[part]).all()
                assert (planes[part] == seen[part]).all()
            if player == state.player and not game.over(state):
                assert (game.legal(other) == game.legal(state)).all()
                assert (game.legal(view) == game.legal(state)).all()
    assert differences > 50


def test_a_payoff_is_what_is_paid_in_the_end(game: Game) -> None:
    """`payoff` tells nothing, or the truth."""
    states = [state.copy() for state in positions(game, seed=12, games=2)]
    early = 0
    for number, state in enumerate(states):
        end = next(each for each in states[number:] if game.over(each))
        for player in range(game.num_players):
            payoff = contract.payoff(game.rules, state, player)
            assert np.isnan(payoff) or payoff == game.returns(end)[player]
            assert not (game.over(state) and np.isnan(payoff))
            early += not np.isnan(payoff) and not game.over(state)
    assert (early > 0) == (game.name == "daihinmin")


def test_redealt_states_are_played_to_their_end(game: Game) -> None:
    rng = np.random.default_rng(4)
    buffer = np.empty(game.num_actions, np.int32)
    for state in positions(game, seed=4, games=3):
        if not game.over(state):
            view = game.view(state, int(state.player))
            other = game.redeal(view, int(state.player), rng)
            assert contract.random_playout(game.rules, other, rng, buffer) > 0
            assert game.over(other)


def test_clones_saves_and_pickles_go_on_alike(game: Game) -> None:
    rng = np.random.default_rng(5)
    state = game.deal(rng)
    for _ in range(2):
        game.play(state, int(game.legal(state)[-1]))
    clones = [
        state.copy(),
        copy.deepcopy(state),
        pickle.loads(pickle.dumps(state)),
        game.load(game.save(state)),
    ]
    other = pickle.loads(pickle.dumps(game))
    assert other.options == game.options
    assert (other.legal(state) == game.legal(state)).all()
    while not game.over(state):
        action = int(game.legal(state)[-1])
        for each in (state, *clones):
            game.play(each, action)
        assert all(clone.tobytes() == state.tobytes() for clone in clones)


def test_bytes_of_another_size_are_refused(game: Game) -> None:
    with pytest.raises(InputError, match=f"no state of {game.name}"):
        game.load(b"123")


def test_notation_round_trips(game: Game) -> None:
    for action in range(game.num_actions):
        assert game.parse(game.text(action)) == action


def test_a_deal_can_be_written_and_read_at_any_point(game: Game) -> None:
    for state in positions(game, seed=6, games=2):
        start = game.parse_deal(game.deal_text(state))
        assert game.deal_text(start) == game.deal_text(state)


def test_records_of_games_replay(game: Game) -> None:
    for state in positions(game, seed=7, games=3):
        if game.over(state):
            record = from_json(
                from_state(game, state, "abc"[: game.num_players], note="x").to_json()
            )
            end = replay(record)
            assert record.returns == tuple(game.returns(state))
            assert (end.history == state.history).all()
            assert record.extra == {"note": "x"}


def test_a_seed_means_the_same_game_in_every_process(game: Game) -> None:
    """Deal, legal actions and returns of a seeded game, computed by another process."""
    program = f"""
import numpy as np
from closedhand import make_game
game = make_game({game.name!r}, **{dict(game.options)!r})
rng = np.random.default_rng(8)
state = game.deal(rng)
print(game.deal_text(state))
while not game.over(state):
    game.play(state, int(rng.choice(game.legal(state))))
print(game.save(state).hex())
"""
    rng = np.random.default_rng(8)
    state = game.deal(rng)
    deal = game.deal_text(state)
    while not game.over(state):
        game.play(state, int(rng.choice(game.legal(state))))
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == [deal, game.save(state).hex()], run.stderr


def test_illegal_actions_are_refused_and_change_nothing(game: Game) -> None:
    state = game.deal(np.random.default_rng(9))
    before = state.tobytes()
    illegal = next(a for a in range(game.num_actions) if a not in game.legal(state))
    if not game.lenient:
        with pytest.raises(InputError, match=f"is not legal for player_{state.player}"):
            game.play(state, illegal)
    for none in (-1, game.num_actions):
        with pytest.raises(InputError, match="no action at all"):
            game.play(state, none)
    assert state.tobytes() == before


def test_illegal_actions_of_lenient_games_count_as_others(game: Game) -> None:
    rng = np.random.default_rng(12)
    ids = np.empty(game.num_actions, np.int32)
    for state in positions(game, seed=12, games=1):
        if game.over(state):
            continue
        legal = game.legal(state)
        for action in (int(legal[0]), int(rng.integers(game.num_actions)), -1, game.num_actions):
            admitted = contract.admit(game.rules, state, action, ids)
            assert contract.is_legal(game.rules, state, action, ids) == (action in legal)
            if action in legal:
                assert admitted == action
            elif not game.lenient or not 0 <= action < game.num_actions:
                assert admitted == -1
            else:
                played, twin = state.copy(), state.copy()
                game.play(played, action)
                contract.play(game.rules, twin, admitted)
                assert played.tobytes() == twin.tobytes() != state.tobytes()


def test_a_game_that_is_over_takes_no_action(game: Game) -> None:
    *_, state = positions(game, seed=10, games=1)
    with pytest.raises(InputError, match="the game is over"):
        game.play(state, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess", {}), "no game 'chess'"),
        (("doudizhu", {"rules": "vegas"}), "no rules 'vegas'; it has deeprocket, rlcard"),
        (("doudizhu", {"suits": True}), "no option 'suits'"),
        (("doudizhu", {"objective": "fun"}), "objective is score or win"),
        (("doudizhu", {"base": 0}), "base is a whole number"),
        (("doudizhu", {"base": 2, "bidding": True}), "the winning bid is the stake"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments: tuple, message: str) -> None:
    name, options = arguments
    with pytest.raises(InputError, match=message):
        make_game(name, **options)


def test_every_flat_play_has_one_path_of_substeps() -> None:
    """Walk the whole tree of sub-steps at a position: its leaves are the flat legal actions."""
    for rules in ("deeprocket", "rlcard", "openspiel"):
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
