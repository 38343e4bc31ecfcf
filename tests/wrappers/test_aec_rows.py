"""A PettingZoo env with a row for every agent: the games of the vector env, also in wrappers."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from closedhand import InputError, make_game
from closedhand.core.game import Game, State
from closedhand.envs import SeatVectorEnv
from closedhand.envs.aec import raw_env
from closedhand.wrappers import AECRows, AutoPass, DuplicateDealing, KickerSubsteps


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("name", "options"), [("leduc", {"observation": "compact"}), ("uh_leduc", {})]
)
def test_the_rows_are_those_of_the_vector_env(
    name: str, options: dict[str, Any], mode: str
) -> None:
    table = pettingzoo.make("aec", f"closedhand/{name}-v0", **options)
    rows = AECRows(table, autoreset_mode=mode)
    games = SeatVectorEnv(name, 1, autoreset_mode=mode, **options)
    rng = np.random.default_rng(1)
    # The first games alone: later deals of a vector env come from the streams of its games.
    for seed in range(2, 9):
        shown, told = rows.reset(seed=seed)
        seen, infos = games.reset(seed=seed)
        ended, steps = np.zeros(1, bool), 0
        while not ended[0]:
            assert shown.keys() == seen.keys()
            assert all(np.array_equal(shown[part], seen[part]) for part in seen)
            assert np.array_equal(told["to_act"], infos["to_act"])
            actions = (seen["action_mask"] * rng.random(seen["action_mask"].shape)).argmax(axis=1)
            shown, paid, over, _, told = rows.step(actions)
            seen, rewards, ended, _, infos = games.step(actions)
            assert np.array_equal(paid, rewards) and np.array_equal(over, ended)
            steps += 1
        assert steps > 1
        if mode == "NextStep":  # begins the next game
            _, paid, over, *_ = rows.step(actions)
            assert paid.tolist() == [0.0, 0.0] and over.tolist() == [False, False]


def test_a_reset_passes_its_options_on() -> None:
    rows = AECRows(pettingzoo.make("aec", "closedhand/leduc-v0"))
    for deal in ("SK;HQ;HK", "HJ;HQ;SJ"):
        rows.reset(seed=1, options={"deal": deal})
        table = rows.aec.unwrapped
        assert table.game.deal_text(table.game_state) == deal


def test_wrappers_stay_on_and_games_without_a_choice_are_left_out() -> None:
    env = AutoPass(pettingzoo.make("aec", "closedhand/doudizhu-v0", observation="compact"))
    rows = AECRows(env)
    seen, told = rows.reset(seed=1)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(100):
        masks = seen["action_mask"]
        assert (masks[told["to_act"]].sum(axis=1) > 1).all() and told["to_act"].sum() == 1
        seen, rewards, ended, _, told = rows.step((masks * rng.random(masks.shape)).argmax(axis=1))
        assert rewards.sum() == 0 and rewards.any() == ended[0] == ended.all()
        ends += ended[0]
    assert ends


def after_forced(name: str, **options: Any) -> Iterator[tuple[Game, State, State]]:
    """States whose player has no choice, and what their forced actions lead to."""
    game, rng = make_game(name, **options), np.random.default_rng(0)
    for _ in range(100):
        state = game.deal(rng)
        while not game.over(state):
            end = state.copy()
            while not game.over(end) and len(legal := game.legal(end)) == 1:
                game.play(end, int(legal[0]))
            if end.tobytes() != state.tobytes():
                yield game, state, end
            game.play(state, int(rng.choice(game.legal(state))))


def test_a_given_start_without_a_decision_is_refused() -> None:
    game, state, _ = next(each for each in after_forced("doudizhu") if each[0].over(each[2]))
    rows = AECRows(AutoPass(raw_env(game)))
    rows.reset(seed=1)
    with pytest.raises(InputError, match="forced actions end this game before the first decision"):
        rows.reset(options={"state": state})
    assert rows.reset(seed=1)[1]["to_act"].sum() == 1


def test_rewards_of_forced_actions_in_a_reset_are_in_the_first_step() -> None:
    """Here they end the first round of a match."""
    game, state, end = next(
        (game, state, end)
        for game, state, end in after_forced("daihinmin", rounds=2, lead_pass=False)
        if game.returns(end).any() and not game.returns(state).any()
    )
    rows = AECRows(AutoPass(raw_env(game)), autoreset_mode="NextStep")
    seen, _ = rows.reset(options={"state": state})
    paid, ended = np.zeros(5), np.zeros(1, bool)
    while not ended.any():
        seen, rewards, ended, *_ = rows.step(seen["action_mask"].argmax(axis=1))
        paid += rewards
        assert paid.sum() >= game.returns(end).sum()
    assert paid.tolist() == game.returns(rows.aec.unwrapped.game_state).tolist()


def test_other_envs_are_refused() -> None:
    class Foreign(AECEnv):
        pass

    teams = partial(DuplicateDealing, teams=["a", "b"])
    others = (
        Foreign(), BaseWrapper(Foreign()), 3,
        pettingzoo.make("parallel", "closedhand/chinese_poker-v0"),
        gymnasium.make("closedhand/ChinesePoker-v0"),
    )  # fmt: skip
    for wrap in (AECRows, AutoPass, KickerSubsteps, teams):
        for env in others:
            with pytest.raises(InputError, match="an AEC env of closedhand is needed here"):
                wrap(env)


def test_the_table_is_drawn() -> None:
    table = pettingzoo.make("aec", "closedhand/leduc-v0", render_mode="rgb_array")
    rows = AECRows(table)
    rows.reset(seed=1)
    (picture,) = rows.render() or ()
    assert rows.render_mode == "rgb_array" in rows.metadata["render_modes"]
    assert np.array_equal(picture, table.render())
