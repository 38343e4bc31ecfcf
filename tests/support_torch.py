"""What tests of networks share: without the libraries they are left out."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

QUIET = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
"""Marks of tests that train: the libraries warn of what they do themselves."""
