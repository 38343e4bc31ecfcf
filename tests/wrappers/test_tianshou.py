"""Our envs as envs of Tianshou: masks, games that stay as they are, and nothing that is lost."""

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from closedhand import InputError
from closedhand.envs import GameVectorEnv, SeatVectorEnv

pytest.importorskip("tianshou")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

GAMES = 4
OPTIONS: dict[str, Any] = {"autoreset_mode": "Disabled", "observation": "compact"}


def make(**options: Any) -> Any:
    from closedhand.wrappers.tianshou import TianshouVectorEnv

    return TianshouVectorEnv(
        GameVectorEnv("leduc", GAMES, opponents="random", **{**OPTIONS, **options})
    )


def random_policy(envs: Any) -> Any:
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm

    return MARLRandomDiscreteMaskedOffPolicyAlgorithm(envs.action_space[0])


def test_some_games_are_stepped_and_others_stay() -> None:
    envs = make()
    seen, infos = envs.reset(seed=3)
    assert seen.obs.shape == (GAMES, 49) and seen.mask.shape == (GAMES, 4)
    assert seen.mask.dtype == bool and infos.tolist() == [{}] * GAMES
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(60):
        ids = np.sort(rng.choice(GAMES, rng.integers(1, GAMES + 1), replace=False))
        before = envs.env.states
        actions = (seen.mask[ids] * rng.random((len(ids), 4))).argmax(axis=1)
        told, rewards, ended, cut, infos = envs.step(actions, ids)
        others = np.setdiff1d(np.arange(GAMES), ids)
        after = envs.env.states
        assert all(after[i].tobytes() == before[i].tobytes() for i in others)
        assert all(after[i].tobytes() != before[i].tobytes() for i in ids)
        assert len(told) == len(rewards) == len(ended) == len(infos) == len(ids)
        assert not rewards[~ended].any() and not cut.any()
        seen[ids] = told
        if ended.any():
            seen[ids[ended]], _ = envs.reset(ids[ended])
            ends += 1
        shown, _ = envs.env.observe()
        assert np.array_equal(seen.obs, shown["observation"])
    assert ends > 5


def test_every_table_is_rendered() -> None:
    envs = make(render_mode="ansi")
    envs.reset(seed=3)
    assert envs.render() == list(envs.env.render()) and len(envs.render()) == GAMES
    assert all("player_0" in frame for frame in envs.render())


def test_attributes_are_those_of_the_env() -> None:
    envs = make()
    assert envs.get_env_attr("game", [0, 2]) == [envs.env.game] * 2
    assert envs.get_env_attr("action_space") == [envs.env.single_action_space] * GAMES
    assert envs.get_env_attr("observation_space", 1) == [envs.part]


@pytest.mark.parametrize("number", [{"n_step": 80}, {"n_episode": 30}])
def test_a_collector_plays_whole_games(number: dict[str, int]) -> None:
    from tianshou.data import Collector, VectorReplayBuffer

    envs = make()
    buffer = VectorReplayBuffer(2000, GAMES)
    collector = Collector(random_policy(envs), envs, buffer)
    collector.reset()
    stats = collector.collect(**number)
    assert stats.n_collected_episodes == number.get("n_episode", stats.n_collected_episodes) > 3
    data = buffer[:]
    assert data.obs.mask[np.arange(len(data)), data.act].all()
    low, high = envs.env.game.payoff_range
    paid = data.rew[data.terminated]
    assert (paid >= low).all() and (paid <= high).all() and not data.rew[~data.terminated].any()


def test_self_play_steps_all_rows() -> None:
    from tianshou.data import Collector, VectorReplayBuffer

    from closedhand.wrappers.tianshou import TianshouVectorEnv

    envs = TianshouVectorEnv(SeatVectorEnv("leduc", 2, **OPTIONS))
    buffer = VectorReplayBuffer(400, len(envs))
    collector = Collector(random_policy(envs), envs, buffer)
    collector.reset()
    collector.collect(n_step=100 * len(envs))
    by_row = buffer[:].rew.reshape(len(envs), -1)
    assert np.array_equal(by_row[0], -by_row[1]) and by_row.any()
    with pytest.raises(InputError, match="collect by n_step, not n_episode"):
        envs.step([0], [1])


def test_seeds_of_rows_deal_the_same_games_again() -> None:
    from closedhand.wrappers.tianshou import TianshouVectorEnv

    envs = TianshouVectorEnv(SeatVectorEnv("doudizhu", 2, render_mode="ansi", **OPTIONS))
    seeds, dealt = envs.seed(5), envs.render()
    assert seeds == [[5]] * 3 + [[6]] * 3
    assert envs.seed([each for (each,) in seeds]) == seeds and envs.render() == dealt


def test_networks_obey_masks() -> None:
    import torch
    from tianshou.data import Batch
    from tianshou.utils.net.common import Net
    from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

    from closedhand.wrappers.tianshou import MaskedActor, UnmaskedCritic

    envs = make()
    seen, _ = envs.reset(seed=1)
    net = Net(state_shape=49, hidden_sizes=[8])
    actor = DiscreteActor(preprocess_net=net, action_shape=4, softmax_output=False)
    logits, state = MaskedActor(actor)(seen)
    assert state is None
    plain, _ = actor(seen.obs)
    legal = torch.from_numpy(seen.mask)
    assert torch.equal(logits[legal], plain[legal]) and (logits[~legal] == -1e9).all()
    critic = DiscreteCritic(preprocess_net=net)
    assert torch.equal(UnmaskedCritic(critic)(Batch(seen)), critic(seen.obs))


def test_agents_of_pettingzoo_learn_together() -> None:
    from tianshou.algorithm import MultiAgentOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    def table() -> Any:
        return PettingZooEnv(pettingzoo.make("aec", "closedhand/leduc-v0", observation="compact"))

    envs = DummyVectorEnv([table] * 2)
    agents = MultiAgentOffPolicyAlgorithm(
        algorithms=[random_policy(envs) for _ in range(2)], env=table()
    )
    buffer = VectorReplayBuffer(1000, 2)
    collector = Collector(agents, envs, buffer)
    collector.reset()
    collector.collect(n_step=60)
    data = buffer[:]
    assert set(data.obs.agent_id) == {"player_0", "player_1"}
    assert (data.rew[data.terminated].sum(axis=1) == 0).all()
    assert data.rew[data.terminated].any() and not data.rew[~data.terminated].any()


def test_what_would_be_lost_is_refused() -> None:
    from closedhand.wrappers.tianshou import TianshouVectorEnv

    line = "Tianshou keeps 'observation' alone and would lose status: make the env with obs"
    with pytest.raises(InputError, match=line):
        make(observation="planes")
    with pytest.raises(InputError, match="Tianshou needs another reset: use autoreset_mode='Disab"):
        make(autoreset_mode="SameStep")
    with pytest.raises(InputError, match="Tianshou takes one reward a row: leave out reward='seat"):
        make(reward="seats")
    games = GameVectorEnv("leduc", GAMES, opponents="random", **OPTIONS)
    with pytest.raises(InputError, match="Tianshou takes the env without the wrapper ClipRe"):
        TianshouVectorEnv(gymnasium.wrappers.vector.ClipReward(games, 0, 1))
    envs = make()
    envs.seed(1)
    for ids in ([4], [-1], [0.5], "x"):
        with pytest.raises(InputError, match="games are numbers from 0 to 3"):
            envs.reset(ids)
    with pytest.raises(InputError, match="actions are 2 whole numbers"):
        envs.step([0], [0, 1])
    with pytest.raises(InputError, match=r"once at a time, not \[0, 0\]"):
        envs.step([0, 1], [0, 0])
    with pytest.raises(AttributeError, match="when it is made"):
        envs.set_env_attr("seat", 1)
    assert envs.seed(5) == [[5], [6], [7], [8]]
    envs.close()
    assert envs.is_closed and envs.env.closed
