"""Several games of a vector env that end in one step: exactly what single envs return, in order.

Every game of a vector env is compared at every step with a single env of its own: observations,
masks, rewards, ends, returns, the last observations and infos of finished games. The first deals of
both follow from the same seed; after an end the single env continues from the deal of the vector
env, which draws deals and seats from the stream of that game. Some actions are illegal, so that
games also end by these.
"""

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from support_envs import Fixed

from closedhand import Game, make_game
from closedhand.envs.aec import GameAEC
from closedhand.envs.observation_form import ACTION_MASK
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.testing.envs import as_in_vector

GAMES = [
    ("leduc", {}, 60),
    ("uh_leduc", {"pair": "card"}, 60),
    ("chinese_poker", {"players": 3, "substeps": True}, 30),
    ("doudizhu", {"bidding": True}, 150),
    ("daihinmin", {"rounds": 2, "illegal": "error", "classes": "random"}, 300),
]
NUMBER = 8
SEED = 40
ILLEGAL = 0.02
"""Share of the actions that are illegal."""


class SelfPlay:
    """One game whose seats are all played from outside: an AEC env, told as a vector env tells."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.env = GameAEC(game)

    def reset(self, **kwargs: Any) -> None:
        self.env.reset(**kwargs)
        self.illegal = self.over = False
        self.actor, self.rewards = -1, [0.0] * self.game.num_players

    def restart(self, envs: GameVectorEnv, i: int, infos: Any) -> None:
        """Begin with the new deal of game i of a vector env."""
        self.reset(options={"state": envs.states[i]})

    def step(self, action: int) -> None:
        agent = self.env.agent_selection
        self.actor = self.player
        self.env.step(action)
        self.rewards = [self.env.rewards[name] for name in self.env.possible_agents]
        self.over = self.env.terminations[agent]
        self.illegal = self.env.infos[agent].get("illegal_action", False)

    @property
    def reward(self) -> float:
        return self.rewards[self.actor]

    def look(self) -> dict[str, np.ndarray]:
        return self.env.observe(self.env.agent_selection)

    @property
    def player(self) -> int:
        return int(self.env.agent_selection.removeprefix("player_"))

    @property
    def returns(self) -> np.ndarray:
        return self.game.returns(self.env.game_state)


class OneSeat(SelfPlay):
    """One seat of a game, drawn for each episode: a solo env, told as a vector env tells."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.env = SoloEnv(game, opponents=Fixed(game), seat="random")

    def reset(self, **kwargs: Any) -> None:
        self.seen, _ = self.env.reset(**kwargs)
        self.illegal = self.over = False
        self.actor, self.last = -1, 0.0
        self.rewards = [0.0] * self.game.num_players
        self.paid = np.zeros(self.game.num_players)

    def restart(self, envs: GameVectorEnv, i: int, infos: Any) -> None:
        self.env.seat = self.env._fixed_seat = int(infos["current_player"][i])
        self.reset(options={"state": envs.states[i]})

    def step(self, action: int) -> None:
        self.seen, self.last, self.over, _, info = self.env.step(np.int64(action))
        self.illegal = info.get("illegal_action", False)
        self.actor = self.player
        returns = self.game.returns(self.env.game_state)
        self.rewards, self.paid = (returns - self.paid).tolist(), returns
        if self.illegal:
            self.rewards[self.actor] = self.last
        assert self.rewards[self.actor] == self.last

    @property
    def reward(self) -> float:
        return self.last

    def look(self) -> dict[str, np.ndarray]:
        return self.seen

    @property
    def player(self) -> int:
        return self.env.seat


def choose(single: SelfPlay, rng: np.random.Generator) -> int:
    mask = single.look()[ACTION_MASK]
    wrong = np.flatnonzero(mask == 0)
    illegal = len(wrong) and rng.random() < ILLEGAL
    return int(rng.choice(wrong if illegal else np.flatnonzero(mask)))


def assert_told(seen: Any, infos: Any, i: int, single: SelfPlay) -> None:
    """Observation and info of game i are those of a single game, ended or not."""
    look = as_in_vector(single.look(), single.over)
    assert {name: part[i].tobytes() for name, part in seen.items()} == {
        name: part.tobytes() for name, part in look.items()
    }
    assert infos["current_player"][i] == single.player
    assert infos[ACTION_MASK][i].tobytes() == look[ACTION_MASK].tobytes()
    paid = single.over and not single.illegal
    assert infos["_returns"][i] == paid
    assert infos["returns"][i].tolist() == (single.returns.tolist() if paid else [0] * len(
        infos["returns"][i]))  # fmt: skip
    assert infos["illegal_action"][i] == single.illegal
    assert infos["_illegal_action"][i] == single.over


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
@pytest.mark.parametrize("single", [SelfPlay, OneSeat])
@pytest.mark.parametrize(("name", "options", "steps"), GAMES, ids=[name for name, *_ in GAMES])
def test_games_that_end_together_end_as_single_ones(
    name: str, options: dict[str, Any], steps: int, single: type[SelfPlay], mode: AutoresetMode
) -> None:
    game = make_game(name, **options)
    singles = [single(game) for _ in range(NUMBER)]
    played = {"opponents": Fixed(game), "seat": "random"} if single is OneSeat else {}
    envs = GameVectorEnv(game, NUMBER, autoreset_mode=mode, reward="actor", **played)
    rng = np.random.default_rng(3)
    seen, infos = envs.reset(seed=SEED)
    for i, one in enumerate(singles):
        one.reset(seed=SEED + i)
        if single is OneSeat:  # the deal is the same, the seat is drawn from the stream of the game
            one.restart(envs, i, infos)
    together = mixed = 0
    for _ in range(2 * steps // 3 if single is OneSeat else steps):  # others move as well
        # With next-step reset the action of a game that has ended is ignored: any number will do.
        actions = [-7 if one.over else choose(one, rng) for one in singles]
        ended_before = [one.over for one in singles]
        for one, action in zip(singles, actions, strict=True):
            if not one.over:
                one.step(action)
        seen, rewards, over, truncated, infos = envs.step(np.array(actions))
        for i in np.flatnonzero(ended_before):
            singles[i].restart(envs, i, infos)
        ended = np.array([one.over for one in singles])
        together += ended.sum() > 1
        mixed += len({one.illegal for one in singles if one.over}) > 1
        assert over.tolist() == ended.tolist() and not truncated.any()
        assert rewards.tolist() == [one.reward for one in singles]
        assert infos["rewards"].tolist() == [one.rewards for one in singles]
        assert infos["actor"].tolist() == [one.actor for one in singles]
        assert not (ended & ended_before).any()
        if mode == AutoresetMode.SAME_STEP and ended.any():
            final, told = infos["final_obs"], infos["final_info"]
            assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == over.tolist()
            for i, one in enumerate(singles):
                if not one.over:
                    assert final[i] is None
                    assert not any(told[key][i] for key in told if key.startswith("_"))
                    continue
                last = {key: part[None] for key, part in final[i].items()}
                assert_told(last, {key: part[i : i + 1] for key, part in told.items()}, 0, one)
                one.restart(envs, i, infos)
        for i, one in enumerate(singles):
            assert_told(seen, infos, i, one)
        if mode == AutoresetMode.DISABLED and ended.any():
            seen, infos = envs.reset(options={"reset_mask": ended})
            for i, one in enumerate(singles):
                if one.over:
                    one.restart(envs, i, infos)
                assert_told(seen, infos, i, one)
    assert together > 0, "no two games ended in one step"
    if name == "leduc" and single is SelfPlay:
        assert mixed > 0, "no game ended beside one that an illegal action ended"


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_what_was_told_of_an_end_stays_as_it_was(mode: str) -> None:
    """Arrays of a step are its own: the games that follow do not write into them."""
    envs = GameVectorEnv("chinese_poker", 4, autoreset_mode=mode, substeps=True, reward="seats")
    seen, _ = envs.reset(seed=1)
    kept = []
    for _ in range(12):
        step = envs.step(seen[ACTION_MASK].argmax(axis=1))
        kept.append((step, _copied(step)))
        seen = step[0]
    assert sum(step[2].all() for step, _ in kept) >= 2
    for step, copied in kept:
        assert data_equivalence(step, copied)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(_copied(each) for each in value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([*map(_copied, value), None], object)[:-1]
    return value.copy() if isinstance(value, np.ndarray) else value
