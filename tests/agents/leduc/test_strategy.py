"""Strategies: information sets, files, and the agents that play them."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from reference import leduc as reference
from support_leduc import STANDARD, UH, every_game, solved
from support_strategies import uniform

from closedhand import Game, InputError, make_agent, make_game
from closedhand.agents.leduc.tree import views_of
from closedhand.core import duplicate
from closedhand.solvers.strategy import evaluate, load, save


def test_information_sets_are_counted() -> None:
    """UH-Leduc has 728 of S and 464 of T, the standard game 936."""
    assert reference.count_information_sets("uh") == (728, 464)
    assert sum(reference.count_information_sets("standard")) == 936
    players = views_of(UH)["player"].tolist()
    assert (players.count(0), players.count(1)) == (728, 464)
    assert len(views_of(STANDARD)) == 936
    assert len(uniform(UH).keys) == 728 + 464


@every_game
def test_strategies_survive_files(game: Game, tmp_path: Path) -> None:
    strategy = solved(game, 50)
    save(strategy, tmp_path / "s.npz")
    other = load(tmp_path / "s.npz", game)
    assert (other.probabilities == strategy.probabilities).all()
    lines = (tmp_path / "s.csv").read_text().splitlines()
    assert lines[0] == "state,history,fold,check,call,raise"
    assert len(lines) == 1 + len(views_of(game))
    assert lines[1].startswith('"(s1,1,1,HJ,*)",,,')


def damaged(path: Path, **changes: Any) -> None:
    with np.load(path) as data:
        arrays = {**data, **changes}
    np.savez(path, **{key: value for key, value in arrays.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"probabilities": np.zeros((3, 3))}, "does not hold a strategy"),
        ({"probabilities": uniform(UH).probabilities * 2}, "does not hold a strategy of uh_leduc"),
        (
            {"probabilities": uniform(UH).probabilities * np.nan},
            "does not hold a strategy of uh_leduc",
        ),
        ({"about": np.array("[]")}, "does not hold a strategy"),
        ({"about": None}, "does not hold a strategy"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    save(uniform(UH), tmp_path / "s.npz")
    damaged(tmp_path / "s.npz", **changes)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "s.npz")


def test_strategies_are_for_their_own_game(tmp_path: Path) -> None:
    save(uniform(UH), tmp_path / "s.npz")
    for game in ("leduc", make_game("uh_leduc", pair="card")):
        with pytest.raises(InputError, match=r"holds a strategy of uh_leduc \(rules=uh, pair=rank"):
            make_agent(game, f"strategy:{tmp_path / 's.npz'}")
    with pytest.raises(InputError, match="cannot read"):
        make_agent(UH, f"strategy:{tmp_path / 'none.npz'}")
    with pytest.raises(InputError, match="needs a file"):
        make_agent(UH, "strategy")
    (tmp_path / "text.npz").write_text("nothing")
    with pytest.raises(InputError, match="not an npz file"):
        make_agent(UH, f"strategy:{tmp_path / 'text.npz'}")


def test_damaged_files_are_input_errors(tmp_path: Path) -> None:
    """Whatever byte is wrong: the file is refused, or still holds a strategy."""
    save(uniform(UH), tmp_path / "s.npz")
    whole = (tmp_path / "s.npz").read_bytes()
    rng = np.random.default_rng(7)
    refused = 0
    for _ in range(150):
        data = bytearray(whole)
        for place in rng.integers(len(data), size=3):
            data[place] ^= 1 << rng.integers(8)
        (tmp_path / "s.npz").write_bytes(
            data[: rng.integers(len(data)) if refused % 5 == 4 else None]
        )
        try:
            load(tmp_path / "s.npz")
        except InputError:
            refused += 1
    assert refused > 100


@pytest.mark.slow
def test_agents_play_their_strategy(tmp_path: Path) -> None:
    """What they win is what the exact evaluation says, within what chance allows."""
    save(solved(UH, 5), tmp_path / "s.npz")
    agent = make_agent(UH, f"strategy:{tmp_path / 's.npz'}", 1)
    rng = np.random.default_rng(2)
    states = np.array([UH.deal(rng) for _ in range(40_000)], UH.dtype)
    duplicate.play_out(UH, states, np.zeros((len(states), 2), np.int64), [agent])
    won = np.array([UH.returns(state)[0] for state in states])
    expected = evaluate(load(tmp_path / "s.npz")).value
    assert won.mean() == pytest.approx(expected, abs=4 * won.std() / 200)


def test_strategies_are_opponents_in_envs(tmp_path: Path) -> None:
    save(solved(UH, 50), tmp_path / "s.npz")
    opponent = f"strategy:{tmp_path / 's.npz'}"
    env = gymnasium.make("closedhand/UHLeduc-v0", opponents=opponent)
    envs = gymnasium.make_vec("closedhand/UHLeduc-v0", num_envs=64, opponents=opponent, seat=1)
    observation, _ = env.reset(seed=1)
    observations, _ = envs.reset(seed=1)
    ends = 0
    for _ in range(50):
        action = env.action_space.sample(observation["action_mask"])
        observation, reward, over, _, info = env.step(action)
        if over:
            assert reward == info["returns"][0] == -info["returns"][1]
            observation, _ = env.reset()
        actions = observations["action_mask"].argmax(1)
        observations, _, overs, _, _ = envs.step(actions)
        ends += overs.sum()
    assert ends > 500
