"""Wrappers for every env of this package, and for other libraries, which their modules need.

`closedhand.wrappers.sb3` is for Stable-Baselines3, `tianshou` and `torchrl` for these.
"""

from closedhand.wrappers.aec_rows import AECRows
from closedhand.wrappers.auto_pass import AutoPass
from closedhand.wrappers.duplicate import DuplicateDealing
from closedhand.wrappers.kickers import KickerSubsteps
from closedhand.wrappers.observing import ObservingAgent

__all__ = ["AECRows", "AutoPass", "DuplicateDealing", "KickerSubsteps", "ObservingAgent"]
