"""The learners of every game as references by name: reading the list imports no learner."""

from collections.abc import Mapping

from closedhand.core.registry import Ref

OWN: Mapping[str, Ref] = {
    "ppo": "closedhand.learning.ppo:PPO",
    "dmc": "closedhand.learning.dmc:DMC",
    "imitation": "closedhand.learning.imitation:Imitation",
}
"""Learners of this package by algorithm."""
ON_GPU: Mapping[str, Ref] = {
    "ppo": "closedhand.learning.device_ppo:DevicePPO",
    "dmc": "closedhand.learning.device_dmc:DeviceDMC",
}
"""Learners whose games and updates stay on a GPU, by algorithm."""
LEARNERS: Mapping[str, Ref] = {
    **OWN,
    "maskable-ppo": "closedhand.learning.maskable_ppo:MaskablePPO",
}
"""`OWN`, and the learner of Stable-Baselines3."""
