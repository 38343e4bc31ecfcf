"""Wrappers for every env of this package; `closedhand.wrappers.sb3` needs Stable-Baselines3."""

from closedhand.wrappers.auto_pass import AutoPass
from closedhand.wrappers.duplicate import DuplicateDealing
from closedhand.wrappers.kickers import KickerSubsteps

__all__ = ["AutoPass", "DuplicateDealing", "KickerSubsteps"]
