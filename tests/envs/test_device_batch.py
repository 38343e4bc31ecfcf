import numpy as np
import pytest

from closedhand.core.game import Game
from closedhand.core.registry import make_game
from closedhand.envs import GameVectorEnv

torch = pytest.importorskip("torch")
from closedhand.envs.device_batch import DeviceBatch  # noqa: E402

N = 6
CASES = {
    "uh_leduc": {},
    "uh_leduc against random": {"opponents": "random", "seat": "random"},
    "uh_leduc, compact": {"observation": "compact"},
}


def same(env: GameVectorEnv, batch: DeviceBatch, told: tuple, rewards: np.ndarray) -> None:
    """What a CPU env shows and pays is what the batch does."""
    observations, infos = told
    parts = [observations[name].reshape(N, -1) for name in observations if name != "action_mask"]
    assert (np.concatenate(parts, axis=1) == batch.observation.numpy()).all()
    assert (observations["action_mask"] == batch.action_mask.numpy()).all()
    assert (infos["current_player"] == batch.player.numpy()).all()
    assert (rewards == batch.rewards.numpy()).all()
    assert (env.states == batch.states.numpy().view(env.game.dtype)[:, 0]).all()


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_env_with_same_step_reset(case: str) -> None:
    game: Game = make_game(case.partition(",")[0].partition(" ")[0])
    options = CASES[case]
    env = GameVectorEnv(game, N, reward="seats", autoreset_mode="SameStep", **options)
    batch = DeviceBatch(game, N, device="cpu", **options)
    rng = np.random.default_rng(0)
    told = env.reset(seed=3)
    batch.reset(3)
    same(env, batch, told, np.zeros((N, game.num_players)))
    seen = set()
    for step in range(60):
        masks = batch.action_mask.numpy()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        if step % 7 == 6:
            actions[step % N] = game.num_actions - 1 if not masks[step % N, -1] else -1
        observations, rewards, ended, _, infos = env.step(actions)
        batch.step(torch.from_numpy(actions))
        same(env, batch, (observations, infos), rewards)
        assert (ended == (batch.status.numpy() != 0)).all()
        assert (infos["actor"] == batch.actor.numpy()).all()
        seen |= set(batch.status.tolist())
        if step == 40:
            chosen = np.arange(N) % 2 == 0
            told = env.reset(options={"reset_mask": chosen})
            batch.reset(chosen=chosen)
            where = ~chosen[:, None]
            same(env, batch, told, batch.rewards.numpy() * where + 0.0)
    assert seen == {0, 1, 2}
