"""The deep learners of every game, by name."""

from collections.abc import Mapping

from closedhand.core.registry import Ref

LEARNERS: Mapping[str, Ref] = {
    "ppo": "closedhand.learning.ppo:PPO",
    "dmc": "closedhand.learning.dmc:DMC",
    "imitation": "closedhand.learning.imitation:Imitation",
}
"""The learners by algorithm: references, so that naming one imports nothing."""
