# pyright: strict
"""What a user writes: games, envs, agents, learning targets, matches, search and solvers."""

import gymnasium
import numpy as np

from closedhand import make_agent, make_game
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.envs import GameAEC, GameVectorEnv, SoloEnv, seat_advantages, seat_returns
from closedhand.solvers import solving
from closedhand.solvers.strategy import evaluate

game = make_game("leduc")
state = game.deal(np.random.default_rng(1))
legal = game.legal(state)
first = int(legal[0])
game.play(state, first)
assert game.returns(state).sum() == 0 and not game.over(state)
assert game.history(state).tolist() == [first]
assert make_agent(game, "random", seed=3).act(game.view(state, int(state["player"]))) >= 0

solo = SoloEnv("leduc", opponents="random")
observation, info = solo.reset(seed=1)
mask = observation["action_mask"]
observation, reward, terminated, truncated, info = solo.step(int(mask.argmax()))
observation, info = solo.reset(seed=2)
solo.step(2)
solo.reset()
solo.step(np.int64(2))
assert solo.action_space.n == game.num_actions == len(solo.action_masks())

envs = GameVectorEnv("leduc", 8, reward="seats")
observations, infos = envs.reset(seed=0)
number = int(envs.single_action_space.n)
assert observations["action_mask"].shape == (8, number)
chosen = observations["action_mask"].argmax(axis=1)
observations, rewards, ends, _, infos = envs.step(chosen)
steps = rewards[None], infos["actor"][None], ends[None]
advantages, targets = seat_advantages(*steps, np.zeros((1, 8)))
assert advantages.shape == targets.shape == seat_returns(*steps).shape
assert envs.states.shape == (8,)

table = GameAEC("leduc")
table.reset(seed=1)
for _ in table.agent_iter():
    seen, _reward, over, cut, _info = table.last()
    assert seen is not None
    table.step(None if over or cut else int(seen["action_mask"].argmax()))

made = gymnasium.make("closedhand/Leduc-v0", opponents="random")
made.reset(seed=1)


mine = from_function(lambda seen, masks: masks.argmax(axis=1), "compact", name="mine")
score = results.score(match.play(game, [mine, "random"], deals=2))
assert score.points.low <= score.points.mean <= score.points.high
solver = solving.make_solver("cfr+", game)
solver.run(2)
assert evaluate(solver.strategy()).nash_conv > 0
