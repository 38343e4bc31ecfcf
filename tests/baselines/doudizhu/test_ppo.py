"""Training with masks: a short run, its resumption, and the agent that comes of it."""

from pathlib import Path

import numpy as np
import pytest
from support import positions

from closedhand import InputError, make_agent, make_game

pytest.importorskip("sb3_contrib")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model trained for seconds, then resumed."""
    from closedhand.baselines.doudizhu.ppo import load, train

    out = tmp_path_factory.mktemp("run")
    path, interrupted = train(out, minutes=0.05, opponents=["random"], games=4, seed=1)
    assert not interrupted
    first = load(path).num_timesteps
    with pytest.raises(InputError, match="made with seed 1, not 2"):
        train(out, minutes=0.05, opponents=["random"], games=4, seed=2)
    train(out, minutes=0.05, opponents=["random"], games=4, seed=1)
    assert load(path).num_timesteps > first > 0
    assert list((out / "tensorboard").rglob("events*"))
    assert [file.name for file in out.iterdir() if "part" in file.name] == []
    return path


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"substeps": True}])
def test_a_trained_agent_plays_legally(model: Path, options: dict) -> None:
    game = make_game("doudizhu", **options)
    agent = make_agent(game, f"ppo:{model}")
    views = []
    for state in positions(game, seed=1, games=1):
        if not game.over(state):
            view = game.view(state, int(state.player))
            assert agent.act(view) in game.legal(state)
            views.append(view)
    together = agent.act_batch(np.array(views, game.dtype))  # type: ignore[attr-defined]
    assert len(together) == len(views)


def test_a_model_for_other_actions_is_refused(model: Path) -> None:
    with pytest.raises(InputError, match="trained with other actions"):
        make_agent(make_game("doudizhu", bidding=True), f"ppo:{model}")


@pytest.mark.parametrize(("agent", "message"), [("ppo", "path of a model"), ("ppo:x", "no model")])
def test_a_missing_model_is_one_clear_error(agent: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_agent("doudizhu", agent)


@pytest.mark.slow
def test_self_play_in_leduc_learns_and_is_resumed(tmp_path: Path) -> None:
    """Uniform play has an exploitability of 2.3, this comes below 1 in a second or two."""
    from closedhand.baselines.leduc import solving

    game = make_game("uh_leduc")
    run = solving.begin("ppo", game, 3, tmp_path)
    run.advance(iterations=30)
    assert run.points[0].evaluation.exploitability > 1.5
    assert run.points[-1].evaluation.exploitability < 1.0
    resumed = solving.load(tmp_path, "ppo", game, 3)
    before, after = (each.solver.policy().probabilities for each in (run, resumed))  # type: ignore[attr-defined]
    assert (before == after).all()
    assert (resumed.strategy().probabilities == run.strategy().probabilities).all()
    resumed.advance(iterations=35)
    assert [point.iterations for point in resumed.points[-2:]] == [32, 35]
