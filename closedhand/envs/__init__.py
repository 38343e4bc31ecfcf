"""Envs of PettingZoo and Gymnasium for every `Game`.

`registration` enters them under their ids: `gymnasium.make` makes a `SoloEnv`, `make_vec` a
`GameVectorEnv` or with a device a `DeviceVectorEnv`, `pettingzoo.make` a `GameAEC` with checks, or
with "parallel", for games of simultaneous moves, a `GameParallel`.
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
