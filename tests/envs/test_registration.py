"""The envs as they are registered."""

import subprocess
import sys
from typing import Any

import pytest

from closedhand.core.registry import GAMES as ENVIRONMENTS


def test_import_is_light() -> None:
    code = "import closedhand, sys; assert not {'torch', 'PIL', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=str)
def test_every_env_has_a_page(environment: Any) -> None:
    assert len(environment.doc) > 1000
    assert environment.doc.count("Options:\n\n- ") == 1
    assert all(f"- `{option.name}=" in environment.doc for option in environment.option_table)
