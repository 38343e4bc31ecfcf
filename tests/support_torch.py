"""What tests of networks share: without the libraries they are left out."""

from importlib.util import find_spec

import pytest

torch = pytest.importorskip("torch")
if find_spec("lightning") is None:  # imported where it is used only: that takes five seconds
    pytest.skip("lightning is not installed", allow_module_level=True)

QUIET = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
"""Marks of tests that train: the libraries warn of what they do themselves."""
