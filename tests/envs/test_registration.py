"""The envs as they are registered."""

import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import gymnasium
import pettingzoo
import pytest

from closedhand import InputError, make_game, register_game
from closedhand.core import registry
from closedhand.core.registry import GAMES as ENVIRONMENTS


def test_import_is_light() -> None:
    code = "import closedhand, sys; assert not {'torch', 'PIL', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("taken", ["aec_id", "parallel_id", "gymnasium_id"])
def test_a_game_does_not_take_the_envs_of_another(taken: str) -> None:
    poker = ENVIRONMENTS["chinese_poker"]
    ids = {"aec_id": "new-v0", "parallel_id": "new-v0", "gymnasium_id": "New-v0"}
    spec = replace(poker, name="new", **{**ids, taken: getattr(poker, taken)})
    with pytest.raises(InputError, match=f"{getattr(poker, taken)}, an env of .*new, is taken"):
        register_game(spec)
    assert "new" not in ENVIRONMENTS and "new-v0" not in pettingzoo.aec_registry
    table: Any = pettingzoo.make("aec", poker.aec_id).unwrapped
    assert table.game is make_game("chinese_poker")


def test_a_registered_game_is_made_by_its_name_and_ids() -> None:
    own = replace(make_game("uh_leduc"), name="own", options={})
    spec = replace(
        ENVIRONMENTS["uh_leduc"], name="own", make=lambda: own, options={},
        aec_id="own-v0", gymnasium_id="Own-v0",
    )  # fmt: skip
    places: Any = (registry._specs, gymnasium.registry, pettingzoo.aec_registry)
    with ExitStack() as stack:
        for place in places:
            stack.enter_context(patch.dict(place))
        register_game(spec)
        table: Any = pettingzoo.make("aec", "own-v0").unwrapped
        solo: Any = gymnasium.make("Own-v0").unwrapped
        assert make_game("own") == own == table.game == solo.game
    assert not any({"own", "own-v0", "Own-v0"} & set(place) for place in places)


def test_a_maker_of_another_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one without presets."""
    other = replace(make_game("uh_leduc"), name="other", options={})
    spec = replace(ENVIRONMENTS["uh_leduc"], name="bare", make=lambda: other, options={})
    monkeypatch.setitem(registry._specs, "bare", spec)
    with pytest.raises(InputError, match="are those of other, not bare"):
        make_game("bare")
