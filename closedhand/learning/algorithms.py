"""The learners of every game, by name: references, so that naming one imports nothing."""

from collections.abc import Mapping

from closedhand.core.registry import Ref

OWN: Mapping[str, Ref] = {
    "ppo": "closedhand.learning.ppo:PPO",
    "dmc": "closedhand.learning.dmc:DMC",
    "imitation": "closedhand.learning.imitation:Imitation",
}
"""The learners of this package by algorithm."""
ON_GPU: Mapping[str, Ref] = {"ppo": "closedhand.learning.device_ppo:DevicePPO"}
"""The learners whose games and updates stay on a GPU, by algorithm."""
LEARNERS: Mapping[str, Ref] = {
    **OWN,
    "maskable-ppo": "closedhand.learning.maskable_ppo:MaskablePPO",
}
"""All learners by algorithm, with that of Stable-Baselines3."""
