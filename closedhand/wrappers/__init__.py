"""Wrappers of the envs of this package.

The modules `sb3` (Stable-Baselines3), `rllib`, `tianshou` and `torchrl` adapt envs to these
libraries, and need them installed.
"""

from closedhand.wrappers.aec import AutoPass, DuplicateDealing, KickerSubsteps

__all__ = ["AutoPass", "DuplicateDealing", "KickerSubsteps"]
