"""The option `observation`: all envs show the same three forms, and nothing is lost in them."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from support_envs import Fixed, choose, every_variant, make_aec, make_solo

from closedhand import GAMES, InputError, make_game
from closedhand.core import batch
from closedhand.envs import GameAEC, GameParallel, GameVectorEnv, SoloEnv
from closedhand.envs.observation_form import FORMS, ObservationForm
from closedhand.wrappers import KickerSubsteps

Variant = tuple[str, dict[str, Any]]

in_every_form = pytest.mark.parametrize("form", FORMS)


def expected(game: Any, state: Any, player: int, form: str) -> dict[str, np.ndarray]:
    """What a player is to see, without the mask."""
    parts = game.observe(state, player)
    if form == "planes":
        return parts
    if form == "compact":
        return {"observation": game.features(state, player)}
    return {"observation": np.concatenate([part.ravel() for part in parts.values()])}


def same(seen: dict[str, np.ndarray], whole: dict[str, np.ndarray]) -> bool:
    one, other = ([name for name in each if name != "action_mask"] for each in (seen, whole))
    return one == other and all(np.array_equal(seen[name], whole[name]) for name in one)


@every_variant
@in_every_form
def test_every_env_shows_the_same(variant: Variant, form: str) -> None:
    name, options = variant
    rng = np.random.default_rng(3)
    table, solo = make_aec(variant, observation=form), make_solo(variant, observation=form)
    game = table.unwrapped.game
    envs = gymnasium.make_vec(
        GAMES[name].gymnasium_id, num_envs=2, reward="seats", observation=form, **options
    ).unwrapped
    table.reset(seed=1)
    for _ in range(12):
        if not table.agents or all(table.terminations.values()):
            break
        for seat, agent in enumerate(table.agents):
            seen = table.observe(agent)
            assert same(seen, expected(game, table.unwrapped.game_state, seat, form))
            assert table.observation_space(agent).contains(seen)
        joint = table.unwrapped.state()
        assert table.unwrapped.state_space.contains(joint)
        seen = table.observe(table.agent_selection)
        table.step(choose(seen["action_mask"], rng))
    seen, _ = solo.reset(seed=1)
    assert same(seen, expected(game, solo.game_state, solo.seat, form))
    assert solo.observation_space.contains(seen)
    rows, infos = envs.reset(seed=1)
    for _ in range(5):
        for i, state in enumerate(envs.states):
            row = {part: values[i] for part, values in rows.items()}
            assert same(row, expected(game, state, int(state.player), form))
            assert envs.single_observation_space.contains(row)
        rows, _, _, _, infos = envs.step(infos["action_mask"].argmax(axis=1))


@in_every_form
def test_parallel_envs_show_the_same(form: str) -> None:
    env = pettingzoo.make("parallel", "closedhand/chinese_poker-v0", observation=form)
    seen, _ = env.reset(seed=2)
    table: Any = env.unwrapped
    for seat, agent in enumerate(table.possible_agents):
        state = table.game_state
        state.player = seat
        assert same(seen[agent], expected(table.game, state, seat, form))
        assert env.observation_space(agent).contains(seen[agent])


def test_batches_of_features_are_those_of_single_states() -> None:
    game = make_game("doudizhu", substeps=True)
    states = batch.deal(game, range(6))
    rng = np.random.default_rng(0)
    for _ in range(10):
        batch.step(game, states, batch.sample(game, states, rng))
    for seats in (None, 1, [0, 1, 2, 2, 1, 0]):
        features, masks = batch.features(game, states, seats)
        assert features.shape == (6, game.feature_size) and features.dtype == np.int8
        assert np.array_equal(masks, batch.observe(game, states, seats)[1])
        watchers = states["player"] if seats is None else np.broadcast_to(seats, 6)
        for row, state, seat in zip(features, states, watchers, strict=True):
            assert np.array_equal(row, game.features(state, int(seat)))
    with pytest.raises(InputError, match="seats"):
        batch.features(game, states, [3] * 6)


@pytest.mark.parametrize("make", [GameAEC, GameVectorEnv, SoloEnv])
@pytest.mark.parametrize("form", ["plane", "", None, 1, ["flat"], {}])
def test_other_forms_are_refused_in_one_line(make: Any, form: Any) -> None:
    with pytest.raises(InputError, match="observation is planes, flat or compact, not ") as caught:
        make("leduc", observation=form)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="observation is planes"):
        GameParallel("chinese_poker", observation=form)


@in_every_form
def test_copies_and_pickles_keep_the_form(form: str) -> None:
    game = make_game("leduc")
    table, solo = GameAEC(game, observation=form), SoloEnv(game, observation=form)
    envs = GameVectorEnv(game, 2, opponents=Fixed(game), observation=form)
    table.reset(seed=0), solo.reset(seed=0), envs.reset(seed=0)
    assert same(pickle.loads(pickle.dumps(table)).observe("player_0"), table.observe("player_0"))
    again = pickle.loads(pickle.dumps(solo))
    assert again.observation_space == solo.observation_space
    assert again.observation_space.contains(again.step(1)[0])
    assert list(pickle.loads(pickle.dumps(envs)).observe()[0]) == list(envs.observe()[0])


@in_every_form
def test_substeps_on_top_of_an_env_keep_the_form(form: str) -> None:
    env = KickerSubsteps(GameAEC("doudizhu", observation=form))
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(30):
        if all(env.terminations.values()):
            break
        seen = env.observe(env.agent_selection)
        assert env.observation_space(env.agent_selection).contains(seen)
        env.step(choose(seen["action_mask"], rng))


def test_the_spaces_say_what_each_number_can_be() -> None:
    game = make_game("doudizhu", substeps=True)
    space = ObservationForm(game, "compact").space()["observation"]
    assert space.shape == (589,)  # type: ignore[union-attr]
    low, high = ObservationForm(game, "compact").bounds()
    hand, bid = map(game.feature_names.index, ("hand 3 1", "bid self"))
    assert (low[hand], high[hand]) == (0, 1) and (low[bid], high[bid]) == (-1, 3)
    flat = ObservationForm(game, "flat").bounds()
    assert flat[1].tolist().count(127) == game.shapes["status"][0]
    planes_and_numbers = {(0, 1), (-1, 127)}
    assert set(zip(*(bound.tolist() for bound in flat), strict=True)) == planes_and_numbers
