"""Many games at a time with NumPy: the same games as one at a time, and bad input in one line."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closedhand import Game, InputError, make_game
from closedhand.core import batch, batch_kernels

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"


@pytest.fixture(
    scope="module",
    params=[
        ("uh_leduc", {}),
        pytest.param(("chinese_poker", {"substeps": True}), marks=pytest.mark.slow),
        pytest.param(("daihinmin", {"rounds": 2}), marks=pytest.mark.slow),
    ],
    ids=lambda param: param[0],
)
def game(request: pytest.FixtureRequest) -> Game:
    """A game of turns, one of players who act at the same time, one that pays in stages."""
    name, options = request.param
    return make_game(name, **options)


def test_seeds_mean_the_same_deals_everywhere(game: Game) -> None:
    from closedhand.envs.aec import GameAEC
    from closedhand.envs.vector import GameVectorEnv

    states = batch.deal(game, range(5, 10))
    assert (states.dtype, states.shape) == (game.dtype, (5,))
    envs = GameVectorEnv(game, 5)
    envs.reset(seed=5)
    env = GameAEC(game)
    for seed, state, other in zip(range(5, 10), states, envs.states, strict=True):
        env.reset(seed=seed)
        single = game.deal(np.random.default_rng(seed))
        assert state.tobytes() == single.tobytes() == other.tobytes() == env.game_state.tobytes()
    again = batch.deal(game, np.array([9, 5], np.uint8))
    assert again.tobytes() == states[[4, 0]].tobytes()
    assert len(batch.deal(game, [])) == 0
    [large, _] = batch.deal(game, [2**70, 1])
    assert large.tobytes() == game.deal(np.random.default_rng(2**70)).tobytes()


def test_a_generator_deals_one_game_after_the_other(game: Game) -> None:
    rng = np.random.default_rng(1)
    single = [game.deal(rng).tobytes() for _ in range(4)]
    states = batch.deal_random(game, 4, np.random.default_rng(1))
    assert [state.tobytes() for state in states] == single


@pytest.mark.slow
def test_a_batch_is_what_its_games_are_one_at_a_time(game: Game) -> None:
    """Through whole games: masks, observations, views, returns, samples and steps."""
    rng = np.random.default_rng(2)
    states = batch.deal(game, range(6))
    seats = np.arange(6) % game.num_players
    while (going := batch.running(game, states)).any():
        masks = batch.legal_masks(game, states)
        observations, seen = batch.observe(game, states)
        others, hidden_masks = batch.observe(game, states, seats)
        views, own = batch.views(game, states), batch.views(game, states, seats)
        actions = batch.sample(game, states, rng)
        singles = [state.copy() for state in states]
        assert (seen == masks).all() and masks.dtype == seen.dtype == observations.dtype == np.int8
        for i, single in enumerate(singles):
            player, seat = int(single["player"]), int(seats[i])
            legal = [] if game.over(single) else game.legal(single).tolist()
            assert going[i] == (not game.over(single))
            assert np.flatnonzero(masks[i]).tolist() == legal
            assert hidden_masks[i].any() == (seat == player and going[i])
            for look, who in ((observations, player), (others, seat)):
                for part, planes in game.observe(single, who).items():
                    assert (game.split(look[i])[part] == planes).all()
            assert views[i].tobytes() == game.view(single, player).tobytes()
            assert own[i].tobytes() == game.view(single, seat).tobytes()
            assert actions[i] in legal if going[i] else actions[i] == -1
        status = batch.step(game, states, actions)
        returns = batch.returns(game, states)
        for i, single in enumerate(singles):
            if going[i]:
                game.play(single, int(actions[i]))
            assert states[i].tobytes() == single.tobytes()
            assert status[i] == (batch.OVER if game.over(single) else batch.RUNNING)
            assert (returns[i] == game.returns(single)).all()
    assert (status.dtype, returns.dtype) == (np.int8, np.float64)


def test_illegal_actions_change_nothing() -> None:
    game = make_game("uh_leduc")
    states = batch.deal(game, range(8))
    before = states.copy()
    illegal = (batch.legal_masks(game, states) == 0).argmax(axis=1)
    illegal[:3] = -1, game.num_actions, 2**40
    assert (batch.step(game, states, illegal) == batch.ILLEGAL).all()
    assert states.tobytes() == before.tobytes()


def test_samples_are_uniform() -> None:
    game = make_game("uh_leduc")
    states = np.repeat(batch.deal(game, [3]), 6000)
    counts = np.bincount(batch.sample(game, states, np.random.default_rng(4)))
    legal = game.legal(states[0])
    assert np.flatnonzero(counts).tolist() == legal.tolist()
    assert abs(counts[legal] - 6000 / len(legal)).max() < 5 * np.sqrt(6000 / len(legal))


@pytest.mark.slow
def test_playouts_go_on_to_the_end(game: Game) -> None:
    states = batch.deal(game, range(3))
    before = states.tobytes()
    ends = batch.playouts(game, states, np.random.default_rng(5))
    assert states.tobytes() == before
    assert not batch.running(game, ends).any()
    rng = np.random.default_rng(5)
    assert [end.tobytes() for end in ends] == [game.playout(s, rng).tobytes() for s in states]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g, s, r: batch.deal(g, [1, -1]), "a seed is a whole number of 0 or more, not -1"),
        (lambda g, s, r: batch.deal(g, [0.5]), "a seed is a whole number of 0 or more, not 0.5"),
        (lambda g, s, r: batch.deal(g, 7), "seeds must be a sequence of whole numbers"),
        (lambda g, s, r: batch.deal(g, [[1], [2, 3]]), "seeds must be a sequence of whole numbers"),
        (lambda g, s, r: batch.deal(g, [True]), "a seed is a whole number of 0 or more, not True"),
        (lambda g, s, r: batch.deal_random(g, True, r), "a number of games is a whole number"),
        (lambda g, s, r: batch.deal_random(g, None, r), "a number of games is a whole number"),
        (
            lambda g, s, r: batch.deal_random(g, -1, r),
            "a number of games is a whole number of 0 or more",
        ),
        (lambda g, s, r: batch.deal_random(g, 2.5, r), "a number of games is a whole number"),
        (lambda g, s, r: batch.deal_random(g, 3, 7), "rng is a numpy.random.Generator, not 7"),
        (lambda g, s, r: batch.sample(g, s, None), "rng is a numpy.random.Generator, not None"),
        (lambda g, s, r: batch.running(g, s[0]), "states are an array .* of uh_leduc"),
        (lambda g, s, r: batch.views(g, list(s)), "states are an array .* of uh_leduc"),
        (lambda g, s, r: batch.returns(g, np.zeros(3)), "states are an array .* of uh_leduc"),
        (lambda g, s, r: batch.step(g, s, [0, 0]), "actions are 3 whole numbers"),
        (lambda g, s, r: batch.step(g, s, [0.0, 1.0, 1.0]), "actions are 3 whole numbers"),
        (lambda g, s, r: batch.step(g, s, [[0], [0], [1, 2]]), "actions are 3 whole numbers"),
        (lambda g, s, r: batch.step(g, s, [2**70, 0, 0]), "actions are 3 whole numbers"),
        (lambda g, s, r: batch.step(g, s, [True] * 3), "actions are 3 whole numbers"),
        (lambda g, s, r: batch.step(g, s, None), "actions are 3 whole numbers"),
        (lambda g, s, r: batch.observe(g, s, [0, 1]), "seats are 3 whole numbers"),
        (lambda g, s, r: batch.observe(g, s, [[0], [0], [0, 1]]), "seats are 3 whole numbers"),
        (
            lambda g, s, r: batch.observe(g, s, np.array([0, 1, 2**63], "u8")),
            "seats of uh_leduc must be 0 to 1",
        ),
        (lambda g, s, r: batch.observe(g, s, 2), "the observer is a seat of uh_leduc, 0 to 1"),
        (lambda g, s, r: batch.observe(g, s, 2**70), "the observer is a seat of uh_leduc, 0 to 1"),
        (lambda g, s, r: batch.observe(g, s, 0.5), "the observer is a seat, which is a whole"),
        (lambda g, s, r: batch.observe(g, s, "0"), "the observer is a seat, which is a whole"),
        (lambda g, s, r: batch.observe(g, with_player(s, 2)), "a player 0 to 1"),
        (lambda g, s, r: batch.running(g, np.zeros((1, 1), g.dtype)), "states are an array"),
        (lambda g, s, r: batch.views(g, s, [0, 1, -1]), "seats of uh_leduc must be 0 to 1"),
    ],
)
def test_bad_input_is_told_in_one_line(call: Callable[..., Any], message: str) -> None:
    game = make_game("uh_leduc")
    states = batch.deal(game, range(3))
    with pytest.raises(InputError, match=message) as caught:
        call(game, states, np.random.default_rng(6))
    assert "\n" not in str(caught.value)


def with_player(states: np.ndarray, player: int) -> np.ndarray:
    """Copies in which another player is to act."""
    states = states.copy()
    states["player"] = player
    return states


def test_states_with_gaps_and_of_subclasses_are_states() -> None:
    """Kernels are compiled for arrays without gaps; others are copied, and stepped in place."""
    game, rng = make_game("uh_leduc"), np.random.default_rng(7)
    states = batch.deal(game, range(8))
    actions = batch.sample(game, states, rng)
    expected = states.copy()
    batch.step(game, expected, actions)
    compiled = (
        batch_kernels.play_all.signatures.copy()
        if hasattr(batch_kernels.play_all, "signatures")
        else []
    )
    gaps, back, frozen = states.copy(), states[::-1].copy()[::-1], states.copy()
    frozen.flags.writeable = False
    for other in (gaps[::2], back, states.view(np.recarray).copy()):
        own = actions[::2] if len(other) == 4 else actions
        batch.step(game, other, own)
        assert other.tobytes() == (expected[::2] if len(other) == 4 else expected).tobytes()
    assert gaps[1::2].tobytes() == states[1::2].tobytes()
    for look in (batch.running, batch.legal_masks, batch.returns):
        assert (look(game, frozen) == look(game, states)).all()
    assert batch.views(game, frozen[::2]).tobytes() == batch.views(game, states)[::2].tobytes()
    assert getattr(batch_kernels.play_all, "signatures", []) == compiled


def test_states_that_cannot_be_changed_are_not_stepped() -> None:
    game = make_game("uh_leduc")
    states = batch.deal(game, range(3))
    states.flags.writeable = False
    with pytest.raises(InputError, match="read-only"):
        batch.step(game, states, [0, 0, 0])


def test_the_guide_shows_what_runs(capsys: pytest.CaptureFixture[str]) -> None:
    section = GUIDE.read_text(encoding="utf-8").split("## Thousands of games with NumPy")[1]
    program = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert program
    exec(program[1], {})
    returns = np.fromstring(capsys.readouterr().out.strip("[]\n"), sep=" ")
    assert len(returns) == 2 and abs(returns.sum()) < 1e-6
