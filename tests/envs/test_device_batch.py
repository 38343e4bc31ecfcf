from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest

from closedhand.core import contract, game_kernels
from closedhand.core.agents import make_agent
from closedhand.core.game import Game, InputError
from closedhand.core.registry import make_game
from closedhand.core.stream import make_streams
from closedhand.envs import GameVectorEnv

torch = pytest.importorskip("torch")
from closedhand.envs import DeviceVectorEnv  # noqa: E402
from closedhand.envs.device import shape_for  # noqa: E402
from closedhand.envs.device_batch import DeviceBatch  # noqa: E402

N = 6
CASES: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("uh_leduc", {}, {}),
    ("uh_leduc", {}, {"observation": "compact"}),
    ("uh_leduc", {}, {"opponents": "random", "seat": "random"}),
    ("leduc", {}, {"opponents": "random", "seat": 1}),
    ("doudizhu", {"substeps": True}, {}),
    ("doudizhu", {"rules": "douzero"}, {"observation": "compact"}),
    ("doudizhu", {"rules": "openspiel", "substeps": True},
     {"opponents": ["rule", "random"], "seat": "random"}),
    ("daihinmin", {"rounds": 2}, {"observation": "compact"}),
    ("daihinmin", {"rounds": 2}, {"opponents": "default", "seat": "random"}),
    ("chinese_poker", {"substeps": True, "players": 3}, {"opponents": "random", "seat": 2}),
    ("chinese_poker", {"substeps": True}, {"observation": "compact"}),
]  # fmt: skip
"""A game, its options, and those of the env. The first three are quick."""


def same(env: GameVectorEnv, batch: DeviceBatch, told: tuple, rewards: np.ndarray) -> None:
    """What a CPU env shows and pays is what the batch does."""
    observations, infos = told
    parts = [observations[name].reshape(N, -1) for name in observations if name != "action_mask"]
    assert (np.concatenate(parts, axis=1) == batch.observation.numpy()).all()
    assert (observations["action_mask"] == batch.action_mask.numpy()).all()
    assert (infos["current_player"] == batch.player.numpy()).all()
    assert (rewards == batch.rewards.numpy()).all()
    assert (env.states == batch.states.numpy().view(env.game.dtype)[:, 0]).all()


@pytest.mark.parametrize(
    ("name", "rules", "options"),
    [
        pytest.param(*case, id=f"{case[0]}-{i}", marks=[] if i < 3 else [pytest.mark.slow])
        for i, case in enumerate(CASES)
    ],
)
def test_it_is_the_env_with_same_step_reset(name: str, rules: dict, options: dict) -> None:
    game: Game = make_game(name, **rules)
    env = GameVectorEnv(game, N, reward="seats", autoreset_mode="SameStep", **options)
    batch = DeviceBatch(game, N, device="cpu", **options)
    rng = np.random.default_rng(0)
    told = env.reset(seed=3)
    batch.reset(3)
    same(env, batch, told, np.zeros((N, game.num_players)))
    seen = set()
    for step in range(60 if game.num_actions < 10 else 400):
        masks = batch.action_mask.numpy()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        if step % 7 == 6 and step < 60:
            # An action of the game that is not legal, which lenient games take for a pass; or none.
            known = step % 2 and not masks[step % N, -1]
            actions[step % N] = game.num_actions - 1 if known else -1
        observations, rewards, ended, _, infos = env.step(actions)
        batch.step(torch.from_numpy(actions))
        same(env, batch, (observations, infos), rewards)
        assert (ended == (batch.status.numpy() != 0)).all()
        assert (infos["actor"] == batch.actor.numpy()).all()
        seen |= set(batch.status.tolist())
        if step == 40:
            chosen = np.arange(N) % 2 == 0
            told = env.reset(options={"reset_mask": chosen})
            batch.reset(reset_mask=chosen)
            where = ~chosen[:, None]
            same(env, batch, told, batch.rewards.numpy() * where + 0.0)
    assert seen == {0, 1, 2}


def test_a_seed_for_some_games_leaves_the_draws_of_the_others() -> None:
    """The samples of game 0 go on as if game 1 had not been reset."""
    drawn = []
    for mask in (None, torch.tensor([False, True])):
        batch = DeviceBatch(make_game("uh_leduc"), 2, device="cpu")
        batch.reset(3)
        first = [int(batch.sample()[0]) for _ in range(20)]
        if mask is not None:
            batch.reset(5, mask)
        drawn.append(first + [int(batch.sample()[0]) for _ in range(20)])
    assert drawn[0] == drawn[1]
    assert drawn[0][:20] != drawn[0][20:]


def test_a_game_without_a_seed_goes_on_with_its_stream() -> None:
    """As the env on the CPU does; at first such a game is random."""
    game = make_game("uh_leduc")
    env = GameVectorEnv(game, 2, reward="seats", autoreset_mode="SameStep")
    batch = DeviceBatch(game, 2, device="cpu")
    for seed in (1, [5, None], [None, 5], [None, None]):
        env.reset(seed=seed)
        batch.reset(seed)
        assert (env.states == batch.states.numpy().view(game.dtype)[:, 0]).all(), seed
    batches = [DeviceBatch(game, 1, device="cpu") for _ in range(2)]
    for each in batches:
        each.reset([None])
    assert (batches[0]._streams != batches[1]._streams).any()


def test_after_a_reset_of_some_games_nobody_has_acted() -> None:
    envs = DeviceVectorEnv("leduc", 2, device="cpu")
    envs.reset(seed=1)
    infos = envs.step(envs.batch.sample())[-1]
    assert (infos["actor"] >= 0).all()
    infos = envs.reset(options={"reset_mask": np.array([True, False])})[1]
    assert (infos["actor"] == -1).all()


def test_what_does_not_fit_is_refused_in_one_line(monkeypatch):
    game = make_game("leduc")
    batch = DeviceBatch(game, 3, device="cpu")
    with pytest.raises(InputError, match="no game is under way"):
        batch.step(torch.zeros(3, dtype=torch.int64))
    for call in (batch.sample, lambda: batch.decide("random")):
        with pytest.raises(InputError, match="no game is under way"):
            call()
    batch.reset(1)
    for actions, found in (
        (torch.zeros(3), r"float32 \[3\] on cpu"),
        (torch.zeros(2, dtype=torch.int64), r"int64 \[2\] on cpu"),
        (torch.zeros(3, dtype=torch.int64, device="meta"), r"int64 \[3\] on meta"),
        (torch.zeros(6, dtype=torch.int64)[::2], "without gaps"),
        (np.zeros(3, np.int64), "actions are a tensor on cpu"),
    ):
        with pytest.raises(InputError, match=found):
            batch.step(actions)
        with pytest.raises(InputError, match=found):
            batch.decide("random", actions)
    for mask in (torch.ones(2, dtype=torch.bool), "all", [[True], [True, True]], object()):
        with pytest.raises(InputError, match=r"the mask of games must be bool \[3\]"):
            batch.reset(reset_mask=mask)
    refused = (0, "of 1 or more"), (2**25, "at most 16,777,216"), (1.0, "whole number")
    for number, found in refused:
        with pytest.raises(InputError, match=f"the number of games is .*{found}"):
            DeviceBatch(game, number, device="cpu")
    for device in ("tpu", 3.5, "mps", 2**70):
        with pytest.raises(InputError, match="device is cpu, cuda or cuda:0"):
            DeviceBatch(game, 3, device=device)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match=r"device 'cuda' is not available.*use device='cpu'"):
        DeviceBatch(game, 3)


def test_a_first_reset_that_is_interrupted_starts_no_games(monkeypatch):
    batch = DeviceBatch(make_game("leduc"), 3, device="cpu")
    with monkeypatch.context() as patch:
        patch.setattr(game_kernels, "step_games", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            batch.reset(1)
    with pytest.raises(InputError, match="no game is under way"):
        batch.sample()
    with pytest.raises(InputError, match="reset all of them first"):
        batch.reset(reset_mask=torch.tensor([True, False, False]))


def test_opponents_must_decide_in_kernels():
    class Slow:
        name = "slow"

        def act(self, view):
            return 0

    with pytest.raises(InputError, match="agent 'slow' decides in Python"):
        DeviceBatch(make_game("leduc"), 3, device="cpu", opponents=Slow())


def test_too_many_games_are_refused_with_the_number_that_fits(monkeypatch):
    batch = DeviceBatch(make_game("leduc"), 3, device="cpu")
    monkeypatch.setattr(batch, "on_cpu", False)
    kept = [1]  # by PyTorch, of memory that is not in use
    monkeypatch.setattr(torch.cuda, "empty_cache", kept.clear)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (10**6 - sum(kept), 10**6))
    batch.number = 10**6
    with pytest.raises(InputError, match=r"1000000 games of leduc .*: \d+ games fit") as refused:
        batch._check_memory()
    batch.number = int(str(refused.value).split()[-3])
    batch._check_memory()
    batch.number += 1
    with pytest.raises(InputError, match=f": {batch.number - 1} games fit"):
        batch._check_memory()


@pytest.mark.parametrize("row", [4, 76, 926, 6332, 18650, 40000, 72407])
def test_rows_of_a_block_fit_its_memory(row):
    for number in (1, 1000, 131072):
        shape = shape_for(row, number, 132, 232448)
        assert shape.by_block == (4 * row <= 232448)
        if shape.by_block:
            assert shape.per_block % 4 == 0 and 4 <= shape.per_block <= shape.threads // 2
            assert shape.per_block * row <= shape.shared <= 232448
            assert 1 <= shape.blocks <= -(-number // shape.per_block)
        assert shape.threads % 64 == 0


def test_random_games_go_on_to_their_end():
    game = make_game("leduc")
    states, moves, ids = (
        game.empty(50),
        np.zeros(50, np.int64),
        np.empty((1, game.num_actions), "i4"),
    )
    ends = []
    for first in (1, 51, 1):
        streams = make_streams(50)
        streams[:, 0] = np.arange(first, first + 50)
        game_kernels.random_games(game.rules, states, streams, ids, moves)
        assert all(game.over(state) for state in np.rec.array(states))
        assert (moves == states["moves"]).all() and moves.min() > 1
        ends.append(states.tobytes())
    assert ends[0] == ends[2] != ends[1]


def test_make_vec_takes_a_device():
    envs = gymnasium.make_vec(
        "closedhand/UHLeduc-v0", num_envs=5, device="cpu", observation="compact", reward="seats"
    )
    assert isinstance(envs, DeviceVectorEnv)
    twin = gymnasium.make_vec(
        "closedhand/UHLeduc-v0", num_envs=5, observation="compact", reward="seats",
        autoreset_mode="SameStep",
    )  # fmt: skip
    seen, infos = envs.reset(seed=4)
    told, _ = twin.reset(seed=4)
    for _ in range(30):
        for name, part in told.items():
            assert (seen[name].numpy() == part).all()
        assert envs.observation_space.contains({k: v.numpy() for k, v in seen.items()})
        actions = envs.batch.sample().clone()
        actions[1] = -1
        held = seen["observation"]
        seen, rewards, ended, cut, infos = envs.step(actions)
        told, paid, over, _, _ = twin.step(actions.numpy())
        assert held is seen["observation"]  # in place
        assert (rewards.numpy() == paid).all() and (ended.numpy() == over).all() and not cut.any()
        assert infos["illegal_action"].tolist() == [False, True, False, False, False]


def test_planes_are_cut_into_their_parts():
    envs = DeviceVectorEnv("doudizhu", 3, device="cpu", substeps=True)
    seen, _ = envs.reset(seed=2)
    twin = GameVectorEnv("doudizhu", 3, substeps=True, reward="seats")
    told, _ = twin.reset(seed=2)
    assert list(seen) == list(told)
    for name, part in told.items():
        assert (seen[name].numpy() == part).all(), name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"autoreset_mode": "NextStep"}, "begin anew in the same step"),
        ({"render_mode": "ansi"}, "are not rendered"),
        ({"reward": "all"}, "reward is actor or seats"),
        ({"legal": "ids"}, "legal"),
    ],
)
def test_what_a_device_does_not_do_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        gymnasium.make_vec("closedhand/Leduc-v0", num_envs=2, device="cpu", **options)


def test_a_reset_takes_no_deals():
    envs = DeviceVectorEnv("leduc", 2, device="cpu")
    with pytest.raises(InputError, match="are not started from deal"):
        envs.reset(options={"deal": "SK;HQ;HK"})


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["rule", "decompose"])
def test_an_agent_decides_as_it_does_elsewhere(agent):
    game = make_game("doudizhu", substeps=True)
    batch = DeviceBatch(game, 20, device="cpu", observation="compact")
    batch.reset(6)
    played = make_agent(game, agent, 0)
    for _ in range(30):
        views = batch.states.numpy().view(game.dtype)[:, 0].copy()
        for view in np.rec.array(views):
            contract.hide(game.rules, view, view.player)
        actions = batch.decide(agent)
        assert (actions.numpy() == played.act_batch(views)).all()
        batch.step(actions)
