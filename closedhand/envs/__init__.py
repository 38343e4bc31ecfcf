"""Envs of PettingZoo and Gymnasium for every `Game`.

`gymnasium.make(id)` makes a `SoloEnv`. `gymnasium.make_vec(id)` makes a `GameVectorEnv`, with a
`device` a `DeviceVectorEnv`. `pettingzoo.make("aec", id)` makes a `GameAEC`. If a game is
simultaneous, `pettingzoo.make("parallel", id)` makes a `GameParallel`. Other classes have no ids.
"""

from closedhand.envs.aec import GameAEC, env
from closedhand.envs.device_batch import DeviceBatch
from closedhand.envs.device_env import DeviceVectorEnv
from closedhand.envs.parallel import GameParallel, parallel_env
from closedhand.envs.seat_vector import SeatVectorEnv
from closedhand.envs.seatwise import seat_advantages, seat_returns
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv

__all__ = [
    "DeviceBatch",
    "DeviceVectorEnv",
    "GameAEC",
    "GameParallel",
    "GameVectorEnv",
    "SeatVectorEnv",
    "SoloEnv",
    "env",
    "parallel_env",
    "seat_advantages",
    "seat_returns",
]
