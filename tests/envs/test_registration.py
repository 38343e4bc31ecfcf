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


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=str)
def test_the_history_tells_of_every_version_up_to_that_of_the_ids(environment: Any) -> None:
    ids = (environment.aec_id, environment.gymnasium_id, environment.parallel_id)
    latest = {int(each.rpartition("-v")[2]) for each in ids if each}
    assert latest == {max(environment.versions)}
    assert sorted(environment.versions) == list(range(max(latest) + 1))
