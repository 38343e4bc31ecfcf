"""The deep learners of every game, by name."""

from collections.abc import Mapping

from closedhand.core.registry import Ref

LEARNERS: Mapping[str, Ref] = {
    "ppo": "closedhand.baselines.learning.ppo:PPO",
    "dmc": "closedhand.baselines.learning.dmc:DMC",
    "imitation": "closedhand.baselines.learning.imitation:Imitation",
}
"""The learners by algorithm: references, so that naming one imports nothing."""
