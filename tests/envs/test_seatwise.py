"""Rewards by seat, and the targets that are made of them, against a slow reference."""

import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support import VARIANTS, sum_of_returns, variant_id

from closedhand import InputError, make_game
from closedhand.envs import GameVectorEnv, seat_advantages, seat_returns

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"
NUMBER = 5
STEPS = {"daihinmin": 500}
ONE_OF_EACH = [VARIANTS[1], *VARIANTS[12:13], VARIANTS[17], VARIANTS[-2], VARIANTS[-1]]


def collect(variant: Any, mode: AutoresetMode, seed: int = 0, **options: Any) -> dict[str, Any]:
    """A rollout of random play: what a loop over a vector env keeps."""
    name, rules = variant
    envs = GameVectorEnv(name, NUMBER, autoreset_mode=mode, reward="seats", **rules, **options)
    rng = np.random.default_rng(seed)
    observations, infos = envs.reset(seed=seed)
    rows: dict[str, list[Any]] = {key: [] for key in ("rewards", "actors", "ends", "values")}
    for _ in range(STEPS.get(name, 90)):
        masks = observations["action_mask"]
        assert masks.any(axis=1).all()
        observations, rewards, ends, _, infos = envs.step(
            np.argmax(masks * rng.random(masks.shape), axis=1)
        )
        for key, value in (("rewards", rewards), ("actors", infos["actor"]), ("ends", ends)):
            rows[key].append(value)
        rows["values"].append(rng.normal(size=NUMBER))
        if mode == AutoresetMode.DISABLED and ends.any():
            observations, infos = envs.reset(options={"reset_mask": ends})
    return {
        **{key: np.array(value) for key, value in rows.items()},
        "last_values": rng.normal(size=NUMBER),
        "last_actors": infos["current_player"],
    }


def reference(
    rows: dict[str, Any], gamma: float, gae_lambda: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns, advantages and values plus advantages: game by game, seat by seat, by their sums."""
    steps, number, num_seats = rows["rewards"].shape
    returns, advantages = np.full((2, steps, number), np.nan)
    for i in range(number):
        begin = 0
        while begin < steps:
            found = np.flatnonzero(rows["ends"][begin:, i])
            ended = len(found) > 0
            end = begin + found[0] + 1 if ended else steps
            for seat in range(num_seats):
                own = [t for t in range(begin, end) if rows["actors"][t, i] == seat]
                stops = [*own[1:], end][: len(own)]
                paid = [
                    sum(rows["rewards"][start:stop, i, seat])
                    for start, stop in zip(own, stops, strict=True)
                ]
                values = [rows["values"][t, i] for t in own]
                known = not ended and rows["last_actors"][i] == seat
                values.append(0.0 if ended else rows["last_values"][i] if known else math.nan)
                deltas = [
                    paid[k] + gamma * values[k + 1] - values[k]
                    for k in range(len(own))
                    if not math.isnan(values[k + 1])
                ]
                for k, t in enumerate(own):
                    if ended:
                        returns[t, i] = sum(gamma**j * each for j, each in enumerate(paid[k:]))
                    if k < len(deltas):
                        advantages[t, i] = sum(
                            (gamma * gae_lambda) ** j * each for j, each in enumerate(deltas[k:])
                        )
            begin = end
    return returns, advantages, advantages + rows["values"]


def close(one: np.ndarray, other: np.ndarray) -> bool:
    return np.allclose(one, other, equal_nan=True)


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
@pytest.mark.parametrize("variant", ONE_OF_EACH, ids=variant_id)
def test_targets_by_seat_are_those_of_the_slow_reference(variant: Any, mode: AutoresetMode) -> None:
    rows = collect(variant, mode)
    for gamma, gae_lambda in ((1.0, 0.95), (0.9, 0.5), (0.7, 1.0), (1.0, 0.0)):
        returns, advantages, targets = reference(rows, gamma, gae_lambda)
        steps = {key: rows[key] for key in ("rewards", "actors", "ends")}
        assert close(seat_returns(**steps, gamma=gamma), returns)
        found = seat_advantages(**rows, gamma=gamma, gae_lambda=gae_lambda)
        assert close(found[0], advantages) and close(found[1], targets)
        assert np.isnan(returns[rows["actors"] < 0]).all()
        assert not np.isnan(returns).all()


def test_a_payoff_stays_in_its_game() -> None:
    """Player 0 is paid in the first game without acting in it, player 1 in the second."""
    rewards, actors, ends = [[[-1, 1]], [[-2, 2]]], [[1], [0]], [[True], [True]]
    assert seat_returns(rewards, actors, ends).tolist() == [[1], [-2]]
    found, targets = seat_advantages(rewards, actors, ends, [[0.25], [0.5]])
    assert found.tolist() == [[0.75], [-2.5]] and targets.tolist() == [[1], [-2]]


def test_targets_where_anybody_is_paid_are_those_of_the_slow_reference() -> None:
    """In these games seats are paid at any step, whether they act or not, and some never act."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        steps, seats = int(rng.integers(1, 9)), int(rng.integers(1, 4))
        rows = {
            "rewards": rng.integers(-3, 4, (steps, 2, seats)).astype(float),
            "actors": rng.integers(-1, seats, (steps, 2)),
            "ends": rng.random((steps, 2)) < 0.4,
            "values": rng.normal(size=(steps, 2)),
            "last_values": rng.normal(size=2),
            "last_actors": rng.integers(0, seats, 2),
        }
        gamma, gae_lambda = rng.random(2)
        returns, advantages, targets = reference(rows, gamma, gae_lambda)
        played = {key: rows[key] for key in ("rewards", "actors", "ends")}
        assert close(seat_returns(**played, gamma=gamma), returns)
        found = seat_advantages(**rows, gamma=gamma, gae_lambda=gae_lambda)
        assert close(found[0], advantages) and close(found[1], targets)


def test_without_later_values_the_last_decisions_have_no_advantage() -> None:
    rows = collect(VARIANTS[1], AutoresetMode.NEXT_STEP)
    rows["last_actors"] = np.full(NUMBER, -1)  # known of nobody
    _, advantages, _ = reference(rows, 1.0, 0.95)
    del rows["last_actors"], rows["last_values"]
    found, _ = seat_advantages(**rows)
    assert close(found, advantages) and np.isnan(found[-1][~rows["ends"][-1]]).all()


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
@pytest.mark.parametrize("variant", ONE_OF_EACH, ids=variant_id)
@pytest.mark.parametrize(
    "played", [{}, {"opponents": "random", "seat": "random"}], ids=["all", "one"]
)
def test_rewards_of_all_seats_add_up(variant: Any, mode: AutoresetMode, played: Any) -> None:
    """To zero in a zero-sum game, and to what the places are worth where they are worth points."""
    rows = collect(variant, mode, seed=1, **played)
    game = make_game(variant[0], **variant[1])
    sums = rows["rewards"].sum(axis=2)
    assert rows["ends"].any() and rows["rewards"][rows["ends"]].any(axis=1).any()
    if game.zero_sum:
        assert not sums.any()
    else:
        final = game.playout(game.deal(np.random.default_rng(0)), np.random.default_rng(0))
        assert sums.sum() % (sum_of_returns(game, final) / game.rounds) == 0
    if not game.staged:
        assert not rows["rewards"][~rows["ends"]].any()


def test_one_seat_alone_gets_ordinary_returns() -> None:
    rows = collect(VARIANTS[12], AutoresetMode.SAME_STEP, opponents="random", seat=1)
    assert (rows["actors"] == 1).all()
    later, expected = 0.0, np.full((90, NUMBER), np.nan)
    for i in range(NUMBER):
        later = math.nan
        for t in reversed(range(90)):
            later = rows["rewards"][t, i, 1] + (0.0 if rows["ends"][t, i] else later)
            expected[t, i] = later
    assert close(seat_returns(rows["rewards"], rows["actors"], rows["ends"]), expected)


def test_the_scalar_reward_of_self_play_warns_once() -> None:
    envs = GameVectorEnv("leduc", 2)
    observations, _ = envs.reset(seed=0)
    with pytest.warns(UserWarning, match="Make the env with reward='seats'") as told:
        for _ in range(20):
            observations, rewards, *_ = envs.step(observations["action_mask"].argmax(axis=1))
            assert rewards.shape == (2,)
    assert len(told) == 1 and told[0].filename == __file__


@pytest.mark.parametrize(
    "options", [{"reward": "actor"}, {"reward": "seats"}, {"opponents": "random"}]
)
def test_who_says_what_the_reward_is_gets_no_warning(options: Any) -> None:
    envs = GameVectorEnv("leduc", 2, **options)
    observations, _ = envs.reset(seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(20):
            actions = observations["action_mask"].argmax(axis=1)
            observations, rewards, _, _, infos = envs.step(actions)
            of_seats = infos["rewards"]
            if options.get("reward") == "seats":
                assert (rewards == of_seats).all() and not np.shares_memory(rewards, of_seats)
            else:
                assert (rewards == of_seats[np.arange(2), infos["actor"]])[
                    infos["actor"] >= 0
                ].all()


def test_the_scalar_pays_who_ends_a_game_and_the_helper_whose_decision_it_was() -> None:
    """In Dou Dizhu who goes out has won: a learner of the scalar never sees a loss."""
    rows = collect(("doudizhu", {"substeps": True, "objective": "win"}), AutoresetMode.SAME_STEP)
    ends, actors = rows["ends"], rows["actors"]
    scalar = np.take_along_axis(rows["rewards"], actors[..., None], axis=2)[..., 0]
    assert ends.any() and (scalar[ends] == 1).all() and not scalar[~ends].any()
    returns = seat_returns(rows["rewards"], actors, ends)
    assert (returns == -1).any() and (returns == 1).any()


@pytest.mark.parametrize("reward", ["sum", "", 1, True, ["actor"], np.array(["actor", "seats"])])
def test_bad_reward(reward: Any) -> None:
    with pytest.raises(InputError, match="reward is actor or seats"):
        GameVectorEnv("leduc", 2, reward=reward)


GOOD = {
    "rewards": np.zeros((4, 2, 3)),
    "actors": np.zeros((4, 2), int),
    "ends": np.zeros((4, 2), bool),
    "values": np.zeros((4, 2)),
    "last_values": np.zeros(2),
    "last_actors": np.zeros(2, int),
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rewards": np.zeros((4, 2))}, r"rewards have the shape \[steps, num_envs, seats\]"),
        ({"rewards": "many"}, "rewards are an array of numbers"),
        ({"rewards": [[[1]], [[1], [2]]]}, "rewards are an array of numbers"),
        ({"actors": np.zeros((4, 3), int)}, "actors have the shape"),
        ({"actors": np.zeros((4, 2))}, "actors are seats, whole numbers"),
        ({"actors": [[1], [2, 3]]}, "actors are seats, whole numbers"),
        ({"actors": np.full((4, 2), 3)}, "actors are seats from -1 to 2"),
        ({"actors": np.full((4, 2), -2)}, "actors are seats from -1 to 2"),
        ({"ends": np.zeros(4, bool)}, "ends have the shape"),
        ({"values": np.zeros((2, 4))}, "values have the shape"),
        ({"last_values": None}, "last_values and last_actors go together"),
        ({"last_actors": np.full(2, -1)}, "last_actors are seats from 0 to 2"),
        ({"last_values": np.zeros(3)}, "last_values have the shape"),
        ({"gamma": 1.5}, "gamma is a number from 0 to 1"),
        ({"gamma": math.nan}, "gamma is a number from 0 to 1"),
        ({"gae_lambda": "1"}, "gae_lambda is a number from 0 to 1"),
    ],
)
def test_bad_rollouts(wrong: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        seat_advantages(**{**GOOD, **wrong})


def test_the_guide_shows_what_runs() -> None:
    """Without a warning: here they are errors."""
    section = GUIDE.read_text(encoding="utf-8").split("## Self-play")[1]
    program = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert program
    names: dict[str, Any] = {}
    exec(program[1], names)
    assert names["learnable"].shape == (32, 8) and names["learnable"].mean() > 0.5


@pytest.mark.slow
def test_a_masked_distribution_exists_in_every_row() -> None:
    """Also where a game has ended and the next step begins a new one."""
    torch = pytest.importorskip("torch")
    envs = GameVectorEnv("uh_leduc", 64, reward="seats")
    observations, _ = envs.reset(seed=0)
    ended = 0
    for _ in range(20):
        masks = torch.from_numpy(observations["action_mask"])
        logits = torch.zeros(masks.shape).masked_fill(masks == 0, -torch.inf)
        actions = torch.distributions.Categorical(logits=logits).sample()  # raises on empty rows
        observations, _, ends, *_ = envs.step(actions.numpy())
        ended += int(ends.sum())
        assert (observations["action_mask"][ends].sum(axis=1) == 1).all()
    assert ended > 64
